# SPDX-License-Identifier: Apache-2.0
"""What probing says of a file is what loading it then does."""

import grpc
import pytest
from harness.contract import engine_pb2, media_pb2
from harness.engine import PATIENCE
from harness.places import FIXTURES, SAMPLES

MEDIA = {"avi", "flac", "flv", "h264", "hevc", "ivf", "m2ts", "m4a", "m4v", "mka", "mkv", "mov", "mp3", "mp4", "mpg",
         "obu", "ogg", "opus", "ts", "wav", "webm"}


def files(folder):
    # Hours of the same pictures say no more than seconds of them.
    found = (path for path in sorted(folder.rglob("*")) if path.suffix.removeprefix(".") in MEDIA and path.is_file())
    return [path for path in found if path.stat().st_size < 64 << 20]


def is_served(stream):
    return stream.route in ("remux", "bridge")


def told(stream):
    """What both can know: of a pixel format a decoder tells, which playing does without."""
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
        # What cannot be opened cannot be described either; what only cannot be played can.
        if probed is None:
            return [] if refusal.split(":")[0] == code else [(refusal, error.details())]
        wrongly = [each for each in probed.streams if each.kind == media_pb2.STREAM_KIND_VIDEO and is_served(each)]
        return [(code, wrongly)] if code != "no_playable_stream" or wrongly else []
    if probed is None:
        return [refusal]
    pairs = list(zip(probed.streams, loaded.streams, strict=True))
    return [(str(before), str(after)) for before, after in pairs
            if (before.route, before.route_reason) != (after.route, after.route_reason)
            or is_served(after) and told(before) != told(after)]


@pytest.mark.parametrize(("folder", "profile"), [
    pytest.param(SAMPLES, "everything", marks=pytest.mark.long), (SAMPLES, "chromium"),
    pytest.param(FIXTURES, "chromium", marks=pytest.mark.long)],
                         ids=["samples", "samples for chromium", "fixtures for chromium"])
def test_probing_foretells_loading(engine, folder, profile):
    paths = files(folder)
    if not paths:
        pytest.skip(f"nothing lies in {folder.name}")
    # A film whose configuration changes midway is described by all of its versions once they are announced, which a look at
    # its first packets cannot tell.
    paths = [path for path in paths if "change" not in path.name]
    wrong = {path.name: found for path in paths if (found := disagreements(engine, path, profile))}
    assert not wrong, wrong
