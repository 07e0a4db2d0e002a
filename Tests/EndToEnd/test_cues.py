# SPDX-License-Identifier: Apache-2.0
"""Text cues equal ffmpeg's conversion on the source's clock, are shown on the session's clock, and do not depend on the
order of reads."""

import hashlib
import random
import subprocess
import threading
import time

import grpc
import pytest
from harness import subtitles
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import digest
from harness.places import SAMPLES, clip
from harness.tiers import tiered
from harness.watching import AHEAD, APPEARED, DISAPPEARED, Cues
from harness.webvtt import Rendition

Request = engine_pb2.SessionRequest
CLIPS = ["subs-srt.mkv", "subs-ass.mkv", "subs-movtext.mp4", "subs-webvtt.webm", "subs-zlib.mkv", "subs-offset.mkv",
        "several.mkv"]
TEXT = {"subrip", "ass", "ssa", "webvtt", "mov_text", "text"}
CONTAINERS = {".mkv", ".mp4", ".webm", ".mov", ".m4v", ".avi", ".ts", ".ogg"}


def plain(text):
    """ffmpeg's text in the engine's form: hard spaces and escaped braces are plain characters, and alignment is not
    text."""
    for source, result in {"\r\n": "\n", "\\h": "\u00a0", "{\\an8}": "", "\\{": "{", "\\}": "}"}.items():
        text = text.replace(source, result)
    return text


def expected(path, number=0):
    """(start, end, text) of each cue as ffmpeg converts it, in order of start; times in milliseconds, the resolution of
    SubRip."""
    found = subtitles.converted(path, number)
    return sorted(((start // 1000, end // 1000, plain(text)) for start, end, text in found), key=lambda cue: cue[0])


def times_and_text(cues):
    return [(round(cue["start_us"] / 1000), round(cue["end_us"] / 1000), cue["text"]) for cue in cues]


@pytest.mark.parametrize("name", tiered(CLIPS, {"subs-srt.mkv", "subs-ass.mkv", "subs-movtext.mp4", "subs-webvtt.webm", "subs-zlib.mkv"}))
def test_cues_match_the_conversion_by_ffmpeg(engine, name):
    wanted = expected(clip(name))
    assert wanted and times_and_text(subtitles.listed(clip(name), engine=engine)) == wanted


def text_track_numbers(path):
    """The numbers of the text tracks among the subtitle streams."""
    found = subprocess.run(
        ["ffprobe", "-v", "quiet", "-select_streams", "s", "-show_entries", "stream=codec_name", "-of", "csv=p=0", path],
        capture_output=True, text=True, timeout=PATIENCE).stdout.split()
    return [number for number, codec in enumerate(found) if codec in TEXT]


@pytest.mark.long
def test_cues_of_every_sample_match_the_conversion_by_ffmpeg(engine):
    found = 0
    for path in sorted(path for path in SAMPLES.rglob("*") if path.suffix in CONTAINERS):
        for number in text_track_numbers(path):
            wanted, listed = expected(path, number), subtitles.listed(path, "--track", number, engine=engine)
            assert wanted and times_and_text(listed) == wanted, (path, number)
            with engine.session(path) as session:
                cues, _, _ = subtitles.read(engine, session_id=session.id, number=number)
                assert [f"{cue.id:x}" for cue in cues] == [cue["id"] for cue in listed]
                assert [cue.start_us for cue in cues] == [cue["start_us"] for cue in listed]
            found += 1
    if not SAMPLES.exists():
        pytest.skip("the samples are not here")
    assert found >= 4


@pytest.mark.parametrize("name", tiered(["subs-srt.mkv", "subs-offset.mkv"], {"subs-offset.mkv"}))
def test_cues_are_due_with_their_frames(engine, name):
    """Cues are on the source's clock in lists, on the session's in segments and events: these differ by the start of
    the session."""
    path = clip(name)
    with engine.session(path, subtitles=selection(2)) as session:
        shift = session.state.media.start_us
        assert name == "subs-srt.mkv" or shift > 35_000_000_000
        cues, _, _ = subtitles.read(engine, session_id=session.id, track=2)
        assert [(cue.start_us, cue.end_us) for cue in cues] == [
            (start, end) for start, end, _ in sorted(subtitles.converted(path), key=lambda each: each[0])]
        url = next(url for _, url in session.master().subtitles if url.endswith("-2.m3u8"))
        assert [(start, end) for start, end, _ in Rendition(url).timed_texts()] == [
            (round((cue.start_us - shift) / 1000), round((cue.end_us - shift) / 1000)) for cue in cues]
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=cues[0].start_us - shift + 100_000))
        watch = Cues(engine, session_id=session.id)
        eventually(lambda: watch.events, "the cue that is on")
        watch.end()
        event, place = watch.events[0]
        assert event.cue == cues[0] and event.time_us == cues[0].start_us - shift <= place


@pytest.mark.parametrize("name", tiered(CLIPS, {"subs-movtext.mp4", "subs-offset.mkv", "several.mkv"}))
def test_a_session_has_the_cues_of_its_source(engine, name):
    of_source, tracks, progress = subtitles.read(engine, source=str(clip(name)))
    assert progress[-1] == 1 and progress == sorted(progress) and len(tracks) == 1
    with engine.session(clip(name), subtitles=selection(tracks[0].id)) as session:
        of_session, _, progress = subtitles.read(engine, session_id=session.id)
        assert progress[-1] == 1 and progress == sorted(progress)
        assert of_session == of_source


def selection(*ids):
    return engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=ids))


