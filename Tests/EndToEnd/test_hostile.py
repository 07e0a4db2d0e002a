# SPDX-License-Identifier: Apache-2.0
"""Garbage, floods, resets and idle clients on the socket and the port: the engine keeps answering, and leaks
nothing."""

import contextlib
import random
import resource
import socket
import struct
import time
import urllib.parse

import grpc
import pytest
from harness.contract import engine_pb2, engine_pb2_grpc
from harness.cost import Cost
from harness.engine import PATIENCE, eventually
from harness.hls import request
from harness.http2 import (
    CONTINUATION, DATA, GOAWAY, HEADERS, PING, PREFACE, RESET, SETTINGS, WINDOW, call, frame, frames, literal, status)
from harness.places import clip
from harness.tiers import tiered

def open_connection(engine):
    connection = engine.raw()
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return connection


def drain(connection):
    """Sends nothing more, and reads until the engine closes."""
    data = b""
    with contextlib.suppress(ConnectionError):
        connection.shutdown(socket.SHUT_WR)
        while chunk := connection.recv(1 << 16):
            data += chunk
    return data


def wait_until_read(connection):
    """Waits until the engine has read everything that was sent: it answers a ping only after having read what precedes
    it."""
    token, data = b"is read?", b""
    connection.sendall(frame(PING, 0, 0, token))
    while token not in data:
        chunk = connection.recv(1 << 16)
        assert chunk, "the connection was closed"
        data += chunk


def is_idle(engine):
    before = engine.cpu_seconds()
    time.sleep(1)
    return engine.cpu_seconds() - before <= 0.02


def list_sessions(engine):
    return engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)


@pytest.fixture
def calm(engine):
    """After the test the engine answers, and its descriptors and threads are as before."""
    # The runtime opens its own timer, once, when the first session needs one.
    engine.load(clip("h264-aac.mkv")).stop()
    list_sessions(engine)
    before = engine.descriptors(), engine.threads()
    yield engine
    assert engine.is_alive()
    list_sessions(engine)
    with engine.connect() as channel:
        engine_pb2_grpc.EngineStub(channel).ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)
    eventually(lambda: engine.descriptors() <= before[0] + 1, f"descriptors to be {before[0]} again")
    eventually(lambda: engine.threads() <= before[1] + 1, f"threads to be {before[1]} again")


def test_garbage_on_the_socket_is_survived(calm):
    noise = random.Random(1)
    for size in (1, 9, 24, 100, 5000, 200_000):
        for prefix in (b"", PREFACE, PREFACE + frame(SETTINGS, 0, 0)):
            with calm.raw() as connection:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(prefix + noise.randbytes(size))
                drain(connection)


def test_connections_may_close_within_a_frame(calm):
    whole = PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, 4, 1, call("/engine.v1.Engine/ListSessions")) + frame(
        DATA, 1, 1, bytes(5))
    for length in range(0, len(whole), 3):
        with calm.raw() as connection:
            connection.sendall(whole[:length])


def test_invalid_frames_end_the_connection(calm):
    """Each invalid frame ends the connection with its error code of RFC 9113, §7."""
    block = call("/engine.v1.Engine/ListSessions")
    protocol, flow_control, frame_size, compression = 1, 3, 6, 9
    for sent, error in (
        (frame(HEADERS, 4, 2, block), protocol), (frame(HEADERS, 4, 0, block), protocol),
        (frame(DATA, 0, 1, b"x"), protocol), (frame(DATA, 0, 0, b"x"), protocol), (frame(CONTINUATION, 4, 1, block), protocol),
        (frame(SETTINGS, 0, 0, b"abc"), frame_size), (frame(SETTINGS, 0, 5), protocol), (frame(PING, 0, 0, b"1"), frame_size),
        (frame(WINDOW, 0, 0, bytes(4)), protocol), (frame(WINDOW, 0, 0, b"\x7f\xff\xff\xff") * 2, flow_control),
        (frame(RESET, 0, 9, bytes(4)), protocol), (frame(HEADERS, 4, 1, b"\xff" * 100), compression),
        (frame(HEADERS, 0, 1, block) + frame(PING, 0, 0, bytes(8)), protocol),
        (b"\xff\xff\xff" + frame(DATA, 0, 1)[3:], frame_size),
    ):
        with open_connection(calm) as connection:
            connection.sendall(sent)
            kind, _, payload = list(frames(drain(connection)))[-1]
            assert (kind, int.from_bytes(payload[4:8], "big")) == (GOAWAY, error), sent


