# SPDX-License-Identifier: Apache-2.0
"""A front-end reads decoded audio from shared memory: its samples, its clock as the master, and what happens if it
misbehaves."""

import contextlib
import os
import select
import signal
import subprocess
import time

import grpc
import numpy
import pytest
from harness.contract import engine_pb2, frames_pb2, media_pb2, state_pb2, tap_pb2
from harness.engine import PATIENCE, Session, eventually
from harness.frames import Ended, attached_frames, attached_sound, play, samples
from harness.places import clip
from harness.tiers import tiered


# The speed of a device in tests that only have to reach the end. The front-end's clock leads, so the engine keeps up
# with it.
FAST = 12


def position(engine, session):
    return engine.state(session.id).position


def place(engine, session, at=None):
    """The position of the playhead now, or at a moment of the monotonic clock."""
    current = position(engine, session)
    return current.position_us + ((at or time.monotonic_ns()) - current.monotonic_ns) / 1000 * current.rate


class Player:
    """Plays the available samples like a device that runs at `speed` times real time."""

    def __init__(self, sound, speed=1.0):
        self.sound, self.speed = sound, speed
        self.heard = bytearray()
        self.played = 0
        # When it began to play without a break, and when it last reported the consumed samples.
        self.began = self.moment = None

    def step(self):
        """Consumes the samples that a device would have played by now, and reports that."""
        sound, now = self.sound, time.monotonic_ns()
        if not sound.is_running:
            self.began = None
            return time.sleep(0.005)
        if self.began is None:
            self.began = now, self.played
        moment, base = self.began
        due = base + int((now - moment) / 1e9 * sound.rate * self.speed) - self.played
        # A device plays evenly: a delay is not made up for at once.
        due = min(due, int(sound.rate * self.speed) // 20)
        if due > 0:
            data = sound.take_samples(due)
            self.heard += data
            self.played += len(data) // sound.frame_bytes
            self.moment = now
            sound.report(sound.consumed, now)
            sound.ask()
        time.sleep(0.01)

    def until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "the sound stopped"
            self.step()


def test_a_client_that_never_reports_room_receives_all_audio(engine, monkeypatch):
    path = clip("software/qtrle.mov")
    # The ring is filled sixty times: if the engine looked at it only when the front-end seems to be gone, it would take
    # minutes.
    with engine.session(path) as session, attached_sound(engine, session.id, format=frames_pb2.PCM_FORMAT_S16, buffer_us=100_000) as sound:
        monkeypatch.setattr(sound, "ask", lambda: None)
        play(engine, session)
        player = Player(sound, FAST)
        player.until(lambda: sound.has_ended and (sound.consumed == sound.written or not sound.is_running))
        player.heard += sound.take_samples()
    assert bytes(player.heard).startswith(samples(path, "pcm_s16le"))


@pytest.mark.parametrize("form, codec", tiered([(frames_pb2.PCM_FORMAT_S16, "pcm_s16le"), (frames_pb2.PCM_FORMAT_F32, "pcm_f32le")], {(frames_pb2.PCM_FORMAT_F32, "pcm_f32le")}))
def test_samples_match_ffmpeg(engine, form, codec):
    path = clip("software/qtrle.mov")
    with engine.session(path) as session, attached_sound(engine, session.id, format=form) as sound:
        assert (sound.rate, sound.channels, sound.layout) == (48000, 1, "mono")
        play(engine, session)
        player = Player(sound, FAST)
        player.until(lambda: sound.has_ended and (sound.consumed == sound.written or not sound.is_running))
        player.heard += sound.take_samples()
    expected = samples(path, codec)
    # Silence may follow for as long as the video lasts.
    assert bytes(player.heard[:len(expected)]) == expected
    assert not any(player.heard[len(expected):]) and len(player.heard) - len(expected) < sound.rate // 2 * sound.frame_bytes


# `SoftwareRendererTests` has a loop with frames.
@pytest.mark.parametrize("buffer_us, with_pictures", [
    (0, False), *(pytest.param(each, True, marks=pytest.mark.long) for each in (0, 300_000, 5_000_000)),
])
def test_a_loop_plays_without_a_gap(engine, buffer_us, with_pictures):
    path = clip("software/qtrle.mov")
    lap_samples = samples(path, "pcm_s16le")
    assert len(lap_samples) == 6 * 48000 * 2
    # The end of one pass, a whole pass, and the start of the next.
    begin = 5.5
    expected = lap_samples[int(begin * 48000) * 2:] + 2 * lap_samples
    requested = dict(format=frames_pb2.PCM_FORMAT_S16, buffer_us=buffer_us)
    pace = frames_pb2.FRAME_PACE_REALTIME
    with contextlib.ExitStack() as stack:
        session = Session(engine, engine.stub.Load(
            engine_pb2.LoadRequest(source=str(path), start_position_us=int(begin * 1e6)), timeout=PATIENCE))
        stack.callback(session.stop)
        if with_pictures:
            stack.enter_context(attached_frames(engine, session.id, pace=pace))
        sound = stack.enter_context(attached_sound(engine, session.id, **requested))
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)
        play(engine, session)
        # Audio does not wait for frames that are decoded too late, so there has to be time for them.
        player = Player(sound, 1 if with_pictures else FAST)
        player.until(lambda: len(player.heard) > len(expected) - len(lap_samples) * 9 // 10)
    count = len(player.heard) // 2
    ours, theirs = numpy.frombuffer(player.heard, "<i2"), numpy.frombuffer(expected, "<i2")[:count]
    wrong = numpy.flatnonzero(ours != theirs)
    assert not len(wrong), f"{len(wrong)} of {count} samples differ, from {wrong[0]} on"


def test_the_last_frame_is_shown_for_its_full_duration(engine):
    path = clip("software/qtrle.mov")
    with engine.session(path) as session, attached_sound(engine, session.id) as sound, \
            attached_frames(engine, session.id, pace=frames_pb2.FRAME_PACE_REALTIME) as frames:
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=5_000_000), timeout=PATIENCE)
        play(engine, session)
        player, shown = Player(sound), None

        def look():
            nonlocal shown
            frames.ask()
            while select.select([frames.socket], [], [], 0)[0]:
                frames.receive()
            clock = frames.clock()
            if clock and clock[3] == frames.generation:
                shown = frames.newest(clock[0] + int((time.monotonic_ns() - clock[2]) / 1000 * clock[1]), shown)
            return engine.state(session.id).phase == state_pb2.PHASE_ENDED
        player.until(look)
        # Playback did not end before a device that plays on had played the whole second.
        assert player.played + (time.monotonic_ns() - player.moment) / 1e9 * sound.rate >= sound.rate
        state = engine.state(session.id)
        assert state.position.position_us == state.duration_us == 6_000_000
        look()
        assert shown.time_us == 5_960_000 and shown.time_us + shown.duration_us == 6_000_000


