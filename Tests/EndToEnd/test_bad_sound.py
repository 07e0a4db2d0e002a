# SPDX-License-Identifier: Apache-2.0
"""Audio that is mislabelled or damaged is served in time, with one warning; a track without any audio is left out."""

import functools
import pathlib
import shutil
import subprocess

import pytest
from harness import sound
from harness.contract import engine_pb2, media_pb2
from harness.engine import PATIENCE, eventually
from harness.tiers import tiered

LOSSLESS = engine_pb2.BRIDGE_MODE_LOSSLESS
CLICKS = (1.0, 3.0, 7.5)


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-fflags", "+bitexact", "-y", *map(str, arguments)], check=True,
                   capture_output=True, timeout=PATIENCE * 2)


def clicks(seconds, at, rate=48_000, layout="stereo"):
    """Clicks in every channel. `at`: their times in seconds from the beginning of the audio."""
    when = "+".join(f"between(t,{each},{each + 0.01})" for each in at) or "0"
    channels = {"stereo": 2, "5.1": 6}[layout]
    return (f"aevalsrc=exprs='{'|'.join([f'0.8*sin(2*PI*1000*t)*({when})'] * channels)}'"
            f":channel_layout={layout}:sample_rate={rate}:duration={seconds}")


def film(path, audio, *coding):
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:duration=8", *audio, "-map", "0:v", "-map", "1:a", "-c:v", "libx264",
           "-preset", "ultrafast", "-g", 25, "-pix_fmt", "yuv420p", *coding, "-strict", "-2", path)
    return path


@pytest.fixture(scope="module")
def make_film(tmp_path_factory):
    """Copies an eight-second film with clicks, which is encoded once for each codec."""
    folder = tmp_path_factory.mktemp("films")

    @functools.cache
    def encoded(*coding):
        return film(folder / f"{coding[1]}.mkv", ["-f", "lavfi", "-i", clicks(8, CLICKS)], *coding)

    return lambda path, *coding: pathlib.Path(shutil.copy(encoded(*coding), path))


MP2, DTS = ("-c:a", "mp2", "-b:a", "192k"), ("-c:a", "dca", "-b:a", "768k")


def load_served_audio(session):
    master = session.master()
    return sound.load_served((master.renditions or master.variants)[0][1])


def audio_of(session):
    return next(each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO)


@pytest.fixture
def notice_count(engine):
    """A function that returns how often a notice was logged since the test began, once its session has ended."""
    begin = len(engine.log.read_text())

    def notice_count(code, session):
        eventually(lambda: f"session {session.id} ended" in engine.log.read_text(), "the log to be written")
        return engine.log.read_text()[begin:].count(code)
    return notice_count


def check_clicks(ours, wanted):
    found = ours.onsets()
    assert len(found) == len(wanted), (found, wanted)
    assert all(abs(one - other) < 0.02 for one, other in zip(found, wanted)), (found, wanted)


@pytest.mark.parametrize("kind, coder, first, second", tiered([
    ("ac3", ["-c:a", "ac3", "-b:a", "448k"], (48_000, "5.1"), (48_000, "stereo")),
    ("dts", ["-c:a", "dca", "-b:a", "1411k", "-strict", "-2"], (48_000, "5.1"), (48_000, "stereo")),
    ("mp2", ["-c:a", "mp2", "-b:a", "192k"], (48_000, "stereo"), (44_100, "stereo")),
], lambda case: case[0] == "dts"))
def test_audio_stays_in_sync_across_format_changes(engine, notice_count, tmp_path, kind, coder, first, second):
    joined = tmp_path / f"joined.{kind}"
    data = b""
    for (rate, layout), at in ((first, (1.0, 3.0)), (second, (3.5,))):
        half = tmp_path / f"half.{kind}"
        ffmpeg("-f", "lavfi", "-i", clicks(4, at, rate, layout), *coder, half)
        data += half.read_bytes()
    joined.write_bytes(data)
    path = film(tmp_path / "film.ts", ["-i", joined], "-c:a", "copy")
    theirs = sound.Sound(path).start
    with engine.session(path, profile="chromium", segment_target_us=1_000_000) as session:
        assert audio_of(session).route == "bridge"
        ours = load_served_audio(session)
        shift = theirs - session.state.media.start_us / 1e6
        # The AC-3 decoder fades in abrupt loud audio, so a click may be heard slightly later than it was generated.
        check_clicks(ours, [shift + each for each in CLICKS])
    assert notice_count("bridge.format_changed", session) == 1


