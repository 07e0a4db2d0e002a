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
