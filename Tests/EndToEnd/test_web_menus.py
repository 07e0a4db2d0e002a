# SPDX-License-Identifier: Apache-2.0
"""The menus of the page choose titles, programs, variants, and the size and delay of subtitles. Their contrast,
accessible names and focus order are checked."""

import base64
import subprocess
import time

import numpy
import pytest
from harness import bluray
from harness.bundles import package_variants
from harness.contract import engine_pb2
from harness.contrast import Theme
from harness.engine import PATIENCE, eventually
from harness.places import clip
from harness.tiers import tiered
from harness.web_page import WebPage, chromium, firefox, link

BROWSERS = {"chromium": chromium, "firefox": firefox}
# A text colour and what is behind it, from the top down: rules of the style sheet, or variables of the theme.
TEXT = [
    ("--ink", "--glass"), ("--dim", "--glass"), ("--ink", "--line", "--glass"), ("--ink", "--panel"), ("--dim", "--panel"),
    ("--ink", "--line", "--panel"), ("--dim", "--line", "--panel"), (".primary", ".primary"), (".live", ".live"), (".live.far", "--glass"),
    (".top", ".top"), ("video::cue", "video::cue"), ("kbd", "--panel"), ("small", "--panel"), ("dt", "--glass"),
]
# The ring around what has the focus, the mark of what is chosen, and the parts of the timeline.
PARTS = [("--accent", "--glass"), ("--accent", "--panel"), ("--dim", "--panel")]


# In the lean tier, this file uses only Firefox, because other files test the page in Chromium.
@pytest.fixture(params=tiered(BROWSERS, {"firefox"}))
def page(request):
    with BROWSERS[request.param]() as browser:
        yield WebPage(browser.driver)


def video(size, source="testsrc2", seconds=30, rate=25):
    return ["-f", "lavfi", "-i", f"{source}=s={size}:r={rate}:d={seconds}"]


def play(engine, session):
    engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)


def plays_with_width(page, width, replaced=()):
    """Waits until the page plays frames of this width, without an error. The engine answers requests under the master playlists
    that loads have `replaced` with 404; the page may have sent some before it learned of the load.
    """
    page.until(lambda look: look["width"] == width and look["ready"] >= 2, f"frames of {width} pixels")
    page.plays(0.2)
    errors = page.console(replaced)
    look = page.look()
    assert look["error"] is None and look["complaints"] == [] and errors == [], (errors, look)


@pytest.mark.long
def test_titles_of_a_disc(start_engine, page, tmp_path):
    encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "ac3", "-ac", "2"]
    disc = bluray.Disc(tmp_path / "disc")
    for number, (size, seconds) in enumerate([("320x240", 31), ("640x480", 30)]):
        tone = ["-f", "lavfi", "-i", f"sine=440:sample_rate=48000:d={seconds}"]
        disc.add_title(disc.add_clip(bluray.encode(
            tmp_path / f"{number}.m2ts", [*video(size, seconds=seconds), *tone], "-map", "0:v", "-map", "1:a", *encoding)))
    disc.write()
    engine = start_engine()
    session = engine.load(disc.root)
    page.open(link(engine))
    assert "Titles" in page.look()["menus"] and "Quality" not in page.look()["menus"]
    play(engine, session)
    plays_with_width(page, 320)
    labels = page.choose("Titles", "Title 2")
    assert labels == ["Title 10:31 · main title", "Title 20:30"]
    plays_with_width(page, 640, replaced=[session.url])
    state = engine.state(session.id)
    assert [title.selected for title in state.media.titles] == [False, True] and state.renderer.name.startswith("web page ")


def test_programs(start_engine, page, tmp_path):
    path = tmp_path / "programs.ts"
    tones = [word for tone in (300, 440) for word in ("-f", "lavfi", "-i", f"sine={tone}:d=30")]
    subprocess.run(
        ["ffmpeg", "-v", "error", *video("320x240", rate=10), *video("640x360", rate=10), *tones, "-map", "0", "-map", "2", "-map", "1", "-map", "3",
         "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-g", "10", "-c:a", "aac",
         "-program", "program_num=3:title=News:st=0:st=1", "-program", "program_num=7:title=Films:st=2:st=3", path],
        check=True, timeout=PATIENCE)
    engine = start_engine()
    session = engine.load(path)
    page.open(link(engine))
    play(engine, session)
    plays_with_width(page, 320)
    assert len(page.choose("Programs", "Films")) == 2
    plays_with_width(page, 640, replaced=[session.url])
    assert engine.state(session.id).media.program == 7


