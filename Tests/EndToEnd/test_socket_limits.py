# SPDX-License-Identifier: Apache-2.0
"""The limits of the control socket that hold for all clients together, with as many as are allowed: the last one is served,
the next one is refused with a status, and nothing is left afterwards. The figures are printed (`pytest -s`)."""

import collections
import contextlib
import resource
import selectors
import socket
import time

import grpc
import pytest
from harness.contract import engine_pb2, engine_pb2_grpc, state_pb2
from harness.cost import Cost
from harness.engine import PATIENCE, eventually
from harness.http2 import DATA, GOAWAY, HEADERS, PREFACE, SETTINGS, WINDOW, call, frame, status
from harness.places import clip
from harness.watchers import LARGE
from test_edges import is_at_rest
from test_hostile import list_sessions

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("machine")]

# The engine's limits (docs/ipc.md), and the error code of GOAWAY.
CONNECTIONS, WATCHES, WATCHES_EACH, REQUEST_BYTES, ENHANCE_YOUR_CALM = 4096, 16_384, 112, 256 << 20, 11
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.fixture(autouse=True)
def descriptors():
    """Raises the test's own descriptor limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < CONNECTIONS + 500:
        pytest.skip("this process may not open enough connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Connection:
    """A connection whose frames are read without a library, which stores what each call was sent."""

    def __init__(self, engine):
        self.socket = socket.socket(socket.AF_UNIX)
        # Without a timeout, which would turn a full accept queue into a failure.
        self.socket.connect(str(engine.socket))
        self.socket.settimeout(PATIENCE)
        # A connection that is refused may be closed already; what the engine said can still be read.
        with contextlib.suppress(BrokenPipeError):
            self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0, b"\0\4" + LARGE) + frame(WINDOW, 0, 0, LARGE))
        # The number of messages by stream; the last header block of each call that has ended; the error of GOAWAY.
        self.messages, self.ended, self.error = collections.Counter(), {}, None
        # Whether the engine's settings are known, which allow larger windows.
        self.is_settled = False
        self._input = b""

    def call(self, path, stream, body, is_complete=True):
        """`body` begins with the prefix of the message."""
        # Frames of the largest size that a client may send.
        pieces = [body[start:start + (1 << 14)] for start in range(0, len(body), 1 << 14)]
        ends = [0] * (len(pieces) - 1) + [int(is_complete)]
        self.socket.sendall(b"".join([frame(HEADERS, 4, stream, call(path))] + [
            frame(DATA, end, stream, piece) for piece, end in zip(pieces, ends, strict=True)]))

    def read(self):
        data = b""
        with contextlib.suppress(ConnectionResetError):
            data = self.socket.recv(1 << 18)
        if not data:
            self.error = self.error or "closed"
        self._input += data
        place = 0
        while place + 9 <= len(self._input):
            size, kind, flags = int.from_bytes(self._input[place:place + 3], "big"), self._input[place + 3], self._input[place + 4]
            if place + 9 + size > len(self._input):
                break
            stream, payload = int.from_bytes(self._input[place + 5:place + 9], "big"), self._input[place + 9:place + 9 + size]
            place += 9 + size
            if kind == DATA and payload:
                self.messages[stream] += 1
            elif kind == SETTINGS and not flags & 1:
                with contextlib.suppress(BrokenPipeError):
                    self.socket.sendall(frame(SETTINGS, 1, 0))
                self.is_settled = True
            elif kind == HEADERS and flags & 1:
                self.ended[stream] = payload
            elif kind == GOAWAY:
                self.error = int.from_bytes(payload[4:8], "big")
        self._input = self._input[place:]

    def status(self):
        """The status of the first call that ended. Header blocks of later calls refer to the block of that one."""
        stream, block = next(iter(self.ended.items()))
        # After messages, the block has no status of HTTP.
        return status(b"\x88" + block if stream in self.messages else block)


def read_until(connections, condition, what):
    """Reads all connections until each of them satisfies `condition`."""
    waiting = {each for each in connections if not condition(each)}
    end = time.monotonic() + 5 * PATIENCE
    with selectors.DefaultSelector() as selector:
        for each in waiting:
            selector.register(each.socket, selectors.EVENT_READ, each)
        while waiting:
            assert time.monotonic() < end, f"{len(waiting)} of {len(connections)} connections waited for: {what}"
            for key, _ in selector.select(1):
                key.data.read()
                if condition(key.data):
                    waiting.discard(key.data)
                    selector.unregister(key.data.socket)


def close(connections):
    for each in connections:
        each.socket.close()


def test_connections_up_to_the_limit_are_served_and_no_more(fresh_engine):
    with fresh_engine.session(clip("h264-aac.mkv")):
        list_sessions(fresh_engine)
        before, cost = fresh_engine.descriptors(), Cost(fresh_engine)
        # The connection of the engine's own stub is one of them.
        allowed = [Connection(fresh_engine) for _ in range(CONNECTIONS - 1)]
        for each in allowed:
            each.call("/engine.v1.Engine/ListSessions", 1, bytes(5))
        read_until(allowed, lambda each: each.ended or each.error, "an answer")
        answers = collections.Counter((each.error, each.ended and each.status(), each.messages[1] > 0) for each in allowed)
        assert answers.keys() == {(None, grpc.StatusCode.OK, True)}, answers
        beyond = [Connection(fresh_engine) for _ in range(100)]
        read_until(beyond, lambda each: each.error, "a refusal")
        assert {each.error for each in beyond} == {ENHANCE_YOUR_CALM}
        list_sessions(fresh_engine)
        eventually(lambda: is_at_rest(fresh_engine), "connections to cost nothing while they ask for nothing")
        print(f"\n{CONNECTIONS} connections: {cost.at_rest()}")
        # The end of one connection makes room for another.
        allowed.pop().socket.close()

        def is_served():
            connection = Connection(fresh_engine)
            with contextlib.suppress(BrokenPipeError):
                connection.call("/engine.v1.Engine/ListSessions", 1, bytes(5))
            read_until([connection], lambda each: each.ended or each.error, "an answer")
            connection.socket.close()
            return connection.error is None

        eventually(is_served, "room")
        close([*allowed, *beyond])
        eventually(lambda: fresh_engine.descriptors() <= before + 4, "all connections to be closed")
        print(f"after they have closed: {cost.at_rest()}")


def test_watches_up_to_the_limit_get_every_change_and_no_more_are_opened(fresh_engine):
    request = engine_pb2.WatchRequest(time_interval_us=-1, fields=[state_pb2.STATE_FIELD_SETTINGS]).SerializeToString()
    body = b"\0" + len(request).to_bytes(4, "big") + request

    def watch(count):
        connection = Connection(fresh_engine)
        for number in range(count):
            connection.call("/engine.v1.Engine/Watch", 2 * number + 1, body)
        return connection

    with fresh_engine.session(clip("h264-aac.mkv")):
        list_sessions(fresh_engine)
        before, memory, cost = fresh_engine.descriptors(), fresh_engine.own_bytes(), Cost(fresh_engine)
        full, rest = divmod(WATCHES, WATCHES_EACH)
        # The first client asks for one more than it may have.
        counts = [WATCHES_EACH + 1] + [WATCHES_EACH] * (full - 1) + [rest]
        connections = [watch(count) for count in counts]
        read_until(connections, lambda each: len(each.messages.keys() | each.ended) == counts[connections.index(each)], "the snapshots")
        assert connections[0].ended.keys() == {2 * WATCHES_EACH + 1} and connections[0].status() is EXHAUSTED
        assert not any(each.ended for each in connections[1:])
        with fresh_engine.connect() as channel, pytest.raises(grpc.RpcError, match="16384 in total") as refusal:
            next(engine_pb2_grpc.EngineStub(channel).Watch(engine_pb2.WatchRequest(), timeout=PATIENCE))
        assert refusal.value.code() == EXHAUSTED
        eventually(lambda: is_at_rest(fresh_engine), "watches to cost nothing while nothing changes")
        print(f"\n{WATCHES} watches: {(fresh_engine.own_bytes() - memory) / WATCHES / 1024:.1f} KiB each; {cost.at_rest()}")
        had = {each: dict(each.messages) for each in connections}
        began = time.monotonic()
        fresh_engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.25), timeout=PATIENCE)
        answered = time.monotonic() - began
        read_until(connections, lambda each: all(each.messages[stream] > count for stream, count in had[each].items()), "the change")
        print(f"a command is answered after {answered * 1000:.1f} ms, and the last watch has the change after "
              f"{(time.monotonic() - began) * 1000:.0f} ms")
        close(connections)
        eventually(lambda: fresh_engine.descriptors() <= before + 4, "all connections to be closed")
        eventually(lambda: is_at_rest(fresh_engine), "rest")
        print(f"after they have closed: {cost.at_rest()}")
        with fresh_engine.connect() as channel:
            assert next(engine_pb2_grpc.EngineStub(channel).Watch(engine_pb2.WatchRequest(), timeout=PATIENCE)).HasField("snapshot")


def test_unfinished_requests_hold_no_more_bytes_than_the_limit(fresh_engine):
    # As much as a client may send before the engine makes room, in calls that each want as much again.
    calls, each = 4, (1 << 20) - (1 << 14)
    body = b"\0" + (2 * each).to_bytes(4, "big") + bytes(each - 5)
    with fresh_engine.session(clip("h264-aac.mkv")):
        list_sessions(fresh_engine)
        memory, cost = fresh_engine.own_bytes(), Cost(fresh_engine)
        connections = []
        for _ in range(REQUEST_BYTES // (calls * each) + 10):
            connection = Connection(fresh_engine)
            read_until([connection], lambda each: each.is_settled, "the settings")
            for number in range(calls):
                connection.call("/engine.v1.Engine/Load", 2 * number + 1, body, is_complete=False)
            connections.append(connection)
        within = REQUEST_BYTES // (calls * each)
        read_until(connections[within + 1:], lambda connection: len(connection.ended) == calls, "the refusals")
        assert {connection.status() for connection in connections[within + 1:]} == {EXHAUSTED}
        held = fresh_engine.own_bytes() - memory
        print(f"\n{len(connections) * calls} unfinished requests of {each / 1024:.0f} KiB: {cost.at_rest()}")
        assert REQUEST_BYTES * 0.9 < held < REQUEST_BYTES + (64 << 20)
        with fresh_engine.connect() as channel, pytest.raises(grpc.RpcError) as refusal:
            source = "/" + "x" * (3 << 20)
            engine_pb2_grpc.EngineStub(channel).Load(engine_pb2.LoadRequest(source=source), timeout=PATIENCE)
        assert refusal.value.code() == EXHAUSTED
        # A request that is short enough for one frame is served nevertheless.
        list_sessions(fresh_engine)
        close(connections)
        eventually(lambda: fresh_engine.own_bytes() - memory < 64 << 20, "the memory to be free again")
        fresh_engine.load(clip("h264-aac.mp4")).stop()
        print(f"after they have closed: {cost.at_rest()}")
