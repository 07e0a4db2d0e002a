# SPDX-License-Identifier: Apache-2.0
"""A front-end reads decoded frames from shared memory: their contents, who may attach, and what happens if it
misbehaves."""

import contextlib
import itertools
import mmap
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import grpc
import pytest
from harness.contract import engine_pb2, frames_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.frames import Ended, Frames, attached_frames, framemd5, frames_ticket, play
from harness.places import ROOT, SAMPLES, clip
from harness.tiers import tiered

REALTIME = frames_pb2.FRAME_PACE_REALTIME


def seek(engine, session, seconds):
    engine.stub.Seek(
        engine_pb2.SeekRequest(session_id=session.id, position_us=int(seconds * 1e6)), timeout=PATIENCE)


def now(frames):
    """The position of the playhead by the ring's clock; None in a generation that has no position yet."""
    clock = frames.clock()
    if not clock or clock[3] != frames.generation:
        return None
    position, rate, moment, _ = clock
    return position + int((time.monotonic_ns() - moment) / 1000 * rate)


def wait_for_frame(frames, shown, wanted):
    """Polls like a display until `wanted(picture)`. Returns that picture."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        place = now(frames)
        if place is not None:
            shown = frames.newest(place, shown)
            if shown and wanted(shown):
                return shown
        time.sleep(0.005)
    raise AssertionError("the picture never came")


def test_frame_times_are_consecutive(engine):
    with engine.session(clip("software/mpeg4.mkv")) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        seen = [(picture.time_us, picture.duration_us, picture.sequence) for picture in frames]
    assert [number for _, _, number in seen] == list(range(1, len(seen) + 1))
    for (time_us, duration, _), (following, _, _) in zip(seen, seen[1:]):
        assert abs(following - time_us - 40_000) <= 1000 and abs(duration - 40_000) <= 1000


@pytest.mark.parametrize("form, name, source", tiered([
    (frames_pb2.FRAME_FORMAT_NV12, "nv12", "mpeg2.ts"), (frames_pb2.FRAME_FORMAT_I420, "yuv420p", "mpeg2.ts"),
    (frames_pb2.FRAME_FORMAT_P010, "p010le", "hi10.mkv"),
], lambda case: case[1] == "p010le"))
def test_other_pixel_layouts_have_the_same_values(engine, form, name, source):
    path = clip(f"software/{source}")
    with engine.session(path) as session, attached_frames(engine, session.id, format=form) as frames:
        play(engine, session)
        seen = [(picture.format, picture.md5()) for picture in frames]
    assert {each for each, _ in seen} == {name}
    assert [digest for _, digest in seen] == framemd5(path, "-pix_fmt", name)


def whole(picture):
    return b"".join(bytes(row) for row in picture.rows())


def test_frames_are_converted_to_rgb(engine):
    path = clip("software/qtrle.mov")
    with engine.session(path) as session:
        with attached_frames(engine, session.id, format=frames_pb2.FRAME_FORMAT_RGBA8) as frames:
            play(engine, session)
            picture = next(iter(frames))
            assert (picture.format, picture.matrix, picture.range) == ("rgba", 0, 2)
            seen = whole(picture)
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-frames:v", "1", "-pix_fmt", "rgba", "-f", "rawvideo", "-"],
        capture_output=True, stdin=subprocess.DEVNULL).stdout
    assert seen == raw


def test_frames_are_converted_to_linear_light(engine):
    path = clip("software/qtrle.mov")
    options = dict(format=frames_pb2.FRAME_FORMAT_RGBA_HALF, max_width=80)
    with engine.session(path) as session, attached_frames(engine, session.id, **options) as frames:
        play(engine, session)
        picture = next(iter(frames))
        assert (picture.format, picture.width, picture.height) == ("rgbaf16le", 80, 45)
        assert (picture.primaries, picture.transfer) == (12, 8)
        seen = struct.unpack(f"<{80 * 45 * 4}e", whole(picture))
    assert set(seen[3::4]) == {1}
    light = [value for index, value in enumerate(seen) if index % 4 != 3]
    # The test picture contains white, black and red; red is less in the wider primaries.
    assert max(light) == pytest.approx(1, abs=0.05) and abs(min(light)) < 0.06


def test_frames_are_scaled_down(engine):
    options = dict(format=frames_pb2.FRAME_FORMAT_NV12, max_width=100, max_height=1000)
    with engine.session(clip("software/mpeg2.ts")) as session, attached_frames(engine, session.id, **options) as frames:
        play(engine, session)
        picture = next(iter(frames))
        assert (picture.width, picture.height) == (100, 56)


def messages(path):
    """The ITU-T T.35 messages of ST 2094-40 in the SEI of each picture of an HEVC stream, in decoding order."""
    annex_b = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-c", "copy", "-f", "hevc", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
    found = []
    for unit in annex_b.split(b"\0\0\1")[1:]:
        if unit[0] >> 1 & 63 != 39:
            continue
        body = unit[2:].replace(b"\0\0\3", b"\0\0").rstrip(b"\0")
        place = 0
        while place + 2 < len(body):
            kind, size = body[place], 0
            place += 1
            while body[place] == 255:
                size += 255
                place += 1
            size += body[place]
            place += 1
            if kind == 4 and body[place:place + 3] == b"\xb5\0\x3c":
                found.append(body[place:place + size])
            place += size
    return found


def test_hdr10_plus_metadata_arrives_with_its_frame(engine):
    path = SAMPLES / "quietvoid+hdr10plus_tool/assets/hevc_tests/regular.mkv"
    if not path.exists():
        pytest.skip("the sample is not there")
    with engine.session(path) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        seen = [(picture.hdr10_plus, picture.transfer, picture.mastering, picture.content_light) for picture in frames]
    assert sorted(each for each, *_ in seen) == sorted(messages(path))
    assert all(transfer == 16 and mastering and light for _, transfer, mastering, light in seen)


def test_dolby_vision_metadata_arrives_with_its_frame(engine):
    path = SAMPLES / "quietvoid+dovi_tool/assets/hevc_tests/regular.mkv"
    if not path.exists():
        pytest.skip("the sample is not there")
    with engine.session(path) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        seen = [picture.dolby_vision for picture in frames]
    probed = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-show_frames", path], stdin=subprocess.DEVNULL,
        capture_output=True, text=True).stdout
    assert len([each for each in seen if each]) == probed.count("Dolby Vision RPU Data") > 200
    assert {each[0] for each in seen if each} == {0x19}


@pytest.fixture(scope="module")
def c_reader(tmp_path_factory):
    """examples/c/frames, compiled so that leaks and invalid memory accesses end it with a distinct status."""
    build = tmp_path_factory.mktemp("c")
    flags = "-g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all"
    subprocess.run(
        ["make", "-C", ROOT / "examples/c", f"BUILD={build}", f"CFLAGS={flags}", build / "frames"], check=True,
        capture_output=True, timeout=PATIENCE * 20)
    return build / "frames"


def test_the_c_example_receives_the_same_frames(engine, c_reader):
    path = clip("software/mpeg2.ts")
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-f", "rawvideo", "-"],
        stdin=subprocess.DEVNULL, capture_output=True).stdout
    size = 320 * 180 * 3 // 2
    sums = [sum(raw[at:at + size]) for at in range(0, len(raw), size)]
    session = engine.load(path)
    answer = frames_ticket(engine, session.id, pace=REALTIME)
    display = subprocess.Popen(
        [c_reader, answer.socket_path, answer.ticket.hex(), "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = [display.stdout.readline().split()]
    play(engine, session)
    while len(lines) < 30:
        lines.append(display.stdout.readline().split())
        assert lines[-1], display.stderr.read()
    session.stop()
    assert display.wait(PATIENCE) == 0, display.stderr.read()
    begin = float(lines[0][1])
    for _, at, shape, form, total in lines:
        assert (shape, form) == ("320x180", "yuv420p")
        assert int(total) == sums[round((float(at) - begin) * 25)]
    display.stdout.close()
    display.stderr.close()


def test_two_front_ends_receive_the_same_frames(engine):
    path = clip("software/mpeg4.mkv")
    seen = {}

    def read(name, frames):
        seen[name] = [picture.md5() for picture in frames]

    with engine.session(path) as session, contextlib.ExitStack() as stack:
        rings = [stack.enter_context(attached_frames(engine, session.id)) for _ in range(2)]
        readers = [threading.Thread(target=read, args=each) for each in enumerate(rings)]
        for reader in readers:
            reader.start()
        play(engine, session)
        for reader in readers:
            reader.join(PATIENCE)
    assert seen[0] == seen[1] == framemd5(path)


def test_attaching_while_paused_delivers_the_current_frame(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        for _ in range(2):
            with attached_frames(engine, session.id, pace=REALTIME) as frames:
                seek(engine, session, 3)
                picture = wait_for_frame(frames, None, lambda each: abs(each.time_us - 3_000_000) < 50_000)
                assert picture.time_us <= 3_000_000 < picture.time_us + picture.duration_us


def test_the_displayed_frame_stays_valid_during_a_seek(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        with attached_frames(engine, session.id, pace=REALTIME) as frames:
            play(engine, session)
            shown = wait_for_frame(frames, None, lambda each: each.time_us > 400_000)
            for target in (4, 1, 5, 2, 3):
                digest, generation = shown.md5(), shown.generation
                begun, dropped = time.monotonic(), frames.dropped
                seek(engine, session, target)
                eventually(lambda: frames.generation != generation, "another generation")
                # It stays valid and unchanged until its successor is there.
                while shown.generation == generation:
                    assert shown.md5() == digest
                    shown = wait_for_frame(frames, shown, lambda each: True)
                # It is a frame of the time between the target and the playhead, unless those frames found no slot.
                latest = target + time.monotonic() - begun + (frames.dropped - dropped) * 0.04
                assert target < (shown.time_us + shown.duration_us) / 1e6 and shown.time_us / 1e6 <= latest
            assert frames.newest(now(frames), shown)


def test_frames_arrive_when_they_are_due(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        with attached_frames(engine, session.id, pace=REALTIME) as frames:
            play(engine, session)
            shown = wait_for_frame(frames, None, lambda each: each.time_us > 500_000)
            ready = 0
            while shown.time_us < 3_000_000:
                last = shown
                shown = wait_for_frame(frames, shown, lambda each: each.sequence != last.sequence)
                steps = shown.sequence - last.sequence
                # A frame that is late is left out, so the next one is further away.
                assert steps > 0 and shown.time_us - last.time_us > steps * 39_000
                ready += any(each.time_us > now(frames) for each in frames.slots())
    # Frames are in the ring before they are due. On a busy machine not all of them are.
    assert ready


def test_each_request_gets_one_message(engine):
    with engine.session(clip("software/mpeg2.ts")) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        eventually(lambda: frames.published >= 3, "pictures that nobody has asked about")
        frames.receive()
        assert not select.select([frames.socket], [], [], 0.3)[0], "news came twice"
        frames.ask()
        frames.receive()


# What the engine must refuse to a front-end.

def test_the_ring_cannot_be_written_to(engine):
    with engine.session(clip("software/mpeg2.ts")) as session, attached_frames(engine, session.id) as frames:
        ring, control = frames.descriptors
        size = os.fstat(ring).st_size
        with pytest.raises(PermissionError):
            mmap.mmap(ring, size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
        for attempt in (lambda: os.pwrite(ring, b"x", 0), lambda: os.ftruncate(ring, 0),
                        lambda: os.ftruncate(ring, size * 2), lambda: os.ftruncate(control, 0)):
            with pytest.raises(PermissionError):
                attempt()
        reopened = os.open(f"/proc/self/fd/{ring}", os.O_RDWR)
        with pytest.raises(PermissionError):
            mmap.mmap(reopened, size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
        os.close(reopened)


@pytest.mark.parametrize("ticket", [
    pytest.param(bytes(16), id="zeros"), pytest.param(random.Random(1).randbytes(16), id="guess"),
    pytest.param(b"GET / HTTP/1.1\r\n\r\n" * 100, id="http"),
])
def test_a_wrong_ticket_is_refused(engine, ticket):
    with engine.session(clip("software/mpeg2.ts")) as session:
        answer = frames_ticket(engine, session.id)
        with pytest.raises(Ended):
            Frames(ticket, answer.socket_path, PATIENCE)
        # Guessing has no effect, and the right ticket is still valid, once.
        Frames(answer.ticket, answer.socket_path, PATIENCE).close()
        with pytest.raises(Ended):
            Frames(answer.ticket, answer.socket_path, PATIENCE)


def test_the_side_socket_is_accessible_only_to_its_owner(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        path = frames_ticket(engine, session.id).socket_path
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.path.dirname(path) == str(engine.directory) and os.stat(engine.directory).st_mode & 0o777 == 0o700


@pytest.mark.parametrize("options", [
    dict(slots=2), dict(slots=33), dict(max_width=16385, format=frames_pb2.FRAME_FORMAT_NV12), dict(max_width=10),
    dict(format=77), dict(pace=9),
])
def test_invalid_attachment_options_are_refused(engine, options):
    with engine.session(clip("software/mpeg2.ts")) as session:
        with pytest.raises(grpc.RpcError) as refusal:
            frames_ticket(engine, session.id, **options)
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def assert_gets_every_frame(engine, session, count=40):
    """Checks that another front-end, which takes every frame, gets the frames in order and unchanged."""
    expected = framemd5(clip("software/mpeg2.ts"))
    with attached_frames(engine, session.id) as frames:
        seen = [(round(each.time_us / 40_000), each.md5()) for each in itertools.islice(frames, count)]
    first = seen[0][0]
    assert [digest for _, digest in seen] == [expected[(first + place) % len(expected)] for place in range(count)]


def test_a_client_that_releases_no_frames_starves_only_itself(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)
        with attached_frames(engine, session.id, pace=REALTIME, slots=3) as greedy:
            play(engine, session)
            eventually(lambda: greedy.dropped > 3, "pictures without room")
            assert greedy.published == 3
            assert_gets_every_frame(engine, session)
            # The pictures that it holds are unchanged.
            assert len([picture.md5() for picture in greedy.slots()]) == 3


def test_a_slow_front_end_gets_every_frame_of_a_loop(engine):
    """The frames that wait for the front-end when a lap ends are not lost."""
    expected = framemd5(clip("software/mpeg2.ts"))
    with engine.session(clip("software/mpeg2.ts")) as session:
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)
        with attached_frames(engine, session.id, slots=5) as frames:
            play(engine, session)
            seen = []
            for picture in itertools.islice(frames, len(expected) + 20):
                seen.append(picture.md5())
                # Long enough for the engine to fill all slots, and to decode the start of the next lap.
                if len(expected) - 10 < len(seen) <= len(expected):
                    time.sleep(0.1)
    assert seen == [expected[place % len(expected)] for place in range(len(seen))]


CLIENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from frames import Frames
frames = Frames(bytes.fromhex(sys.argv[2]), sys.argv[3])
for picture in frames:
    print(picture.sequence, flush=True)
"""


