# SPDX-License-Identifier: Apache-2.0
"""Decoded audio: channels, the tones in them, and their onsets."""

import functools
import json
import pathlib
import subprocess
import tempfile
import weakref

import numpy

from . import hls
from .payloads import LIMIT, run

# Channels by layout, in the order in which FFmpeg decodes them; side and back are the same if there is only one pair.
PLACES = {
    "mono": ("FC",), "stereo": ("FL", "FR"), "quad": ("FL", "FR", "BL", "BR"), "5.0": ("FL", "FR", "FC", "BL", "BR"),
    "5.1": ("FL", "FR", "FC", "LFE", "BL", "BR"), "6.1": ("FL", "FR", "FC", "LFE", "BC", "SL", "SR"),
    "7.1": ("FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR"),
}
# The default layouts if the file names none, as with PCM in Matroska.
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
    """A layout without a suffix such as `(side)`: `5.1(side)` and `5.1` are the same here, and a single channel is
    always mono."""
    return layout.partition("(")[0].replace("1 channels", "mono")


class Sound:
    """One stream. It is decoded when its samples are first used."""

    def __init__(self, path, index=0):
        self.path, self.index = pathlib.Path(path), index
        facts = json.loads(run(
            "ffprobe", "-v", "quiet", "-of", "json", "-select_streams", f"a:{index}", "-read_intervals", "%+#12",
            "-show_entries", "stream=codec_name,sample_rate,channels,channel_layout:frame=pts_time,nb_samples", str(path)))
        stream = facts["streams"][0]
        self.codec, self.rate = stream["codec_name"], int(stream["sample_rate"])
        self.channels = int(stream["channels"])
        self.layout = plain(stream.get("channel_layout", "")) or USUAL[self.channels]
        # The time of the first audible sample, on the clock of the file.
        # Some decoders return their first frames without a time.
        frames = facts["frames"]
        timed = next(at for at, each in enumerate(frames) if "pts_time" in each)
        before = sum(int(each["nb_samples"]) for each in frames[:timed])
        self.start = float(frames[timed]["pts_time"]) - before / self.rate

    @functools.cached_property
    def samples(self):
        """One row per sample, one column per channel; 2^31 is full scale."""
        raw = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "quiet", "-copyts", "-i", str(self.path), "-map", f"0:a:{self.index}",
             "-c:a", "pcm_s32le", "-f", "s32le", "-"], capture_output=True, timeout=LIMIT, check=True).stdout
        count = len(raw) // (4 * self.channels)
        return numpy.frombuffer(raw, "<i4", count * self.channels).reshape(count, self.channels)

    @property
    def count(self):
        return len(self.samples)

    @property
    def end(self):
        return self.start + self.count / self.rate

    def peak(self, first, count):
        """The peak level in a range of the first channel; 2^31 is full scale."""
        return numpy.abs(self.samples[first:first + count, 0].astype(numpy.int64)).max(initial=0)

    def levels(self, at, frequencies, seconds=0.5):
        """The amplitude of each frequency in each channel, 1 being full scale, `at` seconds on the file's clock."""
        first, count = round((at - self.start) * self.rate), round(seconds * self.rate)
        assert 0 <= first and first + count <= self.count, f"{at} s is not in {self.start} … {self.end}"
        return amplitudes(self.samples[first:first + count] / 2**31, frequencies, self.rate)

    def onsets(self, threshold=0.25):
        """The times at which the audio becomes loud, in seconds on the file's clock; peaks within half a second belong
        to the same event."""
        limit = round(threshold * 2**31)
        loud = numpy.flatnonzero(numpy.abs(self.samples[:, 0].astype(numpy.int64)) > limit)
        found = []
        while len(loud):
            found.append(self.start + int(loud[0]) / self.rate)
            loud = loud[loud - loud[0] > self.rate / 2]
        return found


def amplitudes(samples, frequencies, rate):
    """The amplitude of each frequency in each column of `samples` (single bins of a discrete Fourier transform)."""
    turns = numpy.outer(frequencies, numpy.arange(len(samples))) / rate
    return (2 / len(samples) * numpy.abs(numpy.exp(-2j * numpy.pi * turns) @ samples)).T.tolist()


def differences(ours, theirs, shift, first, count):
    """For each channel, the energy of the difference as a fraction of the energy of `theirs`. In `ours`, the same audio
    is `shift` samples earlier."""
    one = theirs.samples[first:first + count].astype(float)
    other = ours.samples[first - shift:first - shift + count].astype(float)
    energy, error = (one ** 2).sum(axis=0), ((one - other) ** 2).sum(axis=0)
    return numpy.where(energy > 0, error / numpy.maximum(energy, 1), error > 0)


def differing_samples(one, other, limit):
    """The indexes of the samples that differ by more than `limit` in some channel."""
    return numpy.flatnonzero((abs(one.astype(numpy.int64) - other) > limit).any(axis=1))


def shift_between(ours, theirs, start):
    """How many samples of `theirs` precede the first of `ours`, by the times of both. `start`: the time on the clock of
    `theirs` at which the clock of `ours` is 0."""
    return round((ours.start - (theirs.start - start)) * ours.rate)


def saved(url, *numbers):
    """A file with the init segment and the media segments of a playlist: all of them, or those with these numbers."""
    playlist = hls.Media.complete(url)
    wanted = [playlist.segments[number] for number in numbers] if numbers else playlist.segments
    data = b"".join(hls.fetch(each) for each in [playlist.init, *(segment.url for segment in wanted)])
    file = tempfile.NamedTemporaryFile(prefix="engine-sound-", suffix=".mp4", delete=False)
    with file:
        file.write(data)
    return pathlib.Path(file.name)


def load_served(url, *numbers):
    """The audio that `saved` saves. Its file is kept as long as the object, because it may be decoded later."""
    path = saved(url, *numbers)
    try:
        found = Sound(path)
    except BaseException:
        path.unlink()
        raise
    weakref.finalize(found, path.unlink)
    return found
