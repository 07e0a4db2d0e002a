# SPDX-License-Identifier: Apache-2.0
"""The variants of HLS sources: which one is played, what is said of the others, and what players get of them."""

import json
import subprocess

import pytest
from harness.bundles import RUNGS, climb, decoded, served, whole
from harness.contract import engine_pb2
from harness.engine import eventually
from harness.hls import Master
from harness.places import ENGINECTL

NAMES = list(RUNGS)
BANDWIDTHS = [330_000, 990_000, 2_750_000]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    return climb(tmp_path_factory.mktemp("variants"))


def ctl(engine, *arguments, code=0):
    done = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def wants(**choice):
    return engine_pb2.LoadOptions(variants=engine_pb2.VariantSelection(**choice))


@pytest.mark.parametrize("choice, rung, reason", [
    ({}, "high", "the highest bandwidth that the player can play"),
    ({"max_height": 720}, "high", "the highest bandwidth within the caps that the player can play"),
    ({"max_height": 719}, "mid", "the highest bandwidth within the caps that the player can play"),
    ({"max_bandwidth": 989_999}, "low", "the highest bandwidth within the caps that the player can play"),
    ({"max_height": 100}, "low", "the lowest one, because none is within the caps"),
    ({"index": 0}, "low", "chosen by its number"),
    ({"bandwidth": 990_000}, "mid", "chosen by its bandwidth"),
    ({"name": "low"}, "low", "chosen by its name"),
])
def test_the_variant_that_is_wanted_is_played(engine, ladder, choice, rung, reason):
    media = engine.probe(ladder, wants(**choice))
    assert [(each.index, each.name, each.bandwidth) for each in media.variants] == list(zip(range(3), NAMES, BANDWIDTHS))
    played, = [each for each in media.variants if each.use == "played"]
    assert (played.name, played.reason) == (rung, reason)
    assert (played.width, played.height) == RUNGS[rung][:2] == (media.streams[0].video.width, media.streams[0].video.height)


def test_what_is_chosen_is_served_and_listed_and_stays_after_a_kill(start_engine, ladder):
    engine = start_engine()
    video = Master(ctl(engine, "load", "--max-height", 480, ladder).strip()).variants[0][1]
    lines = ctl(engine, "variants").splitlines()
    assert [line[:9] for line in lines] == ["  0  low ", "* 1  mid ", "  2  high"]
    assert "640x360" in lines[1] and "990 kb/s" in lines[1] and "avc1.42c01e,mp4a.40.2" in lines[1]
    assert lines[2].endswith(": its 720 lines are above the cap")
    listed = json.loads(ctl(engine, "variants", "--json"))["variants"]
    assert listed == json.loads(ctl(engine, "status", "--json"))["media"]["variants"]
    own = decoded(whole(ladder.parent / "mid.m3u8"), "v")
    assert decoded(served(video), "v") == own
    engine.kill()
    engine = start_engine(directory=engine.directory)
    eventually(lambda: engine.state().production.plan_complete, "the session to be restored")
    assert decoded(served(video), "v") == own


def test_a_variant_that_does_not_exist_is_refused_with_those_that_do(engine, ladder):
    said = ctl(engine, "variants", "--variant", "4k", ladder, code=1)
    assert "invalid_argument" in said and "has no variant with the name 4k, only 0 low (330000 bit/s), 1 mid" in said
    assert ctl(engine, "variants", ladder.parent / "low.m3u8") == ""
