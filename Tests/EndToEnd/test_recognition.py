# SPDX-License-Identifier: Apache-2.0
"""Text that is recognized in bitmap subtitles is the text that was drawn, with its times, and is kept for later loads.
If text cannot be recognized, the call fails with a typed error."""

import difflib
import json
import subprocess
import time

import grpc
import numpy
import pytest
from harness import drawing, graphics, payloads, subtitles
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.enginectl import ctl  # noqa: F401, fixture
from harness.places import SAMPLES, clip
from harness.tiers import tiered

LINES = [
    "I'm looking for someone.", "A kindred spirit?\\N- A dragon.", "I've been alone for as long\\Nas I can remember.",
    "You're lucky your blood's still flowing.", "This blade has a dark past.\\NIt has shed much innocent blood.",
    "You're a fool for traveling alone,\\Nso completely unprepared.", "It's 12:45, and 100% of it is gone!",
    "What brings you to the land\\Nof the gatekeepers?", "Wait! Don't look back now...", "Thank you. My name is Shaman.",
]


def bitmaps(engine, folder, style="", canvas=(1280, 720), lines=LINES):
    """A PGS file with the lines as the engine draws them, one in two seconds, in at most 255 colours."""
    events = [f"0,0:00:{2 * n + 1:02}.00,0:00:{2 * n + 2:02}.50,Default,,0,0,0,,{style}{line}" for n, line in enumerate(lines)]
    (folder / "lines.ass").write_text(drawing.script(*events))
    pictures, _ = drawing.draw(engine, *canvas, source=str(folder / "lines.ass"))
    sets = []
    for number, picture in enumerate(pictures):
        time = picture.start_us / 1e6
        if not picture.images:
            sets.append((time, graphics.cleared(number, canvas=canvas)))
            continue
        image, = picture.images
        pixels = drawing.decoded(image.png, image.width, image.height).astype(int)
        sets.append((time, graphics.of_pixels(pixels, round(image.x * canvas[0]), round(image.y * canvas[1]), number, canvas)))
    path = folder / "lines.sup"
    path.write_bytes(graphics.file(sets))
    return path


def film(engine, folder, codec="copy", **options):
    """A film with the lines as PGS, or converted to the four colours of VobSub by the codec `dvd_subtitle`."""
    video = graphics.video(folder / "video.mkv", 2 * len(options.get("lines", LINES)) + 4)
    path = folder / "film.mkv"
    lines = bitmaps(engine, folder, **options)
    if codec != "copy":
        lines = folder / "lines.mkv"
        payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(folder / "lines.sup"), "-c:s", codec, str(lines))
    graphics.joined(path, video, lines, options=("-metadata:s:s:0", "language=eng"))
    return path


def recognize(engine, session, track, **options):
    request = subtitles_pb2.RecognizeSubtitlesRequest(session_id=session.id, track=track, **options)
    return list(engine.stub.RecognizeSubtitles(request, timeout=PATIENCE * 3))


def texts(engine, session, track):
    return [(cue.start_us, cue.end_us, cue.text.plain) for cue in subtitles.read(engine, session_id=session.id, track=track)[0]]


