# SPDX-License-Identifier: Apache-2.0
"""The I-frame playlist and the storyboard show exactly the source's keyframes, are made only when requested, and are
the same from any engine."""

import itertools
import json
import random
import re
import socket
import subprocess
import time
import urllib.parse

import pytest
from harness import boxes, hls, numbered, payloads, subtitles, webvtt
from harness.contract import stills_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip
from harness.tiers import tiered

FILMS = ["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts", "h264-aac.flv", "h264-aac.avi", "h264-aac-fragmented.mp4",
         "hevc-eac3.mkv", "hevc-eac3.ts", "open-gop.mkv", "open-gop.mp4", "b-pyramid.mkv", "vfr.mp4", "vp9-opus.webm",
         "av1-opus.mkv", "hdr10.mkv", "nonzero-start.ts", "raw.h264", "change-size.ts", "change-size.mkv", "change-clock.ts",
         "rotated.mp4"]
# Groups of pictures that are open, and a size that changes.
LEAN = {"open-gop.mp4", "change-size.ts"}
REFRESHED = [("mkv", 3), *((each, 8) for each in ("mkv", "live.mkv", "mp4", "fragmented.mp4", "flv", "ts", "avi"))]


@pytest.mark.long
@pytest.mark.parametrize("container, seconds", REFRESHED)
def test_gradual_refresh_has_no_keyframe_playlist(engine, container, seconds, tmp_path):
    """The keyframes do not decode alone, so there is no keyframe playlist, and segments are not announced as independent."""
    path = tmp_path / f"film.{container}"
    flags = {"live.mkv": ["-live", "1"], "fragmented.mp4": ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]}
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=25:duration={seconds}", "-c:v", "libx264",
                    "-x264-params", "intra-refresh=1:keyint=25:bframes=0", *flags.get(container, []), path], check=True)
    with engine.session(path) as session:
        master = session.master()
        assert not master.keyframes and "INDEPENDENT" not in master.text
        playlist = hls.Media.complete(master.variants[0][1])
        assert len(playlist.segments) == (seconds + 3) // 4 and "INDEPENDENT" not in playlist.text
        assert hls.request(urllib.parse.urljoin(master.url, "keyframes.m3u8")).status == 404
    # A thumbnail is the whole picture instead.
    of = stills_pb2.StillSource(source=str(path))
    thumbnail = engine.stub.Thumbnail(stills_pb2.ThumbnailRequest(of=of, time_us=1_500_000))
    assert thumbnail.data == engine.stub.Snapshot(stills_pb2.SnapshotRequest(of=of, time_us=1_500_000)).data
    done = subprocess.run([ENGINECTL, "validate", "--decode", "--socket", str(engine.socket), path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def probed(data, folder, *entries):
    path = folder / "piece.mp4"
    path.write_bytes(data)
    command = ["ffprobe", "-v", "error", "-select_streams", "v", "-of", "json", *entries, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE).stdout)


def packets(data, folder):
    """Time, hash and flags of each packet."""
    found = probed(data, folder, "-show_data_hash", "md5", "-show_entries", "packet=pts_time,data_hash,flags")["packets"]
    return [(float(each["pts_time"]), each["data_hash"], each["flags"]) for each in found]


def listed(pieces, folder):
    """The output of `packets` for each piece, which is an init segment and a segment. Consecutive pieces with the same
    init segment are read as one file."""
    found = []
    for init, group in itertools.groupby(pieces, lambda piece: piece[0]):
        segments = [segment for _, segment in group]
        left = iter(packets(init + b"".join(segments), folder))
        found += [list(itertools.islice(left, len(boxes.Fragment(each).samples))) for each in segments]
        assert next(left, None) is None
    return found


def inits(playlist):
    """The init segment of each segment."""
    found, init = [], None
    for line in playlist.text.splitlines():
        if line.startswith("#EXT-X-MAP:"):
            init = playlist.url.rpartition("/")[0] + "/" + hls.attributes(line)["URI"]
        elif line and not line.startswith("#"):
            found.append(hls.fetch(init))
    return found


def keyframes(session):
    (attributes, url), = session.master().keyframes
    return attributes, hls.Media.complete(url)


@pytest.mark.parametrize("name", tiered(FILMS, LEAN))
def test_keyframes_are_frames_of_the_segments(engine, tmp_path, name):
    with engine.session(clip(name)) as session:
        master = session.master()
        attributes, playlist = keyframes(session)
        video = hls.Media.complete(master.variants[0][1])
        assert playlist.is_keyframes_only and playlist.type == "VOD" and playlist.target == video.target
        assert not {"FRAME-RATE", "AUDIO", "SUBTITLES", "CLOSED-CAPTIONS"} & attributes.keys()
        assert attributes["RESOLUTION"] == master.variants[0][0]["RESOLUTION"]
        whole, opening, breaks = {}, [], []
        pieces = [(init, hls.fetch(segment.url)) for init, segment in zip(inits(video), video.segments)]
        for (init, _), segment, found in zip(pieces, video.segments, listed(pieces, tmp_path), strict=True):
            opening.append(found[0][:2])
            breaks += [found[0][:2]] * segment.is_discontinuous
            whole.update({(time, content): (init, flags) for time, content, flags in found})
        end, times = None, []
        pieces = [(init, hls.fetch(own.url)) for init, own in zip(inits(playlist), playlist.segments)]
        for (init, _), own, found in zip(pieces, playlist.segments, listed(pieces, tmp_path), strict=True):
            (time, content, flags), = found
            # Each is a frame of a segment at its time, with that segment's init segment and its discontinuity.
            assert whole[time, content][0] == init and "K" in flags and "K" in whole[time, content][1]
            assert own.is_discontinuous == ((time, content) in breaks)
            times.append((time, content))
            # Each entry begins where the duration of the previous one ends.
            assert end is None or abs(time - end) < 0.001
            end = (time if end is not None else 0) + own.duration
        # The keyframes that open segments are included.
        assert set(opening) <= set(times)
        assert abs(sum(each.duration for each in playlist.segments) - sum(each.duration for each in video.segments)) < 0.001


@pytest.mark.parametrize("name, count", [("h264-aac.mkv", 12), ("h264-aac.mp4", 12), ("h264-aac.ts", 12), ("hevc-eac3.mkv", 6)])
def test_keyframes_within_segments_are_included(engine, name, count):
    """The keyframes are two seconds apart, in segments of four seconds."""
    with engine.session(clip(name)) as session:
        _, playlist = keyframes(session)
        assert len(playlist.segments) == count and all(abs(each.duration - 2) < 0.1 for each in playlist.segments)


def test_keyframes_have_a_minimum_spacing(engine, tmp_path):
    path = tmp_path / "intra.mp4"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(clip("h264-aac.mkv")), "-map", "0:v", "-t", "9", "-c:v",
                 "libx264", "-preset", "ultrafast", "-g", "5", "-pix_fmt", "yuv420p", str(path))
    with engine.session(path) as session:
        _, playlist = keyframes(session)
        assert len(playlist.segments) >= 8 and all(0.44 < each.duration < 1.6 for each in playlist.segments)


