# SPDX-License-Identifier: Apache-2.0
"""Subtitle files on servers: which headers are sent to whom, and how the engine handles every kind of server
behaviour."""

import gzip
import time

import grpc
import pytest
from harness import proxies
from harness.contract import http_pb2, subtitles_pb2
from harness.engine import eventually
from harness.places import clip
from harness.sidecars import FRENCH, RUSSIAN, add, expected, field_of, headers, load, read, serving, shown, srt
from harness.tiers import tiered


def test_a_url_is_fetched_with_its_own_or_the_session_s_headers(engine):
    with serving({"/a/film.de.srt?key=1": (200, {}, srt(FRENCH).encode())}) as server:
        url = f"{server.url}/a/film.de.srt?key=1"
        session = load(engine, clip("h264-aac.mkv"), [], fields=headers(X_Session="s", Cookie="c=1"))
        added = add(engine, url, session.id)
        assert list(added.added_subtitles) == [100000]
        track = added.state.subtitle_tracks[-1]
        assert (track.id, track.language, track.path, track.codec) == (100000, "de", url, "subrip")
        assert shown(read(engine, session_id=session.id, track=100000)[1]) == expected(FRENCH)
        add(engine, url, session.id, http_headers=headers(X_Own="o"), language="en", title="Mine")
        session.stop()
        first, second = (fields for _, fields in server.seen)
        assert (first["x-session"], first["cookie"]) == ("s", "c=1")
        assert second["x-own"] == "o"
        assert "x-session" not in second
        assert first["user-agent"].startswith("engined")


def test_settings_are_the_defaults_of_connection_options(start_engine):
    with serving({"/film.srt": (200, {}, srt(FRENCH).encode())}) as server, proxies.http_proxy() as (port, _):
        url = f"{server.url}/film.srt"
        configured = start_engine("--http-proxy", f"http://127.0.0.1:{port}", "--http-user-agent", "own/3")
        session = load(configured, clip("h264-aac.mkv"), [])
        add(configured, url, session.id)
        direct = http_pb2.HttpConnectionOptions(proxy="none", user_agent="direct/1")
        for connection in (None, direct):
            assert shown(read(configured, source=url, http_connection=connection)[1]) == expected(FRENCH)
        session.stop()
        seen = [("via" in fields, fields["user-agent"]) for _, fields in server.seen]
        assert seen == [(True, "own/3"), (True, "own/3"), (False, "direct/1")]


def test_compressed_and_redirected_files_are_read(engine):
    body = gzip.compress(srt(RUSSIAN).encode("cp1251"))
    pages = {"/film.srt": (200, {"Content-Encoding": "gzip"}, body)}
    with serving(pages) as server, serving({}) as other:
        other.pages["/away"] = (302, {"Location": f"{server.url}/film.srt"}, b"")
        server.pages["/here"] = (301, {"Location": "/film.srt"}, b"")
        for url, is_same in ((f"{server.url}/here", True), (f"{other.url}/away", False)):
            _, cues = read(engine, source=url, http_headers=headers(X_Secret="s"))
            assert shown(cues) == expected(RUSSIAN)
            assert ("x-secret" in server.seen[-1][1]) == is_same


def test_neither_a_file_nor_a_redirect_leads_to_the_engine_itself(engine):
    with serving({}) as server, engine.session(clip("h264-aac.mkv")) as session:
        own = session.url.split("/")[2]
        server.pages["/film.srt"] = (302, {"Location": f"http://{own}/metrics"}, b"")
        for url in (f"http://{own}/metrics", f"{server.url}/film.srt"):
            with pytest.raises(grpc.RpcError) as failure:
                add(engine, url, session.id)
            assert failure.value.code() == grpc.StatusCode.PERMISSION_DENIED
            assert "that of this engine" in failure.value.details()
            assert field_of(failure.value) == "file.path"


def endless(file):
    while True:
        file.write(b"1\n00:00:01,000 --> 00:00:02,000\n" + b"x" * 60_000 + b"\n\n")


