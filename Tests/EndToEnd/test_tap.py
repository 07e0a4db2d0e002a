# SPDX-License-Identifier: Apache-2.0
"""The audio tap delivers the samples that ffmpeg decodes, at their times and at the playhead's pace, on both paths.
Audio that a client reads too late is skipped, and the client is informed."""

import json
import subprocess
import time

import grpc
import numpy
import pytest
from harness.contract import engine_pb2, software_pb2, state_pb2, tap_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip
from harness.tiers import tiered

SECOND = 1_000_000
FORMATS = ["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts", "hevc-eac3.mkv", "vp9-opus.webm"]


def floats(data):
    return numpy.frombuffer(data, "<f4")


def reference(path):
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a:0", "-af",
                           "aresample=48000:ochl=mono:rematrix_maxval=1", "-f", "f32le", "-"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return floats(done.stdout)


def tap(engine, **fields):
    return engine.stub.TapAudio(tap_pb2.TapAudioRequest(**fields))


def samples(pieces):
    return floats(b"".join(each.samples for each in pieces))


def distance(found, expected):
    assert len(found) == len(expected) > 0
    return numpy.abs(found - expected).max()


def difference(found, expected):
    """The distance relative to the loudest sample; the lengths may differ by a frame that one of them omits at the
    end."""
    count = min(len(found), len(expected))
    assert abs(len(found) - len(expected)) <= 2048, (len(found), len(expected))
    return distance(found[:count], expected[:count])


def aligned(found, expected, place):
    """The smallest distance to the audio from `place` on, shifted by at most the millisecond to which Matroska's clock
    rounds."""
    def at(shift):
        count = min(len(found), len(expected) - place - shift)
        return distance(found[:count], expected[place + shift:place + shift + count])

    return min(at(shift) for shift in range(-50, 51))


def select_software_path(engine, session):
    request = software_pb2.SelectPathRequest(session_id=session.id, path=software_pb2.PLAYBACK_PATH_SOFTWARE)
    engine.stub.SelectPath(request, timeout=PATIENCE)


@pytest.mark.parametrize(("name", "path"), tiered(
    [(name, path) for name in FORMATS for path in ("remux", "software")], {("h264-aac.mkv", "software"), ("hevc-eac3.mkv", "remux")}))
def test_tapped_audio_matches_ffmpeg(engine, name, path):
    with engine.session(clip(name)) as session:
        if path == "software":
            select_software_path(engine, session)
        pieces = list(tap(engine, unpaced=True))
    assert pieces[0].discontinuity and not any(each.discontinuity for each in pieces[1:])
    time_us = pieces[0].time_us
    for piece in pieces:
        assert abs(piece.time_us - time_us) <= 1
        time_us = piece.time_us + len(piece.samples) // 4 * SECOND / 48000
    assert difference(samples(pieces), reference(clip(name))) < 1e-4


@pytest.mark.parametrize("name", tiered(["h264-aac.mkv", "h264-aac.ts", "vp9-opus.webm"], {"h264-aac.ts"}))
def test_audio_tapped_from_midway_is_in_time(engine, name):
    with engine.session(clip(name)):
        whole = list(tap(engine, unpaced=True))
        for start in (1_234_567, 4_000_000):
            part = list(tap(engine, unpaced=True, start_us=start))
            assert part[0].discontinuity and abs(part[0].time_us - start) < 50_000
            skipped = round((part[0].time_us - whole[0].time_us) * 48000 / SECOND)
            # A decoder that starts midway needs some time to converge with one that started earlier.
            settled = 9600
            found = samples(part)[settled:settled + 96000]
            assert aligned(found, samples(whole), skipped + settled) < 2e-3


