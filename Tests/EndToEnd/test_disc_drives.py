# SPDX-License-Identifier: Apache-2.0
"""Discs in drives: block devices are read like images, and a scratch costs only the media in the blocks that it covers."""

import contextlib
import json
import os
import re
import subprocess

import grpc
import pytest
from harness import bluray, dvd, hls, scratched, udf
from harness.engine import eventually
from harness.hls import Media
from harness.places import ENGINECTL
from harness.tiers import tiered

LENGTH = 6

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make block devices and mount file systems")
pytestmark = needs_root


def dvd_image(folder):
    """A DVD whose only title has two cells with clocks of their own."""
    films = [dvd.film(folder / f"{name}.mpg", name, (440,), seconds=LENGTH) for name in ("testsrc2", "testsrc")]
    root = dvd.author(folder / "dvd", [[[(films[0], "0,4"), (films[1], "0,5")]]]).root
    subprocess.run(["genisoimage", "-quiet", "-dvd-video", "-udf", "-o", folder / "dvd.iso", root], check=True)
    return folder / "dvd.iso", root / "VIDEO_TS" / "VTS_01_1.VOB", root / "VIDEO_TS" / "VTS_01_0.IFO"


def bluray_image(folder):
    """A Blu-ray disc whose only title has two clips."""
    disc = bluray.Disc(folder / "bluray")
    for number in range(2):
        inputs = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25", "-f", "lavfi", "-i", "sine=440:sample_rate=48000"]
        clip = bluray.encode(folder / f"{number}.m2ts", inputs, "-t", str(LENGTH), "-c:v", "libx264", "-preset", "ultrafast", "-g", "25",
                             "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "ac3", "-b:a", "192k", "-ac", "2", offset=10 + 90 * number)
        disc.add_clip(clip)
    disc.add_title(*disc.clips.values())
    disc.write(copies=True)
    # Files are not split into extents.
    image = udf.image(folder / "bluray.iso", disc.root, largest=1 << 29)
    return image, disc.data / "STREAM" / "00000.m2ts", disc.data / "PLAYLIST" / "00000.mpls"


IMAGES = {"dvd": dvd_image, "bluray": bluray_image}


@pytest.fixture(scope="module", params=tiered(IMAGES, {"dvd"}))
def disc(request, tmp_path_factory):
    """The kind of a disc, its image, the offset of its media in the image, the offsets of one of the disc's own files
    and of that file's copy, and the size of the media."""
    folder = tmp_path_factory.mktemp(request.param)
    image, media, own = IMAGES[request.param](folder)
    content = image.read_bytes()
    copies = [found.start() for found in re.finditer(re.escape(own.read_bytes()[:2048]), content)]
    assert len(copies) == 2
    return request.param, image, content.index(media.read_bytes()[:2048]), copies, media.stat().st_size


@contextlib.contextmanager
def device(image):
    """Yields the path of a read-only block device with an image in it."""
    done = subprocess.run(["losetup", "--read-only", "--find", "--show", image], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no loop device: {done.stderr.strip()}")
    try:
        yield done.stdout.strip()
    finally:
        subprocess.run(["losetup", "--detach", done.stdout.strip()], check=True)


def titles(source):
    return json.loads(subprocess.check_output([ENGINECTL, "titles", "--json", source], text=True))["titles"]


def played(engine, kind, source):
    """The frames of a DVD; the segments of a Blu-ray disc."""
    if kind == "dvd":
        return dvd.decoded(engine, source)
    with engine.session(source) as session:
        master = session.master()
        lists = [Media.complete(url) for url in (master.variants[0][1], master.renditions[0][1])]
        return [hls.digest(each.url) for playlist in lists for each in playlist.segments]


def test_block_device_is_played_like_the_image(engine, disc):
    kind, image, *_ = disc
    with device(image) as path:
        assert titles(path) == titles(image)
        assert played(engine, kind, path) == played(engine, kind, image)


def test_medium_in_a_device_is_told_from_another(engine, disc, tmp_path):
    """A stored plan belongs to the disc for which it was made, not to the drive."""
    kind, image, *_ = disc
    other = tmp_path / "other.iso"
    root = dvd.author(tmp_path / "dvd", [[[(dvd.film(tmp_path / "f.mpg", "smptebars", (440,), seconds=3), "0")]]]).root
    subprocess.run(["genisoimage", "-quiet", "-dvd-video", "-udf", "-o", other, root], check=True)
    with open(other, "r+b") as file:
        file.truncate(image.stat().st_size)
    with device(image) as path, engine.session(path) as session:
        first = session.state.duration_us
    with device(other) as again, engine.session(again) as session:
        assert again == path and session.state.duration_us / 1e6 == pytest.approx(3, abs=0.01) and first > 4_000_000


def test_device_without_a_medium_is_refused(engine, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    with device(tmp_path / "empty") as path, pytest.raises(grpc.RpcError) as refused:
        engine.probe(path)
    assert refused.value.details().startswith("source_empty")


# The places of scratches, as fractions of the media.
SCRATCHES = {"one": [0.4], "several": [0.001, 0.4, 0.41, 0.7]}


@pytest.mark.long
@pytest.mark.parametrize("places", SCRATCHES)
def test_scratch_costs_only_the_blocks_that_it_covers(engine, disc, tmp_path, places):
    """What is played equals what is played from an image with zeros in these blocks."""
    kind, image, media, _, size = disc
    block = scratched.BLOCK[kind]
    ranges = [(at, at + block) for at in sorted({int(media + place * size) // block * block + block for place in SCRATCHES[places]})]
    zeroed = tmp_path / "zeroed.iso"
    content = bytearray(image.read_bytes())
    for start, end in ranges:
        content[start:end] = bytes(end - start)
    zeroed.write_bytes(content)
    expected = played(engine, kind, zeroed)
    before = engine.log.read_text().count("disc.unreadable")
    with scratched.mounted(tmp_path, image, ranges) as path:
        found = played(engine, kind, path)
    eventually(lambda: engine.log.read_text().count("disc.unreadable") > before, "the notice")
    if kind == "bluray":
        assert found == expected
        return
    whole = set(dvd.decoded(engine, image)[1])
    assert found[0] == expected[0]
    # libavcodec conceals what is missing of a frame. If slices of the next frame follow, its threads decode the same rows, and the
    # result depends on which of them comes last: `ffmpeg` alone gives several results for one in twelve places of a scratch.
    assert [each for each in found[1] if each in whole] == [each for each in expected[1] if each in whole]
    lost = [each for each in expected[1] if each not in whole]
    # At most two groups of pictures for each block.
    assert 0 < len(lost) <= 24 * len(ranges), lost


@pytest.mark.long
def test_copies_are_read_if_the_discs_own_files_cannot_be(disc, tmp_path):
    _, image, _, copies, _ = disc
    whole = titles(image)
    for place in copies:
        with scratched.mounted(tmp_path, image, [(place, place + 2048)]) as path:
            assert titles(path) == whole
    with scratched.mounted(tmp_path, image, [(place, place + 2048) for place in copies]) as path:
        done = subprocess.run([ENGINECTL, "titles", "--json", path], capture_output=True, text=True, check=False)
    assert done.returncode or json.loads(done.stdout)["titles"] != whole


def test_unreadable_file_system_is_reported(disc, tmp_path):
    with scratched.mounted(tmp_path, disc[1], [(1 << 15, 1 << 16)]) as path:
        done = subprocess.run([ENGINECTL, "probe", path], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "source_read_failed" in done.stderr
