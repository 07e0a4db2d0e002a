# SPDX-License-Identifier: Apache-2.0
"""An ALSA device that is a plugin for a sound server: its clock and its pauses differ, and the server can die."""

import os
import subprocess

import grpc
import pytest
from harness.alsa import Devices
from harness.contract import state_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.places import ENGINECTL, clip
from harness.sound_server import sound_server
from test_control import Watcher
from test_sound_device import (  # noqa: F401
    assert_heard_to_the_end, assert_never_jumps, call, noise, now, set_output, short_noise, wait_for_phase, without_silence)

RATE = 48000


@pytest.fixture
def server(tmp_path, monkeypatch):
    with sound_server() as server:
        server.devices = Devices(tmp_path)
        monkeypatch.setenv("PULSE_SERVER", server.address)
        monkeypatch.setenv("ALSA_CONFIG_PATH", str(server.devices.configuration))
        yield server


# In the lean tier, `test_enginectl_plays_a_file_to_the_device` plays the same samples to a device.
@pytest.mark.long
def test_the_device_receives_the_samples_of_the_source(server, start_engine, short_noise):  # noqa: F811
    path, expected = short_noise
    engine = start_engine()
    with engine.session(path) as session:
        set_output(engine, session, "alsa:copied")

        def play():
            call(engine, session, "Play")
            wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
            assert abs(engine.state(session.id).position.position_us - 1_500_000) < 30

        assert_heard_to_the_end(server, expected, play)
    # Until the device is closed, alsa-lib holds back the end of the copy.
    eventually(lambda: len(server.devices.heard("copied")) >= len(expected), "the copy to be written")
    assert server.devices.heard("copied").startswith(expected)


def test_enginectl_plays_a_file_to_the_device(server, short_noise, tmp_path):  # noqa: F811
    path, expected = short_noise
    environment = dict(os.environ, XDG_RUNTIME_DIR=str(tmp_path), XDG_CACHE_HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path))
    assert_heard_to_the_end(server, expected, lambda: subprocess.run(
        [ENGINECTL, "play", path, "--sink", "device:alsa:pulse"], env=environment, check=True, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=PATIENCE))


@pytest.mark.long
def test_pausing_loses_no_samples_and_seeking_starts_at_the_target(server, start_engine, noise):  # noqa: F811
    path, expected = noise
    engine = start_engine()
    with engine.session(path) as session, server.recording("stereo") as recording:
        set_output(engine, session, "alsa:pulse")
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 1_000_000, "a second to be heard")
        call(engine, session, "Pause")
        wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
        place = now(engine, session)
        eventually(lambda: recording.loudest() == 0, "silence")
        assert settled(lambda: now(engine, session)) == place
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > place + 500_000, "it to go on")
        assert expected.startswith(without_silence(recording))
        call(engine, session, "Seek", position_us=4_000_000)
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        eventually(lambda: recording.loudest() == 0, "the silence behind it")
    heard, last = without_silence(recording), expected[4 * RATE * 8:]
    begun = heard.index(last[:800])
    # The beginning up to the seek, and then the target from its first sample on.
    assert expected.startswith(heard[:begun]) and last.startswith(heard[begun:])


@pytest.mark.long
def test_the_device_stays_silent_until_playback_starts(server, start_engine, noise):  # noqa: F811
    """After seeks in the meantime, audio begins with the first sample at the last target, however long playback was
    paused there."""
    path, expected = noise
    engine = start_engine()
    with engine.session(path) as session, server.recording("stereo") as recording:

        def assert_stays_silent():
            heard = recording.count
            eventually(lambda: recording.count > heard + RATE, "a second of the device to pass")
            assert not without_silence(recording)

        set_output(engine, session, "alsa:pulse")
        assert_stays_silent()
        # From the second stream on, the plugin tells the server how much to buffer before it starts.
        for place in (1_000_000, 4_000_000):
            call(engine, session, "Seek", position_us=place)
            assert_stays_silent()
        call(engine, session, "Play")
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        eventually(lambda: recording.loudest() == 0, "the silence behind it")
    heard, last = without_silence(recording), expected[4 * RATE * 8:]
    # Other tests check the end.
    assert len(heard) > 0.5 * RATE * 8 and last.startswith(heard)


def test_the_playhead_matches_the_audible_position(server, start_engine):
    """In a film that beeps at every whole second, the playhead is at a whole second when the device plays a beep."""
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session, server.recording("stereo") as recording:
        set_output(engine, session, "alsa:pulse")
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "it to play")
        offsets = []
        while len(offsets) < 3:
            quiet = eventually(lambda: recording.loudest(0.05) < 0.01 and recording.count, "the silence between beeps")
            loud = eventually(lambda: first_loud(recording, quiet), "a beep")
            # When the beep was heard, and where the playhead was then.
            place = now(engine, session, recording.began + loud / RATE) / 1e6
            offsets.append(place - round(place))
        # If a busy machine lets the device run dry, the next beep is late.
        assert min(map(abs, offsets)) < 0.05, offsets


def first_loud(recording, start):
    return next((start + at for at, value in enumerate(recording.channel(0, start)) if abs(value) > 0.05), None)


@pytest.mark.parametrize("is_paused", [False, pytest.param(True, marks=pytest.mark.long)])
def test_playback_continues_when_the_server_dies(server, start_engine, is_paused):
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        set_output(engine, session, "alsa:pulse")
        call(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "some of it to be heard")
        if is_paused:
            call(engine, session, "Pause")
            wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
        place = now(engine, session)
        server.kill()
        if is_paused:
            call(engine, session, "Play")
        watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "sound.lost", "sound.lost")
        eventually(lambda: now(engine, session) > place + 1_000_000, "playback to go on")
        assert engine.state(session.id).phase == state_pb2.PHASE_PLAYING
        assert_never_jumps(watcher)
        with pytest.raises(grpc.RpcError) as gone:
            set_output(engine, session, "alsa:pulse")
        assert gone.value.code() is grpc.StatusCode.UNAVAILABLE and "alsa:pulse" in gone.value.details()
        # The machine's own device takes over if no server answers.
        set_output(engine, session)
        eventually(lambda: server.devices.heard("card"), "the default device of ALSA to be heard")
        watcher.cancel()
