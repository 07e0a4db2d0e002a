# SPDX-License-Identifier: Apache-2.0
"""Smaller sizes of a video, which players may switch to: encoded when requested, with the boundaries of the video itself."""

import json
import subprocess

import grpc
import pytest
from harness import numbered
from harness.browser import chromium
from harness.contract import engine_pb2
from harness.engine import eventually
from harness.hls import Media, fetch, request
from harness.places import ENGINECTL
from harness.players import gstreamer_switches, mpv
from harness.tiers import tiered
from harness.watching import Notices

ALWAYS = engine_pb2.VIDEO_BRIDGE_ALWAYS
COUNT = 250


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Twelve seconds of 1280x720 at 25 frames per second, with audio."""
    path = tmp_path_factory.mktemp("ladder") / "film.mp4"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=12", "-f", "lavfi", "-i",
         "sine=r=48000:d=12", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "10", "-g", "50", "-pix_fmt", "yuv420p", "-c:a",
         "aac", path], check=True)
    return path


def frames(url):
    """The time of each frame, and the number in it, which is read in the size of the film."""
    media = Media.complete(url)
    whole = b"".join(fetch(each) for each in [media.init, *(segment.url for segment in media.segments)])
    shown = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "frame=best_effort_timestamp_time", "-of", "json", "-i", "pipe:0"],
        input=whole, capture_output=True, check=True).stdout
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", "pipe:0", "-fps_mode", "passthrough", "-vf",
         f"scale={numbered.WIDTH}:{numbered.HEIGHT}", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
        input=whole, capture_output=True, check=True).stdout
    size = numbered.WIDTH * numbered.HEIGHT
    return ([float(each["best_effort_timestamp_time"]) for each in json.loads(shown)["frames"]],
            [numbered.read(raw[at:at + size]) for at in range(0, len(raw), size)])


# Remuxed video with B-frames and with fields; video that is bridged in any case, from times that the demuxer guesses.
@pytest.mark.parametrize("name", tiered(["h264.mkv", "h264.ts", "h264-fields.mkv", "mpeg2.ts"], {"mpeg2.ts"}))
def test_each_size_has_the_same_frames_and_boundaries(engine, name):
    options = {} if name.startswith("h264") else {"video_bridge": ALWAYS}
    with engine.session(numbered.film(name), ladder=[48, 2160], segment_target_us=1_000_000, **options) as session:
        (fields, full), (smaller, rung) = session.master().variants
        assert (fields["RESOLUTION"], smaller["RESOLUTION"]) == ("192x96", "86x44")
        assert smaller["CODECS"].startswith("avc1.64") and smaller.get("AUDIO") == fields.get("AUDIO")
        boundaries = [[segment.duration for segment in Media.complete(url).segments] for url in (full, rung)]
        assert boundaries[0] == boundaries[1]
        listed = engine.state(session.id).media.variants
        assert [(each.index, each.use, each.width, each.height) for each in listed] == [(0, "played", 192, 96), (1, "offered", 86, 44)]
        (times, numbers), (whole, _) = frames(rung), frames(full)
        assert numbers == list(range(COUNT))
        # The clocks of the two videos tick differently.
        assert times == pytest.approx(whole, abs=0.0011)


def test_nothing_is_encoded_before_a_player_asks(engine, film):
    def readers():
        return [name for name in engine.thread_names() if name.startswith("variant-")]

    with engine.session(film, ladder=[480, 240]) as session:
        _, (_, middle), (_, low) = session.master().variants
        assert readers() == []
        rates = [int(fields["BANDWIDTH"]) for fields, _ in session.master().variants]
        assert rates == sorted(rates, reverse=True)
        assert len(Media.complete(low).segments) == 3
        fetch(Media(low).segments[2].url)
        assert set(readers()) == {"variant-2"}
        assert request(low.replace("variant-2", "variant-3")).status == 404
        assert request(middle.replace("video.m3u8", "index.m3u8")).status == 404
    eventually(lambda: readers() == [], "the reader to end")


@pytest.mark.long
def test_players_play_and_switch(engine, film):
    with engine.session(film, ladder=[360], segment_target_us=2_000_000) as session:
        widths = gstreamer_switches(session.url, 2, 2_500_000)
        place = widths.index(640)
        assert set(widths[:place]) == {1280} and set(widths[place:]) == {640} and len(widths) == 300
        for options in ([], ["--hls-bitrate=min"]):
            code, output = mpv(session.url, *options)
            assert code == 0 and "error" not in output.lower(), output[-300:]
        done = subprocess.run([ENGINECTL, "validate", session.url], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        with chromium() as browser:
            browser.assert_plays_and_seeks(session.url)


def test_a_ladder_that_is_not_possible_is_reported(engine, film):
    notices = Notices(engine)
    with engine.session(numbered.film("hevc.mkv"), profile="apple", ladder=[48]) as session:
        assert len(session.master().variants) == 1
    with engine.session(film, ladder=[1080, 720]) as session:
        assert len(session.master().variants) == 1
    with engine.session(film, ladder=[480]):
        pass
    eventually(lambda: len([code for code in notices.codes if "ladder" in code]) == 3, "the notices")
    notices.end()
    reasons = [text for code, text in zip(notices.codes, notices.texts) if "ladder" in code]
    assert reasons[0].endswith("offered in one size only: it is served as hvc1, and smaller sizes would be of another codec")
    assert reasons[1].endswith("offered in one size only: no size of the ladder is below 1280x720")
    assert "also offered in 854x480 with at most" in reasons[2]


def test_sizes_are_checked(engine, film):
    for sizes in ([47], [4321], [480] * 9):
        with pytest.raises(grpc.RpcError) as refused:
            engine.load(film, ladder=sizes)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "ladder" in refused.value.details()
    for text in ("720p", "720,,480", "+480", ""):
        done = subprocess.run([ENGINECTL, "--socket", engine.socket, "load", "--ladder", text, film], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        assert done.returncode == 64 and "1080,720,480" in done.stderr, done


@pytest.mark.long
def test_a_ladder_survives_a_kill(start_engine, film):
    engine = start_engine()
    done = subprocess.run([ENGINECTL, "--socket", engine.socket, "load", "--ladder", "480,240", film], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True)
    low = done.stdout.strip().replace("master.m3u8", "variant-2/video.m3u8")
    before = fetch(Media.complete(low).segments[2].url)
    engine.kill()
    engine = start_engine(directory=engine.directory)
    eventually(lambda: engine.state().production.plan_complete, "the session to be restored")
    assert fetch(Media.complete(low).segments[2].url) == before
