# SPDX-License-Identifier: Apache-2.0
"""Subtitles that the engine draws look as ffmpeg draws them on the same frames, with the source's fonts, whatever was
requested before. Scripts made to be costly stay within limits."""

import contextlib
import pathlib
import shutil
import subprocess

import grpc
import numpy
import pytest
from harness import graphics
from harness.contract import engine_pb2, subtitles_pb2
from harness.drawing import BEYOND, HEIGHT, RATE, ROUNDING, WIDTH, at, composed, draw, film, reference, script
from harness.engine import PATIENCE, eventually
from harness.enginectl import ctl  # noqa: F401, fixture
from harness.places import ENGINED, FIXTURES
from harness.tiers import tiered

EVENTS = [
    "0,0:00:00.20,0:00:01.00,Default,,0,0,0,,Plain text\\Nin two lines",
    # Two layers of the same text, which are one cue as text. The second event is in the lower layer and drawn first.
    "1,0:00:00.40,0:00:01.60,Sign,,0,0,0,,{\\pos(200,60)}TYPESET",
    "0,0:00:00.40,0:00:01.60,Sign,,0,0,0,,{\\pos(200,60)\\blur4\\bord6\\3c&H00FF00&}TYPESET",
    "0,0:00:00.80,0:00:01.80,Sign,,0,0,0,,{\\p1\\pos(500,100)\\frz20\\c&HFF8040&\\clip(480,80,560,150)}m 0 0 b 40 0 80 40 80 80 l 0 80",
    # Collides with the first line.
    "0,0:00:00.60,0:00:01.40,Default,,0,0,0,,Another speaker",
    "0,0:00:01.60,0:00:02.60,Default,,0,0,0,,{\\k30}Ka{\\kf40}ra{\\ko30}oke",
    "0,0:00:02.00,0:00:03.00,Box,,0,0,0,,{\\fad(200,300)}Fades in and out",
    "0,0:00:02.20,0:00:03.20,Sign,,0,0,0,,{\\move(0,200,400,250)\\t(0,800,\\fscx200\\frx60)}moves",
    "0,0:00:03.40,0:00:03.60,Default,,0,0,0,Banner;8,scrolls by",
]


@pytest.fixture(scope="module")
def typeset(tmp_path_factory):
    return film(tmp_path_factory.mktemp("typeset"), script(*EVENTS))