def test_blocks_have_their_presentation_times(engine):
    with engine.session(clip("software/qtrle.mov")) as session:
        with attached_sound(engine, session.id, buffer_us=2_000_000) as sound:
            eventually(lambda: sound.written >= sound.rate, "a second of sound ahead")
            first = sound.generation
            blocks = sound.blocks()
            for (_, generation, begin, count, at, _), (_, _, following, _, later, _) in zip(blocks, blocks[1:]):
                assert generation == first and following == begin + count
                assert abs(later - at - count * 1e6 / sound.rate) <= 2
            engine.stub.Seek(
                engine_pb2.SeekRequest(session_id=session.id, position_us=3_000_000), timeout=PATIENCE)
            eventually(lambda: any(each[1] != first for each in sound.blocks()), "sound of another generation")
            begun = next(each for each in sound.blocks() if each[1] == sound.generation)
            assert abs(begun[4] - 3_000_000) < 30_000 and begun[2] == sound.read("Q", 144)


@pytest.mark.parametrize("speed", tiered([0.8, 1.25], {1.25}))
def test_the_playhead_follows_the_client_clock(engine, speed):
    with engine.session(clip("software/qtrle.mov")) as session, attached_sound(engine, session.id) as sound:
        play(engine, session)
        player = Player(sound, speed)
        player.until(lambda: player.played > sound.rate // 2)
        for _ in range(3):
            first = player.played
            player.until(lambda: player.played - first > sound.rate * speed)
            apart = place(engine, session, player.moment) - player.played * 1e6 / sound.rate
            # A playhead that followed real time would deviate further at each step.
            if abs(apart) < 100_000:
                return
    raise AssertionError(f"the playhead is {apart} microseconds from what is heard")


def test_the_requested_format_is_delivered(engine):
    requested = dict(format=frames_pb2.PCM_FORMAT_F32, rate=44100, layout="5.1(side)")
    with engine.session(clip("software/qtrle.mov")) as session, attached_sound(engine, session.id, **requested) as sound:
        assert (sound.rate, sound.channels, sound.layout, sound.frame_bytes) == (44100, 6, "5.1(side)", 24)
        eventually(lambda: sound.written > 4410, "sound ahead")


@pytest.mark.parametrize("name, layout", tiered([
    ("formats/ac3.mkv", "5.1(side)"), ("formats/eac3.mkv", "5.1(side)"), ("formats/dts.mkv", "5.1(side)"),
    ("formats/flac.mkv", "5.1"), ("formats/aac-5.1.mkv", "5.1"), ("formats/pcm_6.1.mkv", "6.1"), ("formats/opus-7.1.mkv", "7.1"),
], {("formats/ac3.mkv", "5.1(side)"), ("formats/opus-7.1.mkv", "7.1")}))
def test_the_channel_layout_is_taken_from_the_decoder(engine, name, layout):
    # Most of these containers only have the number of channels.
    with engine.session(clip(name)) as session, attached_sound(engine, session.id) as sound:
        described = next(each.audio for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO)
        assert sound.layout == described.channel_layout == layout


@pytest.mark.long
def test_missing_audio_packets_do_not_shift_later_audio(engine, tmp_path):
    # One packet of 32 ms in a hundred is missing: 19 of them are more than half a second.
    whole, film = tmp_path / "whole.mkv", tmp_path / "film.mkv"
    beeps = ("aevalsrc=exprs='if(lt(mod(t,1),0.05),0.8*sin(2*PI*1000*mod(t,1)),0.01*sin(2*PI*100*t))'"
             ":channel_layout=stereo:sample_rate=48000:duration=62")
    for source, options in ((["-f", "lavfi", "-i", beeps], ["-c:a", "ac3"]),
                            (["-i", whole], ["-c", "copy", "-bsf:a", "noise=drop='eq(mod(n\\,100)\\,50)'"])):
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *source, *options, whole if "ac3" in options else film],
                       check=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    with engine.session(film) as session:
        pieces = list(engine.stub.TapAudio(tap_pb2.TapAudioRequest(session_id=session.id, unpaced=True)))
    onsets, quiet = [], 0
    for piece in pieces:
        for index in numpy.flatnonzero(numpy.abs(numpy.frombuffer(piece.samples, "<f4")) > 0.2):
            at = piece.time_us / 1e6 + index / 48000
            if at > quiet:
                onsets.append(at)
            quiet = at + 0.3
    assert len(onsets) > 55
    # The encoder's delay before the first sample, which Matroska does not store, is included; audio in the missing
    # packets is not heard.
    delay = 256 / 48000
    late = [onset - round(onset) - delay for onset in onsets if abs(onset - round(onset) - delay) > 0.002]
    assert len(late) < 8 and all(0 < each < 0.04 for each in late), late


