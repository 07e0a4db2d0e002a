# SPDX-License-Identifier: Apache-2.0
"""Authors DVDs: ffmpeg encodes the films, dvdauthor builds the disc."""

import os
import re
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

RATES = {"pal": "25", "ntsc": "30000/1001"}
SIZES = {"pal": "352x288", "ntsc": "720x480"}


def film(path, source, tones, seconds=6, norm="pal", aspect="4:3", video=()):
    """An MPEG-PS file in DVD format, with a tone in each audio stream."""
    inputs = ["-f", "lavfi", "-i", f"{source}=size={SIZES[norm]}:rate={RATES[norm]}"]
    for tone in tones:
        inputs += ["-f", "lavfi", "-i", f"sine={tone}:sample_rate=48000"]
    maps = [each for number in range(len(tones) + 1) for each in ("-map", f"{number}")]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *inputs, "-t", str(seconds), *maps, "-c:v", "mpeg2video", "-b:v", "1200k", "-maxrate", "8000k",
         "-bufsize", "1835008", "-g", "12", "-bf", "2", "-aspect", aspect, *video, "-c:a", "ac3", "-b:a", "192k", "-ac", "2", "-f", "dvd",
         str(path)], check=True)
    return path


def stamp(data):
    """A time of 33 bits in a packet's header (ISO/IEC 13818-1, 2.4.3.6)."""
    return (data[0] >> 1 & 7) << 30 | (int.from_bytes(data[1:3], "big") >> 1) << 15 | int.from_bytes(data[3:5], "big") >> 1


def stamped(time, mark):
    return bytes([mark | time >> 29 & 0x0E | 1]) + struct.pack(">HH", time >> 14 & 0xFFFE | 1, time << 1 & 0xFFFE | 1)


def clock(pack):
    """The clock of a pack, in ticks of 90 kHz."""
    value = int.from_bytes(pack[4:10], "big")
    return (value >> 43 & 7) << 30 | (value >> 27 & 0x7FFF) << 15 | value >> 11 & 0x7FFF


