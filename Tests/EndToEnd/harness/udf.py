# SPDX-License-Identifier: Apache-2.0
"""Writes images of folders in UDF 2.50, as on Blu-ray discs: descriptors and directories are in a metadata partition.
No tool in Debian writes UDF 2.50."""

from dataclasses import dataclass, field
from pathlib import Path

SIZE = 2048
START = 288
# Blocks per extent of the metadata partition, and where its two extents begin in the physical one; the second lies
# before the first.
RUN, RUNS = 200, (400, 32)
CONTENT = 700


def le(value, count):
    return int(value).to_bytes(count, "little")


def crc(data):
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def tagged(kind, body):
    tag = le(kind, 2) + le(3, 2) + bytes(4) + le(crc(body), 2) + le(len(body), 2) + bytes(4)
    return tag[:4] + bytes([sum(tag) & 0xFF]) + tag[5:] + body


def short(count, block):
    return le(count, 4) + le(block, 4)


def long(count, block, partition):
    return short(count, block) + le(partition, 2) + bytes(6)


def entry(kind, count, allocation, extents):
    icb = bytes(4) + le(4, 2) + bytes(2) + le(1, 2) + bytes([0, kind]) + bytes(6) + le(allocation, 2)
    return tagged(266, icb + bytes(20) + le(count, 8) * 2 + bytes(128 + 8) + le(0, 4) + le(len(extents), 4) + extents)


@dataclass
class Image:
    path: Path
    # The maximum size of an extent, in bytes.
    largest: int
    # The number of unused blocks after each extent, as if other files occupied them.
    gap: int
    structures: list = field(default_factory=lambda: [b""])
    content: list = field(default_factory=list)
    blocks: int = 0

    def claim(self, *bodies):
        self.structures += bodies
        return len(self.structures) - len(bodies)

    def add_file(self, source):
        data, extents = source.read_bytes(), b""
        for start in range(0, len(data), self.largest):
            part = data[start:start + self.largest]
            extents += long(len(part), CONTENT + self.blocks, 0)
            self.content.append((self.blocks, part))
            self.blocks += (len(part) + SIZE - 1) // SIZE + self.gap
        return self.claim(entry(5, len(data), 1, extents))

    def add_folder(self, folder):
        names = b""
        place = self.claim(b"")
        for each in [None, *sorted(folder.iterdir())]:
            name = b"" if each is None else b"\x10" + each.name.encode("utf-16-be")
            inner = place if each is None else self.add_folder(each) if each.is_dir() else self.add_file(each)
            flags = 10 if each is None else 2 if each.is_dir() else 0
            body = le(1, 2) + bytes([flags, len(name)]) + long(SIZE, inner, 1) + le(0, 2) + name
            names += tagged(257, body + bytes(-(16 + len(body)) % 4))
        parts = [names[at:at + SIZE] for at in range(0, len(names), SIZE)]
        self.structures[place] = entry(4, len(names), 0, short(len(names), self.claim(*parts)))
        return place

    def write(self, root):
        top = self.add_folder(Path(root))
        assert len(self.structures) <= 2 * RUN, "more structures than the metadata partition has blocks"
        self.structures[0] = tagged(256, bytes(384) + long(SIZE, top, 1) + bytes(96))
        sectors = {16: b"\0BEA01\1", 17: b"\0NSR03\1", 18: b"\0TEA01\1"}
        size = CONTENT + self.blocks
        sectors[32] = tagged(5, bytes(6) + le(0, 2) + bytes(164) + le(START, 4) + le(size, 4) + bytes(100))
        label = b"\x08FILM"
        maps = bytes([1, 6, 1, 0, 0, 0]) + bytes([2, 64, 0, 0, 0]) + b"*UDF Metadata Partition" + bytes(8)
        maps += le(1, 2) + le(0, 2) + le(0, 4) + le(1, 4) + bytes(16)
        domain = b"\0" + b"*OSTA UDF Compliant".ljust(23, b"\0") + le(0x250, 2) + bytes(6)
        sectors[33] = tagged(6, bytes(68) + label.ljust(127, b"\0") + le(len(label), 1) + le(SIZE, 4) + domain
                             + long(SIZE, 0, 1) + le(len(maps), 4) + le(2, 4) + bytes(168) + maps)
        sectors[34] = tagged(8, bytes(496))
        sectors[256] = tagged(2, le(16 * SIZE, 4) + le(32, 4) + bytes(488))
        runs = b"".join(short(RUN * SIZE, at) for at in RUNS)
        # The metadata file and its mirror.
        for block in (0, 1):
            sectors[START + block] = entry(250, 2 * RUN * SIZE, 0, runs)
        for number, body in enumerate(self.structures):
            sectors[START + RUNS[number // RUN] + number % RUN] = body
        with open(self.path, "wb") as file:
            for sector, body in sectors.items():
                assert len(body) <= SIZE, sector
                file.seek(sector * SIZE)
                file.write(body)
            for block, part in self.content:
                file.seek((START + CONTENT + block) * SIZE)
                file.write(part)
            file.truncate((START + size) * SIZE)
        return self.path


def image(path, root, largest=301 * SIZE, gap=1):
    """Files have extents of at most `largest` bytes, by default not a multiple of the packet size. The gaps between
    extents are sparse."""
    return Image(path, largest, gap).write(root)
