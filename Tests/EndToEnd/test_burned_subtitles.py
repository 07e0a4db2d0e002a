# SPDX-License-Identifier: Apache-2.0
"""Subtitles that are drawn into the video look as ffmpeg draws them on every frame, in whatever order segments are
requested."""

import contextlib
import subprocess

import numpy
import pytest
from harness import graphics
from harness.contract import engine_pb2
from harness.drawing import HEIGHT, RATE, WIDTH, film, reference, script
from harness.engine import eventually
from harness.hls import Media, digest, fetch
from harness.places import ENGINECTL, FIXTURES, clip
from harness.watching import Notices
from test_crash import listens

EVENTS = [
    "0,0:00:00.20,0:00:01.00,Default,,0,0,0,,Plain text\\Nin two lines",
    "0,0:00:00.80,0:00:02.20,Sign,,0,0,0,,{\\pos(200,60)}ACROSS A JOINT",
    "0,0:00:02.00,0:00:03.00,Box,,0,0,0,,{\\fad(200,300)}Fades in and out",
    "0,0:00:02.20,0:00:03.20,Sign,,0,0,0,,{\\move(0,200,400,250)}moves",
]
AUTOMATIC = engine_pb2.BurnedSubtitles()
# Segments of one second.
OPTIONS = {"segment_target_us": 1_000_000, "burn": AUTOMATIC}


@pytest.fixture(scope="module")
def typeset(tmp_path_factory):
    return film(tmp_path_factory.mktemp("typeset"), script(*EVENTS))


def frames(url, width=WIDTH, height=HEIGHT, pixels="rgb24"):
    """The decoded frames of a playlist of video."""
    media = Media.complete(url)
    whole = b"".join(fetch(each) for each in [media.init, *(segment.url for segment in media.segments)])
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", "pipe:0", "-fps_mode", "passthrough", "-f", "rawvideo",
                          "-pix_fmt", pixels, "-"], input=whole, capture_output=True, check=True).stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(-1, height, width, 3).astype(int)


def video(session):
    return session.master().variants[0][1]


@pytest.mark.long
def test_every_frame_shows_what_ffmpeg_draws(engine, typeset):
    with engine.session(typeset, **OPTIONS) as session:
        state = engine.state(session.id)
        stream = next(each for each in state.media.streams if each.video.width)
        assert (stream.route, stream.route_reason.split(";")[0]) == ("bridge", "subtitles are drawn into the video")
        # The subtitles are not selected, so they are not shown a second time, but players can choose them.
        assert list(state.selected_subtitles) == [] and len(session.master().subtitles) == 1
        ours = frames(video(session))
    theirs = reference(typeset)
    assert len(ours) == len(theirs) == 4 * RATE
    grey = theirs[0]
    for number, (one, other) in enumerate(zip(ours, theirs)):
        # Encoding loses detail mainly at the edges of coloured letters.
        wrong = abs(one - other)
        assert wrong.mean() < 1.6 and (wrong > 64).mean() < 0.002, f"frame {number}: {wrong.mean()}"
        changed = abs(other - grey).max(axis=2) > 48
        if changed.any():
            # White letters, and then yellow ones. A shift by one pixel would make the mean 34.
            limit = 5 if number < 20 else 30
            assert wrong[changed].mean() < limit, f"frame {number}: {wrong[changed].mean()}"


@pytest.mark.long
def test_bytes_do_not_depend_on_order_or_process(engine, start_engine, typeset):
    def digests(session, turn):
        return {url.split("/", 4)[4]: digest(url) for url in turn(session.master().everything())}

    with engine.session(typeset, ladder=[180], **OPTIONS) as session:
        linear = digests(session, list)
    other = start_engine()
    with other.session(typeset, ladder=[180], **OPTIONS) as session:
        assert digests(session, reversed) == linear
    with engine.session(typeset, segment_target_us=1_000_000, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS) as session:
        plain = digests(session, list)
    first, last = "video/0.m4s", "video/3.m4s"
    assert plain[first] != linear[first] and plain.keys() <= linear.keys()
    assert plain[last] != linear[last]


def test_bitmaps_lie_where_the_disc_put_them(engine, tmp_path):
    """The second film has lost its black bars: the canvas of the subtitles is higher than the frames."""
    (tmp_path / "bitmaps.sup").write_bytes(graphics.file([
        (1.0, graphics.shown([(20, 90, 40, 12, False), (101, 160, 90, 20, True)], number=1)), (3.0, graphics.cleared())]))
    for height, tops in ((180, (90, 160)), (140, (70, 120))):
        path = tmp_path / f"{height}.mkv"
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"color=c=0x606060:size=320x{height}:rate=25:duration=4", "-copyts", "-i",
             "bitmaps.sup", "-map", "0", "-map", "1", "-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-c:s", "copy", path],
            check=True, cwd=tmp_path)
        with engine.session(path, **OPTIONS) as session:
            shown = frames(video(session), 320, height)
        assert len(shown) == 100
        grey = shown[0].mean()
        for number in (10, 24, 76, 99):
            assert abs(shown[number] - grey).max() < 8, f"frame {number}"
        for number in (26, 50, 74):
            rows = numpy.flatnonzero((abs(shown[number] - grey) > 24).any(axis=(1, 2)))
            columns = numpy.flatnonzero((abs(shown[number] - grey) > 24).any(axis=(0, 2)))
            assert abs(rows[0] - tops[0]) <= 2 and abs(rows[-1] - (tops[1] + 19)) <= 2, (height, rows)
            assert abs(columns[0] - 20) <= 2 and abs(columns[-1] - 190) <= 2, (height, columns)