@pytest.mark.parametrize("form", tiered(["srt", "vtt", "ass"], {"ass"}))
def test_exported_cues_read_back_unchanged(engine, tmp_path, form):
    path = clip("subs-srt.mkv")
    written = tmp_path / f"subs.{form}"
    written.write_text(subtitles.enginectl("cues", path, "--format", form, engine=engine).stdout)
    assert [(*times, plain(text)) for *times, text in subtitles.converted(written)] == [
        (*times, plain(text)) for *times, text in subtitles.converted(path)]


def test_ass_overrides_become_styles(engine):
    cues = subtitles.listed(clip("subs-ass.mkv"), engine=engine)
    slanted, sign, lookalikes, red, last = cues
    assert [(run["text"], run["italic"]) for run in slanted["runs"]] == [("Slanted", True), (", then not", False)]
    assert sign["alignment"] == 7 and sign["position"] == {"x": 0.5, "y": 0.25}
    assert sign["runs"][0]["bold"] and sign["runs"][0]["color"] == "#00ff00" and sign["text"] == "A sign\nin two lines"
    assert [(run["text"], run["font"], run["size"]) for run in lookalikes["runs"]] == [
        ("Plain,", "DejaVu Sans", 0.1), (" large, ", "Serif", 0.2), ("and back", "DejaVu Sans", 0.1)]
    assert not any(run["bold"] or run["italic"] or run["strikeout"] for run in lookalikes["runs"])
    assert [run["color"] for run in red["runs"]] == ["#ff0000", "#ffffff"] and last["runs"][0]["bold"]


def test_tracks_are_chosen_by_number_id_and_language(engine):
    path = clip("subs-dual.mkv")
    first = {name: subtitles.listed(path, "--track", name, engine=engine)[0]["text"] for name in ("0", "1", "de", "English")}
    assert first == {"0": "Bold and italic, orange", "1": "Fett and italic, orange", "de": "Fett and italic, orange",
                     "English": "Bold and italic, orange"}
    # If no track is named, the default track of the source is listed.
    assert subtitles.listed(path, engine=engine)[0]["text"] == "Fett and italic, orange"
    for name in ("3", "999999", "Klingon"):
        failed = subtitles.enginectl("cues", path, "--track", name, engine=engine, check=False)
        assert failed.returncode == 1 and "track_not_found" in failed.stderr, failed.stderr
    for request in ({"number": 3}, {"track": 0}, {"language": "xx"}):
        with pytest.raises(grpc.RpcError) as error:
            subtitles.read(engine, source=str(path), **request)
        assert error.value.code() == grpc.StatusCode.NOT_FOUND
    with pytest.raises(grpc.RpcError) as error:
        subtitles.read(engine, source=str(clip("video-only.mkv")))
    assert error.value.code() == grpc.StatusCode.NOT_FOUND


