# SPDX-License-Identifier: Apache-2.0
"""Inserts CEA-608 and CTA-708 captions into video."""

import struct

from . import graphics, payloads

LOAD, ROLL, ERASE, NEWLINE, SHOW = 0x20, 0x25, 0x2C, 0x2D, 0x2F


# In seconds. When a source is opened, the engine makes its first seven segments of four seconds, so captions that begin
# later than this are not found until playback comes near them.
AHEAD = 40


def odd_parity(byte):
    return byte if byte.bit_count() & 1 else byte | 0x80


def command(code, channel=1):
    """A command, sent twice as usual."""
    return [((0x14 if channel < 3 else 0x15) | (8 if channel % 2 == 0 else 0), code)] * 2


def row(number, channel=1):
    """The preamble address code of row 14 or 15."""
    return [(0x14 | (8 if channel % 2 == 0 else 0), 0x40 if number == 14 else 0x60)] * 2


def letters(text):
    codes = text.encode() + b"\0" * (len(text) % 2)
    return [(codes[at], codes[at + 1]) for at in range(0, len(codes), 2)]


def pop_on(text, channel=1):
    """A pop-on caption, loaded into the hidden memory."""
    return command(LOAD, channel) + row(15, channel) + letters(text)


def triplets(first, second):
    """One pair for each field."""
    return [bytes([0xFC | field, odd_parity(pair[0]), odd_parity(pair[1])]) for field, pair in enumerate((first, second))]


def registered(parts):
    """Triplets as ATSC A/53 user data with its ITU-T T.35 header."""
    return b"\xb5\x00\x31GA94\x03" + bytes([0x40 | len(parts), 0xFF]) + b"".join(parts) + b"\xff"


def message(parts):
    """The SEI payload of one frame."""
    data = registered(parts)
    return bytes([4, len(data)]) + data + b"\x80"


def escaped(unit):
    out, zeros = bytearray(), 0
    for byte in unit:
        if zeros >= 2 and byte <= 3:
            out.append(3)
            zeros = 0
        zeros = zeros + 1 if byte == 0 else 0
        out.append(byte)
    return bytes(out)


def film(folder, seconds, first, second=(), codec="h264", rate=25, packed=()):
    """A raw stream without reordering.

    `first` and `second`: {picture: pairs sent from this picture on} for each field. `packed`: CTA-708 triplets, one
    list per picture."""
    coding = ["libx264", "-tune", "zerolatency"] if codec == "h264" else ["libx265", "-x265-params", "bframes=0:log-level=0"]
    plain = graphics.video(folder / f"plain.{codec}", seconds, (128, 96), rate, (*coding, "-preset", "ultrafast"))
    queues = [sorted(dict(each).items()) for each in (first, second)]
    pending, out, picture = [[], []], bytearray(), 0
    for unit in payloads.annex_b_units(plain.read_bytes()):
        kind = unit[0] & 31 if codec == "h264" else unit[0] >> 1 & 63
        starts = kind in (1, 5) and unit[1] & 0x80 if codec == "h264" else kind < 32 and unit[2] & 0x80
        if starts:
            more = packed[picture] if picture < len(packed) else []
            body = message(triplets(*(next_pair(picture, queue, pairs) for queue, pairs in zip(queues, pending))) + more)
            out += b"\0\0\0\1" + escaped((b"\6" if codec == "h264" else b"\x4e\1") + body)
            picture += 1
        out += b"\0\0\0\1" + unit
    assert not any(queues) and not any(pending), "the film is too short"
    path = folder / f"captions.{codec}"
    path.write_bytes(out)
    return path


def next_pair(picture, queue, pending):
    """The pair that one field sends with a picture.

    `queue`: (picture, pairs sent from this picture on). `pending`: the pairs that are due."""
    while queue and queue[0][0] <= picture:
        pending += queue.pop(0)[1]
    return pending.pop(0) if pending else (0, 0)


