# SPDX-License-Identifier: Apache-2.0
"""The loudness of a track, of a file or a session, is the one that ffmpeg's ebur128 measures. It is measured once, can be
cancelled, and what cannot be measured is refused with reasons."""

import json
import math
import re
import subprocess

import grpc
import pytest
from harness import growing
from harness.contract import loudness_pb2
from harness.engine import PATIENCE, eventually
from harness.enginectl import ctl, offline  # noqa: F401, fixtures
from harness.places import FIXTURES, clip
from harness.tiers import tiered

# The accuracy that EBU Tech 3341 asks of meters, in LU. A true peak may be 0.2 dB too high and 0.4 dB too low.
ACCURACY = 0.1


def ffmpeg(*arguments):
    return subprocess.run(["ffmpeg", "-nostdin", "-hide_banner", "-y", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True).stderr


def reference(path, stream):
    """The summary that `ebur128` of the ffmpeg command prints at the end: integrated loudness, range, true peak."""
    summary = ffmpeg("-i", path, "-map", f"0:{stream}", "-af", "ebur128=peak=true:framelog=verbose", "-f", "null", "-").split("Summary:")[-1]
    return [float(re.search(rf"\b{name}:\s+(-?[\d.]+|-inf) {unit}", summary)[1])
            for name, unit in [("I", "LUFS"), ("LRA", "LU"), ("Peak", "dBFS")]]


def measure(engine, **fields):
    return list(engine.stub.MeasureLoudness(loudness_pb2.MeasureLoudnessRequest(**fields), timeout=PATIENCE))


def agrees(loudness, path, stream):
    integrated, span, peak = reference(path, stream)
    # The summary has one decimal.
    rounding = 0.05
    assert abs(loudness.integrated_lufs - integrated) <= ACCURACY + rounding, (loudness, integrated)
    assert abs(loudness.range_lu - span) <= ACCURACY + rounding, (loudness, span)
    assert -0.4 - rounding <= loudness.true_peak_dbtp - peak <= 0.2 + rounding, (loudness, peak)


@pytest.fixture(scope="module")
def surround(tmp_path_factory):
    """A stereo track of quiet and loud parts, and a 5.1 track with its own level in each channel."""
    path = tmp_path_factory.mktemp("loudness") / "surround.mkv"
    levels = [0.1, 0.1, 0.2, 1, 0.05, 0.05]
    tones = "|".join(f"{level}*sin(2*PI*{300 + 100 * number}*t)" for number, level in enumerate(levels))
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=0.02*sin(2*PI*997*t)*(1+9*gt(mod(t\\,10)\\,5))|0.02*sin(2*PI*997*t):d=30:s=44100",
           "-f", "lavfi", "-i", f"aevalsrc={tones}:d=20:s=48000:c=5.1", "-map", "0", "-map", "1", "-c:a", "flac", path)
    return path


@pytest.mark.parametrize("name", tiered(["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts", "hevc-eac3.mkv", "vp9-opus.webm", "audio.flac", "audio.mp3"], {"audio.mp3"}))
def test_a_file_has_the_loudness_that_ffmpeg_measures(engine, name):
    steps = measure(engine, source=str(clip(name)))
    assert steps[-1].progress == 1 and not any(step.HasField("loudness") for step in steps[:-1])
    assert [step.progress for step in steps] == sorted(step.progress for step in steps)
    agrees(steps[-1].loudness, clip(name), steps[-1].stream_index)


@pytest.mark.long
def test_each_track_of_a_session_is_measured(engine, surround):
    with engine.session(surround) as session:
        played = measure(engine, session_id=session.id)[-1]
        assert played.stream_index == session.state.selected_audio.stream_index == 0
        agrees(played.loudness, surround, 0)
        other = measure(engine, session_id=session.id, stream_index=1)[-1]
        assert other.stream_index == 1
        agrees(other.loudness, surround, 1)
    assert abs(played.loudness.integrated_lufs - other.loudness.integrated_lufs) > 1


def test_silence_has_no_level(engine, tmp_path):
    path = tmp_path / "silence.flac"
    ffmpeg("-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo", "-t", "3", path)
    loudness = measure(engine, source=str(path))[-1].loudness
    assert loudness.integrated_lufs == loudness.true_peak_dbtp == -math.inf and loudness.range_lu == 0
    assert loudness.duration_us == 3_000_000


