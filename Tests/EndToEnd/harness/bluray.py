# SPDX-License-Identifier: Apache-2.0
"""Writes Blu-ray folders: clips made by ffmpeg, with the index, playlists and clip information of a disc."""

import json
import shutil
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import bluray_text

CODING = {"h264": 0x1B, "hevc": 0x24, "mpeg2video": 0x02, "vc1": 0xEA, "ac3": 0x81, "eac3": 0x84, "dts": 0x82,
          "truehd": 0x83, "pcm_bluray": 0x80, "hdmv_pgs_subtitle": 0x90}
# `frame_rate` code of the clip information, and frames per second.
RATES = [(1, 24000 / 1001), (2, 24), (3, 25), (4, 30000 / 1001), (6, 50), (7, 60000 / 1001)]
PACKET = 192


def u8(value): return struct.pack(">B", value)
def u16(value): return struct.pack(">H", value)
def u32(value): return struct.pack(">I", value & 0xFFFFFFFF)
def section(body): return u32(len(body)) + body


def encode(path, source, *options, offset=10.0):
    """Writes an m2ts file from a lavfi source. Its first picture is at `offset` seconds on the file's clock."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", *source, *options, "-muxdelay", "0", "-muxpreload", "0",
                    "-output_ts_offset", str(offset), "-streamid", "0:4113", "-streamid", "1:4352",
                    "-f", "mpegts", "-mpegts_m2ts_mode", "1", str(path)], check=True)
    return path


def probe(path, *options):
    return json.loads(subprocess.check_output(["ffprobe", "-v", "error", "-of", "json", *options, str(path)]))


@dataclass
class Clip:
    name: str
    path: Path
    streams: list
    # For each entry point: its presentation time in ticks of 90 kHz, and its packet number.
    entries: list
    # In ticks of 45 kHz.
    start: int
    end: int


@dataclass
class Item:
    # A clip for each angle.
    clips: list
    # In ticks of 45 kHz. Default: the start and end of the first angle's clip.
    start: int | None = None
    end: int | None = None
    connection: int = 1
    # The languages of text subtitles and of secondary audio, and one entry for each secondary video stream, which
    # states no language. All of them are in clips of sub-paths, which the disc need not have.
    texts: tuple = ()
    secondary_audio: tuple = ()
    secondary_video: tuple = ()


@dataclass
class Disc:
    """A disc in the folder `root`; complete after `write`."""
    root: Path
    clips: dict = field(default_factory=dict)
    playlists: dict = field(default_factory=dict)
    # The number of clips with text subtitles.
    text_count: int = 0

    def __post_init__(self):
        self.data = self.root / "BDMV"
        for name in ("PLAYLIST", "CLIPINF", "STREAM", "BACKUP"):
            (self.data / name).mkdir(parents=True, exist_ok=True)

    def add_clip(self, source, languages=()):
        """Adds a copy of an m2ts file. `languages`: those of its audio and subtitle streams, in order."""
        name = f"{len(self.clips):05d}"
        path = self.data / "STREAM" / f"{name}.m2ts"
        shutil.copy(source, path)
        known = [s for s in probe(path, "-show_streams")["streams"] if s["codec_name"] in CODING]
        # The core of a TrueHD stream, which has the same PID, is left out.
        streams = [s for place, s in enumerate(known) if s["id"] not in [other["id"] for other in known[:place]]]
        for stream, language in zip([s for s in streams if s["codec_type"] != "video"], languages):
            stream["language"] = language
        video = next(s for s in streams if s["codec_type"] == "video")
        packets = probe(path, "-select_streams", "v:0", "-show_entries", "packet=pts,pos,flags,duration")["packets"]
        # A parser may split a packet, for example at the end of a sequence. The remainder has no time.
        packets = [p for p in packets if "pts" in p]
        times = [int(p["pts"]) for p in packets]
        entries = [(int(p["pts"]), int(p["pos"]) // PACKET) for p in packets if "K" in p["flags"]]
        n, d = map(int, video["r_frame_rate"].split("/"))
        clip = Clip(name, path, streams, entries, min(times) // 2, (max(times) + 90000 * d // n) // 2)
        (self.data / "CLIPINF" / f"{name}.clpi").write_bytes(clip_information(clip))
        self.clips[name] = clip
        return clip

    def add_title(self, *items, chapters=(0.0,), number=None, stereoscopic=False, texts=()):
        """Adds a playlist. `chapters`: their start times in the title, in seconds. `stereoscopic`: the title is in 3D. `texts`: text
        subtitles (`bluray_text.Text`), with a clip of their own for each item."""
        items = [each if isinstance(each, Item) else Item([each]) for each in items]
        for item in items:
            item.start = item.clips[0].start if item.start is None else item.start
            item.end = item.clips[0].end if item.end is None else item.end
        number = len(self.playlists) if number is None else number
        path = self.data / "PLAYLIST" / f"{number:05d}.mpls"
        names = [self.add_text(text, bluray_text.FIRST_PID + place, items) for place, text in enumerate(texts)]
        path.write_bytes(playlist(items, chapters, stereoscopic, texts, names))
        self.playlists[number] = path
        return path

    def add_text(self, text, pid, items):
        """Writes the clips of a text subtitle stream, one for each item, and returns their names."""
        names, begin = [], 0
        for item in items:
            end = begin + (item.end - item.start) / 45000
            names.append(f"{900 + self.text_count:05d}")
            self.text_count += 1
            (self.data / "STREAM" / f"{names[-1]}.m2ts").write_bytes(text.clip(pid, begin, end))
            begin = end
        return names

    def write(self, first=0, copies=False):
        """Writes the index and the movie objects. Each playlist is a title, in order of their numbers. `first`: the
        number of the playlist for First Playback and for the top menu. `copies`: also writes the folder BACKUP."""
        numbers = sorted(self.playlists)
        objects = [first] + numbers
        entries = [u32(1 << 30) + u16(0) + u16(place) + bytes(4) for place in range(len(objects))]
        index = entries[0] + entries[0] + u16(len(numbers)) + b"".join(entries[1:])
        info = u32(34) + bytes(34)
        (self.data / "index.bdmv").write_bytes(b"INDX0200" + u32(40 + len(info)) + bytes(28) + info + section(index))
        programs = b"".join(u16(0x8000) + u16(2) + u32(0x22800000) + u32(number) + u32(0) + u32(0x21810000) + u32(0) * 2
                            for number in objects)
        (self.data / "MovieObject.bdmv").write_bytes(
            b"MOBJ0200" + bytes(32) + section(u32(0) + u16(len(objects)) + programs))
        if copies:
            for each in [*self.data.glob("*.bdmv"), *self.data.glob("PLAYLIST/*"), *self.data.glob("CLIPINF/*")]:
                copy = self.data / "BACKUP" / each.relative_to(self.data)
                copy.parent.mkdir(exist_ok=True)
                shutil.copy(each, copy)
        return self.root


def attributes(stream):
    coding = CODING[stream["codec_name"]]
    if stream["codec_type"] == "video":
        n, d = map(int, stream["r_frame_rate"].split("/"))
        rate = min(RATES, key=lambda each: abs(each[1] - n / d))[0]
        size = {480: 3, 576: 7, 720: 5, 1080: 6, 2160: 8}.get(stream["height"], 6)
        return u8(coding) + u8(size << 4 | rate)
    language = (stream.get("language", "und") + "   ")[:3].encode()
    if stream["codec_type"] == "audio":
        layout = {1: 1, 2: 3}.get(stream["channels"], 6)
        rate = {48000: 1, 96000: 4, 192000: 5}[int(stream["sample_rate"])]
        return u8(coding) + u8(layout << 4 | rate) + language
    return u8(coding) + language


def stream_table(streams, item, texts=()):
    groups = [[s for s in streams if s["codec_type"] == kind] for kind in ("video", "audio", "subtitle")]
    counts = [len(group) for group in groups] + [0, len(item.secondary_audio), len(item.secondary_video)]
    counts[2] += len(item.texts) + len(texts)
    body = u16(0) + bytes(counts) + bytes(6)
    for stream in (s for group in groups for s in group):
        body += u8(9) + u8(1) + u16(int(stream["id"], 16)) + bytes(6)
        body += u8(5) + attributes(stream).ljust(5, b"\0")
    for language in item.texts:
        body += u8(9) + u8(2) + u16(0) + u16(0x1800) + bytes(4) + u8(5) + u8(0x92) + u8(1) + language.encode()
    body += bluray_text.table_entries(texts)
    for language in item.secondary_audio:
        body += u8(9) + u8(3) + u8(1) + u16(0x1A00) + bytes(5) + u8(5) + u8(0xA1) + u8(0x31) + language.encode() + bytes(2)
    for _ in item.secondary_video:
        body += u8(9) + u8(3) + u8(2) + u16(0x1B00) + bytes(5) + u8(5) + u8(0x1B) + u8(0x61) + bytes(3) + bytes(4)
    return u16(len(body)) + body


def play_item(item, texts=()):
    angles = len(item.clips)
    body = item.clips[0].name.encode() + b"M2TS" + u16(item.connection | (0x10 if angles > 1 else 0)) + u8(0)
    body += u32(item.start) + u32(item.end) + bytes(12)
    if angles > 1:
        body += u8(angles) + u8(0) + b"".join(clip.name.encode() + b"M2TS" + u8(0) for clip in item.clips[1:])
    body += stream_table(item.clips[0].streams, item, texts)
    return u16(len(body)) + body


def playlist(items, chapters, stereoscopic=False, texts=(), names=()):
    info = u32(14) + u8(0) + u8(1) + bytes(12)
    body = section(u16(0) + u16(len(items)) + u16(len(texts)) + b"".join(play_item(item, texts) for item in items)
                   + bluray_text.sub_paths(names, items))
    marks = b""
    for chapter in chapters:
        rest, place = round(chapter * 45000), 0
        while place + 1 < len(items) and rest >= items[place].end - items[place].start:
            rest -= items[place].end - items[place].start
            place += 1
        marks += u8(0) + u8(1) + u16(place) + u32(items[place].start + rest) + u16(0xFFFF) + u32(0)
    start = 40 + len(info)
    marks = section(u16(len(chapters)) + marks)
    end = start + len(body) + len(marks)
    # An extension for 3D: the table of its streams, which is empty.
    view = section(bytes(7) + u8(1) + u16(2) + u16(1) + u32(24) + u32(0)) if stereoscopic else b""
    return (b"MPLS0200" + u32(start) + u32(start + len(body)) + u32(end if stereoscopic else 0) + bytes(20) + info + body + marks
            + view)


def clip_information(clip):
    packets = clip.path.stat().st_size // PACKET
    info = section(u16(0) + u8(1) + u8(1) + u32(0) + u32(6000000) + u32(packets) + bytes(128) + u16(30) + u8(0x80)
                   + b"HDMV" + bytes(25))
    sequence = section(u8(0) + u8(1) + u32(0) + u8(1) + u8(0) + u16(0x1001) + u32(0) + u32(clip.start) + u32(clip.end))
    program = u8(0) + u8(1) + u32(0) + u16(0x100) + u8(len(clip.streams)) + u8(0)
    for stream in clip.streams:
        program += u16(int(stream["id"], 16)) + u8(21) + attributes(stream).ljust(21, b"\0")
    program = section(program)
    coarse, fine, last = b"", b"", None
    for number, (time, packet) in enumerate(clip.entries):
        key = time >> 20, packet >> 17
        if key != last:
            coarse += u32(number << 14 | time >> 19 & 0x3FFF) + u32(packet)
            last = key
        fine += u32(1 << 28 | (time >> 9 & 0x7FF) << 17 | packet & 0x1FFFF)
    video = next(s for s in clip.streams if s["codec_type"] == "video")
    numbers = 1 << 34 | len(coarse) // 8 << 18 | len(clip.entries)
    head = u8(0) + u8(1) + u16(int(video["id"], 16)) + numbers.to_bytes(6, "big") + u32(14)
    map_ = section(u16(1) + head + u32(4 + len(coarse)) + coarse + fine)
    offsets = [40 + len(info)]
    for each in (sequence, program, map_):
        offsets.append(offsets[-1] + len(each))
    return (b"HDMV0200" + b"".join(u32(each) for each in offsets) + u32(0) + bytes(12) + info + sequence + program + map_
            + u32(0))


def checksum(data):
    """The CRC of program tables (ISO/IEC 13818-1, annex A)."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ 0x04C11DB7 if value & 0x80000000 else value << 1) & 0xFFFFFFFF
    return value


