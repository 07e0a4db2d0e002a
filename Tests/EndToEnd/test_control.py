# SPDX-License-Identifier: Apache-2.0
"""The socket speaks gRPC to official clients, and watches follow the contract."""

import os
import re
import subprocess
import sys
import threading
import time

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from harness.contract import engine_pb2, engine_pb2_grpc, state_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import request
from harness.places import ROOT, clip

Request = engine_pb2.SessionRequest


class Watcher:
    """A watch that collects its events."""

    def __init__(self, engine, **options):
        self.events, self.error = [], None
        self.call = engine.stub.Watch(engine_pb2.WatchRequest(**options))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            for event in self.call:
                self.events.append(event)
        except grpc.RpcError as error:
            self.error = error

    def kinds(self):
        return [event.WhichOneof("event") for event in list(self.events)]

    def wait(self, condition, what):
        return eventually(lambda: next((each for each in list(self.events) if condition(each)), None), what)

    def wait_for_phase(self, phase):
        def shows(event):
            kind = event.WhichOneof("event")
            if kind == "snapshot":
                return event.snapshot.phase == phase
            return (kind == "delta" and state_pb2.STATE_FIELD_PHASE in event.delta.fields
                    and event.delta.state.phase == phase)
        return self.wait(shows, state_pb2.Phase.Name(phase))

    def wait_until_accepted(self):
        """Waits until the engine has registered the watch."""
        accepted = threading.Thread(target=self.call.initial_metadata, daemon=True)
        accepted.start()
        accepted.join(PATIENCE)
        assert not accepted.is_alive()

    def cancel(self):
        self.call.cancel()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


def test_commands_return_the_resulting_state(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[A-Za-z0-9_-]{22,}/master\.m3u8", session.url), session.url
        assert session.state.phase == state_pb2.PHASE_READY and session.state.url == session.url
        assert abs(session.state.duration_us - 24_021_000) < 100_000
        playing = engine.stub.Play(Request())
        assert playing.session_id == session.id and playing.state.phase in (
            state_pb2.PHASE_PLAYING, state_pb2.PHASE_BUFFERING)
        assert engine.stub.Play(Request()).state.phase in (state_pb2.PHASE_PLAYING, state_pb2.PHASE_BUFFERING)
        paused = engine.stub.Pause(Request())
        assert paused.state.phase == state_pb2.PHASE_PAUSED and paused.state.position.rate == 0
        assert paused.revision > playing.revision
        sought = engine.stub.Seek(engine_pb2.SeekRequest(position_us=10_000_000))
        assert sought.state.position.position_us == 10_000_000 and not sought.clamped
        relative = engine.stub.Seek(engine_pb2.SeekRequest(position_us=-2_000_000, relative=True))
        assert relative.state.position.position_us == 8_000_000
        beyond = engine.stub.Seek(engine_pb2.SeekRequest(position_us=99_000_000))
        assert beyond.clamped and beyond.state.position.position_us <= session.state.duration_us
        fast = engine.stub.SetRate(engine_pb2.SetRateRequest(rate=7))
        assert fast.clamped and fast.state.position.requested_rate == 2
        listed = engine.stub.ListSessions(engine_pb2.ListSessionsRequest())
        assert session.id in [each.session_id for each in listed.sessions]
        assert listed.default_session_id == session.id


def test_a_stale_revision_is_refused(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        now = engine.state(session.id).revision
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=1_000_000))
        with pytest.raises(grpc.RpcError) as refused:
            engine.stub.Play(Request(session_id=session.id, if_revision=now))
        assert refused.value.code() == grpc.StatusCode.ABORTED
        assert refused.value.details().startswith("revision_conflict")


@pytest.mark.parametrize("call, code, word", [
    (lambda stub: stub.GetState(Request(session_id="nobody")), "NOT_FOUND", "session_not_found"),
    (lambda stub: stub.Load(engine_pb2.LoadRequest(source="relative.mkv")), "INVALID_ARGUMENT", "invalid_argument"),
    (lambda stub: stub.Load(engine_pb2.LoadRequest()), "INVALID_ARGUMENT", "invalid_argument"),
    (lambda stub: stub.Probe(engine_pb2.ProbeRequest(source="/nowhere/ümlaut %41.mkv")), "NOT_FOUND", "source_not_found"),
])
def test_errors_have_a_status_code_and_an_error_word(engine, call, code, word):
    with pytest.raises(grpc.RpcError) as failed:
        call(engine.stub)
    assert failed.value.code().name == code and failed.value.details().startswith(word)
    if "ümlaut" in failed.value.details() or word == "source_not_found":
        assert "ümlaut %41" in failed.value.details()