def test_changes_made_while_paused_apply_on_resume(engine):
    path = clip("software/qtrle.mov")
    with engine.session(path) as session, attached_sound(engine, session.id, buffer_us=2_000_000) as sound:
        request = engine_pb2.SessionRequest(session_id=session.id)
        play(engine, session)
        player = Player(sound)
        player.until(lambda: player.played > sound.rate // 5)
        engine.stub.Pause(request, timeout=PATIENCE)
        player.until(lambda: not sound.is_running)
        first = sound.generation
        # The ring holds further audio with the old volume.
        eventually(lambda: sound.written - sound.consumed > sound.rate, "a second of sound ahead")
        engine.stub.SetMuted(engine_pb2.SetMutedRequest(session_id=session.id, muted=True), timeout=PATIENCE)
        eventually(lambda: sound.generation != first, "the ring to be given it anew")
        begun = position(engine, session).position_us
        block = eventually(lambda: next((each for each in sound.blocks() if each[1] == sound.generation), None), "a block")
        assert abs(block[4] - begun) < 1000
        player.heard.clear()
        play(engine, session)
        player.until(lambda: len(player.heard) > sound.rate // 2 * sound.frame_bytes)
        # As floats, because there are two zeros.
        assert not numpy.frombuffer(player.heard, "<f4").any()


@pytest.mark.parametrize("requested", [
    dict(rate=100), dict(rate=1 << 31), dict(layout="nothing"), dict(buffer_us=1), dict(buffer_us=-1), dict(format=5),
])
def test_invalid_attachment_options_are_refused(engine, requested):
    with engine.session(clip("software/qtrle.mov")) as session, pytest.raises(grpc.RpcError) as refusal:
        with attached_sound(engine, session.id, **requested):
            pass
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT


# This test takes three seconds. The unit tests of the ring check the limit.
@pytest.mark.long
def test_a_client_that_takes_no_audio_is_detached(engine):
    with engine.session(clip("software/qtrle.mov")) as session, attached_sound(engine, session.id, buffer_us=300_000) as sound:
        play(engine, session)
        with pytest.raises(Ended) as end:
            while True:
                sound.ask()
                sound.receive()
        assert end.value.reason in (3, 0)
        first = place(engine, session)
        eventually(lambda: place(engine, session) > first + 100_000, "playback to go on")


def test_a_suspended_engine_keeps_its_attachments(engine):
    with engine.session(clip("software/qtrle.mov")) as session, attached_sound(engine, session.id) as sound:
        os.kill(engine.pid, signal.SIGSTOP)
        try:
            # More than a socket holds.
            for _ in range(5000):
                sound.ask()
        finally:
            os.kill(engine.pid, signal.SIGCONT)
        play(engine, session)
        player = Player(sound)
        player.until(lambda: player.played > sound.rate)


def test_a_corrupted_control_page_is_ignored(engine):
    with engine.session(clip("software/qtrle.mov")) as session, attached_sound(engine, session.id) as sound:
        play(engine, session)
        end = time.monotonic() + 1
        number = 1
        while time.monotonic() < end:
            number = number * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            sound.control[0:4096] = number.to_bytes(8, "little") * 512
            if select.select([sound.socket], [], [], 0.001)[0]:
                break
        where = position(engine, session)
        assert 0 <= where.position_us <= 6_100_000
    assert engine.is_alive()
