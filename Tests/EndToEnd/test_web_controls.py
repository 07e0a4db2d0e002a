# SPDX-License-Identifier: Apache-2.0
"""Every key, sheet and touch of the page does what it says, each seek shows the frame of its time, and pages of other sites can
neither embed the page nor command the engine."""

import re
import subprocess
import urllib.parse

import pytest
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ROOT, clip
from harness.tiers import tiered
from harness.web_page import WebPage, chromium, firefox, link, shown_number
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

BROWSERS = {"chromium": chromium, "firefox": firefox}
RATE, SECONDS = 10, 60
WIDTH, HEIGHT = 320, 192
CHAPTERS = [0, 15, 40]


def frame(number):
    """A grey picture with a number in its corner, as `shown_number` reads it."""
    bits = b"".join(bytes([255 if number >> bit & 1 else 0]) * 16 for bit in range(11, -1, -1))
    rest = b"\x60" * (WIDTH - len(bits))
    return (bits + rest) * 48 + (bytes(255 - value for value in bits) + rest) * 48 + b"\x60" * WIDTH * (HEIGHT - 96)


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    """A film of a minute, whose frames show their number, with three chapters and a keyframe every two seconds."""
    folder = tmp_path_factory.mktemp("numbered")
    ends = [*CHAPTERS[1:], SECONDS]
    (folder / "chapters.txt").write_text(";FFMETADATA1\n" + "".join(
        f"[CHAPTER]\nTIMEBASE=1/1\nSTART={start}\nEND={end}\ntitle=Part {place}\n" for place, (start, end) in enumerate(zip(CHAPTERS, ends))))
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pixel_format", "gray", "-video_size", f"{WIDTH}x{HEIGHT}", "-framerate", str(RATE), "-i", "-",
         "-f", "lavfi", "-i", f"sine=440:d={SECONDS}", "-i", "chapters.txt", "-map", "0", "-map", "1", "-map_metadata", "2", "-c:v", "libx264",
         "-preset", "ultrafast", "-g", "20", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "aac", "film.mp4"],
        input=b"".join(map(frame, range(RATE * SECONDS))), check=True, cwd=folder, timeout=PATIENCE)
    return folder / "film.mp4"


@pytest.fixture
def engine(engine):
    """The shared engine. After each test, all its sessions are stopped."""
    yield engine
    for state in engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions:
        engine.stub.Stop(engine_pb2.SessionRequest(session_id=state.session_id), timeout=PATIENCE)


@pytest.fixture
def page():
    with chromium() as browser:
        yield WebPage(browser.driver)


def type_keys(page, *keys):
    """Presses keys as a person does: some actions need that."""
    ActionChains(page.driver).send_keys(*keys).perform()


def is_near(look, time):
    return not look["seeking"] and look["ready"] >= 2 and abs(look["time"] - time) < 0.001


def healthy(page):
    assert page.look()["complaints"] == [] and page.console() == []


@pytest.mark.parametrize("name", tiered(BROWSERS, {"chromium"}))
def test_twenty_seeks_show_the_frame_of_their_time(engine, numbered, name):
    """Another client seeks, to any time and back; the picture is read from the frames that the browser has decoded."""
    session = engine.load(numbered, profile=name)
    with BROWSERS[name]() as browser:
        page = WebPage(browser.driver)
        page.open(link(engine))
        for turn in range(20):
            # A step that visits all parts of the film, never in order; the middle of a frame.
            number = (turn * 617 + 331) % (RATE * SECONDS)
            time = (number + 0.5) / RATE
            engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=round(time * 1e6)), timeout=PATIENCE)
            page.until(lambda look, time=time: is_near(look, time), f"the seek to {time}")
            eventually(lambda number=number: shown_number(page) == number, lambda number=number: f"{number}, not {shown_number(page)}")
        page.press("k")
        page.plays()
        assert page.look()["error"] is None
        healthy(page)


