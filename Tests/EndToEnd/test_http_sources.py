# SPDX-License-Identifier: Apache-2.0
"""Sources on HTTP servers: a film is served byte for byte like the same file on disk, few requests are sent, and server
faults are survived or give typed errors."""

import concurrent.futures
import contextlib
import gzip
import os
import shutil
import socket
import subprocess

import grpc
import pytest
from harness import faults, hls, numbered, origin
from harness.contract import engine_pb2, http_pb2, state_pb2
from harness.engine import PATIENCE, Session, eventually, settled
from harness.hls import digest
from harness.places import FIXTURES, clip
from harness.sidecars import headers, read
from harness.stills import snapshot, source, thumbnail
from harness.tiers import tiered

KINDS = [
    "h264-aac.mkv", "h264-aac.mp4", "h264-aac-fragmented.mp4", "h264-aac.ts", "h264-aac.avi", "h264-aac.flv",
    "vp9-opus.webm", "hevc-eac3.mkv", "several.mkv", "vfr.mp4", "nonzero-start.ts", "audio.mp3", "audio.flac",
    "audio-flac.ogg",
]
LEAN = {"h264-aac.mp4", "h264-aac-fragmented.mp4", "h264-aac.ts", "h264-aac.avi", "audio.flac"}
FILM = "h264-aac.mkv"


@pytest.fixture(scope="module")
def server():
    with origin.nginx(FIXTURES) as server:
        yield server


@pytest.fixture(scope="module")
def local(engine):
    """Digests of all resources served for `FILM` on disk."""
    with engine.session(clip(FILM)) as session:
        return digests(session)


@pytest.fixture(scope="module")
def long_film(tmp_path_factory):
    """About 30 MB: more than is read to open it."""
    path = tmp_path_factory.mktemp("films") / "long.mkv"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-stream_loop", "40", "-i", clip(FILM), "-map", "0", "-c", "copy", path], check=True)
    return path


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def load(engine, url, fields=(), **options):
    request = engine_pb2.LoadRequest(source=url, options=engine_pb2.LoadOptions(**options), http_headers=fields)
    return Session(engine, engine.stub.Load(request, timeout=PATIENCE))


@contextlib.contextmanager
def playing(engine, url, fields=()):
    session = load(engine, url, fields)
    try:
        yield session
    finally:
        session.stop()


def refusal(call):
    """The status and the text of a call that must fail."""
    with pytest.raises(grpc.RpcError) as failure:
        call()
    return failure.value.code().name, failure.value.details()


@pytest.mark.parametrize("name", tiered(KINDS, LEAN))
def test_remote_sources_are_served_like_local_files(engine, server, name):
    path, url = str(clip(name)), f"{server.url}/{name}"
    described, remote = engine.probe(path), engine.probe(url)
    remote.source = described.source
    assert remote == described
    with engine.session(path) as here, engine.session(url) as there:
        assert there.state.source == url
        assert digests(there) == digests(here)
        assert engine.state(there.id).duration_us == engine.state(here.id).duration_us


def test_stills_and_cues_equal_those_of_the_file(engine, server):
    path = numbered.film("h264.mkv")
    with origin.nginx(path.parent) as films:
        url = f"{films.url}/{path.name}"
        for moment in (0, 4_200_000, 9_000_000):
            assert snapshot(engine, source(url), moment) == snapshot(engine, source(path), moment)
            assert thumbnail(engine, source(url), moment).data == thumbnail(engine, source(path), moment).data
    name = "subs-srt.mkv"
    assert read(engine, source=f"{server.url}/{name}") == read(engine, source=str(clip(name)))


@pytest.mark.long
def test_cached_bytes_are_not_fetched_again(fresh_engine):
    with origin.origin(clip(FILM)) as film, playing(fresh_engine, film.url) as first:
        digests(first)
        count = len(film.requests)
        with playing(fresh_engine, film.url) as second:
            digests(second)
            thumbnail(fresh_engine, source(film.url), 2_000_000)
            fresh_engine.probe(film.url)
        assert len(film.requests) == count


