# SPDX-License-Identifier: Apache-2.0
"""Bridged video of formats that hardly any player decodes: studio codecs, more than 4:2:0, odd containers; frames that
their container crops and rotates; and colours of HDR."""

import json
import subprocess

import pytest
from harness import light, numbered, payloads, pictures
from harness.contract import engine_pb2, stills_pb2
from harness.engine import PATIENCE
from harness.hls import Media, fetch
from harness.places import clip
from harness.tiers import tiered
from test_still_colour import LIMIT, pq
from test_video_bridge import COUNT, served, shown

ALWAYS = engine_pb2.VIDEO_BRIDGE_ALWAYS
# By name: the suffix of the container, and how ffmpeg encodes the frames of a film with exact times.
FORMATS = {
    "ProRes 4444 with alpha": (".mov", ["-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le"]),
    "ProRes 422": (".mov", ["-c:v", "prores_ks", "-profile:v", "hq", "-pix_fmt", "yuv422p10le"]),
    "H.264 4:2:2, 10 bits": (".mkv", ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv422p10le"]),
    "H.264 4:4:4": (".mp4", ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv444p"]),
    "MPEG-2 4:2:2": (".ts", ["-c:v", "mpeg2video", "-q:v", "3", "-g", "12", "-bf", "2", "-pix_fmt", "yuv422p"]),
    "HEVC 4:2:2, 12 bits": (".mkv", ["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv422p12le", "-x265-params", "log-level=none"]),
    "VP8 in AVI": (".avi", ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-auto-alt-ref", "0", "-b:v", "400k", "-g", "50",
                            "-pix_fmt", "yuv420p"]),
    "VP8 with hidden pictures": (".mkv", ["-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "16", "-b:v", "400k", "-g", "50",
                                          "-pix_fmt", "yuv420p"]),
    "FFV1": (".mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]),
    "RGB": (".mkv", ["-c:v", "ffv1", "-pix_fmt", "bgr0"]),
}


@pytest.mark.parametrize("name", tiered(list(FORMATS), {"VP8 in AVI"}))
def test_each_frame_of_other_formats_is_served_once_at_its_time(engine, tmp_path, name):
    suffix, encoding = FORMATS[name]
    film = tmp_path / f"film{suffix}"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", numbered.film("h264.mp4"), "-an", *encoding, film], check=True)
    with engine.session(film, video_bridge=ALWAYS, segment_target_us=1_000_000) as session:
        path = served(session, tmp_path)
        stream = next(each for each in engine.state(session.id).media.streams if each.video.width)
    assert (stream.route, stream.delivery.sample_entry) == ("bridge", "avc1")
    times, numbers = shown(path)
    assert numbers == list(range(COUNT))
    assert [time - times[0] for time in times] == pytest.approx([number * 0.04 for number in range(COUNT)], abs=0.0011)
    assert pixel_format(path) == "yuv420p"


def pixel_format(path):
    return payloads.run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0",
                        str(path)).decode().strip().strip(",")


def facts(path):
    done = payloads.run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                        "stream=width,height,sample_aspect_ratio:stream_side_data=rotation", "-of", "json", str(path))
    stream, = json.loads(done)["streams"]
    rotation = next((each["rotation"] for each in stream.get("side_data_list", []) if "rotation" in each), 0)
    return stream["width"], stream["height"], stream["sample_aspect_ratio"], rotation


def grey(path, size, *filters):
    """The frames of a file as they are stored, in grey."""
    return subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-noautorotate", "-i", path, "-map", "0:v:0", "-frames:v", "25", "-vf", ",".join([*filters, "format=gray"]),
         "-f", "rawvideo", "-"], capture_output=True, check=True).stdout[:25 * size[0] * size[1]]


def test_cropping_is_applied_and_rotation_is_signalled(engine, tmp_path):
    path = pictures.with_clean_aperture(clip("anamorphic.mkv"), (700, 560), (-12, 4), tmp_path, "-metadata:s:v:0", "rotate=90")
    with engine.session(path, video_bridge=ALWAYS) as session:
        fields, url = session.master().variants[0]
        media = Media.complete(url)
        stream = next(each for each in engine.state(session.id).media.streams if each.video.width)
        made = tmp_path / "served.mp4"
        made.write_bytes(b"".join(fetch(each) for each in [media.init, *(segment.url for segment in media.segments)]))
    assert stream.route == "bridge" and b"clap" not in made.read_bytes()[:4096]
    # The served frames lack the cropped sides, and the player rotates them.
    width, height, aspect, rotation = facts(made)
    assert (width, height, aspect, abs(int(rotation))) == (700, 560, "64:45", 90)
    assert rotation == facts(path)[3] and fields["RESOLUTION"] == "560x996"
    # 4 columns and 10 lines were cut off at the left and at the top.
    ours, theirs = grey(made, (700, 560)), grey(path, (700, 560), "crop=700:560:4:10:exact=1")
    assert len(ours) == len(theirs) > 700 * 560
    error = sum(abs(one - other) for one, other in zip(ours[::7], theirs[::7])) / len(ours[::7])
    moved = grey(path, (700, 560), "crop=700:560:6:10:exact=1")
    assert error < 3 and error < sum(abs(one - other) for one, other in zip(ours[::7], moved[::7])) / len(ours[::7]) / 2, error


@pytest.mark.long
def test_hdr_has_the_colours_of_stills(engine, tmp_path):
    film = pq(tmp_path / "hdr10.mkv")
    request = stills_pb2.ThumbnailRequest(
        of=stills_pb2.StillSource(source=str(film)), style=stills_pb2.StillStyle(format=stills_pb2.STILL_FORMAT_PNG, max_width=4096))
    still = tmp_path / "still.png"
    still.write_bytes(engine.stub.Thumbnail(request, timeout=PATIENCE).data)
    expected = light.centres(light.samples(still), len(light.SCENE))
    with engine.session(film, video_bridge=ALWAYS) as session:
        found = light.samples(served(session, tmp_path), "zscale=m=gbr:r=pc,format=gbrp,format=rgb24")
    assert light.max_difference(light.centres(found, len(light.SCENE)), expected) < LIMIT
