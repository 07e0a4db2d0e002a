# SPDX-License-Identifier: Apache-2.0
"""ALSA devices without hardware: they play the source, the playhead follows their clock, and playback survives their loss."""

import functools
import signal
import subprocess
import time

import grpc
import numpy
import pytest
from harness.alsa import Devices
from harness.contract import engine_pb2, software_pb2, state_pb2
from harness.engine import PATIENCE, eventually, running_engine, settled
from harness.places import clip
from harness.sound import amplitudes, tones
from test_control import Watcher
from test_sound_device import are_in_place, call, is_stalled, now, set_output, wait_for_phase

RATE = 48000
# The seconds of audio that a device's buffer holds: the most that it may play before the engine notices.
BUFFER = 0.2


@pytest.fixture
def devices(tmp_path, monkeypatch):
    devices = Devices(tmp_path)
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(devices.configuration))
    # No server listens there.
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nobody")
    return devices


# The channel maps of the devices called mapped-0 and so on.
MAPS = ["FL,FR,RL,RR,FC,LFE", "FL,FR,FC,LFE,SL,SR", "FC,LFE,FR,FL,RR,RL", "FL,FR,RL,RR,FC,LFE,SL,SR", "FL,FR,RC,FC,LFE,SL,SR"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """An engine for tests that leave nothing behind, with its devices."""
    folder = tmp_path_factory.mktemp("alsa")
    devices = Devices(folder)
    for number, channels in enumerate(MAPS):
        devices.add_map(f"mapped-{number}", channels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALSA_CONFIG_PATH", str(devices.configuration))
        patch.setenv("PULSE_SERVER", f"unix:{folder}/nobody")
        with running_engine() as engine:
            yield engine, devices


@pytest.fixture
def shared_engine(shared):
    """The shared engine, with its devices reset."""
    engine, devices = shared
    # A device is closed a moment after its session has ended, and records until then.
    eventually(lambda: "sound-alsa" not in engine.thread_names(), "all devices to be closed")
    devices.reset()
    return engine, devices


@pytest.fixture(scope="session")
def ramps(tmp_path_factory):
    """Makes films of a given length in seconds. Sample number n, counted from 1, is n / 2^19 in both channels."""
    folder = tmp_path_factory.mktemp("ramps")

    @functools.cache
    def ramp(seconds):
        numbers = numpy.arange(1, int(seconds * RATE) + 1) / 2**19
        raw, path = numpy.repeat(numbers, 2).astype("<f4").tobytes(), folder / f"{seconds}.wav"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "f32le", "-ar", str(RATE), "-ac", "2", "-i", "-", "-c:a",
                        "pcm_f32le", path], input=raw, check=True, timeout=PATIENCE)
        return path, raw
    return ramp


def numbers(devices, name):
    """The numbers of the samples that the device played, without silence."""
    found = numpy.rint(devices.channel(name, 0, 2).astype(float) * 2**19).astype(int)
    return found[found != 0]


def consecutive_runs(heard):
    """Runs of consecutive samples: the first and the last of each."""
    runs = numpy.split(heard, numpy.flatnonzero(numpy.diff(heard) != 1) + 1)
    return [(int(each[0]), int(each[-1])) for each in runs if len(each)]


def assert_played_to_the_end(devices, device, expected):
    """All samples are played, followed by silence. The device records the last samples when the engine next queries
    it."""
    heard = eventually(lambda: len(data := devices.heard(device)) >= len(expected) and data, "all of it to be heard")
    assert heard[:len(expected)] == expected and is_silent(heard[len(expected):])


def is_silent(data):
    return not any(data)


