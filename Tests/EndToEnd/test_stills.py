# SPDX-License-Identifier: Apache-2.0
"""Thumbnails, snapshots and contact sheets show the right frame, are made quickly, and never delay playback."""

import concurrent.futures
import contextlib
import hashlib
import pathlib
import random
import struct
import subprocess
import time
from fractions import Fraction

import grpc
import pytest
from harness import hls, numbered, payloads
from harness.contract import stills_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, FIXTURES, clip
from harness.stills import PNG, snapshot, source, style, thumbnail
from harness.tiers import tiered

COUNT, SECONDS = 250, 10
# The number of random moments tested in each of 30 films.
MOMENTS = 9
PLAIN = [
    "h264.mp4", "h264-fragmented.mp4", "h264.mkv", "h264.ts", "h264.flv", "h264.h264", "hevc.mp4", "hevc.mkv", "hevc.ts",
    "vp9.webm", "av1.mkv", "av1.mp4", "mpeg2.ts", "mpeg4.avi", "mpeg4.mp4", "mjpeg.avi", "theora.ogg", "wmv2.asf",
    "refresh.ts", "ntsc.ts", "edit.mp4", "vfr.mkv", "mpeg2.mpg", "mpeg2-noisy.mpg", "packed.avi", "h264-fields.mkv",
    "h264-fields.ts", "mpeg2-fields.ts", "restart.ts", "fields.h264",
]
# A container with an index, one without, one with decoding times only, and films whose times are unusual.
FEW = {"h264.mkv", "mpeg4.avi", "mpeg2.mpg", "vfr.mkv", "restart.ts", "edit.mp4"}
# Films whose keyframes are known only by decoding, and their group length: the first frame of each group is a keyframe.
DECODED = {"mpeg2.mpg": 15, "mpeg2-noisy.mpg": 15, "mpeg4.avi": 60, "packed.avi": 60, "h264.h264": 60}


