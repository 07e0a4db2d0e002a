# SPDX-License-Identifier: Apache-2.0
"""How long after its last byte a frame of a live transport stream is on screen, for the engine's page and mpv, beside what
`ffmpeg -f hls` and GStreamer make of the same stream. Frames show their number, and players are asked which one they show."""

import contextlib
import functools
import http.server
import json
import pathlib
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import films
from harness import numbered
from harness.channels import channel
from harness.engine import PATIENCE, Engine, eventually
from harness.live import numbered_picture
from harness.transport import PACKET, payload_at, ticks_at
from harness.web_page import WebPage, chromium, link, shown_number

RATE, GROUP, SECONDS = 25, 2, 120
# How long a player plays before it is first asked, the pause after each question (both in seconds), and the number of
# questions.
SETTLING, PAUSE, TIMES = 10, 0.37, 25


def made():
    path = films.SCRATCH / "live.ts"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name("part-live.ts")
        packager = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pixel_format", "gray", "-video_size", "320x192", "-framerate",
             str(RATE), "-i", "pipe:0", "-f", "lavfi", "-i", f"sine=440:d={SECONDS}:r=48000", "-c:v", "libx264", "-preset", "ultrafast",
             "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-b:v", "2M", "-g", str(GROUP * RATE), "-keyint_min", str(GROUP * RATE),
             "-sc_threshold", "0", "-c:a", "aac", "-pes_payload_size", "1", "-f", "mpegts", "-y", str(part)], stdin=subprocess.PIPE)
        with packager.stdin:
            for number in range(SECONDS * RATE):
                packager.stdin.write(numbered_picture(number))
        assert packager.wait() == 0
        part.rename(path)
    return path.read_bytes()


def ends(data):
    """The end of each picture in the stream, in bytes: the next one begins there."""
    starts = [at for at in range(0, len(data), PACKET)
              if (data[at + 1] & 31) << 8 | data[at + 2] == 0x100 and data[at + 1] & 0x40]
    first = ticks_at(data[starts[0]:starts[0] + PACKET], payload_at(data[starts[0]:starts[0] + PACKET]) + 9)
    numbers = [round((ticks_at(packet, payload_at(packet) + 9) - first) * RATE / 90_000)
               for packet in (data[at:at + PACKET] for at in starts)]
    assert numbers == list(range(len(numbers)))
    return starts[1:]


class Sender:
    """Sends each picture when it is due."""

    def __init__(self, source, places):
        self.source, self.places, self.began, self.ended = source, places, time.monotonic(), threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        for number, place in enumerate(self.places):
            if self.ended.wait(max(0, self.began + (number + 1) / RATE - time.monotonic())):
                return
            self.source.send(place)

    def age(self, number):
        """How long ago the last byte of a picture was due to be sent, in seconds."""
        return time.monotonic() - self.began - (number + 1) / RATE


@contextlib.contextmanager
def sending(data):
    places = ends(data)
    with channel(data, 0) as source:
        sender = Sender(source, places)
        try:
            yield source.url, sender
        finally:
            sender.ended.set()


def watched(sender, number):
    """The median age of the frames that a player shows."""
    eventually(lambda: number() is not None, "a first frame")
    time.sleep(SETTLING)
    ages = []
    for _ in range(TIMES):
        before = time.monotonic()
        shown = number()
        # The frame was looked at halfway between question and answer.
        if shown is not None:
            ages.append(sender.age(shown) - (time.monotonic() - before) / 2)
        time.sleep(PAUSE)
    return statistics.median(ages)


class Mpv:
    def __init__(self, url, folder):
        self.path, self.picture = folder / "mpv", folder / "shown.png"
        self.process = subprocess.Popen(
            ["mpv", "--no-config", "--vo=null", "--ao=null", f"--input-ipc-server={self.path}", "--really-quiet", url], stdin=subprocess.DEVNULL)

    def number(self):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(self.path))
            command = {"command": ["screenshot-to-file", str(self.picture), "video"], "request_id": 7}
            connection.sendall(json.dumps(command).encode() + b"\n")
            for line in connection.makefile():
                answer = json.loads(line)
                if answer.get("request_id") == 7:
                    if answer["error"] != "success":
                        return None
                    size = 320 * 192
                    return numbered.read(numbered.greys([self.picture.read_bytes()], "png")[:size], width=320)
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def page(engine):
    with chromium() as browser:
        shown = WebPage(browser.driver)
        shown.open(link(engine))
        shown.press("k")
        yield functools.partial(shown_number, shown)


def ours(data, folder, player, **options):
    engine = Engine(folder)
    try:
        with sending(data) as (url, sender):
            session = engine.load(url, **options)
            if player == "page":
                with page(engine) as number:
                    return watched(sender, number)
            with Mpv(session.url, folder) as mpv:
                return watched(sender, mpv.number)
    finally:
        engine.end()


@contextlib.contextmanager
def served(folder):
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/live.m3u8"
        server.shutdown()


PACKAGERS = {
    "ffmpeg": lambda url, out: [
        "ffmpeg", "-nostdin", "-v", "error", "-i", url, "-c", "copy", "-bsf:a", "aac_adtstoasc", "-f", "hls", "-hls_time", str(GROUP),
        "-hls_segment_type", "fmp4", "-hls_flags", "delete_segments", str(out / "live.m3u8")],
    "GStreamer": lambda url, out: [
        "gst-launch-1.0", "-q", "souphttpsrc", f"location={url}", "!", "tsdemux", "name=d", "hlssink2", "name=s",
        f"target-duration={GROUP}", f"location={out}/%05d.ts", f"playlist-location={out}/live.m3u8", "d.", "!", "queue", "!", "h264parse",
        "!", "s.video", "d.", "!", "queue", "!", "aacparse", "!", "s.audio"],
}


def theirs(data, folder, name):
    out = folder / "served"
    out.mkdir()
    with sending(data) as (url, sender), served(out) as address:
        packager = subprocess.Popen(PACKAGERS[name](url, out), stdin=subprocess.DEVNULL)
        try:
            eventually(lambda: (out / "live.m3u8").exists(), f"the playlist of {name}")
            with Mpv(address, folder) as mpv:
                return watched(sender, mpv.number)
        finally:
            packager.kill()
            packager.wait()


def measure(table):
    data = made()

    def age(action, *arguments, **options):
        with tempfile.TemporaryDirectory() as folder:
            return action(data, pathlib.Path(folder), *arguments, **options)

    peers = {name: age(theirs, name) for name in PACKAGERS}
    usual = f"≤ {GROUP + 2.3:.1f}"
    by_mpv = age(ours, "mpv")
    table.add("live frame: page, low latency", age(ours, "page", low_latency=True), peers["ffmpeg"], "s", "≤ 2", "ffmpeg -f hls, mpv")
    table.add("live frame: page", age(ours, "page"), peers["ffmpeg"], "s", usual, "ffmpeg -f hls, mpv")
    table.add("live frame: mpv", by_mpv, peers["ffmpeg"], "s", usual, "ffmpeg -f hls, mpv")
    table.add("live frame: mpv, beside GStreamer", by_mpv, peers["GStreamer"], "s", usual, "hlssink2, mpv")
