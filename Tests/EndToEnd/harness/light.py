# SPDX-License-Identifier: Apache-2.0
"""Colour conversions as the standards define them, and films of coloured squares. Independent of the engine and its
libraries."""

import math
import struct

from . import payloads

SIDE = 64
# ITU-R BT.2087: linear BT.709 to BT.2020.
WIDE = [[0.6274039, 0.3292830, 0.0433131], [0.0690973, 0.9195404, 0.0113623], [0.0163914, 0.0880133, 0.8955953]]
# Linear BT.2020 to the LMS responses of Hunt, Pointer and Estevez (ITU-R BT.2100, without crosstalk). Dolby Vision adds
# the crosstalk.
CONES = [[0.4407971, 0.5353588, 0.0238207], [0.1619807, 0.7586272, 0.0793739], [0.0, 0.0257766, 0.9741964]]
# The matrices of every profile 5 stream, in steps of 2^-13 and 2^-14.
NONLINEAR = [8192, 799, 1681, 8192, -933, 1091, 8192, 267, -5545]
MIXED = [17081, -349, -349, -349, 17081, -349, -349, -349, 17081]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def inverse(m):
    def minor(r, c):
        (a, b), (x, y) = ((r + 1) % 3, (r + 2) % 3), ((c + 1) % 3, (c + 2) % 3)
        return m[a][x] * m[b][y] - m[a][y] * m[b][x]

    determinant = sum(m[0][c] * minor(0, c) for c in range(3))
    return [[minor(c, r) / determinant for c in range(3)] for r in range(3)]


def rows(values, unit):
    return [[value / unit for value in values[at:at + 3]] for at in (0, 3, 6)]


def pq_code(light):
    """SMPTE ST 2084: cd/m² to a code from 0 to 1."""
    power = (max(light, 0) / 10000) ** 0.1593017578125
    return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375


def hlg_light(codes):
    """ITU-R BT.2100: codes to cd/m² on a display of 1000 cd/m²."""
    scene = [c * c / 3 if c <= 0.5 else (math.exp((c - 0.55991073) / 0.17883277) + 0.28466892) / 12 for c in codes]
    luminance = times([[0.2627, 0.6780, 0.0593]], scene)[0]
    return [1000 * luminance ** 0.2 * each for each in scene]


def tone_mapped(wide, peak=1000):
    """BT.2020 light in cd/m² to 8-bit BT.709 codes: Hable's curve applied to the brightest component."""
    def hable(x):
        return (x * (0.15 * x + 0.05) + 0.004) / (x * (0.15 * x + 0.50) + 0.06) - 0.02 / 0.30

    light = times(inverse(WIDE), [each / 100 for each in wide])
    brightest = max(*light, 1e-6)
    factor = hable(brightest) / hable(peak / 100) / brightest
    return [255 * min(max(each * factor, 0), 1) ** (1 / 2.4) for each in light]


def ipt(light):
    """BT.2020 light in cd/m² to the IPT signal of Dolby Vision profile 5; P and T are centred on 0.5."""
    mixed = times(inverse(rows(MIXED, 16384)), times(CONES, light))
    i, p, t = times(inverse(rows(NONLINEAR, 8192)), [pq_code(each) for each in mixed])
    return [i, p + 0.5, t + 0.5]


GREYS = [[each] * 3 for each in (0.5, 5, 18, 58, 100, 203, 400, 800, 1000)]
SKINS = [[0.78, 0.57, 0.44], [0.55, 0.37, 0.27], [0.35, 0.21, 0.14], [0.92, 0.76, 0.66]]
PRIMARIES = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
# BT.2020 light in cd/m².
SCENE = GREYS + [times(WIDE, [203 * c ** 2.4 for c in skin]) for skin in SKINS]
SCENE += [times(WIDE, [100 * c for c in primary]) for primary in PRIMARIES]
# R'G'B' of BT.709.
STANDARD = [[each] * 3 for each in (0.06, 0.2, 0.4, 0.5, 0.75, 1)] + SKINS[:3]
STANDARD += [[0.9, 0.1, 0.1], [0.1, 0.8, 0.15], [0.1, 0.15, 0.9]]
# The number of leading patches in which no component is near black: near black, differences between codes are too small
# to be seen.
PLAIN = len(GREYS) + len(SKINS)


def film(path, patches, filters, *encoding, frames=25, planes=(1, 2, 0), form="gbrp16le"):
    """Makes a film of squares side by side, one per patch. `planes`: for each plane, the index of its component;
    components are from 0 to 1."""
    raw = path.with_suffix(".planes")
    with open(raw, "wb") as file:
        for component in planes:
            row = b"".join(struct.pack("<H", round(min(max(each[component], 0), 1) * 65535)) * SIDE for each in patches)
            file.write(row * SIDE)
    colors = "setparams=colorspace=gbr:color_primaries=bt709:color_trc=bt709:range=pc,"
    payloads.run(
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", form, "-color_range", "pc", "-s",
        f"{len(patches) * SIDE}x{SIDE}", "-i", str(raw), "-vf", (colors if form[0] == "g" else "") + filters
        + f",loop=loop={frames - 1}:size=1", *encoding, str(path))
    raw.unlink()
    return path


def hevc(more):
    return ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", f"log-level=none:lossless=1:keyint=12:{more}"]


def samples(path, filters="format=rgb24"):
    """The first frame of a file: red, green, blue of each pixel."""
    return payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-frames:v", "1", "-vf", filters, "-pix_fmt",
                        "rgb24", "-f", "rawvideo", "-")


def centres(data, count):
    """The colours at the centres of `count` squares."""
    side = round(math.sqrt(len(data) / 3 / count))
    assert side * side * count * 3 == len(data), (len(data), count)
    places = [(side // 2 * side * count + square * side + side // 2) * 3 for square in range(count)]
    return [list(data[place:place + 3]) for place in places]


def max_difference(one, other):
    """The largest difference of any component, in 8-bit codes."""
    assert len(one) == len(other)
    return max(abs(a - b) for x, y in zip(one, other) for a, b in zip(x, y))
