# SPDX-License-Identifier: Apache-2.0
"""Recordings contain every frame and every sample of what a session plays, in a file that other programs read."""

import json
import os
import subprocess

import grpc
import pytest
from harness import hls, origin
from harness.channels import channel, make_stream, offset_at
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip
from harness.watching import Notices
from test_source_cache import small_disk
from test_live_transport import MARGIN, announced

RUNNING, ENDED, FAILED = (
    state_pb2.RECORDING_PHASE_RUNNING, state_pb2.RECORDING_PHASE_ENDED, state_pb2.RECORDING_PHASE_FAILED)


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return make_stream(tmp_path_factory.mktemp("recorded") / "channel.ts")


def start(session, path, position=None):
    place = None if position is None else engine_pb2.RecordingStart(position_us=position)
    request = engine_pb2.StartRecordingRequest(session_id=session.id, path=str(path), start=place)
    return session.engine.stub.StartRecording(request, timeout=PATIENCE).state.recording


def stop(session):
    request = engine_pb2.SessionRequest(session_id=session.id)
    return session.engine.stub.StopRecording(request, timeout=PATIENCE).state.recording


def recording(session):
    return session.engine.state(session.id).recording


def lasts(session, seconds):
    """Whether this much is recorded. The first frame of the streams here is shown some hundredths of a second late."""
    return abs(recording(session).duration_us / 1e6 - seconds) < 0.1


def frames(path, start=0.0):
    """The hash of each decoded frame of the video from a time on."""
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-ss", str(start), "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"],
        check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert not done.stderr, done.stderr
    return [line.rsplit(",", 1)[1].strip() for line in done.stdout.splitlines() if not line.startswith("#")]


def payload(path, stream="0:a:0"):
    return subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-map", stream, "-c", "copy", "-f", "data", "-"],
        check=True, capture_output=True, timeout=PATIENCE).stdout


def served(session, tmp_path, name, count):
    """A rendition as players receive it."""
    path = tmp_path / f"{name}.mp4"
    files = ["init.mp4", *(f"{index}.m4s" for index in range(count))]
    path.write_bytes(b"".join(hls.fetch(session.url.replace("master.m3u8", f"{name}/{each}")) for each in files))
    return path


def probe(path):
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_entries", "stream=codec_type,codec_name:format=duration,start_time", path],
        check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert not done.stderr
    return json.loads(done.stdout)


def refused(call):
    with pytest.raises(grpc.RpcError) as failure:
        call()
    return failure.value.code(), failure.value.details()


def test_a_live_stream_is_recorded_while_it_arrives(engine, stream, tmp_path):
    path, source = tmp_path / "film.mp4", tmp_path / "channel.ts"
    source.write_bytes(stream)
    with channel(stream, offset_at(stream, 6 + MARGIN)) as sender, engine.session(sender.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 6, "the first segments")
        found = start(session, path, position=0)
        assert found.phase == RUNNING and found.path == str(path) and found.byte_count > 0 and found.start_us == 0
        sender.send(offset_at(stream, 12 + MARGIN))
        eventually(lambda: lasts(session, 12), lambda: recording(session))
        # The part written so far can already be read.
        assert len(frames(path)) == 300
        found = stop(session)
        assert found.phase == ENDED and lasts(session, 12)
        assert os.stat(path).st_size >= found.byte_count
        sender.send(offset_at(stream, 16 + MARGIN))
        eventually(lambda: round(sum(announced(session)), 1) == 16, "the stream goes on")
        assert recording(session) == found
        assert payload(path) == payload(served(session, tmp_path, "audio-1", 6))
    assert frames(path) == frames(source)[:300]
    facts = probe(path)
    assert [each["codec_name"] for each in facts["streams"]] == ["h264", "aac"]
    assert abs(float(facts["format"]["duration"]) - 12) < 0.2 and abs(float(facts["format"]["start_time"])) < 0.1


@pytest.mark.long
def test_a_film_is_recorded_to_its_end_and_players_seek_in_it(engine, tmp_path):
    path, source = tmp_path / "film.mp4", clip("h264-aac.mkv")
    with engine.session(source) as session:
        start(session, path)
        eventually(lambda: recording(session).phase == ENDED, lambda: recording(session))
        found = recording(session)
        media = engine.state(session.id)
        assert found.duration_us == media.duration_us or abs(found.duration_us - media.duration_us) < 100_000
    everything = frames(source)
    assert frames(path) == everything
    # The index lets players seek.
    middle = float(probe(path)["format"]["duration"]) * 0.6
    assert frames(path, middle)[-20:] == everything[-20:]
    assert len(frames(path, middle)) < len(everything) * 0.6
    subprocess.run(["mpv", "--no-config", "--no-terminal", "--vo=null", "--no-audio", "--untimed", path], check=True, timeout=PATIENCE)


