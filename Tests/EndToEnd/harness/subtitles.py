# SPDX-License-Identifier: Apache-2.0
"""Cues as ffmpeg converts them, and as the engine returns them."""

import json
import re
import subprocess

from .contract import subtitles_pb2
from .engine import PATIENCE
from .places import ENGINECTL

BLOCK = re.compile(r"\d+\n(\S+) --> (\S+)[^\n]*\n(.*?)\n*\Z", re.DOTALL)


def microseconds(clock):
    hours, minutes, seconds = clock.replace(",", ".").split(":")
    return round((int(hours) * 3600 + int(minutes) * 60 + float(seconds)) * 1_000_000)


def blocks(text):
    """(start, end, text) of each block of SubRip."""
    found = [BLOCK.match(part) for part in re.split(r"\n\n+(?=\d+\n\d\d:)", text.strip() + "\n") if part.strip()]
    return [(microseconds(each[1]), microseconds(each[2]), each[3].strip("\n")) for each in found]


def converted(path, number=0, codec="text"):
    """The cues of a subtitle track as ffmpeg converts them, on the source's own clock."""
    command = ["ffmpeg", "-nostdin", "-v", "quiet", "-copyts", "-i", path, "-map", f"0:s:{number}", "-c:s", codec, "-f", "srt", "-"]
    output = subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=PATIENCE).stdout
    return blocks(output.decode("utf-8", "replace"))


def enginectl(*arguments, engine=None, check=True):
    socket = ["--socket", str(engine.socket)] if engine else []
    return subprocess.run(
        [ENGINECTL, arguments[0], *socket, *map(str, arguments[1:])], check=check, capture_output=True, text=True,
        timeout=PATIENCE * 2)


def listed(path, *options, engine=None):
    return json.loads(enginectl("cues", path, "--format", "json", *options, engine=engine).stdout)


def read(engine, **request):
    """All cues of a call, the tracks, and the reported progress."""
    cues, tracks, progress = [], [], []
    for batch in engine.stub.GetCues(subtitles_pb2.GetCuesRequest(**request), timeout=PATIENCE):
        cues += batch.cues
        tracks += batch.tracks
        progress.append(batch.progress)
    return cues, tracks, progress


def data(stream):
    return b"".join(chunk.data for chunk in stream)
