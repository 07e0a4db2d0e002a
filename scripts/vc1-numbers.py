# SPDX-License-Identifier: Apache-2.0
"""Writes films of numbered frames as VC-1 (SMPTE 421M), for which ffmpeg has no encoder.

    vc1-numbers.py advanced|fields|main COUNT FILE

`advanced` and `fields` are elementary streams of the Advanced profile (`.vc1`); `fields` has two fields per frame, each
an I picture. `main` is WMV3, the Main profile, as RCV (Annex L). The frames are those of scripts/fixtures-numbered:
192x96, twelve bits as black and white blocks at the top, their complement below, 25 per second. In decoding order a
group is I, then repeatedly P and the two B pictures that are shown before it, some of them replaced by BI; the frames
of `advanced` and `main` are shown in the order of their numbers. Blocks are flat: intra blocks have only a DC
coefficient, all others copy their reference.
"""

import struct
import sys

WIDTH, HEIGHT, BITS = 192, 96, 12
MACROBLOCKS, ROWS = WIDTH // 16, HEIGHT // 16
GROUP, STEP = 24, 3
# PQINDEX 8 is PQUANT 8 (7.1.1.6), whose DC step is 10 (8.1.3.3): a value v ends 9 * 10 * v / 64 from the middle.
QUANTISER, EDGE = 8, 102
# Codes of DC differentials 0 and escape (tables 168 and 170, low motion), and of an intra macroblock without coefficients
# (MVDATA, table 0).
LUMA = ((1, 1), (0x6078F, 24))
CHROMA = ((0, 2), (0x60888F, 23))
INTRA = (13, 6)
RAW_PLANE = (0, 5)
# BFRACTION (table 40): one third, two thirds; and, in the Main profile, the code that turns B into BI.
FRACTIONS = {1: (1, 3), 2: (2, 3)}
BI = (127, 7)


