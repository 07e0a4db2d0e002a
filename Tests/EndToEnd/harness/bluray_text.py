# SPDX-License-Identifier: Apache-2.0
"""Text subtitles of Blu-ray discs (HDMV TextST): clips with one stream, beside those of the title."""

import struct
from dataclasses import dataclass

# The codes of charsets, and their names in Python.
CHARSETS = {1: "utf-8", 2: "utf-16-be", 3: "cp932", 4: "cp949", 5: "gb18030", 6: "gb2312", 7: "big5"}
BOLD, ITALIC = 1, 2
FIRST_PID = 0x1800
# When each clip begins on its own clock, in ticks of 45 kHz.
START = 7 * 45000


def u8(value): return struct.pack(">B", value)
def u16(value): return struct.pack(">H", value)
def u32(value): return struct.pack(">I", value)


@dataclass
class Style:
    """A region, with text at one of its edges."""
    top: int
    height: int
    # 1, 2, 3: left, centre, right.
    horizontal: int = 2
    # 1, 2, 3: top, middle, bottom.
    vertical: int = 3
    font: int = 0


@dataclass
class Dialog:
    # In seconds of the title.
    start: float
    end: float
    # Pieces of text with their fonts; a font of `None` is that of the style. Lines are separated by U+000A.
    pieces: list
    style: int = 1
    forced: bool = False

    @property
    def plain(self):
        return "".join(text for text, _ in self.pieces)


@dataclass
class Text:
    """One stream of a title."""
    language: str
    dialogs: list
    # By their numbers.
    styles: dict
    charset: int = 1

    def clip(self, pid, begin, end):
        """The clip for the item of the title from `begin` to `end`, in seconds."""
        own = [dialog for dialog in self.dialogs if begin <= dialog.start < end]
        payloads = [self.style_segment(len(own))] + [self.dialog_segment(dialog, begin) for dialog in own]
        return packets(payloads, pid)

    def style_segment(self, count):
        body = u16(0) + u8(len(self.styles)) + u8(0)
        for number, style in self.styles.items():
            body += u8(number) + u16(10) + u16(style.top) + u16(300) + u16(style.height) + bytes(2)
            body += u16(0) + u16(0) + u16(300) + u16(style.height)
            body += bytes([1, style.horizontal, style.vertical, 30, 0, style.font, 20, 1, 2, 1])
        return segment(0x81, body + u16(5) + bytes([1, 235, 128, 128, 255]) + u16(count))

    def dialog_segment(self, dialog, begin):
        times = [2 * START + round((time - begin) * 90000) for time in (dialog.start, dialog.end)]
        data = b""
        for text, font in dialog.pieces:
            data += element(0x0B, b"") if font is None else element(3, bytes([font, 2, 1]))
            for place, line in enumerate(text.split("\n")):
                data += element(0x0A, b"") if place else b""
                data += element(1, line.encode(CHARSETS[self.charset])) if line else b""
        region = u8(0x40 if dialog.forced else 0) + u8(dialog.style) + u16(len(data)) + data
        return segment(0x82, b"".join(time.to_bytes(5, "big") for time in times) + u8(0) + u8(1) + region)


def segment(kind, body):
    return u8(kind) + u16(len(body)) + body


def element(kind, body):
    return u8(0x1B) + u8(kind) + u8(len(body)) + body


def packets(payloads, pid):
    """Packets of 192 bytes, with a PES packet (private stream 2) for each payload."""
    found, counter = b"", 0
    for payload in payloads:
        unit, begins = b"\0\0\1\xBF" + u16(len(payload)) + payload, 0x40
        while unit:
            part, unit = unit[:184], unit[184:]
            filling = 184 - len(part)
            field = u8(filling - 1) + (u8(0) + b"\xFF" * (filling - 2) if filling > 1 else b"") if filling else b""
            head = bytes([0x47, begins | pid >> 8, pid & 0xFF, (0x30 if filling else 0x10) | counter])
            found += bytes(4) + head + field + part
            begins, counter = 0, (counter + 1) % 16
    return found


def table_entries(texts):
    """The entries for text subtitles in a table of streams."""
    return b"".join(u8(9) + u8(2) + u8(number) + u8(0) + u16(FIRST_PID + number) + bytes(4)
                    + u8(5) + u8(0x92) + u8(text.charset) + text.language.encode() for number, text in enumerate(texts))


def sub_paths(names, items):
    """The sub-paths of a playlist. `names`: for each stream, the names of its clips, one for each item."""
    paths = b""
    for clips in names:
        path = u8(0) + u8(4) + u16(0) + u8(0) + u8(len(clips))
        for place, (name, item) in enumerate(zip(clips, items)):
            body = name.encode() + b"M2TS" + u32(2) + u8(0) + u32(START) + u32(START + item.end - item.start) + u16(place) + u32(item.start)
            path += u16(len(body)) + body
        paths += u32(len(path)) + path
    return paths
