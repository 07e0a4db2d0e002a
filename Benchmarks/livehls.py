# SPDX-License-Identifier: Apache-2.0
"""Live HLS sources behind a link of 50 ms and 20 Mbit/s: how soon a segment that the source lists can be had from the engine,
ffmpeg and mpv, and how soon the engine and GStreamer change the variant when the bandwidth changes."""

import contextlib
import pathlib
import re
import statistics
import subprocess
import tempfile
import threading
import time

import films
import network
from harness import hls
from harness.engine import eventually
from harness.live import LiveOrigin, package_channel, package_ladder
from harness.wire import FAR, wire

FOLDER = films.SCRATCH / "live-hls"
# The seconds of a segment, and the number of segments that are measured.
LENGTH, COUNT = 2, 15
# The bandwidth of the origin for all segments, in bit/s: enough for the low variant only, and for both.
SLOW, FAST = 1_000_000, 20_000_000
# How long the low and the high variant are played before the bandwidth changes, in seconds.
SETTLING = 20


def made():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in (("channel", lambda path: package_channel(path, "-hls_time", str(LENGTH), seconds=60)),
                       ("ladder", lambda path: package_ladder(path, has_own_audio=True))):
        if not (FOLDER / name).exists():
            make(FOLDER / f"part-{name}")
            (FOLDER / f"part-{name}").rename(FOLDER / name)
    return FOLDER / "channel" / "film.m3u8", FOLDER / "ladder" / "film.m3u8"


@contextlib.contextmanager
def served(line, playlist, **options):
    """A live origin at the far end of the link."""
    source = line.far.do(lambda: LiveOrigin(playlist, host=FAR, **options))
    try:
        with source.running():
            yield source
    finally:
        source.close()


@contextlib.contextmanager
def engine(line):
    with tempfile.TemporaryDirectory(prefix="engine-bench-") as folder, line.engine(pathlib.Path(folder)) as found:
        yield found


def lag(source, count):
    """The median time, in seconds, from when the source lists a segment until `count`, the number of segments that a program
    has, has grown by one."""
    eventually(lambda: count() > 0, "a first segment")
    # The measurement begins at a moment at which the program has all segments.
    known = source.count
    eventually(lambda: source.count > known, "the next segment")
    time.sleep(0.75 * LENGTH)
    listed, had, first, own = {}, {}, source.count, count()
    while len(had) < COUNT:
        now, missing = time.monotonic(), source.count - first
        for number in range(missing):
            listed.setdefault(number, now)
        for number in range(min(count() - own, missing)):
            had.setdefault(number, time.monotonic())
        time.sleep(0.005)
    return statistics.median(had[number] - listed[number] for number in range(COUNT))


def of_engine(line, playlist, **options):
    with served(line, playlist) as source, engine(line) as found:
        for name, value in options.items():
            setattr(source, name, value)
        session = found.load(source.url)
        url = line.near.do(lambda: session.master().variants[0][1])

        def count():
            media = hls.Media(url)
            return media.sequence + len(media.segments)
        return line.near.do(lambda: lag(source, count))


def of_ffmpeg(line, playlist):
    with served(line, playlist) as source, tempfile.TemporaryDirectory(prefix="engine-bench-") as folder:
        out = pathlib.Path(folder) / "out.m3u8"
        process = subprocess.Popen([
            *line.near.through(), "ffmpeg", "-nostdin", "-v", "quiet", "-i", source.url, "-c", "copy", "-f", "hls", "-hls_time",
            str(LENGTH), "-hls_list_size", "0", str(out)])
        try:
            return lag(source, lambda: out.read_text().count("#EXTINF") if out.exists() else 0)
        finally:
            process.kill()
            process.wait()


def of_mpv(line, playlist):
    with served(line, playlist) as source, network.Link(line, None).playing_url(source.url, "--cache-secs=60") as control:
        network.await_event(control, "playback-restart")
        return lag(source, lambda: round((network.mpv_property(control, "demuxer-cache-time") or 0) / LENGTH))


class Requests:
    """Waits until a live origin is asked for a segment of a variant."""

    def __init__(self, source):
        self.source = source

    def after(self, name):
        """The seconds from now until a segment of the variant `name` is requested."""
        start, known = time.monotonic(), len(self.source.requests)
        wanted = re.compile(rf"\d+-{name}-")
        eventually(lambda: any(wanted.match(uri) for _, uri in self.source.requests[known:]), f"the variant {name}", 90)
        return time.monotonic() - start


def switches(source):
    """How long a program goes on with the high variant when the bandwidth drops, and with the low one when it rises."""
    requests, source.rate = Requests(source), FAST
    requests.after("high")
    time.sleep(SETTLING)
    source.rate = SLOW
    down = requests.after("low")
    time.sleep(SETTLING)
    source.rate = FAST
    return down, requests.after("high")


def engine_switches(line, ladder):
    with served(line, ladder, window=30, count=30) as source, engine(line) as found:
        session, stopped = found.load(source.url), threading.Event()

        def follow():
            """Fetches every segment once, like a player."""
            have = set()
            lists = session.master().playlists()
            while not stopped.is_set():
                for url in lists:
                    for segment in hls.Media(url).segments[-4:]:
                        if segment.url not in have:
                            have.add(segment.url)
                            hls.fetch(segment.url)
                stopped.wait(0.3)

        viewer = threading.Thread(target=lambda: line.near.do(follow), daemon=True)
        viewer.start()
        try:
            return switches(source)
        finally:
            stopped.set()
            viewer.join()


def gstreamer_switches(line, ladder):
    with served(line, ladder, window=30, count=30) as source:
        program = pathlib.Path(films.__file__).parents[1] / "Tests" / "EndToEnd" / "harness" / "gstreamer_live.py"
        process = subprocess.Popen([*line.near.through(), "/usr/bin/python3", program, source.url], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return switches(source)
        finally:
            process.kill()
            process.wait()


def measure(table):
    channel, ladder = made()
    with wire(network.ROUND_TRIP, network.RATE, 0.0) as line:
        ffmpeg, mpv = of_ffmpeg(line, channel), of_mpv(line, channel)
        usual, blocking = of_engine(line, channel), of_engine(line, channel, blocks=True)
        most = f"≤ {LENGTH * 1000 + 200}"
        table.add("live HLS: source lists a segment → engine lists it", usual * 1e3, ffmpeg * 1e3, "ms", most, "ffmpeg -f hls")
        table.add("live HLS: the same, beside mpv", usual * 1e3, mpv * 1e3, "ms", most, "mpv, in its cache")
        table.add("live HLS, blocking requests: the same", blocking * 1e3, mpv * 1e3, "ms", "≤ 200", "mpv, in its cache")
        ours, theirs = engine_switches(line, ladder), gstreamer_switches(line, ladder)
        for what, own, other in zip(("drops to 1 Mbit/s", "rises to 20 Mbit/s"), ours, theirs):
            table.add(f"live HLS: bandwidth {what} → other variant requested", own, other, "s", "—", "GStreamer")
