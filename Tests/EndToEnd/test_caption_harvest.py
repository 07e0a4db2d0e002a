# SPDX-License-Identifier: Apache-2.0
"""Captions are collected from the packets that playback reads; the result does not depend on the order of reads."""

import pathlib
import random
import re

import pytest
from harness import captions, payloads, services, subtitles
from harness.contract import engine_pb2
from harness.engine import PATIENCE, settled
from harness.hls import Media, fetch
from harness.tiers import tiered
from test_service_cues import CC1, RATE, SERVICE1, packed, pop

SECONDS = 100


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """Captions of both kinds, with a new one every three seconds."""
    chance, line21, sent = random.Random(5), {}, {}
    for number, picture in enumerate(range(10, SECONDS * RATE - 120, 75)):
        window, show = number % 2, picture + 20 + chance.randrange(20)
        line21[picture] = captions.pop_on(f"Caption {number}")
        line21[show] = captions.command(captions.SHOW)
        sent[picture] = [(1, pop(window, f"Service {number}", "its second line"))]
        gone = services.windows(services.DELETE, 1 - window) if number else b""
        sent[show] = [(1, gone + services.windows(services.DISPLAY, window))]
    line21[SECONDS * RATE - 30] = captions.command(captions.ERASE)
    sent[SECONDS * RATE - 30] = [(1, bytes([services.RESET]))]
    return captions.film(tmp_path_factory.mktemp("harvest"), SECONDS, line21, packed=packed(SECONDS, sent))


@pytest.fixture(scope="module", params=tiered(["mp4", "ts", "mkv"], {"ts"}))
def source(request, raw, tmp_path_factory):
    """With open groups of pictures, and with pictures whose display order differs from file order."""
    out = tmp_path_factory.mktemp("film") / f"film.{request.param}"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-r", str(RATE), "-i", str(raw), "-vf", "noise=alls=40:allf=t", "-c:v", "libx264", "-preset", "ultrafast",
                 "-bf", "3", "-b-pyramid", "normal", "-x264-params", "open-gop=1", "-g", "50", str(out))
    return out


def cues(engine, track, **place):
    return subtitles.read(engine, track=track, **place)[0]


def select(engine, session, *tracks):
    chosen = engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=tracks))
    engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(session_id=session.id, subtitles=chosen), timeout=PATIENCE)


@pytest.mark.long
def test_seeks_do_not_change_the_harvested_captions(engine, source):
    whole = {track: cues(engine, track, source=str(source)) for track in (CC1, SERVICE1)}
    assert all(len(found) > 30 for found in whole.values())
    dice = random.Random(source.suffix)
    with engine.session(source) as session:
        select(engine, session, CC1, SERVICE1)
        segments = Media.complete(session.master().variants[0][1]).segments
        for _ in range(50):
            place = dice.randrange(SECONDS * 1_000_000)
            engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=place), timeout=PATIENCE)
            # A player continues there for a while.
            start = min(int(place / SECONDS / 1_000_000 * len(segments)), len(segments) - 1)
            for segment in segments[start:start + dice.randrange(3)]:
                fetch(segment.url)
        for track, found in whole.items():
            assert cues(engine, track, session_id=session.id) == found


def test_captions_collected_during_playback_are_not_read_again(fresh_engine, source):
    """In an engine of its own, because everything that an engine reads is counted."""
    engine = fresh_engine

    def bytes_read():
        return int(re.search(r"rchar: (\d+)", pathlib.Path(f"/proc/{engine.pid}/io").read_text())[1])

    def play(session):
        for segment in Media.complete(session.master().variants[0][1]).segments:
            fetch(segment.url)

    with engine.session(source) as session:
        select(engine, session, CC1, SERVICE1)
        play(session)
        # Fetching the cues may read at most the next sixteen seconds.
        before = settled(bytes_read)
        for track in (CC1, SERVICE1):
            assert len(cues(engine, track, session_id=session.id)) > 30
        assert bytes_read() - before < source.stat().st_size // 3