@pytest.mark.long
def test_every_key_does_what_it_says(engine, numbered, page):
    session = engine.load(numbered, profile="chromium")
    page.open(link(engine))

    def goes_to(time, *keys):
        type_keys(page, *keys)
        page.until(lambda look: is_near(look, time), f"{keys} to lead to {time} s")

    goes_to(30, "5")
    goes_to(20, "j")
    goes_to(30, "L")
    goes_to(25, Keys.ARROW_LEFT)
    goes_to(30, Keys.ARROW_RIGHT)
    for key, time in ((Keys.PAGE_DOWN, 40), (Keys.PAGE_UP, 15), (Keys.PAGE_UP, 0)):
        goes_to(time, key)
    labels = page.choose("Chapters", "Part 1")
    assert labels == ["Part 00:00", "Part 10:15", "Part 20:40"], labels
    page.until(lambda look: is_near(look, CHAPTERS[1]), "the chapter")
    # The focus returns to the button of the menu, which reacts to the space bar itself.
    page.driver.execute_script("document.activeElement.blur()")
    # A frame at a time.
    for key, number in ((".", 151), (".", 152), (",", 151)):
        type_keys(page, key)
        eventually(lambda number=number: shown_number(page) == number, f"frame {number}")
    type_keys(page, Keys.HOME)
    page.until(lambda look: look["time"] == 0 and not look["seeking"], "the start")
    type_keys(page, Keys.END)
    page.until(lambda look: look["time"] > SECONDS - 0.1 and not look["seeking"], "the end")
    goes_to(6, "1")
    for key, is_paused in (("k", False), (" ", True), (" ", False), ("k", True)):
        type_keys(page, key)
        page.until(lambda look, is_paused=is_paused: look["paused"] == is_paused, f"{key!r}: {is_paused}")
    for key, rate in ((">", 1.25), (">", 1.5), ("<", 1.25), ("<", 1)):
        type_keys(page, key)
        page.until(lambda look, rate=rate: look["rate"] == rate, f"the rate {rate}")

    def state(name):
        return getattr(engine.state(session.id), name)

    type_keys(page, "m")
    # The key toggles what the page knows.
    eventually(lambda: state("muted") and page.driver.execute_script("return document.querySelector('video').muted"), "no sound")
    type_keys(page, "M", Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    eventually(lambda: not state("muted") and round(state("volume"), 2) == 0.95, lambda: f"the volume, not {state('volume')}")
    for is_full in (True, False):
        type_keys(page, "f")
        eventually(lambda is_full=is_full: page.driver.execute_script("return Boolean(document.fullscreenElement)") == is_full, f"full: {is_full}")
    healthy(page)


# Holds the first command back, as a network may, and notes which commands are sent.
SLOW = """
window.sent ??= [];
const request = window.fetch.bind(window);
window.fetch = async (path, options) => {
    const name = String(path).split('/').at(-1);
    if (name === 'SetVolume' && !sent.length) await new Promise(resolve => setTimeout(resolve, 300));
    if (name === 'SetVolume') sent.push(JSON.parse(options.body).volume);
    return request(path, options);
};
"""


def test_commands_do_not_overtake_each_other(engine, page):
    session = engine.load(clip("h264-aac.mkv"))
    page.prepare(SLOW)
    page.open(link(engine))
    levels = [0.9, 0.5, 0.7, 0.2]
    page.driver.execute_script("""
        const slider = document.querySelector('input.volume');
        for (const level of arguments[0]) {
            slider.value = level;
            slider.dispatchEvent(new Event('input', { bubbles: true }));
        }
    """, levels)
    eventually(lambda: page.driver.execute_script("return sent") == levels, lambda: page.driver.execute_script("return sent"))
    eventually(lambda: round(engine.state(session.id).volume, 2) == 0.2, "the last volume")
    healthy(page)


FIGURES = """
const list = document.querySelector('.statistics');
return list.hidden ? null : [...list.querySelectorAll('dt')].map(term => [term.textContent, term.nextElementSibling.textContent]);
"""


@pytest.mark.long
def test_sheets_and_figures(engine, numbered, page):
    first = engine.load(numbered, profile="chromium")
    page.open(link(engine))
    type_keys(page, "i")
    figures = dict(eventually(lambda: page.driver.execute_script(FIGURES), "the figures"))
    assert len(figures) == 8 and figures["Video"].startswith(f"{WIDTH}×{HEIGHT}") and "avc1" in figures["Formats"], figures
    assert re.fullmatch(r"0 of \d+", figures["Dropped frames"]) and re.fullmatch(r"\d+\.\d MB", figures["Engine memory"]), figures
    type_keys(page, "i")
    eventually(lambda: page.driver.execute_script(FIGURES) is None, "no figures")
    # Each key of the page is on its sheet.
    type_keys(page, "?")
    listed = page.driver.execute_script("return [...document.querySelectorAll('dialog[open] kbd')].map(node => node.textContent)")
    assert {word for line in listed for word in re.split(r",? ", line)} >= set("K J L < > . M C Z F I O ? Space Home End ← → ↑ ↓ Page".split()), listed
    type_keys(page, Keys.ESCAPE)
    # A file is opened by its path, and the first session is chosen again, then ended.
    type_keys(page, "o")
    type_keys(page, str(clip("subtitled.mkv")), Keys.ENTER)
    page.until(lambda look: look["title"] == "subtitled.mkv" and look["ready"] >= 2 and not look["paused"], "the other film")
    sessions = "return [...document.querySelectorAll('dialog[open] .session strong')].map(node => node.textContent)"
    type_keys(page, "o")
    assert page.driver.execute_script(sessions) == ["film.mp4", "subtitled.mkv"]
    page.click("dialog[open] .session")
    page.until(lambda look: look["title"] == "film.mp4" and look["ready"] >= 2, "the first film")
    type_keys(page, "o")
    page.click("dialog[open] [title='Stop film.mp4']")
    page.until(lambda look: look["title"] == "subtitled.mkv" and look["ready"] >= 2, "the film that is left")
    remaining = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
    assert first.id not in {each.session_id for each in remaining} and len(remaining) == 1
    engine.stub.Stop(engine_pb2.SessionRequest(session_id=remaining[0].session_id), timeout=PATIENCE)
    page.until(lambda look: look["title"] == "Nothing is loaded", "the end")
    # What was on its way to a session when it was stopped is answered with 404.
    errors = page.console([first.url, remaining[0].url])
    assert page.look()["complaints"] == [] and [each for each in errors if "RenderReport" not in each] == []


# The browser's media controls call what the page has registered.
HANDLERS = """
window.handlers = {};
const register = MediaSession.prototype.setActionHandler;
MediaSession.prototype.setActionHandler = function (name, handler) { handlers[name] = handler; register.call(this, name, handler); };
"""


@pytest.mark.long
def test_the_media_controls_of_the_desktop(engine, numbered, page):
    engine.load(numbered, profile="chromium")
    page.prepare(HANDLERS)
    page.open(link(engine))
    assert page.look()["announced"] == "film.mp4"

    def uses(name, **details):
        page.driver.execute_script("handlers[arguments[0]](arguments[1])", name, {"action": name, **details})

    uses("seekto", seekTime=30)
    page.until(lambda look: is_near(look, 30), "30 s")
    uses("seekforward")
    page.until(lambda look: is_near(look, 40), "40 s")
    uses("seekbackward")
    page.until(lambda look: is_near(look, 30), "30 s again")
    uses("play")
    page.until(lambda look: not look["paused"], "playback")
    uses("pause")
    page.until(lambda look: look["paused"], "the pause")
    healthy(page)


MOTION = """
const style = selector => getComputedStyle(document.querySelector(selector));
document.querySelector('#player').classList.add('waiting');
const turning = getComputedStyle(document.querySelector('#player'), '::after').animationName;
document.querySelector('#player').classList.remove('waiting');
return [style('.top').transitionDuration, style('.controls').transitionDuration, turning];
"""


@pytest.mark.long
def test_nothing_moves_for_those_who_do_not_want_it(engine, page):
    engine.load(clip("h264-aac.mkv"))
    page.open(link(engine))
    assert page.driver.execute_script(MOTION) == ["0.25s", "0.25s", "turn"]
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    top, controls, turning = page.driver.execute_script(MOTION)
    assert float(top.rstrip("s")) == float(controls.rstrip("s")) == 0 and turning == "fade", (top, controls, turning)


@pytest.mark.long
def test_a_touch_shows_the_controls_first(engine, numbered, page):
    engine.load(numbered, profile="chromium", autoplay=True)
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page.open(link(engine))
    is_idle = "return document.querySelector('#player').classList.contains('idle')"

    def touch():
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 200, "y": 250}]})
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    page.plays()
    eventually(lambda: page.driver.execute_script(is_idle), "the controls to disappear")
    touch()
    eventually(lambda: not page.driver.execute_script(is_idle), "the controls")
    page.plays()
    # The controls are shown for 2.5 s. On a busy machine they may have disappeared again; the next touch would only show them.
    page.driver.execute_script("document.querySelector('#player').dispatchEvent(new PointerEvent('pointermove', { bubbles: true }))")
    touch()
    page.until(lambda look: look["paused"], "the pause")
    healthy(page)