@pytest.mark.long
def test_every_frame_is_drawn_as_ffmpeg_draws_it(engine, typeset):
    pictures, first = draw(engine, source=str(typeset), frame_rate=RATE)
    assert first.track.codec == "ass"
    for grey, share in BEYOND.items():
        frames = reference(typeset, grey=grey)
        assert len(frames) == 4 * RATE
        shown = changed = beyond = 0
        for number, theirs in enumerate(frames):
            wrong = abs(composed(at(pictures, number * 1_000_000 // RATE), grey=grey) - theirs)
            assert wrong.max() <= ROUNDING, f"frame {number} over {grey}"
            shown += (theirs != grey).any()
            changed += (theirs != grey).sum()
            beyond += (wrong > 1).sum()
        assert shown > 70 and beyond <= share * changed, (grey, beyond, changed)
    # Each picture replaces the one before it, without a gap.
    assert all(one.end_us == other.start_us for one, other in zip(pictures, pictures[1:]))


@pytest.mark.long
@pytest.mark.parametrize("count, limit", [(6, 4), (20, 5)])
def test_many_translucent_layers_are_darkened_as_by_ffmpeg(engine, tmp_path, count, limit):
    events = [
        f"{n},0:00:00.00,0:00:04.00,Default,,0,0,0,,{{\\pos({100 + n * 3},{200 + n * 2})\\fs90\\alpha&H90&"
        f"\\c&H{n * 40 % 256:02X}{n * 90 % 256:02X}{200 - n * 9:02X}&}}Layers" for n in range(count)]
    path = tmp_path / "script.ass"
    path.write_text(script(*events))
    pictures, _ = draw(engine, source=str(path))
    for grey in BEYOND:
        wrong = abs(composed(pictures[0], grey=grey) - reference(path, grey=grey)[0])
        assert wrong.max() <= limit and (wrong > 1).mean() < 0.005, (grey, wrong.max(), (wrong > 1).mean())


@pytest.mark.long
def test_a_session_draws_the_same_at_another_size(engine, typeset):
    session = engine.load(typeset)
    pictures, _ = draw(engine, 1280, 720, session_id=session.id, number=0)
    theirs = reference(typeset, 1280, 720)
    for number in (12, 24, 35, 48, 60, 77, 88):
        assert abs(composed(at(pictures, number * 40_000), 1280, 720) - theirs[number]).max() <= ROUNDING, f"frame {number}"


def test_a_picture_does_not_depend_on_what_was_requested(engine, typeset):
    whole, _ = draw(engine, source=str(typeset), frame_rate=RATE)
    for start in range(0, 4_000_000, 520_000):
        span = subtitles_pb2.CueRange(start_us=start, end_us=start + 600_000)
        part, _ = draw(engine, source=str(typeset), frame_rate=RATE, range=span)
        assert part[0].start_us == start and part[-1].end_us == start + 600_000
        for time in range(start, start + 600_000, 40_000):
            theirs, ours = at(whole, time), at(part, time)
            assert [image.png for image in ours.images] == [image.png for image in (theirs.images if theirs else [])], time


def test_the_fonts_of_the_source_are_used(engine, tmp_path):
    # A font renamed to a name that no system knows.
    font = next(path for path in ("/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf",))
    (tmp_path / "font.ttf").write_bytes(open(font, "rb").read().replace(
        "DejaVu Sans Mono".encode("utf-16-be"), "Private Letters!".encode("utf-16-be")))
    text = script("0,0:00:00.00,0:00:04.00,Default,,0,0,0,,{\\fnPrivate Letters!\\fs60}iiiiWWWW")
    without = film(tmp_path, text, name="without.mkv")
    path = film(tmp_path, text, "-attach", "font.ttf", "-metadata:s:t:0", "mimetype=application/octet-stream",
                "-metadata:s:t:0", "filename=font.bin")
    pictures, first = draw(engine, source=str(path))
    assert (first.fonts, first.fonts_left_out, first.fonts_unavailable) == (1, 0, "")
    fallback, first = draw(engine, source=str(without))
    assert first.fonts == 0
    # The letters of this font have one width.
    assert pictures[0].images[0].width != fallback[0].images[0].width
    (tmp_path / "fonts").mkdir()
    (tmp_path / "font.ttf").rename(tmp_path / "fonts" / "font.ttf")
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"color=c=0x606060:size={WIDTH}x{HEIGHT}:rate={RATE}:duration=1,format=gbrp",
         "-vf", f"ass={tmp_path}/script.ass:fontsdir={tmp_path}/fonts,format=rgb24", "-frames:v", "1", "-f", "rawvideo", "-"],
        check=True, capture_output=True, timeout=PATIENCE).stdout
    theirs = numpy.frombuffer(raw, numpy.uint8).reshape(HEIGHT, WIDTH, 3).astype(int)
    assert abs(composed(pictures[0]) - theirs).max() <= ROUNDING


def test_other_text_is_drawn_and_bitmaps_are_passed_on(engine, tmp_path):
    pictures, first = draw(engine, source=str(FIXTURES / "subs-srt.mkv"), number=0)
    assert first.track.text and any(each.images for each in pictures)
    (tmp_path / "bitmaps.sup").write_bytes(graphics.file([
        (1.0, graphics.shown([(20, 10, 40, 12, False), (101, 140, 90, 20, True)], number=1)), (3.0, graphics.cleared())]))
    path = str(tmp_path / "bitmaps.sup")
    cues = [cue for batch in engine.stub.GetCues(subtitles_pb2.GetCuesRequest(source=path), timeout=PATIENCE) for cue in batch.cues]
    pictures, first = draw(engine, source=path)
    assert not first.track.text
    assert [(each.start_us, each.end_us) for each in pictures if each.images] == [(1_000_000, 3_000_000)]
    shown = next(each for each in pictures if each.images)
    assert [image.png for image in shown.images] == [cue.image.png for cue in cues]


def test_a_script_has_every_event(engine, typeset):
    def cues(raw):
        request = subtitles_pb2.GetCuesRequest(source=str(typeset), raw=raw)
        return [cue for batch in engine.stub.GetCues(request, timeout=PATIENCE) for cue in batch.cues]
    # As text, the two layers are one cue, and the drawing is not a cue.
    assert len(cues(raw=False)) == len(EVENTS) - 2
    assert len({cue.id for cue in cues(raw=True)}) == len(EVENTS)
    request = subtitles_pb2.GetScriptRequest(source=str(typeset))
    text = b"".join(chunk.data for chunk in engine.stub.GetScript(request, timeout=PATIENCE)).decode()
    assert sorted(line.split(",", 3)[3] for line in text.splitlines() if line.startswith("Dialogue:")) \
        == sorted(event.split(",", 3)[3] for event in EVENTS)


@pytest.mark.parametrize("field, change", [
    ("width", {"width": 15}), ("height", {"height": 8193}), ("frame_rate", {"frame_rate": 121}), ("frame_rate", {"frame_rate": 0.5}),
])
def test_canvases_and_rates_beyond_the_limits_are_refused(engine, typeset, field, change):
    with pytest.raises(grpc.RpcError) as failure:
        draw(engine, source=str(typeset), **change)
    assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert field in failure.value.details()


def hostile(seed):
    """An event that is costly, or nonsense, in one of many ways."""
    ways = [
        "{\\fs4000\\blur100\\bord500}" + "W" * 50, "{\\fscx100000\\fscy100000}x", "{\\be127}" + "blur " * 100,
        "{\\p1\\pos(0,0)}m 0 0 " + "".join(f"l {n * 37 % 640} {n * 91 % 360} " for n in range(20_000)),
        "{\\p30}m 0 0 l 999999999 0 999999999 999999999", "{\\clip(" + "m 0 0 l 9 9 " * 2000 + ")}x", "{\\t(" * 2000 + "x",
        "{\\frx89.99\\fry89.99\\fs300}deep", "{\\fsp1e30\\fs1e30}far", "{\\k" + "9" * 40 + "}long", "{\\move(1e300,-1e300,0,0)}x",
        "\\N" * 20_000 + "x", "{\\rNone\\q9\\an99\\pbo-9999999\\p1}m", "\u202e\u0300" * 20_000, "{\\fnDejaVu Sans\\fs-5}x",
    ]
    return ways[seed % len(ways)]


@pytest.mark.parametrize("seed", tiered(range(50), lean={0}))
def test_hostile_scripts_end(engine, tmp_path, seed):
    events = [f"{n % 3},0:00:00.00,0:00:02.00,Default,,0,0,0,{'Scroll up;0;0;0' if seed % 4 == 3 else ''},{hostile(seed + n)}"
              for n in range(1 + seed % 5 * 10)]
    (tmp_path / "hostile.ass").write_text(script(*events))
    try:
        pictures, _ = draw(engine, source=str(tmp_path / "hostile.ass"), frame_rate=1)
        assert pictures[-1].end_us == -1 or pictures[-1].end_us >= 1_990_000
    except grpc.RpcError as failure:
        assert failure.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, failure
        assert "too costly to draw" in failure.details()
    assert engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE) is not None


