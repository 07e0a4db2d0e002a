# SPDX-License-Identifier: Apache-2.0
"""A live HLS source with ad breaks, a reset, a frozen playlist and a lost link, watched by Chromium, mpv and GStreamer: they
wait only while the source has nothing to give, and memory and disk stay flat."""

import contextlib
import json
import os
import pathlib
import subprocess
import threading
import time

import pytest
from harness.browser import Following, chromium
from harness.engine import PATIENCE, eventually
from harness.live import live, package_channel
from harness.players import WatchedMpv
from harness.tiers import absent
from harness.watching import Notices

pytestmark = pytest.mark.long

# 30 for releases.
MINUTES = float(os.environ.get("LIVE_MINUTES", "2"))
# The seconds of each segment.
LENGTH = 2
# How long the playlist stays the same, and how long the server is away, in seconds.
FROZEN, AWAY = 12, 8
# How long players may take to continue after such a fault, e.g. because they request a playlist every few seconds.
RETURN = 10
# Waits in the first seconds are not counted.
START = 10


def package_breaks(folder):
    """20 s, an ad break of 6 s with another size, and 20 s. The live origin repeats them, with a discontinuity."""
    folder.mkdir()
    options = ("-hls_time", str(LENGTH))
    parts = [package_channel(folder / "first", *options), package_channel(
        folder / "break", *options, seconds=6, source="smptebars=s=640x360:r=25"), package_channel(folder / "second", *options)]
    lines = []
    for path in parts:
        found = path.read_text().splitlines()
        entries = found[next(place for place, line in enumerate(found) if line.startswith("#EXTINF")):-1]
        lines += ["#EXT-X-DISCONTINUITY"] if lines else []
        lines += [line if line.startswith("#") else f"{path.parent.name}/{line}" for line in entries]
    film = folder / "film.m3u8"
    film.write_text("\n".join(["#EXTM3U", f"#EXT-X-TARGETDURATION:{LENGTH}", *lines, "#EXT-X-ENDLIST", ""]))
    return film


# The times, in seconds since 1970, at which Chromium stops for lack of data.
WATCH = """
const video = document.getElementById('v');
window.waits = [];
video.addEventListener('waiting', () => waits.push([Date.now() / 1000, video.currentTime]));
"""


class GStreamer:
    def __init__(self, url):
        program = pathlib.Path(__file__).with_name("harness") / "gstreamer_live.py"
        self.said = []
        self.process = subprocess.Popen(
            ["/usr/bin/python3", program, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self._reader = threading.Thread(target=lambda: self.said.extend(map(json.loads, self.process.stdout)), daemon=True)
        self._reader.start()

    def end(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0
        self._reader.join()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Usage:
    """The memory and the files of an engine, measured every five seconds."""

    def __init__(self, engine):
        self.engine, self.memory, self.disk, self._ended = engine, [], [], threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._ended.wait(5):
            self.memory.append(self.engine.own_bytes())
            total = 0
            for path in self.engine.directory.rglob("*"):
                with contextlib.suppress(OSError):
                    total += path.lstat().st_blocks * 512
            self.disk.append(total)

    def end(self):
        self._ended.set()
        self._thread.join()

    @staticmethod
    def rise(values):
        """By how much the maximum of the last third exceeds that of the second one."""
        third = len(values) // 3
        return max(values[-third:]) - max(values[third:-third])


class Faults:
    """The faults of a source: a reset, a frozen playlist and a lost link, at equal intervals. `lacks` has the start and
    end of each time in which the source has nothing to give."""

    def __init__(self, source, seconds):
        self.source, self.lacks, self._ended = source, [], threading.Event()
        self._thread = threading.Thread(target=self._run, args=(seconds / 4,), daemon=True)
        self._thread.start()

    def _run(self, pause):
        for fault in (self.reset, self.freeze, self.leave):
            if self._ended.wait(pause):
                return
            fault()

    def reset(self):
        self.source.epoch = self.source.count

    def freeze(self):
        with self.lacking():
            self.source.frozen = self.source.count
            self._ended.wait(FROZEN)
            self.source.frozen = None

    def leave(self):
        with self.lacking():
            self.source.is_away = True
            self._ended.wait(AWAY)
            self.source.is_away = False

    @contextlib.contextmanager
    def lacking(self):
        start = time.time()
        yield
        self.lacks.append((start, time.time() + RETURN))

    def end(self):
        self._ended.set()
        self._thread.join()


@pytest.fixture
def stream(tmp_path):
    with live(package_breaks(tmp_path / "bundle"), window=10, count=10) as source:
        source.date = time.time() - 10 * LENGTH
        with source.running():
            yield source


@pytest.mark.usefixtures("machine")
def test_players_wait_only_while_the_source_has_nothing_to_give(start_engine, stream, tmp_path):
    engine, seconds = start_engine("--cache-bytes", "32M"), MINUTES * 60
    ready = subprocess.run(
        ["/usr/bin/python3", "-c", "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"],
        stdin=subprocess.DEVNULL, capture_output=True)
    if ready.returncode:
        absent("GStreamer's Python bindings are not here")
    notices = Notices(engine)
    with engine.session(stream.url) as session, chromium(Following) as browser, contextlib.ExitStack() as players:
        assert browser.open(session.url) == "ok"
        browser.driver.execute_script(WATCH)
        mpv = WatchedMpv(session.url, tmp_path / "watch.lua", "--cache-pause-wait=4", "--untimed=no")
        players.callback(mpv.process.kill)
        gstreamer = GStreamer(session.url)
        players.callback(gstreamer.kill)
        begun, place = time.time(), browser.value("currentTime")
        usage, faults = Usage(engine), Faults(stream, seconds)
        # Nothing else tells when the time is over.
        time.sleep(seconds)
        faults.end()
        usage.end()
        found = {
            "Chromium": [at for at, _ in browser.driver.execute_script("return window.waits")],
            "mpv": [at for at, what in mpv.changes if what == "WAITS"],
            "GStreamer": [each["at"] for each in gstreamer.said if each["what"] == "waits"],
        }
        played = browser.value("currentTime") - place
        assert mpv.process.poll() is None, mpv.lines[-5:]
        gstreamer.end()
    eventually(lambda: "live.ingest_resumed" in notices.codes, "the notice")
    notices.end()
    print(f"memory {[value >> 20 for value in usage.memory]} MiB, disk {[value >> 20 for value in usage.disk]} MiB")
    print(f"waits, in seconds: {({name: [round(at - begun, 1) for at in times] for name, times in found.items()})}")
    assert len(faults.lacks) == 2
    for name, times in found.items():
        waits = [at - begun for at in times if at > begun + START and not any(start <= at <= end for start, end in faults.lacks)]
        assert not waits, (name, waits, [(start - begun, end - begun) for start, end in faults.lacks])
    # Players may not have caught up with what the source did not give.
    assert played > seconds - sum(end - start for start, end in faults.lacks) - START
    pictures = gstreamer.said[-1]["pictures"]
    assert pictures > 25 * (seconds - sum(end - start for start, end in faults.lacks) - START), gstreamer.said
    assert not [each for each in gstreamer.said if each["what"] == "trouble"], gstreamer.said
    assert {"live.sequence_reset", "live.ingest_stalled", "live.ingest_resumed"} <= set(notices.codes)
    assert not {"live.segment_lost", "live.segments_missed", "live.behind_window"} & set(notices.codes), notices.texts
    # Caches are full after some minutes.
    assert MINUTES < 20 or usage.rise(usage.memory) < 16 << 20 and usage.rise(usage.disk) < 16 << 20