def test_requests_that_are_not_grpc_are_refused(calm):
    def fields(*pairs):
        return b"".join(literal(name, value) for name, value in pairs)

    invalid, unknown = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED
    for block, answer in (
        (fields((":method", "GET"), (":scheme", "http"), (":path", "/")), "405"),
        (fields((":method", "POST"), (":scheme", "http"), (":path", "/engine.v1.Engine/Load"), ("content-type", "text/plain")), "415"),
        (fields((":path", "/engine.v1.Engine/Load")), "405"), (fields(("x", "y")), "405"),
        (fields((":method", "POST"), (":method", "POST"), (":path", "/"), (":path", "/")), "415"),
        (call("/engine.v1.Engine/ListSessions") + literal("grpc-timeout", "99999999999H"), invalid),
        (call("/engine.v1.Engine/ListSessions") + literal("grpc-timeout", "soon"), invalid),
        (call("/engine.v1.Engine/ListSessions") + literal("grpc-encoding", "gzip"), unknown),
        (call("//"), unknown), (call("engine"), unknown), (call("/engine.v1.Engine/"), unknown),
    ):
        with open_connection(calm) as connection:
            connection.sendall(frame(HEADERS, 4, 1, block) + frame(DATA, 1, 1, bytes(5)))
            answers = [payload for kind, _, payload in frames(drain(connection)) if kind == HEADERS]
            assert [status(each) for each in answers] == [answer], block


def test_an_endless_header_list_takes_bounded_memory(calm):
    before = calm.resident_bytes()
    with open_connection(calm) as connection:
        field = literal("x-filler", "y" * 100)
        try:
            connection.sendall(frame(HEADERS, 0, 1, call("/engine.v1.Engine/ListSessions")))
            # 200 MB, unless the engine ends the connection.
            for _ in range(20_000):
                connection.sendall(frame(CONTINUATION, 0, 1, field * 100))
        except (BrokenPipeError, ConnectionError):
            pass
        list_sessions(calm)
        assert calm.resident_bytes() - before < 32 << 20


@pytest.mark.long
def test_a_message_of_100_megabytes_is_refused(calm):
    before = calm.resident_bytes()
    request_of = engine_pb2.LoadRequest(source="/" + "x" * (100 << 20))
    with calm.connect() as channel, pytest.raises(grpc.RpcError) as refused:
        engine_pb2_grpc.EngineStub(channel).Load(request_of, timeout=PATIENCE)
    assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, refused.value
    # A message that only claims to be large: no memory is allocated for it.
    for claim in (100 << 20, 0xFFFFFFFF):
        with open_connection(calm) as connection:
            connection.sendall(frame(HEADERS, 4, 1, call("/engine.v1.Engine/Load"))
                               + frame(DATA, 0, 1, b"\0" + struct.pack(">I", claim) + b"abc"))
            wait_until_read(connection)
    assert calm.resident_bytes() - before < 32 << 20


@pytest.mark.long
def test_ten_thousand_stream_resets_are_survived(calm):
    block, cost = call("/engine.v1.Engine/Watch"), Cost(calm)
    with open_connection(calm) as connection:
        try:
            for number in range(10_000):
                stream = 2 * number + 1
                connection.sendall(frame(HEADERS, 4, stream, block) + frame(DATA, 1, stream, bytes(5))
                                   + frame(RESET, 0, stream, struct.pack(">I", 8)))
                if number == 5000:
                    list_sessions(calm)
        except (BrokenPipeError, ConnectionError):
            # Disconnecting a client that does this is also a valid answer.
            pass
        list_sessions(calm)
        drain(connection)
    print(f"\nafter 10,000 resets: {cost.at_rest()}")


