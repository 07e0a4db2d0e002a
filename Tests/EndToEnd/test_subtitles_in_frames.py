# SPDX-License-Identifier: Apache-2.0
"""Subtitles that are drawn into decoded frames look as ffmpeg draws them on the same frames, and follow the selection, the
delay and seeks, also while playback is paused."""

import subprocess
import time

import numpy
import pytest
from harness import graphics
from harness.contract import engine_pb2, frames_pb2
from harness.drawing import HEIGHT, RATE, ROUNDING, WIDTH, film, script
from harness.engine import PATIENCE, eventually
from harness.frames import attached_frames, play
from harness.tiers import tiered
from harness.watching import Notices

EVENTS = [
    "0,0:00:00.20,0:00:01.00,Default,,0,0,0,,Plain text\\Nin two lines",
    "0,0:00:00.80,0:00:02.20,Sign,,0,0,0,,{\\pos(200,60)}ACROSS A JOINT",
    "0,0:00:02.00,0:00:03.00,Box,,0,0,0,,{\\fad(200,300)}Fades in and out",
    "0,0:00:02.20,0:00:03.20,Sign,,0,0,0,,{\\move(0,200,400,250)}moves",
]
# The luma of the film.
GREY = 98
REALTIME = frames_pb2.FRAME_PACE_REALTIME


@pytest.fixture(scope="module")
def typeset(tmp_path_factory):
    return film(tmp_path_factory.mktemp("typeset"), script(*EVENTS))


# The stream of the script.
TEXT = 1


def shown(*ids):
    return engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=ids))


def tracks(engine, session):
    return [each.id for each in engine.state(session.id).subtitle_tracks]


def luma(picture):
    """The luma of a frame, in codes of its own depth."""
    assert picture.format in ("yuv420p", "yuv420p10le"), picture.format
    rows = list(picture.rows())[:picture.height]
    kind = "<u2" if picture.format.endswith("le") else numpy.uint8
    return numpy.array([numpy.frombuffer(bytes(row), kind) for row in rows]).astype(numpy.int16)


def reference(path, pixels="yuv420p"):
    """The luma of each frame as ffmpeg draws the script on it."""
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf", f"ass={path.parent}/script.ass:original_size={WIDTH}x{HEIGHT}",
         "-map", "0:v", "-fps_mode", "passthrough", "-pix_fmt", pixels, "-f", "rawvideo", "-"],
        check=True, capture_output=True, timeout=PATIENCE).stdout
    samples = numpy.frombuffer(raw, numpy.uint8 if pixels == "yuv420p" else "<u2").astype(numpy.int16)
    return samples.reshape(-1, WIDTH * HEIGHT * 3 // 2)[:, :WIDTH * HEIGHT].reshape(-1, HEIGHT, WIDTH)


def ink(picture):
    """How many samples differ clearly from the film."""
    return int((abs(luma(picture) - GREY) > 24).sum())


def seek(engine, session, seconds):
    engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=int(seconds * 1e6)), timeout=PATIENCE)


def wait_for(frames, wanted, place):
    """Polls like a display that stands at `place`, until the frame on screen is as wanted."""
    on_screen = None
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        on_screen = frames.newest(int(place * 1e6), on_screen)
        if on_screen and on_screen.generation == frames.generation and wanted(on_screen):
            return on_screen
        time.sleep(0.01)
    raise AssertionError("the frame never came")


@pytest.mark.parametrize("pixels, unit", tiered([("yuv420p", 1), ("yuv420p10le", 4)], lambda case: case[1] == 4))
def test_every_frame_shows_what_ffmpeg_draws(engine, tmp_path, pixels, unit):
    path = film(tmp_path, script(*EVENTS), "-pix_fmt", pixels)
    with engine.session(path, draw_subtitles=True, subtitles=shown(TEXT)) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        ours = [luma(picture) for picture in frames]
    theirs = reference(path, pixels)
    assert len(ours) == len(theirs) == 4 * RATE
    assert abs(theirs - GREY * unit).max() > 64 * unit
    for number, (one, other) in enumerate(zip(ours, theirs)):
        # The images have 8 bits, and are converted to luma after their layers are blended.
        assert abs(one - other).max() <= (ROUNDING + 1) * unit, f"frame {number}"


