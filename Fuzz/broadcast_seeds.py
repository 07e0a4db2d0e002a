# SPDX-License-Identifier: Apache-2.0
"""Seeds that are tables of broadcasts, and a transport stream, for `make-seeds.py`."""

import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "EndToEnd"))
from harness.transport import crc  # noqa: E402


def section(table, flags, body):
    data = bytes([table]) + struct.pack(">H", flags | len(body) + 4) + body
    return data + crc(data)


def packet(pid, begins, payload, fill=b"\xff"):
    return (bytes([0x47, (0x40 if begins else 0) | pid >> 8, pid & 255, 0x10]) + payload).ljust(188, fill)[:188]


# 13 October 1993, 12:45:00.
MOMENT = bytes.fromhex("c079124500")


def event(number, title, text, extended=b""):
    short = b"deu" + bytes([len(title)]) + title + bytes([len(text)]) + text
    descriptors = bytes([0x4D, len(short)]) + short
    if extended:
        body = b"\0deu\0" + bytes([len(extended)]) + extended
        descriptors += bytes([0x4E, len(body)]) + body
    return struct.pack(">H", number) + MOMENT + bytes.fromhex("014530") + struct.pack(">H", 4 << 13 | len(descriptors)) + descriptors


def events(version, place, body):
    return section(0x4E, 0xF000, struct.pack(">HBBBHHBB", 7, 0xC1 | version << 1, place, 1, 1, 1, 1, 0x4E) + body)


def tables(write, pieces):
    present = events(1, 0, event(1, b"Gr\xc8o\xfbe \xa4", b"\x05\xddstanbul", b"\x15l\xc3\xa4nger"))
    following = events(1, 1, event(2, b"\x11\x04\x1d\xe0\x8a", b"\x10\x00\x02x"))
    time = b"\x70\x70\x05" + MOMENT
    region = b"DEU\x02\x02\x00" + MOMENT + b"\x01\x00"
    offset = section(0x73, 0x7000, MOMENT + struct.pack(">H", 0xF000 | len(region) + 2) + bytes([0x58, len(region)]) + region)
    write("broadcasts", "tables", pieces([present, following, time, offset, events(2, 0, b"")]))
    programs = section(0, 0xB000, bytes.fromhex("0001c100000001f000"))
    streams = section(2, 0xB000, bytes.fromhex("0001c10000e100f0001be100f00086e200f000"))
    picture = bytes.fromhex("000001e000008080052100010001")
    broken = section(0xFC, 0x3000, bytes.fromhex("000000000000fff0fff00506fe0000000500000000"))
    sent = [(0, programs), (0x1000, streams), (0x12, present[:-1] + b"\0"), (0x14, time), (0x200, broken)]
    stream = b"".join(packet(pid, True, b"\0" + each) for pid, each in sent)
    stream += packet(0x100, True, picture, b"\0") + packet(0x12, True, b"\0" + present) + packet(0x12, False, b"")
    write("broadcasts", "stream", stream + stream[188 * 2:])
