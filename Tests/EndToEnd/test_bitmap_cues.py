# SPDX-License-Identifier: Apache-2.0
"""Bitmap cues have the pixels that ffmpeg overlays on black, end when the next set of bitmaps begins, and are the same
after seeks."""

import random

import pytest
from harness import graphics, payloads, transport
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE
from harness.places import SAMPLES
from harness.tiers import tiered

# Pixels with an alpha below 8 are cropped at the edges, so a sample there may differ by that much.
CUT = 8


def cues(engine, **place):
    request = subtitles_pb2.GetCuesRequest(**place)
    return [cue for batch in engine.stub.GetCues(request, timeout=PATIENCE) for cue in batch.cues]


def live(found, microseconds):
    return [each.image for each in found
            if each.start_us <= microseconds and (each.end_us == -1 or microseconds < each.end_us)]


def plain(found):
    return [(each.start_us, each.end_us, each.forced, each.image.x, each.image.y, each.image.png) for each in found]


def assert_same_as_overlay(source, found, canvas, times, tolerance=0, options=(), start=0):
    for time, theirs in zip(times, graphics.overlaid(source, [time + start for time in times], canvas, options)):
        ours = graphics.composed(live(found, time * 1_000_000), canvas)
        assert graphics.difference(ours, theirs) <= tolerance, f"at {time} s"
        assert any(theirs) == bool(live(found, time * 1_000_000)), f"at {time} s"


@pytest.mark.long
@pytest.mark.parametrize("name, canvas, times", [
    ("androidx+media/mkv/sample_with_pgs_subtitles.mkv", (1280, 720), [0.6]),
    ("androidx+media/mkv/sample_with_vobsub.mkv", (1280, 720), [0.6]),
    ("SubtitleEdit+subtitleedit/tests/libse/Files/sample_TS_dvbsub_at_video_start.ts", (320, 240), [2.0, 5.0]),
])
def test_bitmap_cues_of_samples_match_ffmpeg_overlays(engine, name, canvas, times):
    source = SAMPLES / name
    if not source.exists():
        pytest.skip(f"{source.name} is not here")
    options = ("-canvas_size", f"{canvas[0]}x{canvas[1]}")
    assert_same_as_overlay(source, cues(engine, source=str(source)), canvas, times, CUT - 1, options)


SETS = [
    (0.0, graphics.cleared()),
    # Two objects; then a forced one that replaces both; then nothing; then two in direct succession.
    (1.0, graphics.shown([(20, 10, 40, 12, False), (101, 140, 90, 20, True)], number=1)),
    (3.0, graphics.shown([(60, 30, 70, 16, True)], number=2)),
    (5.0, graphics.cleared(3)),
    (7.0, graphics.shown([(0, 0, 30, 10, False)], number=4)),
    (8.0, graphics.shown([(290, 170, 30, 10, False)], number=5)),
    (9.0, graphics.cleared(6)),
]
EXPECTED = [(1.0, 3.0, False), (1.0, 3.0, True), (3.0, 5.0, True), (7.0, 8.0, False), (8.0, 9.0, False)]
MIDDLES = [0.5, 2.0, 4.0, 6.0, 7.5, 8.5, 9.5]


def write_sup(path, sets):
    path.write_bytes(graphics.file(sets))
    return path


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    return graphics.video(tmp_path_factory.mktemp("graphics") / "film.mp4", 12)