def test_credentials_stay_with_their_server(engine):
    with origin.origin(clip(FILM)) as film, origin.origin(clip(FILM)) as other:
        def away(handler, request):
            handler.answer(302, {"Location": film.url})
        other.respond = away
        with_user = other.url.replace("http://", "http://user:secret@")
        with playing(engine, f"{with_user}?token=hidden", headers(X_Own="x", Cookie="c=1")) as session:
            state = engine.state(session.id)
            assert state.source == other.url
            first = other.requests[0]
            assert first.path.endswith("?token=hidden")
            assert (first.headers["authorization"], first.headers["cookie"]) == ("Basic dXNlcjpzZWNyZXQ=", "c=1")
            assert first.headers["accept-encoding"] == "identity"
            for request in film.requests:
                assert request.range and not {"authorization", "cookie", "x-own"} & request.headers.keys()
        log = engine.log.read_text()
        assert "secret" not in log and "hidden" not in log


SURVIVED = {
    "whole answers": faults.whole, "captive portal": faults.portal,
    "429 with Retry-After": faults.limited, "one request at a time": faults.one_at_a_time,
    "reset every 200 KB": lambda film: faults.resetting(film, 200_000), "short parts": faults.short,
    "occasionally overloaded": faults.busy, "redirects": faults.redirecting,
}


@pytest.mark.parametrize(
    "fault", tiered(SURVIVED, {"redirects", "captive portal", "occasionally overloaded"}))
def test_recoverable_server_faults_change_nothing(fresh_engine, local, fault):
    with origin.origin(clip(FILM)) as film:
        film.respond = SURVIVED[fault](film)
        with playing(fresh_engine, film.url) as session:
            assert digests(session) == local


def answering(status, **fields):
    return lambda film: lambda handler, request: handler.answer(
        status, {name.replace("_", "-"): value for name, value in fields.items()})


REFUSED = {
    "another range": (faults.shifted, "FAILED_PRECONDITION", "source_not_readable"),
    "gzip": (lambda film: film.serve_compressed, "FAILED_PRECONDITION", "encoding gzip"),
    "403": (answering(403), "PERMISSION_DENIED", "source_refused"),
    "401": (answering(401), "PERMISSION_DENIED", "status 401"),
    "404": (answering(404), "NOT_FOUND", "source_not_found"),
    "410": (answering(410), "PERMISSION_DENIED", "status 410"),
    "redirect loop": (answering(302, Location="/film.mkv"), "FAILED_PRECONDITION", "redirects in a loop"),
    "redirect to a file": (answering(302, Location="file:///etc/passwd"), "FAILED_PRECONDITION", "scheme file"),
    "empty file": (answering(200), "FAILED_PRECONDITION", "source_empty"),
}


@pytest.mark.parametrize("fault", tiered(REFUSED, {"401", "404", "another range", "redirect to a file"}))
def test_fatal_server_faults_give_typed_errors(engine, fault):
    make, status, word = REFUSED[fault]
    with origin.origin(clip(FILM)) as film:
        film.respond = make(film)
        code, text = refusal(lambda: load(engine, f"{film.url}?secret=1"))
        assert code == status, text
        assert word in text and film.url in text and "secret" not in text


@pytest.mark.long
def test_a_server_that_sends_too_slowly_gives_a_typed_error(start_engine):
    """The server sends a byte now and then: the connection is slow, and silent only on a busy machine."""
    engine = start_engine("--http-stall-timeout", "0.4")
    with origin.origin(clip(FILM)) as film:
        def respond(handler, request):
            first, last = film.part(request)
            handler.send_response(206)
            handler.send_header("ETag", film.etag)
            handler.send_header("Content-Range", f"bytes {first}-{last}/{len(film.film)}")
            handler.send_header("Content-Length", str(last + 1 - first))
            handler.end_headers()
            for byte in film.film[first + 1:last + 1]:
                handler.wfile.write(bytes([byte]))
                handler.wfile.flush()
                if film.released.wait(0.05):
                    break
            return handler.drop()
        film.respond = respond
        code, text = refusal(lambda: load(engine, film.url))
        assert code == "UNAVAILABLE" and "source_unreachable" in text
        assert "too little data" in text or "no data" in text
        assert 1 < len(film.requests) <= 12


