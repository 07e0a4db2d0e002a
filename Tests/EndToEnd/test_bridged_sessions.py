# SPDX-License-Identifier: Apache-2.0
"""Eight sessions whose video is encoded at the same time share two cores: all advance, players that wait come first,
and sessions that are stopped free their share."""

import concurrent.futures
import contextlib
import hashlib
import os
import re
import select
import socket
import statistics
import subprocess
import urllib.parse

import pytest
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually, is_idle
from harness.hls import Media, fetch, request

# The tests measure in which order segments are encoded, and how much CPU time that takes.
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("machine")]

SESSIONS, CORES, SECONDS = 8, 2, 38
# A load reads ahead the first 24 s. Segments from this one on are made when they are requested.
LATER = 26
# Segments that a player requests while others are read ahead.
REQUESTS = 5


@contextlib.contextmanager
def few_cores():
    """Processes that are started meanwhile run on two cores."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(cores)[:CORES]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """A film with one keyframe per second. Each second takes longer to encode than to fetch."""
    path = tmp_path_factory.mktemp("sessions") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=480x272:r=25:d={SECONDS}", "-c:v", "mpeg2video",
                    "-q:v", "4", "-g", "25", "-sc_threshold", "1000000000", path], check=True)
    return path


def loaded(engine, film):
    session = engine.load(film, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS, segment_target_us=1_000_000)
    media = Media.complete(session.master().variants[0][1])
    assert len(media.segments) == SECONDS
    return session, [segment.url for segment in media.segments]


class Player:
    """Fetches segments one after the other, without blocking."""

    def __init__(self, urls):
        self.urls, self.count, self.data, self.digests = urls, 0, b"", []
        where = urllib.parse.urlsplit(urls[0])
        self.connection = socket.create_connection((where.hostname, where.port), PATIENCE)
        self.ask()

    def ask(self):
        where = urllib.parse.urlsplit(self.urls[self.count])
        self.connection.sendall(f"GET {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())

    def take(self):
        """Takes what has arrived. After a whole segment, the next one is requested."""
        piece = self.connection.recv(1 << 20)
        assert piece, "the engine has closed the connection"
        self.data += piece
        head, _, body = self.data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        if length and len(body) == int(length[1]):
            self.data = b""
            # On a busy machine, a segment may take longer than the engine holds a request.
            if not head.startswith(b"HTTP/1.1 503 "):
                assert head.startswith(b"HTTP/1.1 200 "), head
                self.digests.append(hashlib.sha256(body).digest())
                self.count += 1
            if self.count < len(self.urls):
                self.ask()


def test_no_session_starves_and_all_get_the_same_bytes(start_engine, film):
    with few_cores():
        engine = start_engine()
    found = [loaded(engine, film) for _ in range(SESSIONS)]
    eventually(lambda: is_idle(engine.pid), "what is read ahead", seconds=5 * PATIENCE)
    players, first, count = [Player(urls[LATER:]) for _, urls in found], None, SECONDS - LATER
    while any(each.count < count for each in players):
        ready, _, _ = select.select([each.connection for each in players if each.count < count], [], [], PATIENCE)
        assert ready, [each.count for each in players]
        for each in players:
            if each.connection in ready:
                each.take()
        counts = [each.count for each in players]
        if first is None and max(counts) == count:
            first = counts
    assert all(each.digests == players[0].digests for each in players)
    # Without turns, the first player would be through before the last one has a segment.
    assert min(first) >= count / 2, first
    for player, (session, _) in zip(players, found):
        player.connection.close()
        session.stop()


def test_a_player_that_waits_is_served_before_what_is_read_ahead_for_others(start_engine, film):
    with few_cores():
        engine = start_engine()
    session, urls = loaded(engine, film)
    eventually(lambda: is_idle(engine.pid), "what is read ahead", seconds=5 * PATIENCE)
    others = [loaded(engine, film)[0] for _ in range(SESSIONS - 1)]

    def produced():
        return sum(engine.state(each.id).production.segments_produced for each in others)

    meanwhile = []
    for url in urls[-REQUESTS:]:
        asked = produced()
        fetch(url)
        meanwhile.append(produced() - asked)
    served = produced()
    eventually(lambda: is_idle(engine.pid), "everything that is read ahead", seconds=5 * PATIENCE)
    assert produced() - served >= SESSIONS, "segments of the others were still to be encoded"
    # Segments whose encoding has begun are finished, and a free core begins more while the awaited segment is encoded
    # and the others are counted. In the order of arrival, one segment of almost each other session would be encoded in
    # addition.
    assert statistics.median(meanwhile) <= SESSIONS // 2, f"{meanwhile} segments of the others were encoded"
    for each in (session, *others):
        each.stop()


@pytest.fixture(scope="module")
def long_segment(tmp_path_factory):
    """A film of one segment, which takes more than a second to encode."""
    path = tmp_path_factory.mktemp("long") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=50:d=12", "-c:v", "mpeg2video",
                    "-q:v", "4", "-g", "600", "-sc_threshold", "1000000000", path], check=True)
    return path


def test_stops_of_eight_sessions_end_encoding(start_engine, long_segment):
    with few_cores():
        engine = start_engine()

    def load():
        session = engine.load(long_segment, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS, segment_target_us=12_000_000)
        segment, = Media.complete(session.master().variants[0][1]).segments
        return session, segment.url

    def rested():
        """The CPU time of the engine once it is idle."""
        eventually(lambda: is_idle(engine.pid), "the engine to be idle", seconds=5 * PATIENCE)
        return engine.cpu_seconds()

    begun = rested()
    session, url = load()
    fetch(url)
    whole = rested() - begun
    session.stop()
    found = [load() for _ in range(SESSIONS)]
    opened = engine.cpu_seconds()
    with concurrent.futures.ThreadPoolExecutor(2 * SESSIONS) as pool:
        asked = [pool.submit(request, url) for _, url in found]
        eventually(lambda: engine.cpu_seconds() >= opened + 0.2, "encoding to begin")
        before = engine.cpu_seconds()
        for stop in [pool.submit(session.stop) for session, _ in found]:
            stop.result(PATIENCE)
        stopped = engine.cpu_seconds()
        # No player gets a segment, and the stops have not waited until one was encoded.
        assert [each.result(PATIENCE).status for each in asked] == [410] * SESSIONS
        assert stopped - before < whole, f"{stopped - before:.2f} s of CPU time, a segment {whole:.2f} s"
    # After the last stop was answered, each core encodes for 0.1 s more at most.
    after = rested() - stopped
    assert after <= 0.1 * CORES, f"{after:.2f} s of CPU time, a segment {whole:.2f} s"
