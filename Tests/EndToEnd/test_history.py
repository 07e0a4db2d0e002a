# SPDX-License-Identifier: Apache-2.0
"""The history: where a load resumes, and how entries are listed and removed."""

import concurrent.futures
import json
import os
import shutil
import signal
import stat
import subprocess

import grpc
import pytest
from harness import hls
from harness.channels import make_stream
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip
from harness.tiers import tiered

Request = engine_pb2.SessionRequest
ON = engine_pb2.RESUMING_ON


def entries(engine):
    return list(engine.stub.ListHistory(engine_pb2.ListHistoryRequest(), timeout=PATIENCE).entries)


def play(engine, path, position):
    """Plays a little from a position, and stops."""
    with engine.session(path):
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=position, after=engine_pb2.AFTER_SEEK_PLAY), timeout=PATIENCE)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING, "playback")
        left = engine.stub.Pause(Request(), timeout=PATIENCE).state.position.position_us
    return left


def start_position(engine, path, **options):
    with engine.session(path, **options) as session:
        assert session.state.phase == state_pb2.PHASE_READY
        return session.state.position.position_us


@pytest.fixture
def film(tmp_path):
    return shutil.copy(clip("h264-aac.mkv"), tmp_path / "film.mkv")


def test_a_load_resumes_the_source_even_after_a_rename(start_engine, film, tmp_path):
    engine = start_engine()
    assert start_position(engine, film, resuming=ON) == 0 and not entries(engine), "what is not played is not remembered"
    left = play(engine, film, 5_000_000)
    assert left > 5_000_000
    assert start_position(engine, film) == 0, "nobody asked to resume"
    assert start_position(engine, film, resuming=ON) == left
    renamed = shutil.move(film, tmp_path / "elsewhere.mkv")
    assert start_position(engine, renamed, resuming=ON) == left
    # A source that is loaded again but not played keeps its position.
    assert [(each.source, each.position_us, each.finished) for each in entries(engine)] == [(str(film), left, False)]
    given = engine.stub.Load(engine_pb2.LoadRequest(source=str(renamed), start_position_us=2_000_000,
                                                    options=engine_pb2.LoadOptions(resuming=ON)), timeout=PATIENCE)
    assert given.state.position.position_us == 2_000_000, "a given position comes first"
    engine.stub.Stop(Request())
    other = shutil.copy(clip("h264-aac.mp4"), film)
    assert start_position(engine, other, resuming=ON) == 0, "another file under the old name"


@pytest.mark.long
def test_a_finished_source_starts_from_the_beginning(start_engine, film):
    engine = start_engine()
    with engine.session(film):
        engine.stub.SetRate(engine_pb2.SetRateRequest(rate=2))
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=12_500_000, after=engine_pb2.AFTER_SEEK_PLAY))
        eventually(lambda: engine.state().phase == state_pb2.PHASE_ENDED, "the end")
        [entry] = entries(engine)
        assert entry.finished and entry.position_us == 0 and entry.duration_us == engine.state().duration_us
    assert start_position(engine, film, resuming=ON) == 0


@pytest.mark.parametrize("ending", tiered([signal.SIGTERM, signal.SIGKILL], {signal.SIGKILL}))
def test_the_history_survives_a_restart(start_engine, film, ending):
    engine = start_engine("--journal", "off")
    left = play(engine, film, 3_000_000)
    if ending == signal.SIGKILL:
        # The entry is written soon after the session has been stopped.
        eventually(lambda: entries(engine), "the entry")
    engine.process.send_signal(ending)
    engine.process.wait(PATIENCE)
    engine = start_engine("--resume", "on", directory=engine.directory)
    assert start_position(engine, film) == left, "the setting"
    assert start_position(engine, film, resuming=engine_pb2.RESUMING_OFF) == 0, "a load may say otherwise"
    [place] = engine.directory.rglob("history.json")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_stream_that_is_sent_is_neither_recorded_nor_resumed(start_engine, tmp_path):
    engine, pipe = start_engine(), tmp_path / "live.ts"
    stream = make_stream(tmp_path / "channel.ts")
    os.mkfifo(pipe)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        loaded = pool.submit(engine.load, f"pipe:{pipe}", resuming=ON)
        pipe.write_bytes(stream)
        session = loaded.result()
    hls.Media.complete(session.url.replace("master", "video"))
    # The stream has ended, so the session is no longer live.
    eventually(lambda: not engine.state().HasField("live"), "the end of the stream")
    engine.stub.Play(Request(), timeout=PATIENCE)
    eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING, "playback")
    engine.stub.Pause(Request(), timeout=PATIENCE)
    session.stop()
    assert entries(engine) == []
    assert "cannot be recorded" not in engine.log.read_text()


def test_a_disabled_history_is_reported_as_unavailable(start_engine, film):
    engine = start_engine("--history", "off")
    play(engine, film, 3_000_000)
    assert start_position(engine, film, resuming=ON) == 0
    for call in (lambda: engine.stub.ListHistory(engine_pb2.ListHistoryRequest()),
                 lambda: engine.stub.ClearHistory(engine_pb2.ClearHistoryRequest())):
        with pytest.raises(grpc.RpcError) as refused:
            call()
        assert refused.value.code() == grpc.StatusCode.UNAVAILABLE


def test_enginectl_resumes_lists_and_clears_entries(start_engine, film, tmp_path):
    engine = start_engine()
    other = shutil.copy(clip("h264-aac.mp4"), tmp_path / "other.mp4")

    def ctl(*arguments, expect=0):
        done = subprocess.run([ENGINECTL, "--socket", str(engine.socket), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE)
        assert done.returncode == expect, (arguments, done.stdout, done.stderr)
        return done.stdout
    left, _ = play(engine, film, 4_000_000), play(engine, other, 2_000_000)
    assert [line.rpartition("  ")[2] for line in ctl("history").splitlines()] == [str(other), str(film)]
    listed = json.loads(ctl("history", "--json"))["entries"]
    assert listed[1]["source"] == str(film) and listed[1]["position_us"] == left and listed[1]["played_unix_us"] > 1_700_000_000_000_000
    assert json.loads(ctl("load", "--resume", str(film), "--json"))["position"]["position_us"] == left
    assert json.loads(ctl("history", "--clear", str(film), "--json")) == {"removed": 1}
    assert [each.source for each in entries(engine)] == [str(other)]
    assert ctl("history", "--clear") == "1 source forgotten\n" and ctl("history") == ""
    ctl("history", str(film), expect=64)
    ctl("load", str(film), "--resume", "--start", "3", expect=64)
