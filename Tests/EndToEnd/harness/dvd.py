# SPDX-License-Identifier: Apache-2.0
"""Authors DVDs: ffmpeg encodes the films, dvdauthor builds the disc."""

import functools
import os
import re
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

from . import frames
from .engine import PATIENCE
from .places import ENGINECTL

RATES = {"pal": "25", "ntsc": "30000/1001"}
LANGUAGES = {"en": "eng", "fr": "fra", "de": "deu"}
SIZES = {"pal": "352x288", "ntsc": "720x480"}


AC3 = ("-c:a", "ac3", "-b:a", "192k", "-ac", "2")


def film(path, source, tones, seconds=6, norm="pal", aspect="4:3", video=(), audio=AC3, rate=None):
    """MPEG-PS as DVDs have it, with an audio stream for each of `tones`: a frequency, or a file."""
    inputs = ["-f", "lavfi", "-i", f"{source}=size={SIZES[norm]}:rate={rate or RATES[norm]}"]
    for tone in tones:
        inputs += ["-f", "lavfi", "-i", f"sine={tone}:sample_rate=48000"] if isinstance(tone, int) else ["-i", str(tone)]
    maps = [each for number in range(len(tones) + 1) for each in ("-map", f"{number}")]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *inputs, "-t", str(seconds), *maps, "-c:v", "mpeg2video", "-b:v", "1200k", "-maxrate", "8000k",
         "-bufsize", "1835008", "-g", "12", "-bf", "2", "-aspect", aspect, *video, *audio, "-f", "dvd", str(path)], check=True)
    return path


def decode_timestamp(data):
    """A 33-bit timestamp in a packet's header (ISO/IEC 13818-1, 2.4.3.6)."""
    return (data[0] >> 1 & 7) << 30 | (int.from_bytes(data[1:3], "big") >> 1) << 15 | int.from_bytes(data[3:5], "big") >> 1


def encode_timestamp(time, mark):
    return bytes([mark | time >> 29 & 0x0E | 1]) + struct.pack(">HH", time >> 14 & 0xFFFE | 1, time << 1 & 0xFFFE | 1)


def clock(pack):
    """The clock of a pack, in ticks of 90 kHz."""
    value = int.from_bytes(pack[4:10], "big")
    return (value >> 43 & 7) << 30 | (value >> 27 & 0x7FFF) << 15 | value >> 11 & 0x7FFF


class Video:
    """The video stream of an MPEG-PS, whose bytes can be changed in place."""

    def __init__(self, path):
        self.path, self.data = path, bytearray(path.read_bytes())
        self.places, self.packets = [], []
        for pack in range(0, len(self.data), 2048):
            at = pack + 14
            while at + 6 < pack + 2048 and self.data[at:at + 3] == b"\0\0\1":
                end = at + 6 + int.from_bytes(self.data[at + 4:at + 6], "big")
                if self.data[at + 3] == 0xE0:
                    self.packets.append((len(self.places), at))
                    self.places += range(at + 9 + self.data[at + 8], end)
                at = end
        self.bytes = bytes(self.data[at] for at in self.places)

    def starts(self, code, kind=None):
        """The positions of start codes; `kind`: only those of this extension."""
        word = b"\0\0\1" + bytes([code])
        return [each.start() for each in re.finditer(re.escape(word), self.bytes)
                if kind is None or self.bytes[each.start() + 4] >> 4 == kind]

    def change(self, at, keep, value):
        """Replaces the bits of a byte that are not in `keep`."""
        self.data[self.places[at]] = self.data[self.places[at]] & keep | value

    def write(self):
        self.path.write_bytes(self.data)
        return self.path


def shown(video):
    """For each picture in coding order, its position in presentation order."""
    places, last, count = [], None, 0
    for at in video.starts(0):
        if video.bytes[at + 5] >> 3 & 7 == 3:
            places.append(count)
        else:
            if last is not None:
                places[last] = count
            last = len(places)
            places.append(None)
            if last == 0:
                continue
        count += 1
    places[last] = count
    return places