@pytest.mark.long
def test_a_compressed_body_is_never_decompressed(engine):
    """64 MiB of zeros, compressed: refused because of its header."""
    with origin.origin(clip(FILM)) as film:
        packed = gzip.compress(bytes(64 << 20), 9)
        film.respond = lambda handler, request: handler.answer(
            200, {"Content-Encoding": "gzip", "ETag": film.etag}, packed)
        before = engine.resident_bytes()
        assert "encoding gzip" in refusal(lambda: load(engine, film.url))[1]
        assert engine.resident_bytes() - before < 32 << 20


def test_an_unreachable_server_gives_a_typed_error(engine):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        code, text = refusal(lambda: engine.probe(f"http://127.0.0.1:{closed.getsockname()[1]}/film.mkv"))
    assert code == "UNAVAILABLE" and "source_unreachable" in text


def test_the_engine_refuses_its_own_server_as_a_source(engine):
    with engine.session(clip(FILM)) as session:
        code, text = refusal(lambda: engine.probe(session.url))
    assert code == "PERMISSION_DENIED" and "this engine" in text


def test_a_web_page_is_not_media(engine):
    with origin.origin(clip(FILM)) as film:
        film.film = b"<html><head><title>Login</title></head></html>" * 1000
        assert "source_not_media" in refusal(lambda: load(engine, film.url))[1]