def test_an_unknown_method_is_unimplemented(engine):
    with pytest.raises(grpc.RpcError) as failed:
        engine.channel.unary_unary("/engine.v1.Engine/Fly")(b"", timeout=PATIENCE)
    assert failed.value.code() == grpc.StatusCode.UNIMPLEMENTED
    with pytest.raises(grpc.RpcError) as failed:
        engine.channel.unary_unary("/engine.v1.Engine/Load")(b"\xff\xff\xff", timeout=PATIENCE)
    assert failed.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.INTERNAL)


def test_a_watch_sends_a_snapshot_and_then_changes(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id, time_interval_us=200_000)
        first = watcher.wait(lambda _: True, "a first event")
        assert first.WhichOneof("event") == "snapshot" and first.snapshot.url == session.url
        engine.stub.Play(Request(session_id=session.id))
        watcher.wait_for_phase(state_pb2.PHASE_PLAYING)
        eventually(lambda: watcher.kinds().count("time") >= 5, "time events")
        engine.stub.Pause(Request(session_id=session.id))
        watcher.wait_for_phase(state_pb2.PHASE_PAUSED)
        assert "snapshot" not in watcher.kinds()[1:]
        times = [each.time for each in list(watcher.events) if each.WhichOneof("event") == "time"]
        assert all(one.position_us <= other.position_us for one, other in zip(times, times[1:]))
        # A late event does not delay the events after it.
        assert times[-1].monotonic_ns - times[0].monotonic_ns >= 200_000_000 * (len(times) - 2)
        for one, other in zip(times, times[1:]):
            elapsed = (other.monotonic_ns - one.monotonic_ns) / 1000 * one.rate
            assert abs(other.position_us - one.position_us - elapsed) < 50_000
        changes = [each.revision for each in list(watcher.events) if each.WhichOneof("event") == "delta"]
        assert changes == sorted(set(changes)) and changes[0] > first.revision
        watcher.cancel()
        assert watcher.error.code() == grpc.StatusCode.CANCELLED


def test_watchers_receive_only_the_requested_fields_and_events(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        narrow = Watcher(engine, session_id=session.id, time_interval_us=-1, fields=[state_pb2.STATE_FIELD_PHASE])
        narrow.wait(lambda _: True, "a snapshot")
        engine.stub.Play(Request(session_id=session.id))
        narrow.wait_for_phase(state_pb2.PHASE_PLAYING)
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=5_000_000))
        engine.stub.Pause(Request(session_id=session.id))
        narrow.wait_for_phase(state_pb2.PHASE_PAUSED)
        assert set(narrow.kinds()) <= {"snapshot", "delta", "seek"}
        for event in [each for each in narrow.events if each.WhichOneof("event") == "delta"]:
            assert list(event.delta.fields) == [state_pb2.STATE_FIELD_PHASE]
        narrow.cancel()


def test_a_watch_ends_with_its_session(engine):
    session = engine.load(clip("h264-aac.mkv"))
    watcher = Watcher(engine, session_id=session.id)
    watcher.wait(lambda _: True, "a snapshot")
    session.stop()
    watcher.thread.join(PATIENCE)
    assert not watcher.thread.is_alive() and watcher.error is None
    assert watcher.kinds()[-1] == "closed"


def test_a_watch_of_the_default_session_picks_up_a_later_load(fresh_engine):
    watcher = Watcher(fresh_engine)
    watcher.wait_until_accepted()
    with fresh_engine.session(clip("h264-aac.mkv")) as session:
        watcher.wait(lambda event: event.session_id == session.id and event.WhichOneof("event") == "snapshot", "a snapshot")
    watcher.cancel()


