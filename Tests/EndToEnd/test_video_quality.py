# SPDX-License-Identifier: Apache-2.0
"""Bridged video looks like its source, at the settings that the engine chooses."""

import re
import subprocess

import pytest
from harness.contract import engine_pb2
from harness.hls import Media, fetch
from harness.places import SAMPLES

# People, an animal, and a meadow that is drawn blade by blade; 640x360 to 1280x720.
CLIPS = [
    "joeyparrish+shaka-packager/packager/media/test/data/bear-640x360.mp4",
    "androidx+media/avi/sample.avi",
    "androidx+media/mp4/sample_with_chapters.mp4",
    "androidx+media/mp4/bbb_800x640_768kbps_30fps_avc_pyramid_3b.mp4",
    "sannies+mp4parser/isoparser/src/test/resources/foreman-hevc-384.mp4",
]


def similarities(served, source):
    """The structural similarity (SSIM) of each frame with that of the same number in the source."""
    # The clocks of the two files tick differently; frames are compared by number.
    count = "settb=1/48000,setpts=N*1000,format=yuv420p"
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", served, "-i", source, "-lavfi",
         f"[0:v:0]{count}[a];[1:v:0]{count}[b];[a][b]ssim=stats_file=-:shortest=0", "-f", "null", "-"],
        capture_output=True, check=True, text=True)
    return [float(each) for each in re.findall(r"All:([\d.]+)", done.stdout)]


def frame_count(path):
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of",
         "csv=p=0", path], capture_output=True, check=True, text=True)
    return int(done.stdout.split()[0].strip(","))


@pytest.mark.long
@pytest.mark.parametrize("codec", ["h264", "vp9", "av1"])
@pytest.mark.parametrize("clip", CLIPS, ids=lambda clip: clip.split("/")[-1])
def test_bridged_video_looks_like_its_source(engine, tmp_path, clip, codec):
    source, served = SAMPLES / clip, tmp_path / "served.mp4"
    if not source.exists():
        pytest.skip("there is no such sample in ../shared/media or $ENGINE_MEDIA")
    with engine.session(source, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS, video_bridge_codec=codec) as session:
        media = Media.complete(session.master().variants[0][1])
        served.write_bytes(b"".join(fetch(url) for url in [media.init, *(each.url for each in media.segments)]))
    assert frame_count(served) == frame_count(source)
    found = similarities(served, source)
    assert len(found) == frame_count(source)
    assert sum(found) / len(found) >= 0.95 and min(found) >= 0.9, f"{sum(found) / len(found):.4f}, at worst {min(found):.4f}"
