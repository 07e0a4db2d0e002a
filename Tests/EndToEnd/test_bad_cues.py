# SPDX-License-Identifier: Apache-2.0
"""Subtitle tracks that are damaged or too large: cues with replacements or a typed error, and never a hang."""

import gzip
import random
import subprocess

import grpc
import pytest
from harness import subtitles
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import fetch
from harness.places import clip


def selection(*ids):
    return engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=ids))


def damaged(folder, seed):
    """A film whose subtitle block durations are overwritten with bytes that are 0, 255 or random."""
    data = bytearray(clip("subs-srt.mkv").read_bytes())
    dice, at, count = random.Random(seed), 0, 0
    # BlockDuration, of up to 8 bytes.
    while (at := data.find(b"\x9b", at + 1)) > 0:
        length = data[at + 1] & 0x0F
        if data[at + 1] & 0xF0 == 0x80 and 1 <= length <= 8 and data[at - 1:at] != b"\xff":
            data[at + 2:at + 2 + length] = bytes(dice.choice((0, 0xFF, dice.randrange(256))) for _ in range(length))
            count += 1
    assert count >= 10
    path = folder / f"damaged-{seed}.mkv"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("seed", range(4))
def test_cues_with_corrupt_durations_are_listed(engine, tmp_path, seed):
    path = damaged(tmp_path, seed)
    whole, _, _ = subtitles.read(engine, source=str(clip("subs-srt.mkv")))
    linear, _, _ = subtitles.read(engine, source=str(path))
    assert [(cue.start_us, cue.text.plain) for cue in linear] == [(cue.start_us, cue.text.plain) for cue in whole]
    assert all(cue.end_us == -1 or cue.start_us <= cue.end_us for cue in linear)
    with engine.session(path, subtitles=selection(2)) as session:
        for target in (20_000_000, 1_000_000, 12_000_000):
            engine.stub.Seek(engine_pb2.SeekRequest(position_us=target))
        again, _, _ = subtitles.read(engine, session_id=session.id)
        assert again == linear
        for url in session.master().everything():
            assert fetch(url)


def test_cues_with_unordered_times_are_listed_in_order(engine, tmp_path):
    dice, lines = random.Random(2), tmp_path / "lines.srt"

    def stamp(milliseconds):
        return f"00:00:{milliseconds // 1000:02},{milliseconds % 1000:03}"

    with open(lines, "w") as file:
        for number in range(500):
            start, end = dice.randrange(24_000), dice.randrange(24_000)
            file.write(f"{number}\n{stamp(start)} --> {stamp(end)}\nline {number} \\N {{\\an9}}<i><b></i>\n\n")
    path = tmp_path / "jumps.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "quiet", "-i", clip("h264-aac.mkv"), "-i", lines, "-map", "0", "-map", "1", "-c", "copy",
                    "-c:s", "srt", path], check=True, timeout=PATIENCE)
    for found in (subtitles.read(engine, source=str(path))[0], subtitles.read(engine, source=str(lines))[0]):
        assert len(found) > 200
        assert [cue.start_us for cue in found] == sorted(cue.start_us for cue in found)
        assert all(cue.start_us <= cue.end_us for cue in found)


@pytest.mark.parametrize(("name", "content", "word"), [
    ("film.srt.gz", gzip.compress(b"1\n00:00:01,000 --> 00:00:02,000\nHello\n", mtime=0), "gzip"),
    ("film.srt", gzip.compress(b"1\n00:00:01,000 --> 00:00:02,000\nHello\n", mtime=0), "gzip"),
    ("film.zip", b"PK\x03\x04" + bytes(200), "zip"),
    ("film.srt", b"", "empty"),
    ("film.srt", bytes(range(1, 256)) * 40, "not SubRip"),
])
def test_enginectl_reports_what_an_unusable_file_contains(engine, tmp_path, name, content, word):
    path = tmp_path / name
    path.write_bytes(content)
    failed = subtitles.enginectl("cues", path, engine=engine, check=False)
    assert failed.returncode == 1 and not failed.stdout
    assert word in failed.stderr and ("source_not_media" in failed.stderr or "source_empty" in failed.stderr), failed.stderr


@pytest.mark.parametrize("arguments", [("--track", "9"), ("--track", "Klingon"), ("--track", "100007")])
@pytest.mark.parametrize("name", ["subs-srt.mkv", "lines.srt"])
def test_enginectl_names_the_missing_track(engine, tmp_path, name, arguments):
    path = clip(name) if name.endswith("mkv") else tmp_path / name
    if name.endswith("srt"):
        path.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello\n")
    failed = subtitles.enginectl("cues", path, *arguments, engine=engine, check=False)
    assert failed.returncode == 1 and "track_not_found" in failed.stderr and arguments[1] in failed.stderr


@pytest.mark.long
def test_exceeding_the_cue_limit_gives_an_error_and_one_notice(fresh_engine, tmp_path):
    """80 cues with 800,000 style runs begin within one second: every request for the cues is rejected, and the film is
    still served."""
    lines, path = tmp_path / "fat.srt", tmp_path / "fat.mkv"
    with open(lines, "w") as file:
        for number in range(80):
            file.write(f"{number}\n00:00:00,{number * 10:03} --> 00:00:09,000\n{number} {'<b>x</b>y' * 5000}\n\n")
    subprocess.run(["mkvmerge", "-q", "-o", path, clip("h264-aac.mkv"), lines], check=True, timeout=PATIENCE)
    engine = fresh_engine
    notices = []
    watch = engine.stub.Watch(engine_pb2.WatchRequest(all_sessions=True, time_interval_us=-1))
    with engine.session(path, subtitles=selection(2)) as session:
        def is_reported():
            for event in watch:
                if event.WhichOneof("event") == "notice":
                    notices.append(event.notice.code)
                    return "subtitles.cues_left_out" in notices
            return False

        eventually(is_reported, "the notice that there is more than is kept")
        for place in ({"session_id": session.id}, {"source": str(path)}):
            with pytest.raises(grpc.RpcError) as error:
                list(engine.stub.GetCues(subtitles_pb2.GetCuesRequest(**place), timeout=PATIENCE))
            assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert session.master().everything()
        assert notices.count("subtitles.cues_left_out") == 1
    watch.cancel()