@pytest.mark.long
def test_a_recording_begins_at_the_playhead_or_a_given_time(engine, tmp_path):
    source = clip("h264-aac.mkv")
    with engine.session(source) as session:
        at = hls.Media(session.master().variants[0][1]).segments
        begin = sum(each.duration for each in at[:2])
        found = start(session, tmp_path / "later.mp4", position=int(begin * 1e6) + 100_000)
        assert abs(found.start_us / 1e6 - begin) < 0.01
        eventually(lambda: recording(session).phase == ENDED, lambda: recording(session))
    later, everything = frames(tmp_path / "later.mp4"), frames(source)
    assert 0 < len(later) < len(everything) and later == everything[-len(later):]
    assert abs(float(probe(tmp_path / "later.mp4")["format"]["start_time"])) < 0.1


@pytest.mark.long
def test_text_is_written_beside_the_film(engine, tmp_path):
    source = clip("subtitled.mkv")
    with engine.session(source) as session:
        start(session, tmp_path / "film.mp4")
        eventually(lambda: recording(session).phase == ENDED, lambda: recording(session))
        paths = list(recording(session).subtitle_paths)
        texts = [track for track in engine.state(session.id).subtitle_tracks if track.text]
    assert len(paths) == len(texts) and all(path.endswith(".srt") for path in paths)
    for number, path in enumerate(paths):
        ours = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "webvtt", "-"], check=True, capture_output=True, text=True)
        index = [each.id for each in texts][number]
        theirs = subprocess.run(["ffmpeg", "-v", "error", "-i", source, "-map", f"0:{index}", "-f", "srt", "-"], check=True,
                                capture_output=True, text=True).stdout
        times = [line for line in theirs.splitlines() if "-->" in line]
        assert [line for line in open(path).read().splitlines() if "-->" in line] == times and ours.stdout


@pytest.mark.long
def test_the_end_does_not_wait_for_text_that_never_arrives(engine, tmp_path):
    data = clip("subtitled.mkv").read_bytes()
    notices = Notices(engine)
    with open(tmp_path / "growing.mkv", "wb") as out:
        out.write(data[:len(data) * 2 // 3])
        out.flush()
        with engine.session(tmp_path / "growing.mkv") as session:
            start(session, tmp_path / "film.mp4", position=0)
            planned = engine.state(session.id).production.planned_segments
            eventually(lambda: recording(session).duration_us > 0, "the segments")
            found = stop(session)
            assert found.phase == ENDED and planned > 0
            assert found.subtitle_paths or "recording.gap" in notices.codes
    assert frames(tmp_path / "film.mp4")
    notices.end()


@pytest.fixture(scope="module")
def long_film(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    path], check=True)
    return path


def record_until_silence(engine, server, session, path):
    """Records a film from a server that sends nothing beyond its middle."""
    def respond(handler, request):
        if server.part(request)[1] >= len(server.film) // 2:
            return server.released.wait()
        return server.serve(handler, request)
    server.respond = respond
    engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
    start(session, path, position=0)
    eventually(lambda: engine.state(session.id).source_wait == "silent", "the silence of the server")


@pytest.mark.long
def test_the_end_does_not_wait_for_a_silent_server(start_engine, long_film, tmp_path):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(long_film) as server:
        session, notices = engine.load(server.url), Notices(engine)
        record_until_silence(engine, server, session, tmp_path / "film.mp4")
        found = stop(session)
        assert found.phase == ENDED and found.duration_us > 0
        eventually(lambda: "recording.gap" in notices.codes, lambda: notices.codes)
        notices.end()
        assert frames(tmp_path / "film.mp4")
        # The end of the engine does not wait either.
        start(session, tmp_path / "other.mp4", position=0)
        engine.end()
    assert frames(tmp_path / "other.mp4") and b"sidx" in (tmp_path / "other.mp4").read_bytes()[:20_000]


@pytest.mark.long
def test_the_engine_ends_while_a_recording_waits_for_its_source_to_open(start_engine, long_film, tmp_path):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(long_film) as server:
        session = engine.load(server.url)
        record_until_silence(engine, server, session, tmp_path / "film.mp4")
        engine.kill()
        server.respond = lambda *_: server.released.wait()
        session.engine = engine = start_engine("--cache-disk-bytes", "off", directory=engine.directory)
        eventually(lambda: engine.state(session.id).source_wait == "silent", "the silence of the server")
        assert stop(session).phase == ENDED
        engine.end()


def test_bad_requests_are_refused(engine, tmp_path):
    taken = tmp_path / "taken.mp4"
    taken.write_bytes(b"mine")
    with engine.session(clip("h264-aac.mkv")) as session:
        for path, code, word in (
                (taken, grpc.StatusCode.FAILED_PRECONDITION, "recording_failed"),
                (tmp_path / "none" / "film.mp4", grpc.StatusCode.FAILED_PRECONDITION, "recording_failed"),
                ("film.mp4", grpc.StatusCode.INVALID_ARGUMENT, "path"), ("", grpc.StatusCode.INVALID_ARGUMENT, "path"),
                (f"{tmp_path}/", grpc.StatusCode.INVALID_ARGUMENT, "path")):
            status, text = refused(lambda: start(session, path))
            assert status == code and word in text, (path, text)
        assert taken.read_bytes() == b"mine" and not session.engine.state(session.id).HasField("recording")
        assert refused(lambda: stop(session)) == (
            grpc.StatusCode.FAILED_PRECONDITION, f"recording_failed: session {session.id} is not being recorded")


@pytest.mark.long
def test_one_recording_at_a_time_which_ends_with_the_session(engine, stream, tmp_path):
    with channel(stream, offset_at(stream, 6 + MARGIN)) as sender:
        session = engine.load(sender.url)
        eventually(lambda: round(sum(announced(session)), 1) == 6, "the first segments")
        start(session, tmp_path / "one.mp4", position=0)
        assert refused(lambda: start(session, tmp_path / "two.mp4"))[0] == grpc.StatusCode.RESOURCE_EXHAUSTED
        eventually(lambda: lasts(session, 6), "the segments")
        session.stop()
        # The index comes last.
        eventually(lambda: b"sidx" in (tmp_path / "one.mp4").read_bytes()[:20_000], "the end of the file")
    assert len(frames(tmp_path / "one.mp4")) == 150 and not (tmp_path / "two.mp4").exists()


@pytest.mark.long
def test_another_load_ends_the_recording(start_engine, stream, tmp_path):
    engine = start_engine()
    with channel(stream, offset_at(stream, 6 + MARGIN)) as sender:
        session = engine.load(sender.url)
        start(session, tmp_path / "film.mp4", position=0)
        engine.stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), session_id=session.id), timeout=PATIENCE)
        eventually(lambda: recording(session).phase == ENDED, lambda: recording(session))
    # The next process does not record either.
    engine.kill()
    engine = start_engine(directory=engine.directory)
    state = eventually(lambda: (found := engine.state(session.id)).HasField("media") and found, "the session")
    assert state.source == str(clip("h264-aac.mkv")) and not state.HasField("recording")
    assert frames(tmp_path / "film.mp4") and not (tmp_path / "film-2.mp4").exists()