def test_a_range_returns_the_cues_visible_in_it(engine):
    path = clip("subs-srt.mkv")
    whole = subtitles.listed(path, engine=engine)
    part = subtitles.listed(path, "--from", "9.2", "--to", "14", engine=engine)
    assert part == [cue for cue in whole if cue["start_us"] < 14_000_000 and cue["end_us"] > 9_200_000]
    with engine.session(path) as session:
        span = subtitles_pb2.CueRange(start_us=9_200_000, end_us=14_000_000)
        cues, _, _ = subtitles.read(engine, session_id=session.id, range=span)
        assert [f"{cue.id:x}" for cue in cues] == [cue["id"] for cue in part]


@pytest.mark.parametrize("name", tiered(["subs-srt.mkv", "subs-movtext.mp4", "subs-offset.mkv"], {"subs-movtext.mp4"}))
def test_seeks_do_not_change_the_cue_list(engine, name):
    linear, _, _ = subtitles.read(engine, source=str(clip(name)))
    with engine.session(clip(name), subtitles=selection(2)) as session:
        engine.stub.Play(Request())
        dice = random.Random(4)
        for turn in range(50):
            target = dice.randrange(0, session.state.duration_us)
            engine.stub.Seek(engine_pb2.SeekRequest(position_us=target))
            target += session.state.media.start_us
            if turn % 10 == 0:
                span = subtitles_pb2.CueRange(start_us=target, end_us=target + 2_000_000)
                part, _, _ = subtitles.read(engine, session_id=session.id, range=span)
                assert part == [each for each in linear if each.start_us < span.end_us and each.end_us > target]
        again, _, _ = subtitles.read(engine, session_id=session.id)
        assert again == linear


@pytest.mark.parametrize("name", tiered(["subs-srt.mkv", "subs-movtext.mp4"], {"subs-movtext.mp4"}))
def test_reading_cues_does_not_change_segments(engine, name):
    def digests(session):
        return [digest(url) for url in session.master().everything()]

    with engine.session(clip(name), subtitles=selection()) as session:
        alone = digests(session)
    with engine.session(clip(name), subtitles=selection(2)) as session:
        done = threading.Event()

        def keep_reading():
            while not done.is_set():
                subtitles.read(engine, session_id=session.id)
                subtitles.read(engine, source=str(clip(name)))

        reader = threading.Thread(target=keep_reading)
        reader.start()
        try:
            assert digests(session) == alone
        finally:
            done.set()
            reader.join(PATIENCE)


def test_cues_appear_and_disappear_on_time(engine):
    with engine.session(clip("subs-srt.mkv"), subtitles=selection(2)) as session:
        cues = Cues(engine, session_id=session.id)
        engine.stub.Play(Request())
        eventually(lambda: len(cues.texts(DISAPPEARED)) >= 5, "five cues to have gone")
        cues.end()
    assert cues.texts(APPEARED)[:5] == ["Bold and italic, orange", "Back", "to back", "- One speaker", "- Another speaker"]
    for event, place in cues.events:
        assert event.time_us == (event.cue.start_us if event.stage == APPEARED else event.cue.end_us)
        # Never early.
        assert event.time_us - 20_000 <= place, (event, place)
    # A busy machine delays events, but not all of them.
    assert min(place - event.time_us for event, place in cues.events) < 1_000_000


def test_a_watch_begins_with_the_visible_cues(engine):
    with engine.session(clip("subs-srt.mkv"), subtitles=selection(2)) as session:
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=9_200_000))
        cues = Cues(engine, session_id=session.id)
        eventually(lambda: len(cues.events) >= 2, "both cues")
        assert cues.texts(APPEARED) == ["Long, under what is short,\nin two lines", "above"]
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=17_000_000))
        eventually(lambda: len(cues.texts(DISAPPEARED)) == 2, "both to go")
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=14_100_000))
        eventually(lambda: "Grüße, 日本語, 🎬" in cues.texts(APPEARED), "the cue at another place")
        without = Cues(engine, session_id=session.id, without_cues=True)
        eventually(lambda: without.position, "a snapshot")
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=9_200_000))
        eventually(lambda: cues.texts(APPEARED).count("above") == 2, "the cues of the other watch")
        # Events arrive in order, so those of the first seek have arrived when the second one shows.
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=17_000_000))
        eventually(lambda: without.position.position_us == 17_000_000, "the second seek")
        without.end()
        cues.end()
        assert not without.events