def starts(name):
    """When each frame of a film is first shown, by its number."""
    if name == "vfr.mkv":
        # The times that scripts/fixtures-numbered sets.
        ticks = [2 * (n // 3) * 3 + (n % 3 + 1) * (n % 3) // 2 for n in range(COUNT)]
        return {n: Fraction(tick, 25) for n, tick in enumerate(ticks)}
    rate = Fraction(30000, 1001) if name == "ntsc.ts" else 25
    hidden = 30 if name == "edit.mp4" else 0
    return {n: (n - hidden) / Fraction(rate) for n in range(hidden, COUNT)}


def expected(name, microseconds):
    moments = starts(name)
    # Times on the wire are rounded to a microsecond.
    shown = [n for n, start in moments.items() if start * 1_000_000 <= microseconds + Fraction(1, 2)]
    return max(shown, default=min(moments))


@pytest.mark.parametrize("name", tiered(PLAIN, FEW))
def test_a_snapshot_is_the_frame_shown_at_its_time(engine, name):
    path = numbered.film(name)
    draw = random.Random(name)
    end = int(max(starts(name).values()) * 1_000_000)
    moments = [0, 39_999, 40_000, end, *(draw.randrange(end + 30_000) for _ in range(MOMENTS))]
    found = [snapshot(engine, source(path), each) for each in moments]
    assert numbered.numbers([each.data for each in found]) == [expected(name, each) for each in moments]
    for still, moment in zip(found, moments):
        assert still.time_us <= moment and (still.duration_us == 0 or moment < still.time_us + still.duration_us + 2)
        assert (still.width, still.height) == (192, 96)
        # The time that a still reports leads to the same still again.
    again = [snapshot(engine, source(path), each.time_us) for each in found]
    assert [each.time_us for each in again] == [each.time_us for each in found]


@pytest.mark.parametrize("name", tiered(PLAIN, {"mpeg2.mpg", "vfr.mkv"}))
def test_times_beyond_the_end_give_the_last_frame(engine, name):
    path = numbered.film(name)
    moments = [1 << 62, 3600 * 1_000_000] + ([11_000_000] if name != "vfr.mkv" else [])
    # Each has its own style, because otherwise the cache would answer one request with the still of another.
    styles = [style(format=stills_pb2.STILL_FORMAT_PNG, quality=1 + number) for number in range(len(moments))]
    last = [snapshot(engine, source(path), each, look) for each, look in zip(moments, styles)]
    assert numbered.numbers([each.data for each in last]) == [COUNT - 1] * len(last)


def test_a_source_with_a_broken_start_begins_with_its_first_whole_frame(engine):
    # A film that begins with frames whose references are missing begins with the first whole frame.
    cut = numbered.film("cut.ts")
    first = snapshot(engine, source(cut), 0)
    assert numbered.numbers([first.data]) == [60] and 0 < first.time_us < 500_000
    assert numbered.numbers([snapshot(engine, source(cut), first.time_us + 40 * 33_367).data]) == [100]


def test_a_frame_cut_by_an_edit_list_is_shown_from_the_start(engine, tmp_path):
    path = tmp_path / "midst.mp4"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(numbered.film("h264.mp4")), "-map", "0:v", "-t", "2", "-c:v",
                 "libx264", "-preset", "ultrafast", "-bf", "0", "-video_track_timescale", "12800", str(path))
    whole = path.read_bytes()
    # The media time of the only edit list entry: two and a half frames of 512 ticks each.
    at = whole.index(b"elst") + 16
    (count, _) = struct.unpack_from(">II", whole, at - 8)
    assert count == 1
    path.write_bytes(whole[:at] + struct.pack(">I", 1280) + whole[at + 4:])
    first = snapshot(engine, source(path), 0)
    assert (first.time_us, first.duration_us) == (0, 20_000)
    assert snapshot(engine, source(path), first.time_us).data == first.data


@pytest.mark.parametrize("name", tiered(["h264.mp4", "h264.mkv", "h264.ts", "hevc.mkv", "vp9.webm", "av1.mkv", "mpeg2.ts"], {"h264.mkv", "mpeg2.ts"}))
def test_a_thumbnail_is_the_preceding_keyframe(engine, name):
    path, draw = numbered.film(name), random.Random(name)
    moments = [0, *(draw.randrange(9_990_000) for _ in range(12)), 30_000_000]
    found = [thumbnail(engine, source(path), each) for each in moments]
    wanted = [numbered.keyframe(path, each / 1e6) for each in moments]
    assert [each.time_us for each in found] == pytest.approx([each * 1e6 for each in wanted], abs=1000)
    numbers = numbered.numbers([each.data for each in found])
    assert numbers == [round(each * 25) for each in wanted]


@pytest.mark.parametrize("name", tiered(DECODED, {"mpeg4.avi"}))
def test_thumbnails_work_with_decoding_times_only(engine, name):
    path, length = numbered.film(name), DECODED[name]
    moments = [0, *(number * 40_000 + step for number in range(length, COUNT, length) for step in (-1, 0, 20_000)), 30_000_000]
    found = [thumbnail(engine, source(path), each) for each in moments]
    wanted = [min(each // 40_000, COUNT - 1) // length * length for each in moments]
    assert numbered.numbers([each.data for each in found]) == wanted
    assert [each.time_us for each in found] == [each * 40_000 for each in wanted]


@pytest.mark.long
def test_thumbnails_work_with_variable_frame_rates(engine, tmp_path):
    """In MP4 the index is by decoding time, and the delay until a frame is shown varies."""
    path = tmp_path / "vfr.mp4"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", str(numbered.film("h264.mkv")), "-vf", "select='not(mod(n,7)*lt(mod(n,11),4))'",
         "-vsync", "vfr", "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-bf", "3", str(path)], check=True)
    keys = [round(numbered.keyframe(path, second) * 1e6) for second in range(1, 10)]
    moments = [key + step * 40_000 for key in sorted(set(keys)) for step in range(8)]
    found = [thumbnail(engine, source(path), each) for each in moments]
    wanted = [numbered.keyframe(path, each / 1e6) * 1e6 for each in moments]
    assert [each.time_us for each in found] == pytest.approx(wanted, abs=1000)


@pytest.mark.long
def test_a_thumbnail_with_intra_refresh_is_complete(engine):
    """With intra refresh, a keyframe is only where a frame starts to become whole."""
    path = numbered.film("refresh.ts")
    found = [thumbnail(engine, source(path), each) for each in range(0, 10_000_000, 700_000)]
    assert numbered.numbers([each.data for each in found]) == [round(each.time_us / 40_000) for each in found]


@pytest.mark.long
@pytest.mark.parametrize("name", ["h264.mp4", "h264.mkv", "av1.mp4", "vp9.webm"])
def test_a_thumbnail_is_the_keyframe_ffmpeg_picks(engine, name):
    path, draw = numbered.film(name), random.Random(name)
    moments = [draw.randrange(9_900_000) for _ in range(6)]
    ours = numbered.numbers([thumbnail(engine, source(path), each).data for each in moments])
    theirs = []
    for each in moments:
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-noaccurate_seek", "-ss", f"{each / 1e6:.6f}", "-i", str(path),
             "-vsync", "passthrough", "-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "pipe:1"], capture_output=True, check=True)
        theirs.append(done.stdout)
    assert ours == numbered.numbers(theirs)


@pytest.mark.parametrize("name", tiered(
    ["h264.mkv", "h264.mp4", "h264.ts", "hevc.ts", "h264.h264", "vp9.webm", "ntsc.ts", "restart.ts"], {"h264.ts"}))
def test_stills_of_a_session_match_those_of_its_source(engine, name):
    path, draw = numbered.film(name), random.Random(name)
    with engine.session(path) as session:
        own = stills_pb2.StillSource(session_id=session.id)
        for moment in (0, *(draw.randrange(10_000_000) for _ in range(6)), 12_000_000):
            for take in (snapshot, thumbnail):
                ours, theirs = take(engine, own, moment), take(engine, source(path), moment)
                assert (ours.time_us, ours.data) == (theirs.time_us, theirs.data), (take.__name__, moment)
        # Nothing is named: the default session.
        assert snapshot(engine, None, 0).data == snapshot(engine, own, 0).data


def test_stills_have_the_requested_format_and_size(engine):
    path = clip("h264-aac.mp4")
    jpeg, png, webp = (thumbnail(engine, source(path), 1_000_000, style(format=each)) for each in (1, 2, 3))
    assert jpeg.data[:3] == b"\xff\xd8\xff" and png.data[:8] == b"\x89PNG\r\n\x1a\n"
    assert webp.data[:4] == b"RIFF" and webp.data[8:12] == b"WEBP"
    assert {(each.width, each.height) for each in (jpeg, png, webp)} == {(320, 180)}
    small = snapshot(engine, source(path), 0, style(max_width=100))
    assert (small.width, small.height) == (100, 56)
    low = snapshot(engine, source(path), 0, style(max_width=16384, max_height=90))
    assert (low.width, low.height) == (160, 90)
    large = snapshot(engine, source(path), 0, style(max_width=4000))
    assert (large.width, large.height) == (320, 180), "a still is never made larger"
    coarse = snapshot(engine, source(path), 0, style(quality=5))
    assert len(coarse.data) < len(snapshot(engine, source(path), 0, style(quality=95)).data)


def test_the_cover_is_the_still_of_an_audio_file(engine):
    for take in (thumbnail, snapshot):
        cover = take(engine, source(clip("audio.mp3")), 5_000_000)
        assert (cover.width, cover.height, cover.time_us) == (64, 64, 0)
    with engine.session(clip("audio.mp3")) as session:
        assert snapshot(engine, stills_pb2.StillSource(session_id=session.id), 0).width == 64


@pytest.mark.parametrize("path, code, word", [
    ("/nowhere.mkv", "NOT_FOUND", "source_not_found"),
    ("relative.mkv", "INVALID_ARGUMENT", "invalid_argument"),
    (FIXTURES / "bad/random.mkv", "FAILED_PRECONDITION", "source_not_media"),
    (FIXTURES / "bad/zeros.mp4", "FAILED_PRECONDITION", "source_not_media"),
    (FIXTURES / "bad/directory", "FAILED_PRECONDITION", "source_not_readable"),
    (FIXTURES / "bad/empty.mkv", "FAILED_PRECONDITION", "source_empty"),
])
def test_unusable_sources_give_typed_errors(engine, path, code, word):
    for take in (thumbnail, snapshot):
        with pytest.raises(grpc.RpcError) as failed:
            take(engine, source(path), 0)
        assert failed.value.code().name == code and failed.value.details().startswith(word), failed.value.details()


@pytest.mark.long
def test_audio_without_a_cover_has_no_stills(engine, tmp_path):
    sound = tmp_path / "sound.mka"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(clip("audio.mp3")), "-map", "0:a", "-c", "copy",
                    str(sound)], check=True)
    with pytest.raises(grpc.RpcError) as failed:
        thumbnail(engine, source(sound), 0)
    assert failed.value.code().name == "FAILED_PRECONDITION"
    assert failed.value.details().startswith("no_playable_stream")


