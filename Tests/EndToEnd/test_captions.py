# SPDX-License-Identifier: Apache-2.0
"""CEA-608/708 in the pictures: passed bit by bit, announced where the first pictures show them, told of where later ones do."""

import pytest
from harness import payloads, pictures
from harness.engine import eventually
from harness.hls import Media, fetch
from harness.places import SAMPLES, clip

SAMPLE = SAMPLES / "androidx+media/hls/cea608/sd-hls0000000000.ts"
CAPTIONS = b"\xb5\x00\x31GA94\x03"


def messages(path):
    """The SEI units with captions of an H.264 file, in the order of the file."""
    raw = payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:v:0", "-c", "copy",
                       "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-")
    return [unit for unit in payloads.start_coded(raw) if unit and unit[0] & 31 == 6 and CAPTIONS in unit]


def served(url, folder):
    media = Media.complete(url)
    path = folder / "served.mp4"
    path.write_bytes(fetch(media.init) + b"".join(fetch(each.url) for each in media.segments))
    return path


def test_captions_of_a_broadcast_pass_bit_by_bit(engine, tmp_path):
    if not SAMPLE.exists():
        pytest.skip(f"{SAMPLE.name} is not here")
    with engine.session(SAMPLE) as session:
        variant, url = session.master().variants[0]
        assert variant["CLOSED-CAPTIONS"] != "NONE"
        video = next(each.video for each in session.state.media.streams if each.HasField("video"))
        assert video.closed_captions and "CC1" in video.caption_channels
        ours = messages(served(url, tmp_path))
    assert len(ours) > 2 and ours == messages(SAMPLE)


def test_captions_that_come_late_are_told_of_once(engine, tmp_path):
    captioned = payloads.start_coded(pictures.with_captions(clip("raw.h264"), tmp_path).read_bytes())
    out, seen = bytearray(), 0
    for unit in captioned:
        seen += unit[0] & 31 == 5
        # Without captions up to the third keyframe.
        if unit[0] & 31 != 6 or CAPTIONS not in unit or seen > 2:
            out += b"\0\0\0\1" + unit
    path = tmp_path / "late.h264"
    path.write_bytes(out)
    with engine.session(path) as session:
        variant, url = session.master().variants[0]
        before = session.master().text
        assert variant["CLOSED-CAPTIONS"] == "NONE"
        served(url, tmp_path)

        def video():
            return next(each.video for each in engine.state(session.id).media.streams if each.HasField("video"))

        eventually(lambda: list(video().caption_channels) == ["CC1"], "the captions to be told of")
        assert session.master().text == before
        told = f"session {session.id}: pictures after the first ones carry captions"
        eventually(lambda: told in engine.log.read_text(), "the log to say so")
        assert engine.log.read_text().count(told) == 1