def test_sessions_are_independent(engine):
    everyone = Watcher(engine, all_sessions=True)
    with engine.session(clip("h264-aac.mkv")) as first, engine.session(clip("vp9-opus.webm")) as second:
        engine.stub.Play(Request(session_id=first.id))
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=second.id, position_us=9_000_000))
        assert engine.state(second.id).position.position_us == 9_000_000
        assert engine.state(first.id).position.position_us < 5_000_000
        everyone.wait(lambda event: event.session_id == first.id, "the first session")
        everyone.wait(lambda event: event.session_id == second.id, "the second session")
    everyone.wait(lambda event: event.WhichOneof("event") == "closed" and event.session_id == first.id, "its end")
    everyone.cancel()


def test_the_virtual_clock_plays_to_the_end(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=23_000_000))
        engine.stub.Play(Request(session_id=session.id))
        watcher.wait_for_phase(state_pb2.PHASE_ENDED)
        ended = engine.state(session.id)
        assert abs(ended.position.position_us - ended.duration_us) < 1000 and ended.position.rate == 0
        assert ended.buffered and ended.buffered[-1].end_us >= ended.duration_us - 100_000
        watcher.cancel()


def test_watches_honour_deadlines_and_cancellation(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        with pytest.raises(grpc.RpcError) as late:
            for _ in engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id), timeout=0.5):
                pass
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        for _ in range(200):
            call = engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id))
            next(call)
            call.cancel()
        assert engine.state(session.id).session_id == session.id


def test_a_cancelled_load_leaves_a_working_session_or_none(fresh_engine):
    engine = fresh_engine
    clips = [str(clip(name)) for name in ("h264-aac.mkv", "h264-aac.ts")]
    for number in range(60):
        call = engine.stub.Load.future(engine_pb2.LoadRequest(source=clips[number % 2]))
        time.sleep(number % 12 / 1000)
        call.cancel()

    def dead():
        """The sessions that are listed but not served. A cancelled session is one of them for a moment, until its end is
        published."""
        sessions = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
        return [state.session_id for state in sessions
                if state.phase != state_pb2.PHASE_OPENING and request(state.url).status != 200]

    eventually(lambda: not dead(), "every listed session to be served")


def test_a_start_position_beyond_the_end_is_clamped(engine):
    reply = engine.stub.Load(
        engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), start_position_us=1 << 50), timeout=PATIENCE)
    assert reply.state.phase == state_pb2.PHASE_READY
    assert reply.state.position.position_us == reply.state.duration_us
    engine.stub.Stop(engine_pb2.SessionRequest(session_id=reply.session_id), timeout=PATIENCE)


@pytest.mark.long
def test_a_slow_watcher_uses_no_memory_and_delays_no_one(engine):
    with engine.session(clip("h264-aac.mkv")) as session, engine.connect() as channel:
        # This watch reads its snapshot and then nothing more. Once its window is full, nothing is written for it.
        lazy = engine_pb2_grpc.EngineStub(channel).Watch(engine_pb2.WatchRequest(session_id=session.id, time_interval_us=1000))
        next(lazy)
        watcher = Watcher(engine, session_id=session.id, time_interval_us=100_000)
        before = engine.resident_bytes()
        engine.stub.Play(Request(session_id=session.id))
        for step in range(500):
            engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=step * 40_000))
        last = engine.stub.Pause(Request(session_id=session.id))
        watcher.wait(lambda event: event.revision >= last.revision, "the last change")
        assert engine.resident_bytes() - before < 64 << 20
        lazy.cancel()
        watcher.cancel()


def test_the_health_service_reports_serving(engine):
    stub = health_pb2_grpc.HealthStub(engine.channel)
    serving = health_pb2.HealthCheckResponse.SERVING
    assert stub.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE).status == serving
    assert stub.Check(health_pb2.HealthCheckRequest(service="engine.v1.Engine"), timeout=PATIENCE).status == serving
    with pytest.raises(grpc.RpcError) as unknown:
        stub.Check(health_pb2.HealthCheckRequest(service="nobody"), timeout=PATIENCE)
    assert unknown.value.code() == grpc.StatusCode.NOT_FOUND
    watch = stub.Watch(health_pb2.HealthCheckRequest(service="nobody"), timeout=PATIENCE)
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    watch.cancel()


