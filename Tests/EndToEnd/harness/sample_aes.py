# SPDX-License-Identifier: Apache-2.0
"""Encrypts the samples of transport streams: Apple's "MPEG-2 Stream Encryption Format for HTTP Live Streaming"."""

import ctypes
import ctypes.util
import re

from .transport import crc

TYPES = {0x1B: 0xDB, 0x0F: 0xCF, 0x81: 0xC1, 0x87: 0xC2}
AC3_RATES = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
for function in ("EVP_CIPHER_CTX_new", "EVP_aes_128_cbc"):
    getattr(crypto, function).restype = ctypes.c_void_p


def cbc(data, key, iv):
    """Encrypts whole blocks as one chain (AES-128-CBC without padding)."""
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    output, count = ctypes.create_string_buffer(len(data) + 16), ctypes.c_int()
    assert crypto.EVP_EncryptInit_ex(context, ctypes.c_void_p(crypto.EVP_aes_128_cbc()), None, key, iv) == 1
    crypto.EVP_CIPHER_CTX_set_padding(context, 0)
    assert crypto.EVP_EncryptUpdate(context, output, ctypes.byref(count), data, len(data)) == 1
    crypto.EVP_CIPHER_CTX_free(context)
    assert count.value == len(data)
    return output.raw[:len(data)]


def replaced(data, places, key, iv):
    """`data` with the blocks at these offsets encrypted as one CBC chain."""
    chain = cbc(b"".join(data[place:place + 16] for place in places), key, iv)
    result = bytearray(data)
    for number, place in enumerate(places):
        result[place:place + 16] = chain[16 * number:16 * number + 16]
    return bytes(result)


def picture(data, key, iv):
    """An access unit of H.264."""
    starts = [found.end() for found in re.finditer(b"\0\0\1", data)]
    result, copied = b"", 0
    for start, following in zip(starts, [*[each - 3 for each in starts[1:]], len(data)]):
        end = start + len(data[start:following].rstrip(b"\0"))
        if data[start] & 31 not in (1, 5) or end - start <= 48:
            continue
        places, at = [], 32
        while end - start - at > 16:
            places.append(at)
            at += 160
        unit = replaced(data[start:end], places, key, iv)
        result += data[copied:start] + re.sub(b"\0\0(?=[\0-\3])", b"\0\0\3", unit)
        copied = end
    return result + data[copied:]


