#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A helper program that violates the source protocol (docs/sources.md) in the way that the host part of the URL names."""

import mmap
import os
import socket
import struct
import sys
import time

requests = socket.socket(fileno=0)
opened = struct.pack("<IIIIqI", 129, 0, 1, 1, 1 << 20, 0)
how = ""


def serve():
    global how
    message, descriptors, _, _ = socket.recv_fds(requests, 16 << 10, 1)
    if not message:
        sys.exit()
    kind, number = struct.unpack_from("<II", message)
    if kind == 1:
        memory = mmap.mmap(descriptors[0], struct.unpack_from("<I", message, 12)[0])
        memory[:4] = b"lies"
        length, = struct.unpack_from("<I", message, 32)
        how = message[36:36 + length].decode().split("/")[2]
        match how:
            case "silent": time.sleep(1000)
            case "dies": sys.exit(1)
            case "garbage": requests.send(os.urandom(100))
            case "oversized": requests.send(bytes(17 << 10))
            case "version": requests.send(struct.pack("<IIIIqI", 129, 0, 2, 1, 1 << 20, 0))
            case "endless": requests.send(struct.pack("<IIIIqI", 129, 0, 1, 1, 1 << 62, 0))
            case "descriptors": socket.send_fds(requests, [opened], [0, 1, 2])
            case _: requests.send(opened)
    elif kind == 3:
        count, = struct.unpack_from("<I", message, 16)
        match how:
            case "more": requests.send(struct.pack("<III", 131, number, count + 1))
            case "fewer": requests.send(struct.pack("<III", 131, number, count // 2))
            case "stranger": requests.send(struct.pack("<III", 131, number + 1000, count))
            case "twice":
                for _ in range(2):
                    requests.send(struct.pack("<III", 131, number, count))
            case "flood":
                while True:
                    requests.send(struct.pack("<III", 131, number, count))
            case "mute": pass
            case _: requests.send(struct.pack("<III", 131, number, count))


while True:
    serve()