@pytest.mark.long
def test_files_beside_the_source_and_languages(engine, tmp_path):
    path = film(tmp_path, script("0,0:00:00.00,0:00:04.00,Default,,0,0,0,,English"), "-metadata:s:s:0", "language=eng")
    (tmp_path / "film.de.srt").write_text("1\n00:00:00,000 --> 00:00:04,000\nDeutsch, und länger\n")
    shown = {}
    for language in ("en", "de"):
        with engine.session(path, segment_target_us=1_000_000, burn=engine_pb2.BurnedSubtitles(language=language)) as session:
            shown[language] = frames(video(session))[50]
    for frame in shown.values():
        assert (abs(frame - frame[0, 0]).max(axis=2) > 48).sum() > 300
    assert (abs(shown["de"] - shown["en"]).max(axis=2) > 48).sum() > 300


def test_what_cannot_be_drawn_is_reported(engine, typeset, tmp_path):
    notices = Notices(engine)
    missing = engine_pb2.BurnedSubtitles(language="fr")
    with engine.session(typeset, burn=missing) as session:
        assert fetch(Media.complete(video(session)).segments[0].url)
    with engine.session(typeset, burn=AUTOMATIC, custom_profile=engine_pb2.PlayerProfile(
            formats=["hvc1", "mp4a.40.2"])):
        pass
    with engine.session(typeset, burn=AUTOMATIC):
        pass
    eventually(lambda: len([code for code in notices.codes if code.endswith("burned")]) == 3, "the notices")
    notices.end()
    found = [(code, text) for code, text in zip(notices.codes, notices.texts) if code.endswith("burned")]
    assert [code for code, _ in found] == ["subtitles.not_burned", "subtitles.not_burned", "subtitles.burned"]
    assert "fr" in found[0][1] and found[1][1].endswith("its video is not encoded")


@pytest.mark.long
def test_serve_burns_and_a_kill_changes_nothing(start_engine, typeset):
    engine = start_engine()
    done = subprocess.run([ENGINECTL, "--socket", engine.socket, "load", "--burn", "auto", "--segment", "1", typeset],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    playlist = done.stdout.strip().replace("master.m3u8", "video.m3u8")
    before = [digest(each.url) for each in Media.complete(playlist).segments]
    engine.kill()
    engine = start_engine(directory=engine.directory)
    eventually(lambda: engine.state().production.plan_complete, "the session to be restored")
    assert [digest(each.url) for each in Media.complete(playlist).segments] == before


def test_a_restored_session_answers_when_its_subtitles_are_read(start_engine, tmp_path):
    """The subtitle file takes long to read, so that requests arrive before it has been read."""
    slow = tmp_path / "slow.srt"
    slow.write_text("1\n00:00:00,000 --> 00:00:09,000\nBURNED\n\n" +
                    "2\n01:00:00,000 --> 01:00:01,000\nnot shown\n\n" * 150_000)
    engine = start_engine()
    done = subprocess.run([ENGINECTL, "--socket", engine.socket, "load", "--video-bridge", "always", "--burn", "auto", "--subtitles", slow,
                           clip("h264-aac.mkv")], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    first = Media.complete(done.stdout.strip().replace("master.m3u8", "video.m3u8")).segments[0].url
    before = digest(first)
    engine.kill()
    start_engine(directory=engine.directory)
    eventually(lambda: listens(first), "the port to be taken again")
    # A step reads frames from segments. It is refused until the subtitles have been read.
    ctl = [ENGINECTL, "--socket", engine.socket]
    stepped = subprocess.run([*ctl, "step"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert stepped.returncode == 0 or "[unavailable]" in stepped.stderr
    assert digest(first) == before
    # A recording begins when they have been read.
    assert subprocess.run([*ctl, "record", "start", tmp_path / "recorded.mp4"], stdin=subprocess.DEVNULL).returncode == 0


@pytest.mark.long
def test_a_costly_script_costs_its_subtitles_only(engine, tmp_path):
    letters = "W" * 200
    costly = [f"0,0:00:00.00,0:00:01.00,Default,,0,0,0,,{{\\fs400\\blur80\\bord60\\pos({number},{number})}}{letters}" for number in range(4000)]
    path = film(tmp_path, script(*costly))
    notices = Notices(engine)
    with engine.session(path, **OPTIONS) as session:
        assert len(frames(video(session))) == 4 * RATE
        eventually(lambda: "subtitles.not_burned" in notices.codes, "the notice")
    notices.end()
    assert len([code for code in notices.codes if code == "subtitles.not_burned"]) == 1


@pytest.mark.long
def test_captions_and_other_films_are_drawn(engine):
    with contextlib.ExitStack() as stack:
        session = stack.enter_context(engine.session(FIXTURES / "subs-srt.mkv", **OPTIONS))
        plain = stack.enter_context(engine.session(
            FIXTURES / "subs-srt.mkv", segment_target_us=1_000_000, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS))
        ours, theirs = (Media.complete(video(each)) for each in (session, plain))
        assert [each.duration for each in ours.segments] == [each.duration for each in theirs.segments]
        assert any(digest(one.url) != digest(other.url) for one, other in zip(ours.segments, theirs.segments))