class Bits:
    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, *codes):
        for value, count in codes:
            self.value = self.value << count | value
            self.count += count
        return self

    def bytes(self, stop):
        if stop:
            self.put((1, 1))
        spare = -self.count % 8
        return (self.value << spare).to_bytes((self.count + spare) // 8, "big")


class Plane:
    """The DC values of one colour, and whether each block is intra."""

    def __init__(self, width, height):
        self.width, self.values, self.intra = width, [0] * (width * height), [False] * (width * height)

    def predicted(self, x, y, everywhere):
        """8.1.3.2: predicts from the neighbour that differs less from the corner block. `everywhere` (I and BI pictures of
        the Main profile): blocks outside the picture have the middle value."""
        def at(x, y):
            inside = x >= 0 and y >= 0
            if everywhere:
                return self.values[y * self.width + x] if inside else EDGE
            return self.values[y * self.width + x] if inside and self.intra[y * self.width + x] else None

        above, left = at(x, y - 1), at(x - 1, y)
        corner = (at(x - 1, y - 1) or 0) if not everywhere else EDGE if x == 0 or y == 0 else at(x - 1, y - 1)
        if left is not None and (above is None or abs(above - corner) <= abs(corner - left)):
            return left
        return above or 0

    def put(self, bits, x, y, value, codes, everywhere):
        difference = value - self.predicted(x, y, everywhere)
        self.values[y * self.width + x], self.intra[y * self.width + x] = value, True
        bits.put(codes[bool(difference)])
        if difference:
            bits.put((abs(difference), 8), (difference < 0, 1))


def picture(number):
    """Whether each 8x8 block is white."""
    upper = [number >> bit & 1 for bit in range(BITS - 1, -1, -1) for _ in range(2)]
    return [upper] * 6 + [[1 - each for each in upper]] * 6


class Film:
    """The macroblocks of a picture, common to all three kinds of film."""

    main = False

    def levels(self, intra_picture):
        """Black, white and grey as DC values. Only in I and BI pictures of the Main profile is 0 black."""
        return (0, 200, 91) if self.main and intra_picture else (-100, 100, 0)

    def macroblocks(self, bits, blocks, kind, references=()):
        """`references`: what skipped macroblocks would show. The rows of `blocks` may be those of one field."""
        whole = kind in ("I", "BI")
        black, white, grey = self.levels(whole)
        luma, colours = Plane(2 * MACROBLOCKS, len(blocks)), [Plane(MACROBLOCKS, len(blocks) // 2) for _ in range(2)]
        for y in range(len(blocks) // 2):
            for x in range(MACROBLOCKS):
                places = [(2 * x, 2 * y), (2 * x + 1, 2 * y), (2 * x, 2 * y + 1), (2 * x + 1, 2 * y + 1)]
                same = references and all(each[v][u] == blocks[v][u] for each in references for u, v in places)
                if whole:
                    bits.put((1, 1), (0, 1))
                elif same:
                    bits.put((1, 1), *[(1, 1)] * (kind == "B"))
                    continue
                else:
                    bits.put((0, 1), *[(0, 1)] * (kind == "B"), INTRA, (0, 1))
                for u, v in places:
                    luma.put(bits, u, v, white if blocks[v][u] else black, LUMA, self.main and whole)
                for plane in colours:
                    plane.put(bits, x, y, grey, CHROMA, self.main and whole)

    def motion(self, bits, kind):
        """MVMODE, the planes, the tables."""
        bits.put((1, 1), *[RAW_PLANE] * (2 if kind == "B" else 1), (0, 2), (0, 2))


class Advanced(Film):
    def __init__(self, fields=False):
        self.fields = fields

    def unit(self, kind, body):
        """A bitstream data unit with its start code; start code emulation is prevented (Annex E)."""
        out, zeros = bytearray((0, 0, 1, kind)), 0
        for byte in body:
            if zeros >= 2 and byte <= 3:
                out.append(3)
                zeros = 0
            out.append(byte)
            zeros = zeros + 1 if byte == 0 else 0
        return bytes(out)

    def head(self):
        """The sequence header (6.1) and an entry point (6.2)."""
        sequence = Bits().put(
            (3, 2), (0, 3), (1, 2), (7, 3), (31, 5), (0, 1), (WIDTH // 2 - 1, 12), (HEIGHT // 2 - 1, 12), (0, 1),
            (self.fields, 1), (0, 1), (0, 1), (1, 1), (0, 1), (1, 1), (WIDTH - 1, 14), (HEIGHT - 1, 14), (1, 1), (1, 4),
            (1, 1), (0, 1), (2, 8), (1, 4), (0, 1), (0, 1))
        entry = Bits().put((0, 1), (1, 1), (0, 13), (0, 1))
        return self.unit(0x0F, sequence.bytes(True)) + self.unit(0x0E, entry.bytes(True))

    def whole(self, blocks, start):
        """An I or BI picture, or an I field. `start` has the first fields of its header (7.1), which differ between
        these."""
        bits = start.put((QUANTISER, 5), (0, 1), RAW_PLANE, (0, 1), (0, 1), (0, 1))
        self.macroblocks(bits, blocks, "I")
        return bits.bytes(True)

    def coded(self, kind, number, fraction=None, references=()):
        blocks = picture(number)
        if self.fields:
            field = blocks[::2]
            first = self.whole(field, Bits().put((3, 2), (0, 3), (0, 1), (0, 1)))
            return self.unit(0x0D, first) + self.unit(0x0C, self.whole(field, Bits()))
        bits = Bits().put({"P": (0, 1), "B": (2, 2), "I": (6, 3), "BI": (14, 4)}[kind], (0, 1))
        if kind in ("I", "BI"):
            return self.unit(0x0D, self.whole(blocks, bits))
        bits.put(*[fraction] * (kind == "B"), (QUANTISER, 5), (0, 1))
        self.motion(bits, kind)
        bits.put((0, 1), (0, 1))
        self.macroblocks(bits, blocks, kind, references)
        return self.unit(0x0D, bits.bytes(True))

    def file(self, pictures):
        return b"".join((self.head() if kind == "I" else b"") + body for kind, _, body in pictures)


class Main(Film):
    main = True
    # STRUCT_C (Annex J): Main profile, up to two B pictures, nothing else.
    STRUCT_C = Bits().put(
        (1, 2), (0, 2), (7, 3), (31, 5), (0, 3), (1, 1), (1, 1), (0, 1), (0, 2), (0, 5), (2, 3), (0, 2), (0, 1),
        (1, 1)).bytes(False)

    def coded(self, kind, number, fraction=None, references=()):
        bits = Bits().put((number % 4, 2), {"P": (1, 1), "I": (1, 2), "B": (0, 2), "BI": (0, 2)}[kind])
        if kind in ("B", "BI"):
            bits.put(fraction if kind == "B" else BI)
        if kind in ("I", "BI"):
            bits.put((0, 7))
        bits.put((QUANTISER, 5), (0, 1))
        if kind in ("P", "B"):
            self.motion(bits, kind)
            bits.put((0, 1), (0, 1))
        else:
            bits.put((0, 1), (0, 1), (0, 1))
        self.macroblocks(bits, picture(number), kind, references)
        return bits.bytes(False)

    def file(self, pictures):
        """Times are presentation times in 1/1000 s; the highest bit of a size marks random access points."""
        out = struct.pack("<II", len(pictures) | 0xC5 << 24, 4) + self.STRUCT_C
        out += struct.pack("<6I", HEIGHT, WIDTH, 12, 0, 0, 25)
        for kind, number, body in pictures:
            out += struct.pack("<II", len(body) | (kind == "I") << 31, number * 40) + body
        return out


def pictures(film, count):
    """[(kind, number, bytes)] in decoding order."""
    found, shown = [], None
    for number in range(0, count, 1 if film is None or getattr(film, "fields", False) else STEP):
        kind = "I" if number % GROUP == 0 or getattr(film, "fields", False) else "P"
        before, shown = shown, picture(number)
        found.append((kind, number, film.coded(kind, number, references=[before] if before else ())))
        if found[-1][0] == "I" and getattr(film, "fields", False) or number == 0:
            continue
        for step in range(1, STEP):
            between = number - STEP + step
            lesser = "BI" if between % 10 == 7 else "B"
            found.append((lesser, between, film.coded(lesser, between, FRACTIONS[step], (before, shown))))
    return found


def main(kind, count, name):
    film = {"advanced": Advanced, "fields": lambda: Advanced(fields=True), "main": Main}[kind]()
    with open(name, "wb") as out:
        out.write(film.file(pictures(film, int(count))))


main(*sys.argv[1:])