# What a page of another site can try without being asked: a frame, calls by a script and by a form.
ATTACK = """
const [address, done] = arguments, said = [];
const frame = document.createElement('iframe'), form = document.createElement('form');
const attempt = (name, options) => fetch(`${address}api/Stop`, { method: 'POST', body: '{}', ...options })
    .then(answer => said.push([name, answer.type]), () => said.push([name, 'refused']));
frame.src = address;
document.body.append(frame, form);
frame.onload = async () => {
    await attempt('json', { headers: { 'Content-Type': 'application/json' } });
    await attempt('token', { headers: { 'Content-Type': 'application/json', Authorization: 'Bearer 0' } });
    await attempt('text', { mode: 'no-cors' });
    await fetch(`${address}openapi.json`).then(() => said.push(['document', 'read']), () => said.push(['document', 'refused']));
    done(said);
};
"""


@pytest.mark.long
def test_pages_of_other_sites_embed_and_command_nothing(engine, numbered, page):
    session = engine.load(numbered)
    address = link(engine).split("#")[0]
    with chromium() as browser:
        driver = browser.driver
        driver.get(browser.page)
        said = driver.execute_async_script(ATTACK, address)
        assert said == [["json", "refused"], ["token", "refused"], ["text", "refused"], ["document", "refused"]], said
        driver.switch_to.frame(driver.find_element("tag name", "iframe"))
        assert driver.find_elements("css selector", "main, video") == []
        driver.switch_to.default_content()
        driver.execute_script("const form = document.querySelector('form'); form.method = 'post'; form.action = arguments[0]; form.submit();",
                              f"{address}api/Stop")
        eventually(lambda: "api/Stop" in driver.current_url and "error" in driver.page_source, "the answer to the form")
        assert driver.find_elements("css selector", "main, video") == []
    assert engine.state(session.id).session_id == session.id
    # Without the other site, the same page opens.
    page.open(link(engine))


