# SPDX-License-Identifier: Apache-2.0
"""The page plays live sources: it begins at the live edge, follows the window, seeks back and returns, continues when
the viewer has fallen behind the window, and survives a restart of the engine."""

import pytest
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.live import live, package_channel
from harness.web_page import WebPage, chromium, firefox, link

pytestmark = pytest.mark.long

BROWSERS = {"chromium": chromium, "firefox": firefox}
# Segments of one second.
WINDOW = 30
AT_EDGE, BEHIND = "LIVE", "Go to what is live"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return package_channel(tmp_path_factory.mktemp("channel") / "ts")


@pytest.fixture(params=BROWSERS)
def page(request):
    with BROWSERS[request.param]() as browser:
        yield WebPage(browser.driver)


def window(engine, session):
    """The seekable range, in seconds."""
    found = engine.state(session.id).seekable[0]
    return found.start_us / 1e6, found.end_us / 1e6


def grows(origin, engine, session, count):
    """Lists more segments until there are `count`, less than a window at a time."""
    while origin.count < count:
        origin.count = min(count, origin.count + WINDOW // 2)
        eventually(lambda: window(engine, session)[1] == origin.count, f"the edge at {origin.count} s")


def healthy(page):
    look = page.look()
    assert look["error"] is None and look["complaints"] == [], look


def test_the_page_joins_at_the_edge_and_follows_the_window(start_engine, bundle, page):
    engine = start_engine()
    with live(bundle, window=WINDOW, count=WINDOW) as origin, origin.running():
        session = engine.load(origin.url)
        page.open(link(engine))
        page.press("k")
        page.plays()
        page.until(lambda look: look["live"] == AT_EDGE, "the edge")
        first, time = window(engine, session)[0], page.look()["time"]
        eventually(lambda: window(engine, session)[0] >= first + 10, "the window to move")
        page.until(lambda look: look["time"] >= time + 10, "the page to follow")
        look = page.look()
        assert look["live"] == AT_EDGE and look["clock"].startswith("-0:") and "behind what is live" in look["slider"], look
        assert look["thumb"] > 50, "most of the window lies before the playhead"

        page.press("1")
        page.until(lambda look: look["live"] == BEHIND and look["thumb"] < 30, "the beginning of the window")
        page.plays()
        page.click(".live")
        page.until(lambda look: look["live"] == AT_EDGE, "the edge again")
        page.plays()
        page.press("Home")
        page.until(lambda look: look["thumb"] < 20, "the beginning, by its key")
        page.press("End")
        page.until(lambda look: look["live"] == AT_EDGE, "the edge, by its key")
        page.plays()
        healthy(page)


def test_a_paused_viewer_falls_behind_the_window(start_engine, bundle, page):
    engine = start_engine()
    with live(bundle, window=WINDOW, count=WINDOW) as origin:
        session = engine.load(origin.url)
        page.open(link(engine))
        page.press("k")
        page.plays(0.1)
        page.press("k")
        page.until(lambda look: look["paused"], "the pause")
        time = page.look()["time"]
        grows(origin, engine, session, 3 * WINDOW)
        look = page.look()
        assert look["paused"] and look["time"] == time and look["live"] == BEHIND and look["thumb"] == 0, look
        page.press("k")
        page.until(lambda look: look["time"] >= window(engine, session)[0], "the beginning of the window")
        page.until(lambda look: "no longer kept" in look["message"], "the reason")
        page.plays()
        page.click(".live")
        page.until(lambda look: look["live"] == AT_EDGE, "the edge")
        # At the end of the media, the page waits, and says so.
        page.until(lambda look: look["message"] == "Waiting for media…", "the page to say that nothing comes")
        grows(origin, engine, session, 4 * WINDOW)
        page.plays()
        page.until(lambda look: look["message"] == "", "the message to go")
        healthy(page)


def test_a_restart_of_the_engine(start_engine, bundle, page, tmp_path):
    engine = start_engine(state_home=tmp_path)
    with live(bundle, window=WINDOW, count=WINDOW) as origin, origin.running():
        session = engine.load(origin.url)
        page.open(link(engine))
        page.press("k")
        page.plays()
        edge = window(engine, session)[1]
        engine.kill()
        again = start_engine(state_home=tmp_path, directory=engine.directory)
        # The next process continues the timeline a hundred segments later.
        page.until(lambda look: look["time"] > edge + 90, "the page to go where the next process is")
        page.plays()
        page.click(".live")
        page.until(lambda look: look["live"] == AT_EDGE, "the edge")
        page.plays()
        again.stub.Pause(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        page.until(lambda look: look["paused"], "the next process to be obeyed")
        assert page.look()["error"] is None
