# SPDX-License-Identifier: Apache-2.0
"""Under the limits of its systemd units, the engine survives sources that crash it, and the other sessions play on."""

import contextlib
import subprocess

import grpc
import pytest
from harness.browser import chromium
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip
from harness.players import PlayingMpv
from harness.supervisor import Limits, Supervisor
from test_crash import digests, film, listens

PLAYING, ERROR = state_pb2.PHASE_PLAYING, state_pb2.PHASE_ERROR
# Printing a backtrace takes longer than the rest of a test.
QUIET = {"SWIFT_BACKTRACE": "enable=no"}


def play(engine, session):
    engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)
    engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)


def load(engine, source):
    """`enginectl load`: its exit code and its message."""
    done = subprocess.run([ENGINECTL, "load", "--socket", engine.socket, source], env=engine.environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=2 * PATIENCE)
    return done.returncode, done.stderr


def crashed(supervisor, source):
    """The sessions of a source, if all of them are given up."""
    mine = [state for state in supervisor.sessions().values() if state.source == str(source)]
    return mine and all(state.phase == ERROR and state.error.code == "source_crashed" for state in mine) and mine


def plays_on(browser, url, place):
    """Asserts that Chromium plays from a place. Returns whether the page had to open the URL again: Chromium gives up
    if the end of the process interrupts a response."""
    landed = browser.seek(place)
    has_given_up = landed["error"] is not None
    if has_given_up:
        assert browser.open(url) == "ok"
        landed = browser.seek(place)
    assert landed["error"] is None and abs(landed["landed"] - place) < 0.5, landed
    moved = browser.advance(1, start=place)
    assert moved["error"] is None and not moved["late"], moved
    return has_given_up


def put(path):
    path.write_bytes(clip("h264-aac.mkv").read_bytes())
    return path


def test_a_source_is_given_up_before_the_unit_gives_up(start_engine, tmp_path):
    bad = put(tmp_path / "bad.mkv")
    engine = start_engine()
    good = [engine.load(clip("h264-aac.mp4")) for _ in range(10)]
    for session in good:
        play(engine, session)
    before = digests(good[2].url)
    engine.kill()
    with Supervisor(engine, Limits("engined.service.in"), ENGINED_TEST_CRASH="opening:bad.mkv", **QUIET) as supervisor:
        def others_play():
            states = supervisor.sessions()
            return all(states[each.id].phase == PLAYING for each in good)

        eventually(others_play, "all others to play")
        # A client opens the source, and the next process opens it once more.
        assert load(engine, bad)[0] != 0
        eventually(lambda: crashed(supervisor, bad), "the source to be given up")
        eventually(others_play, "all others to play on")
        assert digests(good[2].url) == before
        assert len(supervisor.starts) == 3 and not supervisor.has_given_up
    assert supervisor.endings[-1] == 0


