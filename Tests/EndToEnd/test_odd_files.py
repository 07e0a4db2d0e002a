# SPDX-License-Identifier: Apache-2.0
"""Files of rare formats are played as what they are: H.264 and HEVC in program streams with few times, audio files of players
and recorders, pictures that follow each other in a file without sound; an index with wrong durations is not believed."""

import struct
import subprocess

import pytest
from harness import numbered
from harness.contract import engine_pb2
from harness.engine import PATIENCE
from harness.hls import Media
from harness.places import ENGINECTL, clip
from harness.tiers import tiered
from test_video_bridge import COUNT, served, shown


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], check=True, timeout=PATIENCE)


def duration(session):
    return sum(each.duration for each in Media.complete(session.master().variants[0][1]).segments)


# Most pictures are small, so that many of them begin in one PES packet, which has the time of the first one.
PROGRAM_STREAMS = {
    "h264.mpg": ["-c:v", "libx264", "-bf", "2", "-g", "25"],
    "h264-simple.mpg": ["-c:v", "libx264", "-bf", "0", "-g", "50"],
    "hevc.mpg": ["-c:v", "libx265", "-x265-params", "log-level=none:keyint=25:open-gop=0:bframes=3"],
}


@pytest.mark.parametrize("name", tiered(list(PROGRAM_STREAMS), {"h264.mpg"}))
def test_pictures_of_a_program_stream_without_times_are_shown_at_their_time(engine, tmp_path, name):
    path = tmp_path / name
    ffmpeg("-i", numbered.film("h264.mp4"), "-f", "lavfi", "-i", "sine", "-shortest", "-pix_fmt", "yuv420p", "-preset", "ultrafast",
           *PROGRAM_STREAMS[name], "-c:a", "mp2", "-f", "mpeg", path)
    with engine.session(path, segment_target_us=1_000_000) as session:
        assert duration(session) == pytest.approx(COUNT * 0.04, abs=0.1)
        times, numbers = shown(served(session, tmp_path))
    assert numbers == list(range(COUNT))
    assert [time - times[0] for time in times] == pytest.approx([number * 0.04 for number in range(COUNT)], abs=0.0011)
    done = subprocess.run([ENGINECTL, "validate", "--socket", str(engine.socket), path], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


def dsf(path):
    """Two seconds of silence in DSD64, as Sony's DSF specification has it."""
    blocks = 2 * 2_822_400 // 8 // 4096
    samples = b"\x69" * (blocks * 4096)
    form = b"fmt " + struct.pack("<QIIIIIIQII", 52, 1, 0, 1, 1, 2_822_400, 1, len(samples) * 8, 4096, 0)
    data = b"data" + struct.pack("<Q", 12 + len(samples)) + samples
    path.write_bytes(b"DSD " + struct.pack("<QQQ", 28, 28 + len(form) + len(data), 0) + form + data)


@pytest.mark.parametrize("name", tiered(["a.voc", "a.adx", "a.dsf", "a.w64", "a.caf"], {"a.voc", "a.dsf"}))
def test_audio_files_of_rare_formats_are_played(engine, tmp_path, name):
    path = tmp_path / name
    if name == "a.dsf":
        dsf(path)
    else:
        ffmpeg("-f", "lavfi", "-i", "sine=d=2", path)
    with engine.session(path) as session:
        assert duration(session) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("name", tiered(["v.y4m", "v.gif", "v.apng", "v.wtv"], {"v.gif"}))
def test_rare_formats_of_video_are_played(engine, tmp_path, name):
    path = tmp_path / name
    ffmpeg("-i", numbered.film("h264.mp4"), "-frames:v", "50", "-an", *(["-c:v", "mpeg2video"] if name == "v.wtv" else []), path)
    with engine.session(path, video_bridge=engine_pb2.VIDEO_BRIDGE_WHEN_NEEDED) as session:
        _, numbers = shown(served(session, tmp_path))
    assert numbers == list(range(50))


def test_durations_in_a_wrong_index_are_not_believed(engine, tmp_path):
    path = tmp_path / "film.mp4"
    ffmpeg("-i", clip("h264-aac.mkv"), "-t", "10", "-c", "copy", "-movflags", "+dash+global_sidx+empty_moov+frag_keyframe+delay_moov", path)

    def probe():
        return engine.stub.Probe(engine_pb2.ProbeRequest(source=str(path)))

    right = probe().duration_us
    data = bytearray(path.read_bytes())
    at = data.index(b"sidx") + 4
    while at > 3:
        first = at + 32 if data[at] else at + 24
        count, = struct.unpack_from(">H", data, first - 2)
        for place in range(first + 4, first + count * 12, 12):
            struct.pack_into(">I", data, place, struct.unpack_from(">I", data, place)[0] * 10)
        at = data.find(b"sidx", at) + 4
    path.write_bytes(data)
    wrong = probe()
    assert wrong.duration_us == pytest.approx(right, abs=1_000_000)
    assert all(each.duration_us < right + 1_000_000 for each in wrong.streams)