@pytest.mark.parametrize("channels", tiered([8, 1], {8}))
def test_a_wrong_channel_count_in_the_header_is_ignored(engine, make_film, tmp_path, channels):
    path = make_film(tmp_path / "film.mkv", *MP2)
    data = path.read_bytes()
    # Matroska's Channels element: id, size 1, value.
    assert data.count(b"\x9f\x81\x02") == 1
    path.write_bytes(data.replace(b"\x9f\x81\x02", bytes((0x9F, 0x81, channels))))
    with engine.session(path, profile="everything", bridge_mode=LOSSLESS) as session:
        stream = audio_of(session)
        assert (stream.audio.channels, stream.delivery.audio.channels) == (2, 2)
        ours = load_served_audio(session)
        assert (ours.channels, ours.rate) == (2, 48_000)
        check_clicks(ours, CLICKS)


def test_a_wrong_sample_rate_in_the_header_is_ignored(engine, make_film, tmp_path):
    path = make_film(tmp_path / "film.mkv", *MP2)
    data = path.read_bytes()
    # SamplingFrequency 48000 as a float of eight bytes becomes 22050.
    true, false = b"\xb5\x88\x40\xe7\x70\x00\x00\x00\x00\x00", b"\xb5\x88\x40\xd5\x88\x80\x00\x00\x00\x00"
    assert data.count(true) == 1
    path.write_bytes(data.replace(true, false))
    with engine.session(path, profile="everything", bridge_mode=LOSSLESS) as session:
        assert audio_of(session).audio.sample_rate == 48_000
        ours = load_served_audio(session)
        assert ours.rate == 48_000
        check_clicks(ours, CLICKS)


def corrupt_packets(path, damaged):
    """Overwrites the audio packets for which `damaged(number, count)` is true. Returns the number of all packets."""
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries", "packet=pos,size", "-of", "csv=p=0", path],
        check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.split()
    packets = [tuple(map(int, line.strip(",").split(",")[:2])) for line in found]
    data = bytearray(path.read_bytes())
    for number, (size, position) in enumerate(packets):
        if damaged(number, len(packets)):
            # After the header of the block, which is at the position.
            data[position + 16:position + size] = b"\x55" * (size - 16)
            data[position + 4:position + 16] = b"\x55" * 12
    path.write_bytes(data)
    return len(packets)


def test_broken_frames_become_silence_and_one_notice(engine, notice_count, make_film, tmp_path):
    path = make_film(tmp_path / "film.mkv", *DTS)
    corrupt_packets(path, lambda number, count: count // 2 <= number < count // 2 + 30)
    with engine.session(path, profile="everything", bridge_mode=LOSSLESS, segment_target_us=1_000_000) as session:
        ours = load_served_audio(session)
        check_clicks(ours, CLICKS)
        assert abs(ours.end - 8) < 0.1
        assert ours.peak(round(4.1 * ours.rate), ours.rate // 5) < 2**20
    assert notice_count("bridge.packets_broken", session) == 1


def test_broken_frames_at_the_end_do_not_shorten_the_track(engine, notice_count, make_film, tmp_path):
    path = make_film(tmp_path / "film.mkv", *DTS)
    corrupt_packets(path, lambda number, count: number >= count - 20)
    with engine.session(path, profile="everything", bridge_mode=LOSSLESS, segment_target_us=1_000_000) as session:
        ours = load_served_audio(session)
        assert abs(ours.end - 8) < 0.03, ours.end
        assert ours.peak(round(7.85 * ours.rate), ours.rate // 10) < 2**20
    assert notice_count("bridge.packets_broken", session) == 1


def test_a_track_without_a_decodable_frame_is_not_served(engine, notice_count, make_film, tmp_path):
    path = make_film(tmp_path / "film.mkv", *DTS)
    assert corrupt_packets(path, lambda number, _: True) > 64
    with engine.session(path, profile="everything") as session:
        stream = audio_of(session)
        assert stream.route == "none" and "no audio" in stream.route_reason, (stream.route, stream.route_reason)
        assert not session.master().renditions
    assert notice_count("track.not_served", session) == 1