@pytest.mark.parametrize("chosen", [
    pytest.param("card", marks=pytest.mark.long), pytest.param("pausing", marks=pytest.mark.long),
    pytest.param("void", marks=pytest.mark.long), pytest.param("as the default", marks=pytest.mark.long), "by the settings",
    pytest.param("the default by the settings", marks=pytest.mark.long),
])
def test_every_sample_is_played_exactly_once(devices, start_engine, ramps, chosen):
    path, expected = ramps(1)
    options = {"by the settings": ["--sound-device", "alsa:pausing"], "the default by the settings": ["--sound-device", "default"]}
    device = {"by the settings": "pausing", "void": "unknown", "pausing": "pausing"}.get(chosen, "card")
    engine = start_engine(*options.get(chosen, []))
    with engine.session(path) as session:
        if chosen in options:
            engine.stub.SelectPath(software_pb2.SelectPathRequest(
                session_id=session.id, path=software_pb2.PLAYBACK_PATH_SOFTWARE), timeout=PATIENCE)
            eventually(lambda: devices.is_ready(device), "the device of the settings to be opened")
        else:
            set_output(engine, session, "" if chosen == "as the default" else f"alsa:{device}")
        call(engine, session, "Play")
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        assert abs(engine.state(session.id).position.position_us - 1_000_000) < 30
        assert_played_to_the_end(devices, device, expected)
    eventually(lambda: "sound-alsa" not in engine.thread_names(), "the device to be closed")


@pytest.mark.parametrize("device", ["card", pytest.param("pausing", marks=pytest.mark.long)])
def test_pausing_keeps_buffered_samples_and_seeking_discards_them(devices, start_engine, ramps, device):
    path, _ = ramps(5)
    engine = start_engine()
    with engine.session(path) as session:
        set_output(engine, session, f"alsa:{device}")
        call(engine, session, "Play")
        for _ in range(2):
            place = now(engine, session)
            eventually(lambda: now(engine, session) > place + 200_000, "some of it to be heard")
            call(engine, session, "Pause")
            wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
            # A device that cannot pause may play on for a moment between the query and the command. After that, nothing
            # may change for as long as `settled` watches.
            place = now(engine, session)
            count = settled(lambda: len(numbers(devices, device)))
            assert now(engine, session) == place
            ahead = count / RATE - place / 1e6
            assert -0.02 < ahead < (0.02 if device == "pausing" else BUFFER), "the playhead is where the device stands"
            call(engine, session, "Play")
        eventually(lambda: now(engine, session) > place + 200_000, "it to go on")
        runs = consecutive_runs(numbers(devices, device))
        assert all(abs(after[0] - before[1] - 1) < BUFFER * RATE for before, after in zip(runs, runs[1:])), runs
        assert len(runs) == 1 or device == "card" and len(runs) <= 3
        call(engine, session, "Seek", position_us=4_500_000)
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        eventually(lambda: numbers(devices, device)[-1] == 5 * RATE, "the last sample to be written down")
        runs = consecutive_runs(numbers(devices, device))
        assert runs[-1] == (9 * RATE // 2 + 1, 5 * RATE), runs
        assert runs[-2][1] < 9 * RATE // 2


# Unit tests check the name of each position. The lean tier tests one device for each kind of channel order.
@pytest.mark.parametrize("name, source, order", [
    pytest.param("mapped-0", "formats/flac.mkv", "FL FR BL BR FC LFE", marks=pytest.mark.long),
    pytest.param("mapped-1", "formats/flac.mkv", "FL FR FC LFE BL BR", marks=pytest.mark.long),
    pytest.param("mapped-2", "formats/flac.mkv", "FC LFE FR FL BR BL", marks=pytest.mark.long),
    pytest.param("unknown", "formats/flac.mkv", "FL FR BL BR FC LFE", marks=pytest.mark.long),
    pytest.param("mapped-3", "formats/opus-7.1.mkv", "FL FR BL BR FC LFE SL SR", marks=pytest.mark.long),
    pytest.param("unknown", "formats/opus-7.1.mkv", "FL FR BL BR FC LFE SL SR", marks=pytest.mark.long),
    pytest.param("unknown", "formats/pcm_quad.wav", "FL FR BL BR", marks=pytest.mark.long),
    ("mapped-4", "six-one", "FL FR BC FC LFE SL SR"),
], ids=lambda value: str(value).replace(" ", "-").replace("/", "-"))
def test_channels_follow_the_channel_map_of_the_device(shared_engine, tmp_path, name, source, order):
    engine, devices = shared_engine
    order = order.split()
    layout = {4: "quad", 6: "5.1", 7: "6.1", 8: "7.1"}[len(order)]
    wanted = tones(layout)
    if source == "six-one":
        path = tmp_path / "six-one.flac"
        inputs = [word for tone in wanted.values() for word in ("-f", "lavfi", "-i", f"sine=f={tone}:r=48000:d=4")]
        merged = "".join(f"[{each}]" for each in range(7)) + (
            "join=inputs=7:channel_layout=6.1:map=" + "|".join(f"{number}.0-{each}" for number, each in enumerate(wanted)))
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *inputs, "-filter_complex", merged, path], check=True,
                       stdin=subprocess.DEVNULL, timeout=PATIENCE)
    else:
        path = clip(source)
    with engine.session(path) as session:
        set_output(engine, session, f"alsa:{name}")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        eventually(lambda: are_in_place(order, levels(devices, name, len(order), wanted)), "each tone in its channel")