@pytest.mark.long
def test_variants(start_engine, page, tmp_path):
    ladder = package_variants(tmp_path, seconds=24)
    engine = start_engine()
    session = engine.load(ladder)
    page.open(link(engine))
    play(engine, session)
    plays_with_width(page, 1280)
    source = page.source()
    # Formats that the session offers are played from the next segment on, without a load.
    assert len(page.choose("Quality", "360p")) == 3
    plays_with_width(page, 640)
    page.choose("Quality", "720p")
    plays_with_width(page, 1280)
    assert page.source() == source and engine.state(session.id).url == session.url
    # Any other variant needs another load, at the same position.
    options = engine_pb2.LoadOptions(variants=engine_pb2.VariantSelection(max_height=360), autoplay=True)
    request = engine_pb2.LoadRequest(source=str(ladder), session_id=session.id, options=options, start_position_us=5_000_000)
    smaller = engine.stub.Load(request, timeout=PATIENCE)
    plays_with_width(page, 640, replaced=[session.url])
    page.choose("Quality", "720p")
    plays_with_width(page, 1280, replaced=[smaller.url])
    assert page.look()["time"] > 5
    assert [each.use for each in engine.state(session.id).media.variants if each.height == 720] == ["played"]


@pytest.mark.long
def test_the_size_and_the_delay_of_subtitles(start_engine, page):
    engine = start_engine()
    session = engine.load(clip("subtitled.mkv"))
    page.open(link(engine))
    # One video and one audio track: a menu exists only where there is a choice.
    assert "Subtitles" in page.look()["menus"] and not {"Titles", "Programs", "Quality"} & set(page.look()["menus"])
    play(engine, session)
    before = page.until(lambda look: look["times"] and look["times"][0], "cues")["times"][0][0]
    source = page.source()
    for key, milliseconds in (("Z", 100), ("Z", 200), ("z", 100)):
        page.press(key)
        page.until(lambda look: abs(look["times"][0][0] - before - milliseconds / 1000) < 0.001, "the cues to move")
        assert page.look()["message"] == f"Subtitle delay: +0.{milliseconds // 100} s"
        eventually(lambda: engine.state(session.id).subtitle_delay_us == milliseconds * 1000, "the engine to know")
    # A delay set by another client.
    engine.stub.SetSubtitleDelay(engine_pb2.SetSubtitleDelayRequest(session_id=session.id, delay_us=-50_000), timeout=PATIENCE)
    page.until(lambda look: abs(look["times"][0][0] - max(0, before - 0.05)) < 0.001, "the cues to move back")
    page.plays()
    assert page.source() == source, "the media goes on"

    page.click("[name=subtitles]")
    page.click("[title='Larger text']")
    page.until(lambda look: look["size"] == "1.25", "larger text")
    page.click("[title='Subtitles later']")
    eventually(lambda: engine.state(session.id).subtitle_delay_us == 50_000, "the delay, by the menu")
    page.driver.get(page.look()["address"])
    page.until(lambda look: look["ready"] >= 2 and look["size"] == "1.25", "the size after a reload")


@pytest.mark.parametrize("is_light", [False, True])
def test_colours_have_enough_contrast(is_light):
    """WCAG AA: 4.5 for text, 3 for the parts of controls, over any picture."""
    theme = Theme(is_light)
    ratios = {pair: round(theme.ratio(*pair), 2) for pair in TEXT + PARTS}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < (4.5 if pair in TEXT else 3)} == {}


@pytest.mark.long
def test_controls_can_be_used_without_sight_or_mouse(start_engine, page):
    engine = start_engine()
    engine.load(clip("subtitled.mkv"))
    page.open(link(engine))
    assert page.problems() == []
    # The order of focus is that of the screen, and each menu's button is followed by its choices.
    order = page.tab_order()
    assert order[:4] == ["Position", "Back 10 seconds", "Play", "Forward 10 seconds"] and order[-1] == "Sessions and files", order
    assert order.index("Subtitles") < order.index("Speed") < order.index("Full screen")
    page.press("c")
    focused = page.focused()
    assert focused["role"] == "menuitemcheckbox" and focused["ring"] != "none", focused
    page.press_there("Escape")
    assert page.focused()["name"] == "Subtitles"
    page.press("?")
    assert page.focused()["name"] == "Close"