def share(found, wanted):
    """The share of the characters that are right."""
    blocks = difflib.SequenceMatcher(None, found, wanted, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(len(found), len(wanted))


@pytest.mark.parametrize("style, canvas, count, codec", tiered([
    ("", (1280, 720), 4, "copy"), ("", (1280, 720), 10, "copy"), ("{\\i1}", (1920, 1080), 10, "copy"),
    ("{\\c&H00FFFF&\\bord3}", (720, 480), 10, "copy"), ("{\\c&H000000&\\3c&HFFFFFF&\\bord2\\shad0}", (1280, 720), 10, "copy"),
    ("", (720, 576), 10, "dvd_subtitle"), ("{\\i1}", (720, 480), 10, "dvd_subtitle"),
], lambda case: case[2] == 4))
def test_the_text_of_bitmaps_is_recognized(engine, tmp_path, style, canvas, count, codec):
    lines = LINES[:count]
    path = film(engine, tmp_path, codec, style=style, canvas=canvas, lines=lines)
    session = engine.load(path)
    track, = [each for each in session.state.subtitle_tracks if not each.text and not each.path]
    steps = recognize(engine, session, track.id, show=True)
    assert [step.progress for step in steps] == sorted(step.progress for step in steps) and steps[-1].progress == 1
    assert steps[-1].images == count and steps[-1].track and not any(step.track for step in steps[:-1])
    found = texts(engine, session, steps[-1].track)
    wanted = [line.replace("\\N", "\n") for line in lines]
    assert share("\n".join(text for _, _, text in found), "\n".join(wanted)) >= 0.97, found
    images = subtitles.read(engine, session_id=session.id, track=track.id)[0]
    # Without an end, an image is on screen for five seconds.
    times = [(cue.start_us, cue.start_us + 5_000_000 if cue.end_us == -1 else cue.end_us) for cue in images]
    assert [(start, end) for start, end, _ in found] == times
    state = engine.stub.GetState(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
    new = next(each for each in state.subtitle_tracks if each.id == steps[-1].track)
    assert (new.text, new.language, new.title) == (True, "eng", "recognized") and list(state.selected_subtitles) == [new.id]


@pytest.mark.parametrize("name", ["sample_with_pgs_subtitles.mkv", "sample_with_vobsub.mkv"])
def test_every_character_of_real_samples_is_recognized(engine, name):
    sample = SAMPLES / "androidx+media" / "mkv" / name
    if not sample.exists():
        pytest.skip(f"{name} is not here")
    wanted = [cue.text.plain for cue in subtitles.read(engine, source=str(sample.with_name("sample_with_srt.mkv")))[0]]
    with engine.session(sample) as session:
        track, = session.state.subtitle_tracks
        found = texts(engine, session, recognize(engine, session, track.id)[-1].track)
    assert [text for _, _, text in found] == wanted == ["This is the first subtitle."]


@pytest.mark.long
def test_a_track_is_recognized_only_once(start_engine, tmp_path):
    engine = start_engine()
    path = film(engine, tmp_path, lines=LINES[:3])
    session = engine.load(path)
    track = next(each.id for each in session.state.subtitle_tracks if not each.text)
    first = recognize(engine, session, track)
    kept = list((engine.directory / "cache").rglob("recognized/*"))
    assert [file.suffix for file in kept] == [".srt"]
    other = engine.load(path)
    again = recognize(engine, other, track)
    assert len(again) == 1 and again[0].images == 0
    assert texts(engine, session, first[-1].track) == texts(engine, other, again[0].track)


@pytest.mark.long
def test_a_second_recognition_shows_the_track_of_the_first(start_engine, tmp_path):
    engine = start_engine()
    session = engine.load(film(engine, tmp_path, lines=LINES[:2]))
    track = next(each.id for each in session.state.subtitle_tracks if not each.text)

    def ask(**options):
        found = recognize(engine, session, track, **options)[-1].track
        state = engine.state(session.id)
        return found, len(state.subtitle_tracks), list(state.selected_subtitles)

    first, count, selected = ask()
    assert first not in selected
    assert ask() == (first, count, selected)
    assert ask(show=True) == (first, count, [first])
    # Once the track has been removed, it is added again.
    engine.stub.RemoveSubtitles(subtitles_pb2.RemoveSubtitlesRequest(session_id=session.id, track=first), timeout=PATIENCE)
    assert ask()[1] == count


@pytest.mark.long
def test_a_cancelled_recognition_adds_nothing(start_engine, tmp_path):
    engine = start_engine()
    session = engine.load(film(engine, tmp_path, lines=LINES * 2))
    track = next(each.id for each in session.state.subtitle_tracks if not each.text)
    call = engine.stub.RecognizeSubtitles(
        subtitles_pb2.RecognizeSubtitlesRequest(session_id=session.id, track=track), timeout=PATIENCE)
    next(call)
    time.sleep(0.3)
    call.cancel()
    eventually(lambda: not subprocess.run(["pgrep", "-P", str(engine.pid)], capture_output=True).stdout, "tesseract to be gone")
    assert not list((engine.directory / "cache").rglob("recognized/*.srt"))
    state = engine.stub.GetState(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
    assert len(state.subtitle_tracks) == len(session.state.subtitle_tracks)


def test_what_cannot_be_recognized_is_told(engine, tmp_path):
    session = engine.load(film(engine, tmp_path, lines=LINES[:1]))
    track = next(each.id for each in session.state.subtitle_tracks if not each.text)
    text = engine.load(clip("subs-srt.mkv"))
    for where, number, language, code, words in [
        (session, 99, "", grpc.StatusCode.NOT_FOUND, "no subtitle track"),
        (session, track, "dan", grpc.StatusCode.UNAVAILABLE, "tesseract-ocr-dan"),
        (session, track, "zh-TW", grpc.StatusCode.UNAVAILABLE, "tesseract-ocr-chi-tra"),
        (session, track, "../eng", grpc.StatusCode.INVALID_ARGUMENT, "language"),
        (session, track, "xx", grpc.StatusCode.INVALID_ARGUMENT, "names no language"),
        (session, track, "osd", grpc.StatusCode.UNAVAILABLE, "osd"),
        (text, text.state.subtitle_tracks[0].id, "", grpc.StatusCode.INVALID_ARGUMENT, "text already"),
    ]:
        with pytest.raises(grpc.RpcError) as failure:
            recognize(engine, where, number, language=language)
        assert failure.value.code() == code, failure.value
        assert words in failure.value.details()


@pytest.mark.long
def test_enginectl_recognizes(ctl, tmp_path):
    path = film(ctl.engine, tmp_path, lines=LINES[:2])
    ctl("load", str(path))
    track = json.loads(ctl("subtitles", "--json"))["subtitle_tracks"][0]["id"]
    assert "recognized" in ctl("subtitles", "recognize", str(track), "--show")
    assert "kindred" in ctl("cues")
