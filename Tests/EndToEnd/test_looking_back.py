# SPDX-License-Identifier: Apache-2.0
"""Long-lasting cues in containers that do not index them: a seek shows the same as playing to that position."""

import random

import pytest
from harness import carried, graphics, payloads, subtitles, transport
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.tiers import tiered
from harness.watching import APPEARED, Cues
from harness.webvtt import Rendition, plain
from test_teletext import bodies

SECOND = 1_000_000
SECONDS = 130
BROADCAST = ("-muxdelay", "0", "-muxpreload", "0")
# Display sets, in seconds: the start, the maximum duration, and the start of the next set, which replaces it.
SETS = [(5, 240, 100), (110, 12, 122)]
TEXT = [(1.0, 90.0, "long"), (5.0, 1.0, "short"), (80.0, 1.5, "late"), (100.0, 25.0, "last")]


def film(folder, kind, codec=("libx264", "-preset", "ultrafast", "-tune", "zerolatency"), options=()):
    path = graphics.video(folder / "plain.mkv", SECONDS, codec=codec)
    return graphics.joined(folder / f"film.{kind}", path, options=options)


def pgs(folder):
    sets = [(0.0, graphics.cleared())]
    for number, (start, _, end) in enumerate(SETS):
        sets += [(start, graphics.shown([(20, 10, 40 + number, 12, False)], number=1 + 2 * number)),
                 (end, graphics.cleared(2 + 2 * number))]
    sup = folder / "sets.sup"
    sup.write_bytes(graphics.file(sets))
    return graphics.joined(folder / "sets.m2ts", film(folder, "mkv"), sup, options=BROADCAST)


def dvb(folder):
    units = [(0, transport.dvb(1, 0, []))]
    for number, (start, length, end) in enumerate(SETS):
        regions = [(20, 10, graphics.block(40, 12, number + 1))]
        units += [(start * 90_000, transport.dvb(1, 1 + 2 * number, regions, timeout=length)),
                  (end * 90_000, transport.dvb(1, 2 + 2 * number, []))]
    return transport.with_stream(film(folder, "ts", options=BROADCAST), folder / "dvb.ts", transport.subtitling((1, 1)), units)


def teletext(folder):
    """The first pages of a sample, followed by 100 s without pages."""
    units = [(3600 * (number + 1) + (100 * 90_000 if number > 100 else 0), body)
             for number, body in enumerate(bodies())]
    units = [unit for unit in units if unit[0] < (SECONDS - 10) * 90_000]
    source = film(folder, "ts", options=BROADCAST)
    return transport.with_stream(source, folder / "page.ts", transport.teletext((b"dan", 2, 799)), units, header=0x24)


def ffmpeg(*arguments):
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments))


def vob(folder):
    pictures, script, out = film(folder, "mpg", ("mpeg2video",)), folder / "script.mks", folder / "disc.vob"
    ffmpeg("-i", dvb(folder), "-map", "0:s", "-c:s", "dvdsub", "-s", "720x576", "-f", "matroska", script)
    ffmpeg("-i", pictures, "-i", script, "-map", "0:v", "-map", "1", "-c", "copy", "-f", "vob", out)
    return out


def ogm(folder):
    source = film(folder, "ogv", ("libtheora",), options=("-page_duration", "1000000"))
    return carried.in_ogg(source, folder / "text.ogm", TEXT)


@pytest.fixture(scope="module", params=tiered([pgs, dvb, teletext, vob, ogm], {dvb, vob}), ids=lambda each: each.__name__)
def source(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("looking"))


@pytest.fixture(scope="module")
def linear(engine, source):
    found = subtitles.read(engine, source=str(source))[0]
    assert max(cue.end_us - cue.start_us for cue in found) > 80 * SECOND
    return found


def selection(found):
    return engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids={cue.track for cue in found}))


def cues_on_screen(found, start, end):
    """The ids of the cues on screen. An open cue has no end (-1) until the cue that ends it has been read."""
    return [cue.id for cue in found if cue.start_us < end and (cue.end_us > start or cue.end_us < 0)]


def read(engine, session, start):
    span = subtitles_pb2.CueRange(start_us=start, end_us=start + SECOND)
    return [cue.id for cue in subtitles.read(engine, session_id=session.id, range=span)[0]]


def longest(found):
    return max(found, key=lambda cue: cue.end_us - cue.start_us)


def test_a_seek_shows_long_cues(fresh_engine, source, linear):
    cue = longest(linear)
    with fresh_engine.session(source, subtitles=selection(linear)) as session:
        # A seek cannot go beyond the plan.
        eventually(lambda: fresh_engine.state(session.id).production.plan_complete, "the plan")
        cues = Cues(fresh_engine, session_id=session.id)
        origin = session.state.media.start_us
        place = cue.start_us + 70 * SECOND
        fresh_engine.stub.Seek(engine_pb2.SeekRequest(position_us=place - origin), timeout=PATIENCE)
        wanted = set(cues_on_screen(linear, place, place + 1))
        assert cue.id in wanted
        eventually(lambda: wanted <= {event.cue.id for event, _ in list(cues.events) if event.stage == APPEARED}, "what is on")
        cues.end()


def test_replaced_cues_are_not_shown_again(fresh_engine, source, linear):
    cue = longest(linear)
    with fresh_engine.session(source, subtitles=selection(linear)) as session:
        origin = session.state.media.start_us
        for place in (cue.start_us + SECOND, cue.end_us - SECOND, cue.end_us + 2 * SECOND):
            fresh_engine.stub.Seek(engine_pb2.SeekRequest(position_us=max(0, place - origin)), timeout=PATIENCE)
            assert read(fresh_engine, session, place) == cues_on_screen(linear, place, place + SECOND)


def test_seeks_do_not_change_the_cue_list(fresh_engine, source, linear):
    dice = random.Random(source.name)
    with fresh_engine.session(source, subtitles=selection(linear)) as session:
        origin, duration = session.state.media.start_us, (SECONDS - 2) * SECOND
        for _ in range(20):
            start = origin + dice.randrange(duration)
            fresh_engine.stub.Seek(engine_pb2.SeekRequest(position_us=start - origin), timeout=PATIENCE)
            assert read(fresh_engine, session, start) == cues_on_screen(linear, start, start + SECOND)
        assert subtitles.read(fresh_engine, session_id=session.id)[0] == linear


@pytest.mark.parametrize("source", tiered([teletext, ogm], {ogm}), ids=lambda each: each.__name__, indirect=True, scope="module")
def test_segments_contain_long_cues_in_any_order_of_reads(fresh_engine, source, linear):
    assert linear and not any(cue.HasField("image") for cue in linear)
    with fresh_engine.session(source, subtitles=selection([])) as session:
        origin = session.state.media.start_us
        rendition = Rendition(session.state.url.rsplit("/", 1)[0] + f"/subtitles-{linear[0].track}.m3u8")
        edges = rendition.edges[:-1] + [(rendition.edges[-1][0], float("inf"))]
        for (start, end), found in zip(edges, rendition.segments, strict=True):
            wanted = [cue.text.plain for cue in linear
                      if cue.start_us - origin < end * 1000 and (cue.end_us - origin > start * 1000 or cue.end_us < 0)]
            assert [plain(text) for _, _, _, text in found] == wanted, f"from {start} ms on"