def test_reflection_describes_the_whole_contract(engine):
    database = ProtoReflectionDescriptorDatabase(engine.channel)
    assert {"engine.v1.Engine", "grpc.health.v1.Health"} <= set(database.get_services())
    described = database.FindFileContainingSymbol("engine.v1.Engine")
    methods = {method.name for service in described.service for method in service.method}
    assert {"Load", "Play", "Watch", "InspectSegment"} <= methods
    assert "engine/v1/state.proto" in described.dependency
    assert database.FindFileByName("engine/v1/state.proto").package == "engine.v1"


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_both_versions_of_reflection_work(engine, version):
    call = engine.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString)
    asked = [reflection_pb2.ServerReflectionRequest(list_services=""),
             reflection_pb2.ServerReflectionRequest(file_containing_symbol="engine.v1.WatchEvent"),
             reflection_pb2.ServerReflectionRequest(file_containing_symbol="no.such.Symbol")]
    answers = list(call(iter(asked), timeout=PATIENCE))
    assert [each.WhichOneof("message_response") for each in answers] == [
        "list_services_response", "file_descriptor_response", "error_response"]


@pytest.mark.parametrize("authority", ["localhost", "engine", "%2Frun%2Fx.sock"])
def test_any_authority_is_accepted(engine, authority):
    with engine.connect(("grpc.default_authority", authority)) as channel:
        engine_pb2_grpc.EngineStub(channel).ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)


def test_h2load_completes_without_errors(engine, tmp_path):
    message = tmp_path / "empty.bin"
    message.write_bytes(bytes(5))
    done = subprocess.run(
        ["h2load", "-n", "4000", "-c", "4", "-m", "16", f"--base-uri=unix:{engine.socket}", "-H", ":method: POST",
         "-H", "content-type: application/grpc", "-H", "te: trailers", "-d", str(message),
         "http://localhost/engine.v1.Engine/ListSessions"], capture_output=True, text=True, timeout=PATIENCE * 2)
    assert "4000 succeeded, 0 failed, 0 errored, 0 timeout" in done.stdout, done.stdout + done.stderr


def test_a_single_segment_can_be_inspected(engine):
    from harness.hls import Media, fetch

    with engine.session(clip("h264-aac.mkv")) as session:
        playlist = Media.complete(session.master().variants[0][1])
        whole = fetch(playlist.init) + fetch(playlist.segments[2].url)
    chunks = (engine_pb2.SegmentChunk(data=whole[at:at + 30_000]) for at in range(0, len(whole), 30_000))
    report = engine.stub.InspectSegment(chunks, timeout=PATIENCE)
    assert [each.codec for each in report.tracks] == ["h264"] and not report.problems
    track = report.tracks[0]
    assert track.packets == track.decoded_frames == 100 and track.starts_with_keyframe and not track.decode_errors
    spoilt = whole[:len(whole) - 20_000] + bytes(20_000)
    report = engine.stub.InspectSegment(iter([engine_pb2.SegmentChunk(data=spoilt)]), timeout=PATIENCE)
    assert report.problems or report.tracks[0].decode_errors


def test_the_example_client_loads_watches_and_seeks(engine):
    done = subprocess.run(
        [sys.executable, ROOT / "examples/python/watch.py", clip("h264-aac.mkv"), "4"],
        env=dict(os.environ, ENGINED_SOCKET=str(engine.socket)), capture_output=True, text=True, timeout=PATIENCE * 2)
    assert done.returncode == 0, done.stderr
    assert "snapshot" in done.stdout and "seeked to 12.01" in done.stdout and "playing" in done.stdout, done.stdout


def test_shutdown_ends_watches_cleanly(start_engine):
    engine = start_engine()
    with engine.session(clip("h264-aac.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        watcher.wait(lambda _: True, "a snapshot")
        engine.process.terminate()
        watcher.thread.join(PATIENCE)
        assert not watcher.thread.is_alive()
        assert watcher.error is None or watcher.error.code() == grpc.StatusCode.UNAVAILABLE
        assert engine.process.wait(PATIENCE) == 0
        session.stop = lambda: None