FAILURES = {
    "/missing.srt": ((404, {}, b"no"), "NOT_FOUND", "404"),
    "/gone.srt": ((410, {}, b"no"), "NOT_FOUND", "410"),
    "/denied.srt": ((403, {}, b"no"), "PERMISSION_DENIED", "403"),
    "/busy.srt": ((503, {}, b"no"), "UNAVAILABLE", "503"),
    "/teapot.srt": ((418, {}, b"no"), "FAILED_PRECONDITION", "418"),
    "/empty.srt": ((200, {}, b""), "FAILED_PRECONDITION", "empty"),
    "/html.srt": ((200, {}, b"<html><head><title>Login</title></head></html>"), "FAILED_PRECONDITION", "HTML"),
    "/loop.srt": ((302, {"Location": "/loop.srt"}, b""), "FAILED_PRECONDITION", "in a loop"),
    "/local.srt": ((302, {"Location": "file:///etc/passwd"}, b""), "FAILED_PRECONDITION", "with the scheme file"),
    "/claim.srt": ((200, {"X-Filler": "1"}, endless), "RESOURCE_EXHAUSTED", "64 MiB"),
    "/stall.srt": ((0, {}, b""), "UNAVAILABLE", "timed out"),
    "/greeting.srt": ((-1, {}, b"220 ready\r\n"), "UNAVAILABLE", "could not be fetched"),
}


@pytest.mark.parametrize("path", tiered(FAILURES, lambda path: path != "/stall.srt"))
def test_server_faults_give_typed_errors(engine, path):
    page, code, word = FAILURES[path]
    with serving({path: page}) as server, engine.session(clip("h264-aac.mkv")) as session:
        with pytest.raises(grpc.RpcError) as failure:
            add(engine, f"{server.url}{path}", session.id)
        assert failure.value.code().name == code, failure.value.details()
        assert word in failure.value.details()
        assert path in failure.value.details()
        assert field_of(failure.value) == "file.path"
        assert not engine.state(session.id).subtitle_tracks


def test_an_unreachable_server_gives_a_typed_error(engine):
    with serving({}) as server:
        url = f"{server.url}/film.srt"
    with pytest.raises(grpc.RpcError) as failure:
        read(engine, source=url)
    assert failure.value.code() == grpc.StatusCode.UNAVAILABLE
    assert field_of(failure.value) == "source"


@pytest.mark.parametrize("path", ["relative.srt", "ftp://127.0.0.1/film.srt", "http://", "http://a b/film.srt", "", "x" * 5000])
def test_invalid_locations_are_refused(engine, path):
    with engine.session(clip("h264-aac.mkv")) as session:
        with pytest.raises(grpc.RpcError) as failure:
            add(engine, path, session.id)
        assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert field_of(failure.value) == "file.path"


def slow(file):
    """Never ends, and is never silent for so long that the engine would give up."""
    while True:
        file.write(b"1")
        file.flush()
        time.sleep(0.05)


def test_cancelling_a_call_ends_its_http_request(engine):
    with serving({"/slow.srt": (200, {}, slow)}) as server, engine.session(clip("h264-aac.mkv")) as session:
        def fetches():
            return engine.thread_names().count("sidecar")

        eventually(lambda: fetches() == 0, "the search for files beside the film to end")
        calls = []
        for count in (1, 2):
            calls.append(engine.stub.AddSubtitles.future(subtitles_pb2.AddSubtitlesRequest(
                session_id=session.id, file=subtitles_pb2.SubtitleFile(path=f"{server.url}/slow.srt"))))
            eventually(lambda: len(server.seen) == count == fetches(), "the request")
        first, second = calls
        second.cancel()
        eventually(lambda: fetches() == 1, "the thread to end")
        assert not first.done(), "the limit of time would end the first one first"
        first.cancel()
        eventually(lambda: fetches() == 0, "the other thread to end")


def test_a_decompression_bomb_is_refused_at_the_limit(engine):
    bomb = gzip.compress(bytes(512 << 20), 9)
    with serving({"/film.srt": (200, {"Content-Encoding": "gzip"}, bomb)}) as server:
        before = engine.resident_bytes()
        with pytest.raises(grpc.RpcError) as failure:
            read(engine, source=f"{server.url}/film.srt")
        assert failure.value.code().name == "RESOURCE_EXHAUSTED", failure.value.details()
        assert engine.resident_bytes() - before < 256 << 20