def helpers(engine):
    """The processes that an engine has started."""
    found = []
    for task in pathlib.Path(f"/proc/{engine.pid}/task").iterdir():
        # A thread may end meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += (task / "children").read_text().split()
    return found


@pytest.mark.long
@pytest.mark.parametrize("text", [
    "{\\pos(9,9)\\fs2000\\blur50\\bord100}WWWWWWWW", "{\\pos(9,9)\\t(100,101,\\fs3000\\blur90\\bord200)}WWWWWWWW",
    "{\\p1\\pos(0,0)}m 0 0 l 640 0 640 360 0 360", "many lines that make room for each other",
])
def test_thousands_of_costly_events_end_in_time_and_memory(fresh_engine, tmp_path, text):
    events = [f"{n % 7},0:00:00.00,0:00:02.00,Default,,0,0,0,,{text}{n}" for n in range(5000)]
    (tmp_path / "many.ass").write_text(script(*events))
    with pytest.raises(grpc.RpcError) as failure:
        draw(fresh_engine, 1920, 1080, source=str(tmp_path / "many.ass"))
    assert failure.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, failure.value
    assert "too costly to draw" in failure.value.details()
    eventually(lambda: not helpers(fresh_engine), "the program that draws to be gone")
    assert fresh_engine.own_bytes() < 200 << 20