def pcm(path, source, samples, rate, bits, stream=0):
    """A film with uncompressed audio beside what it has: one row per sample, of `bits` bits; frames are 1/600 s long."""
    data = source.read_bytes()
    packs = [data[at:at + 2048] for at in range(0, len(data) - 2047, 2048)]
    start = next(stamp(pack[23:28]) for pack in packs if pack[17] == 0xE0 and pack[21] & 0x80)
    count, channels = samples.shape
    frame = rate // 600
    # Units of more than 16 bits have four values or, of an odd number of channels, four samples.
    unit = 4 if channels % 2 else 2
    most = 2013 // (unit * channels * bits // 8) * unit
    form = (bits - 16) // 4 << 6 | (rate // 48000 - 1) << 4 | channels - 1
    added = []
    for first in range(0, count, most):
        part = samples[first:first + most]
        begun = -(-first // frame)
        body = bytes([0xA0 + stream, -(-(first + len(part)) // frame) - begun]) + struct.pack(
            ">H", 4 + (begun * frame - first) * channels * bits // 8) + bytes([begun % 20, form, 0x80]) + coded(part, bits)
        head = b"\x81\x80" + bytes([5]) + stamped(start + begun * frame * 90000 // rate, 0x20)
        rest = 2048 - 14 - 6 - len(head) - len(body)
        if rest < 7:
            head = head[:2] + bytes([5 + rest]) + head[3:] + b"\xFF" * rest
        time = max(0, start + first * 90000 // rate - 18000)
        # ISO/IEC 13818-1, 2.5.3.3: a clock, and a rate.
        value = 1 << 46 | (time >> 30) << 43 | 1 << 42 | (time >> 15 & 0x7FFF) << 27 | 1 << 26 | (time & 0x7FFF) << 11 | 1 << 10 | 1
        pack = b"\0\0\1\xba" + value.to_bytes(6, "big") + packs[0][10:14]
        pack += b"\0\0\1\xbd" + struct.pack(">H", len(head) + len(body)) + head + body
        if len(pack) < 2048:
            pack += b"\0\0\1\xbe" + struct.pack(">H", 2048 - len(pack) - 6)
        added.append(pack.ljust(2048, b"\xFF"))
    # The first pack is the one for navigation.
    path.write_bytes(packs[0] + b"".join(sorted(packs[1:] + added, key=clock)))
    return path


def coded(samples, bits):
    """Samples as DVDs have them: of more than 16 bits, the upper 16 of four values, then the rest of these."""
    values = samples.reshape(-1).tolist()
    out = bytearray()
    for at in range(0, len(values), 4):
        group = values[at:at + 4]
        out += b"".join(struct.pack(">h", value >> bits - 16) for value in group)
        if bits == 24:
            out += bytes(value & 0xFF for value in group)
        elif bits == 20:
            out += bytes((one & 0xF) << 4 | other & 0xF for one, other in zip(group[::2], group[1::2]))
    return bytes(out)


def subtitled(path, source, shown):
    """A film with rectangles as subtitles of its stream 0: (start, end, colour, x, y, width, height)."""
    text = '<subpictures format="PAL"><stream>'
    for number, (start, end, color, x, y, width, height) in enumerate(shown):
        image = path.with_suffix(f".{number}.png")
        row = b"\0" + bytes([*color, 255]) * width
        head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
        parts = [(b"IHDR", head), (b"IDAT", zlib.compress(row * height)), (b"IEND", b"")]
        image.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts))
        text += f'<spu start="00:00:{start:05.2f}" end="00:00:{end:05.2f}" image="{image}" xoffset="{x}" yoffset="{y}"/>'
    script = path.with_suffix(".xml")
    script.write_text(text + "</stream></subpictures>")
    with open(source, "rb") as film, open(path, "wb") as out:
        subprocess.run(["spumux", script], stdin=film, stdout=out, stderr=subprocess.DEVNULL, check=True,
                       env={**os.environ, "VIDEO_FORMAT": "PAL"})
    return path


@dataclass
class Authored:
    root: Path
    # The start times of each title's chapters, in seconds on the clocks of their films.
    chapters: list


def author(root, titles, norm="pal", aspect="4:3", languages=("en",), subtitles=()):
    """`titles`: for each title set its titles; a title is a list of (film, chapters) pairs."""
    text = f'<dvdauthor format="{norm}"><vmgm/>'
    for each in titles:
        text += f'<titleset><titles><video format="{norm}" aspect="{aspect}"/>'
        text += "".join(f'<audio lang="{language}"/>' for language in languages)
        text += "".join(f'<subpicture lang="{language}"/>' for language in subtitles)
        for title in each:
            text += "<pgc>" + "".join(f'<vob file="{path}" chapters="{chapters}"/>' for path, chapters in title) + "</pgc>"
        text += "</titles></titleset>"
    file = root.with_suffix(".xml")
    file.write_text(text + "</dvdauthor>")
    done = subprocess.run(["dvdauthor", "-o", root, "-x", file], check=True, capture_output=True, text=True,
                          env={**os.environ, "VIDEO_FORMAT": norm.upper()})
    found = re.findall(r"CHAPTERS: VTS\[(\d+)/(\d+)\] ([\d.]+)", done.stderr)
    return Authored(root, [(int(pgc), int(source), float(time)) for pgc, source, time in found])


def interleave(root, run=2):
    """Makes two angles of the two cells in the first title set's only program chain: `run` VOBUs of each in turn."""
    data = root / "VIDEO_TS"
    table, objects = data / "VTS_01_0.IFO", data / "VTS_01_1.VOB"
    info, video = bytearray(table.read_bytes()), objects.read_bytes()

    def number(place):
        return int.from_bytes(info[place:place + 4], "big")

    units = number(0xE4) * 2048
    firsts = [number(units + 4 + 4 * each) for each in range((number(units) + 1 - 4) // 4)]
    ends = firsts[1:] + [len(video) // 2048]
    chain = number(0xCC) * 2048 + number(number(0xCC) * 2048 + 12)
    assert info[chain + 3] == 2, "two cells"
    info[chain + 2] = 1
    playback = chain + int.from_bytes(info[chain + 232:chain + 234], "big")
    border = number(playback + 24 + 8)
    # The VOBUs of each cell, in their present order.
    cells = [[each for each in zip(firsts, ends) if (each[0] >= border) == bool(cell)] for cell in (0, 1)]
    groups = [[cell[at:at + run] for at in range(0, len(cell), run)] for cell in cells]
    out, pieces, moved = b"", [], []
    for turn in range(max(len(each) for each in groups)):
        for cell in (0, 1):
            for first, end in groups[cell][turn] if turn < len(groups[cell]) else ():
                place = len(out) // 2048
                moved.append(place)
                if pieces and pieces[-1][0] == cell:
                    pieces[-1][2] = place + end - first - 1
                else:
                    pieces.append([cell, place, place + end - first - 1])
                out += video[first * 2048:end * 2048]
    objects.write_bytes(out)
    for cell, mode in ((0, 0x50), (1, 0xD0)):
        at = playback + 24 * cell
        own = [each for each in pieces if each[0] == cell]
        # Interleaved, with an STC discontinuity.
        info[at] = mode | 0x06
        info[at + 8:at + 24] = struct.pack(">4I", own[0][1], own[0][2], moved[-1], own[-1][2])
    addresses = b"".join(struct.pack(">HBBII", cell + 1, 1, 0, first, last) for cell, first, last in pieces)
    for pointer, body in ((0xE0, struct.pack(">HHI", 2, 0, 7 + len(addresses)) + addresses),
                          (0xE4, struct.pack(f">{len(moved) + 1}I", 3 + 4 * len(moved), *moved))):
        info[pointer:pointer + 4] = struct.pack(">I", len(info) // 2048)
        info += body + bytes(-len(body) % 2048)
    table.write_bytes(info)
    manager = bytearray((data / "VIDEO_TS.IFO").read_bytes())
    titles = int.from_bytes(manager[0xC4:0xC8], "big") * 2048
    manager[titles + 8 + 1] = 2
    (data / "VIDEO_TS.IFO").write_bytes(manager)
    return root
