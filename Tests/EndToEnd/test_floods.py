# SPDX-License-Identifier: Apache-2.0
"""Clients that speak the protocol correctly but request too much get limits with an error code, and leave nothing
behind."""

import contextlib
import itertools
import os
import socket
import struct
import threading
import time

import grpc
import pytest
from harness.contract import engine_pb2, engine_pb2_grpc, state_pb2
from harness.engine import PATIENCE, eventually
from harness.http2 import DATA, GOAWAY, HEADERS, PING, call, frame, frames
from harness.places import clip
from test_control import Watcher
from test_hostile import calm, drain, list_sessions, open_connection  # noqa: F401
from test_renderer import Renderer

Code = grpc.StatusCode


def outcome(future):
    """The status code and the message with which a call ended."""
    try:
        future.result(PATIENCE)
        return Code.OK, ""
    except grpc.FutureCancelledError:
        return Code.CANCELLED, ""
    except grpc.RpcError as error:
        return error.code(), error.details()


@pytest.fixture
def clients(calm):
    """Ten clients, each with its own connection."""
    channels = [calm.connect() for _ in range(10)]
    yield [engine_pb2_grpc.EngineStub(channel) for channel in channels]
    for channel in channels:
        channel.close()


def stop_all_sessions(engine):
    for state in engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions:
        engine.stub.Stop(engine_pb2.SessionRequest(session_id=state.session_id), timeout=PATIENCE)