@pytest.mark.parametrize("name", tiered(FILMS, {"open-gop.mp4"}))
def test_each_keyframe_decodes_alone(engine, tmp_path, name):
    with engine.session(clip(name)) as session:
        _, playlist = keyframes(session)
        for init, segment in zip(inits(playlist), playlist.segments):
            found = probed(init + hls.fetch(segment.url), tmp_path, "-show_entries", "frame=key_frame,pict_type")["frames"]
            assert [(each["key_frame"], each["pict_type"]) for each in found] == [(1, "I")]


@pytest.mark.parametrize("name", tiered(["h264-aac.mkv", "open-gop.mp4", "h264-aac.ts", "change-size.ts", "hevc-eac3.mkv"], {"change-size.ts"}))
def test_keyframes_do_not_depend_on_order_or_process(engine, start_engine, name):
    with engine.session(clip(name)) as session:
        urls = [segment.url for segment in keyframes(session)[1].segments]
        linear = {url.split("/", 4)[4]: hls.digest(url) for url in urls}
    with start_engine().session(clip(name)) as session:
        _, playlist = keyframes(session)
        urls = [segment.url for segment in playlist.segments]
        random.Random(name).shuffle(urls)
        # Interleaved with segments, as during playback.
        found = {}
        for url in urls:
            found[url.split("/", 4)[4]] = hls.digest(url)
            assert hls.fetch(url.rpartition("/")[0] + "/0.m4s")
        assert found == linear


