# SPDX-License-Identifier: Apache-2.0
"""In a control group without enough memory: caches shrink first, and an engine that the kernel kills comes back with all its
sessions."""

import http.client
import itertools
import signal
import subprocess
import urllib.error

import grpc
import pytest
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import Media, digest, fetch
from harness.memory_group import MemoryGroup
from harness.places import clip

MIB = 1 << 20
PLAYING = state_pb2.PHASE_PLAYING


@pytest.fixture
def group():
    with MemoryGroup() as group:
        yield group


@pytest.fixture
def long_film(tmp_path):
    """More segments than a cache of 64 MiB holds."""
    path = tmp_path / "long.mkv"
    times = 100 * MIB // clip("anamorphic.mkv").stat().st_size
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", str(times), "-i", clip("anamorphic.mkv"), "-c", "copy", path],
                   check=True)
    yield path
    path.unlink()


def play(engine, sessions):
    for each in sessions:
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=each.id, looping=True), timeout=PATIENCE)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=each.id), timeout=PATIENCE)
    eventually(lambda: all(engine.state(each.id).phase == PLAYING for each in sessions), "all to play")


def segments(session):
    return [each.url for each in Media.complete(session.master().variants[0][1]).segments]


@pytest.mark.long
def test_caches_shrink_before_the_kernel_kills(group, start_engine, long_film, tmp_path):
    cache = 64 * MIB
    engine = start_engine("--cache-bytes", str(cache), through=group.through())
    # The cache is divided among the sessions.
    sessions = [engine.load(long_film) for _ in range(4)]
    play(engine, sessions)
    urls = [segments(each) for each in sessions]
    before = [[digest(url) for url in each] for each in urls]
    group.drop_files()
    # Not enough for the whole cache, and enough for half of it.
    limit = group.usage() - cache // 4
    engine.kill()

    with group.reporting(limit, tmp_path / "pressure") as reports:
        def served(url):
            reports.make_room()
            return digest(url)

        group.limit(limit)
        engine = start_engine(
            "--cache-bytes", str(cache), directory=engine.directory,
            through=[*group.through(), "env", *(f"{name}={value}" for name, value in reports.variables.items())])
        eventually(lambda: all(engine.state(each.id).phase == PLAYING for each in sessions), "all to play again")
        # All play on, and nothing that was served has changed.
        assert [[served(url) for url in each] for each in urls] == before
        assert engine.is_alive() and group.kills() == 0
        # The cache may have grown again since.
        assert "memory is short" in engine.log.read_text() and f"cache-bytes={cache // 2}" in engine.log.read_text()
        assert all(engine.state(each.id).phase == PLAYING for each in sessions)
        assert engine.is_alive() and group.kills() == 0
        print(f"with at most {limit // MIB} MiB, memory was short {engine.log.read_text().count('memory is short')} times, while "
              f"{sum(map(len, urls))} segments of {len(urls) * long_film.stat().st_size // MIB} MiB were served")
        group.limit(-1)
        engine.end()


def test_an_engine_that_the_kernel_has_killed_comes_back_with_all_sessions(group, start_engine, long_film):
    engine = start_engine("--cache-bytes", str(64 * MIB), through=group.through())
    sessions = [engine.load(clip(name)) for name in ("h264-aac.mkv", "h264-aac.mp4", "several.mkv")] + [engine.load(long_film)]
    play(engine, sessions)
    before = [digest(url) for url in segments(sessions[0])]
    for kill in (1, 2):
        group.starve()
        # The cache grows beyond the limit. Nobody tells the engine.
        with pytest.raises((OSError, http.client.HTTPException, urllib.error.URLError, grpc.RpcError)):
            for url in itertools.cycle(segments(sessions[-1])):
                fetch(url)
        assert engine.process.wait(PATIENCE) == -signal.SIGKILL
        assert group.kills() == kill, "the kernel has killed it"
        # Memory is free again, as if other processes had ended.
        group.limit(-1)
        engine = start_engine("--cache-bytes", str(64 * MIB), directory=engine.directory, through=group.through())
        listed = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
        assert [(each.session_id, each.url) for each in listed] == [(each.id, each.url) for each in sessions]
        # No source is to blame.
        eventually(lambda: all(engine.state(each.id).phase == PLAYING for each in sessions), "all to play again")
        assert [digest(url) for url in segments(sessions[0])] == before
    engine.end()
