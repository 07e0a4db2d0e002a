# SPDX-License-Identifier: Apache-2.0
"""The process as the system sees it: threads, memory, permissions, signals, linked libraries."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

import pytest
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, Engine, eventually
from harness.hls import Media, fetch
from harness.places import ENGINECTL, ENGINED, clip


# In the notation of /proc/net/tcp.
LISTENING, LOOPBACK = "0A", "0100007F"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **options)


def test_blocking_actors_have_named_threads(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        fetch(Media(session.master().variants[0][1]).segments[0].url)
        names = {line.split(None, 1)[1] for line in run(
            "ps", "-T", "-o", "tid=,comm=", "-p", str(engine.pid)).stdout.splitlines()}
        # Threads that block on files are named after their task. The kernel keeps 15 characters of a name.
        assert {"engined", "http", "ipc", "plans", "journal"} <= names and any(re.fullmatch(r"demux-\d+", name) for name in names), names


def test_memory_stays_within_the_budget(start_engine, tmp_path):
    budget = 24 << 20
    engine = start_engine("--cache-bytes", str(budget))
    long = tmp_path / "long.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "39", "-i", clip("anamorphic.mkv"), "-c", "copy", long],
                   check=True)
    with engine.session(long) as session:
        segments = Media(session.master().variants[0][1]).segments
        order = segments + random.Random(3).sample(segments, len(segments))
        peak = 0
        for segment in order:
            fetch(segment.url)
            peak = max(peak, engine.own_bytes())
        production = engine.state(session.id).production
        assert production.cached_bytes <= budget and production.segments_evicted > 0
        assert budget // 2 < peak < budget + (60 << 20), f"{peak >> 20} MB"
    long.unlink()


@pytest.mark.long
def test_caches_shrink_under_memory_pressure(start_engine, tmp_path):
    told = tmp_path / "pressure"
    os.mkfifo(told)
    budget = 16 << 20
    engine = start_engine("--cache-bytes", str(budget), through=("env", f"MEMORY_PRESSURE_WATCH={told}"))
    long = tmp_path / "long.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "39", "-i", clip("anamorphic.mkv"), "-c", "copy", long],
                   check=True)
    with engine.session(long) as session:
        segments = Media(session.master().variants[0][1]).segments
        before = [fetch(segment.url) for segment in segments]

        def cached():
            return engine.state(session.id).production.cached_bytes

        assert budget // 2 < cached() <= budget
        output = 0
        for share in (2, 4, 8, 16, 16):
            # Any byte will do, as with systemd.
            told.write_bytes(b"x")
            output += 1
            eventually(lambda: engine.log.read_text().count("memory is short") == output, f"a cache of 1/{share} to be reported")
            assert f"cache-bytes={budget // share}" in engine.log.read_text()
            # The state follows within a moment.
            eventually(lambda: cached() <= budget // share, f"a cache of at most {budget // share} bytes")
        assert [fetch(segment.url) for segment in segments] == before
        assert cached() <= budget // 16
    long.unlink()


def test_the_producer_stops_when_no_one_reads(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        fetch(Media(session.master().variants[0][1]).segments[0].url)

        def is_idle():
            before, cpu = engine.state(session.id).production.bytes_produced, engine.cpu_seconds()
            time.sleep(1)
            return engine.state(session.id).production.bytes_produced == before and engine.cpu_seconds() - cpu < 0.2

        eventually(is_idle, "the producer to rest")


def test_the_producer_rests_when_several_positions_want_more_than_the_cache_holds(start_engine, tmp_path):
    engine = start_engine("--cache-bytes", "2500K")
    long = tmp_path / "long.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "40", "-i", clip("h264-aac.mkv"), "-c", "copy", long],
                   check=True)
    session = engine.load(long)
    segments = Media(session.master().variants[0][1]).segments
    for place in (0, 40, 80, 120):
        fetch(segments[place].url)

    def is_resting():
        before, cpu = engine.state(session.id).production.bytes_produced, engine.cpu_seconds()
        time.sleep(1)
        return engine.state(session.id).production.bytes_produced == before and engine.cpu_seconds() - cpu < 0.05

    eventually(is_resting, "the producer to rest")
    # The engine ends while the session exists.
    engine.end()
    long.unlink()


def test_the_socket_and_port_are_private(engine):
    assert stat.S_IMODE(os.stat(engine.socket).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(engine.socket.parent).st_mode) == 0o700
    # The control socket accepts connections before the HTTP port listens; after the first answer, the port listens.
    engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)

    def listening():
        sockets = engine.open_files()
        found = set()
        for table in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENING and f"socket:[{fields[9]}]" in sockets:
                    found.add(tuple(fields[1].split(":")))
        return found

    # The kernel skips lines of the table while sockets come and go.
    found = eventually(listening, "the engine to be in the table").union(*(listening() for _ in range(5)))
    assert [address for address, _ in found] == [LOOPBACK]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can connect as another user")
def test_connections_of_other_users_are_refused(start_engine):
    """Connections are refused even if the modes of the files permit them."""
    engine = start_engine()
    side = engine.directory / "engined-frames.sock"
    for folder in (engine.directory.parent, engine.directory):
        folder.chmod(0o755)
    # The server of the main socket speaks first.
    connect = "import socket, sys; peer = socket.socket(socket.AF_UNIX); peer.connect(sys.argv[1]); print(len(peer.recv(1)))"
    for path, user, received in ((engine.socket, 0, "1"), (engine.socket, 65534, "0"), (side, 65534, "0")):
        path.chmod(0o666)
        done = run("/usr/bin/python3", "-c", connect, path, user=user)
        assert done.stdout.strip() == received, done.stderr
    log = engine.log.read_text()
    for refused in ("rejected a connection", "rejected an attachment"):
        assert re.search(f"uid=65534.*{refused}", log), log


def test_the_default_socket_is_in_a_private_folder():
    import tempfile

    with tempfile.TemporaryDirectory(prefix="engine-") as runtime:
        process = subprocess.Popen([ENGINED, "--http-port", "0"], env=dict(os.environ, XDG_RUNTIME_DIR=runtime),
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            folder = f"{runtime}/engined"
            eventually(lambda: os.path.exists(f"{folder}/engined.sock"), "the socket")
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
            assert stat.S_IMODE(os.stat(f"{folder}/engined.sock").st_mode) == 0o600
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0
        # A directory that others may write to is rejected, not repaired.
        os.chmod(folder, 0o777)
        done = run(ENGINED, "--http-port", "0", env=dict(os.environ, XDG_RUNTIME_DIR=runtime))
        assert done.returncode != 0 and folder in done.stderr, done


def test_a_second_engine_does_not_take_the_socket(engine):
    done = run(ENGINED, "--socket", engine.socket, "--http-port", "0", env=engine.environment)
    assert done.returncode != 0 and done.stderr.strip()
    assert engine.is_alive()
    engine.load(clip("h264-aac.mkv")).stop()


def test_a_stale_socket_is_taken_over(start_engine):
    first = start_engine()
    first.kill()
    assert first.socket.exists()
    second = Engine(first.directory)
    try:
        second.load(clip("h264-aac.mkv")).stop()
    finally:
        second.end()


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_engine_cleanly(start_engine, which):
    engine = start_engine()
    session = engine.load(clip("h264-aac.ts"))
    fetch(session.url)
    engine.process.send_signal(which)
    assert engine.process.wait(PATIENCE) == 0
    assert not engine.socket.exists()


def test_a_socket_path_that_is_too_long_is_reported(tmp_path):
    done = run(ENGINED, "--socket", tmp_path / ("x" * 120), "--http-port", "0")
    assert done.returncode == 64 and "x" * 20 in done.stderr


def test_help_and_usage_errors():
    shown = run(ENGINED, "--help")
    assert shown.returncode == 0
    for option in ("--socket", "--http-port", "--cache-bytes", "--log-level"):
        assert option in shown.stdout
    assert run(ENGINED, "--no-such-option").returncode == 64
    with open("/dev/full", "w") as full:
        assert subprocess.run([ENGINED, "--help"], stdout=full, timeout=PATIENCE).returncode == os.EX_IOERR


def test_all_log_lines_have_the_same_format(start_engine):
    engine = start_engine()
    engine.load(clip("h264-aac.mkv")).stop()
    engine.end()
    lines = [line for line in engine.log.read_text().splitlines() if line]
    shape = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+\d{4} (info|notice|warning|error) [a-z]+: ([a-z]+=\S+ )*\[\w+\] \S")
    assert len(lines) >= 4 and [line for line in lines if not shape.match(line)] == []


def test_the_client_does_not_link_ffmpeg():
    libraries = run("ldd", ENGINECTL).stdout
    assert "libav" not in libraries and "libnghttp2" in libraries, libraries
    assert "libavformat" in run("ldd", ENGINED).stdout


@pytest.mark.long
def test_an_unread_log_does_not_block_the_engine(start_engine):
    """More is logged than fits into a pipe; a late reader still gets all of it."""
    rounds = 700
    folder = pathlib.Path(tempfile.mkdtemp(prefix="engine-"))
    os.mkfifo(folder / "engined.log")
    reader = os.open(folder / "engined.log", os.O_RDONLY | os.O_NONBLOCK)
    engine = start_engine(directory=folder)
    with engine.session(clip("h264-aac.mkv")) as session:
        request = engine_pb2.SessionRequest(session_id=session.id)
        for _ in range(rounds):
            engine.stub.Play(request, timeout=PATIENCE)
            assert engine.stub.Pause(request, timeout=PATIENCE).state.phase == state_pb2.PHASE_PAUSED
    told = bytearray()

    def is_read():
        with contextlib.suppress(BlockingIOError):
            while data := os.read(reader, 1 << 16):
                told.extend(data)
        return f"session {session.id} ended".encode() in told

    eventually(is_read, "the last line")
    assert told.count(f"session {session.id}: paused".encode()) >= rounds
    assert b"came too fast" not in told
    # The remaining log is still read while the engine exits.
    engine.channel.close()
    engine.process.terminate()
    eventually(lambda: is_read() and not engine.is_alive(), "its end")
    os.close(reader)
    shutil.rmtree(folder)