@pytest.mark.long
def test_cues_are_announced_ahead_of_time(engine):
    with engine.session(clip("subs-srt.mkv"), subtitles=selection(2)) as session:
        cues = Cues(engine, session_id=session.id, cue_lead_us=2_000_000)
        engine.stub.Play(Request())
        eventually(lambda: "- One speaker" in cues.texts(APPEARED), "a cue that was announced before")
        cues.end()
    ahead = [(event, place) for event, place in cues.events if event.stage == AHEAD]
    announced = [event.cue.text.plain for event, _ in ahead]
    assert announced == sorted(set(announced), key=announced.index) and "- One speaker" in announced
    stages = [(event.stage, event.cue.id) for event, _ in cues.events]
    for event, place in ahead:
        assert event.time_us - place <= 2_100_000
        assert (APPEARED, event.cue.id) not in stages[:stages.index((AHEAD, event.cue.id))]
    # A busy machine delays events, but not all of them.
    assert max(event.time_us - place for event, place in ahead) > 1_000_000


def test_several_tracks_are_shown_at_once(engine):
    with engine.session(clip("subs-dual.mkv")) as session:
        ids = [track.id for track in session.state.subtitle_tracks]
        assert [track.language for track in session.state.subtitle_tracks] == ["eng", "ger", "eng"]
        assert list(session.state.selected_subtitles) == [ids[1]]
        select = engine_pb2.SelectSubtitlesRequest(subtitles=selection(ids[2], ids[0]))
        assert list(engine.stub.SelectSubtitles(select).state.selected_subtitles) == [ids[2], ids[0]]
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=1_500_000))
        cues = Cues(engine, session_id=session.id)

        def both(stage):
            # Cues shown before the selection may be reported, too.
            return cues.texts(stage, ids[0]) + cues.texts(stage, ids[2])

        eventually(lambda: len(both(APPEARED)) == 3, "cues of both tracks")
        assert cues.texts(APPEARED, ids[0]) == ["Bold and italic, orange"]
        assert cues.texts(APPEARED, ids[2]) == ["Slanted, then not", "A sign\nin two lines"]
        read, _, _ = subtitles.read(engine, session_id=session.id)
        assert {cue.track for cue in read} == {ids[0], ids[2]}
        assert [cue.start_us for cue in read] == sorted(cue.start_us for cue in read)
        engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(subtitles=selection()))
        eventually(lambda: len(both(DISAPPEARED)) == 3, "all to go")
        cues.end()


@pytest.mark.parametrize("languages, place", [(["fr", "en"], 0), (["German"], 1), (["xx"], None)])
def test_a_load_selects_tracks_by_preferred_language(engine, languages, place):
    wanted = engine_pb2.SubtitleSelection(languages=engine_pb2.LanguageList(languages=languages))
    with engine.session(clip("subs-dual.mkv"), subtitles=wanted) as session:
        tracks = [track.id for track in session.state.subtitle_tracks]
        assert list(session.state.selected_subtitles) == ([] if place is None else [tracks[place]])


def test_scripts_are_returned_unchanged(engine):
    path = clip("subs-ass.mkv")
    copied = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:s", "-c", "copy", "-f", "ass", "-"],
                            check=True, capture_output=True, text=True).stdout.replace("\r", "")
    with engine.session(path, subtitles=selection(2), preserve_ass=True) as session:
        for place in ({"source": str(path)}, {"session_id": session.id}):
            script = subtitles.data(engine.stub.GetScript(subtitles_pb2.GetScriptRequest(**place))).decode()
            assert script.split() == copied.split()
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=1_500_000))
        cues = Cues(engine, session_id=session.id)
        eventually(lambda: len(cues.events) == 2, "both events")
        cues.end()
        assert all(event.cue.text.raw in copied for event, _ in cues.events)
        raw, _, _ = subtitles.read(engine, session_id=session.id, raw=True)
        assert [cue.text.raw for cue in raw] == [line for line in copied.splitlines() if line.startswith("Dialogue:")]
        bare, _, _ = subtitles.read(engine, session_id=session.id)
        assert not any(cue.text.raw for cue in bare)


