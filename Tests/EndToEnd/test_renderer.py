# SPDX-License-Identifier: Apache-2.0
"""A front-end that plays the HLS attaches, carries out commands, and its reports become the state of the session."""

import contextlib
import json
import os
import pathlib
import queue
import socket
import subprocess
import sys
import threading

import grpc
import pytest
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, ROOT, clip
from test_control import Watcher

Request = engine_pb2.SessionRequest


class Renderer:
    """A renderer that reports what a test tells it to."""

    def __init__(self, engine, session_id="", name="test", **attach):
        self.requests, self.commands, self.error, self.is_over = queue.Queue(), [], None, False
        self.requests.put(engine_pb2.RenderRequest(
            attach=engine_pb2.AttachRenderer(session_id=session_id, name=name, **attach)))
        self.call = engine.stub.Render(iter(self.requests.get, None))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            for command in self.call:
                self.commands.append(command)
        except grpc.RpcError as error:
            self.error = error
        self.is_over = True

    def kinds(self):
        return [each.WhichOneof("command") for each in list(self.commands)]

    def wait(self, kind, after=0):
        return eventually(
            lambda: next((each for each in list(self.commands)
                          if each.WhichOneof("command") == kind and each.number > after), None), kind)

    def report(self, **values):
        values.setdefault("last_command", self.commands[-1].number if self.commands else 0)
        self.requests.put(engine_pb2.RenderRequest(report=engine_pb2.RendererReport(**values)))

    def leave(self):
        self.requests.put(None)
        self.thread.join(PATIENCE)


def wait_for_phase(engine, session, phase):
    return eventually(lambda: engine.state(session.id).phase == phase and engine.state(session.id),
                      state_pb2.Phase.Name(phase))


def test_a_renderer_receives_commands_and_moves_the_playhead(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        renderer = Renderer(engine, session.id)
        load = renderer.wait("load")
        assert load.load.url == session.url and load.load.position_us == 0
        renderer.wait("pause")
        assert engine.state(session.id).renderer.name == "test"
        # After Play the phase is only a request until the renderer reports that it plays.
        assert engine.stub.Play(Request()).state.phase == state_pb2.PHASE_PLAY
        play = renderer.wait("play")
        renderer.report(position_us=0, rate=0, last_command=play.number - 1)
        renderer.report(position_us=100_000, rate=1)
        state = wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
        assert state.position.position_us == 100_000 and state.position.rate == 1
        sought = engine.stub.Seek(engine_pb2.SeekRequest(position_us=9_000_000))
        assert sought.seek_id > 0 and sought.state.phase == state_pb2.PHASE_SEEKING
        seek = renderer.wait("seek")
        assert (seek.seek.id, seek.seek.position_us) == (sought.seek_id, 9_000_000)
        # A report from before the seek does not land it.
        renderer.report(position_us=300_000, rate=1, last_command=seek.number - 1)
        assert engine.state(session.id).phase == state_pb2.PHASE_SEEKING
        renderer.report(position_us=9_000_000, rate=1, seek_id=seek.seek.id, dropped_frames=4,
                        buffered=[state_pb2.TimeRange(start_us=9_000_000, end_us=12_000_000)])
        wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
        def stages():
            return [each.seek.stage for each in list(watcher.events) if each.WhichOneof("event") == "seek"]

        # The watch may deliver the event after the state was read.
        eventually(lambda: len(stages()) >= 2, "the end of the seek to be reported")
        assert stages() == [engine_pb2.SEEK_STAGE_BEGAN, engine_pb2.SEEK_STAGE_LANDED]
        assert engine.state(session.id).buffered[0].end_us == 12_000_000
        eventually(lambda: engine.state(session.id).statistics.dropped_frames == 4, "dropped frames")
        assert engine.stub.Pause(Request()).state.phase == state_pb2.PHASE_PAUSING
        renderer.wait("pause", after=seek.number)
        renderer.report(position_us=9_500_000, rate=0, seek_id=seek.seek.id)
        assert wait_for_phase(engine, session, state_pb2.PHASE_PAUSED).position.position_us == 9_500_000
        for request, kind, value in [
            (lambda: engine.stub.SetRate(engine_pb2.SetRateRequest(rate=1.5)), "rate", 1.5),
            (lambda: engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.25)), "volume", 0.25),
            (lambda: engine.stub.SetMuted(engine_pb2.SetMutedRequest(muted=True)), "muted", True),
        ]:
            before = renderer.commands[-1].number
            request()
            assert getattr(renderer.wait(kind, after=before), kind) == value
        renderer.leave()
        lost = watcher.wait(lambda each: each.WhichOneof("event") == "notice", "a notice")
        assert lost.notice.code == "renderer.lost"
        assert not engine.state(session.id).HasField("renderer") and renderer.error is None
        watcher.cancel()