def test_a_killed_client_leaves_no_descriptors(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)
        with attached_frames(engine, session.id, pace=REALTIME) as frames:
            play(engine, session)
            wait_for_frame(frames, None, lambda each: True)
            descriptors = settled(engine.descriptors)
            for _ in range(5):
                answer = frames_ticket(engine, session.id, pace=REALTIME)
                client = subprocess.Popen(
                    [sys.executable, "-c", CLIENT, ROOT / "examples" / "python", answer.ticket.hex(), answer.socket_path],
                    stdout=subprocess.PIPE)
                assert client.stdout.readline()
                assert engine.descriptors() > descriptors
                client.send_signal(signal.SIGKILL)
                client.wait()
                client.stdout.close()
            eventually(lambda: engine.descriptors() <= descriptors, "the memory of the killed clients to be released")
            shown = wait_for_frame(frames, None, lambda each: True)
            wait_for_frame(frames, shown, lambda each: each.sequence > shown.sequence + 5)


def test_a_client_that_corrupts_its_control_page_affects_only_itself(engine):
    noise = random.Random(7)
    with engine.session(clip("software/mpeg2.ts")) as session:
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)
        with attached_frames(engine, session.id, pace=REALTIME) as hostile:
            play(engine, session)
            stop = threading.Event()

            def write_noise():
                while not stop.is_set():
                    hostile.control[0:4096] = noise.randbytes(4096)
                    with contextlib.suppress(Ended):
                        hostile.ask()

            writer = threading.Thread(target=write_noise)
            writer.start()
            try:
                assert_gets_every_frame(engine, session)
            finally:
                stop.set()
                writer.join()
    assert engine.is_alive()


def test_a_flooded_side_socket_recovers(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        path = frames_ticket(engine, session.id).socket_path
        idle = [socket.socket(socket.AF_UNIX) for _ in range(100)]
        for each in idle:
            each.connect(path)
        # Connections beyond the engine's limit are closed immediately.
        closed = eventually(lambda: select.select(idle, [], [], 0)[0], "connections that are refused")
        assert closed
        for each in idle:
            each.close()
        eventually(lambda: can_attach(engine, session), "room for an attachment again")


def can_attach(engine, session):
    with contextlib.suppress(Ended, OSError), attached_frames(engine, session.id):
        return True
    return False


def test_the_ring_layout_is_as_documented(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        with attached_frames(engine, session.id, slots=5) as frames:
            magic, version, slots, step, headers, pictures, size, whole = struct.unpack_from("<IIIIQQQQ", frames.ring, 0)
    assert (magic, version, step, headers) == (0x4D524645, 1, 16384, 4096)
    # A decoder may write to slots beyond the requested ones.
    assert 5 <= slots <= 32
    assert pictures == headers + slots * step and whole == pictures + slots * size == len(frames.ring)
