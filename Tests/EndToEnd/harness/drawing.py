# SPDX-License-Identifier: Apache-2.0
"""Subtitles as the engine draws them, and as ffmpeg draws them on the same frames."""

import functools
import subprocess
import textwrap

import numpy

from . import graphics
from .contract import subtitles_pb2
from .engine import PATIENCE

WIDTH, HEIGHT, RATE = 640, 360, 25
GREY = 96
# ffmpeg rounds every layer down, so its result is not quite a linear function of the grey below. That of an image is.
ROUNDING = 2
# By grey: the fraction of the samples that may differ by more than one level, of those that a script changes.
BEYOND = {0x00: 0.0005, 0x10: 0.005, 0x60: 0.0005, 0xEB: 0.003, 0xFF: 0.0005}

STYLES = """\
    [Script Info]
    ScriptType: v4.00+
    PlayResX: 640
    PlayResY: 360
    ScaledBorderAndShadow: yes

    [V4+ Styles]
    Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
    Style: Default,DejaVu Sans,24,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,1,2,10,10,10,1
    Style: Sign,DejaVu Serif,30,&H0000FFFF,&H000000FF,&H00402000,&H00000000,-1,0,0,0,100,100,0,0,1,1,0,7,0,0,0,1
    Style: Box,DejaVu Sans,20,&H30FFFFFF,&H000000FF,&H60800000,&H60800000,0,-1,0,0,100,100,0,0,3,4,0,8,10,10,10,1

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    """


def script(*events):
    return textwrap.dedent(STYLES) + "".join(f"Dialogue: {event}\n" for event in events)


def film(folder, text, *options, name="film.mkv", seconds=4):
    """A few seconds of grey with an ASS track. MP4 keeps exact frame times; Matroska keeps whole milliseconds, as
    scripts do."""
    (folder / "script.ass").write_text(text)
    path = folder / name
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", f"color=c=0x606060:size={WIDTH}x{HEIGHT}:rate={RATE}:duration={seconds}",
         "-i", "script.ass", "-map", "0", "-map", "1", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:s", "copy", *options, str(path)],
        check=True, cwd=folder, timeout=PATIENCE)
    return path


def reference(path, width=WIDTH, height=HEIGHT, grey=GREY):
    """Every frame as ffmpeg draws the script beside `path` on it: arrays of rows, columns and colours."""
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"color=c=0x{grey:02x}{grey:02x}{grey:02x}:size={width}x{height}:rate={RATE}:duration=4,format=gbrp",
         "-vf", f"ass={path.parent}/script.ass:original_size={WIDTH}x{HEIGHT},format=rgb24", "-f", "rawvideo", "-"],
        check=True, capture_output=True, timeout=PATIENCE).stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(-1, height, width, 3).astype(int)


def draw(engine, width=WIDTH, height=HEIGHT, frame_rate=0, **cues):
    request = subtitles_pb2.DrawSubtitlesRequest(
        cues=subtitles_pb2.GetCuesRequest(**cues), width=width, height=height, frame_rate=frame_rate)
    batches = list(engine.stub.DrawSubtitles(request, timeout=PATIENCE))
    return [picture for batch in batches for picture in batch.pictures], batches[0]


def at(pictures, time):
    return next((each for each in pictures if each.start_us <= time and (each.end_us == -1 or time < each.end_us)), None)


@functools.lru_cache(maxsize=4096)
def decoded(png, width, height):
    return numpy.frombuffer(graphics.pixels(png, width, height), numpy.uint8).reshape(height, width, 4)


def composed(picture, width=WIDTH, height=HEIGHT, grey=GREY):
    """The frame that viewers see: the images over grey."""
    frame = numpy.full((height, width, 3), float(grey))
    for image in picture.images if picture else []:
        pixels = decoded(image.png, image.width, image.height)
        x, y = round(image.x * width), round(image.y * height)
        part = frame[y:y + image.height, x:x + image.width]
        part[:] = part * (1 - pixels[:, :, 3:] / 255) + pixels[:, :, :3]
    return numpy.rint(frame).astype(int)