def without_stream(packet, pid):
    """The packet of a program table without the entry of a stream."""
    body = packet[8:]
    start = 1 + body[0]
    end = start + 3 + int.from_bytes(body[start + 1:start + 3], "big") % 4096
    table = body[start:end - 4]
    at = 12 + int.from_bytes(table[10:12], "big") % 4096
    while int.from_bytes(table[at + 1:at + 3], "big") % 8192 != pid:
        at += 5 + int.from_bytes(table[at + 3:at + 5], "big") % 4096
    table = bytearray(table[:at] + table[at + 5 + int.from_bytes(table[at + 3:at + 5], "big") % 4096:])
    table[1:3] = u16(0xB000 | len(table) + 4 - 3)
    whole = packet[:8] + body[:start] + bytes(table) + u32(checksum(table))
    return whole.ljust(PACKET, b"\xFF")


def with_core(path, lossless=0x1100, core=0x1101):
    """Moves the AC-3 stream of an m2ts file to the PID of the TrueHD stream, as on Blu-ray discs."""
    data, others, open_units = path.read_bytes(), [], {}
    units = []
    for number, at in enumerate(range(0, len(data), PACKET)):
        packet = data[at:at + PACKET]
        pid = int.from_bytes(packet[5:7], "big") % 8192
        begins = packet[5] & 0x40
        if pid not in (lossless, core):
            is_map = begins and pid == 0x100
            others.append((number, [without_stream(packet, core) if is_map else packet]))
            continue
        if begins:
            open_units[pid] = []
            units.append((number, open_units[pid]))
            if pid == core:
                # The extension of a PES packet's stream identifier (2.4.3.7) after a PTS: 0x76 is the core of TrueHD.
                place = packet.index(b"\x01\x81\x71", 12)
                packet = packet[:place + 2] + b"\x76" + packet[place + 3:]
        packet = packet[:5] + u16(packet[5] << 8 & 0xE000 | lossless) + packet[7:]
        open_units[pid].append(packet)
    counter = 0
    for _, packets in units:
        for place, packet in enumerate(packets):
            # Packets without a payload do not advance the continuity counter.
            counter += packet[7] >> 4 & 1
            packets[place] = packet[:7] + u8(packet[7] & 0xF0 | (counter - 1) % 16) + packet[8:]
    path.write_bytes(b"".join(packet for _, packets in sorted(others + units, key=lambda each: each[0]) for packet in packets))
    return path
