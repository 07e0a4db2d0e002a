#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads a file, plays it, prints events, and seeks to the middle once.

    pip install grpcio grpcio-tools
    python3 examples/python/watch.py FILE [SECONDS]

The engine must be running; its socket is $ENGINED_SOCKET or $XDG_RUNTIME_DIR/engined/engined.sock.
"""

import os
import pathlib
import sys
import tempfile
import threading

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


def describe(event):
    kind = event.WhichOneof("event")
    if kind == "time":
        return f"{event.time.position_us / 1e6:8.2f} s"
    if kind in ("snapshot", "delta"):
        state = event.snapshot if kind == "snapshot" else event.delta.state
        phase = state_pb2.Phase.Name(state.phase).removeprefix("PHASE_").lower()
        names = "" if kind == "snapshot" else " " + ", ".join(
            state_pb2.StateField.Name(field).removeprefix("STATE_FIELD_").lower() for field in event.delta.fields)
        return f"{kind} #{event.revision} {phase}{names}"
    return f"{kind} {getattr(event, kind)}".strip()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    source = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) == 3 else 10
    socket = os.environ.get("ENGINED_SOCKET") or os.path.join(
        os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}"), "engined", "engined.sock")

    with grpc.insecure_channel(f"unix://{socket}") as channel:
        engine = engine_pb2_grpc.EngineStub(channel)
        try:
            loaded = engine.Load(engine_pb2.LoadRequest(source=source))
        except grpc.RpcError as error:
            sys.exit(f"load: {error.code().name}: {error.details()}")
        print(loaded.url, flush=True)

        watch = engine.Watch(engine_pb2.WatchRequest(session_id=loaded.session_id, time_interval_us=500_000))
        engine.Play(engine_pb2.SessionRequest(session_id=loaded.session_id))

        def seek_to_the_middle():
            where = engine.Seek(engine_pb2.SeekRequest(
                session_id=loaded.session_id, position_us=loaded.state.duration_us // 2))
            print(f"seeked to {where.state.position.position_us / 1e6:.2f} s", flush=True)

        timers = [threading.Timer(seconds / 2, seek_to_the_middle), threading.Timer(seconds, watch.cancel)]
        for timer in timers:
            timer.start()
        try:
            for event in watch:
                print(describe(event), flush=True)
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.CANCELLED:
                sys.exit(f"watch: {error.code().name}: {error.details()}")
        finally:
            for timer in timers:
                timer.cancel()
            engine.Stop(engine_pb2.SessionRequest(session_id=loaded.session_id))


if __name__ == "__main__":
    main()