def levels(devices, name, channels, wanted):
    """The amplitude of each tone in each channel, in the last quarter of a second that was played; 0 if the device ran
    dry."""
    eventually(lambda: len(devices.heard(name)) > RATE * 3 // 5 * 4 * channels, "half a second of it")
    samples = numpy.column_stack([devices.channel(name, number, channels)[-RATE // 4:] for number in range(channels)])
    return [dict(zip(wanted, each)) for each in amplitudes(samples, list(wanted.values()), RATE)]


@pytest.mark.parametrize("device, codec, rate", [
    ("short", "s16le", 44100), pytest.param("long", "s32le", 48000, marks=pytest.mark.long),
])
def test_samples_are_converted_to_the_format_of_the_device(shared_engine, tmp_path, device, codec, rate):
    engine, devices = shared_engine
    path = tmp_path / "noise.wav"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                    f"anoisesrc=r={rate}:d=1:a=0.5:seed=1,aformat=channel_layouts=stereo", "-c:a", "pcm_s16le", path],
                   check=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    expected = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", codec, "-"], check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE).stdout
    with engine.session(path) as session:
        set_output(engine, session, f"alsa:{device}")
        call(engine, session, "Play")
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        assert_played_to_the_end(devices, device, expected)


@pytest.mark.long
def test_a_source_is_resampled_to_the_rate_of_the_device(shared_engine):
    engine, devices = shared_engine
    with engine.session(clip("audio.flac")) as session:
        set_output(engine, session, "alsa:short")
        call(engine, session, "Play")
        eventually(lambda: len(devices.heard("short")) > 44100 * 2, "half a second to be heard")

        def is_in_tune():
            heard = devices.heard("short")
            samples = numpy.frombuffer(heard, "<i2", len(heard) // 4 * 2)[::2][-44100 // 4:]
            tone, unchanged = amplitudes(samples[:, None], [440, 440 * 44100 / 48000], 44100)[0]
            return tone > 10 * unchanged

        eventually(is_in_tune, "the tone of the source")


def test_the_engine_downmixes_for_a_device_with_fewer_channels(shared_engine):
    """A plug device would drop the centre channel."""
    engine, devices = shared_engine
    with engine.session(clip("formats/flac.mkv")) as session:
        set_output(engine, session, "alsa:plugged")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")

        def are_mixed():
            found = levels(devices, "card", 2, tones("5.1"))
            return all(abs(each[other] - 0.707 * each[own]) < 0.02 * each[own]
                       for own, each in zip(("FL", "FR"), found) for other in ("FC", "B" + own[1]))

        eventually(are_mixed, "the centre and the back in each channel")


@pytest.mark.long
def test_a_device_may_have_unnamed_extra_channels(shared_engine, ramps):
    engine, devices = shared_engine
    path, _ = ramps(1)
    with engine.session(path) as session:
        set_output(engine, session, "alsa:wide")
        call(engine, session, "Play")
        count = RATE // 2
        eventually(lambda: len(devices.heard("studio")) > count * 40, "half a second of it")
        left, right, third = (devices.channel("studio", number, 10)[:count] for number in range(3))
        # The plug device rounds to 16 bits.
        assert (abs(left - numpy.arange(1, count + 1) / 2**19) < 2**-14).all()
        assert (left == right).all() and not third.any()


def test_volume_and_rate_are_applied(shared_engine, ramps):
    engine, devices = shared_engine
    path, _ = ramps(2)
    with engine.session(path) as session:
        call(engine, session, "SetVolume", volume=0.5)
        set_output(engine, session, "alsa:card")
        call(engine, session, "SetRate", rate=2)
        call(engine, session, "Play")
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        # Half as long, and half as loud as the end of the ramp. The device records the last samples when the engine next
        # queries it.
        eventually(lambda: abs(numpy.count_nonzero(devices.channel("card", 0, 2)) / RATE - 1) < 0.1, "a second of it")
        assert 0.08 < max(devices.channel("card", 0, 2)) < 2 * RATE / 2**19 / 2 + 0.02


@pytest.mark.long
def test_the_playhead_follows_the_device_clock(shared_engine):
    engine, devices = shared_engine
    with engine.session(clip("software/sync-25.mkv")) as session:
        set_output(engine, session, "alsa:fast")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        # The device plays one percent faster than real time, and the playhead follows it.
        eventually(lambda: now(engine, session) > 8_000_000, "eight seconds to be heard")
        # The two are not read at the same moment. A playhead in real time would be 80 ms behind by now, and fall back further.
        eventually(lambda: abs(now(engine, session) / 1e6 - len(devices.heard("fast")) / RATE / 8) < 0.06, "it to be followed")


def test_the_playhead_stops_while_the_device_is_stuck(shared_engine):
    engine, devices = shared_engine
    with engine.session(clip("software/sync-25.mkv")) as session:
        set_output(engine, session, "alsa:card")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 300_000, "it to play")
        devices.set_event("stuck")
        eventually(lambda: is_stalled(engine, session), "the playhead to stand")
        place = now(engine, session)
        devices.clear_event("stuck")
        eventually(lambda: now(engine, session) > place + 500_000, "it to go on")


@pytest.mark.long
def test_a_device_without_a_clock_plays_in_real_time(devices, start_engine):
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session:
        set_output(engine, session, "alsa:unknown")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "it to play")

        def is_real_time():
            begin, place = time.monotonic(), now(engine, session)
            eventually(lambda: now(engine, session) > place + 1_000_000, "a second of it")
            passed = (now(engine, session) - place) / 1e6
            return passed / (time.monotonic() - begin) < 1.1

        # If the engine was held up, the playhead catches up faster than real time, so several seconds are tried.
        eventually(is_real_time, "a second of it to take a second")
        # The device has accepted at most a second more than was played.
        assert len(devices.heard("unknown")) / RATE / 8 < now(engine, session) / 1e6 + 1
    eventually(lambda: "its position reports are unreliable" in engine.log.read_text(), "the log to tell")


@pytest.mark.long
def test_no_samples_are_lost_in_an_underrun(devices, start_engine, ramps):
    path, expected = ramps(1.5)
    engine = start_engine()
    with engine.session(path) as session:
        set_output(engine, session, "alsa:card")
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 300_000, "some of it to be heard")
        # The device plays the samples that it has.
        engine.process.send_signal(signal.SIGSTOP)
        time.sleep(2 * BUFFER)
        engine.process.send_signal(signal.SIGCONT)
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        assert_played_to_the_end(devices, "card", expected)
    eventually(lambda: "closed an audio device: underruns: " in engine.log.read_text(), "the log to tell")


@pytest.mark.parametrize("loses_buffer", [pytest.param(False, marks=pytest.mark.long), True])
def test_playback_resumes_after_system_sleep(devices, start_engine, ramps, loses_buffer):
    path, _ = ramps(1.5)
    engine = start_engine()
    if loses_buffer:
        devices.set_event("forgetful")
    with engine.session(path) as session:
        set_output(engine, session, "alsa:card")
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 300_000, "some of it to be heard")
        devices.set_event("asleep")
        eventually(lambda: is_stalled(engine, session), "the playhead to stand")
        devices.clear_event("asleep")
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        eventually(lambda: numbers(devices, "card")[-1] == 3 * RATE // 2, "the last sample to be written down")
        runs = consecutive_runs(numbers(devices, "card"))
        assert runs[0][0] == 1 and runs[-1][1] == 3 * RATE // 2 and len(runs) <= 1 + loses_buffer
        assert all(abs(after[0] - before[1] - 1) < BUFFER * RATE for before, after in zip(runs, runs[1:])), runs


# The engine waits several seconds for a device that is stuck.
@pytest.mark.parametrize("loss", ["gone", pytest.param("stuck", marks=pytest.mark.long)])
def test_playback_continues_when_the_device_is_lost(devices, start_engine, loss):
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        set_output(engine, session, "alsa:card")
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 300_000, "some of it to be heard")
        devices.set_event(loss)
        watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "sound.lost", "sound.lost")
        place = now(engine, session)
        eventually(lambda: now(engine, session) > place + 300_000, "playback to go on")
        assert engine.state(session.id).phase == state_pb2.PHASE_PLAYING
        # The device is back.
        devices.clear_event(loss)
        count = len(devices.heard("card"))
        set_output(engine, session, "alsa:card")
        eventually(lambda: len(devices.heard("card")) > count + RATE * 2, "some more to be heard")
        watcher.cancel()


