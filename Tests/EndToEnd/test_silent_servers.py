# SPDX-License-Identifier: Apache-2.0
"""File servers that accept connections and never answer: the time-outs of a load end each attempt, and clients are told what the
load waits for."""

import contextlib
import socket
import threading
import time

import grpc
import pytest
from harness import origin
from harness.contract import engine_pb2, http_pb2
from harness.engine import PATIENCE, eventually
from harness.places import clip
from harness.tiers import tiered

SCHEMES = ["sftp", "ftp", "ftps", "ftpes", "smb", "nfs"]
HOUR, MOMENT = 3_600_000_000, 300_000


@contextlib.contextmanager
def mute():
    """Yields the port of a server that accepts all connections and keeps them open without a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        connections = []

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    connections.append(server.accept()[0])
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in connections:
                connection.close()


def request(scheme, port, **limits):
    login = "" if scheme == "nfs" else "user:word@"
    return engine_pb2.LoadRequest(
        source=f"{scheme}://{login}127.0.0.1:{port}/films/film.mkv", http_connection=http_pb2.HttpConnectionOptions(**limits))


@pytest.mark.parametrize("limits", [
    {"connect_timeout_us": HOUR, "stall_timeout_us": MOMENT}, {"connect_timeout_us": MOMENT, "stall_timeout_us": HOUR},
], ids=["stall", "connect"])
@pytest.mark.parametrize("scheme", tiered(SCHEMES, {"sftp"}))
def test_either_time_out_ends_the_attempts(engine, scheme, limits):
    with mute() as port:
        with pytest.raises(grpc.RpcError) as failure:
            engine.stub.Load(request(scheme, port, **limits), timeout=PATIENCE)
        assert dict(failure.value.trailing_metadata())["engine-error-code"] == "source_unreachable", failure.value.details()


@pytest.mark.long
def test_a_load_from_a_silent_server_ends_after_20_s(fresh_engine):
    """With the default limits. Each protocol has a server of its own, because few requests to one server run at once."""
    with contextlib.ExitStack() as servers:
        took, loads = {}, {}
        for scheme in [*SCHEMES, "http", "https", "davs"]:
            begun = time.monotonic()
            loads[scheme] = fresh_engine.stub.Load.future(request(scheme, servers.enter_context(mute())), timeout=PATIENCE)
            loads[scheme].add_done_callback(
                lambda _, scheme=scheme, begun=begun: took.setdefault(scheme, time.monotonic() - begun))
        for scheme, load in loads.items():
            assert dict(load.exception().trailing_metadata())["engine-error-code"] == "source_unreachable", scheme
        eventually(lambda: len(took) == len(loads), "the times")
        # A second more for each attempt of a helper, and some for a busy machine.
        assert all(10 < seconds < 25 for seconds in took.values()), took


@pytest.mark.parametrize("scheme", tiered(SCHEMES, {"sftp"}))
def test_a_load_says_that_its_server_is_silent(fresh_engine, scheme):
    with mute() as port:
        load = fresh_engine.stub.Load.future(request(scheme, port, connect_timeout_us=HOUR, stall_timeout_us=HOUR))

        def waits():
            reply = fresh_engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)
            return [session.source_wait for session in reply.sessions]
        eventually(lambda: waits() == ["silent"], "the silence to be reported")
        load.cancel()


def test_silent_requests_do_not_keep_other_sessions_from_their_server(fresh_engine):
    with origin.origin(clip("h264-aac.mkv")) as server:
        def respond(handler, request):
            return server.released.wait() if "silent" in request.path else server.serve(handler, request)
        server.respond = respond
        limits = http_pb2.HttpConnectionOptions(connect_timeout_us=HOUR, stall_timeout_us=HOUR)
        loads = [fresh_engine.stub.Load.future(engine_pb2.LoadRequest(
            source=f"{server.base}/silent{number}.mkv", http_connection=limits)) for number in range(12)]

        def waits():
            reply = fresh_engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)
            return [session.source_wait for session in reply.sessions]
        # The loads whose requests have not been sent are among them.
        eventually(lambda: waits() == ["silent"] * 12, waits)
        with fresh_engine.session(server.url) as session:
            assert session.master().variants
        for load in loads:
            load.cancel()
