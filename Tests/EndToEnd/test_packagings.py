# SPDX-License-Identifier: Apache-2.0
"""However a stream is framed and described, the frames served equal those of the plain clip that it was made from."""

import json
import subprocess

import pytest
from harness import matroska, payloads
from harness.hls import Media, fetch
from harness.places import ENGINECTL, clip
from harness.tiers import tiered

# A clip in an unusual packaging, and the plain clip with the same frames.
PAIRS = {
    "avc-lengths-of-1.mp4": "plain-avc.mp4",
    "avc-lengths-of-2.mp4": "plain-avc.mp4",
    "avc-short-record.mp4": "plain-avc.mp4",
    "avc-cut-record.mp4": "plain-avc.mp4",
    "avc-record-start-coded.mp4": "plain-avc.mp4",
    "avc-packets-start-coded.mp4": "plain-avc.mp4",
    "avc-wrong-size.mp4": "plain-avc.mp4",
    "avc-no-size.mp4": "plain-avc.mp4",
    "hevc-empty-record.mp4": "plain-hevc.mp4",
    "hevc-message-in-record.mp4": "plain-hevc.mp4",
    "av1-bare-record.mp4": "plain-av1.mp4",
    "av1-units.obu": "plain-av1.mp4",
    "av1.ivf": "plain-av1.mp4",
    "vp9-hidden.webm": "vp9-hidden.webm",
    "vp9.ivf": "vp9-hidden.webm",
}
# Each kind of framing and of configuration record. Another test checks that no payload is lost for all clips.
FEW = {"avc-cut-record.mp4", "avc-packets-start-coded.mp4", "hevc-empty-record.mp4", "av1-units.obu"}


def video(session):
    return session.master().variants[0][1]


@pytest.mark.parametrize("name", tiered(PAIRS, FEW))
def test_frames_equal_those_of_the_plain_clip(engine, name):
    with engine.session(clip(name)) as session:
        url = video(session)
        Media.complete(url)
        assert payloads.pictures(url, 0) == payloads.pictures(clip(PAIRS[name]), 0)


@pytest.mark.parametrize("name", PAIRS)
def test_no_payload_is_lost(engine, name):
    """Wrong framing would drop most of the data and still look like a stream."""
    with engine.session(clip(name)) as session:
        served = sum(len(fetch(segment.url)) for segment in Media.complete(video(session)).segments)
        assert served > 0.9 * clip(name).stat().st_size


@pytest.mark.parametrize("name", tiered(PAIRS, {"avc-cut-record.mp4"}))
def test_validate_finds_no_faults(start_engine, name):
    engine = start_engine()
    done = subprocess.run([ENGINECTL, "validate", "--socket", str(engine.socket), clip(name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["avc-wrong-size.mp4", "avc-no-size.mp4"])
def test_the_frame_size_comes_from_the_bitstream(engine, name):
    with engine.session(clip(name)) as session:
        init = fetch(Media.complete(video(session)).init)
        at = init.index(b"avc1", init.index(b"stsd"))
        assert (int.from_bytes(init[at + 28:at + 30], "big"), int.from_bytes(init[at + 30:at + 32], "big")) == (160, 90)


def test_the_configuration_record_has_only_parameter_sets(engine):
    with engine.session(clip("hevc-message-in-record.mp4")) as session:
        init = fetch(Media.complete(video(session)).init)
        record = init[init.index(b"hvcC") + 4:]
        kinds, at = [], 23
        for _ in range(record[22]):
            kinds.append(record[at] & 0x3F)
            units, at = int.from_bytes(record[at + 1:at + 3], "big"), at + 3
            for _ in range(units):
                at += 2 + int.from_bytes(record[at:at + 2], "big")
        assert kinds == [32, 33, 34]


def test_a_packed_bitstream_is_recognised():
    done = subprocess.run([ENGINECTL, "probe", "--json", clip("visual-packed.mp4")], capture_output=True, text=True, check=True)
    stream = json.loads(done.stdout)["streams"][0]
    assert stream["route"] == "software" and "packed bitstream" in json.dumps(stream)
    plain = subprocess.run([ENGINECTL, "probe", "--json", clip("plain-visual.mp4")], capture_output=True, text=True, check=True)
    assert "packed" not in plain.stdout


@pytest.mark.parametrize("method", ["zlib", "header removal"])
def test_compressed_blocks_of_matroska_are_served_like_plain_ones(engine, tmp_path, method):
    """The bytes of a compressed keyframe in the file are neither parameter sets nor a random access point."""
    film, plain, compressed = tmp_path / "film.mkv", tmp_path / "plain.mkv", tmp_path / "compressed.mkv"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=192x144:r=25:d=5", "-c:v", "libx264",
                 "-preset", "ultrafast", "-g", "40", "-bf", "2", "-pix_fmt", "yuv420p", str(film))
    payloads.run("mkvmerge", "-q", "-o", str(plain), str(film))
    if method == "zlib":
        payloads.run("mkvmerge", "-q", "-o", str(compressed), "--compression", "0:zlib", str(film))
    else:
        # The high byte of the length of each frame's first unit.
        matroska.remove_headers(plain, compressed)
    playlists = []
    for path in (plain, compressed):
        with engine.session(path) as session:
            url = video(session)
            Media.complete(url)
            playlists.append(fetch(url))
    assert playlists[0] == playlists[1]
    done = subprocess.run([ENGINECTL, "validate", "--socket", str(engine.socket), compressed], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
