# SPDX-License-Identifier: Apache-2.0
"""Changes in mid-stream are announced where they occur, identically in every fetch, and play."""

import random
import re
import subprocess

import pytest
from harness import payloads
from harness.browser import chromium
from harness.bundles import decoded, served_groups
from harness.engine import PATIENCE, eventually
from harness.hls import Media, digest, fetch, request
from harness.origin import origin
from harness.places import ENGINECTL, clip
from harness.players import mpv
from harness.tiers import tiered
from harness.watching import Notices

CHANGING = ["change-size.ts", "change-sps.ts", "change-pps.ts", "change-size-hevc.ts", "change-size.h264",
            "change-size.mkv", "change-entries.mp4"]
SIZES = {"change-size.ts": [(320, 180), (640, 360)], "change-size-hevc.ts": [(320, 180), (640, 360)],
         "change-size.h264": [(320, 180), (640, 360)], "change-size.mkv": [(320, 180), (640, 360)],
         "change-entries.mp4": [(160, 90), (320, 180)]}
# The others differ in the kind of change or its position, which `test_a_change_is_one_discontinuity_with_a_new_init`
# covers for all of them.
LEAN = {"change-size.ts", "change-size.mkv", "change-clock.ts"}


def completed(session):
    return [Media.complete(url) for url in session.master().playlists()]


def maps(playlist):
    """The MAP of each segment, and the indexes of the segments that follow a DISCONTINUITY."""
    found, breaks, current, index = [], [], None, 0
    for line in playlist.text.splitlines():
        if line.startswith("#EXT-X-MAP"):
            current = re.search(r'URI="([^"]+)"', line)[1]
        elif line == "#EXT-X-DISCONTINUITY":
            breaks.append(index)
        elif line and not line.startswith("#"):
            found.append(current)
            index += 1
    return found, breaks


def join_stretches(session, playlist):
    """The parts of a playlist between discontinuities, by the name of their init segment. Each is one file: the init
    segment and its segments."""
    base = session.url.rpartition("/")[0]
    names, _ = maps(playlist)
    stretches = {}
    for name, segment in zip(names, playlist.segments):
        stretches.setdefault(name, bytearray(fetch(f"{base}/{name}"))).extend(fetch(segment.url))
    return stretches


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_is_one_discontinuity_with_a_new_init(engine, name):
    with engine.session(clip(name)) as session:
        playlists = completed(session)
        names, breaks = maps(playlists[0])
        assert len(breaks) == 1 and breaks[0] > 0
        assert names == ["video/init.mp4"] * breaks[0] + ["video/init-1.mp4"] * (len(names) - breaks[0])
        # RFC 8216 §6.2.4: renditions have the same discontinuities.
        for other in playlists[1:]:
            assert maps(other)[1] == breaks and len(set(maps(other)[0])) == 1
            start = [sum(each.duration for each in one.segments[:breaks[0]]) for one in (playlists[0], other)]
            assert abs(start[0] - start[1]) < 0.03
        base = session.url.rpartition("/")[0]
        assert fetch(f"{base}/video/init.mp4") != fetch(f"{base}/video/init-1.mp4")
        for wrong in ("video/init-2.mp4", "video/init-0.mp4", "video/init-01.mp4", "audio-1/init-1.mp4"):
            assert request(f"{base}/{wrong}").status == 404


@pytest.mark.parametrize("name", tiered(CHANGING, {"change-pps.ts"}))
def test_every_part_decodes_to_the_frames_of_the_source(engine, tmp_path, name):
    with engine.session(clip(name)) as session:
        shown, sizes = [], []
        for number, data in enumerate(join_stretches(session, completed(session)[0]).values()):
            path = tmp_path / f"{number}.mp4"
            path.write_bytes(data)
            shown += payloads.pictures(path, 0)
            line = payloads.run("ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", str(path))
            sizes.append(tuple(map(int, line.decode().strip().split(",")[:2])))
        assert sizes == SIZES.get(name, [(320, 180)] * 2)
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-i", clip(name), "-map", "0:v", "-autoscale", "0", "-fps_mode",
             "passthrough", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=PATIENCE, check=True)
        expected = [line.rpartition(",")[2].strip() for line in done.stdout.splitlines() if not line.startswith("#")]
        if name != "change-entries.mp4":  # FFmpeg 5.1 keeps the length size of the first entry when the entry changes.
            assert shown == expected
        else:
            assert shown == [each for plain in ("plain-avc.mp4", "plain-avc-larger.mp4")
                             for each in payloads.pictures(clip(plain), 0)]


