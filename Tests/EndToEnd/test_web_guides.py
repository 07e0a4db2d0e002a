# SPDX-License-Identifier: Apache-2.0
"""The page shows what a live transport stream says is broadcast now and next, also in the menu of its programs and to the desktop."""

import datetime
import subprocess

import pytest
from harness import transport
from harness.channels import channel, offset_at
from harness.contract import programs_pb2
from harness.engine import PATIENCE, eventually
from harness.tiers import tiered
from harness.web_page import WebPage, chromium, firefox, link
from test_live_transport import MARGIN
from test_program_guides import EVENTS, now

BROWSERS = {"chromium": chromium, "firefox": firefox}
FIRST, SECOND = 3, 7


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    """20 s of two programs, with a keyframe every two seconds."""
    inputs = [word for each in ("testsrc2=s=320x180:r=25:d=20", "testsrc2=s=160x90:r=25:d=20", "sine=440:d=20", "sine=660:d=20")
              for word in ("-f", "lavfi", "-i", each)]
    path = tmp_path_factory.mktemp("guides") / "channels.ts"
    subprocess.run(
        ["ffmpeg", "-v", "error", *inputs, *(word for n in range(4) for word in ("-map", str(n))), "-c:v", "libx264", "-pix_fmt", "yuv420p",
         "-preset", "ultrafast", "-g", "50", "-c:a", "aac", "-program", f"program_num={FIRST}:title=One:st=0:st=2",
         "-program", f"program_num={SECOND}:title=Two:st=1:st=3", path], check=True, timeout=PATIENCE)
    return path.read_bytes()


def tables(data, start):
    """Each program has its events. After 8 s, the event that followed in the first program is the present one."""
    def event(id, title, minutes, text=b"", *details):
        return transport.broadcast_event(id, start + datetime.timedelta(minutes=minutes), 30, title, text, details=details)

    news, film, sport = event(1, b"News", -90, b"Headlines", b"What happened."), event(2, b"A <b>film</b>", 60), event(3, b"Sport", -30)
    found = []
    for second in range(0, 20, 2):
        is_later = second >= 8
        place = offset_at(data, second + 0.5)
        found.append((place, EVENTS, transport.event_table(FIRST, int(is_later), 0, film if is_later else news)))
        if not is_later:
            found.append((place, EVENTS, transport.event_table(FIRST, 0, 1, film)))
        found.append((place, EVENTS, transport.event_table(SECOND, 0, 0, sport)))
    return found


def times(moment):
    """The time of day where the machine is, in the forms of browsers."""
    local = moment.astimezone()
    half = "AM" if local.hour < 12 else "PM"
    return {f"{local:%H:%M}", f"{local.hour % 12 or 12}:{local:%M} {half}"}


def lines(page):
    """The lines of the guide, in which U+202F stands before AM and PM."""
    return page.look()["guide"].replace("\u202f", " ").splitlines()


def is_line(line, label, moment, *texts):
    return line in {" · ".join([f"{label} {time}", *texts]) for time in times(moment)}


@pytest.mark.parametrize("name", tiered(BROWSERS, {"chromium"}))
def test_the_page_shows_what_is_broadcast(engine, stream, name):
    start = now()
    data = transport.with_tables(stream, tables(stream, start))
    options = {"profile": name, "program": programs_pb2.ProgramSelection(number=FIRST)}
    with channel(data, offset_at(data, 6 + MARGIN)) as source, BROWSERS[name]() as browser:
        session = engine.load(source.url, **options)
        page = WebPage(browser.driver)
        page.open(link(engine))
        eventually(lambda: len(lines(page)) == 2, lambda: lines(page))
        present, following = lines(page)
        assert is_line(present, "Now", start - datetime.timedelta(minutes=90), "News", "Headlines"), present
        # Text of a broadcast is never markup.
        assert is_line(following, "Next", start + datetime.timedelta(minutes=60), "A <b>film</b>"), following
        look = page.look()
        assert look["announced"] == "News" and look["details"] == "What happened."
        labels = page.choose("Programs", "nothing of this name")
        assert ["News" in label for label in labels] == [True, False] and ["Sport" in label for label in labels] == [False, True], labels
        source.send(offset_at(data, 16 + MARGIN))
        eventually(lambda: [line.split(" · ")[1:] for line in lines(page)][:1] == [["A <b>film</b>"]], lambda: lines(page))
        assert page.look()["announced"] == "A <b>film</b>" and page.look()["complaints"] == [] and page.console() == []
        session.stop()
        page.until(lambda look: look["guide"] == "", "no guide without a session")