def frames(data, length, clear, key, iv):
    result = b""
    while data:
        count, start = length(data), clear(data)
        places = range(start, start + (count - start) // 16 * 16, 16)
        result += replaced(data[:count], places, key, iv)
        data = data[count:]
    return result


def payload(kind, data, key, iv):
    if kind == 0x1B:
        return picture(data, key, iv)
    if kind == 0x0F:
        length = lambda frame: (frame[3] & 3) << 11 | frame[4] << 3 | frame[5] >> 5
        return frames(data, length, lambda frame: 16 + (7 if frame[1] & 1 else 9), key, iv)
    if kind == 0x81:
        return frames(data, lambda frame: 4 * AC3_RATES[(frame[4] & 63) >> 1], lambda _: 16, key, iv)
    return frames(data, lambda frame: 2 * (((frame[2] & 7) << 8 | frame[3]) + 1), lambda _: 16, key, iv)


def split(packet):
    """The adaptation field with its length, and the payload."""
    control, at = packet[3] >> 4 & 3, 4
    field = packet[4:5 + packet[4]] if control & 2 else b""
    return field, packet[at + len(field):] if control & 1 else b""


def packets(pid, field, data):
    """A PES packet as transport packets, without continuity counters."""
    first = True
    while data or first:
        room = 184 - len(field)
        if len(data) < room:
            missing = room - len(data)
            if not field:
                field = bytes([missing - 1]) + (b"\0" + b"\xff" * (missing - 2) if missing > 1 else b"")
            else:
                field = bytes([len(field) - 1 + missing]) + (field[1:] or b"\0") + b"\xff" * (missing - (len(field) == 1))
            room = len(data)
        head = bytes([0x47, (0x40 if first else 0) | pid >> 8, pid & 255, 0x30 if field else 0x10])
        yield head + field + data[:room]
        data, field, first = data[room:], b"", False


def encrypted(stream, key, iv):
    """A transport stream whose pictures and audio frames are encrypted."""
    kinds, tables, order, open_units = {}, set(), [], {}
    for at in range(0, len(stream), 188):
        packet = stream[at:at + 188]
        pid = (packet[1] & 31) << 8 | packet[2]
        field, data = split(packet)
        if pid == 0 and packet[1] & 0x40:
            tables.add((data[11] & 31) << 8 | data[12])
        if pid in tables and packet[1] & 0x40:
            section = bytearray(data[1:4 + ((data[2] & 15) << 8 | data[3])])
            place = 12 + ((section[10] & 15) << 8 | section[11])
            while place < len(section) - 4:
                kinds[(section[place + 1] & 31) << 8 | section[place + 2]] = section[place]
                section[place] = TYPES.get(section[place], section[place])
                place += 5 + ((section[place + 3] & 15) << 8 | section[place + 4])
            section[-4:] = crc(section[:-4])
            data = b"\0" + bytes(section) + b"\xff" * (183 - len(section))
            order.append((None, packet[:4] + field + data))
        elif pid not in kinds or kinds[pid] not in TYPES or not data:
            order.append((None, packet))
        elif packet[1] & 0x40:
            open_units[pid] = [pid, field, data]
            order.append((open_units[pid], None))
        else:
            open_units[pid][2] += data
    result, counters = [], {}
    for unit, packet in order:
        whole = [packet]
        if unit:
            pid, field, data = unit
            body = 9 + data[8]
            whole = packets(pid, field, data[:body] + payload(kinds[pid], data[body:], key, iv))
        for each in whole:
            pid = (each[1] & 31) << 8 | each[2]
            if each[3] & 0x10:
                counters[pid] = (counters.get(pid, -1) + 1) & 15
            result.append(each[:3] + bytes([each[3] & 0xF0 | counters.get(pid, 0)]) + each[4:])
    assert all(len(each) == 188 for each in result)
    return b"".join(result)


def box(kind, body):
    return (len(body) + 8).to_bytes(4, "big") + kind + body


def boxes(data):
    while data:
        count = int.from_bytes(data[:4], "big")
        yield data[4:8], data[8:count]
        data = data[count:]


def inside(data, path, change):
    """The boxes, with `change` applied to the body of the box at `path`."""
    kind, rest = path[0], path[1:]
    skipped = {b"stsd": 8}.get(kind, 0) if rest else 0
    result = b""
    for found, body in boxes(data):
        if found == kind:
            body = body[:skipped] + inside(body[skipped:], rest, change) if rest else change(body)
        result += box(found, body)
    return result


def protected_init(data, iv):
    """The init segment of AAC with `cbcs`, whole samples and a constant IV (ISO/IEC 23001-7 §8.2)."""
    track = box(b"tenc", b"\1\0\0\0\0\0\1\0" + bytes(16) + b"\x10" + iv)
    sinf = box(b"sinf", box(b"frma", b"mp4a") + box(b"schm", bytes(4) + b"cbcs\0\1\0\0") + box(b"schi", track))
    path = [b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd"]
    return inside(data, path, lambda body: body[:8] + box(b"enca", next(boxes(body[8:]))[1] + sinf))


def protected_segment(data, key, iv):
    """Encrypts a segment of one track whose `trun` lists the sample sizes."""
    sizes, result = [], b""
    for kind, body in boxes(data):
        if kind == b"moof":
            run = dict(boxes(dict(boxes(body))[b"traf"]))[b"trun"]
            flags = int.from_bytes(run[1:4], "big")
            at = 8 + 4 * (flags & 1) + 4 * (flags >> 2 & 1)
            width = 4 * ((flags >> 8 & 1) + (flags >> 9 & 1) + (flags >> 10 & 1) + (flags >> 11 & 1))
            assert flags >> 9 & 1, "samples have sizes"
            place = at + 4 * (flags >> 8 & 1)
            count = int.from_bytes(run[4:8], "big")
            sizes = [int.from_bytes(run[place + width * n:place + width * n + 4], "big") for n in range(count)]
        if kind == b"mdat":
            assert sum(sizes) == len(body)
            samples, body = body, b""
            for size in sizes:
                sample, samples = samples[:size], samples[size:]
                body += cbc(sample[:size // 16 * 16], key, iv) + sample[size // 16 * 16:]
        result += box(kind, body)
    return result
