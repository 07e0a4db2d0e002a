# SPDX-License-Identifier: Apache-2.0
"""Key frames as a stream of their own, and the storyboard: exact, lazy, and the same from any engine."""

import json
import random
import subprocess

import pytest
from harness import hls, subtitles
from harness.engine import PATIENCE
from harness.places import clip

FILMS = ["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts", "h264-aac.flv", "h264-aac.avi", "h264-aac-fragmented.mp4",
         "hevc-eac3.mkv", "hevc-eac3.ts", "open-gop.mkv", "open-gop.mp4", "b-pyramid.mkv", "vfr.mp4", "vp9-opus.webm",
         "av1-opus.mkv", "hdr10.mkv", "nonzero-start.ts", "raw.h264", "change-size.ts", "change-size.mkv", "change-clock.ts",
         "rotated.mp4"]


def probed(data, folder, *entries):
    path = folder / "piece.mp4"
    path.write_bytes(data)
    command = ["ffprobe", "-v", "error", "-select_streams", "v", "-of", "json", *entries, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE).stdout)


def packets(data, folder):
    """Time, hash and flags of each packet."""
    found = probed(data, folder, "-show_data_hash", "md5", "-show_entries", "packet=pts_time,data_hash,flags")["packets"]
    return [(float(each["pts_time"]), each["data_hash"], each["flags"]) for each in found]


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


@pytest.mark.parametrize("name", FILMS)
def test_each_is_the_picture_that_opens_a_segment(engine, tmp_path, name):
    with engine.session(clip(name)) as session:
        master = session.master()
        attributes, playlist = keyframes(session)
        video = hls.Media.complete(master.variants[0][1])
        assert playlist.is_keyframes_only and playlist.type == "VOD" and playlist.target == video.target
        assert [(each.duration, each.is_discontinuous) for each in playlist.segments] == [
            (each.duration, each.is_discontinuous) for each in video.segments]
        assert not {"FRAME-RATE", "AUDIO", "SUBTITLES", "CLOSED-CAPTIONS"} & attributes.keys()
        assert attributes["RESOLUTION"] == master.variants[0][0]["RESOLUTION"]
        end = None
        for init, own, whole in zip(inits(playlist), playlist.segments, video.segments):
            (time, content, flags), = packets(init + hls.fetch(own.url), tmp_path)
            first = packets(init + hls.fetch(whole.url), tmp_path)[0]
            assert (time, content) == first[:2] and "K" in flags
            # The durations of the playlist lead from one to the next.
            assert end is None or abs(time - end) < 0.001
            end = (time if end is not None else 0) + own.duration


@pytest.mark.parametrize("name", FILMS)
def test_each_decodes_alone(engine, tmp_path, name):
    with engine.session(clip(name)) as session:
        _, playlist = keyframes(session)
        for init, segment in zip(inits(playlist), playlist.segments):
            found = probed(init + hls.fetch(segment.url), tmp_path, "-show_entries", "frame=key_frame,pict_type")["frames"]
            assert [(each["key_frame"], each["pict_type"]) for each in found] == [(1, "I")]


@pytest.mark.parametrize("name", ["h264-aac.mkv", "open-gop.mp4", "h264-aac.ts", "change-size.ts", "hevc-eac3.mkv"])
def test_they_are_the_same_bytes_in_any_order_from_any_engine(engine, start_engine, name):
    with engine.session(clip(name)) as session:
        urls = [segment.url for segment in keyframes(session)[1].segments]
        linear = {url.split("/", 4)[4]: hls.digest(url) for url in urls}
    with start_engine().session(clip(name)) as session:
        _, playlist = keyframes(session)
        urls = [segment.url for segment in playlist.segments]
        random.Random(name).shuffle(urls)
        # Between segments that playback fetches.
        found = {}
        for url in urls:
            found[url.split("/", 4)[4]] = hls.digest(url)
            assert hls.fetch(url.replace("keyframe-", ""))
        assert found == linear


def test_only_those_of_announced_segments_are_there(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        base = session.url.removesuffix("master.m3u8")
        reply = hls.request(base + "video/keyframe-0.m4s")
        assert reply.status == 200 and reply.headers["content-type"] == "video/mp4" and reply.headers["etag"]
        for path in ("video/keyframe-6.m4s", "video/keyframe-00.m4s", "audio-1/keyframe-0.m4s", "video/keyframe-.m4s"):
            assert hls.request(base + path).status == 404, path
    with engine.session(clip("audio.flac")) as session:
        base = session.url.removesuffix("master.m3u8")
        assert not session.master().keyframes
        for path in ("keyframes.m3u8", "video/keyframe-0.m4s", "storyboard.vtt", "storyboard/0.jpg"):
            assert hls.request(base + path).status == 404, path


@pytest.mark.parametrize("name", ["h264-aac.mkv", "change-size.ts"])
def test_the_validator_knows_them(engine, name):
    report = json.loads(subtitles.enginectl("validate", clip(name), "--json", engine=engine).stdout)
    assert report["valid"]
    of_keyframes = next(each for each in report["playlists"] if each["uri"] == "keyframes.m3u8")
    assert of_keyframes["decoded_frames"] == of_keyframes["segments"] > 1


def test_a_key_frame_costs_a_piece_of_its_segment(start_engine):
    """What is read for all of them is little beside the film."""
    engine = start_engine()
    with engine.session(clip("h264-aac.mkv")) as session:
        _, playlist = keyframes(session)

        def read():
            for line in open(f"/proc/{engine.pid}/io"):
                if line.startswith("rchar:"):
                    return int(line.split()[1])

        hls.fetch(playlist.segments[0].url)
        before = read()
        for segment in playlist.segments[1:]:
            hls.fetch(segment.url)
        assert read() - before < clip("h264-aac.mkv").stat().st_size / 2
        assert "keyframes" in engine.thread_names()