def test_a_renderer_is_paused_by_a_seek_from_the_end(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        renderer = Renderer(engine, session.id)
        renderer.wait("load")
        engine.stub.Play(Request(), timeout=PATIENCE)
        play = renderer.wait("play")
        renderer.report(position_us=session.state.duration_us, rate=0, ended=True)
        wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=2_000_000), timeout=PATIENCE)
        seek = renderer.wait("seek", after=play.number)
        pause = renderer.wait("pause", after=seek.number)
        renderer.report(position_us=2_000_000, rate=0, seek_id=seek.seek.id, last_command=pause.number)
        wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
        renderer.leave()


def test_the_virtual_clock_continues_when_a_renderer_disconnects(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        renderer = Renderer(engine, session.id)
        renderer.wait("load")
        engine.stub.Play(Request())
        renderer.wait("play")
        renderer.report(position_us=5_000_000, rate=1)
        wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
        renderer.call.cancel()
        eventually(lambda: not engine.state(session.id).HasField("renderer"), "the renderer to be gone")
        state = wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
        assert state.position.position_us >= 5_000_000


# `SessionPlayerTests` shows that a renderer that does not play may be silent.
def test_a_renderer_that_stops_reporting_while_playing_is_lost(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        renderer = Renderer(engine, session.id)
        renderer.wait("load")
        engine.stub.Play(Request())
        eventually(lambda: renderer.is_over, "the call to end")
        assert renderer.error.code() == grpc.StatusCode.UNAVAILABLE
        wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)


def test_a_second_renderer_is_refused_unless_it_replaces_the_first(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        first = Renderer(engine, session.id, name="first")
        first.wait("load")
        second = Renderer(engine, session.id, name="second")
        eventually(lambda: second.is_over, "the second to be refused")
        assert second.error.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert dict(second.error.trailing_metadata())["engine-error-code"] == "renderer_conflict"
        third = Renderer(engine, session.id, name="third", replace=True)
        third.wait("load")
        eventually(lambda: first.is_over, "the first to be detached")
        assert first.error.code() == grpc.StatusCode.CANCELLED and "third" in first.error.details()
        assert engine.state(session.id).renderer.name == "third"
        third.leave()


def test_a_renderer_survives_a_load_and_ends_with_the_session(engine):
    session = engine.load(clip("h264-aac.mkv"))
    renderer = Renderer(engine, session.id)
    first = renderer.wait("load")
    loaded = engine.stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mp4")), session_id=session.id))
    second = renderer.wait("load", after=first.number)
    assert second.load.url == loaded.url != first.load.url
    assert engine.state(session.id).renderer.name == "test"
    engine.stub.Stop(Request(session_id=session.id))
    renderer.thread.join(PATIENCE)
    assert renderer.error is None and renderer.kinds()[-1] == "stop"


def test_invalid_renderer_messages_are_refused_by_field_name(engine):
    def error_of(*requests):
        with pytest.raises(grpc.RpcError) as caught:
            list(engine.stub.Render(iter(requests), timeout=PATIENCE))
        return caught.value.code(), dict(caught.value.trailing_metadata()).get("engine-error-field")

    def report(**values):
        return engine_pb2.RenderRequest(report=engine_pb2.RendererReport(**values))

    attach = engine_pb2.RenderRequest(attach=engine_pb2.AttachRenderer(name="x", replace=True))
    invalid = grpc.StatusCode.INVALID_ARGUMENT
    assert error_of() == (invalid, "attach")
    assert error_of(report()) == (invalid, "report")
    assert error_of(engine_pb2.RenderRequest()) == (invalid, "request")
    assert error_of(engine_pb2.RenderRequest(attach=engine_pb2.AttachRenderer())) == (invalid, "attach.name")
    sessions = engine_pb2.ListSessionsRequest()
    eventually(lambda: not engine.stub.ListSessions(sessions, timeout=PATIENCE).sessions, "the tests before have let go")
    for _ in range(20):
        assert error_of(attach)[0] == grpc.StatusCode.NOT_FOUND, "also when the client has said all it has to say"
    with engine.session(clip("h264-aac.mkv")) as session:
        assert error_of(attach, attach) == (invalid, "attach")
        for rate in (float("nan"), -1, float("inf"), 1e9):
            assert error_of(attach, report(rate=rate)) == (invalid, "report.rate")
        backwards = state_pb2.TimeRange(start_us=5, end_us=4)
        assert error_of(attach, report(buffered=[backwards])) == (invalid, "report.buffered")
        assert error_of(attach, report(buffered=[state_pb2.TimeRange()] * 65)) == (invalid, "report.buffered")
        eventually(lambda: not engine.state(session.id).HasField("renderer"), "nobody to be left attached")
        renderer = Renderer(engine, session.id)
        renderer.wait("pause")
        for position, clamped in ((2**63 - 1, session.state.duration_us), (-2**63, 0)):
            renderer.report(position_us=position, rate=0)
            eventually(lambda: engine.state(session.id).position.position_us == clamped, "the position to be clamped")
        renderer.leave()


class Mpv:
    """The values that mpv itself reports, over a second connection to its JSON IPC."""

    def __init__(self, path):
        eventually(path.exists, "mpv's socket")
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(PATIENCE)
        self.connection.connect(str(path))
        self.lines = self.connection.makefile()

    def ask(self, *command):
        self.connection.sendall(json.dumps({"command": command, "request_id": 7}).encode() + b"\n")
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("request_id") == 7 and "error" in answer:
                return answer.get("data")
        raise AssertionError("mpv has gone")


@pytest.fixture
def mpv_renderer(engine, tmp_path):
    with engine.session(clip("h264-aac.mkv")) as session:
        path = tmp_path / "mpv.sock"
        with open(tmp_path / "renderer.log", "wb") as log:
            process = subprocess.Popen(
                [sys.executable, ROOT / "examples/python/renderer_mpv.py", "--mpv-socket", path, "--",
                 "--vo=null", "--ao=null"], env=dict(os.environ, ENGINED_SOCKET=str(engine.socket)),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            eventually(lambda: engine.state(session.id).HasField("renderer"), "mpv to attach")
            yield session, Mpv(path), process
        finally:
            process.terminate()
            process.wait(PATIENCE)


def enginectl(engine, *arguments):
    done = subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_enginectl_controls_mpv_and_shows_its_position(engine, mpv_renderer):
    session, mpv, process = mpv_renderer
    enginectl(engine, "play")
    wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
    eventually(lambda: (mpv.ask("get_property", "time-pos") or 0) > 1, "mpv to play")
    enginectl(engine, "pause")
    wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
    assert mpv.ask("get_property", "pause") is True
    place = mpv.ask("get_property", "time-pos")
    eventually(lambda: abs(engine.state(session.id).position.position_us / 1e6 - place) < 0.05, "mpv's own place")
    watch = subprocess.Popen([ENGINECTL, "watch", "--json", "--socket", engine.socket], stdout=subprocess.PIPE, text=True)
    shown = json.loads(watch.stdout.readline())
    watch.kill()
    watch.wait(PATIENCE)
    assert abs(shown["state"]["position"]["position_us"] / 1e6 - place) < 0.05
    # Changes in mpv itself become the session's state.
    mpv.ask("set_property", "pause", False)
    wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
    enginectl(engine, "seek", "begin", "--pause")
    wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
    assert mpv.ask("get_property", "time-pos") < 0.2
    enginectl(engine, "volume", "0.4")
    eventually(lambda: abs(mpv.ask("get_property", "volume") - 40) < 0.01, "mpv's volume")
    enginectl(engine, "play")
    wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
    watcher = Watcher(engine, session_id=session.id)
    mpv.ask("quit")
    watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "renderer.lost", "it is lost")
    wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
    assert process.wait(PATIENCE) == 0
    watcher.cancel()


def command_line(process):
    """Empty once the process has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def test_mpv_ends_with_its_renderer_program(mpv_renderer):
    _, mpv, process = mpv_renderer
    player = mpv.ask("get_property", "pid")
    assert player != process.pid
    process.kill()
    process.wait(PATIENCE)
    eventually(lambda: not command_line(player), "mpv to end")


@pytest.mark.long
def test_mpv_stays_paused_after_a_seek_from_the_end(engine, mpv_renderer):
    session, mpv, _ = mpv_renderer
    enginectl(engine, "play")
    wait_for_phase(engine, session, state_pb2.PHASE_PLAYING)
    enginectl(engine, "seek", "end")
    wait_for_phase(engine, session, state_pb2.PHASE_ENDED)
    enginectl(engine, "seek", "2")
    wait_for_phase(engine, session, state_pb2.PHASE_PAUSED)
    enginectl(engine, "rate", "1.5")
    eventually(lambda: mpv.ask("get_property", "speed") == 1.5, "mpv's speed")
    # The renderer carries out commands in order, and reports in between: after this one, all of the rate has reached mpv.
    enginectl(engine, "volume", "0.5")
    eventually(lambda: abs(mpv.ask("get_property", "volume") - 50) < 0.01, "mpv's volume")
    assert mpv.ask("get_property", "pause") is True
    assert engine.state(session.id).phase == state_pb2.PHASE_PAUSED
