# SPDX-License-Identifier: Apache-2.0
"""Refreshes of a source on a server that do not go as planned: the new URL leads to a captive portal or to a silent
server, several refreshes overtake each other, or their client goes away."""

import subprocess
import time

import pytest
from harness import hls, origin
from harness.contract import engine_pb2, http_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import digest
from harness.places import clip

pytestmark = pytest.mark.long

KEY = http_pb2.HttpHeader(name="X-Key", value="2")
PAGE = b"<html><body>Please log in</body></html>" * 50


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    path], check=True)
    return path


def request(session, url="", headers=()):
    return engine_pb2.RefreshSourceRequest(session_id=session.id, url=url, http_headers=headers)


def refresh(engine, session, url):
    return engine.stub.RefreshSource(request(session, url), timeout=PATIENCE).state


def segments(session):
    return [each.url for each in hls.Media.complete(session.master().playlists()[0]).segments]


def last_segment(session):
    return segments(session)[-1]


def forget(engine):
    engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)


def settle(server):
    """Waits until the requests that were made to read ahead have reached the server."""
    seen = -1
    while seen != len(server.requests):
        seen = len(server.requests)
        time.sleep(0.2)


def silent(server):
    """Answers requests for `/silent` only once the server is released."""
    def respond(handler, asked):
        if "/silent" in asked.path:
            server.released.wait(PATIENCE)
        server.serve(handler, asked)
    server.respond = respond


def asked_for(server, part):
    return any(part in each.path for each in list(server.requests))


def portal(server):
    """Redirects requests for `/expired` to a page that is served with ranges, like a file."""
    server.etag = 'W/"one"'

    def respond(handler, asked):
        if "/expired" in asked.path:
            handler.answer(302, {"Location": f"{server.base}/login"})
        elif asked.path != "/login":
            server.serve(handler, asked)
        elif asked.range and asked.range[0] >= len(PAGE):
            handler.answer(416, {"Content-Range": f"bytes */{len(PAGE)}"})
        else:
            first, last = asked.range or (0, len(PAGE) - 1)
            last = min(last, len(PAGE) - 1)
            fields = {"Content-Type": "text/html", "Content-Range": f"bytes {first}-{last}/{len(PAGE)}"}
            handler.answer(206, fields, PAGE[first:last + 1])
    server.respond = respond


def test_a_refresh_that_leads_to_a_login_page_can_be_repeated(start_engine, film):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(film) as server:
        portal(server)
        with engine.session(film) as local:
            wanted = digest(last_segment(local))
        session = engine.load(server.url)
        # No player has requested it, so it is not in memory.
        last = last_segment(session)
        refresh(engine, session, f"{server.base}/expired")
        forget(engine)
        answer = hls.request(last)
        assert answer.status == 500 and b"source_unreachable" in answer.body
        assert refresh(engine, session, f"{server.url}?sig=2").phase != state_pb2.PHASE_ERROR
        assert digest(last) == wanted
        session.stop()


def test_a_newer_refresh_does_not_wait_for_a_silent_server_and_stays(engine, film):
    with origin.origin(film) as server:
        silent(server)
        sessions = [engine.load(server.url) for _ in range(2)]
        first = engine.stub.RefreshSource.future(request(sessions[0], f"{server.base}/silent"), timeout=PATIENCE)
        eventually(lambda: asked_for(server, "/silent"), "the first refresh to reach the server")
        refresh(engine, sessions[1], f"{server.base}/new.mkv")
        first.result()
        server.released.set()
        assert [engine.state(each.id).source for each in sessions] == [f"{server.base}/new.mkv"] * 2
        for session in sessions:
            session.stop()


def test_a_refresh_builds_on_one_that_is_not_answered_yet(engine, film):
    with origin.origin(film) as server:
        silent(server)
        session = engine.load(server.url)
        last = last_segment(session)
        first = engine.stub.RefreshSource.future(request(session, f"{server.base}/silent"), timeout=PATIENCE)
        eventually(lambda: asked_for(server, "/silent"), "the first refresh to reach the server")
        second = engine.stub.RefreshSource.future(request(session, headers=[KEY]), timeout=PATIENCE)
        server.released.set()
        first.result()
        second.result()
        forget(engine)
        before = len(server.requests)
        assert hls.request(last).status == 200
        later = list(server.requests)[before:]
        assert later and all("/silent" in each.path and each.headers.get("x-key") == "2" for each in later)
        session.stop()


def test_sessions_that_are_refreshed_at_once_have_the_url_that_is_requested(start_engine, film):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(film) as server:
        sessions = [engine.load(server.url) for _ in range(3)]
        urls = segments(sessions[0])
        for number in range(20):
            calls = [engine.stub.RefreshSource.future(request(each, f"{server.base}/{number}-{place}.mkv"), timeout=PATIENCE)
                     for place, each in enumerate(sessions)]
            for call in calls:
                call.result()
            shown = {engine.state(each.id).source for each in sessions}
            forget(engine)
            settle(server)
            before = len(server.requests)
            # Backwards, so that the segment has not been read ahead.
            assert hls.request(urls[-1 - 2 * number]).status == 200
            assert {f"{server.base}{each.path}" for each in list(server.requests)[before:]} == shown and len(shown) == 1
        for session in sessions:
            session.stop()


def test_a_refresh_that_its_client_cancels_changes_nothing(engine, film):
    with origin.origin(film) as server:
        silent(server)
        session = engine.load(server.url)
        call = engine.stub.RefreshSource.future(request(session, f"{server.base}/silent"), timeout=PATIENCE)
        eventually(lambda: asked_for(server, "/silent"), "the refresh to reach the server")
        call.cancel()
        # This refresh is carried out after the cancelled one has ended.
        engine.stub.RefreshSource(request(session, headers=[KEY]), timeout=PATIENCE)
        server.released.set()
        assert engine.state(session.id).source == server.url
        session.stop()


def test_a_refresh_after_a_kill_revives_all_sessions_of_the_expired_url(start_engine, film):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(film) as server:
        sessions = [engine.load(f"{server.url}?sig=1") for _ in range(2)]
        lasts = [last_segment(each) for each in sessions]
        wanted = [digest(each) for each in lasts]
        server.respond = lambda handler, asked: (
            server.serve(handler, asked) if "sig=2" in asked.path else handler.answer(403))
        engine.kill()
        engine = start_engine("--cache-disk-bytes", "off", directory=engine.directory)
        for session in sessions:
            eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_ERROR, "the session to fail")
        refresh(engine, sessions[0], f"{server.url}?sig=2")
        assert all(engine.state(each.id).phase != state_pb2.PHASE_ERROR for each in sessions)
        assert [digest(each) for each in lasts] == wanted
