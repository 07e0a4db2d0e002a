# SPDX-License-Identifier: Apache-2.0
"""Builds presentation graphics (PGS), and overlays pictures on black, independently of the engine."""

import json
import math
import struct
import subprocess

from . import payloads

EPOCH, ACQUISITION, NORMAL = 0x80, 0x40, 0x00
CANVAS = (320, 180)


def segment(kind, payload):
    return struct.pack(">BH", kind, len(payload)) + payload


def composition(objects, state=EPOCH, number=0, canvas=CANVAS, palette=0):
    """`objects`: an (id, x, y, is_forced) tuple for each."""
    body = struct.pack(">HHBHBBBB", *canvas, 0x10, number, state, 0, palette, len(objects))
    for each, x, y, forced in objects:
        body += struct.pack(">HBBHH", each, 0, 0x40 if forced else 0, x, y)
    return segment(0x16, body)


def window(x, y, width, height):
    return segment(0x17, struct.pack(">BBHHHH", 1, 0, x, y, width, height))


def palette(entries, number=0):
    """`entries`: {index: (Y, Cr, Cb, alpha)}."""
    return segment(0x14, bytes([number, 0]) + b"".join(bytes([each, *entries[each]]) for each in entries))


def runs(rows):
    """Rows of palette entries, run-length coded as in US 7912305 B1."""
    out = bytearray()
    for row in rows:
        at = 0
        while at < len(row):
            end = at
            while end < len(row) and row[end] == row[at] and end - at < 16383:
                end += 1
            length, color = end - at, row[at]
            if color and length < 3:
                out += bytes([color] * length)
            else:
                flags = 0x80 if color else 0
                out += bytes([0, flags | length] if length < 64 else [0, flags | 0x40 | length >> 8, length & 255])
                out += bytes([color] if color else [])
            at = end
        out += b"\0\0"
    return bytes(out)


def picture(number, rows, cut=0):
    """One object; the last `cut` bytes of its data are missing."""
    data = runs(rows)
    body = struct.pack(">HBB", number, 0, 0xC0) + (len(data) + 4).to_bytes(3, "big")
    return segment(0x15, body + struct.pack(">HH", len(rows[0]), len(rows)) + data[:len(data) - cut])


END = segment(0x80, b"")

COLORS = {1: (235, 128, 128, 255), 2: (81, 240, 90, 255), 3: (145, 34, 54, 128), 4: (41, 110, 240, 60)}