def test_fonts_are_returned_as_attachments(engine):
    path = clip("subs-ass.mkv")
    font = next(each for each in engine.probe(path).streams if each.file_name == "subs.ttf")
    assert font.mime_type == "font/ttf"
    with engine.session(path) as session:
        for place in ({"source": str(path)}, {"session_id": session.id}):
            request = subtitles_pb2.GetAttachmentRequest(stream_index=font.index, **place)
            assert subtitles.data(engine.stub.GetAttachment(request)) == b"not really a font\n"
        for index in (0, 999):
            with pytest.raises(grpc.RpcError) as error:
                subtitles.data(engine.stub.GetAttachment(subtitles_pb2.GetAttachmentRequest(stream_index=index)))
            assert error.value.code() == grpc.StatusCode.NOT_FOUND


def test_invalid_text_is_replaced(engine):
    whole = {cue["start_us"]: cue["text"] for cue in subtitles.listed(clip("subs-srt.mkv"), engine=engine)}
    cues = subtitles.listed(clip("subs-bad.mkv"), engine=engine)
    assert [cue["start_us"] for cue in cues if cue["start_us"] != 5_000_000] == [each for each in whole if each != 5_000_000]
    texts = {cue["text"] for cue in cues}
    assert "B\ufffdck" in texts
    assert any(text.startswith("- ") and "\ufffd" in text and text.endswith("ker") for text in texts), texts


@pytest.mark.long
def test_a_hundred_thousand_cues_are_read(engine, tmp_path):
    def clock(milliseconds):
        return f"00:{milliseconds // 60000:02}:{milliseconds // 1000 % 60:02},{milliseconds % 1000:03}"

    lines = (f"{number + 1}\n{clock(number // 4)} --> {clock(number // 4 + 40)}\nline {number}\n\n" for number in range(100_000))
    (tmp_path / "many.srt").write_text("".join(lines))
    path = tmp_path / "many.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", clip("h264-aac.mkv"), "-i", tmp_path / "many.srt", "-map", "0",
                    "-map", "1", "-c", "copy", "-c:s", "srt", path], check=True)
    cues, _, _ = subtitles.read(engine, source=str(path))
    assert [cue.text.plain for cue in cues] == [f"line {number}" for number in range(100_000)]
    with engine.session(path, subtitles=selection(2)) as session:
        again, _, _ = subtitles.read(engine, session_id=session.id)
        assert hashlib.sha256(b"".join(cue.SerializeToString() for cue in again)).digest() == hashlib.sha256(
            b"".join(cue.SerializeToString() for cue in cues)).digest()
        assert engine.stub.Pause(Request()).state.session_id == session.id


@pytest.mark.long
def test_reading_ends_when_the_cue_window_is_full(fresh_engine, tmp_path):
    lines, path = tmp_path / "fat.srt", tmp_path / "fat.mkv"

    def stamp(milliseconds):
        return f"00:{milliseconds // 60_000:02}:{milliseconds // 1000 % 60:02},{milliseconds % 1000:03}"

    with open(lines, "w") as file:
        for number in range(40_000):
            start = number * 3
            file.write(f"{number}\n{stamp(start)} --> {stamp(start + 500)}\n{number} {'x' * 1200}\n\n")
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x36:r=5:d=120", "-i", str(lines), "-map", "0",
         "-map", "1", "-c:v", "libx264", "-preset", "ultrafast", "-g", "5", "-c:s", "srt", str(path)], check=True)
    engine = fresh_engine
    with engine.session(path, segment_target_us=1_000_000, subtitles=selection(1)):
        begun = engine.cpu_seconds()
        eventually(lambda: engine.cpu_seconds() > begun + 0.3, "reading to begin")

        def is_idle():
            before = engine.cpu_seconds()
            time.sleep(1)
            return engine.cpu_seconds() - before < 0.1

        eventually(is_idle, "reading to end")
