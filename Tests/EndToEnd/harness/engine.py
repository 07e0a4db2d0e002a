# SPDX-License-Identifier: Apache-2.0
"""The engine as a process: started on its own socket, driven over gRPC, ended with SIGTERM."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import weakref

import grpc

from . import hls
from .contract import engine_pb2, engine_pb2_grpc, media_pb2
from .places import ENGINED
from .ports import free_port

# Long enough for a debug build on a busy machine; a wait this long is a failure.
PATIENCE = float(os.environ.get("ENGINE_PATIENCE", "60"))


def eventually(condition, what, seconds=PATIENCE, longest_pause=0.05):
    """Waits until `condition()` is true and returns its value. `what` describes it for the failure; it may be a
    function. Looks again after `longest_pause` at the latest."""
    end = time.monotonic() + seconds
    pause = 0.002
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"waited {seconds} s for: {what() if callable(what) else what}"
        time.sleep(pause)
        pause = min(2 * pause, longest_pause)


def settled(look, seconds=0.3):
    """Waits until `look()` has returned the same value for `seconds`, and returns it."""
    found, since = look(), time.monotonic()
    end = since + PATIENCE
    while time.monotonic() < since + seconds:
        assert time.monotonic() < end, f"never the same for {seconds} s, last {found}"
        time.sleep(0.02)
        if (now := look()) != found:
            found, since = now, time.monotonic()
    return found


def is_idle(process):
    """Whether a process uses at most one tick of CPU time in a second, and its threads wake up at most three times. A
    timer of the runtime wakes one thread once a second."""
    def work():
        folder = pathlib.Path(f"/proc/{process}")
        ticks = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
        switches = {}
        for thread in folder.glob("task/*"):
            # The thread may have ended.
            with contextlib.suppress(OSError):
                switches[thread.name] = int((thread / "status").read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
        return sum(map(int, ticks)), switches

    ticks, switches = work()
    time.sleep(1)
    ticks_now, switches_now = work()
    wakeups = sum(count - switches.get(thread, 0) for thread, count in switches_now.items())
    return ticks_now - ticks <= 1 and wakeups <= 3


class Session:
    def __init__(self, engine, reply):
        self.engine = engine
        self.id = reply.session_id
        self.url = reply.url
        self.state = reply.state

    def master(self):
        return hls.Master(self.url)

    def stop(self):
        self.engine.stub.Stop(engine_pb2.SessionRequest(session_id=self.id), timeout=PATIENCE)


# The engines that this process has started and that still exist: their logs are shown when a test fails.
started = weakref.WeakSet()


class Engine:
    def __init__(self, directory, *options, cache_home=None, state_home=None, through=(), program=ENGINED):
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)
        self.directory = directory
        self.socket = directory / "engined.sock"
        self.log = directory / "engined.log"
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=str(directory), XDG_CACHE_HOME=str(cache_home or directory / "cache"),
            XDG_STATE_HOME=str(state_home or directory / "state"))
        # An engine that is started again listens on the port in its journal.
        port = 0 if pathlib.Path(self.environment["XDG_STATE_HOME"], "engined").exists() else free_port()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*through, program, "--socket", self.socket, "--http-port", str(port), "--log-level", "info", *options],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.pid = self.process.pid
        started.add(self)
        # Short pauses, because tests measure the time until the first answer.
        eventually(self._answers, "the engine to listen on its socket", longest_pause=0.005)
        self.channel = self.connect()
        self.stub = engine_pb2_grpc.EngineStub(self.channel)

    def _answers(self):
        assert self.process.poll() is None, f"the engine ended: {self.log.read_text()[-2000:]}"
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(self.socket))
            return True
        return False

    def connect(self, *options):
        return grpc.insecure_channel(f"unix:{self.socket}", options=[
            ("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1), *options])

    def raw(self):
        """A bare connection to the socket."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(str(self.socket))
        return connection

    def load(self, path, start=0.0, **options):
        request = engine_pb2.LoadRequest(source=str(path), options=engine_pb2.LoadOptions(**options),
                                         start_position_us=round(start * 1e6))
        return Session(self, self.stub.Load(request, timeout=PATIENCE))

    @contextlib.contextmanager
    def session(self, path, **options):
        session = self.load(path, **options)
        try:
            yield session
        finally:
            session.stop()

    def probe(self, path, options=None):
        return self.stub.Probe(engine_pb2.ProbeRequest(source=str(path), options=options), timeout=PATIENCE)

    def state(self, session_id=""):
        return self.stub.GetState(engine_pb2.SessionRequest(session_id=session_id), timeout=PATIENCE)

    def has_journaled(self, text):
        """Whether a file of the journal, apart from temporary files, contains the text."""
        files = pathlib.Path(self.environment["XDG_STATE_HOME"]).rglob("*")
        return any(text.encode() in file.read_bytes() for file in files if file.is_file() and file.suffix != ".tmp")

    def is_alive(self):
        return self.process.poll() is None

    # Facts from the kernel.

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def mapped_frames(self):
        """Frame rings that the engine has mapped."""
        with open(f"/proc/{self.pid}/maps") as maps:
            return sum("memfd:engine-frames" in line for line in maps)

    def resource_counts(self):
        """The numbers of the engine's descriptors and threads."""
        return self.descriptors(), self.threads()

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def open_files(self):
        """What the engine's descriptors refer to."""
        found = set()
        for each in pathlib.Path(f"/proc/{self.pid}/fd").iterdir():
            # It may be closed meanwhile.
            with contextlib.suppress(OSError):
                found.add(os.readlink(each))
        return found

    def thread_names(self):
        names = []
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                names.append((task / "comm").read_text().strip())
        return names

    def resident_bytes(self):
        return self._status_bytes("VmRSS")

    def own_bytes(self):
        """Resident memory without the pages of the program and its libraries, which are large in a debug build and can
        be dropped by the system."""
        return self._status_bytes("RssAnon")

    def _status_bytes(self, name):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
        return 0

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # The end of the process.

    def end(self):
        """Sends SIGTERM; the engine must exit by itself, with status 0."""
        self.channel.close()
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError("the engine did not end after SIGTERM") from None
        assert self.process.returncode == 0, (
            f"the engine ended with {self.process.returncode}: {self.log.read_text()[-2000:]}")

    def kill(self):
        self.channel.close()
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def running_engine(*options):
    """An engine in its own folder. It must exit cleanly."""
    with tempfile.TemporaryDirectory(prefix="engine-", ignore_cleanup_errors=True) as directory:
        engine = Engine(directory, *options)
        try:
            yield engine
            engine.end()
        finally:
            if engine.is_alive():
                engine.kill()


def served(description):
    """The streams of a description that are served, video first: in the order in which their playlists are numbered."""
    kinds = (media_pb2.STREAM_KIND_VIDEO, media_pb2.STREAM_KIND_AUDIO)
    streams = [each for each in description.streams if each.kind in kinds and each.route in ("remux", "bridge")]
    return sorted(streams, key=lambda each: (kinds.index(each.kind), each.index))
