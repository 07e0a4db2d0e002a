# SPDX-License-Identifier: Apache-2.0
"""The output of `enginectl cues` equals ffmpeg's conversion: times, text, and the styles that the format supports."""

import html
import re

import pytest
from harness import payloads, subtitles
from harness.places import SAMPLES, clip
from harness.tiers import tiered
from harness.webvtt import read

TAG = re.compile(r"<(/?)(b|i|u|s|font)\b([^>]*)>|\{[^}]*\\[^}]*\}")
CLIPS = ["subs-srt.mkv", "subs-ass.mkv", "subs-movtext.mp4", "subs-webvtt.webm", "subs-dual.mkv", "subs-offset.mkv"]
LEAN = {"subs-srt.mkv", "subs-ass.mkv"}
REAL = ["androidx+media/mkv/sample_with_srt.mkv", "androidx+media/mkv/sample_with_ssa_subtitles.mkv",
        "pytorch+torchcodec/test/resources/nasa_13013.mp4"]


def letters(text):
    """Each letter with its style: bold, italic, underline, strikeout, colour."""
    found, open_tags, colors, at = [], [], [None], 0
    for tag in [*TAG.finditer(text), None]:
        for letter in text[at:tag.start() if tag else len(text)]:
            found.append((letter, frozenset(open_tags), colors[-1]))
        if tag is None:
            return found
        at = tag.end()
        closes, name, attributes = tag[1], tag[2], tag[3]
        if name == "font" and closes:
            colors.pop()
        elif name == "font":
            color = re.search(r'color="(#\w+)"', attributes)
            colors.append(color[1] if color else colors[-1])
        elif name and closes:
            open_tags.remove(name)
        elif name:
            open_tags.append(name)
    raise AssertionError("a list that ends in None has ended before")


def normal(text):
    """Normalizes ffmpeg's output, which keeps hard spaces and escaped braces in ASS syntax and ends SubRip lines with
    CRLF."""
    return text.replace("\r\n", "\n").replace("\\h", "\u00a0").replace("\\{", "{").replace("\\}", "}")


def by_ffmpeg(path, number, codec):
    return payloads.run("ffmpeg", "-nostdin", "-v", "quiet", "-copyts", "-i", str(path), "-map", f"0:s:{number}", "-c:s", codec,
                        "-f", codec, "-").decode("utf-8", "replace")


def exported(engine, path, number, form):
    return subtitles.enginectl("cues", path, "--track", number, "--format", form, engine=engine).stdout


def order(blocks):
    return sorted(blocks, key=lambda block: block[0])


def tracks(engine, path):
    found = [each for each in engine.probe(path).streams if each.codec in ("subrip", "ass", "mov_text", "webvtt")]
    assert found
    return range(len(found))


@pytest.mark.parametrize("name", tiered(CLIPS, LEAN))
def test_subrip_exports_have_the_styles_of_ffmpeg(engine, name):
    for number in tracks(engine, clip(name)):
        ours = subtitles.blocks(exported(engine, clip(name), number, "srt"))
        theirs = order(subtitles.blocks(by_ffmpeg(clip(name), number, "srt")))
        assert ours and [(*times, letters(text)) for *times, text in ours] == [
            (*times, letters(normal(text))) for *times, text in theirs]


def bare(text):
    return "".join(letter for letter, _, _ in letters(text))


def clocks(text):
    """WebVTT with hours in every time."""
    return re.sub(r"(?<![\d:])(\d\d:\d\d\.\d\d\d)", r"00:\1", text)


@pytest.mark.parametrize("name", tiered(CLIPS + REAL, LEAN))
@pytest.mark.parametrize("form", tiered(["srt", "vtt"], {"vtt"}))
def test_exports_have_the_times_and_text_of_ffmpeg(engine, name, form):
    path = clip(name) if name in CLIPS else SAMPLES / name
    if not path.exists():
        path = next(iter(SAMPLES.rglob(path.name)), None) or pytest.skip(f"{path.name} is not here")
    for number in tracks(engine, path):
        ours = exported(engine, path, number, form)
        theirs = by_ffmpeg(path, number, {"srt": "srt", "vtt": "webvtt"}[form])
        if form == "srt":
            ours, theirs = subtitles.blocks(ours), order(subtitles.blocks(theirs))
        else:
            # ffmpeg does not escape text.
            ours = [(start, end, html.unescape(text)) for start, end, _, text in read(ours)[1]]
            theirs = order([(start, end, text.rstrip()) for start, end, _, text in read(clocks(theirs))[1]])
        assert ours and [(*times, bare(text)) for *times, text in ours] == [
            (*times, bare(normal(text))) for *times, text in theirs]


def test_subrip_positions_are_kept(engine, tmp_path):
    path = tmp_path / "placed.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:02,000 X1:100 X2:600 Y1:050 Y2:090\nAt a place\n\n"
                    "2\n00:00:03,000 --> 00:00:04,000\n{\\an8}At the top\n")
    placed, above = subtitles.listed(path, engine=engine)
    assert placed["alignment"] == 5 and above["alignment"] == 8 and "position" not in above
    # ffmpeg interprets the coordinates as pixels of 720 by 480.
    assert placed["position"]["x"] == pytest.approx((100 + 600) / 2 / 720, abs=0.003)
    assert placed["position"]["y"] == pytest.approx((50 + 90) / 2 / 480, abs=0.003)
    assert exported(engine, path, 0, "srt") == by_ffmpeg(path, 0, "srt")
    assert "line:14.6%,center position:48.4%,center" in exported(engine, path, 0, "vtt")