@pytest.mark.parametrize("values, field", [
    ({"time_us": -1}, "time_us"),
    ({"style": style(max_width=16385)}, "style.max_width"),
    ({"style": style(max_height=1 << 31)}, "style.max_height"),
    ({"style": style(quality=101)}, "style.quality"),
    ({"style": style(format=77)}, "style.format"),
    ({"style": style(range=2)}, "style.range"),
])
def test_invalid_still_requests_are_refused(engine, values, field):
    for method, kind in ((engine.stub.Thumbnail, stills_pb2.ThumbnailRequest),
                         (engine.stub.Snapshot, stills_pb2.SnapshotRequest)):
        with pytest.raises(grpc.RpcError) as failed:
            method(kind(of=source(numbered.film("h264.mkv")), **values), timeout=PATIENCE)
        assert failed.value.code().name == "INVALID_ARGUMENT"
        assert dict(failed.value.trailing_metadata())["engine-error-field"] == field


def test_an_unknown_session_is_not_found(engine):
    with pytest.raises(grpc.RpcError) as failed:
        snapshot(engine, stills_pb2.StillSource(session_id="nobody"), 0)
    assert failed.value.code().name == "NOT_FOUND"


def outcomes(futures):
    done, cancelled = [], 0
    for future in futures:
        try:
            done.append(future.result())
        except grpc.RpcError as error:
            assert error.code().name == "CANCELLED", error.details()
            cancelled += 1
    return done, cancelled


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A film that takes time to decode."""
    film = tmp_path_factory.mktemp("slow") / "film.mp4"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25", "-t", "20",
                    "-c:v", "libx264", "-preset", "ultrafast", "-g", "250", "-pix_fmt", "yuv420p", str(film)], check=True)
    return film


@pytest.mark.long
def test_scrubbing_decodes_only_the_newest_requests(fresh_engine, slow):
    """Requests 200 moments within a second."""
    engine, film = fresh_engine, slow
    wanted = [index * 99_000 for index in range(200)]
    snapshot(engine, source(film), 0)
    before = engine.resident_bytes()
    futures = []
    begin = time.monotonic()
    for index, moment in enumerate(wanted):
        time.sleep(max(0, begin + index / 200 - time.monotonic()))
        request = stills_pb2.SnapshotRequest(of=source(film), time_us=moment)
        futures.append(engine.stub.Snapshot.future(request, timeout=PATIENCE))
    newest = futures[-1].result()
    assert newest.time_us <= wanted[-1] < newest.time_us + newest.duration_us
    done, cancelled = outcomes(futures)
    assert len(done) + cancelled == 200 and cancelled > len(done), (len(done), cancelled)
    assert engine.resident_bytes() - before < 150 << 20


@pytest.mark.long
def test_queued_requests_are_all_answered(engine):
    path = numbered.film("h264.mkv")
    futures = [engine.stub.Snapshot.future(stills_pb2.SnapshotRequest(
        of=source(path), time_us=number * 40_000, style=PNG, waits_its_turn=True), timeout=PATIENCE)
        for number in range(0, 250, 5)]
    done, cancelled = outcomes(futures)
    assert cancelled == 0
    assert numbered.numbers([each.data for each in done]) == list(range(0, 250, 5))


def open_descriptors(engine, path):
    """The number of descriptors that a process has open for a file."""
    folder, found = pathlib.Path(f"/proc/{engine.pid}/fd"), 0
    for each in folder.iterdir():
        with contextlib.suppress(OSError):
            found += each.readlink() == path
    return found


def is_idle(engine):
    before = engine.cpu_seconds()
    time.sleep(0.5)
    return engine.cpu_seconds() - before <= 0.02


def busy(engine, film):
    """A client that requests many stills of a film."""
    client = subprocess.Popen(
        [ENGINECTL, "contact-sheet", film, "--columns", "20", "--rows", "20", "--cell-width", "100", "-o",
         film.with_suffix(".jpg"), "--socket", engine.socket], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    eventually(lambda: open_descriptors(engine, film), "the film to be read")
    assert client.poll() is None
    return client


@pytest.mark.long
def test_a_killed_client_leaves_no_work_behind(fresh_engine, slow):
    # One still of this film takes so long that 400 cannot be finished in the meantime.
    client = busy(fresh_engine, slow)
    client.kill()
    client.wait()
    eventually(lambda: is_idle(fresh_engine), "the engine to have nothing to do")
    assert not slow.with_suffix(".jpg").exists()
    eventually(lambda: threads(fresh_engine) == 1, "the film to be closed")
    assert snapshot(fresh_engine, source(slow), 0).width == 1280


@pytest.mark.long
def test_a_killed_engine_leaves_no_files_behind(start_engine, slow, tmp_path, monkeypatch):
    # This folder for temporary files is used by no other test.
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    engine = start_engine()

    def left():
        """
        The engine's files and shared memory, except sockets, which the next engine replaces, and the journal and the
        cache, which the next engine uses (it opens the cache of sources some time after its start).
        """
        kept = [each for pattern in ("**/sessions.*", "cache/engined/ranges/*") for each in engine.directory.glob(pattern)]
        own = {str(each.relative_to(engine.directory)) for each in engine.directory.rglob("*")
               if each.is_file() and each not in kept}
        shared = {str(each) for each in pathlib.Path("/dev/shm").glob("*engine*") if each.is_file()}
        return own | shared | {str(each) for each in tmp_path.rglob("*")}

    before = left()
    client = busy(engine, slow)
    engine.kill()
    assert client.wait(PATIENCE) != 0 and not slow.with_suffix(".jpg").exists()
    assert left() <= before
    again = start_engine(directory=engine.directory)
    assert snapshot(again, source(slow), 0).width == 1280


def segments(session):
    media = [hls.Media(url) for url in session.master().playlists()]
    return [hashlib.sha256(hls.fetch(each.url)).hexdigest() for one in media for each in one.segments]


@pytest.mark.long
@pytest.mark.parametrize("name", ["h264-aac.mkv", "h264-aac.ts"])
def test_stills_do_not_change_playback(start_engine, name):
    path = clip(name)
    quiet = start_engine()
    with quiet.session(path) as session:
        alone = segments(session)
    busy = start_engine()
    with busy.session(path) as session, concurrent.futures.ThreadPoolExecutor(4) as pool:
        own = stills_pb2.StillSource(session_id=session.id)
        stop = []

        def work(seed):
            draw, made = random.Random(seed), 0
            while not stop:
                take = draw.choice((snapshot, thumbnail))
                made += take(busy, own, draw.randrange(24_000_000), waits_its_turn=True).width > 0
            return made

        workers = [pool.submit(work, seed) for seed in range(4)]
        try:
            assert segments(session) == alone
        finally:
            stop.append(True)
        assert sum(each.result() for each in workers) > 0


def threads(engine):
    """The threads of the extractor and of its decoders, which have the same name."""
    return engine.thread_names().count("stills")


@pytest.mark.long
def test_prewarming_opens_the_source(fresh_engine):
    def read():
        fields = pathlib.Path(f"/proc/{fresh_engine.pid}/io").read_text().split()
        return int(fields[fields.index("rchar:") + 1])

    path = clip("h264-aac.ts")
    before = read()
    fresh_engine.stub.PrewarmStills(stills_pb2.PrewarmRequest(of=source(path)), timeout=PATIENCE)
    assert read() - before > 100_000, "a transport stream must be read to find its streams"
    assert threads(fresh_engine) >= 1
    # An open source is not opened again.
    again = read()
    fresh_engine.stub.PrewarmStills(stills_pb2.PrewarmRequest(of=source(path)), timeout=PATIENCE)
    assert read() - again < 10_000


@pytest.mark.long
def test_an_unused_source_is_closed(fresh_engine):
    snapshot(fresh_engine, source(path := numbered.film("h264.mkv")), 1_000_000)
    assert threads(fresh_engine) > 1
    # While memory is short, the engine also ends the thread of the extractor.
    eventually(lambda: threads(fresh_engine) <= 1, "the decoders to be closed")
    # The source is opened again.
    assert numbered.numbers([snapshot(fresh_engine, source(path), 2_000_000).data]) == [50]


@pytest.mark.long
def test_stills_end_with_their_session(fresh_engine):
    session = fresh_engine.load(numbered.film("h264.mkv"))
    own = stills_pb2.StillSource(session_id=session.id)
    snapshot(fresh_engine, own, 0)
    assert threads(fresh_engine) > 0
    session.stop()
    eventually(lambda: threads(fresh_engine) == 0, "the threads to end")
    with pytest.raises(grpc.RpcError) as failed:
        snapshot(fresh_engine, own, 0)
    assert failed.value.code().name == "NOT_FOUND"


def test_a_replaced_file_is_read_again(engine, tmp_path):
    path = tmp_path / "film.mkv"
    path.write_bytes(numbered.film("h264.mkv").read_bytes())
    assert numbered.numbers([snapshot(engine, source(path), 1_000_000).data]) == [25]
    path.unlink()
    path.write_bytes(numbered.film("vfr.mkv").read_bytes())
    assert numbered.numbers([snapshot(engine, source(path), 1_000_000).data]) == [expected("vfr.mkv", 1_000_000)]


@pytest.mark.long
@pytest.mark.parametrize("other", ["vfr.mkv", None])
def test_a_still_of_a_session_is_never_that_of_another_film(engine, tmp_path, other):
    path = tmp_path / "film.mkv"
    path.write_bytes(numbered.film("h264.mkv").read_bytes())
    with engine.session(path) as session:
        own = stills_pb2.StillSource(session_id=session.id)
        assert numbered.numbers([snapshot(engine, own, 1_000_000).data]) == [25]
        path.write_bytes(numbered.film(other).read_bytes() if other else b"")
        for moment in 4_000_000, 4_000_000, 7_000_000:
            with pytest.raises(grpc.RpcError, match="source_changed"):
                snapshot(engine, own, moment)
        # This still is made from the film that was loaded.
        assert numbered.numbers([snapshot(engine, own, 1_000_000).data]) == [25]


@pytest.mark.parametrize("command", tiered(
    [["snapshot", "--at", "3"], ["thumbnail", "--at", "3"], ["contact-sheet"]], lambda command: command[0] == "snapshot"), ids=lambda each: each[0])
def test_a_still_that_cannot_be_written_leaves_the_old_file(engine, tmp_path, command):
    old = tmp_path / "old.png"
    old.write_bytes(b"a picture")
    for name in "old.png", "new.png":
        # As on a full disk, nothing can be written to a file.
        done = subprocess.run(["bash", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "-", ENGINECTL, command[0], numbered.film("h264.mkv"),
                               *command[1:], "-o", tmp_path / name, "--socket", engine.socket], capture_output=True, text=True)
        assert done.returncode == 1 and "cannot write" in done.stderr, done.stderr
    assert old.read_bytes() == b"a picture" and list(tmp_path.iterdir()) == [old]


@pytest.mark.long
def test_enginectl_makes_stills_and_contact_sheets(engine, tmp_path):
    def run(*arguments, expect=0):
        done = subprocess.run([ENGINECTL, *map(str, arguments), "--socket", engine.socket], capture_output=True, text=True)
        assert done.returncode == expect, done.stderr
        return done.stdout + done.stderr

    path = numbered.film("h264.mkv")
    out = tmp_path / "still.png"
    assert "192x96  at 3.320000 s  for 0.040000 s" in run("snapshot", path, "--at", "3.33", "-o", out)
    assert numbered.numbers([out.read_bytes()]) == [83]
    assert "at 2.400000 s" in run("thumbnail", path, "--at", "0:03.33", "-o", out)
    assert numbered.numbers([out.read_bytes()]) == [60]
    with engine.session(path) as session:
        run("snapshot", session.id, "--at", "4", "-o", out)
        assert numbered.numbers([out.read_bytes()]) == [100]
    sheet = tmp_path / "sheet.jpg"
    assert "592x304" in run("contact-sheet", path, "--columns", 3, "--rows", 3, "-o", sheet)
    assert sheet.read_bytes()[:3] == b"\xff\xd8\xff"
    assert "source_not_found" in run("snapshot", "/nowhere.mkv", "--at", 0, "-o", out, expect=1)
    run("snapshot", path, "--at", "1", "-o", tmp_path / "still.txt", expect=64)
    run("snapshot", path, "--at", "+1", "-o", out, expect=64)