def test_a_changed_remote_file_fails_instead_of_mixing_versions(fresh_engine, long_film):
    """Segments that were already made are still served; everything else fails with the reason."""
    with origin.origin(long_film) as film, playing(fresh_engine, film.url) as session:
        playlist = hls.Media.complete(session.master().playlists()[0])
        first = digest(playlist.segments[0].url)
        film.etag = '"two"'
        reply = hls.request(playlist.segments[len(playlist.segments) // 2].url)
        assert reply.status == 500 and b"source_changed" in reply.body, reply.body
        state = fresh_engine.state(session.id)
        assert state.phase == state_pb2.PHASE_ERROR and state.error.code == "source_changed"
        assert digest(playlist.segments[0].url) == first


@pytest.mark.long
def test_an_overwritten_local_file_fails_instead_of_mixing_versions(fresh_engine, long_film, tmp_path):
    path = tmp_path / "film.mkv"
    shutil.copy(long_film, path)
    with fresh_engine.session(path) as session:
        playlist = hls.Media.complete(session.master().playlists()[0])
        first = digest(playlist.segments[0].url)
        with open(path, "r+b") as file:
            file.seek(path.stat().st_size // 2)
            file.write(os.urandom(1 << 20))
        reply = hls.request(playlist.segments[len(playlist.segments) // 2].url)
        assert reply.status == 500 and b"source_changed" in reply.body, reply.body
        assert digest(playlist.segments[0].url) == first


@pytest.mark.long
def test_a_local_file_may_grow(fresh_engine, tmp_path):
    path = tmp_path / "film.mkv"
    shutil.copy(clip(FILM), path)
    with fresh_engine.session(path) as session, fresh_engine.session(clip(FILM)) as other:
        with open(path, "ab") as file:
            file.write(b"\0" * 100_000)
        assert digests(session) == digests(other)


@pytest.mark.long
def test_network_access_can_be_restricted(start_engine):
    with origin.origin(clip(FILM)) as film:
        off = start_engine("--network", "off")
        assert "the network setting is off" in refusal(lambda: off.probe(film.url))[1]
        few = start_engine("--network", "example.org,.example.com")
        assert "does not list 127.0.0.1" in refusal(lambda: few.probe(film.url))[1]
        assert not film.requests
        some = start_engine("--network", "127.0.0.1")
        assert some.probe(film.url).byte_count == len(film.film)
        film.respond = answering(302, Location=film.url.replace("127.0.0.1", "localhost"))(film)
        assert "source_access_denied" in refusal(lambda: some.probe(f"{film.url}?again"))[1]


@pytest.mark.long
@pytest.mark.parametrize("kind, most", [("mkv", 3), ("fonts", 3), ("mp4", 4)])
def test_a_long_film_is_opened_in_few_round_trips(fresh_engine, long_film, tmp_path, kind, most):
    path = long_film
    if kind == "mp4":
        # Its index is at the end.
        path = tmp_path / "long.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-i", long_film, "-map", "0", "-c", "copy", path], check=True)
    fonts = 0
    if kind == "fonts":
        # Demuxers read attachments when they open a film.
        fonts = 6 << 20
        path, font = tmp_path / "fonts.mkv", tmp_path / "font.ttf"
        font.write_bytes(os.urandom(fonts))
        subprocess.run(
            ["ffmpeg", "-v", "error", "-i", long_film, "-map", "0", "-c", "copy", "-attach", font, "-metadata:s:t",
             "mimetype=application/x-truetype-font", path], check=True)
    with origin.origin(path) as film:
        with film.waves(fresh_engine) as waves, playing(fresh_engine, film.url) as session:
            assert len(waves) <= most, waves
            # Fonts are fetched by four requests, and followed by two that read ahead.
            assert len(film.requests) <= (18 if fonts else 12), [request.range for request in film.requests]
            fetched = sum(request.range[1] + 1 - request.range[0] for request in film.requests)
            # Having read all fonts, the engine reads ahead in long requests, which this server answers before they can be
            # cancelled.
            assert fonts or fetched < len(film.film) / 4
            assert session.state.production.plan_complete


# Name -> the encoders of a film whose last keyframe is followed by several megabytes.
LONG_GROUPS = {
    "reordered.mkv": ("-c:v", "libx264", "-preset", "ultrafast", "-bf", "3", "-c:a", "aac"),
    "hevc-ac3.mkv": ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "keyint=125:min-keyint=125:log-level=1", "-c:a", "ac3"),
    "vp9-opus.webm": ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"),
    "several-clusters.mkv": ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "eac3", "-cluster_time_limit", "2000"),
    "short-audio.mkv": ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "flac", "-af", "atrim=end=6"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", list(LONG_GROUPS))
def test_the_end_of_a_film_is_found_without_its_last_group_of_pictures(start_engine, tmp_path, name):
    # With so little memory, the engine makes two of the six segments ahead of a player.
    engine = start_engine("--cache-bytes", "1M")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25,noise=alls=20", "-f", "lavfi",
         "-i", "sine=440:r=48000", "-t", "24.3", "-g", "1000", "-keyint_min", "1000", "-force_key_frames", "0,4,8,12,16,20", "-cluster_time_limit", "20000", "-cluster_size_limit", "100M",
         *LONG_GROUPS[name], "-b:v", "6M", tmp_path / name], check=True)
    with origin.nginx(tmp_path) as server:
        with engine.session(tmp_path / name) as here:
            expected = digests(here)
        with engine.session(f"{server.url}/{name}") as there:
            there.master()
            spans = [list(map(int, span.split("=")[1].split(" ")[0].split("-"))) for _, _, span in server.requests()]
            skipped = int((tmp_path / name).stat().st_size * 0.9)
            read = any(first <= skipped <= last for first, last in spans)
            # If the audio ends early, the last second of the file does not show where.
            assert read == (name == "short-audio.mkv"), spans
            assert digests(there) == expected


def silent(film):
    """Of each range that begins beyond 4 MiB, sends half, and the rest only after `film.released` is set."""
    def respond(handler, request):
        first, last = film.part(request)
        if first < 4 << 20 or film.released.is_set():
            return film.serve(handler, request)
        handler.send_response(206)
        handler.send_header("ETag", film.etag)
        handler.send_header("Content-Range", f"bytes {first}-{last}/{len(film.film)}")
        handler.send_header("Content-Length", str(last + 1 - first))
        handler.end_headers()
        half = (last + 1 - first) // 2
        handler.wfile.write(film.film[first:first + half])
        handler.wfile.flush()
        film.released.wait(PATIENCE)
        return handler.wfile.write(film.film[first + half:last + 1])
    return respond