@pytest.mark.long
@pytest.mark.parametrize("unit", ["engined.service.in", "engined@.service.in"])
@pytest.mark.parametrize("moment", ["opening", "reading"])
def test_others_play_on_while_a_source_crashes_the_engine(start_engine, film, tmp_path, unit, moment):
    bad = put(tmp_path / "bad.mkv")
    engine = start_engine()
    good = [engine.load(film if number < 2 else clip("h264-aac.mp4")) for number in range(10)]
    for session in good:
        play(engine, session)
    before = digests(good[2].url)
    engine.kill()

    def others_play():
        states = supervisor.sessions()
        return all(states[each.id].phase == PLAYING for each in good)

    with (Supervisor(engine, Limits(unit), ENGINED_TEST_CRASH=f"{moment}:bad.mkv", **QUIET) as supervisor, chromium() as browser,
          PlayingMpv(good[1].url, engine.directory / "mpv.log", speed=1) as mpv):
        eventually(others_play, "all others to play")
        assert browser.open(good[0].url) == "ok" and browser.advance(1)["error"] is None
        eventually(lambda: mpv.place() > 2, "mpv to play")

        # A client opens the source, and the next process opens it once more.
        seen, heard = browser.value("currentTime"), mpv.place()
        # A load may have its answer before the first segment is read.
        assert load(engine, bad)[0] != 0 or moment == "reading"
        eventually(lambda: crashed(supervisor, bad), "the source to be given up")
        assert len(supervisor.starts) == 3
        # A client that loads it again gets one try, but not at once.
        eventually(lambda: "not opened again yet" not in (error := load(engine, bad)[1]) and error, "another try")
        eventually(lambda: len(supervisor.starts) == 4, "the next process")
        eventually(lambda: crashed(supervisor, bad), "the source to be given up again")
        assert len(supervisor.starts) == 4 and not supervisor.has_given_up

        eventually(others_play, "all others to play")
        again = [plays_on(browser, good[0].url, seen)]
        eventually(lambda: mpv.place() > heard + 10, "mpv to play beyond what it had fetched")
        # Beyond what Chromium had fetched.
        again.append(plays_on(browser, good[0].url, 200))
        assert digests(good[2].url) == before
        # No other process has ended meanwhile.
        assert len(supervisor.starts) == 4
        print(f"{moment}: {len(supervisor.starts)} of {supervisor.limits.burst} starts in {supervisor.limits.interval} s, "
              f"the last {supervisor.starts[-1] - supervisor.starts[0]:.1f} s after the first; the page opened the URL again "
              f"{sum(again)} times")
    assert supervisor.endings[-1] == 0


@pytest.mark.long
def test_a_dozen_crashing_sources_do_not_use_up_the_starts_of_a_unit(start_engine, tmp_path):
    engine = start_engine()
    good, bad = engine.load(clip("h264-aac.mp4")), []
    for number in range(12):
        source = tmp_path / str(number) / "bad.mkv"
        source.parent.mkdir()
        source.write_bytes(clip("h264-aac.mkv").read_bytes())
        engine.load(source)
        bad.append(source)
    play(engine, good)
    engine.kill()
    with Supervisor(engine, Limits("engined.service.in"), ENGINED_TEST_CRASH="opening:bad.mkv", **QUIET) as supervisor:
        eventually(lambda: all(crashed(supervisor, each) for each in bad), "all to be given up", 10 * PATIENCE)
        eventually(lambda: listens(good.url), "the port to be taken again")
        eventually(lambda: supervisor.sessions()[good.id].phase == PLAYING, "the other to play")
        print(f"{len(supervisor.starts)} starts in {supervisor.starts[-1] - supervisor.starts[0]:.0f} s")
        # More than the unit allows in an interval: the engine has waited.
        assert len(supervisor.starts) > supervisor.limits.burst and not supervisor.has_given_up


@pytest.mark.long
@pytest.mark.parametrize("call", ["Load", "Probe"])
def test_a_client_that_tries_many_crashing_sources_does_not_use_up_the_starts_of_a_unit(start_engine, tmp_path, call):
    engine = start_engine()
    good = engine.load(clip("h264-aac.mp4"))
    play(engine, good)
    engine.kill()
    with Supervisor(engine, Limits("engined.service.in"), ENGINED_TEST_CRASH="opening:bad.mkv", **QUIET) as supervisor:
        request = {"Load": engine_pb2.LoadRequest, "Probe": engine_pb2.ProbeRequest}[call]
        for number in range(supervisor.limits.burst):
            source = tmp_path / str(number) / "bad.mkv"
            source.parent.mkdir()
            supervisor.sessions()
            # It ends the process, unless another source has done so meanwhile.
            with contextlib.suppress(grpc.RpcError):
                getattr(supervisor.stub, call)(request(source=str(put(source))), timeout=PATIENCE, wait_for_ready=True)
        eventually(lambda: supervisor.sessions()[good.id].phase == PLAYING, "the other to play", 10 * PATIENCE)
        print(f"{call}: {len(supervisor.starts)} starts in {supervisor.starts[-1] - supervisor.starts[0]:.0f} s")
        assert len(supervisor.starts) > supervisor.limits.burst and not supervisor.has_given_up
