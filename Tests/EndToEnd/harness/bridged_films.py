# SPDX-License-Identifier: Apache-2.0
"""Films in formats that browsers do not decode. Their frames show their number, and a beep begins with some of them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy

from . import dvd, numbered
from .places import FIXTURES

FRAMES, RATE = 150, 48_000
PAL, FILM, NTSC = (1, 25), (1001, 24000), (1001, 30000)
# How long each frame of a screen that is captured stays, in thirtieths of a second.
HELD = (1, 1, 1, 7, 2, 20, 1, 3)
# Between two beeps there is at least one second, and a beep lasts for 100 ms.
PAUSE, BEEP = 1.0, 0.1
HDR10 = ("log-level=none:hdr10=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:master-display="
         "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)")
MPEG2 = ["-c:v", "mpeg2video", "-g", "15", "-bf", "2", "-q:v", "3"]
FIELDS = [*MPEG2, "-flags", "+ilme+ildct", "-top", "1"]


@dataclass(frozen=True)
class Film:
    """`numbers`: what the frames show; `times`: when, in seconds from the first frame."""

    path: Path
    numbers: list
    times: list

    @property
    def marks(self):
        """The places of the frames with which a beep begins."""
        found, last = [], -PAUSE / 2
        for place, time in enumerate(self.times):
            if time - last >= PAUSE:
                found.append(place)
                last = time
        return found

    @property
    def seconds(self):
        return self.times[-1] + self.times[1] - self.times[0]


def picture(number):
    """One byte per pixel, as `numbered.read` reads it."""
    bits = numpy.array([255 if number >> bit & 1 else 0 for bit in range(numbered.BITS - 1, -1, -1)], numpy.uint8)
    row = numpy.repeat(bits, numbered.WIDTH // numbered.BITS)
    half = numbered.HEIGHT // 2
    return numpy.concatenate((numpy.tile(row, (half, 1)), numpy.tile(255 - row, (half, 1))))


def woven(top, bottom):
    """A frame of two fields."""
    frame = picture(top)
    frame[1::2] = picture(bottom)[1::2]
    return frame


def beeps(film):
    """Samples in stereo that are silent but for the beeps."""
    samples = numpy.zeros(round(film.seconds * RATE), "<i2")
    tone = (20_000 * numpy.sin(2 * numpy.pi * 1000 * numpy.arange(round(BEEP * RATE)) / RATE)).astype("<i2")
    for mark in film.marks:
        at = round(film.times[mark] * RATE)
        samples[at:at + len(tone)] = tone[:len(samples) - at]
    return numpy.repeat(samples, 2).tobytes()


def evenly(step, count=FRAMES):
    return [number * step[0] / step[1] for number in range(count)]


def telecined(count):
    """The film frame that each field shows: frames are shown for two and three fields in turn."""
    return [number for number in range(count) for _ in range(2 + number % 2)]


def encode(film, frames, step, *coding, filters="null"):
    """Writes the frames and the beeps. `step`: the duration of a frame of the input, as a fraction of a second."""
    raw = film.path.with_name(f"{film.path.name}.raw")
    raw.write_bytes(b"".join(frame.tobytes() for frame in frames))
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "rawvideo", "-pixel_format", "gray", "-video_size",
         f"{numbered.WIDTH}x{numbered.HEIGHT}", "-framerate", f"{step[1]}/{step[0]}", "-i", raw, "-f", "s16le", "-ar", str(RATE), "-ac", "2",
         "-i", "pipe:", "-map", "0:v", "-map", "1:a", "-vf", filters, *coding, film.path],
        input=beeps(film), check=True)
    raw.unlink()
    return film


def plain(path, step, *coding, count=FRAMES):
    """Each frame as long as the one before it."""
    film = Film(path, list(range(count)), evenly(step, count))
    return encode(film, map(picture, film.numbers), step, *coding)


def interlaced(path):
    """Both fields of a frame show numbers of their own. Three numbers pass from one frame to the next, so that every bit changes
    often: otherwise a deinterlacer would be right to weave."""
    film = Film(path, [3 * number for number in range(FRAMES)], evenly(PAL))
    return encode(film, [woven(each, each + 1) for each in film.numbers], PAL, *FIELDS, "-pix_fmt", "yuv420p", "-c:a", "mp2", "-b:a", "192k")


def repeated_fields(path):
    """A film on a DVD: progressive frames, of which the decoder repeats some fields. With noise, frames are larger than a PES
    packet, so that each has its own timestamp."""
    film = Film(path, list(range(FRAMES)), [dvd.film_time(number) / 90000 for number in range(FRAMES)])
    encode(film, map(picture, film.numbers), FILM, *MPEG2, "-maxrate", "8M", "-bufsize", "1835008", "-pix_fmt", "yuv420p", "-c:a", "ac3",
           "-b:a", "192k", "-f", "dvd", filters="noise=alls=50:allf=t")
    dvd.pulldown(path)
    return film


def recorded_fields(path):
    """A film that was broadcast: interlaced video, in which two of five frames mix two frames of the film."""
    fields = telecined(FRAMES * 4 // 5)
    pairs = list(zip(fields[::2], fields[1::2]))
    film = Film(path, [top for top, _ in pairs], evenly(NTSC, len(pairs)))
    return encode(film, [woven(*pair) for pair in pairs], NTSC, *FIELDS, "-pix_fmt", "yuv420p", "-c:a", "ac3", "-b:a", "192k")


def captured(path):
    """A screen: frames as they change, in 4:4:4."""
    starts, total = [0], sum(HELD)
    for number in range(FRAMES - 1):
        starts.append(starts[-1] + HELD[number % len(HELD)])
    film = Film(path, list(range(FRAMES)), [start / 30 for start in starts])
    steps = "+".join(f"gte(mod(N,{len(HELD)}),{place + 1})*{length}" for place, length in enumerate(HELD[:-1]))
    return encode(film, map(picture, film.numbers), (1, 30), "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv444p", "-g", "40", "-c:a",
                  "aac", filters=f"settb=1/30,setpts='floor(N/{len(HELD)})*{total}+{steps}'")


def vc1(path):
    """The numbered film of scripts/fixtures-vc1, because there is no encoder."""
    count = 250
    film = Film(path, list(range(count)), evenly(PAL, count))
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", FIXTURES / "vc1" / "advanced.mp4", "-f", "s16le", "-ar", str(RATE), "-ac", "2", "-i", "pipe:",
         "-map", "0:v", "-map", "1:a", "-frames:v", str(count), "-c:v", "copy", "-c:a", "ac3", path], input=beeps(film), check=True)
    return film


# By name: the suffix of the container, and what makes the film.
FILMS = {
    "HEVC, 10 bits, HDR10": (".mkv", lambda path: plain(
        path, FILM, "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020", "-color_trc",
        "smpte2084", "-colorspace", "bt2020nc", "-x265-params", HDR10, "-g", "48", "-c:a", "eac3")),
    "MPEG-2, interlaced": (".ts", interlaced),
    "MPEG-2, repeated fields": (".mpg", repeated_fields),
    "MPEG-2, telecined": (".ts", recorded_fields),
    "VC-1": (".m2ts", vc1),
    "MPEG-4 ASP": (".avi", lambda path: plain(
        path, PAL, "-c:v", "mpeg4", "-vtag", "XVID", "-bf", "2", "-g", "60", "-q:v", "3", "-c:a", "libmp3lame", "-b:a", "128k")),
    "VP8 in AVI": (".avi", lambda path: plain(
        path, PAL, "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-auto-alt-ref", "0", "-b:v", "400k", "-g", "50", "-pix_fmt",
        "yuv420p", "-c:a", "pcm_s16le")),
    "Theora": (".ogg", lambda path: plain(path, PAL, "-c:v", "libtheora", "-q:v", "7", "-g", "32", "-pix_fmt", "yuv420p", "-c:a", "libvorbis")),
    "ProRes 4444": (".mov", lambda path: plain(
        path, PAL, "-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le", "-c:a", "pcm_s24le")),
    "screen capture": (".mkv", captured),
    "MPEG-2 4:2:2": (".ts", lambda path: plain(path, PAL, *MPEG2, "-pix_fmt", "yuv422p", "-c:a", "mp2", "-b:a", "192k")),
    "H.264 4:2:2": (".mov", lambda path: plain(
        path, NTSC, "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv422p10le", "-g", "60", "-c:a", "pcm_s16le")),
}


def make(folder, name):
    suffix, write = FILMS[name]
    return write(folder / f"{name}{suffix}")
