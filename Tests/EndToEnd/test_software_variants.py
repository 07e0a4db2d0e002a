# SPDX-License-Identifier: Apache-2.0
"""The software path chooses the variant from which it reads each segment of an HLS source by its own measurement of the
bandwidth, without a gap in picture or audio."""

import re
import subprocess

import numpy
import pytest
from harness.bundles import concatenate, decoded
from harness.engine import PATIENCE, eventually
from harness.live import LADDER, live, package_ladder
from harness.places import ENGINECTL
from harness.watching import Notices

pytestmark = pytest.mark.long

SECONDS, RATE = 60, 48_000
# Bit rates of the link: enough for the low variant only, and for both.
SLOW, FAST = 1_000_000, 30_000_000


@pytest.fixture(scope="module")
def ladders(tmp_path_factory):
    """Makes each bundle when it is first needed."""
    folder, made = tmp_path_factory.mktemp("ladders"), {}

    def ladder(name):
        if name not in made:
            made[name] = package_ladder(folder / name, has_own_audio=name != "demuxed", seconds=SECONDS)
            if name == "codecs":
                encode_audio(made[name])
        return made[name]
    return ladder


def encode_audio(path):
    """Gives the low variant AC-3."""
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", "low.m3u8", "-map", "0:v", "-map", "0:a", "-c:v", "copy", "-c:a", "ac3", "-copyts",
         "-muxdelay", "0", "-muxpreload", "0", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_filename",
         "other-%03d.ts", "other.m3u8"],
        cwd=path.parent, check=True)
    lines = path.read_text().splitlines()
    place = lines.index("low.m3u8")
    lines[place - 1], lines[place] = lines[place - 1].replace("mp4a.40.2", "ac-3"), "other.m3u8"
    path.write_text("\n".join([*lines, ""]))


def samples(path):
    """The samples of the first channel of a file, at `RATE`."""
    made = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a:0", "-af", "pan=mono|c0=c0", "-ar", str(RATE), "-f", "f32le", "-"],
        capture_output=True, check=True).stdout
    return numpy.frombuffer(made, dtype="<f4")


def steps(tone):
    """By how much each sample differs from what two earlier samples of a tone of 440 Hz imply."""
    return numpy.abs(tone[2:] - 2 * numpy.cos(2 * numpy.pi * 440 / RATE) * tone[1:-1] + tone[:-2])


def played(engine):
    """The height of the variant that is played, and why it is."""
    variant, = [each for each in engine.state().media.variants if each.use == "played"]
    return variant.height, variant.reason


def requested(source, name):
    return sum(re.match(rf"\d+-{name}-", each) is not None for _, each in list(source.requests))


@pytest.mark.parametrize("form, kind", [("demuxed", None), ("muxed", None), ("muxed", "EVENT"), ("codecs", None)])
def test_the_software_path_follows_the_bandwidth(engine, ladders, tmp_path, form, kind):
    path = ladders(form)
    low = "other" if form == "codecs" else "low"
    own = {name: [each.strip().decode() for each in decoded(concatenate(path.parent / f"{name}.m3u8"), "v")] for name in LADDER}
    assert [len(frames) for frames in own.values()] == [25 * SECONDS] * 2
    notices, wav, found = Notices(engine), tmp_path / "film.wav", tmp_path / "frames"
    with live(path, window=SECONDS, count=SECONDS) as source, open(found, "w") as output:
        source.kind, source.rate = kind, SLOW
        # A playlist of type EVENT ends only later.
        source.ended, source.count = kind is None, SECONDS if kind is None else 10
        player = subprocess.Popen(
            [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", "--sink", f"wav:{wav}", source.url],
            stdin=subprocess.DEVNULL, stdout=output)
        try:
            eventually(lambda: requested(source, low) >= 5, "the low variant")
            height, reason = played(engine)
            assert height == LADDER["low"][1] and "too low for variant 1" in reason
            source.count, source.ended = SECONDS, True
            eventually(lambda: requested(source, low) >= 28, "more of the low variant")
            source.rate = FAST
            assert player.wait(PATIENCE) == 0
        finally:
            player.kill()
            player.wait()
    notices.end()
    assert notices.codes.count("source.variant_changed") == 2, notices.texts
    assert not {"source.variant_unusable", "audio.part_not_decoded"} & set(notices.codes), notices.texts
    times, digests = zip(*(line.split("\t") for line in found.read_text().splitlines()))
    check_pictures([round(float(each) * 1e6) for each in times], digests, own)
    heard = samples(wav)
    assert abs(len(heard) / RATE - SECONDS) < 0.2
    # Where codecs change, each decoder begins or ends within a frame.
    if form == "codecs":
        middle = numpy.abs(heard[RATE // 2:(SECONDS - 1) * RATE]).reshape(-1, RATE // 20)
        assert (middle.max(axis=1) > 0.05).all(), "there is audio everywhere"
    else:
        assert steps(heard[RATE // 10:-RATE // 10]).max() < 0.01


def check_pictures(times, digests, own):
    """Every frame is shown once, and the variants change twice, between segments of a second each."""
    assert len(digests) == 25 * SECONDS
    assert {later - earlier for earlier, later in zip(times, times[1:])} <= {39_999, 40_000, 40_001}
    shown = [[name for name in own if own[name][place] == digest] for place, digest in enumerate(digests)]
    assert all(len(each) == 1 for each in shown), [place for place, each in enumerate(shown) if len(each) != 1]
    names = [each[0] for each in shown]
    changes = [place for place in range(1, len(names)) if names[place] != names[place - 1]]
    assert len(changes) == 2 and all(place % 25 == 0 for place in changes), changes
    assert names[0] == names[-1] == "high"