@pytest.mark.parametrize("name", tiered(["h264-aac.ts", "h264-aac.flv", "raw.h264", "change-size.ts"], {"h264-aac.ts"}))
def test_a_growing_playlist_never_changes_announced_keyframes(fresh_engine, name):
    with fresh_engine.session(clip(name)) as session:
        (_, url), = session.master().keyframes
        seen = list(hls.Media.versions(url))
        for earlier, later in zip(seen, seen[1:]):
            before, after = ([(each.url, each.duration) for each in found.segments] for found in (earlier, later))
            assert after[:len(before)] == before and later.target == earlier.target
        final = seen[-1].text
    # The playlist of the cached plan.
    with fresh_engine.session(clip(name)) as session:
        (_, url), = session.master().keyframes
        again = hls.Media.complete(url)
        assert [line for line in again.text.splitlines() if not line.startswith("#EXT-X-TARGETDURATION")] == [
            line for line in final.splitlines() if not line.startswith("#EXT-X-TARGETDURATION")]


def test_only_existing_keyframes_are_served(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        base = session.url.removesuffix("master.m3u8")
        reply = hls.request(base + "video/keyframe-0.m4s")
        assert reply.status == 200 and reply.headers["content-type"] == "video/mp4" and reply.headers["etag"]
        for path in ("video/keyframe-12.m4s", "video/keyframe-00.m4s", "audio-1/keyframe-0.m4s", "video/keyframe-.m4s"):
            assert hls.request(base + path).status == 404, path
    with engine.session(clip("audio.flac")) as session:
        base = session.url.removesuffix("master.m3u8")
        assert not session.master().keyframes
        for path in ("keyframes.m3u8", "video/keyframe-0.m4s", "storyboard.vtt", "storyboard/0.jpg"):
            assert hls.request(base + path).status == 404, path


@pytest.mark.parametrize("name", tiered(["h264-aac.mkv", "change-size.ts"], {"change-size.ts"}))
def test_the_validator_checks_keyframe_playlists(engine, name):
    report = json.loads(subtitles.enginectl("validate", clip(name), "--json", engine=engine).stdout)
    assert report["valid"]
    of_keyframes = next(each for each in report["playlists"] if each["uri"] == "keyframes.m3u8")
    assert of_keyframes["decoded_frames"] == of_keyframes["segments"] > 1


def test_serving_keyframes_reads_only_part_of_the_source(start_engine):
    """All keyframes together require reading only a small part of the film."""
    engine = start_engine()
    with engine.session(clip("h264-aac.mkv")) as session:
        _, playlist = keyframes(session)

        def read():
            for line in open(f"/proc/{engine.pid}/io"):
                if line.startswith("rchar:"):
                    return int(line.split()[1])

        def is_idle():
            now = read()
            time.sleep(0.5)
            return read() == now

        # By then, the segments made ahead for a player have been read.
        hls.fetch(playlist.segments[0].url)
        eventually(is_idle, "the engine to have read what it wants")
        before = read()
        for segment in playlist.segments[1:]:
            hls.fetch(segment.url)
        assert read() - before < clip("h264-aac.mkv").stat().st_size
        assert "keyframes" in engine.thread_names()


# The storyboard.

NUMBERED = ["h264.mp4", "h264.mkv", "h264.ts", "hevc.mp4", "vp9.webm", "av1.mkv"]


def storyboard(session):
    """(start, end, sheet, rectangle) of each thumbnail, times in milliseconds."""
    base = session.url.removesuffix("master.m3u8")
    header, cues = webvtt.read(hls.fetch(base + "storyboard.vtt").decode())
    assert header == []
    found = []
    for start, end, _, payload in cues:
        sheet, _, place = payload.partition("#xywh=")
        found.append((start, end, base + sheet, tuple(int(each) for each in place.split(","))))
    return found


def greys(sheet):
    """Width, height and the pixels of a sheet, one byte each."""
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "info", "-c:v", "mjpeg", "-f", "image2pipe", "-i", "pipe:0", "-f", "rawvideo", "-pix_fmt",
         "gray", "pipe:1"], input=sheet, check=True, capture_output=True, timeout=PATIENCE)
    width, height = re.search(rb"Video: mjpeg.*?, (\d+)x(\d+)", done.stderr).groups()
    return int(width), int(height), done.stdout


