# SPDX-License-Identifier: Apache-2.0
"""Text subtitles of Blu-ray discs: the cues are those that were authored, at their times on the title."""

import shutil

import pytest
from harness import bluray, origin, subtitles, udf
from harness.bluray_text import BOLD, ITALIC, Dialog, Style, Text
from harness.contract import media_pb2
from harness.engine import eventually
from harness.webvtt import Rendition

LENGTH = 4
CODEC = "hdmv_text_subtitle"
# Regions of pictures of 320x240: near the lower edge, and in the upper left corner.
STYLES = {1: Style(180, 40), 5: Style(8, 60, horizontal=1, vertical=1, font=ITALIC)}
ENGLISH = Text("eng", [
    Dialog(0.5, 1.5, [("Hello", None)]),
    Dialog(1.5, 3.25, [("Two\nlines, ", None), ("bold", BOLD), (" and plain", None)]),
    Dialog(3.5, 3.9, [("Forced", None)], forced=True),
    # In the second clip.
    Dialog(4.25, 6, [("Above", None)], style=5),
    Dialog(6.5, 7.5, [("At the end", None)]),
], STYLES)
JAPANESE = Text("jpn", [Dialog(1, 3, [("日本語の字幕", None)]), Dialog(5, 7, [("二番目", None)])], STYLES, charset=3)


@pytest.fixture(scope="module")
def disc(tmp_path_factory):
    """A title of two clips with unrelated clocks."""
    folder = tmp_path_factory.mktemp("texts")
    disc = bluray.Disc(folder / "disc")
    clips = [disc.add_clip(bluray.encode(
        folder / f"{number}.m2ts", ["-f", "lavfi", "-i", f"{source}=size=320x240:rate=24", "-f", "lavfi", "-i", "sine=440:sample_rate=48000"],
        "-t", str(LENGTH), "-c:v", "libx264", "-preset", "ultrafast", "-g", "24", "-pix_fmt", "yuv420p", "-c:a", "ac3", "-b:a", "192k", "-ac",
        "2", offset=10 + 50 * number), ["eng"]) for number, source in enumerate(("testsrc2", "testsrc"))]
    disc.add_title(*clips, texts=[ENGLISH, JAPANESE])
    return disc.write()


def check(cues, text):
    assert [cue.text.plain for cue in cues] == [dialog.plain for dialog in text.dialogs]
    times = [(cue.start_us / 1e6, cue.end_us / 1e6) for cue in cues]
    assert times == [pytest.approx((dialog.start, dialog.end), abs=0.002) for dialog in text.dialogs]
    assert [cue.forced for cue in cues] == [dialog.forced for dialog in text.dialogs]


def test_cues_are_those_that_were_authored(engine, disc):
    with engine.session(disc) as session:
        state = session.state
        assert state.production.plan_origin == "index"
        streams = [each for each in state.media.streams if each.kind == media_pb2.STREAM_KIND_SUBTITLE]
        assert [(each.codec, each.language) for each in streams] == [(CODEC, "eng"), (CODEC, "jpn")]
        assert [(each.codec, each.language, each.text) for each in state.subtitle_tracks] == [(CODEC, "eng", True), (CODEC, "jpn", True)]
        for number, text in enumerate((ENGLISH, JAPANESE)):
            loaded = subtitles.read(engine, session_id=session.id, number=number)[0]
            check(loaded, text)
            # The same without a session.
            assert subtitles.read(engine, source=str(disc), number=number)[0] == loaded
    styled = subtitles.read(engine, source=str(disc), number=0)[0]
    assert [(run.text, run.bold, run.italic) for run in styled[1].text.runs] == [
        ("Two\nlines, ", False, False), ("bold", True, False), (" and plain", False, False)]
    assert [cue.text.alignment for cue in styled] == [2, 2, 2, 7, 2]
    assert [run.italic for run in styled[3].text.runs] == [True]


def test_part_of_a_title_has_its_cues(engine, disc):
    span = {"start_us": 1_000_000, "end_us": 2_000_000}
    with engine.session(disc) as session:
        for place in ({"session_id": session.id}, {"source": str(disc)}):
            cues = subtitles.read(engine, range=span, number=0, **place)[0]
            assert [cue.text.plain for cue in cues] == [dialog.plain for dialog in ENGLISH.dialogs[:2]]


def test_text_is_a_rendition(engine, disc):
    with engine.session(disc) as session:
        for (_, url), text in zip(session.master().subtitles, (ENGLISH, JAPANESE), strict=True):
            assert [plain for _, _, plain in Rendition(url).timed_texts()] == [dialog.plain for dialog in text.dialogs]


def test_text_comes_from_an_image_on_a_server(engine, disc, tmp_path):
    with origin.origin(udf.image(tmp_path / "film.iso", disc)) as film:
        with engine.session(film.url) as session:
            check(subtitles.read(engine, session_id=session.id, language="jpn")[0], JAPANESE)


def test_text_without_its_clips_is_said(engine, disc, tmp_path):
    copy = shutil.copytree(disc, tmp_path / "copy")
    for clip in (copy / "BDMV" / "STREAM").glob("009*.m2ts"):
        clip.unlink()
    with engine.session(copy) as session:
        assert not session.state.subtitle_tracks

        def said():
            lines = [line for line in engine.log.read_text().splitlines() if f"session {session.id}" in line]
            return [line for line in lines if "disc.text_subtitles" in line and "(eng, jpn)" in line]
        eventually(said, "the notice")