@pytest.mark.long
def test_a_menu_says_whether_several_can_be_chosen(start_engine, page):
    engine = start_engine()
    engine.load(clip("subtitled.mkv"))
    page.open(link(engine))
    found = page.driver.execute_script("""
        const roles = name => {
            document.querySelector(`[name=${name}]`).click();
            return [...document.querySelectorAll('.menu:not([hidden]) [aria-checked]')].map(item => [item.role, item.ariaChecked]);
        };
        return [roles('subtitles'), roles('speed')];
    """)
    subtitles, speeds = found
    assert {role for role, _ in subtitles} == {"menuitemcheckbox"} and {role for role, _ in speeds} == {"menuitemradio"}, found
    assert [checked for _, checked in speeds].count("true") == 1


MENU = """
document.querySelector('[name=subtitles]').click();
const menu = document.querySelector('.menu:not([hidden])'), box = menu.getBoundingClientRect();
const row = document.querySelector('.row').getBoundingClientRect();
const choices = [...menu.querySelectorAll('button')], last = choices.at(-1);
const lines = text => {
  const range = document.createRange();
  range.selectNodeContents(text);
  return new Set([...range.getClientRects()].map(line => Math.round(line.top))).size;
};
const texts = document.createTreeWalker(menu, NodeFilter.SHOW_TEXT), broken = [];
while (texts.nextNode()) if (lines(texts.currentNode) > 1) broken.push(texts.currentNode.data);
last.scrollIntoView();
const { top, bottom } = last.getBoundingClientRect();
document.querySelector('[name=subtitles]').click();
return { window: [innerWidth, innerHeight], menu: [box.left, box.top, box.right, box.bottom], row: row.top, last: [top, bottom], broken };
"""


@pytest.mark.parametrize(("width", "height"), tiered([(320, 256), (640, 360), (1280, 720)], {(320, 256)}))
def test_menus_fit_above_the_buttons(start_engine, width, height):
    engine = start_engine()
    engine.load(clip("subtitled.mkv"))
    with chromium() as browser:
        page = WebPage(browser.driver)
        page.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        page.open(link(engine))
        found = page.driver.execute_script(MENU)
    left, top, right, bottom = found["menu"]
    assert found["window"] == [width, height]
    assert left >= 0 and top >= 0 and right <= width and bottom <= found["row"] and bottom - top > 40, found
    # Where there is room, a menu is as wide as its longest text.
    assert width < 640 or found["broken"] == [], found
    # The last choice can be scrolled to.
    assert found["last"][0] >= top and found["last"][1] <= bottom, found


def screen(page, width):
    """What the browser shows, in grey."""
    image = base64.b64decode(page.driver.get_screenshot_as_base64())
    grey = subprocess.run(["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "gray", "-"], input=image, capture_output=True,
                          check=True, timeout=PATIENCE).stdout
    return numpy.frombuffer(grey, numpy.uint8).reshape(-1, width).astype(int)


@pytest.mark.parametrize(("width", "height", "size"), tiered(
    [(480, 360, 1), (380, 700, 1), (1280, 720, 0.5), (1280, 720, 2)], {(480, 360, 1)}))
def test_cues_are_above_the_controls(start_engine, width, height, size):
    """Whatever subtitles change on the screen of a paused film is above the controls, also where these have two rows."""
    engine = start_engine()
    session = engine.load(clip("subtitled.mkv"), start=22)
    with chromium() as browser:
        page = WebPage(browser.driver)
        page.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        page.prepare(f"localStorage.setItem('engined-cues', {size})")
        page.open(link(engine))
        page.until(lambda look: look["cues"] and look["cues"][0] and float(look["size"]) == size, "the default subtitles")
        time.sleep(1)
        shown = screen(page, width)
        top = page.driver.execute_script("return document.querySelector('.controls').getBoundingClientRect().top")
        engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(session_id=session.id, subtitles={"tracks": {"ids": []}}), timeout=PATIENCE)
        page.until(lambda look: look["cues"] == [], "no subtitles")
        time.sleep(1)
        # The browser may draw the edge of an icon a little differently each time.
        changed = numpy.flatnonzero((abs(screen(page, width) - shown) > 60).any(axis=1))
    assert len(changed) and changed[-1] < top, (changed, top)
