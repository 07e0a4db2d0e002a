# SPDX-License-Identifier: Apache-2.0
"""Reads Dolby Vision RPUs (ETSI GS CCM 001) into fields and writes them, independently of the engine's own reader."""

import dataclasses


class Bits:
    def __init__(self, data=b""):
        self.text = "".join(f"{byte:08b}" for byte in data)
        self.place = 0

    def u(self, count):
        value = int(self.text[self.place : self.place + count] or "0", 2)
        self.place += count
        assert self.place <= len(self.text), "the unit ends in the middle of a field"
        return value

    def ue(self):
        zeros = self.text.index("1", self.place) - self.place
        self.place += zeros
        return self.u(zeros + 1) - 1

    def put(self, value, count):
        self.text += f"{value & (1 << count) - 1:0{count}b}" if count else ""

    def put_ue(self, value):
        code = f"{value + 1:b}"
        self.text += "0" * (len(code) - 1) + code

    def align(self):
        self.text += "0" * (-len(self.text) % 8)

    def bytes(self):
        self.align()
        return bytes(int(self.text[i : i + 8], 2) for i in range(0, len(self.text), 8))


def shifted(value):
    """The remainder after eight more bits."""
    for _ in range(8):
        value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return value


REMAINDERS = [shifted(byte << 24) for byte in range(256)]


