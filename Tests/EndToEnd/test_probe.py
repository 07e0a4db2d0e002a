# SPDX-License-Identifier: Apache-2.0
"""A probe describes a file as loading it does."""

import grpc
import pytest
from harness.contract import engine_pb2, media_pb2
from harness.engine import PATIENCE
from harness.places import FIXTURES, SAMPLES
from harness.tiers import tiered

MEDIA = {"avi", "flac", "flv", "h264", "hevc", "ivf", "m2ts", "m4a", "m4v", "mka", "mkv", "mov", "mp3", "mp4", "mpg",
         "obu", "ogg", "opus", "ts", "wav", "webm"}


def files(folder):
    # Long files would show nothing more than short ones.
    found = (path for path in sorted(folder.rglob("*")) if path.suffix.removeprefix(".") in MEDIA and path.is_file())
    return [path for path in found if path.stat().st_size < 64 << 20]


def is_served(stream):
    return stream.route in ("remux", "bridge")


def common_fields(stream):
    """The fields that a probe and a load both know. The pixel format is left out: only a decoder knows it."""
    video = type(stream.video)()
    video.CopyFrom(stream.video)
    video.pixel_format = ""
    return (stream.codec_string, stream.delivery, video, stream.audio)


def disagreements(engine, path, profile):
    options = engine_pb2.LoadOptions(profile=profile)
    try:
        probed = engine.stub.Probe(engine_pb2.ProbeRequest(source=str(path), options=options), timeout=PATIENCE)
    except grpc.RpcError as error:
        probed, refusal = None, error.details()
    try:
        with engine.session(path, profile=profile) as session:
            loaded = session.state.media
    except grpc.RpcError as error:
        code = error.details().split(":")[0]
        # A file that cannot be opened cannot be described; one that can be opened but not played can be.
        if probed is None:
            return [] if refusal.split(":")[0] == code else [(refusal, error.details())]
        wrongly = [each for each in probed.streams if each.kind == media_pb2.STREAM_KIND_VIDEO and is_served(each)]
        if code == "source_encrypted":
            return [] if any(each.HasField("protection") for each in probed.streams) else [(code, probed)]
        return [(code, wrongly)] if code != "no_playable_stream" or wrongly else []
    if probed is None:
        return [refusal]
    pairs = list(zip(probed.streams, loaded.streams, strict=True))
    return [(str(before), str(after)) for before, after in pairs
            if (before.route, before.route_reason) != (after.route, after.route_reason)
            or is_served(after) and common_fields(before) != common_fields(after)]


# In the lean tier, every fifth sample.
@pytest.mark.parametrize(("folder", "profile", "step"), tiered(
    [(SAMPLES, "everything", 1), (SAMPLES, "chromium", 1), (SAMPLES, "chromium", 5), (FIXTURES, "chromium", 1)], lambda case: case[2] == 5),
                         ids=["samples", "samples for chromium", "some samples for chromium", "fixtures for chromium"])
def test_a_probe_predicts_the_load(engine, folder, profile, step):
    paths = files(folder)[::step]
    if not paths:
        pytest.skip(f"nothing lies in {folder.name}")
    # If the configuration of a source changes midway, the load describes all announced versions; a probe reads only the first
    # packets and cannot know them.
    paths = [path for path in paths if "change" not in path.name]
    wrong = {path.name: found for path in paths if (found := disagreements(engine, path, profile))}
    assert not wrong, wrong
