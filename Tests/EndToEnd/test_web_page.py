# SPDX-License-Identifier: Apache-2.0
"""The page in Chromium and Firefox obeys the commands of clients, and the actions of its user reach the engine."""

import contextlib
import re
import subprocess

import grpc
import numpy
import pytest
from harness.contract import engine_pb2, web_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ROOT, clip
from harness.sound_server import sound_server
from harness.tiers import tiered
from harness.web_page import LISTEN, WebPage, chromium, firefox, link

BROWSERS = {"chromium": chromium, "firefox": firefox}


@pytest.mark.long
@pytest.mark.parametrize("name", BROWSERS)
def test_a_film(start_engine, tmp_path, name):
    engine = start_engine(state_home=tmp_path)
    session = engine.load(clip("subtitled.mkv"))
    request = engine_pb2.SessionRequest(session_id=session.id)
    with BROWSERS[name]() as browser:
        page = WebPage(browser.driver)
        page.open(link(engine))
        first = page.look()
        assert "#" not in first["address"] and first["title"] == "subtitled.mkv" and first["paused"]
        assert page.problems() == []
        eventually(lambda: engine.state(session.id).renderer.name.startswith("web page "), "the page to be the renderer")

        page.press("k")
        page.plays()
        engine.stub.Pause(request, timeout=PATIENCE)
        eventually(lambda: page.look()["paused"], "another client's pause to reach the page")
        engine.stub.Play(request, timeout=PATIENCE)
        page.plays()

        for tenth in (8, 1, 6, 3, 7, 0, 5, 2, 4, 1):
            page.press(str(tenth))
            target = 24.0 * tenth / 10
            eventually(lambda: abs(page.look()["time"] - target) < 2 and not page.look()["seeking"], f"the seek to {target}")
            page.plays(0.2)

        eventually(lambda: page.look()["cues"] and page.look()["cues"][0], "the default subtitles")
        labels = page.choose("Subtitles", "Comments")
        assert len(labels) == 5
        eventually(lambda: len(page.look()["cues"]) == 2, "two subtitles at once")
        assert len(engine.state(session.id).selected_subtitles) == 2
        page.choose("Subtitles", "Off")
        eventually(lambda: page.look()["cues"] == [], "no subtitles")

        page.choose("Speed", "1.5")
        eventually(lambda: page.look()["rate"] == 1.5, "the rate")
        engine.stub.SetRate(engine_pb2.SetRateRequest(session_id=session.id, rate=1), timeout=PATIENCE)
        eventually(lambda: page.look()["rate"] == 1, "another client's rate")
        assert page.look()["complaints"] == [] and page.console() == []

        page.press("1")
        page.plays(0.2)
        engine.kill()
        # Nothing is lost of what was played meanwhile, and nothing is played twice.
        start = page.until(lambda look: look["time"] > 6, "the page to play on without an engine")["time"]
        page.driver.execute_script(LEAST)
        again = start_engine(state_home=tmp_path, directory=engine.directory)
        eventually(lambda: again.state(session.id).renderer.name.startswith("web page "), "the page to attach to the next process")
        eventually(lambda: again.state(session.id).position.position_us > start * 1e6, "the next process to know where the page is")
        page.plays()
        assert page.driver.execute_script("return least") >= start
        again.stub.Play(request, timeout=PATIENCE)
        page.plays()
        again.stub.Pause(request, timeout=PATIENCE)
        eventually(lambda: page.look()["paused"], "the next process to be obeyed")
        assert page.look()["error"] is None
        assert [each for each in page.look()["complaints"] if "policy" in each] == []

        again.stub.CloseWebControl(web_pb2.CloseWebControlRequest(), timeout=PATIENCE)
        eventually(lambda: "permission" in page.look()["message"], "the page to say that its token was revoked")