@pytest.mark.long
def test_a_source_without_an_index_is_scanned_just_ahead_of_playback(fresh_engine, tmp_path):
    """A transport stream of 150 MB: its scan waits for playback, follows a seek, and fetches nothing twice."""
    film = tmp_path / "film.ts"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "11", "-i", clip("h264-aac.ts"), "-map", "0", "-c", "copy", "-t", "120",
         "-muxrate", "10M", film], check=True)
    with fresh_engine.session(film) as local:
        wanted = [digest(each.url) for each in hls.Media.complete(local.master().variants[0][1]).segments]
    with origin.nginx(tmp_path) as server:
        session = load(fresh_engine, f"{server.url}/film.ts")
        url = session.master().variants[0][1]

        def fetched():
            return fresh_engine.state(session.id).statistics.http_bytes
        assert settled(fetched, 2) < 80 << 20
        begun = hls.Media(url)
        assert not begun.is_ended and "#EXT-X-START:TIME-OFFSET=0" in begun.text
        found = []
        for media in hls.Media.versions(url):
            found += [digest(each.url) for each in media.segments[len(found):]]
        assert found == wanted
        assert fetched() < film.stat().st_size * 1.1
        session.stop()
        again = load(fresh_engine, f"{server.url}/film.ts?other")
        fresh_engine.stub.Seek(engine_pb2.SeekRequest(session_id=again.id, position_us=100_000_000), timeout=PATIENCE)
        eventually(lambda: fresh_engine.state(again.id).seekable[0].end_us > 100_000_000, "the scan to follow the seek")
        again.stop()


def test_a_stalled_server_is_reported_until_it_recovers(fresh_engine, long_film):
    with origin.origin(long_film) as film, playing(fresh_engine, film.url) as session:
        film.respond = silent(film)
        playlist = hls.Media.complete(session.master().playlists()[0])
        with concurrent.futures.ThreadPoolExecutor() as pool:
            segment = pool.submit(hls.fetch, playlist.segments[len(playlist.segments) // 2].url)
            eventually(lambda: fresh_engine.state(session.id).source_wait == "silent", "the wait to be reported")
            film.released.set()
            assert segment.result(PATIENCE)
        eventually(lambda: fresh_engine.state(session.id).source_wait == "", "the end of the wait to be reported")


def test_a_refused_source_continues_after_a_refresh(fresh_engine, long_film):
    with origin.origin(long_film) as film, playing(fresh_engine, f"{film.url}?sig=1", headers(X_Key="1")) as session:
        playlist = hls.Media.complete(session.master().playlists()[0])
        middle = playlist.segments[len(playlist.segments) // 2].url

        def respond(handler, request):
            if "sig=2" not in request.path or request.headers.get("x-key") != "2":
                return handler.answer(403)
            return film.serve(handler, request)
        film.respond = respond
        reply = hls.request(middle)
        assert reply.status == 500 and b"source_refused" in reply.body and b"sig" not in reply.body
        stub = fresh_engine.stub
        request = engine_pb2.RefreshSourceRequest(
            session_id=session.id, url=f"{film.url}?sig=2", http_headers=headers(X_Key="2"))
        assert stub.RefreshSource(request, timeout=PATIENCE).state.source == film.url
        with fresh_engine.session(long_film) as other:
            same = hls.Media.complete(other.master().playlists()[0]).segments[len(playlist.segments) // 2].url
            assert digest(middle) == digest(same)
        statistics = fresh_engine.state(session.id).statistics
        assert statistics.http_requests > 0 and statistics.http_bytes > 0
        for bad in ("ftp://example.org/film.mkv", "gopher://example.org/film.mkv", "/etc/passwd"):
            request = engine_pb2.RefreshSourceRequest(session_id=session.id, url=bad)
            assert refusal(lambda: stub.RefreshSource(request, timeout=PATIENCE))[0] == "INVALID_ARGUMENT"
        with fresh_engine.session(clip(FILM)) as other:
            request = engine_pb2.RefreshSourceRequest(session_id=other.id, url=film.url)
            assert "cannot be refreshed" in refusal(lambda: stub.RefreshSource(request, timeout=PATIENCE))[1]


def test_a_load_waiting_for_its_server_can_be_cancelled(engine):
    with origin.origin(clip(FILM)) as film:
        film.respond = lambda handler, request: film.released.wait(PATIENCE)
        request = engine_pb2.LoadRequest(source=film.url)
        call = engine.stub.Load.future(request, timeout=PATIENCE)
        eventually(lambda: film.requests, "the first request")
        call.cancel()
        eventually(lambda: not engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions, "the session to end")
