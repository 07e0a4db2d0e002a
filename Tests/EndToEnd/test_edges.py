# SPDX-License-Identifier: Apache-2.0
"""The engine's limits: requests up to a limit are served, those beyond it are refused, and no memory, thread or descriptor
is left over. The figures are printed (`pytest -s`)."""

import concurrent.futures
import contextlib
import resource
import socket
import time
import urllib.parse

import grpc
import pytest
from harness.contract import engine_pb2, state_pb2
from harness.cost import Cost
from harness.engine import PATIENCE, eventually
from harness.hls import digest, fetch
from harness.places import clip
from harness.watchers import RawWatch, read_until

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("machine")]


@pytest.fixture(autouse=True)
def descriptors():
    """Raises the test's own descriptor limit, and returns it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def is_at_rest(engine):
    begin = engine.cpu_seconds()
    time.sleep(1)
    return engine.cpu_seconds() - begin < 0.05


def load(engine, number):
    # Alternates clips, so that sessions do not all share one source.
    name = ("h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts")[number % 3]
    return engine.load(clip(name))


def test_a_thousand_sessions_are_loaded_and_come_back_after_a_kill(start_engine, tmp_path):
    engine = start_engine("--max-sessions", "1000", state_home=tmp_path)
    engine.load(clip("h264-aac.mkv")).stop()
    before, cost = (engine.descriptors(), engine.threads(), engine.own_bytes()), Cost(engine)
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        sessions = list(pool.map(lambda number: load(engine, number), range(1000)))
    loading = time.monotonic() - began
    assert len({session.id for session in sessions}) == 1000
    with pytest.raises(grpc.RpcError, match="1000 sessions") as refusal:
        load(engine, 0)
    assert refusal.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    print(f"\n1,000 sessions in {loading:.1f} s: {(engine.own_bytes() - before[2]) / 1000 / 1024:.0f} KiB, "
          f"{(engine.descriptors() - before[0]) / 1000:.1f} descriptors and {(engine.threads() - before[1]) / 1000:.1f} threads each")
    some = sessions[::50]
    wanted = [[digest(url) for url in session.master().everything()][:8] for session in some]
    eventually(lambda: is_at_rest(engine), "a thousand idle sessions to cost nothing")
    print(f"a thousand idle sessions: {cost.at_rest()}")

    engine.kill()
    began = time.monotonic()
    again = start_engine("--max-sessions", "1000", state_home=tmp_path, directory=engine.directory)
    states = {state.session_id: state for state in again.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions}
    answered = time.monotonic() - began
    assert set(states) == {session.id for session in sessions}
    eventually(lambda: all(state.phase == state_pb2.PHASE_READY for state in again.stub.ListSessions(
        engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions), "all sessions to be open again")
    print(f"first answer {answered:.2f} s after the start, with a thousand sessions; all open again after {time.monotonic() - began:.1f} s")
    assert [[digest(url) for url in session.master().everything()][:8] for session in some] == wanted
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda session: again.stub.Stop(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE), sessions))
    eventually(lambda: again.descriptors() <= before[0] + 8 and again.threads() <= before[1] + 8, "everything to be closed")
    print(f"after the last stop: {again.descriptors() - before[0]:+d} descriptors, {again.threads() - before[1]:+d} threads, "
          f"{(again.own_bytes() - before[2]) / 1024 / 1024:+.1f} MiB, compared with before the first load")


def latencies(engine, watches, volumes):
    """For each change of the volume: the seconds until its answer, and until the last of the watches has it."""
    answers, arrivals = [], []
    for volume in volumes:
        began = time.monotonic()
        revision = engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=volume), timeout=PATIENCE).revision
        answers.append(time.monotonic() - began)
        read_until(watches, lambda watch: watch.revision >= revision, "the change")
        arrivals.append(time.monotonic() - began)
    return answers, arrivals


def middle(seconds):
    return f"median {sorted(seconds)[len(seconds) // 2] * 1000:.2f} ms, largest {max(seconds) * 1000:.2f} ms"


def test_a_hundred_stalled_watchers_of_a_thousand_delay_no_other(fresh_engine):
    request = engine_pb2.WatchRequest(time_interval_us=-1, fields=[state_pb2.STATE_FIELD_SETTINGS])
    with fresh_engine.session(clip("h264-aac.mkv")):
        watches = [RawWatch(fresh_engine, request) for _ in range(1000)]
        read_until(watches, lambda watch: watch.events, "the snapshot")
        reading, cost = watches[100:], Cost(fresh_engine)
        # The same 900 are timed before and after the others stop reading.
        usual = latencies(fresh_engine, reading, [step / 400 for step in range(1, 11)])
        read_until(watches, lambda watch: watch.revision >= reading[0].revision, "all to have the same")
        # A hundred read nothing from here on.
        heard, memory, delays = [len(watch.events) for watch in reading], fresh_engine.own_bytes(), []
        for step in range(1, 201):
            began = time.monotonic()
            revision = fresh_engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.1 + step / 250), timeout=PATIENCE).revision
            delays.append(time.monotonic() - began)
            if step % 20 == 0:
                read_until(reading, lambda watch: watch.revision >= revision, f"change {step}")
        stalled = latencies(fresh_engine, reading, [0.9 + step / 100 for step in range(1, 11)])
        seen = [[event.delta.state.volume for event in watch.events[count:]] for watch, count in zip(reading, heard, strict=True)]
        assert all(volumes == sorted(volumes) and abs(volumes[-1] - 1) < 1e-6 for volumes in seen)
        print(f"\na command with 900 watchers that read and 100 that do not: {middle(delays)}; "
              f"{(fresh_engine.own_bytes() - memory) / 1024 / 1024:.1f} MiB more")
        for what, (answers, arrivals) in (("all read", usual), ("100 read nothing", stalled)):
            print(f"while {what}: a command {middle(answers)}; until the last of 900 has the change, {middle(arrivals)}")
        # The fastest commands of both measurements are compared, because a busy machine delays both.
        assert min(stalled[0]) - min(usual[0]) < 0.01, "commands wait for watchers that read nothing"
        assert fresh_engine.own_bytes() - memory < 64 << 20
        eventually(lambda: is_at_rest(fresh_engine), "watchers, also stalled ones, to cost nothing while nothing changes")
        print(f"a thousand watchers, a hundred of them stalled: {cost.at_rest()}")
        # Watchers that read again get the latest state.
        revision = reading[0].revision
        read_until(watches[:100], lambda watch: watch.revision >= revision, "the stalled ones to catch up")
        for watch in watches:
            watch.socket.close()


def test_ten_thousand_silent_http_connections_keep_nobody_from_playing(fresh_engine, descriptors):
    if descriptors < 11_000:
        pytest.skip("this process may not open 10,000 connections")
    with fresh_engine.session(clip("h264-aac.mkv")) as session:
        urls = list(session.master().everything())
        wanted = [digest(url) for url in urls]
        place = urllib.parse.urlsplit(session.url)
        before, memory, cost = fresh_engine.descriptors(), fresh_engine.own_bytes(), Cost(fresh_engine)
        silent = []
        for number in range(10_000):
            silent.append(socket.create_connection((place.hostname, place.port), PATIENCE))
            if number % 1000 == 0:
                assert digest(urls[number // 1000 % len(urls)]) == wanted[number // 1000 % len(urls)]
        assert [digest(url) for url in urls] == wanted
        print(f"\n10,000 silent connections: {fresh_engine.descriptors() - before} are open, "
              f"{(fresh_engine.own_bytes() - memory) / 1024 / 1024:.1f} MiB")
        eventually(lambda: fresh_engine.descriptors() - before <= 4096 + 8, "connections beyond the limit to be closed")
        eventually(lambda: is_at_rest(fresh_engine), "silent connections to cost nothing")
        print(f"ten thousand silent connections: {cost.at_rest()}")
        # An incomplete request also counts as silence.
        for connection in silent[-1000:]:
            with contextlib.suppress(OSError):
                connection.sendall(b"GET / HTTP/1.1\r\nHo")
        assert [digest(url) for url in urls] == wanted
        for connection in silent:
            connection.close()
        eventually(lambda: fresh_engine.descriptors() <= before + 4, "all connections to be closed")
        print(f"after they have closed: {cost.at_rest()}")


def test_two_thousand_readers_that_stop_reading_keep_nobody_from_playing(fresh_engine, descriptors):
    if descriptors < 3000:
        pytest.skip("this process may not open 2,000 connections")
    with fresh_engine.session(clip("anamorphic.mkv")) as session:
        urls = list(session.master().everything())
        wanted = [digest(url) for url in urls]
        place = urllib.parse.urlsplit(max(urls, key=lambda url: len(fetch(url))))
        ask = f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode()
        before, memory, cost = fresh_engine.descriptors(), fresh_engine.own_bytes(), Cost(fresh_engine)
        stalled = []
        for _ in range(2000):
            reader = socket.socket()
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect((place.hostname, place.port))
            reader.sendall(ask)
            stalled.append(reader)
        for reader in stalled:
            assert reader.recv(12) == b"HTTP/1.1 200"
        assert [digest(url) for url in urls] == wanted
        eventually(lambda: is_at_rest(fresh_engine), "responses that nobody reads to cost nothing")
        print(f"\n2,000 responses that nobody reads: {cost.at_rest()}")
        # Each connection keeps a copy of a piece until the kernel has taken it. The copies and the bodies may take 256
        # MiB together: beyond that, the connections that have read nothing for longest are closed. The rest is for the
        # connections themselves.
        eventually(lambda: fresh_engine.own_bytes() - memory < 320 << 20, "the copies to be within the limit")
        print(f"after some of them were disconnected: {cost.at_rest()}")
        # A connection that reads again gets the whole response.
        size = len(fetch(urllib.parse.urlunsplit(place)))
        reader, received = stalled.pop(), b""
        reader.settimeout(PATIENCE)
        while len(received.partition(b"\r\n\r\n")[2]) < size:
            data = reader.recv(1 << 16)
            assert data, "the connection was closed"
            received += data
        assert received.endswith(fetch(urllib.parse.urlunsplit(place)))
        for reader in [*stalled, reader]:
            reader.close()
        eventually(lambda: fresh_engine.descriptors() <= before + 4, "all connections to be closed")
        print(f"after they have closed: {cost.at_rest()}")