@pytest.mark.parametrize("name", tiered(CHANGING, {"change-size.ts"}))
def test_segments_and_inits_do_not_depend_on_order_or_process(start_engine, tmp_path, name):
    found = []
    for attempt in range(3):
        # The third engine plans from the scan that the second one has stored.
        engine = start_engine(cache_home=tmp_path / f"{min(attempt, 1)}")
        with engine.session(clip(name)) as session:
            playlists = completed(session)
            base = session.url.rpartition("/")[0]
            urls = [segment.url for each in playlists for segment in each.segments]
            urls += [f"{base}/{each}" for playlist in playlists for each in set(maps(playlist)[0])]
            random.Random(attempt).shuffle(urls)
            found.append(({url.split("/", 4)[4]: digest(url) for url in urls}, [each.text for each in playlists]))
        engine.end()
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", tiered([*CHANGING, "change-sound.ts", "change-clock.ts"], LEAN))
def test_validate_finds_no_faults(engine, name):
    done = subprocess.run([ENGINECTL, "validate", "--socket", str(engine.socket), clip(name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", tiered(["change-size.ts", "change-sps.ts", "change-pps.ts", "change-size-hevc.ts"], LEAN))
def test_ffmpeg_plays_across_the_change(engine, name):
    with engine.session(clip(name)) as session:
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", session.url, "-map", "0:v:0", "-autoscale", "0", "-fps_mode",
             "passthrough", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=PATIENCE)
        lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
        assert done.returncode == 0 and len(lines) == 300, (len(lines), done.stderr[-500:])


@pytest.mark.parametrize("name", tiered(
    ["change-size.ts", "change-sps.ts", "change-pps.ts", "change-size-hevc.ts", "change-clock.ts"], {"change-clock.ts"}))
def test_mpv_plays_across_the_change(engine, name):
    with engine.session(clip(name)) as session:
        completed(session)
        code, output = mpv(session.url)
        assert code == 0, output[-300:]


@pytest.mark.parametrize("name", tiered(["change-size.ts", "change-size.mkv"], {"change-size.ts"}))
def test_the_video_description_covers_both_versions(fresh_engine, name):
    with fresh_engine.session(clip(name)) as session:
        completed(session)
        base = session.url.rpartition("/")[0]
        text = session.master().text
        output = re.search(r'CODECS="(avc1\.\w+)', text)[1]
        levels = [(init := fetch(f"{base}/video/{each}"))[init.index(b"avcC") + 7] for each in ("init.mp4", "init-1.mp4")]
        assert "RESOLUTION=640x360" in text and int(output[-2:], 16) == max(levels) > min(levels)
        video = fresh_engine.state(session.id).media.streams[0].video
        assert (video.width, video.height) == (640, 360)
        log = eventually(
            lambda: "video.parameter_sets_change" in (text := fresh_engine.log.read_text()) and text, "the notice")
        assert "640x360" in log


# If the box is invalid, the track's display size applies: 4:3.
@pytest.mark.parametrize("ratio, width", tiered([
    ((1000000, 1), 160), ((1, 1000000), 120), ((0, 0), 120), ((0xFFFFFFFF, 3), 160), ((0xFFFFFFFF, 0xFFFFFFF0), 160)],
    {((1000000, 1), 160)}))
def test_impossible_aspect_ratios_are_ignored(fresh_engine, tmp_path, ratio, width):
    path = tmp_path / "shape.mp4"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", clip("plain-avc.mp4"), "-c", "copy", "-aspect", "4:3", str(path))
    data = bytearray(path.read_bytes())
    at = data.index(b"pasp") + 4
    data[at:at + 8] = b"".join(each.to_bytes(4, "big") for each in ratio)
    path.write_bytes(data)
    with fresh_engine.session(path) as session:
        assert f"RESOLUTION={width}x90" in session.master().text
        assert payloads.pictures(completed(session)[0].url, 0) == payloads.pictures(clip("plain-avc.mp4"), 0)
        if ratio == (1000000, 1):
            eventually(lambda: "video.aspect_ratio_ignored" in fresh_engine.log.read_text(), "the notice")


def joined(path, *parts):
    """Joins transport streams. Each of `parts`: clip, number of bytes omitted at its start, start of its clock in
    seconds."""
    with path.open("wb") as out:
        for name, skipped, start in parts:
            out.write(payloads.run(
                "ffmpeg", "-nostdin", "-v", "error", "-i", clip(name), "-c", "copy", "-output_ts_offset", str(start),
                "-f", "mpegts", "-")[skipped:])
    return path


# The clock restarts: at the same time, more than a minute earlier (which libavformat takes for a wraparound), in the
# middle of a group of pictures, with another frame size, and often.
CLOCKS = {
    "twice": [("change-sps.ts", 0, 10)] * 2,
    "far": [("change-sps.ts", 0, 5000), ("change-sps.ts", 0, 20)],
    "within a group": [("change-pps.ts", 0, 10), ("change-pps.ts", 188 * 300, 10)],
    "size": [("change-sps.ts", 0, 100), ("change-size.ts", 0, 90)],
    "often": [("change-size.ts", 0, 50)] * 9,
}


@pytest.mark.long
@pytest.mark.parametrize("name", CLOCKS)
def test_a_clock_restart_is_a_discontinuity(start_engine, tmp_path, name):
    path = joined(tmp_path / "joined.ts", *CLOCKS[name])
    found = []
    for attempt in range(3):
        engine = start_engine(cache_home=tmp_path / f"{min(attempt, 1)}")
        with engine.session(path) as session:
            playlists = completed(session)
            # Each clip has its own change in the middle, and each but the first begins with a new clock.
            wanted = 2 * len(CLOCKS[name]) - 1
            assert [len(maps(each)[1]) for each in playlists] == [wanted, wanted], playlists[0].text
            base = session.url.rpartition("/")[0]
            urls = [segment.url for each in playlists for segment in each.segments]
            urls += [f"{base}/{each}" for playlist in playlists for each in set(maps(playlist)[0])]
            random.Random(attempt).shuffle(urls)
            found.append(({url.split("/", 4)[4]: digest(url) for url in urls}, [each.text for each in playlists]))
            if attempt == 0:
                compare_joined(session, playlists, path, tmp_path, name == "within a group")
        done = subprocess.run(
            [ENGINECTL, "validate", "--socket", str(engine.socket), path], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        engine.end()
    assert found[0] == found[1] == found[2]


def compare_joined(session, playlists, path, tmp_path, is_cut):
    """Checks that packets arrive in order and evenly spaced, and that only audio that overlaps, and (with `is_cut`) the
    rest of a group that lacks its start, is left out."""
    found_breaks = maps(playlists[0])[1]
    base = session.url.rpartition("/")[0]
    for stream, (playlist, codec) in enumerate(zip(playlists, ("h264", "aac"))):
        ours = []
        for init, segment in zip(maps(playlist)[0], playlist.segments):
            segment_file = tmp_path / "segment.mp4"
            segment_file.write_bytes(fetch(f"{base}/{init}") + fetch(segment.url))
            ours += payloads.packets(segment_file, 0)
        theirs = payloads.packets(path, stream)
        kept = payloads.canonical(codec, [each.payload for each in ours])
        expected = payloads.canonical(codec, [each.payload for each in theirs])
        left = iter(expected)
        assert all(each in left for each in kept), "something comes twice or out of order"
        lost = len(expected) - len(kept)
        if stream == 0:
            assert lost < 50 if is_cut else lost == 0, lost
        elif not is_cut:
            # The audio of a clip extends beyond its video on either side; the overlap cannot be heard.
            assert lost <= 2 * len(found_breaks), (lost, found_breaks)
        times = [each.time for each in ours]
        steps = [later - earlier for earlier, later in zip(times, times[1:])] if stream else [
            later - earlier for earlier, later in zip(sorted(times), sorted(times)[1:])]
        assert 0 < min(steps) and max(steps) < (0.0405, 0.0427)[stream], (codec, min(steps), max(steps))


@pytest.mark.long
def test_chromium_plays_and_seeks_across_the_change(engine):
    with chromium() as browser, engine.session(clip("change-size.ts")) as session:
        assert browser.open(session.url) == "ok"
        for target in (5.2, 8, 1, 5.5):
            landed = browser.seek(target)
            assert landed["landed"] is not None and abs(landed["landed"] - target) < 0.5, (target, landed)
            moved = browser.advance(1.2, start=target)
            assert moved["error"] is None and not moved["late"], (target, moved)
        browser.close()


def test_an_audio_format_change_is_reported(fresh_engine):
    with fresh_engine.session(clip("change-sound.ts")) as session:
        completed(session)
        log = eventually(
            lambda: "audio.format_changes" in (text := fresh_engine.log.read_text()) and text, "the notice")
        assert "changes 1 times" in log


ENCODERS = {"h264": ("libx264", "-g", "50", "-bf", "2", "-preset", "ultrafast"),
            "hevc": ("libx265", "-x265-params", "log-level=none:keyint=50", "-preset", "ultrafast")}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Transport streams of 10 s with audio, by codec."""
    folder, found = tmp_path_factory.mktemp("recordings"), {}
    for codec, encoder in ENCODERS.items():
        found[codec] = folder / f"{codec}.ts"
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=10", "-f", "lavfi", "-i", "sine=440:d=10",
             "-c:v", *encoder, "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "mpegts", found[codec]], check=True, timeout=PATIENCE)
    return found


def join(recordings, codecs, path):
    path.write_bytes(b"".join(recordings[codec].read_bytes() for codec in codecs))
    return path


@pytest.mark.parametrize("codecs", tiered(
    ["h264-hevc", "hevc-h264", "h264-hevc-h264"], {"h264-hevc-h264"}))
def test_a_recording_that_continues_in_another_codec_is_played_whole(engine, recordings, tmp_path, codecs):
    codecs = codecs.split("-")
    path, watch = join(recordings, codecs, tmp_path / "joined.ts"), Notices(engine)
    with engine.session(path) as session:
        video, audio = completed(session)[:2]
        groups = served_groups(video.url)
        assert [decoded(group, "v") for group in groups] == [decoded(recordings[codec].read_bytes(), "v") for codec in codecs]
        assert [decoded(group, "a") for group in served_groups(audio.url)] == [decoded(recordings[codec].read_bytes(), "a") for codec in codecs]
        eventually(lambda: "video.codec_changes" in watch.codes, "the notice")
    watch.end()
    done = subprocess.run([ENGINECTL, "validate", "--rounded", "--socket", str(engine.socket), path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_recording_on_a_server_ends_where_its_codec_changes(engine, recordings, tmp_path):
    path, watch = join(recordings, ("h264", "hevc"), tmp_path / "joined.ts"), Notices(engine)
    with origin(path) as server, engine.session(server.url) as session:
        eventually(lambda: "#EXT-X-ENDLIST" in completed(session)[0].text, "the end of the list")
        groups = served_groups(completed(session)[0].url)
        assert [decoded(group, "v") for group in groups] == [decoded(recordings["h264"].read_bytes(), "v")]
        eventually(lambda: "video.codec_changed" in watch.codes, "the notice")
    watch.end()