def test_a_client_that_leaves_ends_the_program(fresh_engine, tmp_path):
    events = [f"0,0:00:{n:02}.00,0:00:59.00,Default,,0,0,0,,{{\\t(0,60000,\\frz3600)}}turns" for n in range(50)]
    (tmp_path / "turning.ass").write_text(script(*events))
    request = subtitles_pb2.DrawSubtitlesRequest(
        cues=subtitles_pb2.GetCuesRequest(source=str(tmp_path / "turning.ass")), width=1920, height=1080)
    call = fresh_engine.stub.DrawSubtitles(request, timeout=PATIENCE)
    next(call)
    assert len(helpers(fresh_engine)) == 1
    call.cancel()
    eventually(lambda: not helpers(fresh_engine), "the program that draws to be gone")


def test_an_engine_that_is_killed_leaves_no_program(start_engine, tmp_path):
    (tmp_path / "slow.ass").write_text(script("0,0:00:00.00,0:10:00.00,Default,,0,0,0,,{\\t(0,600000,\\frz3600)}turns"))
    engine = start_engine()
    request = subtitles_pb2.DrawSubtitlesRequest(
        cues=subtitles_pb2.GetCuesRequest(source=str(tmp_path / "slow.ass")), width=1920, height=1080)
    call = engine.stub.DrawSubtitles(request, timeout=PATIENCE)
    next(call)
    child, = helpers(engine)
    engine.kill()
    eventually(lambda: not pathlib.Path(f"/proc/{child}").exists(), "the program that draws to be gone")


@pytest.mark.parametrize("program, code, words", tiered([
    (None, grpc.StatusCode.UNAVAILABLE, "engined-subtitles is not installed"),
    ("#!/bin/sh\nexit 0\n", grpc.StatusCode.RESOURCE_EXHAUSTED, "ended"),
    ("#!/bin/sh\nexec cat >&0\n", grpc.StatusCode.RESOURCE_EXHAUSTED, "ended"),
], lambda case: case[0] is None))
def test_a_program_that_is_missing_or_fails_is_told(start_engine, tmp_path, typeset, program, code, words):
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(ENGINED, folder / "engined")
    if program:
        (folder / "engined-subtitles").write_text(program)
        (folder / "engined-subtitles").chmod(0o755)
    engine = start_engine(program=folder / "engined")
    with pytest.raises(grpc.RpcError) as failure:
        draw(engine, source=str(typeset))
    assert failure.value.code() == code
    assert words in failure.value.details() + str(failure.value.trailing_metadata())
    # Bitmaps need no program.
    (tmp_path / "bitmaps.sup").write_bytes(graphics.file([
        (1.0, graphics.shown([(20, 10, 40, 12, False)], number=1)), (3.0, graphics.cleared())]))
    assert draw(engine, source=str(tmp_path / "bitmaps.sup"))[0]


@pytest.mark.long
def test_enginectl_draws_into_a_folder(ctl, typeset, tmp_path):
    folder = tmp_path / "drawn"
    lines = ctl("draw", str(typeset), "--size", "640x360", "--from", "0.5", "--to", "1.2", "-o", str(folder)).splitlines()
    assert lines[0].startswith("0:00.500 - ") and "x" in lines[0]
    files = sorted(folder.iterdir())
    assert files and all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    assert len(ctl("draw", str(typeset), "--size", "640x360", "--json").splitlines()) > 20
