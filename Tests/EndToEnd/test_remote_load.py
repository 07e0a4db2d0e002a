# SPDX-License-Identifier: Apache-2.0
"""A film on a server under load: many sessions fetch it once, a thousand loads leave nothing behind, and players play it
through a link that loses packets."""

import concurrent.futures
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import threading
import urllib.parse

import pytest
from harness import origin
from harness.browser import chromium
from harness.engine import eventually
from harness.hls import digest
from harness.places import clip
from harness.wire import wire

pytestmark = pytest.mark.long

# The length of the last test's film in seconds; 600 for releases.
SECONDS = int(os.environ.get("REMOTE_FILM_SECONDS", "60"))


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    path], check=True)
    return path


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def test_two_hundred_sessions_fetch_the_film_once(start_engine, film):
    engine = start_engine("--max-sessions", "200", "--cache-bytes", "64M")
    with origin.nginx(film.parent) as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        url = f"{server.url}/{film.name}"
        first = engine.load(url)
        wanted = digests(first)
        before = engine.own_bytes()
        sessions = [first, *pool.map(lambda _: engine.load(url), range(199))]
        # Each session plays another part of the film.
        segments = [each for each in first.master().everything() if re.search(r"/video/\d+\.m4s$", each)]
        places = [segments[index * 7 % len(segments)].split("/", 4)[4] for index in range(200)]

        def play(each):
            session, place = each
            return digest(urllib.parse.urljoin(session.url, place)) == wanted[place]
        assert all(pool.map(play, zip(sessions, places)))
        # Each load fetches the ends of the film, which identify it.
        assert server.bytes_sent() < film.stat().st_size + 200 * 400_000
        assert engine.own_bytes() - before < (64 << 20) + 200 * (2 << 20)
        list(pool.map(lambda session: session.stop(), sessions))


def test_a_thousand_loads_leak_nothing(start_engine, film):
    engine = start_engine()
    with origin.nginx(film.parent) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        def play(number):
            # The query makes each URL a source of its own.
            with engine.session(f"{server.url}/{film.name}?{number}") as session:
                if number % 10 == 0:
                    digest(next(iter(session.master().everything())))
        list(pool.map(play, range(100)))
        descriptors, threads, resident = engine.descriptors(), engine.threads(), engine.own_bytes()
        list(pool.map(play, range(100, 1100)))
        eventually(lambda: engine.descriptors() <= descriptors + 4, "the descriptors to be given back")
        eventually(lambda: engine.threads() <= threads + 4, "the threads to end")
        assert engine.own_bytes() - resident < 64 << 20


@contextlib.contextmanager
def forwarded(line, url):
    """Lets programs outside reach the HTTP server of an engine at the near end of a wire, at the same address."""
    place = urllib.parse.urlsplit(url)
    listener = socket.create_server((place.hostname, place.port))

    def copy(source, target):
        with contextlib.suppress(OSError):
            while part := source.recv(1 << 16):
                target.sendall(part)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                outside, _ = listener.accept()
                inside = line.near.do(lambda: socket.create_connection((place.hostname, place.port)))
                for pair in ((outside, inside), (inside, outside)):
                    threading.Thread(target=copy, args=pair, daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    try:
        yield
    finally:
        listener.close()


WATCH = """
mp.observe_property("paused-for-cache", "bool", function(_, waits)
    if waits and (mp.get_property_number("time-pos") or 0) > 1 then print("WAITS AT " .. mp.get_property("time-pos")) end
end)
"""


def test_a_film_plays_through_a_lossy_link(tmp_path):
    """20 Mbit/s, 50 ms, and one packet in 200 is lost. The film needs a tenth of the link and is cheap to decode, so a
    player that waits is waiting for the link or the engine."""
    film, script = tmp_path / "film.mp4", tmp_path / "watch.lua"
    minute = tmp_path / "minute.mp4"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25,noise=alls=12:allf=t", "-f", "lavfi",
         "-i", "sine=440:r=48000", "-t", "20", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "2M", "-minrate", "2M", "-maxrate", "2M",
         "-bufsize", "2M", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac", minute], check=True)
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", str(SECONDS // 20 - 1), "-i", minute, "-c", "copy",
                    "-movflags", "faststart", film], check=True)
    assert film.stat().st_size * 8 / SECONDS > 1_700_000
    script.write_text(WATCH)
    with wire(round_trip=0.05, rate=20_000_000, loss=0.005) as line, line.serving(film) as server, \
            line.engine(tmp_path / "engine") as engine:
        session = engine.load(server.url)
        with forwarded(line, session.url), chromium() as browser:
            player = subprocess.Popen(
                ["mpv", "--no-config", "--vo=null", "--ao=null", "--input-terminal=no", f"--script={script}", "--msg-level=all=warn,watch=info",
                 session.url], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert browser.open(session.url) == "ok"
            assert browser.advance(2)["error"] is None
            browser.driver.execute_script("events.length = 0")
            output, _ = player.communicate(timeout=SECONDS * 3)
            assert player.returncode == 0 and "WAITS AT" not in output, output[-500:]
            eventually(lambda: browser.value("ended") or browser.value("error"), "Chromium to come to the end", SECONDS)
            events = browser.driver.execute_script("return events")
            assert events[-1] == "ended" and not {"waiting", "error"} & set(events), events
        # Both players are served from what the engine fetched once.
        assert engine.state(session.id).statistics.http_bytes < film.stat().st_size * 1.25
        assert pathlib.Path(engine.log).read_text().count("error") == 0
        session.stop()
