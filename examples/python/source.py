#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Provides the bytes of a file as a source (docs/sources.md), and prints its URL. Runs until the engine
ends or the program is interrupted.

    pip install grpcio grpcio-tools
    python3 examples/python/source.py FILE

The engine must be running; its socket is $ENGINED_SOCKET or $XDG_RUNTIME_DIR/engined/engined.sock.
"""

import mmap
import os
import pathlib
import socket
import struct
import sys
import tempfile

import grpc
from grpc_tools import protoc

PROTO = pathlib.Path(__file__).resolve().parents[2] / "Proto"
OPEN, SIZE, READ, CANCEL = 1, 2, 3, 4
OPENED, SIZED, DATA, FAILED = 129, 130, 131, 132
VERSION, SEEKABLE, LONGEST_MESSAGE = 1, 1, 16 << 10


def generate():
    """Generates the client code from the contract. A real client would do so at build time."""
    out = tempfile.mkdtemp(prefix="engine-proto-")
    files = [str(path.relative_to(PROTO)) for path in sorted(PROTO.glob("engine/v1/*.proto"))]
    if protoc.main(["protoc", f"-I{PROTO}", f"--python_out={out}", f"--grpc_python_out={out}", *files]):
        sys.exit("the contract does not compile")
    sys.path.insert(0, out)


generate()
from engine.v1 import engine_pb2_grpc, sources_pb2  # noqa: E402


def register(path):
    """Registers a source. Returns its URL, and the socket on which its requests arrive."""
    with grpc.insecure_channel(f"unix://{path}") as channel:
        answer = engine_pb2_grpc.EngineStub(channel).RegisterSource(sources_pb2.RegisterSourceRequest())
    with socket.socket(socket.AF_UNIX) as side:
        side.connect(answer.socket_path)
        side.sendall(answer.ticket)
        message, descriptors, _, _ = socket.recv_fds(side, 16, 1)
    kind, _, _ = struct.unpack("<IIQ", message)
    if kind != 5 or len(descriptors) != 1:
        sys.exit("the engine does not take the source")
    return answer.url, socket.socket(fileno=descriptors[0])


def serve(requests, file):
    """Answers requests until the engine closes the socket."""
    memory = None

    def state(kind, number):
        status = os.fstat(file.fileno())
        tag = f"{status.st_ino:x}-{status.st_mtime_ns:x}".encode()
        return struct.pack("<IIIIqI", kind, number, VERSION, SEEKABLE, status.st_size, len(tag)) + tag

    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, LONGEST_MESSAGE, 1)
        if not message:
            return
        kind, number = struct.unpack_from("<II", message)
        if kind == OPEN:
            _, length = struct.unpack_from("<II", message, 8)
            memory = mmap.mmap(descriptors[0], length)
            os.close(descriptors[0])
            answer = state(OPENED, 0)
        elif kind == SIZE:
            answer = state(SIZED, number)
        elif kind == READ:
            offset, count, position = struct.unpack_from("<qII", message, 8)
            file.seek(offset)
            count = file.readinto(memoryview(memory)[position:position + count])
            answer = struct.pack("<III", DATA, number, count)
        else:
            # CANCEL: reads are answered one after another, so there is nothing to cancel.
            continue
        requests.sendall(answer)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = os.environ.get("ENGINED_SOCKET") or os.path.join(
        os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}"), "engined", "engined.sock")
    with open(sys.argv[1], "rb") as file:
        url, requests = register(path)
        print(url, flush=True)
        serve(requests, file)


if __name__ == "__main__":
    main()
