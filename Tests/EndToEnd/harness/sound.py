# SPDX-License-Identifier: Apache-2.0
"""Sound as it is heard: decoded channels, the tones in them, and when they begin."""

import array
import json
import math
import pathlib
import subprocess
import tempfile

from . import hls
from .payloads import LIMIT, run

# Channels by layout, in the order in which FFmpeg decodes them; side and back are one place where there is one pair only.
PLACES = {
    "mono": ("FC",), "stereo": ("FL", "FR"), "quad": ("FL", "FR", "BL", "BR"), "5.0": ("FL", "FR", "FC", "BL", "BR"),
    "5.1": ("FL", "FR", "FC", "LFE", "BL", "BR"), "6.1": ("FL", "FR", "FC", "LFE", "BC", "SL", "SR"),
    "7.1": ("FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR"),
}
# What is meant where the file names no layout, as with PCM in Matroska.
USUAL = {1: "mono", 2: "stereo", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}
LFE_TONE, FIRST_TONE, TONE_STEP = 60, 300, 170


def tones(layout):
    """The tone in each channel of a clip of scripts/fixtures-formats."""
    found, tone = {}, FIRST_TONE
    for place in PLACES[layout]:
        found[place] = LFE_TONE if place == "LFE" else tone
        tone += 0 if place == "LFE" else TONE_STEP
    return found


def plain(layout):
    """`5.1(side)` and `5.1` are the same five places here, and one channel is mono however it is called."""
    return layout.partition("(")[0].replace("1 channels", "mono")


class Sound:
    """One stream, decoded."""

    def __init__(self, path, index=0):
        facts = json.loads(run(
            "ffprobe", "-v", "quiet", "-of", "json", "-select_streams", f"a:{index}", "-read_intervals", "%+#12",
            "-show_entries", "stream=codec_name,sample_rate,channels,channel_layout:frame=pts_time,nb_samples", str(path)))
        stream = facts["streams"][0]
        self.codec, self.rate = stream["codec_name"], int(stream["sample_rate"])
        self.channels = int(stream["channels"])
        self.layout = plain(stream.get("channel_layout", "")) or USUAL[self.channels]
        # Where the first sample that is heard lies, on the clock of the file.
        # Some decoders give their first frames without a time.
        frames = facts["frames"]
        timed = next(at for at, each in enumerate(frames) if "pts_time" in each)
        before = sum(int(each["nb_samples"]) for each in frames[:timed])
        self.start = float(frames[timed]["pts_time"]) - before / self.rate
        raw = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "quiet", "-copyts", "-i", str(path), "-map", f"0:a:{index}", "-c:a", "pcm_s32le",
             "-f", "s32le", "-"], capture_output=True, timeout=LIMIT, check=True).stdout
        self.samples = array.array("i", raw[:len(raw) // (4 * self.channels) * 4 * self.channels])

    @property
    def count(self):
        return len(self.samples) // self.channels

    @property
    def end(self):
        return self.start + self.count / self.rate

    def channel(self, number, first=0, count=None):
        last = self.count if count is None else first + count
        return self.samples[first * self.channels + number:last * self.channels:self.channels]

    def levels(self, at, frequencies, seconds=0.5):
        """The amplitude of each frequency in each channel, 1 being full scale, `at` seconds on the file's clock."""
        first, count = round((at - self.start) * self.rate), round(seconds * self.rate)
        assert 0 <= first and first + count <= self.count, f"{at} s is not in {self.start} … {self.end}"
        return [
            [goertzel(self.channel(number, first, count), each, self.rate) for each in frequencies]
            for number in range(self.channels)
        ]

    def onsets(self, threshold=0.25):
        """When it becomes loud, in seconds on the file's clock; what follows within half a second is the same sound."""
        found, limit = [], round(threshold * 2**31)
        for at, value in enumerate(self.channel(0)):
            if abs(value) > limit and (not found or at - found[-1] > self.rate / 2):
                found.append(at)
        return [self.start + at / self.rate for at in found]


def goertzel(samples, frequency, rate):
    """The amplitude of one frequency (a single bin of a discrete Fourier transform)."""
    factor, last, before = 2 * math.cos(2 * math.pi * frequency / rate), 0.0, 0.0
    for value in samples:
        last, before = value + factor * last - before, last
    power = max(0.0, last * last + before * before - factor * last * before)
    return 2 * math.sqrt(power) / len(samples) / 2**31


def difference(ours, theirs, shift, channel, first, count):
    """How much of the energy of `theirs` is not in `ours`, which lies `shift` samples earlier in its array."""
    one = theirs.channel(channel, first, count)[::5]
    other = ours.channel(channel, first - shift, count)[::5]
    energy = sum(value * value for value in one)
    error = sum((value - heard) ** 2 for value, heard in zip(one, other))
    return error / energy if energy else float(error > 0)


def shift_between(ours, theirs, start):
    """How many samples of `theirs` come before the first of `ours`, by the times of both; the timeline starts at `start`."""
    return round((ours.start - (theirs.start - start)) * ours.rate)


def saved(url, *numbers):
    """A file of the init segment and the media segments of a playlist, all or those with these numbers."""
    playlist = hls.Media.complete(url)
    wanted = [playlist.segments[number] for number in numbers] if numbers else playlist.segments
    data = b"".join(hls.fetch(each) for each in [playlist.init, *(segment.url for segment in wanted)])
    file = tempfile.NamedTemporaryFile(prefix="engine-sound-", suffix=".mp4", delete=False)
    with file:
        file.write(data)
    return pathlib.Path(file.name)


def heard(url, *numbers):
    path = saved(url, *numbers)
    try:
        return Sound(path)
    finally:
        path.unlink()