def test_an_exclusive_device_serves_one_session_at_a_time(shared_engine):
    engine, devices = shared_engine
    devices.set_event("exclusive")
    with engine.session(clip("software/sync-25.mkv")) as session, engine.session(clip("audio.flac")) as other:
        call(engine, session, "SetLooping", looping=True)
        call(engine, session, "Play")
        for _ in range(3):
            set_output(engine, session, "alsa:card")
            # The other session already uses the device.
            set_output(engine, session, "alsa:card")
            with pytest.raises(grpc.RpcError) as refused:
                set_output(engine, other, "alsa:card")
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE and "busy" in refused.value.details()
            engine.stub.SetSoundOutput(software_pb2.SetSoundOutputRequest(
                session_id=session.id, kind=software_pb2.SOUND_OUTPUT_KIND_NULL), timeout=PATIENCE)


@pytest.mark.long
def test_the_device_is_reconfigured_for_the_next_source(shared_engine, ramps):
    """Six channels are played as six, and two as two, one after the other in one session."""
    engine, devices = shared_engine
    path, expected = ramps(1)
    order = ["FL", "FR", "BL", "BR", "FC", "LFE"]
    with engine.session(clip("formats/flac.mkv")) as session:
        set_output(engine, session, "alsa:unknown")
        call(engine, session, "Play")
        eventually(lambda: are_in_place(order, levels(devices, "unknown", 6, tones("5.1"))), "each tone in its channel")
        engine.stub.Load(engine_pb2.LoadRequest(session_id=session.id, source=str(path)), timeout=PATIENCE)
        call(engine, session, "Play")
        eventually(lambda: expected in devices.heard("unknown"), "all of the next source to be heard")