def test_a_thousand_loads_of_missing_sources_fail_cleanly(calm, clients, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    sources = itertools.cycle(["/nowhere/at/all.mkv", str(tmp_path / "fifo"), str(tmp_path)])
    calls = [client.Load.future(engine_pb2.LoadRequest(source=next(sources)), timeout=PATIENCE)
             for _ in range(100) for client in clients]
    ends = [outcome(each) for each in calls]
    assert {code for code, _ in ends} <= {Code.NOT_FOUND, Code.FAILED_PRECONDITION, Code.RESOURCE_EXHAUSTED, Code.INVALID_ARGUMENT}, set(ends)
    # 64 sessions may be loaded at a time. How many more loads get their turn depends on how fast the others end.
    assert sum(code is not Code.RESOURCE_EXHAUSTED for code, _ in ends) >= 64, "too few loads were tried"
    assert not list_sessions(calm).sessions


def test_a_thousand_loads_stop_at_the_session_limit(calm, clients):
    calls = [client.Load.future(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv"))), timeout=PATIENCE)
             for _ in range(100) for client in clients]
    ends = [outcome(each) for each in calls]
    assert {code for code, _ in ends} == {Code.OK, Code.RESOURCE_EXHAUSTED}
    assert sum(code is Code.OK for code, _ in ends) == len(list_sessions(calm).sessions) == 64
    assert any("64 sessions are loaded, which is the limit" in words for _, words in ends)
    stop_all_sessions(calm)
    with calm.session(clip("h264-aac.mkv")) as session:
        assert session.state.phase == state_pb2.PHASE_READY, "there is room again"


@pytest.mark.long
def test_a_thousand_cancelled_loads_leave_none_opening(calm, clients):
    for _ in range(10):
        calls = [client.Load.future(engine_pb2.LoadRequest(source=str(clip("h264-aac.ts")))) for _ in range(10) for client in clients]
        for each in calls:
            each.cancel()
    # A session that was loaded before the cancellation arrived is a normal session.
    eventually(lambda: all(each.phase != state_pb2.PHASE_OPENING for each in list_sessions(calm).sessions), "none is left half open")
    stop_all_sessions(calm)


def test_deadlines_of_a_millisecond_leave_none_opening(calm, clients):
    source = str(clip("h264-aac.mkv"))
    calls = [work for _ in range(20) for client in clients for work in (
        client.Load.future(engine_pb2.LoadRequest(source=source), timeout=0.001),
        client.Probe.future(engine_pb2.ProbeRequest(source=source), timeout=0.001),
        client.ListSessions.future(engine_pb2.ListSessionsRequest(), timeout=0.001))]
    assert {outcome(each)[0] for each in calls} <= {Code.OK, Code.DEADLINE_EXCEEDED, Code.RESOURCE_EXHAUSTED}
    eventually(lambda: all(each.phase != state_pb2.PHASE_OPENING for each in list_sessions(calm).sessions), "none is left half open")
    stop_all_sessions(calm)


def try_to_connect(engine):
    """A connection; `None` if the accept queue is full."""
    with contextlib.suppress(BlockingIOError):
        return open_connection(engine)


def test_clients_may_vanish_in_the_middle_of_a_request(calm):
    request = engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv"))).SerializeToString()
    message = b"\0" + struct.pack(">I", len(request)) + request
    for number in range(200):
        with eventually(lambda: try_to_connect(calm), "room in the queue") as connection:
            connection.sendall(frame(HEADERS, 4, 1, call("/engine.v1.Engine/" + ("Load", "Render", "Watch", "InspectSegment")[number % 4]))
                               + frame(DATA, 0, 1, message[:number % len(message)]))
            if number % 3 == 0:
                # Without closing HTTP/2 properly.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stop_all_sessions(calm)


@pytest.mark.long
def test_the_longest_request_ids_are_distinguished(calm):
    source = str(clip("h264-aac.mkv"))
    first, again, other = (calm.stub.Load(engine_pb2.LoadRequest(source=source, request_id=name), timeout=PATIENCE).session_id
                           for name in ("x" * 128, "x" * 128, "x" * 127 + "y"))
    assert first == again != other
    stop_all_sessions(calm)
    # Thousands of ids take no more memory than the last few hundred.
    before = calm.resident_bytes()
    for number in range(3000):
        with pytest.raises(grpc.RpcError):
            calm.stub.Pause(engine_pb2.SessionRequest(session_id=str(number), request_id=f"{number:0128}"), timeout=PATIENCE)
    assert calm.resident_bytes() - before < 32 << 20


def test_the_number_of_renderers_per_client_is_limited(calm):
    sessions = [calm.load(clip("h264-aac.mkv")) for _ in range(17)]
    renderers = [Renderer(calm, session.id) for session in sessions[:16]]
    for renderer in renderers:
        renderer.wait("load")
    late = Renderer(calm, sessions[16].id)
    eventually(lambda: late.is_over, "the word")
    assert late.error.code() == Code.RESOURCE_EXHAUSTED and "16 renderers" in late.error.details()
    renderers[0].leave()
    eventually(lambda: not calm.state(sessions[0].id).HasField("renderer"), "room")
    again = Renderer(calm, sessions[16].id)
    again.wait("load")
    for renderer in [*renderers[1:], again, late]:
        renderer.leave()
    stop_all_sessions(calm)


@pytest.mark.long
def test_a_renderer_flooding_reports_delays_no_one(calm):
    session = calm.load(clip("h264-aac.mkv"))
    renderer = Renderer(calm, session.id)
    renderer.wait("load")
    watcher = Watcher(calm, session_id=session.id)
    over = threading.Event()
    before = calm.resident_bytes()

    reports = 0

    def flood():
        nonlocal reports
        position = 0
        while not over.is_set():
            position = (position + 777_777) % 10_000_000
            if renderer.requests.qsize() < 2000:
                reports += 1
                renderer.report(position_us=position, rate=1, dropped_frames=2**64 - 1, last_command=2**64 - 1,
                                buffered=[state_pb2.TimeRange(start_us=0, end_us=2**63 - 1)])

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        with calm.connect() as channel:
            stub = engine_pb2_grpc.EngineStub(channel)
            for number in range(100):
                answer = stub.SetVolume(engine_pb2.SetVolumeRequest(session_id=session.id, volume=number / 100), timeout=PATIENCE)
                assert answer.state.volume == number / 100
                # The flood continues throughout.
                eventually(lambda: reports - renderer.requests.qsize() >= 50 * number, "more reports to be sent")
        eventually(lambda: engine_volume(watcher) == 0.99, "the watcher has the last word")
        assert calm.resident_bytes() - before < 64 << 20
    finally:
        over.set()
        thread.join(PATIENCE)
    revisions = [each.revision for each in watcher.events if each.WhichOneof("event") in ("snapshot", "delta")]
    assert revisions == sorted(revisions)
    watcher.cancel()
    renderer.call.cancel()
    session.stop()


def engine_volume(watcher):
    """The last volume that a watcher was sent."""
    volume = None
    for event in list(watcher.events):
        if event.WhichOneof("event") == "snapshot":
            volume = event.snapshot.volume
        elif event.WhichOneof("event") == "delta" and state_pb2.STATE_FIELD_SETTINGS in event.delta.fields:
            volume = event.delta.state.volume
    return volume


@pytest.mark.long
def test_keepalive_pings_are_answered(calm):
    with calm.connect(("grpc.keepalive_time_ms", 1000), ("grpc.keepalive_timeout_ms", 20_000), ("grpc.http2.max_pings_without_data", 0),
                      ("grpc.keepalive_permit_without_calls", 1)) as channel:
        states = []
        channel.subscribe(states.append)
        stub = engine_pb2_grpc.EngineStub(channel)
        watch = stub.Watch(engine_pb2.WatchRequest())
        # A ping every second is not too much, even if nothing else happens.
        time.sleep(12)
        assert watch.is_active(), watch.details()
        list_sessions(calm)
        stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)
        assert grpc.ChannelConnectivity.TRANSIENT_FAILURE not in states
        watch.cancel()
    with open_connection(calm) as connection:
        for number in range(30):
            connection.sendall(frame(PING, 0, 0, struct.pack(">Q", number)))
            time.sleep(0.1)
        heard = drain(connection)
    acknowledged = [struct.unpack(">Q", payload)[0] for kind, flags, payload in frames(heard) if (kind, flags) == (PING, 1)]
    assert acknowledged == list(range(30))
    assert {payload[4:8] for kind, _, payload in frames(heard) if kind == GOAWAY} <= {bytes(4)}, "no code but NO_ERROR"
