# SPDX-License-Identifier: Apache-2.0
"""Inserts streams and tables into a transport stream, independently of the engine and of ffmpeg's muxer."""

import datetime
import random
import struct

PACKET = 188


def crc(data):
    """ISO/IEC 13818-1 Annex A."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return struct.pack(">I", value)


def timestamp(ticks):
    ticks &= (1 << 33) - 1
    return bytes([0x21 | ticks >> 29 & 14, ticks >> 22 & 255, ticks >> 14 & 254 | 1, ticks >> 7 & 255, ticks << 1 & 254 | 1])


def packetized(ticks, payload, header=5):
    """A PES packet of private stream 1, with `header` bytes of header data, padded with 0xFF."""
    data = b"\x84\x80" + bytes([header]) + timestamp(ticks).ljust(header, b"\xff") + payload
    return b"\0\0\1\xbd" + struct.pack(">H", len(data)) + data


def packets(pid, data, counter):
    """Transport packets of one PES packet."""
    out, first = b"", True
    while data:
        room = PACKET - 4
        head = bytes([0x47, (0x40 if first else 0) | pid >> 8, pid & 255])
        if len(data) >= room:
            out += head + bytes([0x10 | counter % 16]) + data[:room]
        else:
            stuffing = room - len(data) - 1
            field = bytes([stuffing]) + (b"\0" + b"\xff" * (stuffing - 1) if stuffing else b"")
            out += head + bytes([0x30 | counter % 16]) + field + data
        data, first, counter = data[room:], False, counter + 1
    return out, counter


def payload_at(packet):
    return 4 + (1 + packet[4] if packet[3] & 0x20 else 0)


def announced(section, pid, descriptors, kind=6):
    """A program map section with a stream of type `kind` added, by default private data."""
    body = section[:-4] + struct.pack(">BHH", kind, 0xE000 | pid, 0xF000 | len(descriptors)) + descriptors
    body = body[:1] + struct.pack(">H", 0xB000 | len(body) + 4 - 3) + body[3:]
    return body + crc(body)


def with_stream(source, out, descriptors, units, pid=0x200, header=5, sections=None):
    """`source` with another stream. `units`: (ticks, payload), each inserted before the first video packet that is not
    earlier, as a PES packet or, with `sections`, as a section; `sections` is the type of the stream."""
    def written(unit, counter):
        if sections is None:
            return packets(pid, packetized(*unit, header), counter)
        found = section_packets(pid, unit[1], counter)
        return found, counter + len(found) // PACKET

    data, waiting, counter = source.read_bytes(), sorted(units, key=lambda each: each[0]), 0
    maps, result = set(), bytearray()
    for start in range(0, len(data) - PACKET + 1, PACKET):
        packet = data[start:start + PACKET]
        this, at = (packet[1] & 31) << 8 | packet[2], payload_at(packet)
        if packet[1] & 0x40 and this == 0:
            section = packet[at + 1 + packet[at]:]
            maps.add((section[10] & 31) << 8 | section[11])
        elif packet[1] & 0x40 and this in maps:
            section = packet[at + 1 + packet[at]:]
            whole = section[:3 + ((section[1] & 15) << 8 | section[2])]
            longer = announced(whole, pid, descriptors, 6 if sections is None else sections)
            packet = (packet[:at] + b"\0" + longer).ljust(PACKET, b"\xff")
            assert len(packet) == PACKET
        elif packet[1] & 0x40 and packet[at:at + 3] == b"\0\0\1" and packet[at + 3] & 0xF0 == 0xE0:
            ticks = ticks_at(packet, at + 9)
            while waiting and waiting[0][0] <= ticks:
                more, counter = written(waiting.pop(0), counter)
                result += more
        result += packet
    for each in waiting:
        more, counter = written(each, counter)
        result += more
    out.write_bytes(result)
    return out


def with_description(source, out, descriptors, kinds=(0x02, 0x1B, 0x24)):
    """`source`, with `descriptors` added to its first stream in the program map, which must be video."""
    data, maps, result = source.read_bytes(), set(), bytearray()
    for start in range(0, len(data) - PACKET + 1, PACKET):
        packet = data[start:start + PACKET]
        this, at = (packet[1] & 31) << 8 | packet[2], payload_at(packet)
        section = packet[at + 1 + packet[at]:] if packet[1] & 0x40 else b""
        if section and this == 0:
            maps.add((section[10] & 31) << 8 | section[11])
        elif section and this in maps:
            section = section[:3 + ((section[1] & 15) << 8 | section[2])]
            place = 12 + ((section[10] & 15) << 8 | section[11])
            assert section[place] in kinds
            size = (section[place + 3] & 15) << 8 | section[place + 4]
            body = section[:place + 3] + struct.pack(">H", 0xF000 | size + len(descriptors))
            body += section[place + 5:place + 5 + size] + descriptors + section[place + 5 + size:-4]
            body = body[:1] + struct.pack(">H", 0xB000 | len(body) + 4 - 3) + body[3:]
            packet = (packet[:at] + b"\0" + body + crc(body)).ljust(PACKET, b"\xff")
            assert len(packet) == PACKET
        result += packet
    out.write_bytes(result)
    return out


def captioning(*services):
    """The caption descriptor (ATSC A/65) with (language, number) entries; without a number: captions of the first
    field."""
    body = bytes([0xC0 | len(services)])
    for language, number in services:
        body += language + bytes([0x7E if number is None else 0xC0 | number]) + b"\x3f\xff"
    return bytes([0x86, len(body)]) + body


def section_packets(pid, section, counter=0):
    """Transport packets of one section."""
    data, out = b"\0" + section, b""
    while data:
        head = bytes([0x47, (0x40 if not out else 0) | pid >> 8, pid & 255, 0x10 | counter % 16])
        out, data, counter = out + head + data[:PACKET - 4].ljust(PACKET - 4, b"\xff"), data[PACKET - 4:], counter + 1
    return out


def splice_insert(event, begins, time=None, duration=None):
    """A section of SCTE 35 that begins or ends an ad break; times in ticks of 90 kHz."""
    def number(ticks, first):
        return bytes([first | 0x7E | ticks >> 32 & 1]) + struct.pack(">I", ticks & 0xFFFFFFFF)

    flags = (0xC0 if begins else 0x40) | (0x20 if duration else 0) | (0x10 if time is None else 0) | 0x0F
    command = struct.pack(">IBB", event, 0x7F, flags) + (b"" if time is None else number(time, 0x80))
    command += (number(duration, 0x80) if duration else b"") + bytes([0, 1, 0, 0])
    body = bytes(7) + struct.pack(">HBB", 0xFFF0, len(command), 5) + command + bytes(2)
    section = b"\xfc" + struct.pack(">H", 0x3000 | len(body) + 4) + body
    return section + crc(section)


def service_table(services, stream=1):
    """A service description section (ETSI EN 300 468, 5.2.3) of (number, provider, name), names as coded bytes."""
    body = struct.pack(">HBBBHB", stream, 0xC1, 0, 0, 0xFF01, 0xFF)
    for number, provider, name in services:
        text = bytes([0x48, 3 + len(provider) + len(name), 1, len(provider)]) + provider + bytes([len(name)]) + name
        body += struct.pack(">HBH", number, 0xFC, 0x8000 | len(text)) + text
    body = b"\x42" + struct.pack(">H", 0xF000 | len(body) + 4) + body
    return body + crc(body)


def broadcast_time(moment):
    """A moment in UTC as a Modified Julian Date and BCD digits (ETSI EN 300 468, annex C)."""
    days = (moment.date() - datetime.date(1858, 11, 17)).days
    return struct.pack(">H", days) + bytes(int(f"{part:02}", 16) for part in (moment.hour, moment.minute, moment.second))


def broadcast_event(number, moment, minutes, title, text=b"", language=b"deu", details=()):
    """An event with the status "running", for `event_table`; texts as coded bytes."""
    short = language + bytes([len(title)]) + title + bytes([len(text)]) + text
    descriptors = bytes([0x4D, len(short)]) + short
    for place, part in enumerate(details):
        body = bytes([place << 4 | len(details) - 1]) + language + b"\0" + bytes([len(part)]) + part
        descriptors += bytes([0x4E, len(body)]) + body
    length = bytes(int(f"{part:02}", 16) for part in (minutes // 60, minutes % 60, 0))
    return struct.pack(">H", number) + broadcast_time(moment) + length + struct.pack(">H", 4 << 13 | len(descriptors)) + descriptors


def event_table(program, version, place, event=b""):
    """A section about the present (0) or the following (1) event of a program (EN 300 468, 5.2.4)."""
    body = struct.pack(">HBBBHHBB", program, 0xC1 | version << 1, place, 1, 1, 1, 1, 0x4E) + event
    body = b"\x4e" + struct.pack(">H", 0xF000 | len(body) + 4) + body
    return body + crc(body)


def time_table(moment):
    """A time and date section (EN 300 468, 5.2.5)."""
    return b"\x70\x70\x05" + broadcast_time(moment)


def offset_table(moment, hours):
    """A time offset section (EN 300 468, 5.2.6) of a country that is this many hours ahead of UTC."""
    region = b"DEU\x02" + bytes([int(f"{hours:02}", 16), 0]) + broadcast_time(moment) + b"\0\0"
    body = broadcast_time(moment) + struct.pack(">H", 0xF000 | len(region) + 2) + bytes([0x58, len(region)]) + region
    body = b"\x73" + struct.pack(">H", 0x7000 | len(body) + 4) + body
    return body + crc(body)


def with_tables(data, tables):
    """`data` with sections inserted, given as (offset of the packet before which it comes, PID, section)."""
    out, last, counters = bytearray(), 0, {}
    for offset, pid, section in sorted(tables, key=lambda each: each[0]):
        packets = section_packets(pid, section, counters.get(pid, 0))
        counters[pid] = counters.get(pid, 0) + len(packets) // PACKET
        out += data[last:offset] + packets
        last = offset
    return bytes(out + data[last:])


def with_services(source, out, services, after=0):
    """`source` with another service description table in place of its own, and without any before packet `after`."""
    data, section, result = source.read_bytes(), service_table(services), bytearray()
    for start in range(0, len(data) - PACKET + 1, PACKET):
        packet = data[start:start + PACKET]
        if (packet[1] & 31) << 8 | packet[2] != 0x11:
            result += packet
        elif packet[1] & 0x40 and start // PACKET >= after:
            result += section_packets(0x11, section)
    out.write_bytes(result)
    return out


def scrambled(data, pids):
    """The stream with the packets of these PIDs scrambled: their payload means nothing, and their headers say so."""
    noise, out = random.Random(1), bytearray(data)
    for start in range(0, len(data) - PACKET + 1, PACKET):
        number = (data[start + 1] & 31) << 8 | data[start + 2]
        if number in pids and data[start + 3] & 0x10:
            at = start + payload_at(data[start:start + PACKET])
            out[start + 3] |= 0x80
            out[at:start + PACKET] = noise.randbytes(start + PACKET - at)
    return bytes(out)


def ticks_at(data, at):
    five = data[at:at + 5]
    return (five[0] >> 1 & 7) << 30 | five[1] << 22 | five[2] >> 1 << 15 | five[3] << 7 | five[4] >> 1


def with_clock_offset(source, out, ticks):
    """`source` with its 33-bit clock advanced by `ticks` of 90 kHz."""
    data = bytearray(source.read_bytes())
    for start in range(0, len(data) - PACKET + 1, PACKET):
        if data[start + 3] & 0x20 and data[start + 4] and data[start + 5] & 0x10:
            at = start + 6
            whole = int.from_bytes(data[at:at + 6], "big")
            base = ((whole >> 15) + ticks) % (1 << 33)
            data[at:at + 6] = (base << 15 | whole & 0x7FFF).to_bytes(6, "big")
        at = start + payload_at(data[start:start + PACKET])
        if data[start + 1] & 0x40 and data[at:at + 3] == b"\0\0\1" and at + 19 <= start + PACKET:
            for place in range(data[at + 7] >> 6 and (data[at + 7] >> 6) - 1):
                field = at + 9 + 5 * place
                mark = data[field] & 0xF0
                data[field:field + 5] = timestamp(ticks_at(data, field) + ticks)
                data[field] = mark | data[field] & 0x0F
    out.write_bytes(data)
    return out


# ETSI EN 300 743.


def subtitling(*pages, language=b"eng"):
    """The descriptor with (composition page, ancillary page) entries."""
    body = b"".join(language + struct.pack(">BHH", 0x10, *each) for each in pages)
    return bytes([0x59, len(body)]) + body


def segment(kind, page, body):
    return struct.pack(">BBHH", 0x0F, kind, page, len(body)) + body


def display(width, height, version=0):
    return bytes([version << 4 | 7]) + struct.pack(">HH", width - 1, height - 1)


def dvb(page, version, regions, canvas=None, timeout=30, colors_of=None):
    """A display set that shows `regions`: (x, y, rows) tuples. Rows consist of palette entries other than 0; the last
    one of a row is omitted. `colors_of`: the page on which the colors are sent, if that is another one."""
    out = segment(0x14, page, display(*canvas)) if canvas else b""
    composition = bytes([timeout, version % 16 << 4 | 2 << 2 | 3])
    for index, (x, y, _) in enumerate(regions):
        composition += struct.pack(">BBHH", index, 0xFF, x, y)
    out += segment(0x10, page, composition)
    for index, (_, _, rows) in enumerate(regions):
        out += segment(0x11, page, struct.pack(">BBHHBBBBHHH", index, version % 16 << 4 | 7, len(rows[0]), len(rows),
                                               3 << 5 | 3 << 2 | 3, 0, 0, 3, index, 0, 0xF000))
    if regions:
        entries = {1: (235, 128, 128, 0), 2: (81, 240, 90, 0), 3: (145, 34, 54, 127), 4: (41, 110, 240, 0)}
        body = bytes([0, version % 16 << 4 | 15]) + b"".join(bytes([each, 0x3F, *entries[each]]) for each in entries)
        out += segment(0x12, colors_of or page, body)
    for index, (_, _, rows) in enumerate(regions):
        halves = [b"".join(b"\x12" + bytes(row[:-1]) + b"\0\0\xf0" for row in rows[first::2]) for first in (0, 1)]
        out += segment(0x13, page, struct.pack(">HBHH", index, version % 16 << 4 | 1, *map(len, halves)) + b"".join(halves))
    return b"\x20\x00" + out + segment(0x80, page, b"") + b"\xff"


def teletext(*pages):
    """The descriptor with (language, kind, page) entries."""
    body = b"".join(language + bytes([kind << 3 | page // 100 % 8, page // 10 % 10 << 4 | page % 10])
                    for language, kind, page in pages)
    return bytes([0x56, len(body)]) + body