def crc(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value << 8 & 0xFFFFFFFF ^ REMAINDERS[value >> 24 ^ byte]
    return value


def unescape(unit):
    out, zeros = bytearray(), 0
    for byte in unit:
        if zeros >= 2 and byte == 3:
            zeros = 0
            continue
        zeros = zeros + 1 if byte == 0 else 0
        out.append(byte)
    return bytes(out)


def escape(payload):
    out = bytearray()
    for byte in payload:
        if out[-2:] == b"\0\0" and byte < 4:
            out.append(3)
        out.append(byte)
    return bytes(out)


STRAIGHT = [(0, [(0, 0), (1, 0)])]  # one polynomial, 0 + 1 x: the integers as code numbers of Exp-Golomb codes
MINIMAL = [(0, [(1, 0), (0, 0), (0, 0)])] * 3
FULL = [(512, [(0, 1024), (1, 2048), (0, 77)])] * 3
MATRICES = [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0, 1 << 24, 1 << 27, 1 << 27]
MATRICES += [7222, 8771, 390, 2654, 12430, 1300, 0, 422, 15962]
WIDTHS = [16] * 9 + [32] * 3 + [16] * 9


@dataclasses.dataclass
class Rpu:
    head: tuple  # format, profile, level
    denominator: int
    full_range: int
    depths: list
    resampling: int
    no_residual: int
    mapping: tuple | None  # three numbers, pivots, partitions, pieces of each curve
    residual: list | None
    color: list | None  # three numbers, 21 numbers of the matrices, the remaining bits as text
    rest: bytes

    @property
    def profile(self):
        if self.head[1] == 0:
            return 5
        return 7 if self.resampling and not self.no_residual else 8

    @property
    def is_full(self):
        return self.residual is not None and self.residual != MINIMAL

    @classmethod
    def read(cls, unit):
        """Parses a NAL unit with its header. Syntax that no encoder writes today is not supported."""
        data = unescape(unit)
        assert data[0] >> 1 & 63 == 62 and data[2] == 0x19, data[:3].hex()
        data = data[3:].rstrip(b"\0")
        assert data[-1] == 0x80 and crc(data[:-5]) == int.from_bytes(data[-5:-1], "big"), "checksum"
        bits = Bits(data[:-5])
        assert bits.u(6) == 2
        head = (bits.u(11), bits.u(4), bits.u(4))
        assert bits.u(1) == 1 and bits.u(1) == 0 and bits.u(2) == 0
        denominator = bits.ue()
        assert bits.u(2) == 1
        full_range = bits.u(1)
        depths = [bits.ue(), bits.ue(), bits.ue()]
        assert bits.u(4) == 0
        resampling, no_residual = bits.u(1), bits.u(1)
        has_color, uses_earlier = bits.u(1), bits.u(1)
        assert uses_earlier == 0
        numbers = [bits.ue(), bits.ue(), bits.ue()]
        pivots = [[bits.u(depths[0] + 8) for _ in range(bits.ue() + 2)] for _ in range(3)]
        if not no_residual:
            assert [bits.u(3), bits.u(depths[0] + 8), bits.u(depths[0] + 8)] == [0, 0, 1023]
        partitions = [bits.ue(), bits.ue()]

        def number():
            return bits.ue(), bits.u(denominator)

        def piece():
            if bits.ue() == 0:
                order = bits.ue() + 1
                assert order == 2 or bits.u(1) == 0
                return 0, [number() for _ in range(order + 1)]
            order = bits.u(2) + 1
            return order, [number() for _ in range(1 + 7 * order)]

        curves = [[piece() for _ in list_[1:]] for list_ in pivots]
        residual = None
        if not no_residual:
            residual = [(bits.u((depths[1] & 255) + 8), [number() for _ in range(3)]) for _ in range(3)]
        color = None
        if has_color:
            color = [bits.ue(), bits.ue(), bits.ue()]
            for width in WIDTHS:
                value = bits.u(width)
                color.append(value - (1 << 16) if width == 16 and value >> 15 else value)
            start = bits.place
            bits.u(16 * 3 + 32 + 5 + 6 + 34)
            bits.ue()
            color.append(bits.text[start : bits.place])
        assert bits.u(-bits.place % 8) == 0
        mapping = (numbers, pivots, partitions, curves)
        return cls(head, denominator, full_range, depths, resampling, no_residual, mapping, residual, color,
                   data[bits.place // 8 : -5])

    def unit(self):
        bits = Bits()
        bits.put(2, 6)
        for value, width in zip(self.head, (11, 4, 4)):
            bits.put(value, width)
        bits.put(0b1000, 4)
        bits.put_ue(self.denominator)
        bits.put(1, 2)
        bits.put(self.full_range, 1)
        for value in self.depths:
            bits.put_ue(value)
        bits.put(0, 4)
        for flag in (self.resampling, self.no_residual, self.color is not None, 0):
            bits.put(int(flag), 1)
        numbers, pivots, partitions, curves = self.mapping
        for value in numbers:
            bits.put_ue(value)
        for places in pivots:
            bits.put_ue(len(places) - 2)
            for place in places:
                bits.put(place, self.depths[0] + 8)
        if self.residual:
            bits.put(1023, 3 + 2 * (self.depths[0] + 8))
        for value in partitions:
            bits.put_ue(value)
        for order, values in (piece for curve in curves for piece in curve):
            bits.put_ue(min(order, 1))
            if order:
                bits.put(order - 1, 2)
            else:
                bits.put_ue(len(values) - 2)
                bits.put(0, 3 - len(values))
            for whole, fraction in values:
                bits.put_ue(whole)
                bits.put(fraction, self.denominator)
        for offset, values in self.residual or []:
            bits.put(offset, (self.depths[1] & 255) + 8)
            for whole, fraction in values:
                bits.put_ue(whole)
                bits.put(fraction, self.denominator)
        if self.color:
            for value in self.color[:3]:
                bits.put_ue(value)
            for value, width in zip(self.color[3:24], WIDTHS):
                bits.put(value, width)
            bits.text += self.color[24]
        body = bits.bytes() + self.rest
        return b"\x7c\x01" + escape(b"\x19" + body + crc(body).to_bytes(4, "big") + b"\x80")

    def profile8(self):
        """Applies mode 2 of dovi_tool, field by field."""
        numbers, pivots, _, curves = self.mapping
        if self.is_full:
            pivots, curves = [[0, 1023]] * 3, [STRAIGHT] * 3
        color = None
        if self.color:
            tail = self.color[24]
            color = self.color[:3] + MATRICES + [tail[:85] + "00" + tail[87:]]
        return dataclasses.replace(
            self, resampling=0, no_residual=1, mapping=(numbers, pivots, [0, 0], curves), residual=None, color=color
        )

    def profile7(self, residual):
        """This profile 8 RPU converted to profile 7, as on a disc with an enhancement layer, with other curves and
        colour matrices."""
        numbers, _, _, _ = self.mapping
        pivots = [[64, 448, 428], [0, 1023], [0, 1023]]
        bent = [(0, [(1, 5), (4, 17), (2, 4)]), (0, [(0, 3), (2, 99)])]
        matrices = [(code % 21, 1000 + code) for code in range(22)]
        color = self.color and self.color[:3] + [value + 7 for value in MATRICES] + [self.color[24]]
        return dataclasses.replace(
            self, resampling=1, no_residual=0, residual=residual, color=color,
            mapping=(numbers, pivots, [0, 0], [bent, STRAIGHT, [(3, matrices)]])
        )