def test_a_killed_engine_continues_in_another_file(start_engine, stream, tmp_path):
    path = tmp_path / "film.mp4"
    with channel(stream, offset_at(stream, 6 + MARGIN)) as sender:
        engine = start_engine()
        session = engine.load(sender.url)
        start(session, path, position=0)
        eventually(lambda: lasts(session, 6), "the segments")
        engine.kill()
        engine = start_engine(directory=engine.directory)
        eventually(lambda: engine.state(session.id).recording.path == str(tmp_path / "film-2.mp4")
                   and engine.state(session.id).recording.duration_us > 0, "the second file")
        found = engine.state(session.id).recording
        assert list(found.earlier_paths) == [str(path)] and found.phase == RUNNING
        request = engine_pb2.SessionRequest(session_id=session.id)
        assert engine.stub.StopRecording(request, timeout=PATIENCE).state.recording.phase == ENDED
    assert len(frames(path)) == 150 and frames(tmp_path / "film-2.mp4")


@pytest.mark.long
def test_a_full_disk_ends_the_recording_with_what_fits(engine, tmp_path):
    everything = frames(clip("h264-aac.mkv"))
    with small_disk(tmp_path / "disk", "size=600k") as disk:
        with engine.session(clip("h264-aac.mkv")) as session:
            start(session, disk / "film.mp4")
            eventually(lambda: recording(session).phase == FAILED, lambda: recording(session))
            error = recording(session).error
            assert error.code == "recording_failed" and "No space left" in error.cause
            # A recording that cannot begin leaves no file.
            status, text = refused(lambda: start(session, disk / "other.mp4"))
            assert status == grpc.StatusCode.FAILED_PRECONDITION and "No space left" in text
            assert [each.name for each in disk.iterdir()] == ["film.mp4"]
        found = frames(disk / "film.mp4")
        assert found and found == everything[:len(found)]
        assert b"sidx" in (disk / "film.mp4").read_bytes()[:20_000]


@pytest.mark.long
def test_enginectl_records(engine, tmp_path):
    def run(*arguments):
        environment = dict(os.environ, ENGINED_SOCKET=str(engine.socket))
        return subprocess.run([ENGINECTL, "record", *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True,
                              timeout=PATIENCE)
    with engine.session(clip("h264-aac.mkv")) as session:
        select = ["--session", session.id]
        assert run(*select).stdout == "not recorded\n"
        done = run("start", *select, "--from", "0:00", "film.mp4")
        assert done.returncode == 0 and "film.mp4" in done.stdout, done
        eventually(lambda: recording(session).phase == ENDED, lambda: recording(session))
        assert run(*select).stdout.startswith("recorded ")
        assert json.loads(run(*select, "--json").stdout)["path"] == str(tmp_path / "film.mp4")
        again = run("start", *select, "film.mp4")
        assert again.returncode != 0 and "exists" in again.stderr.lower(), again
        assert run("stop", *select).returncode != 0
