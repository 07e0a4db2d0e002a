# SPDX-License-Identifier: Apache-2.0
"""Cropping that a container declares is applied to the served video: as `clap`, and in RESOLUTION."""

import struct

import pytest
from harness import boxes, payloads, pictures
from harness.hls import Media, fetch
from harness.places import clip


def aperture(init):
    """Width, height, and the offset of the centre in pixels, of the first sample entry."""
    at = init.index(b"clap") + 4
    numbers = struct.unpack_from(">8i", init, at)
    return [numbers[index] / numbers[index + 1] for index in range(0, 8, 2)]


def served(engine, path, folder):
    with engine.session(path) as session:
        variant, url = session.master().variants[0]
        media = Media.complete(url)
        init = fetch(media.init)
        file = folder / "served.mp4"
        file.write_bytes(init + fetch(media.segments[0].url))
        video = next(each.video for each in session.state.media.streams if each.HasField("video"))
        probed = next(each.video for each in engine.probe(path).streams if each.HasField("video"))
        assert (probed.crop_left, probed.crop_right) == (video.crop_left, video.crop_right)
    ffprobe = payloads.run("ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "default=nw=1:nk=0", "-show_entries",
                           "stream=width,height,sample_aspect_ratio:stream_side_data=rotation", str(file)).decode()
    return video, variant, init, dict(line.split("=") for line in ffprobe.split()), file


def sides(video):
    return video.crop_left, video.crop_top, video.crop_right, video.crop_bottom


def test_matroska_cropping_of_anamorphic_video_is_applied(engine, tmp_path):
    path = tmp_path / "cut.mkv"
    payloads.run("mkvmerge", "-q", "-o", str(path), "--cropping", "0:8,6,10,4", str(clip("anamorphic.mkv")))
    video, variant, init, stream, _ = served(engine, path, tmp_path)
    assert sides(video) == (8, 6, 10, 4)
    assert aperture(init) == [702, 566, -1, 1]
    # The display size in the file applies to the cropped area: 1024x576 for 702x566.
    width, height = map(int, variant["RESOLUTION"].split("x"))
    assert height == 566 and abs(width - 566 * 16 / 9) < 2
    assert (stream["width"], stream["height"]) == ("720", "576")


def test_mp4_cropping_of_rotated_anamorphic_video_is_applied(engine, tmp_path):
    path = pictures.with_clean_aperture(clip("anamorphic.mkv"), (700, 560), (-12, 4), tmp_path,
                                        "-metadata:s:v:0", "rotate=90")
    video, variant, init, stream, file = served(engine, path, tmp_path)
    assert sides(video) == (4, 10, 16, 6)
    assert aperture(init) == [700, 560, -6, 2]
    assert stream["sample_aspect_ratio"] == "64:45" and abs(int(stream["rotation"])) == 90
    assert variant["RESOLUTION"] == "560x996"
    assert b"clap" in init and "tkhd" in [place[-1] for place, _, _ in boxes.walk(init)]
    info = payloads.run("mediainfo", "--Output=Video;%Width_CleanAperture% %Height_CleanAperture% %Rotation%", str(file))
    assert info.decode().split()[:2] == ["700", "560"], info


@pytest.mark.long
def test_a_clean_aperture_outside_the_frame_is_ignored(engine, tmp_path):
    for size, offset in [((800, 576), (0, 0)), ((700, 560), (400, 0)), ((0, 560), (0, 0))]:
        path = pictures.with_clean_aperture(clip("anamorphic.mkv"), size, offset, tmp_path)
        video, variant, init, _, _ = served(engine, path, tmp_path)
        assert sides(video) == (0, 0, 0, 0) and b"clap" not in init and variant["RESOLUTION"] == "1024x576"
