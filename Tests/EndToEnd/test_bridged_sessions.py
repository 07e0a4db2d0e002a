# SPDX-License-Identifier: Apache-2.0
"""Eight sessions whose video is encoded at once share two cores: a player that waits is served first, and a stop ends encoding."""

import concurrent.futures
import contextlib
import os
import subprocess

import pytest
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually, is_idle
from harness.hls import Media, fetch

pytestmark = pytest.mark.long

# After a load, 24 s are read ahead.
SESSIONS, CORES, SECONDS = 8, 2, 38


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
    """A keyframe a second. Each second takes longer to encode than to fetch."""
    path = tmp_path_factory.mktemp("sessions") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=480x272:r=25:d={SECONDS}", "-c:v", "mpeg2video",
                    "-q:v", "4", "-g", "25", "-sc_threshold", "1000000000", path], check=True)
    return path


def loaded(engine, film):
    session = engine.load(film, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS, segment_target_us=1_000_000)
    media = Media.complete(session.master().variants[0][1])
    assert len(media.segments) == SECONDS
    return session, [segment.url for segment in media.segments]


def test_a_player_that_waits_is_served_before_what_is_read_ahead_for_others(start_engine, film):
    with few_cores():
        engine = start_engine()
    begun = engine.cpu_seconds()
    session, urls = loaded(engine, film)
    eventually(lambda: is_idle(engine.pid), "what is read ahead", seconds=5 * PATIENCE)
    # All segments are alike.
    segment = (engine.cpu_seconds() - begun) / engine.state(session.id).production.segments_produced
    others = [loaded(engine, film)[0] for _ in range(SESSIONS - 1)]
    asked = engine.cpu_seconds()
    fetch(urls[-1])
    served = engine.cpu_seconds()
    eventually(lambda: is_idle(engine.pid), "everything that is read ahead", seconds=5 * PATIENCE)
    left = (engine.cpu_seconds() - served) / segment
    assert left >= SESSIONS, f"{left:.1f} segments of the others were still to be encoded"
    # The segments that are being encoded go on; a free core takes one or two more while the awaited one is encoded. In the order of
    # arrival there would be one for each of the seven sessions.
    assert (served - asked) / segment <= CORES + 1 + 2, f"{(served - asked) / segment:.1f} segments were encoded"
    for each in (session, *others):
        each.stop()


def test_stops_of_eight_sessions_end_encoding(start_engine, film):
    with few_cores():
        engine = start_engine()

    def stop(sessions):
        """The CPU time from the first stop until nothing is done any more."""
        before = engine.cpu_seconds()
        for session, _ in sessions:
            session.stop()
        eventually(lambda: is_idle(engine.pid), "the engine to be idle")
        return engine.cpu_seconds() - before

    idle = stop([loaded(engine, film) for _ in range(SESSIONS)])
    found = [loaded(engine, film) for _ in range(SESSIONS)]
    opened = engine.cpu_seconds()
    with concurrent.futures.ThreadPoolExecutor(SESSIONS) as pool:
        asked = [pool.submit(fetch, urls[0]) for _, urls in found]
        eventually(lambda: engine.cpu_seconds() >= opened + 0.2, "encoding to begin")
        # Beside what stops cost anyway, each core encodes for 0.1 s at most. What was asked for takes seconds.
        assert stop(found) - idle <= 0.1 * CORES
        for each in asked:
            # Either it was ready, or the session is gone.
            each.exception(PATIENCE)
