# SPDX-License-Identifier: Apache-2.0
"""Cues as the engine has them, and as ffmpeg writes them."""

import re
import subprocess

from .contract import subtitles_pb2
from .engine import PATIENCE

TIMING = re.compile(r"(\d+):(\d+):(\d+)[,.](\d+) --> (\d+):(\d+):(\d+)[,.](\d+)")


def lines_of(text):
    """Without what a player does not show: markup, spaces at the ends of lines, and empty lines at the ends."""
    text = re.sub(r"<[^>]*>|\{\\[^}]*\}", "", text).replace("\r", "")
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def parse(srt):
    """(start in ms, end in ms, text) of each cue of a SubRip text."""
    cues = []
    for block in re.split(r"\n\s*\n(?=\d+\n\d+:)", srt.replace("\r\n", "\n").strip()):
        lines = block.split("\n")
        place = next((number for number, line in enumerate(lines) if TIMING.search(line)), None)
        if place is None:
            continue
        times = [int(each) for each in TIMING.search(lines[place]).groups()]
        start, end = (((times[at] * 60 + times[at + 1]) * 60 + times[at + 2]) * 1000 + times[at + 3] for at in (0, 4))
        cues.append((start, end, lines_of("\n".join(lines[place + 1:]))))
    return cues


def by_ffmpeg(path, *options):
    """What ffmpeg makes of a file of subtitles."""
    run = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", *options, "-i", str(path), "-map", "0:s:0", "-f", "srt", "-"],
        check=True, capture_output=True)
    return parse(run.stdout.decode("utf-8", "replace"))


def read(engine, **request):
    """The tracks and all cues of one GetCues."""
    tracks, cues, progress = [], [], []
    for message in engine.stub.GetCues(subtitles_pb2.GetCuesRequest(**request), timeout=PATIENCE):
        tracks += message.tracks
        cues += message.cues
        progress.append(message.progress)
    assert progress == sorted(progress)
    assert progress[-1] == 1
    return tracks, cues


def shown(cues):
    """The same as `parse` gives."""
    return [(round(cue.start_us / 1000), round(cue.end_us / 1000), lines_of(cue.text.plain)) for cue in cues]
