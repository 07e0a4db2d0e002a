#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A helper program (docs/sources.md) that reads local files and knows no folders: `plain://HOW/PATH`. The host part
says how the program refuses folders: with `unknown`, as something that it cannot read as bytes; with any other word, as
something that the user may not read."""

import mmap
import os
import socket
import struct
import sys
import urllib.parse

requests = socket.socket(fileno=0)
memory = file = None


def serve():
    global memory, file
    message, descriptors, _, _ = socket.recv_fds(requests, 16 << 10, 1)
    if not message:
        sys.exit()
    kind, number = struct.unpack_from("<II", message)
    if kind == 1:
        memory = mmap.mmap(descriptors[0], struct.unpack_from("<I", message, 12)[0])
        length, = struct.unpack_from("<I", message, 32)
        url = urllib.parse.urlsplit(message[36:36 + length].decode())
        if url.path.endswith("/"):
            print("plain was asked for a folder", file=sys.stderr, flush=True)
            text = b"no folders for you"
            return requests.send(struct.pack("<IIII", 132, 0, 5 if url.netloc == "unknown" else 2, len(text)) + text)
        file = open(urllib.parse.unquote(url.path), "rb")
    if kind in (1, 2):
        requests.send(struct.pack("<IIIIqI", 128 + kind, number, 1, 1, os.fstat(file.fileno()).st_size, 0))
    if kind == 3:
        offset, count, position = struct.unpack_from("<qII", message, 8)
        part = os.pread(file.fileno(), count, offset)
        memory[position:position + len(part)] = part
        requests.send(struct.pack("<III", 131, number, len(part)))
    return None


while True:
    serve()