def test_a_paced_tap_follows_the_playhead(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        stream = tap(engine, session_id=session.id)
        engine.stub.Play(engine_pb2.SessionRequest(), timeout=PATIENCE)
        reached = 0
        for piece in stream:
            reached = piece.time_us + len(piece.samples) // 4 * SECOND // 48000
            position = engine.state(session.id).position
            playhead = position.position_us + position.rate * (time.monotonic_ns() - position.monotonic_ns) / 1000
            # The lead, and one piece of audio.
            assert piece.time_us <= playhead + 500_000 + 20_000
            if reached > 1_500_000:
                break
        engine.stub.Pause(engine_pb2.SessionRequest(), timeout=PATIENCE)
        paused = engine.state(session.id).position.position_us
        # Pieces in flight still arrive; nothing follows beyond the lead. A seek ends the wait.
        seek = engine_pb2.SeekRequest(position_us=5 * SECOND, after=engine_pb2.AFTER_SEEK_PLAY)
        threshold = paused + 500_000 + 150_000
        engine.stub.Seek(seek, timeout=PATIENCE)
        for piece in stream:
            if piece.discontinuity:
                break
            assert piece.time_us <= threshold
        assert 5 * SECOND - 50_000 <= piece.time_us <= 10 * SECOND and piece.skipped_us == 0
        expected = reference(clip("h264-aac.mkv"))
        following = [next(stream) for _ in range(5)]
        first = round(following[1].time_us * 48000 / SECOND)
        found = samples(following[1:])
        assert aligned(found, expected, first) < 2e-3
        stream.cancel()


def test_a_slow_client_is_informed_of_skipped_audio(engine, tmp_path):
    film = tmp_path / "long.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "20", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    film], check=True)
    channel = engine.connect(("grpc.http2.lookahead_bytes", 16384), ("grpc.http2.bdp_probe", 0))
    stub = engine.stub.__class__(channel)
    # Playback at sixteen times normal speed fills the connection's windows sooner.
    with engine.session(film, rate_range=state_pb2.RateRange(min=0, max=16)) as session:
        stream = stub.TapAudio(tap_pb2.TapAudioRequest(session_id=session.id))
        engine.stub.Play(engine_pb2.SessionRequest(), timeout=PATIENCE)
        first = next(stream)
        assert first.discontinuity
        # Enough seconds without reading to fill the windows, and some more.
        engine.stub.SetRate(engine_pb2.SetRateRequest(rate=16), timeout=PATIENCE)
        eventually(lambda: engine.state(session.id).position.position_us > 0 and _playhead(engine, session) > 40 * SECOND,
                   "the playhead to be far ahead")
        end = first.time_us + len(first.samples) // 4 * SECOND / 48000
        for piece in stream:
            if piece.discontinuity:
                assert piece.skipped_us >= 2 * SECOND
                assert abs(end + piece.skipped_us - piece.time_us) < 50_000
                break
            end = piece.time_us + len(piece.samples) // 4 * SECOND / 48000
        stream.cancel()
    channel.close()


def _playhead(engine, session):
    position = engine.state(session.id).position
    return position.position_us + position.rate * (time.monotonic_ns() - position.monotonic_ns) / 1000


def test_invalid_taps_are_refused_and_taps_end_with_the_session(engine):
    def status(**fields):
        with pytest.raises(grpc.RpcError) as caught:
            next(tap(engine, **fields))
        return caught.value.code()

    assert status(session_id="none") == grpc.StatusCode.NOT_FOUND
    with engine.session(clip("h264-aac.mkv")) as session:
        assert status(lead_us=-1) == grpc.StatusCode.INVALID_ARGUMENT
        assert status(lead_us=11 * SECOND) == grpc.StatusCode.INVALID_ARGUMENT
        assert status(start_us=1) == grpc.StatusCode.INVALID_ARGUMENT
        streams = [tap(engine, session_id=session.id) for _ in range(4)]
        eventually(lambda: engine.thread_names().count("audio tap") == 4, "four to listen")
        assert status(session_id=session.id) == grpc.StatusCode.RESOURCE_EXHAUSTED
        streams.pop().cancel()
        eventually(lambda: not _is_refused(engine, session), "one place to be free")
    assert all(not list(stream) for stream in streams)


def _is_refused(engine, session):
    stream = tap(engine, session_id=session.id, unpaced=True)
    try:
        next(stream)
        return False
    except grpc.RpcError as error:
        return error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    finally:
        stream.cancel()


def test_enginectl_writes_a_wav_file(engine, tmp_path):
    output = tmp_path / "sound.wav"
    with engine.session(clip("hevc-eac3.mkv")):
        done = subprocess.run([ENGINECTL, "tap", "--socket", engine.socket, "--all", "--json", "--wav", output], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    pieces = [json.loads(line) for line in done.stdout.splitlines()]
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", output, "-f", "f32le", "-"], stdin=subprocess.DEVNULL,
                         capture_output=True, check=True).stdout
    found = floats(raw)
    assert len(found) == sum(each["samples"] for each in pieces)
    assert difference(found, reference(clip("hevc-eac3.mkv"))) < 1e-4
