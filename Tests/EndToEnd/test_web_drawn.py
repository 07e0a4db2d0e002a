# SPDX-License-Identifier: Apache-2.0
"""The page shows scripts as the engine draws them, and bitmap subtitles, above the video and at its size."""

import json

import numpy
import pytest
from harness import drawing, graphics
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.tiers import tiered
from harness.web_page import WebPage, chromium, firefox, link

BROWSERS = {"chromium": chromium, "firefox": firefox}
# For each canvas: its size, the smallest rectangle with all its visible pixels, and the pixels of that rectangle in
# rows, which are not multiplied by alpha.
CANVASES = """
return JSON.stringify([...document.querySelectorAll('.drawn')].map(node => {
    const { width, height } = node, { data } = node.getContext('2d').getImageData(0, 0, width, height);
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) {
        if (!data[(y * width + x) * 4 + 3]) continue;
        [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
    const pixels = [];
    for (let y = top; y <= bottom; y += 1) pixels.push(...data.subarray((y * width + left) * 4, (y * width + right + 1) * 4));
    const box = node.getBoundingClientRect(), video = document.querySelector('video').getBoundingClientRect();
    return { width, height, left, top, right, bottom, pixels, box: [box.x - video.x, box.y - video.y, box.width, box.height], ratio: devicePixelRatio };
}));
"""
EVENTS = [
    "0,0:00:00.00,0:00:06.00,Sign,,0,0,0,,{\\pos(120,60)\\blur2}TYPESET",
    "0,0:00:00.00,0:00:06.00,Default,,0,0,0,,at the bottom",
    "0,0:00:08.00,0:00:20.00,Default,,0,0,0,,{\\t(0,12000,\\frz360)\\pos(320,180)}turns",
]


@pytest.fixture(params=tiered(BROWSERS, {"chromium"}))
def page(request):
    with BROWSERS[request.param]() as browser:
        yield WebPage(browser.driver)


def canvases(page):
    return json.loads(page.driver.execute_script(CANVASES))


def seek(engine, session, time):
    engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=int(time * 1e6)), timeout=PATIENCE)


def is_shown(page):
    return eventually(lambda: (found := canvases(page)) and all(each["right"] >= 0 for each in found) and found, "subtitles to be shown")


@pytest.fixture(scope="module")
def typeset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    return drawing.film(folder, drawing.script(*EVENTS), "-disposition:s:0", "default", seconds=20)


def test_a_script_is_shown_as_its_author_meant_it(engine, page, typeset):
    session = engine.load(typeset, profile="chromium")
    page.open(link(engine))
    seek(engine, session, 3)
    shown, = is_shown(page)
    width, height = shown["width"], shown["height"]
    # As large as the video on the screen, and exactly above it.
    assert [width, height] == [round(side * shown["ratio"]) for side in shown["box"][2:]]
    assert abs(width / height - 16 / 9) < 0.01
    span = subtitles_pb2.CueRange(start_us=3_000_000, end_us=3_100_000)
    pictures, _ = drawing.draw(engine, width, height, session_id=session.id, range=span)
    theirs = drawing.composed(pictures[0], width, height, grey=0)
    ours = numpy.zeros((height, width, 3))
    pixels = numpy.array(shown["pixels"], float).reshape(shown["bottom"] - shown["top"] + 1, -1, 4)
    ours[shown["top"]:shown["bottom"] + 1, shown["left"]:shown["right"] + 1] = pixels[:, :, :3] * pixels[:, :, 3:] / 255
    # A canvas keeps eight bits of a colour that is not multiplied by alpha.
    assert abs(ours - theirs).max() <= 3
    # Between the lines, and after a seek back.
    seek(engine, session, 7)
    eventually(lambda: canvases(page)[0]["right"] < 0, "the subtitles to disappear")
    seek(engine, session, 2)
    is_shown(page)
    look = page.look()
    assert look["cues"] == [] and look["complaints"] == [] and page.console() == []


@pytest.mark.long
def test_moving_subtitles_move(engine, page, typeset):
    session = engine.load(typeset, profile="chromium", autoplay=True)
    page.open(link(engine))
    seek(engine, session, 9)
    boxes = set()
    eventually(lambda: boxes.add(tuple(canvases(page)[0][side] for side in ("left", "top", "right", "bottom"))) or len(boxes) > 5,
               "the text to turn")
    assert page.look()["complaints"] == []


@pytest.mark.long
def test_two_bitmap_tracks_are_shown(engine, page, tmp_path):
    video = tmp_path / "video.mkv"
    graphics.video(video, 10)
    sets = [(1.0, graphics.shown([(20, 10, 40, 12, False)], number=1)), (8.0, graphics.cleared())]
    others = [(1.0, graphics.shown([(101, 140, 90, 20, False)], number=1)), (8.0, graphics.cleared())]
    for name, each in (("one", sets), ("two", others)):
        (tmp_path / f"{name}.sup").write_bytes(graphics.file(each))
    path = tmp_path / "film.mkv"
    graphics.joined(path, video, tmp_path / "one.sup", tmp_path / "two.sup")
    session = engine.load(path, profile="chromium")
    page.open(link(engine))
    seek(engine, session, 3)
    engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(session_id=session.id, subtitles={"tracks": {"ids": []}}), timeout=PATIENCE)
    eventually(lambda: not canvases(page), "no track to be shown")
    page.choose("Subtitles", "pictures")
    eventually(lambda: len(canvases(page)) == 1, "one track to be shown")
    engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(
        session_id=session.id, subtitles={"tracks": {"ids": [track.id for track in session.state.subtitle_tracks]}}), timeout=PATIENCE)
    eventually(lambda: len(canvases(page)) == 2, "two tracks to be shown")
    places = sorted((each["left"], each["top"], each["right"] - each["left"] + 1) for each in is_shown(page))
    assert places == [(20, 10, 40), (101, 140, 90)]
    assert page.look()["complaints"] == [] and page.console() == []
