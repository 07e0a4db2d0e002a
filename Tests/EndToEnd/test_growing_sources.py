# SPDX-License-Identifier: Apache-2.0
"""Growing sources: those of servers without ranges, and files that are still being written. Their playlists grow,
announced segments stay, and after the end everything equals the finished file on disk."""

import contextlib
import os
import subprocess

import grpc
import pytest
from harness import growing, hls, origin
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import digest
from harness.places import FIXTURES, clip
from harness.stills import snapshot, source, thumbnail
from harness.tiers import tiered

KINDS = [
    "h264-aac.mkv", "h264-aac.mp4", "h264-aac-moov-last.mp4", "h264-aac-fragmented.mp4", "h264-aac.ts", "h264-aac.flv",
    "h264-aac.avi", "vp9-opus.webm", "hevc-eac3.mkv", "several.mkv", "vfr.mp4", "nonzero-start.ts", "audio.mp3", "audio.flac",
    "audio-flac.ogg", "raw.h264",
]
LEAN = {"h264-aac.mkv", "h264-aac.avi", "h264-aac-fragmented.mp4", "h264-aac.ts"}
# By file name, how many times the clip is repeated. Segments of transport streams and FLV are announced only when 24
# more seconds have arrived.
RECORDED = {"film.ts": 3, "film.flv": 3, "film.mkv": 1, "fragmented.mp4": 1, "film.mp3": 1}
FAULTS = {
    "broken off once": dict(drop=500_000),
    "broken off once, of unknown length": dict(drop=500_000, sized=False),
    "always broken off": dict(drop=500_000, always=True),
    "shorter than it says": dict(length=5_000_000),
}


@pytest.fixture(scope="module")
def server():
    with growing.plain_server(FIXTURES) as url:
        yield url


@pytest.fixture(scope="module")
def long_films(tmp_path_factory):
    """About 40 MB each: more than the smallest window. One is MPEG-TS, and one has its index at the end."""
    folder = tmp_path_factory.mktemp("films")
    for name, options in (("long.ts", []), ("long.mkv", []), ("long.mp4", [])):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-stream_loop", "40", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
             *options, folder / name], check=True)
    return folder


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def announced(session):
    """Digests of the video segments that are announced now."""
    playlist = hls.Media(session.master().playlists()[0])
    return playlist, [digest(segment.url) for segment in playlist.segments]


@pytest.fixture
def patient_engine(start_engine):
    """An engine for which a recording ends only when its writer closes it."""
    return start_engine("--recording-timeout", "3600")


def refusal(call):
    with pytest.raises(grpc.RpcError) as failure:
        call()
    return failure.value.details()


def wait_for_end(engine, session):
    return eventually(lambda: not (state := engine.state(session.id)).growing and state, "the source to end")


@contextlib.contextmanager
def forward(path, **options):
    """A server that delivers a film only from start to end."""
    with origin.origin(path) as film:
        film.respond = growing.Forward(film, **options)
        yield film


@pytest.mark.parametrize("name", tiered(KINDS, LEAN))
def test_a_server_without_ranges_is_served_like_the_local_file(engine, server, name):
    path = str(clip(name))
    with engine.session(path) as here, engine.session(f"{server}/{name}") as there:
        state = wait_for_end(engine, there)
        assert digests(there) == digests(here)
        assert state.production.plan_complete and state.duration_us == engine.state(here.id).duration_us
        assert state.seekable[0].start_us == 0 and state.seekable[0].end_us == state.duration_us


@pytest.mark.parametrize("sized", tiered([True, False], {False}))
def test_playback_begins_before_the_download_is_complete(fresh_engine, sized):
    with fresh_engine.session(clip("h264-aac.mkv")) as here:
        _, whole = announced(here)
    with forward(clip("h264-aac.mkv"), sized=sized, hold=700_000) as film, fresh_engine.session(film.url) as session:
        state = fresh_engine.state(session.id)
        assert state.growing and state.duration_us == -1 and not state.production.plan_complete
        playlist, early = announced(session)
        assert playlist.type == "EVENT" and not playlist.is_ended and 0 < len(early) < len(whole)
        assert 0 < state.seekable[0].end_us <= playlist.duration * 1e6 + 100_000
        film.released.set()
        assert wait_for_end(fresh_engine, session).duration_us > state.seekable[0].end_us
        playlist, late = announced(session)
        assert playlist.is_ended and late == whole and early == whole[:len(early)]
        assert len(film.requests) == 1


