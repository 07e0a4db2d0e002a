# SPDX-License-Identifier: Apache-2.0
"""Bridged audio is heard at the time it has in the source, wherever playback begins."""

import contextlib
import subprocess

import numpy
import pytest
from harness import hls
from harness.contract import engine_pb2
from harness.engine import PATIENCE, Session

CLICK = 5.0
RATE = 48_000


def ffmpeg(*arguments):
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE * 2).stdout


def clap_film(path, offset, *coding):
    """A film whose audio begins late by `offset` and has one click, `CLICK` after its own beginning."""
    sound = f"aevalsrc='if(between(t,{CLICK},{CLICK}+0.005),0.8*sin(2*PI*3000*t),0)':c=stereo:s={RATE}"
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x64:r=25", "-itsoffset", offset, "-f", "lavfi", "-i", sound, "-t", 8,
           "-c:v", "libx264", "-preset", "ultrafast", "-g", 25, "-bf", 0, "-pix_fmt", "yuv420p", *coding, path)
    return path


def click_time(path):
    """When the click begins, computed from the time of the first packet and the samples after it."""
    start = float(subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-read_intervals", "%+#1", "-of", "csv=p=0", path],
        check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.split()[0].strip(","))
    samples = numpy.frombuffer(ffmpeg("-i", path, "-map", "0:a", "-ac", 1, "-f", "s16le", "-"), "<i2")
    return start + numpy.flatnonzero(numpy.abs(samples.astype(int)) > 4000)[0] / RATE


class Resumed(Session):
    def close(self):
        self.stop()


PCM, DTS = ("pcm.mkv", ["-c:a", "pcm_s16le"]), ("dts.mkv", ["-c:a", "dca", "-strict", "-2"])
MP2, TRUEHD = ("mp2.ts", ["-c:a", "mp2", "-muxdelay", "0"]), ("truehd.mkv", ["-c:a", "truehd", "-strict", "-2"])
LATE = 0.256


# One decoder, with audio that starts later than the video.
LEAN = [(DTS, LATE)]


@pytest.mark.parametrize("name, coding, offset", [
    pytest.param(*coded, offset, id=f"{coded[0]}-{offset}", marks=[] if (coded, offset) in LEAN else pytest.mark.long)
    for coded in (PCM, DTS, MP2, TRUEHD) for offset in (0, LATE)
])
def test_bridged_audio_keeps_its_time_wherever_playback_starts(engine, tmp_path, name, coding, offset):
    source = clap_film(tmp_path / name, offset, *coding)
    # From the start, from the segment that contains the click as after a seek, and in a session that resumes there.
    for number, (resumed, is_head) in enumerate([(0, True), (0, False), (CLICK, False)]):
        request = engine_pb2.LoadRequest(source=str(source), start_position_us=round(resumed * 1e6))
        with contextlib.closing(Resumed(engine, engine.stub.Load(request, timeout=PATIENCE))) as session:
            audio = [url for attributes, url in session.master().renditions if attributes["TYPE"] == "AUDIO"]
            playlist = hls.Media.complete(audio[0])
            first = 0 if is_head else int(CLICK) // max(1, playlist.target)
            served = tmp_path / f"served-{number}.mp4"
            served.write_bytes(hls.fetch(playlist.init) + b"".join(
                hls.fetch(segment.url) for segment in playlist.segments[first:]))
            expected = CLICK + offset - session.state.media.start_us / 1e6 * (name.endswith(".ts"))
            assert abs(click_time(served) - expected) < 0.03
