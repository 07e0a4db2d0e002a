# SPDX-License-Identifier: Apache-2.0
"""Subtitle files on servers: which headers are sent to whom, and how the engine handles every kind of server
behaviour."""

import gzip
import time

import grpc
import pytest
from harness import beside, hls, proxies
from harness.contract import engine_pb2, http_pb2, subtitles_pb2
from harness.engine import PATIENCE, Session, eventually, settled
from harness.origin import Handler, origin
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
        # The query is not shown, because it may be a signature.
        place = url.removesuffix("?key=1")
        assert (track.id, track.language, track.path, track.codec) == (100000, "de", place, "subrip")
        assert shown(read(engine, session_id=session.id, track=100000)[1]) == expected(FRENCH)
        add(engine, url, session.id, http_headers=headers(X_Own="o"), language="en", title="Mine")
        session.stop()
        first, second = (fields for _, fields in server.seen)
        assert (first["x-session"], first["cookie"]) == ("s", "c=1")
        assert second["x-own"] == "o"
        assert "x-session" not in second
        assert first["user-agent"].startswith("engined")


def test_the_login_of_a_load_is_sent_to_the_server_of_its_source_only(engine):
    login = http_pb2.HttpConnectionOptions(basic=http_pb2.HttpBasicCredentials(user="me", password="pw"))
    with origin(clip("h264-aac.mkv")) as film, serving({"/film.srt": (200, {}, srt(FRENCH).encode())}) as other:
        def guarded(handler, request):
            if request.headers.get("authorization") != "Basic bWU6cHc=":
                return handler.answer(401, {"WWW-Authenticate": "Basic"})
            return handler.answer(200, body=srt(RUSSIAN).encode()) if request.path == "/film.srt" else film.serve(handler, request)

        film.respond = guarded
        request = engine_pb2.LoadRequest(source=film.url, http_connection=login)
        session = Session(engine, engine.stub.Load(request, timeout=PATIENCE))
        place = film.url.rpartition("/")[0]
        for track, (url, lines) in enumerate(((f"{place}/film.srt", RUSSIAN), (f"{other.url}/film.srt", FRENCH)), 100000):
            add(engine, url, session.id)
            assert shown(read(engine, session_id=session.id, track=track)[1]) == expected(lines)
        session.stop()
        assert all("authorization" not in fields for _, fields in other.seen)


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


@pytest.mark.parametrize("path", tiered(FAILURES, {"/html.srt", "/empty.srt", "/missing.srt", "/denied.srt", "/loop.srt", "/busy.srt", "/local.srt"}))
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


@pytest.mark.parametrize("path", ["relative.srt", "ftp://", "mailto:film.srt", "http://", "http://a b/film.srt", "", "x" * 5000])
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


@pytest.mark.long
def test_a_decompression_bomb_is_refused_at_the_limit(engine):
    bomb = gzip.compress(bytes(512 << 20), 9)
    with serving({"/film.srt": (200, {"Content-Encoding": "gzip"}, bomb)}) as server:
        before = engine.resident_bytes()
        with pytest.raises(grpc.RpcError) as failure:
            read(engine, source=f"{server.url}/film.srt")
        assert failure.value.code().name == "RESOURCE_EXHAUSTED", failure.value.details()
        assert engine.resident_bytes() - before < 256 << 20


@pytest.mark.parametrize(("answer", "notice"), tiered([
    (None, "status 501"), (lambda handler: handler.answer(405), "status 405"), (lambda handler: handler.answer(401), "status 401"),
    (lambda handler: handler.answer(301, {"Location": "http://127.0.0.1:9/"}), "status 301"),
    (lambda handler: handler.answer(200, {}, b"<html>no</html>"), "status 200, not 207"),
    (lambda handler: handler.answer(207, {}, b"<html>no</html>"), "not a DAV:multistatus document"),
    (lambda handler: handler.answer(207, {}, b"<multistatus><response>"), "not well-formed"),
    (lambda handler: handler.answer(207, {}, b"x" * (17 << 20)), "more than 16 MiB"),
    (lambda handler: handler.drop(), "could not be fetched"),
], lambda case: case[1] in ("status 501", "could not be fetched")), ids=["501", "405", "401", "301", "200", "html", "cut", "huge", "reset"])
def test_a_folder_that_cannot_be_listed_is_a_notice(fresh_engine, monkeypatch, answer, notice):
    if answer:
        def propfind(handler):
            handler.rfile.read(int(handler.headers["Content-Length"]))
            answer(handler)
        monkeypatch.setattr(Handler, "do_PROPFIND", propfind, raising=False)
    with origin(clip("h264-aac.mkv")) as server:
        with fresh_engine.session(server.url.replace("http://", "dav://me:secret@")) as session:
            eventually(lambda: "subtitles.folder_unreadable" in fresh_engine.log.read_text(), "the notice")
            text = fresh_engine.log.read_text()
            assert notice in text and f"{server.base}/ could not be listed" in text and "secret" not in text, text
            assert session.master().everything()
        # Only the notice tells of the listing: nothing but the film was requested.
        assert {request.path for request in server.requests} == {"/film.mkv"}


def test_a_load_does_not_wait_for_the_listing_of_its_folder(fresh_engine, monkeypatch):
    listed = []

    def propfind(handler):
        listed.append(handler.path)
        handler.server.origin.released.wait()
        handler.close_connection = True
    monkeypatch.setattr(Handler, "do_PROPFIND", propfind, raising=False)
    with origin(clip("h264-aac.mkv")) as server:
        with fresh_engine.session(server.url.replace("http://", "dav://")) as session:
            assert hls.Media.complete(session.master().playlists()[0]).segments
            assert all(hls.request(url).status == 200 for url in session.master().everything())
            eventually(lambda: listed == ["/"], "the request")
            assert "subtitles.folder_unreadable" not in fresh_engine.log.read_text()


def test_a_hostile_listing_leads_nowhere(fresh_engine, monkeypatch):
    secret = srt(RUSSIAN).encode()
    references = ["/film.de.srt", "http://127.0.0.1:9/film.fr.srt", "/../film.it.srt", "/..%2Ffilm.es.srt", "/a/film.pl.srt", "/film.en.srt%00",
                  "film.el.srt", "//127.0.0.1:9/film.ja.srt", "/film.ko.srt/"]
    body = "".join(f"<response><href>{reference}</href></response>" for reference in references)

    def propfind(handler):
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.answer(207, {}, f"<multistatus xmlns='DAV:'>{body}</multistatus>".encode())
    monkeypatch.setattr(Handler, "do_PROPFIND", propfind, raising=False)
    with origin(clip("h264-aac.mkv")) as server:
        film = server.respond
        server.respond = lambda handler, request: (
            handler.answer(200, {}, secret) if request.path.endswith(".srt") else film(handler, request))
        with fresh_engine.session(server.url.replace("http://", "dav://")) as session:
            eventually(lambda: len(beside.found(fresh_engine.state(session.id))) == 2, "the files that are in the folder")
            languages = settled(lambda: {track.language for track in beside.found(fresh_engine.state(session.id))})
            # The name of a file on another server is that of a file in the folder, from where it is fetched.
            assert languages == {"de", "fr"}
        assert {request.path for request in server.requests} == {"/film.mkv", "/film.de.srt", "/film.fr.srt"}
