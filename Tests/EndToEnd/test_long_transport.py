# SPDX-License-Identifier: Apache-2.0
"""A broadcast over RTP at its own speed, sent by ffmpeg, with two viewers that fetch everything and a session that plays at the live
edge: every announced segment is served until it has left the window, both viewers receive the same bytes, playback keeps its
distance from the edge, and memory and disk stay flat."""

import concurrent.futures
import contextlib
import hashlib
import os
import random
import socket
import subprocess
import threading
import time

import pytest
from harness import hls
from harness.contract import state_pb2
from harness.engine import PATIENCE, eventually
from harness.ports import free_port
from test_feeds import await_receiver
from test_live_windows import play, segment, spools

pytestmark = pytest.mark.long

# 120 for releases.
MINUTES = float(os.environ.get("LIVE_MINUTES", "1"))
# What is kept: seconds, and bytes on disk.
WINDOW, DISK = 30, 24 << 20
# The bit rate of the video, so that the window does not fit into memory.
RATE = "6M"


@contextlib.contextmanager
def broadcast(port):
    """A transport stream with a keyframe every two seconds, sent at its own speed."""
    sender = subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=10", "-re", "-f", "lavfi", "-i", "sine=440",
         "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "20", "-keyint_min", "20", "-sc_threshold", "0", "-b:v", RATE,
         "-minrate", RATE, "-maxrate", RATE, "-bufsize", "1M", "-x264-params", "nal-hrd=cbr", "-c:a", "aac", "-f", "rtp_mpegts",
         f"rtp://127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        yield sender
    finally:
        sender.kill()
        sender.wait()


class Viewer:
    """Fetches every segment of all renditions, and some again that are about to leave the window."""

    def __init__(self, session, seed):
        self.session, self.chance, self.ended = session, random.Random(seed), threading.Event()
        # By the URL of the segment.
        self.digests = {}
        self.gone, self.again = 0, 0

    def run(self):
        while not self.ended.wait(self.chance.uniform(0.2, 1.5)):
            for name in ("video", "audio-1"):
                listed = hls.Media(segment(self.session, f"{name}.m3u8")).segments
                for part in [*listed, self.chance.choice(listed[:3])]:
                    if part.url not in self.digests or part is not listed[-1] and self.chance.random() < 0.1:
                        self.fetch(part.url, name)
        return self

    def fetch(self, url, name):
        reply = hls.request(url)
        if reply.status == 410:
            # Segments can still be fetched for a while after they have left the playlist.
            assert b"source_not_readable" in reply.body
            assert url not in [part.url for part in hls.Media(segment(self.session, f"{name}.m3u8")).segments], url
            self.gone += 1
            return
        assert reply.status == 200 and reply.body, (url, reply.status, reply.body[:200])
        found = hashlib.sha256(reply.body).digest()
        self.again += url in self.digests
        assert self.digests.setdefault(url, found) == found, f"{url} has changed"


def measure(engine, session):
    """How far playback is behind the edge, the time minus the playhead, both in seconds; memory, and bytes on disk."""
    state = engine.state(session.id)
    assert state.phase == state_pb2.PHASE_PLAYING and state.HasField("live"), state
    now, position = time.monotonic(), state.position
    place = position.position_us / 1e6 + position.rate * (now - position.monotonic_ns / 1e9)
    return state.live.edge_us / 1e6 - place, now - place, engine.own_bytes(), sum(size for size, _ in spools(engine))


def test_two_viewers_of_a_long_broadcast(start_engine):
    engine = start_engine("--cache-bytes", "32M", "--window-bytes", "16M", "--dvr-bytes", str(DISK))
    number = free_port(socket.SOCK_DGRAM)
    name = f"rtp://127.0.0.1:{number}"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        loaded = pool.submit(engine.load, name, dvr_window_us=WINDOW * 1_000_000)
        await_receiver(engine, name, number)
        with broadcast(number) as sender:
            session = loaded.result()
            eventually(lambda: len(hls.Media(segment(session, "video.m3u8")).segments) >= 3, "the first segments")
            play(engine, session)
            viewers = [Viewer(session, seed) for seed in (1, 2)]
            running = [pool.submit(each.run) for each in viewers]
            values, end = [], time.monotonic() + MINUTES * 60
            try:
                while time.monotonic() < end and not any(each.done() for each in running):
                    values.append(measure(engine, session))
                    time.sleep(1)
                assert sender.poll() is None
            finally:
                # The pool waits for the viewers, also if a measurement fails.
                for viewer in viewers:
                    viewer.ended.set()
            for each in running:
                each.result(PATIENCE)
            state = engine.state(session.id)
        session.stop()
    one, other = (each.digests for each in viewers)
    both = one.keys() & other.keys()
    print(f"{len(both)} segments seen by both of {len(one)} and {len(other)}, {[each.again for each in viewers]} fetched again, "
          f"{[each.gone for each in viewers]} gone; continuity errors: {state.statistics.stream_continuity_errors}")
    assert len(both) >= 0.9 * max(len(one), len(other)) and len(both) >= MINUTES * 60 * 0.8
    assert [url for url in both if one[url] != other[url]] == []
    assert all(viewer.again >= 3 for viewer in viewers)
    settled = values[len(values) // 5:]
    behind, lags, memory, disk = zip(*settled)
    print(f"behind the edge {min(behind):.2f} to {max(behind):.2f} s, clock {min(lags):.3f} to {max(lags):.3f} s, "
          f"memory {min(memory) >> 20} to {max(memory) >> 20} MiB, disk up to {max(disk) >> 20} MiB")
    # The edge moves by a segment of two seconds at a time. Playback runs at the speed of the clock and never waits.
    assert max(behind) - min(behind) < 3.5 and min(behind) >= 0
    assert max(lags) - min(lags) < 0.1
    assert max(disk) <= DISK + (1 << 20)
    # As in the soak: caches are full after some minutes.
    assert memory[-1] - memory[0] < (64 << 20 if MINUTES < 8 else (16 << 20) + MINUTES * (1 << 19))