def test_missing_devices_are_reported(devices, start_engine, tmp_path):
    engine = start_engine("--sound-device", "alsa:nobody")
    with engine.session(clip("software/mpeg2.ts")) as session:
        watcher = Watcher(engine, session_id=session.id)
        with pytest.raises(grpc.RpcError) as refused:
            set_output(engine, session, "alsa:nothing")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert "alsa:nothing" in refused.value.details() and "snd_pcm_open" in refused.value.details()
        with pytest.raises(grpc.RpcError) as refused:
            set_output(engine, session, "alsa:odd")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE and "plughw" in refused.value.details()
        engine.stub.Load(engine_pb2.LoadRequest(session_id=session.id, source=str(clip("software/xvid.avi"))), timeout=PATIENCE)
        notice = watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "sound.unavailable",
                              "sound.unavailable")
        assert "alsa:nobody" in notice.notice.message
        watcher.cancel()
    # Messages of alsa-lib itself do not reach the log.
    assert "ALSA lib" not in engine.log.read_text()


def test_the_error_lists_every_output_that_was_tried(devices, start_engine):
    devices.configuration.write_text("")
    engine = start_engine()
    with engine.session(clip("software/mpeg2.ts")) as session:
        with pytest.raises(grpc.RpcError) as refused:
            set_output(engine, session)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert "PulseAudio" in refused.value.details() and "ALSA device default" in refused.value.details()


def test_a_device_name_cannot_define_an_alsa_plugin(shared_engine, tmp_path):
    engine, _ = shared_engine
    target = tmp_path / "touched"
    with engine.session(clip("software/mpeg2.ts")) as session:
        for name in ("file:'|touch {}',raw", "file:{}", "tee:card,{},raw", "plug:SLAVE=file:x", "{{ type null }}"):
            with pytest.raises(grpc.RpcError) as refused:
                set_output(engine, session, "alsa:" + name.format(target))
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT, name
            assert not target.exists(), name