@pytest.mark.long
def test_unread_replies_to_floods_take_bounded_memory(calm):
    before, cost = calm.resident_bytes(), Cost(calm)
    with open_connection(calm) as connection:
        # An engine that reads nothing for this long has stopped reading, because its replies are not read.
        connection.settimeout(PATIENCE / 20)
        try:
            for _ in range(300):
                connection.sendall((frame(PING, 0, 0, bytes(8)) + frame(SETTINGS, 0, 0)) * 500)
        except (TimeoutError, BrokenPipeError, ConnectionError):
            pass
        list_sessions(calm)
        assert calm.resident_bytes() - before < 64 << 20
        print(f"\nafter a flood of pings and settings whose replies are not read: {cost.at_rest()}")


def open_many(number, connect):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < number + 500:
        pytest.skip(f"this shell may open {hard} files only")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number + 500), hard))
    connections = []
    for _ in range(number):
        try:
            connections.append(connect())
        except OSError:
            # Rejecting connections beyond a limit is allowed, as long as the accepted ones are served.
            break
    return connections


def test_idle_connections_on_the_socket_use_no_cpu(calm):
    connections = open_many(2000, lambda: open_connection(calm))
    assert len(connections) > 100
    list_sessions(calm)
    eventually(lambda: is_idle(calm), "idle connections to use no processor time")
    for connection in connections:
        connection.close()


def test_idle_connections_do_not_block_the_port(calm):
    with calm.session(clip("h264-aac.mkv")) as session:
        parts = urllib.parse.urlsplit(session.url)
        assert request(session.url).status == 200
        connections = open_many(2000, lambda: socket.create_connection((parts.hostname, parts.port), 5))
        assert len(connections) > 100
        for connection in connections[::3]:
            try:
                connection.sendall(b"GET /half HTTP/1.1\r\nHo")
            except OSError:
                pass
        assert request(session.url).status == 200, "a connected player is no longer served"
        list_sessions(calm)
        for connection in connections:
            connection.close()
        eventually(lambda: request(session.url).status == 200, "the port to answer")


@pytest.mark.parametrize("place", tiered(["socket", "port"], {"socket"}))
def test_clients_wait_without_cpu_when_descriptors_run_out(fresh_engine, place):
    engine = fresh_engine
    with engine.session(clip("h264-aac.mkv")) as session:
        list_sessions(engine)
        parts = urllib.parse.urlsplit(session.url)
        cost = Cost(engine)
        hard = resource.prlimit(engine.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(engine.pid, resource.RLIMIT_NOFILE, (engine.descriptors() + 4, hard))
        make = {"socket": lambda: open_connection(engine), "port": lambda: socket.create_connection((parts.hostname, parts.port), 5)}[place]
        connections = open_many(40, make)
        # The kernel completes a connection that the engine has yet to accept.
        assert len(connections) == 40
        list_sessions(engine)
        eventually(lambda: is_idle(engine), "the engine to wait for descriptors without using the processor")
        print(f"\nwhile no descriptor is left: {cost.at_rest()}")
        for connection in connections:
            connection.close()
        eventually(lambda: request(session.url).status == 200, "the port to answer")
        with engine.connect() as channel:
            engine_pb2_grpc.EngineStub(channel).ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)


@pytest.mark.long
@pytest.mark.parametrize("place", ["socket", "port"])
def test_connections_leave_descriptors_for_work(start_engine, place):
    engine = start_engine(through=("prlimit", "--nofile=256"))
    with engine.session(clip("h264-aac.mkv")) as session:
        parts = urllib.parse.urlsplit(session.url)
        make = {"socket": lambda: open_connection(engine), "port": lambda: socket.create_connection((parts.hostname, parts.port), 5)}[place]
        connections = open_many(300, make)
        assert len(connections) > 60
        # The threads of the work are counted once a second, through files.
        for _ in range(8):
            with engine.session(clip("h264-aac.mp4")) as other:
                assert place == "socket" or request(other.url).status == 200
            time.sleep(0.5)
        assert engine.is_alive()
        for connection in connections:
            connection.close()


@pytest.mark.long
def test_a_thousand_watchers_may_vanish_at_once(calm):
    with calm.session(clip("h264-aac.mkv")):
        block = call("/engine.v1.Engine/Watch")
        connections = open_many(1000, lambda: open_connection(calm))
        for connection in connections:
            connection.sendall(frame(HEADERS, 4, 1, block) + frame(DATA, 1, 1, bytes(5)))
        list_sessions(calm)
        for connection in connections:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        list_sessions(calm)