def film_of_units(folder, seconds, first, packed=(), rate=25):
    """An AV1 film without reordering, with captions in metadata units (AV1 bitstream specification §5.8.2)."""
    path = folder / "plain.ivf"
    graphics.video(path, seconds, (128, 96), rate, ("libaom-av1", "-usage", "realtime", "-cpu-used", "8", "-lag-in-frames", "0"))
    data, place, queue, pending = path.read_bytes(), 32, sorted(dict(first).items()), []
    out = bytearray(data[:32])
    picture = 0
    while place < len(data):
        size = struct.unpack_from("<I", data, place)[0]
        frame = data[place + 12:place + 12 + size]
        assert frame[:2] == b"\x12\0", "a temporal unit begins with its delimiter"
        parts = triplets(next_pair(picture, queue, pending), (0, 0)) + list(packed[picture] if picture < len(packed) else [])
        body = b"\x04" + registered(parts) + b"\x80"
        unit = b"\x2a" + (bytes([len(body)]) if len(body) < 128 else bytes([len(body) & 127 | 128, len(body) >> 7])) + body
        # The unit comes after the sequence header, if there is one.
        head = 2 + (2 + frame[3] if frame[2] == 0x0A else 0)
        frame = frame[:head] + unit + frame[head:]
        out += struct.pack("<I", len(frame)) + data[place + 4:place + 12] + frame
        place, picture = place + 12 + size, picture + 1
    assert not queue and not pending, "the film is too short"
    path = folder / "captions.ivf"
    path.write_bytes(out)
    return path


GROUP = 15


def user_data(kind, pairs):
    """Pairs of the first field in the user data of MPEG-2: of one picture (`cable`), or of a group of pictures, as on
    DVD (`disc`)."""
    pairs = [(odd_parity(first), odd_parity(second)) for first, second in pairs]
    if kind == "disc":
        blocks = b"".join(bytes([0xFF, *pair, 0xFE, 0x80, 0x80]) for pair in pairs)
        return b"CC\x01\xf8" + bytes([0x80 | len(pairs) << 1]) + blocks
    bits = f"{len(pairs):05b}" + "".join(
        f"{0:02b}{1:02b}{11:05b}" + f"{pair[0]:08b}"[::-1] + f"{pair[1]:08b}"[::-1] + "1" for pair in pairs)
    bits += "1" + "0" * (-(len(bits) + 1) % 8)
    return b"\x03\x81" + bytes(int(bits[place:place + 8], 2) for place in range(0, len(bits), 8))


def film_of_user_data(folder, seconds, first, kind, rate=25):
    """An MPEG-2 transport stream without reordering, with captions in user data. `kind`: "disc" or "cable"."""
    path = folder / "plain.m2v"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s=128x96:r={rate}:d={seconds}",
                 "-c:v", "mpeg2video", "-bf", "0", "-g", str(GROUP), "-sc_threshold", "1000000000", str(path))
    queue, pending, out, picture = sorted(dict(first).items()), [], bytearray(), 0
    for unit in path.read_bytes().split(b"\0\0\1")[1:]:
        out += b"\0\0\1" + unit
        count = 0
        if kind == "disc" and unit[0] == 0xB8:
            count = GROUP
        elif unit[0] == 0xB5 and unit[1] >> 4 == 8:
            picture += 1
            count = 1 if kind == "cable" else 0
        if count:
            at = picture - (kind == "cable")
            out += b"\0\0\1\xb2" + user_data(kind, [next_pair(at + each, queue, pending) for each in range(count)])
    assert not queue and not pending, "the film is too short"
    path = folder / f"{kind}.m2v"
    path.write_bytes(out)
    stream = path.with_suffix(".ts")
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-fflags", "+genpts", "-i", str(path), "-c", "copy", str(stream))
    return stream


def sample(parts, size):
    """A caption distribution packet (SMPTE ST 334-2) in the atom of a `c708` track, padded to `size` bytes."""
    body = bytes([0x96, 0x69, 0, 0x3F, 0x43, 0, 0, 0x72, 0xE0 | len(parts)]) + b"".join(parts) + b"\x74\0\0\0"
    return (struct.pack(">I", size) + b"ccdp" + body[:2] + bytes([len(body)]) + body[3:]).ljust(size, b"\0")