def block(width, height, seed):
    """A block of stripes with a border of one colour, in which every position can be distinguished."""
    rows = [[1 + (x // 3 + y + seed) % 4 for x in range(width)] for y in range(height)]
    rows[0], rows[-1] = [1] * width, [1] * width
    for row in rows:
        row[0] = row[-1] = 1
    return rows


def shown(objects, state=EPOCH, number=0, **keywords):
    """A display set. `objects`: an (x, y, width, height, is_forced) tuple for each."""
    head = composition([(index, each[0], each[1], each[4]) for index, each in enumerate(objects)], state, number, **keywords)
    body = b"".join(picture(index, block(each[2], each[3], number + index)) for index, each in enumerate(objects))
    return head + window(0, 0, *keywords.get("canvas", CANVAS)) + palette(COLORS) + body + END


def of_pixels(pixels, x, y, number, canvas):
    """A display set with one object of RGBA pixels (premultiplied by alpha, in rows). Colours are rounded."""
    known, rows = {(0, 0, 0, 0): 0}, []
    for row in pixels.tolist():
        rows.append([])
        for red, green, blue, alpha in row:
            rounded = (0, 0, 0, 0)
            if alpha >= 32:
                rounded = (*(min(7, part * 255 // alpha >> 5) for part in (red, green, blue)), alpha >> 6)
            rows[-1].append(known.setdefault(rounded, len(known)))
    assert len(known) <= 255
    entries = {}
    for (red, green, blue, alpha), index in known.items():
        if index:
            red, green, blue = (part * 255 / 7 for part in (red, green, blue))
            luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
            parts = [16 + luma * 219 / 255, 128 + (red - luma) / 1.5748 * 224 / 255, 128 + (blue - luma) / 1.8556 * 224 / 255, (alpha + 1) * 64 - 1]
            entries[index] = tuple(min(255, max(0, round(part))) for part in parts)
    size = (len(rows[0]), len(rows))
    return (composition([(0, x, y, False)], EPOCH, number, canvas) + window(x, y, *size) + palette(entries) + picture(0, rows) + END)


def cleared(number=0, **keywords):
    return composition([], NORMAL, number, **keywords) + window(0, 0, *keywords.get("canvas", CANVAS)) + END


def file(sets):
    """A .sup file of (seconds, display set)."""
    out = b""
    for seconds, data in sets:
        at = 0
        while at < len(data):
            length = 3 + int.from_bytes(data[at + 1:at + 3], "big")
            out += b"PG" + struct.pack(">II", round(seconds * 90000), 0) + data[at:at + length]
            at += length
    return out


def video(path, seconds, canvas=CANVAS, rate=5, codec=("libx264", "-preset", "ultrafast", "-tune", "zerolatency")):
    """Black video with a keyframe every two seconds."""
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
                 f"color=black:s={canvas[0]}x{canvas[1]}:r={rate}:d={seconds}", "-pix_fmt", "yuv420p", "-c:v", *codec,
                 "-g", str(2 * rate), str(path))
    return path


def joined(out, *inputs, options=()):
    """Muxes all streams of several files into one file."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
    for each in inputs:
        command += ["-i", str(each)]
    for index in range(len(inputs)):
        command += ["-map", str(index)]
    payloads.run(*command, "-c", "copy", *options, str(out))
    return out


def overlaid(source, times, canvas, options=()):
    """The RGB that ffmpeg shows over black at each of the times, in their order, on the source's own clock."""
    width, height = canvas
    size = width * height * 3
    numbers = [math.ceil(round(time, 3) * 25) for time in times]
    assert numbers == sorted(set(numbers))
    wanted = "+".join(f"eq(n,{number})" for number in numbers)
    graph = f"[1:v]format=rgb24[b];[b][0:s:0]overlay=format=rgb,format=rgb24,select='{wanted}'"
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-copyts", *options, "-i", str(source), "-f", "lavfi", "-i",
         f"color=black:s={width}x{height}:r=25:d={times[-1] + 1}", "-filter_complex", graph,
         "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True, timeout=payloads.LIMIT)
    assert len(done.stdout) == len(times) * size, done.stderr.decode()
    return [done.stdout[place * size:(place + 1) * size] for place in range(len(times))]


def pixels(png, width, height):
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "png_pipe", "-i", "-", "-f", "rawvideo", "-pix_fmt", "rgba", "-"],
        input=png, capture_output=True, timeout=payloads.LIMIT, check=True).stdout
    assert len(raw) == width * height * 4
    return raw


def composed(images, canvas):
    """The RGB of cue pictures over black; their colors are premultiplied by alpha."""
    width, height = canvas
    out = bytearray(width * height * 3)
    for image in images:
        assert (image.canvas_width, image.canvas_height) == tuple(canvas)
        left, top = round(image.x * width), round(image.y * height)
        assert abs(image.extent_x * width - image.width) < 1e-6 and abs(image.extent_y * height - image.height) < 1e-6
        assert 0 <= left <= width - image.width and 0 <= top <= height - image.height
        raw = pixels(image.png, image.width, image.height)
        for row in range(image.height):
            for column in range(image.width):
                at = (row * image.width + column) * 4
                to = ((top + row) * width + left + column) * 3
                rest = 255 - raw[at + 3]
                for part in range(3):
                    out[to + part] = raw[at + part] + (out[to + part] * rest + 127) // 255
    return bytes(out)


def difference(first, second):
    """The largest difference of any sample."""
    assert len(first) == len(second)
    return 0 if first == second else max(abs(a - b) for a, b in zip(first, second))


def packets(path, stream="s:0"):
    """(time, size) of each packet."""
    raw = payloads.run("ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,size",
                       "-of", "json", str(path))
    return [(float(each["pts_time"]), int(each["size"])) for each in json.loads(raw)["packets"]]