@pytest.mark.long
def test_the_window_follows_playback(start_engine, long_films):
    """A source that is longer than the window is received once, as fast as it is played."""
    small = start_engine("--window-bytes", "16M", "--cache-bytes", "1M")
    with start_engine().session(long_films / "long.mkv") as here:
        whole = {segment.url.rsplit("/", 1)[1]: digest(segment.url)
                 for segment in hls.Media.complete(here.master().playlists()[0]).segments}
    with forward(long_films / "long.mkv") as film, small.session(film.url) as session:
        eventually(lambda: film.respond.sent > 10_000_000, "the window to fill")
        state = small.state(session.id)
        assert state.growing and state.seekable[0].start_us == 0
        # Media that has not been played yet is not dropped to make room for later media.
        assert film.respond.sent < len(film.film) * 3 // 4
        url = session.master().playlists()[0]
        found = {}
        for playlist in hls.Media.versions(url, PATIENCE * 5):
            for segment in playlist.segments:
                name = segment.url.rsplit("/", 1)[1]
                if name not in found:
                    found[name] = digest(segment.url)
        assert found == whole
        assert len(film.requests) == 1
        state = wait_for_end(small, session)
        assert 0 < state.seekable[0].start_us < state.seekable[0].end_us == state.duration_us
        reply = hls.request(playlist.segments[len(playlist.segments) // 3].url)
        assert reply.status == 410 and b"source_not_readable" in reply.body and b"ranges" in reply.body, reply.body
        # A seek to media that is no longer kept goes to the oldest media that is.
        request = engine_pb2.SeekRequest(session_id=session.id, position_us=0)
        moved = small.stub.Seek(request, timeout=PATIENCE)
        assert moved.state.position.position_us >= state.seekable[0].start_us


@pytest.mark.long
def test_an_index_behind_the_media_requires_ranges(start_engine, long_films):
    small = start_engine("--window-bytes", "16M")
    with forward(long_films / "long.mp4") as film:
        text = refusal(lambda: small.load(film.url))
        assert "source_not_readable" in text and "index" in text and "does not support ranges" in text
    with forward(long_films / "long.mp4", sized=False) as film:
        assert "the file exceeds the memory" in refusal(lambda: small.load(film.url))


def test_an_index_behind_the_media_is_awaited_even_if_the_length_is_unknown(fresh_engine):
    path = clip("h264-aac-moov-last.mp4")
    with (fresh_engine.session(path) as here, forward(path, sized=False) as film, fresh_engine.session(film.url) as session):
        assert digests(session) == digests(here)
        assert len(film.requests) == 1


@pytest.mark.parametrize("fault", tiered(FAULTS, {"broken off once"}))
def test_an_interrupted_download_completes_its_playlist(fresh_engine, fault):
    with fresh_engine.session(clip("h264-aac.mkv")) as here:
        whole = [digest(segment.url) for segment in hls.Media.complete(here.master().playlists()[0]).segments]
    with forward(clip("h264-aac.mkv"), **FAULTS[fault]) as film, fresh_engine.session(film.url) as session:
        playlist, early = announced(session)
        # If the source broke off, its last segment is shorter.
        early = early[:-1] if playlist.is_ended else early
        assert early == whole[:len(early)]
        # In every case the playlist is completed, so that players do not wait. The engine tries twelve times, which takes a
        # minute.
        playlist = hls.Media.complete(playlist.url, 3 * PATIENCE)
        found = [digest(segment.url) for segment in playlist.segments[:-1]]
        assert found == whole[:len(found)]
        if fault == "broken off once":
            assert len(found) + 1 == len(whole) and len(film.requests) == 2
        elif fault != "shorter than it says":
            assert len(found) + 1 < len(whole)


def test_stills_and_probes_work_without_ranges(engine, server):
    name = "h264-aac.mkv"
    described, remote = engine.probe(clip(name)), engine.probe(f"{server}/{name}")
    remote.source = described.source
    assert [stream.codec for stream in remote.streams] == [stream.codec for stream in described.streams]
    assert remote.byte_count == described.byte_count
    url = f"{server}/{name}"
    for moment in (0, 4_200_000):
        assert snapshot(engine, source(url), moment) == snapshot(engine, source(clip(name)), moment)
        assert thumbnail(engine, source(url), moment).data == thumbnail(engine, source(clip(name)), moment).data


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The complete content of recordings, by file name."""
    folder = tmp_path_factory.mktemp("recorded")

    def content(name):
        path = folder / name
        streams = ["-map", "0:a"] if name.endswith("mp3") else ["-map", "0"]
        options = {"mkv": ["-live", "1"], "mp4": ["-movflags", "frag_keyframe+empty_moov"]}.get(name[-3:], [])
        codec = ["-c:a", "libmp3lame"] if name.endswith("mp3") else ["-c", "copy"]
        subprocess.run(
            ["ffmpeg", "-y", "-v", "error", "-stream_loop", str(RECORDED[name] - 1), "-i", clip("h264-aac.mkv"), *streams, *codec,
             *options, path], check=True)
        return path.read_bytes()
    return content


@pytest.mark.parametrize("name", tiered(RECORDED, {"film.ts", "fragmented.mp4"}))
def test_a_recording_is_followed_until_its_writer_closes_it(patient_engine, tmp_path, recorded, name):
    path = tmp_path / name
    with growing.recording(path, recorded(name), 0.6) as film, patient_engine.session(path) as session:
        state = patient_engine.state(session.id)
        assert state.growing and state.duration_us == -1
        playlist, early = announced(session)
        assert playlist.type == "EVENT" and not playlist.is_ended and early
        with growing.trickle(film, 0.6):
            eventually(
                lambda: patient_engine.state(session.id).seekable[0].end_us > state.seekable[0].end_us,
                "more of the recording")
        last = wait_for_end(patient_engine, session)
        found = digests(session)
        assert announced(session)[1][:len(early)] == early
        with patient_engine.session(path) as finished:
            state = patient_engine.state(finished.id)
            # The plan that was found while the file grew is stored as the plan of the whole file.
            assert not state.growing and state.production.plan_complete and state.production.plan_origin == "cache"
            assert found == digests(finished)
            assert last.duration_us == state.duration_us
    other = tmp_path / f"other-{name}"
    other.write_bytes(path.read_bytes())
    with patient_engine.session(other) as scanned:
        assert found == digests(scanned)


def test_a_recording_by_ffmpeg_is_followed_to_its_end(patient_engine, tmp_path):
    path = tmp_path / "recording.mkv"
    film = clip("h264-aac.mkv").read_bytes()
    recorder = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-i", "-", "-map", "0", "-c", "copy", "-cluster_time_limit", "500", "-flush_packets", "1", path],
        stdin=subprocess.PIPE)
    try:
        recorder.stdin.write(film[:len(film) // 2])
        eventually(lambda: path.exists() and path.stat().st_size > 200_000, "the recording to begin")
        with patient_engine.session(path) as session:
            state = patient_engine.state(session.id)
            assert state.growing
            _, early = announced(session)
            recorder.stdin.write(film[len(film) // 2:])
            recorder.stdin.close()
            assert recorder.wait(PATIENCE) == 0
            wait_for_end(patient_engine, session)
            playlist, late = announced(session)
            assert playlist.is_ended and len(late) > len(early) and late[:len(early)] == early
        with patient_engine.session(path) as finished:
            assert announced(finished)[1] == late
    finally:
        recorder.kill()
        recorder.wait()


def test_a_recording_without_new_data_ends(start_engine, tmp_path):
    patient = start_engine("--recording-timeout", "1")
    content = clip("h264-aac-fragmented.mp4").read_bytes()
    with growing.recording(tmp_path / "film.mp4", content, 0.7) as film, patient.session(film.path) as session:
        assert wait_for_end(patient, session).production.plan_complete
        assert hls.Media(session.master().playlists()[0]).is_ended


def test_an_overwritten_recording_is_reported_as_changed(patient_engine, tmp_path):
    content = clip("h264-aac-fragmented.mp4").read_bytes()
    with growing.recording(tmp_path / "film.mp4", content, 0.7) as film, patient_engine.session(film.path) as session:
        film.overwrite(int(len(content) * 0.7) - 2000, os.urandom(1000))
        film.write(1)
        film.close()
        playlist = hls.Media.complete(session.master().playlists()[0])
        reply = hls.request(playlist.segments[-1].url)
        assert reply.status == 500 and b"source_changed" in reply.body, reply.body


def test_a_recording_with_its_index_at_the_end_is_refused_until_complete(patient_engine, tmp_path):
    content = clip("h264-aac-moov-last.mp4").read_bytes()
    with growing.recording(tmp_path / "film.mp4", content, 0.7) as film:
        text = refusal(lambda: patient_engine.load(film.path))
        assert "source_not_readable" in text and "still being written" in text
        # A probe reads the file as it is now, and fails too.
        assert "source_not_media" in refusal(lambda: patient_engine.probe(film.path))
        film.write(1)
        # It is complete, although it is still open for writing.
        with patient_engine.session(film.path) as session:
            assert patient_engine.state(session.id).production.plan_complete


def test_loading_an_empty_recording_can_be_cancelled(patient_engine, tmp_path):
    with growing.recording(tmp_path / "film.mkv", clip("h264-aac.mkv").read_bytes(), 0.0005) as film:
        call = patient_engine.stub.Load.future(engine_pb2.LoadRequest(source=str(film.path)), timeout=PATIENCE)
        listed = engine_pb2.ListSessionsRequest()
        eventually(lambda: patient_engine.stub.ListSessions(listed).sessions, "the session to open")
        call.cancel()
        eventually(lambda: not patient_engine.stub.ListSessions(listed).sessions, "the session to end")
