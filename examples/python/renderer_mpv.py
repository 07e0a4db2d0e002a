#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attaches mpv to a session as its renderer.

mpv carries out the commands of the engine's clients, and its position becomes that of the session.

    pip install grpcio grpcio-tools
    python3 examples/python/renderer_mpv.py [--session ID] [--replace] [--mpv-socket PATH] [-- MPV OPTIONS]

The engine must be running; its socket is $ENGINED_SOCKET or $XDG_RUNTIME_DIR/engined/engined.sock.
"""

import argparse
import json
import os
import pathlib
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import grpc
from grpc_tools import protoc

PROTO = pathlib.Path(__file__).resolve().parents[2] / "Proto"


def generate():
    """Generates the client code from the contract. A real client would do so at build time."""
    out = tempfile.mkdtemp(prefix="engine-proto-")
    files = [str(path.relative_to(PROTO)) for path in sorted(PROTO.glob("engine/v1/*.proto"))]
    if protoc.main(["protoc", f"-I{PROTO}", f"--python_out={out}", f"--grpc_python_out={out}", *files]):
        sys.exit("the contract does not compile")
    sys.path.insert(0, out)


generate()
from engine.v1 import engine_pb2, engine_pb2_grpc, state_pb2  # noqa: E402


class Mpv:
    """An mpv process controlled over its JSON IPC."""

    OBSERVED = ("time-pos", "pause", "core-idle", "speed", "eof-reached", "frame-drop-count", "decoder-frame-drop-count",
                "demuxer-cache-state")

    def __init__(self, path, options):
        # mpv ends with this process, even if this process is killed.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "mpv", "--no-config", "--no-terminal", "--idle=yes", "--keep-open=yes", "--pause=yes", "--cache=yes",
             "--demuxer-max-bytes=512MiB", "--demuxer-max-back-bytes=512MiB",
             f"--input-ipc-server={path}", *options], stdin=subprocess.DEVNULL)
        self.values, self.changed, self.happened = {}, threading.Event(), threading.Condition()
        self.events = {}
        self.connection = self._connect(path)
        threading.Thread(target=self._read, daemon=True).start()
        for number, name in enumerate(self.OBSERVED, 1):
            self.send("observe_property", number, name)

    def _connect(self, path):
        for _ in range(200):
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(path)
                return connection
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("mpv has ended")
                time.sleep(0.05)
        sys.exit("mpv does not open its socket")

    def _read(self):
        try:
            for line in self.connection.makefile():
                self._take(json.loads(line))
        except OSError:
            pass
        with self.happened:
            self.events["shutdown"] = 1
            self.happened.notify_all()
        self.changed.set()

    def _take(self, message):
        if message.get("event") == "property-change":
            self.values[message["name"]] = message.get("data")
        elif "event" in message:
            with self.happened:
                self.events[message["event"]] = self.events.get(message["event"], 0) + 1
                self.happened.notify_all()
        self.changed.set()

    def send(self, *command):
        try:
            self.connection.sendall(json.dumps({"command": command}).encode() + b"\n")
        except OSError:
            pass  # mpv has ended; `_read` reports that.

    def do(self, event, *command):
        """Sends a command and waits for the event that it causes, for at most a minute."""
        with self.happened:
            before = self.events.get(event, 0)
            self.send(*command)
            self.happened.wait_for(lambda: self.events.get(event, 0) > before or self.is_gone, timeout=60)

    def ranges(self):
        """The ranges that mpv has buffered, in seconds."""
        return (self.values.get("demuxer-cache-state") or {}).get("seekable-ranges") or []

    def has(self, seconds):
        # The last frame is shown until the end, but a range only includes its start.
        return any(each["start"] <= seconds <= each["end"] + 0.1 for each in self.ranges())

    @property
    def is_gone(self):
        return "shutdown" in self.events


class Renderer:
    def __init__(self, mpv):
        self.mpv = mpv
        self.position, self.rate, self.plays = 0, 1, False
        self.last_command = self.last_seek = 0

    def apply(self, command):
        mpv, kind = self.mpv, command.WhichOneof("command")
        if kind == "load":
            self.position = command.load.position_us
            mpv.do("file-loaded", "loadfile", command.load.url)
            if self.position > 0:
                self._seek(self.position)
        elif kind in ("play", "pause"):
            self.plays = kind == "play"
            self._hold()
        elif kind == "seek":
            self.position = command.seek.position_us
            self._seek(self.position)
            self.last_seek = command.seek.id
        elif kind == "rate":
            turns = (self.rate == 0) != (command.rate == 0)
            self.rate = command.rate
            if self.rate > 0:
                mpv.send("set_property", "speed", self.rate)
            if turns:
                self._hold()
        elif kind == "volume":
            mpv.send("set_property", "volume", command.volume * 100)
        elif kind == "muted":
            mpv.send("set_property", "mute", command.muted)
        elif kind == "stop":
            mpv.send("quit")
        self.last_command = command.number
        mpv.changed.set()

    def _seek(self, position):
        """Seeks once mpv has buffered the target, or after 10 s. Within its buffer, mpv does not need its HLS reader,
        which cannot seek in fMP4 before FFmpeg 6."""
        end = time.monotonic() + 10
        while not self.mpv.has(position / 1e6) and not self.mpv.is_gone and time.monotonic() < end:
            time.sleep(0.05)
        self.mpv.do("playback-restart", "seek", position / 1e6, "absolute+exact")

    def _hold(self):
        """Pauses or resumes mpv. A rate of 0 also pauses it, because it has no speed of 0."""
        stands = not self.plays or self.rate == 0
        self.mpv.values["pause"] = stands
        self.mpv.send("set_property", "pause", stands)

    def report(self):
        values = self.mpv.values
        if values.get("time-pos") is not None:
            self.position = max(0, round(values["time-pos"] * 1e6))
        ended, stands = bool(values.get("eof-reached")), values.get("pause") is not False
        moves = not stands and not ended and values.get("core-idle") is False
        if ended:
            self.plays = False
        return engine_pb2.RenderRequest(report=engine_pb2.RendererReport(
            position_us=self.position, rate=values.get("speed", 1) if moves else 0,
            buffering=not stands and not ended and not moves, ended=ended, seek_id=self.last_seek,
            last_command=self.last_command,
            dropped_frames=(values.get("frame-drop-count") or 0) + (values.get("decoder-frame-drop-count") or 0),
            buffered=[state_pb2.TimeRange(start_us=max(0, round(each["start"] * 1e6)), end_us=round(each["end"] * 1e6))
                      for each in self.mpv.ranges() if each["start"] <= each["end"] and each["end"] >= 0][:64]))

    def requests(self, attach):
        """The messages to the engine: reports after each change and at least once a second, but at most ten a second."""
        yield attach
        while not self.mpv.is_gone:
            self.mpv.changed.wait(timeout=1)
            self.mpv.changed.clear()
            # Before the first command there is nothing to report on.
            if self.last_command:
                yield self.report()
            time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--session", default="")
    parser.add_argument("--replace", action="store_true")
    parser.add_argument("--mpv-socket")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    path = os.environ.get("ENGINED_SOCKET") or os.path.join(
        os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}"), "engined", "engined.sock")

    with tempfile.TemporaryDirectory(prefix="renderer-") as directory, grpc.insecure_channel(f"unix://{path}") as channel:
        mpv = Mpv(arguments.mpv_socket or f"{directory}/mpv.sock", arguments.options)
        renderer = Renderer(mpv)
        attach = engine_pb2.RenderRequest(attach=engine_pb2.AttachRenderer(
            session_id=arguments.session, name="mpv", replace=arguments.replace))
        commands = queue.Queue()
        call = engine_pb2_grpc.EngineStub(channel).Render(renderer.requests(attach))

        def work():
            while (command := commands.get()) is not None:
                renderer.apply(command)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        try:
            for command in call:
                commands.put(command)
        except grpc.RpcError as error:
            sys.exit(f"render: {error.code().name}: {error.details()}")
        finally:
            commands.put(None)
            worker.join(5)
            mpv.send("quit")
            try:
                mpv.process.wait(5)
            except subprocess.TimeoutExpired:
                mpv.process.kill()


if __name__ == "__main__":
    main()
