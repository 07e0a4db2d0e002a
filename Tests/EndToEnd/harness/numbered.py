# SPDX-License-Identifier: Apache-2.0
"""Films whose frames show their number (scripts/fixtures-numbered), and a reader for the number."""

import bisect
import functools
import json
import subprocess

from .places import FIXTURES

WIDTH, HEIGHT, BITS = 192, 96, 12


def film(name):
    path = FIXTURES / "numbered" / name
    assert path.exists(), f"{name} is missing: run scripts/fixtures"
    return path


def read(grey, width=WIDTH, left=0, top=0, lower=True):
    """The number shown in a frame of one byte per pixel. `None` if it cannot be read. `lower`: whether the lower half
    has the complement."""
    number = 0
    for bit in range(BITS):
        x = left + bit * 16 + 8
        high, low = grey[(top + 24) * width + x], grey[(top + 72) * width + x]
        if not lower:
            low = 255 - high
        if abs(high - low) < 60:
            return None
        number = number << 1 | (high > low)
    return number


def greys(files, codec):
    """Frames of one byte per pixel, from the bytes of image files of one size and format."""
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "image2pipe", "-c:v", codec, "-i", "pipe:0", "-vsync",
         "passthrough", "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1"],
        input=b"".join(files), capture_output=True, check=True)
    return done.stdout


def numbers(files, codec="png"):
    raw, size = greys(files, codec), WIDTH * HEIGHT
    assert len(raw) == size * len(files), "not every still is a picture of the film's size"
    return [read(raw[start:start + size]) for start in range(0, len(raw), size)]


@functools.cache
def keyframes(path):
    """The times of the keyframes, in seconds from the first frame, as ffprobe reports them."""
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,flags", "-of", "json",
         str(path)], capture_output=True, check=True)
    packets = json.loads(done.stdout)["packets"]
    first = min(float(each["pts_time"]) for each in packets)
    return sorted(float(each["pts_time"]) - first for each in packets if "K" in each["flags"])


def keyframe(path, seconds):
    times = keyframes(path)
    return times[max(0, bisect.bisect_right(times, seconds + 1e-6) - 1)]
