# SPDX-License-Identifier: Apache-2.0
"""Cues that last for minutes are found wherever they are on screen, whatever was read before."""

import random

import pytest
from harness import graphics, hls, subtitles
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import eventually
from harness.places import clip
from harness.tiers import tiered
from harness.watching import APPEARED, Cues
from harness.webvtt import Rendition

FILMS = ["long-cues.mkv", "long-cues-unnamed.mkv", "long-cues-streamed.mkv", "long-cues.mp4"]
SECOND = 1_000_000


def listed(engine, name):
    cues, _, _ = subtitles.read(engine, source=str(clip(name)))
    return cues


def selection(cues):
    return engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids={cue.track for cue in cues}))


@pytest.mark.parametrize("name", tiered(FILMS, {"long-cues-unnamed.mkv"}))
def test_a_range_includes_long_cues(fresh_engine, name):
    linear = listed(fresh_engine, name)
    lengths = {round((cue.end_us - cue.start_us) / SECOND) for cue in linear}
    assert {31, 300} <= lengths
    dice = random.Random(name)
    with fresh_engine.session(clip(name), subtitles=selection(linear)) as session:
        for _ in range(12):
            start = dice.randrange(0, 595 * SECOND)
            fresh_engine.stub.Seek(engine_pb2.SeekRequest(position_us=start))
            span = subtitles_pb2.CueRange(start_us=start, end_us=start + SECOND)
            part, _, _ = subtitles.read(fresh_engine, session_id=session.id, range=span)
            assert part == [cue for cue in linear if cue.start_us < span.end_us and cue.end_us > span.start_us]
        again, _, _ = subtitles.read(fresh_engine, session_id=session.id)
        assert again == linear


@pytest.mark.parametrize("name", tiered(FILMS, {"long-cues-streamed.mkv"}))
def test_the_first_range_read_may_be_late_in_the_source(fresh_engine, name):
    linear = listed(fresh_engine, name)
    with fresh_engine.session(clip(name), subtitles=selection([])) as session:
        span = subtitles_pb2.CueRange(start_us=300 * SECOND, end_us=301 * SECOND)
        part, _, _ = subtitles.read(fresh_engine, session_id=session.id, track=linear[0].track, range=span)
        assert "Five minutes" in [cue.text.plain for cue in part]
        assert part == [cue for cue in linear if cue.start_us < span.end_us and cue.end_us > span.start_us]


@pytest.mark.parametrize("name", tiered(FILMS, {"long-cues.mp4", "long-cues-unnamed.mkv"}))
def test_a_seek_shows_the_current_cues(fresh_engine, name):
    linear = listed(fresh_engine, name)
    with fresh_engine.session(clip(name), subtitles=selection(linear)) as session:
        cues = Cues(fresh_engine, session_id=session.id)
        fresh_engine.stub.Seek(engine_pb2.SeekRequest(position_us=310 * SECOND))
        wanted = {cue.text.plain for cue in linear if cue.start_us < 310 * SECOND < cue.end_us}
        assert "Five minutes" in wanted
        eventually(lambda: wanted <= set(cues.texts(APPEARED)), "what is on")
        cues.end()


@pytest.mark.parametrize("name", tiered(FILMS, {"long-cues-streamed.mkv"}))
def test_segments_contain_long_cues_in_any_order_of_reads(start_engine, name):
    engine = start_engine()
    with engine.session(clip(name)) as session:
        url = next(url for _, url in session.master().subtitles)
        rendition = Rendition(url)
        cues = rendition.cues()
        assert {31_000, 300_000} <= {end - start for start, end, _, _ in cues}
        edges = rendition.edges[:-1] + [(rendition.edges[-1][0], float("inf"))]
        for (start, end), found in zip(edges, rendition.segments, strict=True):
            assert found == [cue for cue in cues if cue[0] < end and cue[1] > start]
        linear = {each.url.split("/", 4)[4]: hls.digest(each.url) for each in rendition.playlist.segments}
    other = start_engine()
    with other.session(clip(name)) as session:
        url = next(url for _, url in session.master().subtitles)
        urls = [each.url for each in hls.Media.complete(url).segments]
        random.Random(name).shuffle(urls)
        assert {each.split("/", 4)[4]: hls.digest(each) for each in urls} == linear


def test_a_bitmap_cue_lasts_until_the_next_display_set(fresh_engine, tmp_path):
    sets = [(0.0, graphics.cleared()), (5.0, graphics.shown([(20, 10, 40, 12, False)], number=1)), (100.0, graphics.cleared(2)),
            (110.0, graphics.shown([(20, 10, 40, 12, False)], number=3))]
    sup = tmp_path / "sets.sup"
    sup.write_bytes(graphics.file(sets))
    source = graphics.joined(tmp_path / "sets.mkv", graphics.video(tmp_path / "film.mp4", 120), sup)
    linear, _, _ = subtitles.read(fresh_engine, source=str(source))
    assert [(cue.start_us, cue.end_us) for cue in linear] == [(5 * SECOND, 100 * SECOND), (110 * SECOND, -1)]
    with fresh_engine.session(source, subtitles=selection(linear)) as session:
        cues = Cues(fresh_engine, session_id=session.id)
        fresh_engine.stub.Seek(engine_pb2.SeekRequest(position_us=80 * SECOND))
        eventually(lambda: any(event.stage == APPEARED for event, _ in list(cues.events)), "the picture")
        cues.end()
        span = subtitles_pb2.CueRange(start_us=80 * SECOND, end_us=81 * SECOND)
        part, _, _ = subtitles.read(fresh_engine, session_id=session.id, range=span)
        assert [cue.id for cue in part] == [linear[0].id]
        span = subtitles_pb2.CueRange(start_us=101 * SECOND, end_us=102 * SECOND)
        assert not subtitles.read(fresh_engine, session_id=session.id, range=span)[0]