@pytest.fixture(scope="module")
def broadcast(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphics")
    source = graphics.video(folder / "film.mp4", 12)
    return graphics.joined(folder / "film.ts", source, options=("-muxdelay", "0", "-muxpreload", "0"))


def times(found):
    return [(each.start_us / 1e6, each.end_us / 1e6, each.forced) for each in found]


def muxed(kind, film, sup, folder):
    out = folder / f"sets.{kind.split('-')[-1]}"
    if kind == "zlib-mkv":
        payloads.run("mkvmerge", "-q", "-o", str(out), str(film), "--compression", "0:zlib", str(sup))
    else:
        graphics.joined(out, film, sup, options=("-muxdelay", "0", "-muxpreload", "0") if kind == "m2ts" else ())
    return out


@pytest.mark.parametrize("kind", tiered(["mkv", "zlib-mkv", "m2ts"], {"mkv"}))
def test_each_pgs_object_is_a_cue_until_the_next_display_set(engine, kind, film, tmp_path):
    source = muxed(kind, film, write_sup(tmp_path / "sets.sup", SETS), tmp_path)
    found = cues(engine, source=str(source))
    assert times(found) == EXPECTED
    assert_same_as_overlay(source, found, graphics.CANVAS, MIDDLES)
    with engine.session(source) as session:
        assert plain(cues(engine, session_id=session.id)) == plain(found)


def test_incomplete_display_sets_yield_only_whole_cues(engine, film, tmp_path):
    whole = graphics.shown([(20, 10, 40, 12, False)], number=1)
    uncolored = graphics.composition([(0, 9, 9, False)], number=5, palette=7) + graphics.picture(0, graphics.block(8, 8, 5))
    sets = [
        (0.0, graphics.cleared()),
        # Without the end segment, but complete otherwise.
        (1.0, whole[:-len(graphics.END)]),
        (2.0, graphics.cleared(2)),
        # Half an object, and no end segment.
        (3.0, graphics.composition([(0, 20, 10, False)], number=3) + graphics.palette(graphics.COLORS)
         + graphics.picture(0, graphics.block(40, 12, 3), cut=60)),
        (4.0, graphics.shown([(60, 30, 70, 16, False)], number=4)),
        (5.0, uncolored + graphics.END),
        (6.0, graphics.segment(0x16, b"\xff" * 5) + graphics.segment(0x15, b"\xff" * 3) + graphics.END),
        (7.0, graphics.cleared(6)),
    ]
    # Not Matroska, whose muxer omits sets without an end segment.
    source = muxed("m2ts", film, write_sup(tmp_path / "bad.sup", sets), tmp_path)
    found = cues(engine, source=str(source))
    assert times(found) == [(1.0, 2.0, False), (4.0, 7.0, False)]
    assert graphics.composed(live(found, 1.5e6), graphics.CANVAS) == graphics.composed(
        [each.image for each in found[:1]], graphics.CANVAS)


# DVB pages: their times, and the regions shown.
REGIONS = [
    (0.0, []),
    (1.0, [(20, 10, graphics.block(40, 12, 1)), (101, 140, graphics.block(90, 20, 2))]),
    (3.0, [(60, 30, graphics.block(70, 16, 3))]),
    (5.0, []),
    (7.0, [(0, 0, graphics.block(30, 10, 4))]),
]


@pytest.mark.parametrize("canvas", [
    None, pytest.param((720, 576), marks=pytest.mark.long), pytest.param((1920, 1080), marks=pytest.mark.long)])
def test_dvb_pages_match_ffmpeg_overlays(engine, canvas, broadcast, tmp_path):
    units = [(round(at * 90000), transport.dvb(1, number, regions, canvas, timeout=2))
             for number, (at, regions) in enumerate(REGIONS)]
    source = transport.with_stream(broadcast, tmp_path / "dvb.ts", transport.subtitling((1, 1)), units)
    found = cues(engine, source=str(source))
    # The last page times out.
    assert times(found) == [(1.0, 3.0, False), (1.0, 3.0, False), (3.0, 5.0, False), (7.0, 9.0, False)]
    size = canvas or (720, 576)
    assert_same_as_overlay(source, found, size, [0.5, 2.0, 4.0, 6.0, 8.0], CUT - 1, ("-canvas_size", f"{size[0]}x{size[1]}"))
    with engine.session(source) as session:
        assert plain(cues(engine, session_id=session.id)) == plain(found)


@pytest.mark.long
def test_dvb_cues_use_the_ancillary_page_and_ignore_other_pages(engine, broadcast, tmp_path):
    units = []
    for number, (at, regions) in enumerate(REGIONS):
        units.append((round(at * 90000), transport.dvb(5, number, regions, colors_of=9)))
        # Another page of the same stream, for other receivers.
        units.append((round(at * 90000) + 18000, transport.dvb(6, number, [(300, 300, graphics.block(8, 8, 9))])))
    source = transport.with_stream(broadcast, tmp_path / "dvb.ts", transport.subtitling((5, 9)), units)
    found = cues(engine, source=str(source))
    assert [each[:2] for each in times(found)[:3]] == [(1.0, 3.0), (1.0, 3.0), (3.0, 5.0)] and len(found) == 4
    assert_same_as_overlay(source, found, (720, 576), [2.0, 4.0, 6.0, 8.0], CUT - 1,
                           ("-canvas_size", "720x576", "-dvb_substream", "0"))


@pytest.mark.parametrize("codec, kind, video", tiered([
    ("dvdsub", "mkv", "libx264"), ("dvdsub", "vob", "mpeg2video"), ("dvbsub", "ts", "libx264"), ("xsub", "avi", "mpeg4"),
], lambda case: case[1] in ("vob", "avi")))
def test_other_bitmap_codecs_match_ffmpeg_overlays(engine, codec, kind, video, tmp_path):
    sample = SAMPLES / "androidx+media/mkv/sample_with_vobsub.mkv"
    if not sample.exists():
        pytest.skip(f"{sample.name} is not here")
    source = tmp_path / f"out.{kind}"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(sample), "-map", "0:v", "-map", "0:s", "-c:v", video,
                 "-preset", "ultrafast", "-c:s", codec, str(source))
    found = cues(engine, source=str(source))
    assert len(found) == 1
    canvas = (found[0].image.canvas_width, found[0].image.canvas_height)
    options = ("-canvas_size", f"{canvas[0]}x{canvas[1]}")
    # A transport stream has its own clock, which is kept for a source that cannot be played.
    start = graphics.packets(source)[0][0] - found[0].start_us / 1e6
    # A program stream without a palette is shown in colors that the decoder guesses, the same in both.
    assert_same_as_overlay(source, found, canvas, [found[0].start_us / 1e6 + 0.5], CUT - 1, options, start=start)


