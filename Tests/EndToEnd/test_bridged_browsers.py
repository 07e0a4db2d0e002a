# SPDX-License-Identifier: Apache-2.0
"""The page plays what no browser decodes, in Chromium and Firefox: after each seek, the screen shows the frame of that time,
and beeps begin with their frames."""

import bisect
import functools
import json
import random
import subprocess

import numpy
import pytest
from harness import bridged_films, numbered
from harness.contract import engine_pb2
from harness.engine import PATIENCE, Session, eventually
from harness.web_page import WebPage, chromium, firefox, link
from test_video_bridge import served, shown

pytestmark = pytest.mark.long

BROWSERS = {"chromium": chromium, "firefox": firefox}
SEEKS = 20
# What Chromium decodes itself: it has libavcodec's decoder of H.264.
REMUXED = {("chromium", "screen capture"), ("chromium", "H.264 4:2:2")}
# At a time this close to the beginning of a frame, the frame before it is right too, because browsers round times.
ROUNDING = 0.0015


class Screen:
    """The page in a browser, in which one film follows the other."""

    def __init__(self, engine, name, browser):
        self.engine, self.name, self.page, self.session = engine, name, WebPage(browser.driver), None

    def show(self, path, profile=None):
        """Loads a film into the session of the page, and waits for its first frame."""
        options = engine_pb2.LoadOptions(profile=profile or self.name, video_bridge=engine_pb2.VIDEO_BRIDGE_WHEN_NEEDED,
                                         segment_target_us=1_000_000)
        request = engine_pb2.LoadRequest(source=str(path), options=options, session_id=self.session.id if self.session else "")
        is_open, self.session = self.session is not None, Session(self.engine, self.engine.stub.Load(request, timeout=PATIENCE))
        if not is_open:
            self.page.open(link(self.engine))
            self.page.show_video_alone()
        self.page.until(lambda look: look["title"] == path.name and look["ready"] >= 2 and not look["seeking"], "the first frame")
        return self.session

    def seek(self, target):
        """A seek of another client. Returns the time at which the video has landed."""
        request = engine_pb2.SeekRequest(session_id=self.session.id, position_us=round(target * 1e6))
        self.engine.stub.Seek(request, timeout=PATIENCE)
        return self.lands(target)

    def press(self, tenth):
        """A seek by a key of the page."""
        self.page.press(str(tenth))
        return self.lands(tenth * self.engine.state(self.session.id).duration_us / 1e7)

    def lands(self, target):
        look = self.page.until(lambda look: abs(look["time"] - target) <= ROUNDING and not look["seeking"] and look["ready"] >= 2,
                               f"the seek to {target} s to land")
        assert look["paused"] and look["error"] is None and look["complaints"] == [], look
        return look["time"]

    def number(self):
        return numbered.read(self.page.video_on_screen(numbered.WIDTH, numbered.HEIGHT))


@pytest.fixture(scope="module", params=BROWSERS)
def screen(request, engine):
    with BROWSERS[request.param]() as browser:
        yield Screen(engine, request.param, browser)


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    return functools.cache(functools.partial(bridged_films.make, tmp_path_factory.mktemp("films")))


def seeks(name, seconds):
    """What seeks a screen: the keys for each tenth of the duration, and times before `seconds`. Each returns where the video has
    landed."""
    draw = random.Random(name)
    found = [functools.partial(Screen.press, tenth=tenth) for tenth in range(10)]
    found += [functools.partial(Screen.seek, target=draw.uniform(0, seconds - 0.01)) for _ in range(SEEKS - 10)]
    return draw.sample(found, SEEKS)


def places(times, time):
    """The places of the frames that may be seen after a seek to this time."""
    return {max(0, bisect.bisect_right(times, time + each) - 1) for each in (-ROUNDING, ROUNDING)}


def beginnings(path):
    """When the beeps of a file begin, in seconds."""
    start = json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "a:0", "-read_intervals", "%+#1", "-show_entries", "frame=best_effort_timestamp_time",
         "-of", "json", path], check=True, capture_output=True).stdout)["frames"][0]["best_effort_timestamp_time"]
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a:0", "-ac", "1", "-ar", str(bridged_films.RATE), "-f",
                          "s16le", "-"], check=True, capture_output=True).stdout
    loud = numpy.flatnonzero(numpy.abs(numpy.frombuffer(raw, "<i2").astype(int)) > 4000)
    first = numpy.diff(loud, prepend=-bridged_films.RATE) > bridged_films.RATE / 4
    return [float(start) + at / bridged_films.RATE for at in loud[first]]


@pytest.mark.parametrize("name", bridged_films.FILMS)
def test_the_screen_shows_the_frame_of_each_time(screen, films, tmp_path, name):
    film = films(name)
    session = screen.show(film.path)
    stream = next(each for each in session.state.media.streams if each.video.width)
    assert stream.route == ("remux" if (screen.name, name) in REMUXED else "bridge"), stream.route_reason
    # What is served: each frame once and at its time, and beeps that begin within a frame of theirs.
    times, numbers = shown(served(session, tmp_path))
    assert numbers == film.numbers
    assert [time - times[0] for time in times] == pytest.approx(film.times, abs=0.0011)
    heard = beginnings(served(session, tmp_path, is_audio=True))
    assert heard == pytest.approx([times[mark] for mark in film.marks], abs=film.times[1])
    print(f"{screen.name}, {name}: beeps begin", *(f"{1000 * (at - times[mark]):+.1f}" for at, mark in zip(heard, film.marks)), "ms after frames")
    # What is seen.
    for seek in seeks(name, film.seconds):
        time = seek(screen)
        right = {numbers[place] for place in places(times, time)}
        eventually(lambda: screen.number() in right, lambda: f"one of {right} at {time} s, not {screen.number()}")
    screen.page.press("k")
    screen.page.plays()
    screen.page.press("k")
    look = screen.page.until(lambda look: look["paused"], "the pause")
    assert look["error"] is None and look["complaints"] == []


def test_video_that_was_encoded_for_another_player_is_encoded_for_the_page(screen, films):
    """The other player decodes AC-3, so the page loads the film again."""
    session = screen.show(films("MPEG-2, telecined").path, profile="everything")
    assert [(each.codec, each.route) for each in session.state.media.streams] == [("mpeg2video", "bridge"), ("ac3", "remux")]
    eventually(lambda: screen.engine.state(session.id).profile == "custom", "the page to load the film again")
    screen.page.until(lambda look: look["ready"] >= 2 and look["width"] == numbered.WIDTH, "the first frame")
    assert [each.route for each in screen.engine.state(session.id).media.streams] == ["bridge", "bridge"]