def number(pixels, sheet_width, rectangle):
    """The number that scripts/fixtures-numbered drew in a frame, which the rectangle of the sheet shows scaled down."""
    left, top, width, height = rectangle
    found = 0
    for bit in range(12):
        x = left + (bit * 16 + 8) * width // 192
        high, low = (pixels[(top + y * height // 96) * sheet_width + x] for y in (24, 72))
        assert abs(high - low) > 60, f"no number at {rectangle}"
        found = found << 1 | (high > low)
    return found


@pytest.mark.parametrize("target", tiered([1_000_000, 5_000_000], {5_000_000}))
@pytest.mark.parametrize("name", tiered(NUMBERED, {"h264.ts"}))
def test_storyboard_cells_match_their_times(engine, name, target):
    with engine.session(numbered.film(name), segment_target_us=target) as session:
        cells = storyboard(session)
        video = hls.Media.complete(session.master().variants[0][1])
        # As dense in long segments as in short ones.
        assert len(cells) >= len(video.segments) and len(cells) > 3
        assert cells[0][0] == 0 and abs(cells[-1][1] - video.duration * 1000) <= 1
        assert all(first[1] == second[0] for first, second in zip(cells, cells[1:]))
        times = [round(each * 25) for each in numbered.keyframes(numbered.film(name))]
        sheets = {url: greys(hls.fetch(url)) for url in {url for _, _, url, _ in cells}}
        for index, (start, _, url, rectangle) in enumerate(cells):
            assert url.endswith(f"storyboard/{index // 25}.jpg") and rectangle[2:] == (160, 80)
            assert rectangle[:2] == (index % 5 * 160, index % 25 // 5 * 80)
            width, height, pixels = sheets[url]
            assert rectangle[0] + 160 <= width and rectangle[1] + 80 <= height
            shown = number(pixels, width, rectangle)
            assert shown == round(start * 25 / 1000) and shown in times


def test_a_storyboard_does_not_depend_on_the_process(engine, start_engine):
    path = numbered.film("h264.mkv")
    found = []
    for each in (engine, start_engine()):
        with each.session(path) as session:
            base = session.url.removesuffix("master.m3u8")
            reply = hls.request(base + "storyboard/0.jpg")
            assert reply.status == 200 and reply.headers["content-type"] == "image/jpeg"
            assert hls.request(base + "storyboard.vtt").headers["content-type"] == "text/vtt"
            assert hls.request(base + "storyboard/9.jpg").status == 404
            found.append((hls.digest(base + "storyboard.vtt"), hls.digest(base + "storyboard/0.jpg")))
            assert session.state.storyboard_url == base + "storyboard.vtt"
    assert found[0] == found[1]


def test_storyboards_do_not_change_segments(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        before = {url: hls.digest(url) for url in session.master().everything()}
    with engine.session(clip("h264-aac.mkv")) as session:
        assert greys(hls.fetch(session.url.replace("master.m3u8", "storyboard/0.jpg")))[0] == 5 * 160
        after = {url: hls.digest(url) for url in session.master().everything()}
    assert list(before.values()) == list(after.values())


@pytest.fixture(scope="module")
def long_film(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "long.ts"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-stream_loop", "49", "-i", str(clip("h264-aac.ts")), "-c", "copy", str(path))
    return path


@pytest.mark.long
def test_abandoned_storyboard_requests_are_dropped(start_engine, long_film):
    """Clients that disconnect leave no work behind: most of the sheets that they requested are not made."""
    engine = start_engine()

    def is_idle():
        before = engine.cpu_seconds()
        time.sleep(0.3)
        return engine.cpu_seconds() == before

    with engine.session(long_film) as session:
        sheets = sorted({sheet for _, _, sheet, _ in storyboard(session)})
        assert len(sheets) >= 4
        # Making the first sheet opens everything that the others need.
        hls.fetch(sheets[0])
        eventually(is_idle, "the engine to finish the plan and reading ahead")
        before = engine.cpu_seconds()
        for sheet in sheets[1:]:
            parts = urllib.parse.urlsplit(sheet)
            with socket.create_connection((parts.hostname, parts.port)) as connection:
                connection.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        eventually(is_idle, "the engine to have nothing to do")
        abandoned = engine.cpu_seconds() - before
        before = engine.cpu_seconds()
        for sheet in sheets[1:]:
            hls.fetch(sheet)
        assert abandoned < (engine.cpu_seconds() - before) / 2


def test_the_storyboard_waits_for_the_scan(engine):
    with engine.session(clip("subtitled-streamed.mkv")) as session:
        assert storyboard(session)[0][0] == 0


@pytest.mark.long
def test_an_early_storyboard_request_returns_the_whole_source(engine, long_film):
    with engine.session(long_film) as session:
        cells = storyboard(session)
        state = engine.state(session.id)
        assert state.production.plan_complete
        assert cells[-1][1] > 1_190_000 and abs(cells[-1][1] * 1000 - state.duration_us) < 200_000
        assert greys(hls.fetch(session.url.replace("master.m3u8", "storyboard/3.jpg")))[0] == 5 * 160