def film_time(number):
    """The presentation time of a picture, in ticks of 90 kHz: pictures last three and two fields in turn, at 60000/1001
    fields per second."""
    return (number // 2 * 5 + number % 2 * 3) * 3003 // 2


def pulldown(path):
    """Turns a film of 24000/1001 progressive pictures a second into one of 30000/1001 frames a second, by repeating
    some fields."""
    video = Video(path)
    for at in video.starts(0xB3):
        video.change(at + 7, 0xF0, 4)
    for at in video.starts(0xB5, 1):
        video.change(at + 5, 0xF7, 0)
    places, pictures = shown(video), video.starts(0)
    for place, at in zip(places, video.starts(0xB5, 8)):
        video.change(at + 7, 0x7D, (0x82, 0, 2, 0x80)[place % 4])
        video.change(at + 8, 0x7F, 0x80)
    first = None
    for (begin, head), (end, _) in zip(video.packets, video.packets[1:] + [(len(video.places), 0)]):
        flags = video.data[head + 7] >> 6
        if not flags:
            continue
        coded = next(number for number, at in enumerate(pictures) if at + 3 >= begin)
        assert pictures[coded] < end
        if first is None:
            first = decode_timestamp(video.data[head + 9:head + 14])
        video.data[head + 9:head + 14] = encode_timestamp(first + film_time(places[coded]), 0x30 if flags == 3 else 0x20)
        if flags == 3:
            video.data[head + 14:head + 19] = encode_timestamp(first + (film_time(coded - 1) if coded else -3003), 0x10)
    return video.write()


def with_pan_scan(path, width):
    """Declares that displays of 4:3 show only a part of each picture (ISO/IEC 13818-2, 6.2.2.4)."""
    video = Video(path)
    for at in video.starts(0xB5, 2):
        size = at + (8 if video.bytes[at + 4] & 1 else 5)
        video.change(size, 0, width >> 6)
        video.change(size + 1, 0x03, (width & 0x3F) << 2)
    return video.write()


def pcm(path, source, samples, rate, bits, stream=0):
    """A film with uncompressed audio added: one row per sample, of `bits` bits; audio frames are 1/600 s long."""
    data = source.read_bytes()
    packs = [data[at:at + 2048] for at in range(0, len(data) - 2047, 2048)]
    start = next(decode_timestamp(pack[23:28]) for pack in packs if pack[17] == 0xE0 and pack[21] & 0x80)
    count, channels = samples.shape
    frame = rate // 600
    # A unit has two samples of every channel, or four if the number of channels is odd.
    unit = 4 if channels % 2 else 2
    most = 2013 // (unit * channels * bits // 8) * unit
    form = (bits - 16) // 4 << 6 | (rate // 48000 - 1) << 4 | channels - 1
    added = []
    for first in range(0, count, most):
        part = samples[first:first + most]
        begun = -(-first // frame)
        body = bytes([0xA0 + stream, -(-(first + len(part)) // frame) - begun]) + struct.pack(
            ">H", 4 + (begun * frame - first) * channels * bits // 8) + bytes([begun % 20, form, 0x80]) + coded(part, bits)
        head = b"\x81\x80" + bytes([5]) + encode_timestamp(start + begun * frame * 90000 // rate, 0x20)
        rest = 2048 - 14 - 6 - len(head) - len(body)
        if rest < 7:
            head = head[:2] + bytes([5 + rest]) + head[3:] + b"\xFF" * rest
        time = max(0, start + first * 90000 // rate - 18000)
        # ISO/IEC 13818-1, 2.5.3.3: the clock of the pack.
        value = 1 << 46 | (time >> 30) << 43 | 1 << 42 | (time >> 15 & 0x7FFF) << 27 | 1 << 26 | (time & 0x7FFF) << 11 | 1 << 10 | 1
        pack = b"\0\0\1\xba" + value.to_bytes(6, "big") + packs[0][10:14]
        pack += b"\0\0\1\xbd" + struct.pack(">H", len(head) + len(body)) + head + body
        if len(pack) < 2048:
            pack += b"\0\0\1\xbe" + struct.pack(">H", 2048 - len(pack) - 6)
        added.append(pack.ljust(2048, b"\xFF"))
    # The first pack is the navigation pack.
    path.write_bytes(packs[0] + b"".join(sorted(packs[1:] + added, key=clock)))
    return path


def coded(samples, bits):
    """Samples in the layout of DVDs. With more than 16 bits: the upper 16 bits of four values, then their remaining
    bits."""
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
    """A film with coloured rectangles as subtitles, in stream 0: (start, end, colour, x, y, width, height), and "forced" for
    those that are."""
    text = '<subpictures format="PAL"><stream>'
    for number, (start, end, color, x, y, width, height, *forced) in enumerate(shown):
        image = path.with_suffix(f".{number}.png")
        force = "yes" if forced else "no"
        row = b"\0" + bytes([*color, 255]) * width
        head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
        parts = [(b"IHDR", head), (b"IDAT", zlib.compress(row * height)), (b"IEND", b"")]
        image.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts))
        text += f'<spu start="00:00:{start:05.2f}" end="00:00:{end:05.2f}" image="{image}" xoffset="{x}" yoffset="{y}" force="{force}"/>'
    script = path.with_suffix(".xml")
    script.write_text(text + "</stream></subpictures>")
    with open(source, "rb") as film, open(path, "wb") as out:
        subprocess.run(["spumux", script], stdin=film, stdout=out, stderr=subprocess.DEVNULL, check=True,
                       env={**os.environ, "VIDEO_FORMAT": "PAL"})
    return path


@dataclass
class Authored:
    root: Path
    # As dvdauthor reports them: (title, film of the title, time in seconds on the film's clock).
    chapters: list
    # The languages of the last title set, by codec.
    languages: dict


def author(root, titles, norm="pal", aspect="4:3", languages=("en",), subtitles=(), display="", pause="", contents=()):
    """Builds a disc in the folder `root`. `titles`: for each title set, its titles; a title is a list of (film,
    chapters in it), each optionally with the seconds for which the film's last picture stays. `display`: attributes of
    the video. `pause`: how long the last picture of each title stays. `contents`: what each audio stream is for. Both in the words of
    dvdauthor."""
    text = f'<dvdauthor format="{norm}"><vmgm/>'
    for each in titles:
        text += f'<titleset><titles><video format="{norm}" aspect="{aspect}" {display}/>'
        purposes = [f' content="{each}"' for each in contents] + [""] * len(languages)
        text += "".join(f'<audio lang="{language}"{purpose}/>' for language, purpose in zip(languages, purposes))
        text += "".join(f'<subpicture lang="{language}"/>' for language in subtitles)
        for title in each:
            text += f'<pgc pause="{pause}">' if pause else "<pgc>"
            for path, chapters, *still_seconds in title:
                text += f'<vob file="{path}" chapters="{chapters}"' + "".join(f' pause="{each}"' for each in still_seconds) + "/>"
            text += "</pgc>"
        text += "</titles></titleset>"
    file = root.with_suffix(".xml")
    file.write_text(text + "</dvdauthor>")
    done = subprocess.run(["dvdauthor", "-o", root, "-x", file], check=True, capture_output=True, text=True,
                          env={**os.environ, "VIDEO_FORMAT": norm.upper()})
    found = re.findall(r"CHAPTERS: VTS\[(\d+)/(\d+)\] ([\d.]+)", done.stderr)
    audio_languages = re.findall(r"Audio ch \d+ format: (\w+)/.*'(\w\w)'", done.stderr)
    return Authored(root, [(int(pgc), int(source), float(time)) for pgc, source, time in found],
                    {codec: LANGUAGES[language] for codec, language in audio_languages})


def interleave(root, run=2):
    """Turns the two cells of the first title set's only program chain into two angles: `run` VOBUs of each in turn."""
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


@functools.cache
def pictures(film):
    return frames.framemd5(film)


def decoded(engine, source, *options):
    """The times and digests of all frames, as the software path decodes them."""
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, source, "--realtime=false", *options], check=True,
                          capture_output=True, text=True, timeout=PATIENCE * 2)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return [float(time) for time, _ in lines], [digest for _, digest in lines]
