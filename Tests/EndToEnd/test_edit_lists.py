# SPDX-License-Identifier: Apache-2.0
"""MP4 films that were trimmed without being encoded again: only an edit list (ISO/IEC 14496-12 §8.6.6) says what is shown."""

import struct
import subprocess

import pytest
from harness import payloads
from harness.contract import engine_pb2
from harness.hls import Media
from harness.places import ENGINECTL
from harness.tiers import tiered
from test_fidelity import compare

# Edits, as start and length in seconds, and the number of hidden pictures that others need for decoding.
FILMS = {
    "end": ([(0, 6.02)], 1),
    "both-ends": ([(2.3, 3.1)], 12),
    "last-pictures": ([(0, 11.9)], 1),
    "two": ([(0, 4), (8, 4)], 9),
}


def box(kind, payload):
    return struct.pack(">I4s", 8 + len(payload), kind) + payload


def boxes(data):
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + size]
        at += size


def edited(kind, payload, edits, timescale=0):
    """The box with these edits in each track instead of its own; a track keeps the delay of its first picture."""
    if kind == b"trak":
        timescale = struct.unpack(">I", dict(boxes(dict(boxes(payload))[b"mdia"]))[b"mdhd"][12:16])[0]
    if kind == b"edts":
        delay = max(0, struct.unpack(">i", payload[20:24])[0])
        entries = [struct.pack(">Iihh", round(length * 1000), round(start * timescale) + delay, 1, 0) for start, length in edits]
        return box(kind, box(b"elst", struct.pack(">II", 0, len(edits)) + b"".join(entries)))
    if kind in (b"moov", b"trak"):
        payload = b"".join(edited(*each, edits, timescale) for each in boxes(payload))
    return box(kind, payload)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """12 s with a keyframe every 1.92 s. The index follows the media, so that changing its length moves nothing."""
    path = tmp_path_factory.mktemp("films") / "whole.mp4"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=12", "-f", "lavfi",
         "-i", "sine=duration=12", "-c:v", "libx264", "-preset", "veryfast", "-g", "48", "-x264-params", "scenecut=0:threads=1", "-c:a", "aac", path], check=True)
    return path


@pytest.mark.parametrize("name", tiered(FILMS, {"two"}))
def test_what_an_edit_list_hides_is_not_shown(engine, whole, tmp_path, name):
    edits, needed = FILMS[name]
    path = tmp_path / f"{name}.mp4"
    path.write_bytes(b"".join(edited(*each, edits) for each in boxes(whole.read_bytes())))
    assert compare(engine, path)
    shown = len(payloads.pictures(path, 0))
    with engine.session(path) as session:
        url = session.master().variants[0][1]
        playlist = Media.complete(url)
        assert shown <= len(payloads.pictures(url, 0)) <= shown + needed
        last = max(each.time + each.duration for each in payloads.packets(path, 0) if not each.is_discarded)
        assert abs(sum(each.duration for each in playlist.segments) - last) < 0.001
    done = subprocess.run(
        [ENGINECTL, "validate", "--decode", "--socket", str(engine.socket), path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_video_whose_first_pictures_are_hidden_can_be_encoded(engine, whole, tmp_path):
    """More pictures are hidden than the engine reads to find out whether it can decode the video."""
    path = tmp_path / "hidden.mp4"
    path.write_bytes(b"".join(edited(*each, [(1.8, 4)]) for each in boxes(whole.read_bytes())))
    with engine.session(path, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS) as session:
        stream = next(each for each in engine.state(session.id).media.streams if each.video.width)
        assert stream.route == "bridge"
        # The 45 pictures that are hidden are not encoded.
        assert len(payloads.pictures(session.master().variants[0][1], 0)) == len(payloads.pictures(path, 0)) == 100