# Notes the least time of the playhead from now on.
LEAST = """
const video = document.querySelector('video');
window.least = video.currentTime;
for (const name of ['timeupdate', 'seeking', 'seeked']) video.addEventListener(name, () => { least = Math.min(least, video.currentTime); });
"""
# A press on the middle of the timeline that the browser takes over.
TOUCH = """
const line = document.querySelector('.timeline'), { left, width } = line.getBoundingClientRect();
line.setPointerCapture = () => {};
for (const name of ['pointerdown', 'pointercancel'])
    line.dispatchEvent(new PointerEvent(name, { pointerId: 1, clientX: left + width / 2, bubbles: true }));
"""
TONES = (300, 500, 700, 900)


@pytest.fixture(scope="module")
def toned(tmp_path_factory):
    """A film of a minute with an audio track for each tone."""
    path, inputs, maps = tmp_path_factory.mktemp("toned") / "film.mkv", [], []
    for place, tone in enumerate(TONES):
        inputs += ["-f", "lavfi", "-i", f"sine={tone}:r=48000:d=60"]
        maps += ["-map", f"{place + 1}:a"]
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=60", *inputs, "-map", "0:v", *maps,
                    "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-c:a", "aac", "-y", path], check=True)
    return path


def pauses(samples, rate):
    """The lengths of all silences of more than 5 ms, in seconds."""
    quiet = numpy.flatnonzero(numpy.diff(numpy.concatenate(([False], numpy.abs(samples) < 1e-3, [False])).astype(int)))
    return [length / rate for length in quiet[1::2] - quiet[::2] if length > 0.005 * rate]


