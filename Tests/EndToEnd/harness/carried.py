# SPDX-License-Identifier: Apache-2.0
"""Inserts text streams into Ogg files, because ffmpeg cannot write them."""

import struct


def crc(data):
    """RFC 3533 §6."""
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return struct.pack("<I", value)


def page(number, granule, packet, flags=0, serial=0x5555):
    """A page of one packet."""
    lacing = b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255])
    head = b"OggS" + struct.pack("<BBqIII", 0, flags, granule, serial, number, 0) + bytes([len(lacing)]) + lacing
    whole = head + packet
    return whole[:22] + crc(whole) + whole[26:]


def in_ogg(source, out, cues):
    """Adds an OGM text stream to `source`, a Theora file. `cues`: (start, seconds, text)."""
    data, at, number, waiting, result = source.read_bytes(), 0, 0, sorted(cues), b""
    # Theora §6.2: FRN, FRD, and KFGSHIFT.
    head = data.index(b"\x80theora")
    rate = struct.unpack_from(">II", data, head + 22)
    shift = (data[head + 40] & 3) << 3 | data[head + 41] >> 5
    while at < len(data):
        segments = data[at + 26]
        size = 27 + segments + sum(data[at + 27:at + 27 + segments])
        granule = struct.unpack_from("<q", data, at + 6)[0]
        if not data[at + 5] & 2 and not number:
            # One sample per millisecond: 10,000 units of 100 ns.
            fields = struct.pack("<IqqIIHHIHHI", 56, 10_000, 1, 1, 1 << 14, 0, 0, 0, 0, 0, 0)
            result += page(0, 0, b"\1text".ljust(13, b"\0") + fields, flags=2)
            number = 1
        shown = ((granule >> shift) + (granule & (1 << shift) - 1)) * rate[1] / rate[0]
        while granule > 0 and waiting and waiting[0][0] <= shown:
            start, seconds, text = waiting.pop(0)
            # Bit 3 marks a keyframe. The duration takes 4 bytes, which bits 6, 7 and 1 say.
            packet = bytes([0x08 | 4 >> 1]) + struct.pack("<I", round(seconds * 1000)) + text.encode() + b"\0"
            result += page(number, round(start * 1000), packet)
            number += 1
        result += data[at:at + size]
        at += size
    assert not waiting, "the film is too short"
    out.write_bytes(result)
    return out
