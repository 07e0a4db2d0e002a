# SPDX-License-Identifier: Apache-2.0
"""Stock players play what is served, from the beginning to the end and from any position."""

import re
import subprocess

import pytest
from harness.browser import chromium
from harness.engine import PATIENCE
from harness.places import clip
from harness.players import mpv
from harness.tiers import tiered

IN_BROWSER = [
    "h264-aac.mkv", "h264-aac.mp4", "h264-aac-moov-last.mp4", "h264-aac-fragmented.mp4", "h264-aac.ts", "h264-aac.m2ts",
    "h264-aac.flv", "h264-aac.avi", "vp9-opus.webm", "vp9-opus.mkv", "av1-opus.mkv", "av1-opus.webm", "b-pyramid.mkv",
    "nonzero-start.ts", "several.mkv", "audio.m4a",
]
# Here, Chromium has no HEVC, AC-3 or MP3 in HLS, and its decoder fails on H.264 entered at an open GOP.
TO_THE_END = [*IN_BROWSER, "open-gop.mkv", "audio.mp3", "hevc-eac3.mkv", "hevc-eac3.ts", "vfr.mkv", "raw.h264", "raw.aac", "audio.flac", "audio.opus",
              "audio-alac.m4a", "video-only.mp4", "truncated.mkv", "truncated.ts"]


# A source with an index, one without, one whose audio has no video beside it, and one that breaks off.
LEAN = {"h264-aac.mkv", "hevc-eac3.ts", "audio.mp3", "truncated.mkv"}


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.mark.parametrize("name", tiered(IN_BROWSER, {"h264-aac.ts"}))
def test_chromium_plays_and_seeks(engine, browser, name):
    with engine.session(clip(name), profile="chromium") as session:
        browser.assert_plays_and_seeks(session.url)


@pytest.mark.parametrize("name", tiered(TO_THE_END, LEAN))
def test_ffmpeg_reads_to_the_end_without_warnings(engine, name):
    path = clip(name)
    # The last frame of a truncated file is incomplete.
    is_cut_off = name.startswith("truncated")
    with engine.session(path) as session:
        # A growing playlist is played while it grows, without waiting for its end.
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "warning", *([] if is_cut_off else ["-xerror"]), "-i", session.url,
             "-map", "0", "-progress", "-", "-f", "null", "-"], capture_output=True, text=True, timeout=PATIENCE * 2)
        complaints = [
            line for line in done.stderr.splitlines()
            # Messages of FFmpeg's HLS reader for any playlist, not only ours.
            if not re.search(r"Could not find codec parameters|analyzeduration|deprecated pixel format|"
                             r"Can't support the subtitle", line)
            and not (is_cut_off and re.search(r"error while decoding|corrupt decoded frame|Error submitting", line))
        ]
        assert done.returncode == 0 and not complaints, (done.returncode, complaints[:10])
        microseconds = [int(value) for value in re.findall(r"out_time_us=(\d+)", done.stdout)]
        # The final duration: for a scanned source it is known only at the end.
        expected = engine.state(session.id).duration_us / 1e6
        assert abs(microseconds[-1] / 1e6 - expected) < 0.2, (microseconds[-1], expected)


@pytest.mark.parametrize("name", tiered(["h264-aac.mkv", "h264-aac.ts", "vp9-opus.webm", "av1-opus.mkv", "hevc-eac3.mkv", "audio.flac"], {"h264-aac.ts"}))
def test_mpv_plays_to_the_end(engine, name):
    with engine.session(clip(name)) as session:
        code, output = mpv(session.url)
        assert code == 0 and "error" not in output.lower(), output[-300:]