def test_frames_are_not_changed_without_the_option(engine, typeset):
    with engine.session(typeset, subtitles=shown(TEXT)) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        assert all(ink(picture) == 0 for picture in frames)


def test_bitmaps_are_drawn_at_their_place(engine, tmp_path):
    (tmp_path / "bitmaps.sup").write_bytes(graphics.file([
        (1.0, graphics.shown([(20, 90, 40, 12, False), (101, 160, 90, 20, True)], number=1)), (3.0, graphics.cleared())]))
    path = tmp_path / "film.mkv"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=c=0x606060:size=320x180:rate=25:duration=4", "-copyts", "-i",
         "bitmaps.sup", "-map", "0", "-map", "1", "-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-c:s", "copy", path],
        check=True, cwd=tmp_path)
    with engine.session(path, draw_subtitles=True) as session:
        chosen = shown(*tracks(engine, session))
        engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(session_id=session.id, subtitles=chosen), timeout=PATIENCE)
        with attached_frames(engine, session.id) as frames:
            play(engine, session)
            seen = [luma(picture) for picture in frames]
    assert len(seen) == 100
    for number in (0, 24, 75, 99):
        assert abs(seen[number] - GREY).max() <= 3, f"frame {number}"
    for number in (25, 50, 74):
        # The colours of the images are as light as the film, or nearly transparent.
        changed = abs(seen[number] - GREY) > 10
        rows, columns = numpy.flatnonzero(changed.any(axis=1)), numpy.flatnonzero(changed.any(axis=0))
        assert (rows[0], rows[-1], columns[0], columns[-1]) == pytest.approx((90, 179, 20, 190), abs=2), f"frame {number}"


def test_a_paused_frame_follows_selection_delay_and_seeks(engine, typeset):
    with engine.session(typeset, draw_subtitles=True, subtitles=shown(TEXT)) as session, attached_frames(engine, session.id, pace=REALTIME) as frames:
        def select(*ids):
            request = engine_pb2.SelectSubtitlesRequest(session_id=session.id, subtitles=shown(*ids))
            engine.stub.SelectSubtitles(request, timeout=PATIENCE)

        def delay(seconds):
            request = engine_pb2.SetSubtitleDelayRequest(session_id=session.id, delay_us=int(seconds * 1e6))
            engine.stub.SetSubtitleDelay(request, timeout=PATIENCE)

        seek(engine, session, 0.6)
        wait_for(frames, lambda picture: picture.time_us == 600_000 and ink(picture) > 300, 0.6)
        select()
        wait_for(frames, lambda picture: picture.time_us == 600_000 and ink(picture) == 0, 0.6)
        select(TEXT)
        wait_for(frames, lambda picture: picture.time_us == 600_000 and ink(picture) > 300, 0.6)
        # The content of the screen at -3.4 s: nothing.
        delay(4)
        wait_for(frames, lambda picture: picture.time_us == 600_000 and ink(picture) == 0, 0.6)
        seek(engine, session, 3.6)
        wait_for(frames, lambda picture: picture.time_us == 3_600_000 and ink(picture) == 0, 3.6)
        # The content of the screen at 0.6 s.
        delay(3)
        wait_for(frames, lambda picture: picture.time_us == 3_600_000 and ink(picture) > 300, 3.6)


@pytest.mark.long
def test_a_costly_script_does_not_stop_playback(engine, tmp_path):
    letters = "W" * 200
    costly = [f"0,0:00:00.00,0:00:04.00,Default,,0,0,0,,{{\\fs400\\blur80\\bord60\\pos({number},{number})}}{letters}" for number in range(4000)]
    path = film(tmp_path, script(*costly))
    notices = Notices(engine)
    with engine.session(path, draw_subtitles=True, subtitles=shown(TEXT)) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        assert len(list(frames)) == 4 * RATE
        eventually(lambda: "subtitles.not_burned" in notices.codes, "the notice")
    notices.end()


def test_the_option_survives_a_restart(start_engine, typeset):
    engine = start_engine()
    engine.load(typeset, draw_subtitles=True, subtitles=shown(TEXT))
    eventually(lambda: engine.has_journaled("drawsSubtitles"), "the journal")
    engine.kill()
    engine = start_engine(directory=engine.directory)
    with attached_frames(engine) as frames:
        engine.stub.Play(engine_pb2.SessionRequest(), timeout=PATIENCE)
        assert any(ink(picture) > 300 for picture in frames)