@pytest.mark.long
def test_a_name_that_was_rebound_is_refused(engine, numbered):
    """The attacker's name leads to this machine once its page is open; requests then have the origin of the attacker."""
    session = engine.load(numbered)
    with chromium(flags=("--host-resolver-rules=MAP rebound.example 127.0.0.1",)) as browser:
        place = urllib.parse.urlsplit(link(engine))
        browser.driver.get(f"http://rebound.example:{place.port}/web/#{place.fragment}")
        assert browser.driver.find_elements("css selector", "main, video") == []
        said = browser.driver.execute_async_script("""
            const done = arguments[0], headers = { 'Content-Type': 'application/json' };
            fetch('/web/ticket', { method: 'POST', headers, body: JSON.stringify({ ticket: location.hash.slice(1) }) })
                .then(async answer => done([answer.status, await answer.text()]), error => done(String(error)));
        """)
        assert said[0] == 403 and "token" not in said[1], said
        # The ticket was not used, and the page itself opens with it.
        page = WebPage(browser.driver)
        assert all("403" in each for each in page.console())
        page.open(place.geturl())
        healthy(page)


def test_all_texts_are_in_one_table():
    """No other module has words for people, and each text that a module names is there."""
    folder = ROOT / "Sources" / "WebPage" / "Page"
    table = (folder / "strings.js").read_text()
    members = set(re.findall(r"(\w+):", table.split("advice: {")[0])) | {"advice", "notices", "help", "figures"}
    used = set()
    for path in sorted(folder.glob("*.js")):
        if path.name == "strings.js":
            continue
        code = re.sub(r"/\*(?s:.*?)\*/|^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
        if "from './strings.js'" in code:
            # A button has the text of its name.
            used |= set(re.findall(r"\btext\.(\w+)|\bbutton\('(\w+)'", code))
        for found in re.findall(r"'([^'\n]*)'", code):
            words = re.findall(r"[A-Za-z]{3,}", found)
            assert not (len(words) > 1 and " " in found and found[0].isupper()), f"{path.name}: {found}"
    named = {name for pair in used for name in pair if name}
    assert len(named) > 50 and named <= members, named - members