@pytest.mark.long
@pytest.mark.parametrize("name", BROWSERS)
def test_audio_switches_without_a_gap(start_engine, toned, name):
    """The samples that the browser plays are recorded: each switch is heard, and nothing is silent until then."""
    engine = start_engine()
    session = engine.load(toned)
    tracks = [stream.index for stream in session.state.media.streams if stream.HasField("audio")]
    with contextlib.ExitStack() as stack:
        # Firefox records nothing without a device to play to.
        options = {"environment": stack.enter_context(sound_server()).environment} if name == "firefox" else {}
        page = WebPage(stack.enter_context(BROWSERS[name](**options)).driver)
        page.open(link(engine))
        rate = page.record()
        page.press(" ")
        page.plays()
        heard, silences = numpy.empty(0, numpy.float32), []

        def hears(tone):
            nonlocal heard
            heard = numpy.concatenate((heard, page.recorded()))
            # The tone of the last 40 ms.
            last = heard[-rate // 25:]
            found = numpy.abs(numpy.fft.rfft(last * numpy.hanning(last.size), rate // 25))
            return numpy.max(found) > 0.3 and abs(numpy.argmax(found) * 25 - tone) <= 25

        eventually(lambda: hears(TONES[0]), "the first track")
        for number in range(10):
            place = (number + 1) % len(tracks)
            heard = heard[-rate // 10:]
            selection = engine_pb2.AudioSelection(stream_index=tracks[place])
            engine.stub.SelectAudio(engine_pb2.SelectAudioRequest(session_id=session.id, audio=selection), timeout=PATIENCE)
            eventually(lambda place=place: hears(TONES[place]), f"track {place}")
            silences.append(pauses(heard, rate))
            look = page.look()
            assert look["error"] is None and not look["paused"], look
        # A busy machine may starve a browser once or twice; a gap made by the page would be heard at every switch.
        assert sum(map(bool, silences)) <= 2, silences
        assert page.look()["complaints"] == []


@pytest.mark.parametrize("name", tiered(BROWSERS, {"chromium"}))
def test_what_another_client_loads_is_made_playable(start_engine, tmp_path, name):
    """Another client loads audio that browsers do not play, first before the page shows a session, then into the session that it
    plays. The name of a file is a name, not a URL."""
    engine = start_engine()
    film = tmp_path / "Film #1 of 2?.mkv"
    film.write_bytes(clip("commentary.mkv").read_bytes())
    with BROWSERS[name]() as browser:
        page = WebPage(browser.driver)
        page.driver.get(link(engine))
        page.driver.execute_script(LISTEN)
        page.until(lambda look: look["menus"] == ["Speed"], "no menus of a session")
        session = engine.load(film, profile="everything")
        page.until(lambda look: look["ready"] >= 2 and look["title"] == film.name, "the film")
        page.press("k")
        page.plays()
        # Loaded again into the session that the page plays.
        options = engine_pb2.LoadOptions(profile="everything", autoplay=True)
        again = engine_pb2.LoadRequest(source=str(clip("three-formats.mkv")), session_id=session.id, options=options)
        first = page.source()
        engine.stub.Load(again, timeout=PATIENCE)
        page.until(lambda look: page.source() != first and look["title"] == "three-formats.mkv" and look["time"] > 0.4 and not look["paused"],
                   "the other film to play")
        # A slider keeps its own keys, and leaves the others to the page.
        slider = "document.querySelector('input.volume')"
        page.driver.execute_script(f"{slider}.focus()")
        page.press_there("k")
        page.until(lambda look: look["paused"], "the pause")
        engine.stub.SetVolume(engine_pb2.SetVolumeRequest(session_id=session.id, volume=0.4), timeout=PATIENCE)
        eventually(lambda: page.driver.execute_script(f"return {slider}.value") == "0.4", "the volume that another client has set")
        # A touch that becomes a gesture of the browser moves nothing. The playhead is not at the middle.
        duration = eventually(lambda: max(0, engine.state(session.id).duration_us), "the source to be open") / 1e6
        assert page.look()["time"] < duration / 3
        page.driver.execute_script(TOUCH)
        page.until(lambda look: abs(look["thumb"] / 100 * duration - look["time"]) < 0.1, "the thumb at the playhead")
        stop = engine_pb2.SessionRequest(session_id=session.id)
        engine.stub.Stop(stop, timeout=PATIENCE)
        page.until(lambda look: look["title"] == "Nothing is loaded", "the end")
        # Nothing is shown of a session that has ended.
        shown = "return ['.time', '.timeline'].map(name => getComputedStyle(document.querySelector(name)).opacity)"
        assert page.driver.execute_script(shown) == ["0", "0"]
        assert page.look()["menus"] == ["Speed"]
        assert page.look()["complaints"] == []


@pytest.mark.long
@pytest.mark.parametrize("name", BROWSERS)
def test_what_the_page_opens_is_played_from_its_beginning(start_engine, name):
    """Also while another session is shown. The clock of a session runs without a renderer, so it must not run before the page
    has the media."""
    engine = start_engine()
    with BROWSERS[name]() as browser:
        page = WebPage(browser.driver)
        page.driver.get(link(engine))
        page.driver.execute_script(LISTEN)
        page.until(lambda look: look["title"] == "Nothing is loaded", "the page")
        page.load("/missing.mkv")
        page.until(lambda look: "Check the path" in look["message"], "the page to say what is missing")
        for film in ("h264-aac.mkv", "languages.mkv"):
            assert page.load(clip(film)) == ""
            page.until(lambda look, film=film: look["title"] == film and not look["paused"] and look["time"] > 0.4, f"{film} to play")
            assert page.driver.execute_script("return document.querySelector('video').played.start(0)") == 0
        assert page.look()["complaints"] == []


@pytest.mark.long
def test_of_two_pages_one_plays(start_engine):
    """A second page steers what the first one plays, until its user lets it play the session itself."""
    engine = start_engine()
    session = engine.load(clip("languages.mkv"))

    def names():
        return engine.state(session.id).renderer.name

    def elsewhere():
        return page.driver.execute_script("return !document.querySelector('.remote').hidden")

    with chromium() as browser:
        page, driver = WebPage(browser.driver), browser.driver
        page.open(link(engine))
        first, renderer = driver.current_window_handle, names()
        driver.switch_to.new_window("tab")
        driver.get(link(engine))
        driver.execute_script(LISTEN)
        eventually(elsewhere, "the second page to steer")
        assert names() == renderer and page.look()["ready"] == 0
        page.press("k")
        second = driver.current_window_handle
        driver.switch_to.window(first)
        page.until(lambda look: not look["paused"], "the first page to play")
        driver.switch_to.window(second)
        page.click(".remote button")
        page.until(lambda look: look["ready"] >= 2 and not look["paused"], "the second page to play")
        assert names() != renderer
        driver.switch_to.window(first)
        page.until(lambda look: look["paused"] and look["ready"] == 0, "the first page to be silent")
        assert elsewhere() and not page.look()["message"] and page.look()["complaints"] == []
        # Another link, in a tab that has the page already, is exchanged too.
        engine.stub.CloseWebControl(web_pb2.CloseWebControlRequest(), timeout=PATIENCE)
        page.until(lambda look: "permission" in look["message"] and look["title"] == "Nothing is loaded",
                   "the page to say that its token was revoked")
        # Nothing can be played here any more.
        assert not elsewhere()
        driver.get(link(engine))
        page.until(lambda look: "#" not in look["address"] and "permission" not in look["message"] and look["title"] == "languages.mkv",
                   "the page with its new token")


@pytest.mark.long
def test_a_link_is_good_once_and_others_are_steered(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    once = link(engine)
    with chromium() as browser:
        page = WebPage(browser.driver)
        page.open(once)
        # A reload keeps the token of the tab.
        page.driver.refresh()
        eventually(lambda: page.look()["ready"] >= 2, "the page to play after a reload")
        page.driver.execute_script("sessionStorage.clear()")
        page.driver.get("about:blank")
        page.driver.get(once)
        eventually(lambda: "used" in page.look()["message"], "the page to say that its link was used")
        assert page.look()["ready"] == 0
    assert engine.state(session.id).session_id == session.id


@pytest.mark.long
def test_nothing_is_requested_in_vain(start_engine, tmp_path):
    """Other clients load all sorts of sources into the session that the page plays. The console of the browser shows no errors, except
    for messages that were on their way when a load replaced the media: requests for it, and a report of the renderer."""
    engine = start_engine()
    session = engine.load(clip("subtitled.mkv"))
    replaced = []

    def load(path, **options):
        replaced.append(engine.state(session.id).url)
        request = engine_pb2.LoadRequest(source=str(path), session_id=session.id, options=engine_pb2.LoadOptions(**options))
        engine.stub.Load(request, timeout=PATIENCE)

    with chromium() as browser:
        page = WebPage(browser.driver)
        page.open(link(engine))
        # The thumbnails are fetched. Once another source is loaded, they are no longer shown.
        page.until(lambda _: thumbnail(page), "a thumbnail")
        load(clip("audio.m4a"), profile="chromium")
        page.until(lambda look: look["title"] == "audio.m4a" and look["ready"] >= 2, "audio without video")
        assert not thumbnail(page)
        load(clip("software/mpeg2.mpg"))
        page.until(lambda look: "cannot decode" in look["message"], "the page to say that it does not play this")
        with pytest.raises(grpc.RpcError):
            load(tmp_path / "nothing.mkv")
        page.until(lambda look: "Check the path" in look["message"], "the page to say what is missing")
        load(clip("h264-aac.mkv"), autoplay=True)
        page.until(lambda look: look["title"] == "h264-aac.mkv" and look["ready"] >= 2 and not look["message"], "the last film")
        page.plays()
        look, errors = page.look(), page.console(replaced)
        # The page is opened while a session is on the software path.
        load(clip("software/mpeg2.mpg"))
        page.driver.refresh()
        page.until(lambda look: "cannot decode" in look["message"], "the page to say so again")
        errors += page.console(replaced)
    assert look["complaints"] == [] and [each for each in errors if "RenderReport" not in each] == []


THUMBNAIL = """
const line = document.querySelector('.timeline'), { left, width } = line.getBoundingClientRect();
line.dispatchEvent(new PointerEvent('pointermove', { clientX: left + width / 2, bubbles: true }));
return !document.querySelector('.picture').hidden;
"""


def thumbnail(page):
    """Whether a picture is shown under the pointer on the timeline."""
    return page.driver.execute_script(THUMBNAIL)


SCRIPT = """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,Sans,20

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:20.00,Default,,0,0,0,,{\\i1}Tea & milk{\\i0}, <sweet>\\Nas always
Dialogue: 0,0:00:02.00,0:01:00.25,Default,,0,0,0,,{\\an8}above
Dialogue: 0,0:00:00.00,0:01:00.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}
Comment: 0,0:00:00.00,0:01:00.00,Default,,0,0,0,,not shown
"""
CUES = """
const track = [...document.querySelector('video').textTracks].find(each => each.mode === 'showing');
return [...track?.cues ?? []].map(cue => [cue.startTime, cue.endTime, cue.getCueAsHTML().textContent.trim(), cue.line === 0]);
"""


@pytest.mark.long
@pytest.mark.parametrize("name", BROWSERS)
def test_subtitle_files_are_dropped(start_engine, name):
    engine = start_engine()
    engine.load(clip("h264-aac.mkv"))
    with BROWSERS[name]() as browser:
        page = WebPage(browser.driver)
        page.open(link(engine))

        def dropped(file, text):
            page.drop(file, text)
            page.until(lambda look: file in look["message"], file)
            return page.driver.execute_script(CUES)

        for ends in ("\n", "\r\n"):
            assert dropped("film.ass", SCRIPT.replace("\n", ends)) == [
                [0.5, 20, "Tea & milk, <sweet>\nas always", False], [2, 60.25, "above", True]]
        older = SCRIPT.replace("Format: Layer", "Format: Marked").replace("Dialogue: 0", "Dialogue: Marked=0")
        assert len(dropped("film.ssa", older)) == 2
        assert dropped("film.srt", "1\n00:00:01,000 --> 00:00:02,500\nsrt\n") == [[1, 2.5, "srt", False]]
        assert dropped("film.vtt", "WEBVTT\n\n00:01.000 --> 00:02.500\nvtt\n") == [[1, 2.5, "vtt", False]]
        for text in ("no subtitles", "Dialogue: none", SCRIPT.replace("0:0", "soon")):
            page.drop("film.txt", text)
            page.until(lambda look: "That is not" in look["message"], "the refusal")
            dropped("film.srt", "1\n00:00:01,000 --> 00:00:02,500\nDialogue: text\n")
        assert page.look()["complaints"] == [] and page.console() == []


def test_there_is_advice_for_every_code():
    """The codes are those of the table of errors, which `scripts/check lists` compares with the engine's."""
    strings = (ROOT / "Sources" / "WebPage" / "Page" / "strings.js").read_text()
    advice = dict(re.findall(r"(\w+): '([^']*)'", strings.split("advice: {")[1].split("},")[0]))
    codes = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE)
    assert list(advice) == codes and len(set(advice.values())) == len(codes)
    assert all(text[0].isupper() and text.endswith(".") for text in advice.values())


@pytest.mark.long
def test_messages_say_what_to_do(start_engine, tmp_path):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    letter = tmp_path / "letter.mkv"
    letter.write_text("Dear reader, this is not a film.\n" * 100)
    with chromium() as browser:
        page = WebPage(browser.driver)
        page.open(link(engine))
        for source, advice in [(tmp_path / "nothing.mkv", "Check the path"), (letter, "is not a film"), (tmp_path, "Choose a file"),
                               ("http://127.0.0.1:1/film.mkv", "Check the network")]:
            with pytest.raises(grpc.RpcError):
                engine.stub.Load(engine_pb2.LoadRequest(source=str(source), session_id=session.id), timeout=PATIENCE)
            page.until(lambda look, advice=advice: advice in look["message"], advice)


@pytest.mark.long
def test_picture_in_picture(start_engine):
    """Clicks the button of the page, because browsers require a gesture of the user."""
    engine = start_engine()
    engine.load(clip("h264-aac.mkv"))
    with chromium() as browser:
        page = WebPage(browser.driver)
        page.open(link(engine))
        button = page.driver.find_element("css selector", "[name=picture]")
        for is_shown in (True, False):
            button.click()
            eventually(lambda is_shown=is_shown: page.driver.execute_script(
                "return document.pictureInPictureElement === document.querySelector('video')") == is_shown, f"the window: {is_shown}")
        assert page.look()["complaints"] == [] and page.console() == []