def test_seeks_do_not_change_the_cue_list(engine, tmp_path):
    numbers = range(1, 60)
    sets = [(0.0, graphics.cleared())]
    for number in numbers:
        # Every fifth set continues the epoch and shows the picture of the set before.
        at = 2.0 * number
        if number % 5 == 4:
            moved = graphics.composition([(0, number, 60, False)], graphics.NORMAL, number) + graphics.END
            sets.append((at, moved))
        else:
            sets.append((at, graphics.shown([(number, 20, 30 + number, 12, number % 7 == 0)], number=number)))
        if number % 3 == 0:
            sets.append((at + 1.5, graphics.cleared(number)))
    film = graphics.video(tmp_path / "film.mp4", 122)
    source = muxed("mkv", film, write_sup(tmp_path / "long.sup", sets), tmp_path)
    with engine.session(source) as session:
        linear = plain(cues(engine, session_id=session.id))
    assert len(linear) == len(numbers) and linear == plain(cues(engine, source=str(source)))
    random.seed(20)
    with engine.session(source, subtitles=engine_pb2.SubtitleSelection(
            tracks=engine_pb2.SubtitleTrackList(ids=[1]))) as session:
        for _ in range(50):
            place = random.randrange(120_000_000)
            engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=place), timeout=PATIENCE)
            if random.random() < 0.2:
                start = max(0, place - 5_000_000)
                part = plain(cues(engine, session_id=session.id,
                                  range=subtitles_pb2.CueRange(start_us=start, end_us=place + 5_000_000)))
                assert [each[0] for each in part] == [
                    each[0] for each in linear if (each[1] == -1 or each[1] > start) and each[0] < place + 5_000_000]
        assert plain(cues(engine, session_id=session.id)) == linear
