# SPDX-License-Identifier: Apache-2.0
"""Authors DVDs: films that ffmpeg makes, put together by dvdauthor."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

RATES = {"pal": "25", "ntsc": "30000/1001"}
SIZES = {"pal": "352x288", "ntsc": "720x480"}


def film(path, source, tones, seconds=6, norm="pal", aspect="4:3", video=()):
    """MPEG-PS as DVDs have it, with a tone for each audio stream."""
    inputs = ["-f", "lavfi", "-i", f"{source}=size={SIZES[norm]}:rate={RATES[norm]}"]
    for tone in tones:
        inputs += ["-f", "lavfi", "-i", f"sine={tone}:sample_rate=48000"]
    maps = [each for number in range(len(tones) + 1) for each in ("-map", f"{number}")]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *inputs, "-t", str(seconds), *maps, "-c:v", "mpeg2video", "-b:v", "1200k", "-maxrate", "8000k",
         "-bufsize", "1835008", "-g", "12", "-bf", "2", "-aspect", aspect, *video, "-c:a", "ac3", "-b:a", "192k", "-ac", "2", "-f", "dvd",
         str(path)], check=True)
    return path


@dataclass
class Authored:
    root: Path
    # Where the chapters of each title begin, in seconds on the clocks of their films.
    chapters: list


def author(root, titles, norm="pal", aspect="4:3", languages=("en",), subtitles=()):
    """`titles`: by title set, each title as pairs of a film and the chapters in it."""
    text = f'<dvdauthor format="{norm}"><vmgm/>'
    for each in titles:
        text += f'<titleset><titles><video format="{norm}" aspect="{aspect}"/>'
        text += "".join(f'<audio lang="{language}"/>' for language in languages)
        text += "".join(f'<subpicture lang="{language}"/>' for language in subtitles)
        for title in each:
            text += "<pgc>" + "".join(f'<vob file="{path}" chapters="{chapters}"/>' for path, chapters in title) + "</pgc>"
        text += "</titles></titleset>"
    file = root.with_suffix(".xml")
    file.write_text(text + "</dvdauthor>")
    done = subprocess.run(["dvdauthor", "-o", root, "-x", file], check=True, capture_output=True, text=True,
                          env={**os.environ, "VIDEO_FORMAT": norm.upper()})
    found = re.findall(r"CHAPTERS: VTS\[(\d+)/(\d+)\] ([\d.]+)", done.stderr)
    return Authored(root, [(int(pgc), int(source), float(time)) for pgc, source, time in found])