@pytest.mark.long
def test_a_track_is_measured_only_once(start_engine, surround, tmp_path):
    engine = start_engine()
    path = tmp_path / "film.mkv"
    path.write_bytes(surround.read_bytes())
    first = measure(engine, source=str(path))
    assert len(first) > 1
    kept = list((engine.directory / "cache").rglob("loudness/*"))
    assert [file.suffix for file in kept] == [".loudness"]
    assert measure(engine, source=str(path)) == first[-1:]
    with engine.session(path) as session:
        assert measure(engine, session_id=session.id) == first[-1:]
    # Another version of the file is another source.
    ffmpeg("-i", surround, "-map", "0:0", "-af", "volume=-6dB", "-c:a", "flac", path)
    again = measure(engine, source=str(path))[-1]
    assert abs(first[-1].loudness.integrated_lufs - again.loudness.integrated_lufs - 6) <= 2 * ACCURACY


@pytest.mark.long
def test_a_cancelled_measurement_stores_nothing(start_engine, tmp_path):
    engine = start_engine()
    path = tmp_path / "long.flac"
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=1800:a=0.1:r=48000", "-c:a", "flac", path)
    call = engine.stub.MeasureLoudness(loudness_pb2.MeasureLoudnessRequest(source=str(path)), timeout=PATIENCE)
    steps = [next(call), next(call)]
    assert steps[-1].progress < 1
    call.cancel()
    threads = ["ps", "-T", "-o", "comm=", "-p", str(engine.pid)]
    eventually(lambda: "loudness" not in subprocess.run(threads, capture_output=True, text=True).stdout, "the measurement to be gone")
    assert not list((engine.directory / "cache").rglob("loudness/*"))


def test_what_cannot_be_measured_is_told(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        for fields, code, words in [
            (dict(source=str(clip("video-only.mkv"))), grpc.StatusCode.NOT_FOUND, "no audio track"),
            (dict(source=str(clip("h264-aac.mkv")), stream_index=0), grpc.StatusCode.NOT_FOUND, "not an audio track"),
            (dict(session_id=session.id, stream_index=9), grpc.StatusCode.NOT_FOUND, "has no stream 9"),
            (dict(session_id="nobody"), grpc.StatusCode.NOT_FOUND, "nobody"),
            (dict(source=str(FIXTURES / "missing.mkv")), grpc.StatusCode.NOT_FOUND, "missing.mkv"),
            (dict(source=str(clip("bad/zeros.mp4"))), grpc.StatusCode.FAILED_PRECONDITION, "zeros.mp4"),
            (dict(source="film.mkv"), grpc.StatusCode.INVALID_ARGUMENT, "source"),
            (dict(source=""), grpc.StatusCode.INVALID_ARGUMENT, "source"),
        ]:
            with pytest.raises(grpc.RpcError) as failure:
                measure(engine, **fields)
            assert failure.value.code() == code, failure.value
            assert words in failure.value.details()


@pytest.mark.long
def test_a_session_whose_source_grows_is_refused_until_it_is_complete(start_engine, tmp_path):
    # The recording ends only when its writer closes it.
    engine = start_engine("--recording-timeout", "3600")
    name = "h264-aac.ts"
    with growing.recording(tmp_path / name, clip(name).read_bytes(), 0.6) as film, engine.session(film.path) as session:
        with pytest.raises(grpc.RpcError) as failure:
            measure(engine, session_id=session.id)
        assert failure.value.code() == grpc.StatusCode.UNAVAILABLE and "growing" in failure.value.details()
        with growing.trickle(film, 0.6):
            eventually(lambda: engine.state(session.id).production.plan_complete, "the recording to end")
        agrees(measure(engine, session_id=session.id)[-1].loudness, clip(name), 1)


@pytest.mark.long
def test_enginectl_measures_files_and_sessions(ctl, surround):
    found = json.loads(ctl("loudness", str(surround), "--track", "1", "--json"))
    integrated, span, _ = reference(surround, 1)
    assert found["stream"] == 1 and abs(found["integrated_lufs"] - integrated) <= ACCURACY + 0.05
    assert abs(found["range_lu"] - span) <= ACCURACY + 0.05
    assert ctl("load", str(surround))
    text = ctl("loudness")
    assert re.search(r"integrated +-\d+\.\d LUFS", text) and re.search(r"true peak +-?\d+\.\d dBTP", text), text
    ctl("loudness", str(surround), "--track", "7", expect=1)


@pytest.mark.long
def test_enginectl_measures_without_a_running_engine(offline, surround):
    assert "LUFS" in offline("loudness", surround).stdout
