# SPDX-License-Identifier: Apache-2.0
"""A device of a sound server plays the source, the playhead follows its clock, and playback survives its loss."""

import struct
import subprocess
import time

import grpc
import numpy
import pytest
from harness.contract import engine_pb2, software_pb2, state_pb2
from harness.engine import PATIENCE, eventually, running_engine
from harness.places import clip
from harness.sound import amplitudes, tones
from harness.sound_server import sound_server
from test_control import Watcher

DEVICE = software_pb2.SOUND_OUTPUT_KIND_DEVICE
# How much audio a device holds, in microseconds: its position may be off by as much.
HELD = 200_000


@pytest.fixture
def server(monkeypatch):
    with sound_server() as server:
        monkeypatch.setenv("PULSE_SERVER", server.address)
        yield server


@pytest.fixture(scope="module")
def shared_server():
    """A server for tests that do not stop it."""
    with sound_server() as server:
        yield server


@pytest.fixture(scope="module")
def shared(shared_server):
    """An engine for tests that leave nothing behind, with its sound server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PULSE_SERVER", shared_server.address)
        with running_engine() as engine:
            yield engine, shared_server


def make_noise(path, seconds):
    """A file of non-repeating noise in the format of the device `stereo`, and its samples."""
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
         f"anoisesrc=r=48000:d={seconds}:a=0.5:seed=1,aformat=channel_layouts=mono[l];"
         f"anoisesrc=r=48000:d={seconds}:a=0.5:seed=2[r];[l][r]join", "-c:a", "pcm_f32le", path],
        check=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "f32le", "-"], check=True,
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE).stdout
    return path, raw


@pytest.fixture
def noise(tmp_path):
    return make_noise(tmp_path / "noise.wav", 5)


@pytest.fixture
def short_noise(tmp_path):
    return make_noise(tmp_path / "noise.wav", 1.5)


def call(engine, session, name, **fields):
    kind = getattr(engine_pb2, f"{name}Request", engine_pb2.SessionRequest)
    return getattr(engine.stub, name)(kind(session_id=session.id, **fields), timeout=PATIENCE)


def set_output(engine, session, device=""):
    return engine.stub.SetSoundOutput(
        software_pb2.SetSoundOutputRequest(session_id=session.id, kind=DEVICE, name=device), timeout=PATIENCE)


def now(engine, session, moment=None):
    """The position of the playhead now, or at a moment of the monotonic clock."""
    position = engine.state(session.id).position
    return position.position_us + position.rate * ((moment or time.monotonic()) * 1e9 - position.monotonic_ns) / 1000


def wait_for_phase(engine, session, phase):
    return eventually(lambda: engine.state(session.id).phase == phase, state_pb2.Phase.Name(phase))


def without_silence(recording):
    """The recorded bytes without silence: if a busy machine lets the device run dry, nothing is lost or repeated."""
    return b"".join(frame for frame, in struct.iter_unpack("8s", bytes(recording.bytes)) if frame != bytes(8))


def assert_heard_to_the_end(server, expected, play):
    """Checks that the samples are heard in order. In the best of several attempts, at most 0.1 s may be missing at the
    end: the server only estimates when the last sample is played, and estimates worse on a busy machine."""
    def is_heard():
        with server.recording("stereo") as recording:
            play()
            eventually(lambda: recording.loudest() == 0, "the silence behind it")
        heard = without_silence(recording)
        assert expected.startswith(heard)
        return len(expected) - len(heard) < 0.1 * 48000 * 8

    eventually(is_heard, "all of it to be heard")


@pytest.mark.parametrize("chosen", [
    "by name", pytest.param("default", marks=pytest.mark.long), pytest.param("by the settings", marks=pytest.mark.long),
    pytest.param("the default by the settings", marks=pytest.mark.long),
])
def test_the_device_receives_the_samples_of_the_source(shared_server, start_engine, monkeypatch, short_noise, chosen):
    server, (path, expected) = shared_server, short_noise
    monkeypatch.setenv("PULSE_SERVER", server.address)
    options = {"by the settings": ["--sound-device", "stereo"], "the default by the settings": ["--sound-device", "default"]}
    engine = start_engine(*options.get(chosen, []))
    with engine.session(path) as session:
        if chosen in options:
            engine.stub.SelectPath(software_pb2.SelectPathRequest(
                session_id=session.id, path=software_pb2.PLAYBACK_PATH_SOFTWARE), timeout=PATIENCE)
            eventually(server.has_streams, "the device of the settings to be opened")
        else:
            set_output(engine, session, "stereo" if chosen == "by name" else "")

        def play():
            call(engine, session, "Play")
            wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
            assert abs(engine.state(session.id).position.position_us - 1_500_000) < 20

        assert_heard_to_the_end(server, expected, play)


def test_channels_keep_their_places_at_the_rate_of_the_device(shared):
    engine, server = shared
    wanted = tones("5.1")
    order = ["FL", "FR", "FC", "LFE", "BL", "BR"]
    with engine.session(clip("formats/flac.mkv")) as session, server.recording("cinema") as recording:
        set_output(engine, session, "cinema")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        eventually(lambda: recording.loudest(), "sound")
        begun, half = recording.count, recording.rate // 2
        eventually(lambda: recording.count > begun + half, "half a second of it")

        def levels():
            first = recording.count - half
            samples = numpy.column_stack([recording.channel(number, first)[:half] for number in range(len(order))])
            return [dict(zip(wanted, each)) for each in amplitudes(samples, list(wanted.values()), recording.rate)]

        eventually(lambda: are_in_place(order, levels()), "each tone in its channel, while the device does not run dry")


def are_in_place(order, found):
    """Whether each channel has the tone of its place and no other, given the amplitude of each tone in each channel."""
    return all(levels[place] > max(0.005, *(10 * level for other, level in levels.items() if other != place))
               for place, levels in zip(order, found, strict=True))


def test_volume_mute_and_pause_are_applied(shared):
    engine, server = shared
    with engine.session(clip("software/mpeg2.ts")) as session, server.recording("stereo") as recording:
        set_output(engine, session, "stereo")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        full = eventually(lambda: recording.loudest() > 0.05 and recording.loudest(0.3), "sound")
        call(engine, session, "SetVolume", volume=0.25)
        eventually(lambda: abs(recording.loudest() / full - 0.25) < 0.03, "a quarter of it")
        call(engine, session, "SetMuted", muted=True)
        eventually(lambda: recording.loudest() == 0, "silence")
        call(engine, session, "SetMuted", muted=False)
        call(engine, session, "SetVolume", volume=1)
        eventually(lambda: abs(recording.loudest() / full - 1) < 0.03, "all of it")
        call(engine, session, "Pause")
        wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
        place = now(engine, session)
        eventually(lambda: recording.loudest() == 0, "silence")
        assert now(engine, session) == place
        call(engine, session, "Play")
        eventually(lambda: abs(recording.loudest() / full - 1) < 0.03, "sound again")


def test_the_playhead_follows_the_device_clock(shared):
    engine, server = shared
    with engine.session(clip("software/sync-25.mkv")) as session:
        set_output(engine, session, "stereo")
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "some of it to be heard")
        # The device stops, as when its machine is suspended; the playhead can only follow it.
        server.control("suspend-sink", "stereo", "1")
        eventually(lambda: engine.state(session.id).position.rate == 0 or is_stalled(engine, session), "the playhead to stand")
        place, begun = now(engine, session), time.monotonic()
        server.control("suspend-sink", "stereo", "0")
        reached = eventually(lambda: (reached := now(engine, session)) > place + 500_000 and reached, "it to go on")
        assert reached - place < (time.monotonic() - begun) * 1e6 + HELD


def test_the_device_can_be_switched_during_playback(shared):
    engine, server = shared
    with engine.session(clip("software/sync-25.mkv")) as session, server.recording("stereo") as recording:
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        for name in ("stereo", None, "cinema", "stereo"):
            if name:
                set_output(engine, session, name)
            else:
                engine.stub.SetSoundOutput(software_pb2.SetSoundOutputRequest(
                    session_id=session.id, kind=software_pb2.SOUND_OUTPUT_KIND_NULL), timeout=PATIENCE)
            # The previous device kept the audio that it was given; this one continues from there.
            place = now(engine, session)
            eventually(lambda: (now(engine, session) - place) % 30e6 > 300_000, f"it to go on: {name}")
            if name == "stereo":
                eventually(lambda: recording.loudest(1.2) > 0.05, "a beep")


def is_stalled(engine, session):
    """Whether the playhead moves by less than one frame in a fifth of a second."""
    place = now(engine, session)
    time.sleep(0.2)
    return now(engine, session) - place < 40_000


def assert_never_jumps(watcher):
    """Checks that the position never jumps: between two changes, it advances by less than the time that passed and what
    the device holds, and goes back by less than the latter."""
    positions = [each.delta.state.position for each in watcher.events if each.WhichOneof("event") == "delta"
            and state_pb2.STATE_FIELD_POSITION in each.delta.fields]
    for one, other in zip(positions, positions[1:]):
        passed = (other.monotonic_ns - one.monotonic_ns) / 1000
        assert -HELD < other.position_us - one.position_us < passed + HELD, (one, other)


def test_playback_continues_when_the_server_dies(server, start_engine):
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        set_output(engine, session)
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "some of it to be heard")
        place = now(engine, session)
        server.kill()
        watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "sound.lost", "sound.lost")
        eventually(lambda: now(engine, session) > place + 1_000_000, "playback to go on")
        assert engine.state(session.id).phase == state_pb2.PHASE_PLAYING
        assert_never_jumps(watcher)
        with pytest.raises(grpc.RpcError) as gone:
            set_output(engine, session)
        assert gone.value.code() is grpc.StatusCode.UNAVAILABLE
        watcher.cancel()


def test_missing_devices_are_reported(server, start_engine):
    engine = start_engine("--sound-device", "nobody")
    with engine.session(clip("software/mpeg2.ts")) as session:
        watcher = Watcher(engine, session_id=session.id)
        with pytest.raises(grpc.RpcError) as refused:
            set_output(engine, session, "nothing")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE and "nothing" in refused.value.details()
        # The device of the settings is reported missing when the next film begins to play inside the engine.
        engine.stub.Load(engine_pb2.LoadRequest(session_id=session.id, source=str(clip("software/xvid.avi"))), timeout=PATIENCE)
        notice = watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "sound.unavailable",
                              "sound.unavailable")
        assert "nobody" in notice.notice.message
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "it to play without sound")
        watcher.cancel()
