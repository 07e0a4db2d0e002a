# SPDX-License-Identifier: Apache-2.0
"""What changes midway is announced where it changes, the same way at every fetch, and plays."""

import random
import re
import subprocess

import pytest
from harness import payloads
from harness.browser import chromium
from harness.engine import eventually
from harness.hls import Media, digest, fetch, request
from harness.places import ENGINECTL, clip

CHANGING = ["change-size.ts", "change-sps.ts", "change-pps.ts", "change-size-hevc.ts", "change-size.h264",
            "change-size.mkv", "change-entries.mp4"]
SIZES = {"change-size.ts": [(320, 180), (640, 360)], "change-size-hevc.ts": [(320, 180), (640, 360)],
         "change-size.h264": [(320, 180), (640, 360)], "change-size.mkv": [(320, 180), (640, 360)],
         "change-entries.mp4": [(160, 90), (320, 180)]}


def completed(session):
    return [Media.complete(url) for url in session.master().playlists()]


def maps(playlist):
    """The MAP of each segment, and the segments that follow a DISCONTINUITY."""
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


def whole(session, playlist):
    """The stretches of a playlist, each its init segment and its segments as one file's bytes."""
    base = session.url.rpartition("/")[0]
    names, _ = maps(playlist)
    stretches = {}
    for name, segment in zip(names, playlist.segments):
        stretches.setdefault(name, bytearray(fetch(f"{base}/{name}"))).extend(fetch(segment.url))
    return stretches


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_is_one_discontinuity_with_an_init_of_its_own(engine, name):
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


@pytest.mark.parametrize("name", CHANGING)
def test_every_stretch_decodes_to_the_source_s_pictures(engine, tmp_path, name):
    with engine.session(clip(name)) as session:
        shown, sizes = [], []
        for number, data in enumerate(whole(session, completed(session)[0]).values()):
            path = tmp_path / f"{number}.mp4"
            path.write_bytes(data)
            shown += payloads.pictures(path, 0)
            line = payloads.run("ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", str(path))
            sizes.append(tuple(map(int, line.decode().strip().split(",")[:2])))
        assert sizes == SIZES.get(name, [(320, 180)] * 2)
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-i", clip(name), "-map", "0:v", "-autoscale", "0", "-fps_mode",
             "passthrough", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=60, check=True)
        expected = [line.rpartition(",")[2].strip() for line in done.stdout.splitlines() if not line.startswith("#")]
        if name != "change-entries.mp4":  # FFmpeg 5.1 keeps the first entry's length of lists when it changes entries.
            assert shown == expected
        else:
            assert shown == [each for plain in ("plain-avc.mp4", "plain-avc-larger.mp4")
                             for each in payloads.pictures(clip(plain), 0)]


@pytest.mark.parametrize("name", CHANGING)
def test_segments_and_inits_are_pure(start_engine, tmp_path, name):
    found = []
    for attempt in range(3):
        # The third is planned from the scan that the second has kept.
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


@pytest.mark.parametrize("name", [*CHANGING, "change-sound.ts"])
def test_validate_is_content(start_engine, name):
    engine = start_engine()
    done = subprocess.run([ENGINECTL, "validate", "--socket", str(engine.socket), clip(name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["change-size.ts", "change-sps.ts", "change-pps.ts", "change-size-hevc.ts"])
def test_ffmpeg_plays_across(engine, name):
    with engine.session(clip(name)) as session:
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", session.url, "-map", "0:v:0", "-autoscale", "0", "-fps_mode",
             "passthrough", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=60)
        lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
        assert done.returncode == 0 and len(lines) == 300, (len(lines), done.stderr[-500:])


def test_chromium_plays_across_and_seeks_over_it(engine):
    with chromium() as browser, engine.session(clip("change-size.ts")) as session:
        assert browser.open(session.url) == "ok"
        for target in (5.2, 8, 1, 5.5):
            landed = browser.seek(target)
            assert landed["landed"] is not None and abs(landed["landed"] - target) < 0.5, (target, landed)
            moved = browser.advance(1.2, start=target)
            assert moved["error"] is None and not moved["late"], (target, moved)
        browser.close()


def test_a_change_of_the_sound_is_told(fresh_engine):
    with fresh_engine.session(clip("change-sound.ts")) as session:
        completed(session)
        log = eventually(
            lambda: "audio.format_changes" in (text := fresh_engine.log.read_text()) and text, "the notice")
        assert "changes 1 times" in log
