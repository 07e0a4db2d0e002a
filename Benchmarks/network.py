# SPDX-License-Identifier: Apache-2.0
"""Sources on a server behind a slow link, compared with ffmpeg and mpv: two network namespaces, 50 ms round trip, 20 Mbit/s."""

import concurrent.futures
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import films
from compare import in_turns
from harness import hls, origin
from harness.engine import eventually
from harness.wire import FAR, wire
from media import ffmpeg_hls, until_first

ROUND_TRIP, RATE, LOSS = 0.05, 20e6, 0.005
SECONDS = 7200
FOLDER = films.SCRATCH / "network"
LATE = SECONDS // 2
OUTAGE = 10


def made():
    """Makes two hours at about 1 Mbit/s with a keyframe every 4 s: as MKV, as MP4 with `moov` at the end, and as HLS."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    base, mkv, mp4, hls_folder = (FOLDER / name for name in ("base.mp4", "film.mkv", "film.mp4", "hls"))
    if not base.exists():
        films.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=640x360:r=24", "-f", "lavfi", "-i", "sine=440:r=48000", "-t", 60,
                     "-c:v", "libx264", "-b:v", "900k", "-maxrate", "900k", "-bufsize", "900k", "-g", 96, "-keyint_min", 96,
                     "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "96k", base)
    for path in (mkv, mp4):
        if not path.exists():
            part = path.with_name(f"part-{path.name}")
            films.ffmpeg("-stream_loop", SECONDS // 60 - 1, "-i", base, "-c", "copy", part)
            part.rename(path)
    if not hls_folder.exists():
        part = FOLDER / "part-hls"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        films.ffmpeg("-i", mkv, "-c", "copy", "-f", "hls", "-hls_time", 4, "-hls_playlist_type", "vod", part / "film.m3u8")
        part.rename(hls_folder)
    for path in FOLDER.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return "film.mkv", "film.mp4", "hls/film.m3u8"


class Link:
    """A server with the sources at one end of a link, the engine and its peers at the other end."""

    # The options of the engine, and the command through which all programs are started.
    options, through = (), ()

    def __init__(self, line, server):
        self.line, self.server = line, server

    def url(self, name):
        return f"{self.server.url}/{name}"

    @contextlib.contextmanager
    def cold(self, folder=None):
        """An engine without files of an earlier run, unless the folder of an earlier engine is given."""
        place = pathlib.Path(folder or tempfile.mkdtemp(prefix="engine-bench-"))
        try:
            with self.line.engine(place, *self.options, through=self.through) as engine:
                yield engine
        finally:
            if not folder:
                shutil.rmtree(place, ignore_errors=True)

    def fetch(self, work):
        """Does `work` at the engine's end of the link, and returns the seconds it took."""
        def timed():
            start = time.perf_counter()
            work()
            return time.perf_counter() - start
        return self.line.near.do(timed)

    # The engine

    def opened(self, name, at=0.0, folder=None):
        """The seconds from `Load` until the segment at `at` has arrived."""
        def go():
            session = engine.load(self.url(name), start=at)
            media = hls.Media(session.master().variants[0][1])
            hls.fetch(media.init)
            hls.fetch(segment_at(media, at).url)
        with self.cold(folder) as engine:
            return self.fetch(go)

    def far_seek(self, name, at):
        with self.cold() as engine:
            session = engine.load(self.url(name))
            media = self.line.near.do(lambda: hls.Media(session.master().variants[0][1]))
            self.fetch(lambda: hls.fetch(media.segments[0].url))
            time.sleep(2)
            return self.fetch(lambda: hls.fetch(segment_at(media, at).url))

    def reopened(self, name):
        """As `opened`, by an engine that finds the start of the source in its cache on disk."""
        folder = tempfile.mkdtemp(prefix="engine-bench-")
        try:
            with self.cold(folder) as engine:
                session = engine.load(self.url(name))
                media = self.line.near.do(lambda: hls.Media(session.master().variants[0][1]))
                self.fetch(lambda: [hls.fetch(each.url) for each in media.segments[:2]])
                session.stop()
            # The plan is deleted, so that only the cache of bytes is measured.
            for plan in pathlib.Path(folder).rglob("*.plan"):
                plan.unlink()
            return self.opened(name, folder=folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def resumed(self, name, at):
        """The seconds from the return of a link that was down for `OUTAGE` seconds until a segment that was requested
        meanwhile has arrived."""
        def fetched():
            hls.fetch(wanted)
            return time.perf_counter()
        with self.cold() as engine, concurrent.futures.ThreadPoolExecutor() as pool:
            session = engine.load(self.url(name))
            media = self.line.near.do(lambda: hls.Media(session.master().variants[0][1]))
            self.fetch(lambda: hls.fetch(media.segments[0].url))
            wanted = segment_at(media, at).url
            self.line.cut()
            arrival = pool.submit(self.line.near.do, fetched)
            time.sleep(OUTAGE)
            self.line.restore()
            start = time.perf_counter()
            return arrival.result() - start

    # The peers

    def peer(self, name):
        """The URL of a source in the form that the peers understand."""
        return self.url(name)

    def ffmpeg(self, name, *before):
        """The seconds from the start of ffmpeg until its first segment is complete."""
        # From HLS, ffmpeg reads audio as it is in MPEG-TS, with ADTS headers, which MP4 does not have.
        after = ("-bsf:a", "aac_adtstoasc") if name.endswith(".m3u8") else ()
        return until_first(lambda folder: [
            *self.line.near.through(), *self.through, *ffmpeg_hls(self.peer(name), folder, *before, after=after)])

    def playing(self, name, *options):
        """Runs mpv with a source, like the function `playing`."""
        return self.playing_url(self.peer(name), *options)

    def playing_url(self, url, *options):
        return playing(*options, url, through=[*self.line.near.through(), *self.through])

    def mpv(self, name, *options):
        """The seconds from the start of mpv until playback begins."""
        start = time.perf_counter()
        with self.playing(name, "--pause", *options) as control:
            await_event(control, "playback-restart")
            return time.perf_counter() - start

    def mpv_resumed(self, name):
        """As `resumed`, for mpv with a small buffer, which it has used up: until it receives more of the source."""
        with self.playing(name, "--demuxer-max-bytes=64KiB", "--demuxer-readahead-secs=1") as control:
            await_event(control, "playback-restart")
            time.sleep(1)
            self.line.cut()
            time.sleep(OUTAGE)
            before = mpv_property(control, "demuxer-cache-time")
            self.line.restore()
            start = time.perf_counter()
            while mpv_property(control, "demuxer-cache-time") == before:
                time.sleep(0.002)
            return time.perf_counter() - start


@contextlib.contextmanager
def playing(*arguments, through=()):
    """Runs mpv. Yields its control socket as a file: answers and events can be read from it, and requests written to it."""
    with tempfile.TemporaryDirectory(prefix="engine-bench-") as folder:
        path = f"{folder}/mpv"
        process = subprocess.Popen(
            [*through, "mpv", "--no-config", "--vo=null", "--ao=null", "--input-terminal=no", "--really-quiet",
             f"--input-ipc-server={path}", *arguments], stdin=subprocess.DEVNULL)
        try:
            with socket.socket(socket.AF_UNIX) as channel:
                eventually(lambda: connected(channel, path), "mpv to listen")
                with channel.makefile("rwb") as control:
                    yield control
        finally:
            process.kill()
            process.wait()


def await_event(control, event):
    """Returns when mpv reports an event."""
    for line in control:
        if json.loads(line).get("event") == event:
            return
    raise AssertionError("mpv ended")


def mpv_property(control, name):
    """The value of one of mpv's properties."""
    control.write(json.dumps({"command": ["get_property", name], "request_id": 1}).encode() + b"\n")
    control.flush()
    for line in control:
        answer = json.loads(line)
        if answer.get("request_id") == 1:
            return answer.get("data")
    raise AssertionError("mpv ended")


def connected(channel, path):
    with contextlib.suppress(OSError):
        channel.connect(path)
        return True
    return False


def segment_at(media, seconds):
    begin = 0.0
    for segment in media.segments:
        begin += segment.duration
        if begin > seconds:
            return segment
    raise AssertionError(f"the playlist ends at {begin} s")


@contextlib.contextmanager
def link(loss=0.0, folder=FOLDER):
    with wire(ROUND_TRIP, RATE, loss) as line:
        # BBR, which is the default of some machines, would hide the effect of packet loss.
        line.far.run("sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno")
        with origin.nginx(folder, FAR, line.far) as server:
            yield Link(line, server)


def beside(table, what, ours, ffmpeg, mpv, target, rounds=range(3)):
    engine, peer = in_turns(lambda _: ours(), lambda _: ffmpeg(), rounds)
    table.add(what, engine * 1e3, peer * 1e3, "ms", target, "ffmpeg -f hls")
    engine, peer = in_turns(lambda _: ours(), lambda _: mpv(), rounds)
    table.add(what, engine * 1e3, peer * 1e3, "ms", target, "mpv, playback begins")


def measure(table):
    mkv, mp4, presentation = made()
    with link() as here:
        for name, kind, first, late in ((mkv, "MKV", "≤ 550", "≤ 600"), (mp4, "MP4", "≤ 2700", "—")):
            beside(table, f"{kind} over HTTP: open → first segment", lambda: here.opened(name), lambda: here.ffmpeg(name),
                   lambda: here.mpv(name), first)
            beside(table, f"{kind} over HTTP: open → segment at {LATE} s", lambda: here.opened(name, LATE),
                   lambda: here.ffmpeg(name, "-ss", LATE), lambda: here.mpv(name, f"--start={LATE}"), late)
        seek, peer = in_turns(lambda _: here.far_seek(mkv, LATE), lambda _: here.ffmpeg(mkv, "-ss", LATE), range(3))
        table.add("MKV over HTTP: far seek → segment", seek * 1e3, peer * 1e3, "ms", "≤ 300", "ffmpeg -ss")
        seconds, peer = in_turns(lambda _: here.reopened(mkv), lambda _: here.ffmpeg(mkv), range(3))
        table.add("MKV over HTTP, cached on disk: open → first segment", seconds * 1e3, peer * 1e3, "ms", "≤ 150", "ffmpeg -f hls")
        seconds, peer = in_turns(lambda _: here.resumed(mkv, LATE), lambda _: here.mpv_resumed(mkv), range(3))
        table.add(f"MKV over HTTP: link back after {OUTAGE} s → segment", seconds * 1e3, peer * 1e3, "ms", "≤ 1000", "mpv, data")
        before = len(here.server.requests())
        here.opened(presentation)
        ours = len(here.server.requests()) - before
        here.ffmpeg(presentation)
        table.add("HLS: requests until the first segment", ours, len(here.server.requests()) - before - ours, "requests", "≤ 4",
                  "ffmpeg -f hls")
        beside(table, "HLS: open → first segment", lambda: here.opened(presentation), lambda: here.ffmpeg(presentation),
               lambda: here.mpv(presentation), "≤ 650")
    with link(LOSS) as here:
        beside(table, "MP4 over HTTP, 0.5 % loss: open → first segment", lambda: here.opened(mp4), lambda: here.ffmpeg(mp4),
               lambda: here.mpv(mp4), "≤ 5000")
