# SPDX-License-Identifier: Apache-2.0
"""Frames that are decoded directly into the front-end's memory equal copied ones, and none is overwritten while the
front-end holds it."""

import contextlib
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
from harness.contract import engine_pb2, filters_pb2, frames_pb2
from harness.engine import PATIENCE, eventually
from harness.frames import attached_frames, framemd5, frames_ticket, play
from harness.places import ROOT, clip
from harness.tiers import tiered

REALTIME = frames_pb2.FRAME_PACE_REALTIME
CLIPS = [
    "mpeg2.ts", "mpeg2.mpg", "xvid.avi", "mpeg4.mkv", "vp8.webm", "wmv2.asf", "mjpeg.avi", "prores.mov", "qtrle.mov",
    "h263.3gp", "hi10.mkv", "theora.ogv",
]
# One source for each kind of frames: reordered, built on the frame before, and with more than 8 bits.
LEAN = {"mpeg2.ts", "qtrle.mov", "hi10.mkv"}


def loop(engine, session):
    engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)


def counts(engine, session):
    statistics = engine.state(session.id).statistics
    return statistics.pictures_in_place, statistics.pictures_copied


def wait_for_counts(engine, session, number):
    """Both counts once all frames are counted, except the last one of each front-end, which may follow the session's
    last statistics."""
    return eventually(lambda: sum(counts(engine, session)) >= number and counts(engine, session), "pictures to be counted")


def collect(frames, into):
    reader = threading.Thread(target=lambda: into.extend(picture.md5() for picture in frames))
    reader.start()
    return reader


@pytest.mark.parametrize("name", tiered(CLIPS, LEAN))
def test_a_single_client_receives_frames_in_place(engine, name):
    path = clip(f"software/{name}")
    with engine.session(path) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        seen = [picture.md5() for picture in frames]
        assert seen == framemd5(path) and frames.dropped == 0
        in_place, copied = wait_for_counts(engine, session, len(seen) - 1)
    # For more than 8 bits the slots turn out to be too small: frames that are decoded before larger slots exist are
    # copied.
    assert copied == 0 if "prores" not in name and "hi10" not in name else copied < len(seen) / 2
    assert in_place > 0


@pytest.mark.parametrize("name", tiered(CLIPS, {"mpeg2.ts"}))
def test_two_clients_receive_copies(engine, name):
    path = clip(f"software/{name}")
    seen = [], []
    with engine.session(path) as session, contextlib.ExitStack() as stack:
        rings = [stack.enter_context(attached_frames(engine, session.id)) for _ in seen]
        play(engine, session)
        for reader in [collect(frames, into) for frames, into in zip(rings, seen)]:
            reader.join(PATIENCE)
        in_place, copied = wait_for_counts(engine, session, 2 * len(seen[0]) - 2)
    assert seen[0] == seen[1] == framemd5(path)
    # Only frames that were decoded before the second front-end attached are in place.
    assert in_place < len(seen[0]) / 2 and copied > len(seen[0])


@pytest.mark.parametrize("form, in_place", [
    (frames_pb2.FRAME_FORMAT_I420, True), (frames_pb2.FRAME_FORMAT_NV12, False),
])
def test_only_the_native_format_is_decoded_in_place(engine, form, in_place):
    with engine.session(clip("software/mpeg2.ts")) as session, attached_frames(engine, session.id, format=form) as frames:
        play(engine, session)
        number = sum(1 for _ in frames)
        assert number == 150
        assert 0 == wait_for_counts(engine, session, number - 1)[in_place]


@pytest.mark.parametrize("name", tiered(["mpeg2.ts", "vp8.webm", "mpeg4.mkv", "qtrle.mov", "mjpeg.avi", "hi10.mkv"], {"qtrle.mov"}))
def test_held_frames_never_change(engine, name):
    """Every frame is held. Whenever six are held, all are compared, and one of them, drawn at random, is released."""
    chance = random.Random(name)
    path = clip(f"software/{name}")
    expected, held, done = framemd5(path), [], 0
    with engine.session(path) as session, attached_frames(engine, session.id, slots=6) as frames:
        play(engine, session)
        while done < len(expected):
            frames.ask()
            picture = frames.first(done)
            if not picture or picture.sequence != done + 1:
                frames.receive()
                continue
            done = picture.sequence
            held.append(picture)
            assert len(list(frames.slots())) <= 6
            if len(held) > 5:
                assert [each.md5() for each in held] == [expected[each.sequence - 1] for each in held]
                frames.release(held.pop(chance.randrange(len(held))))
        assert frames.dropped == 0


def seek(engine, session, seconds):
    engine.stub.Seek(
        engine_pb2.SeekRequest(session_id=session.id, position_us=int(seconds * 1e6)), timeout=PATIENCE)


@pytest.mark.parametrize("name", tiered(["mpeg2.ts", "hi10.mkv", "qtrle.mov"], {"qtrle.mov"}))
def test_held_frames_stay_valid_across_seeks(engine, name):
    chance = random.Random(name)
    path = clip(f"software/{name}")
    expected = framemd5(path)
    with engine.session(path) as session, attached_frames(engine, session.id, slots=4) as frames:
        kept = None
        for _ in range(12):
            generation, done = frames.generation, frames.published
            seek(engine, session, chance.uniform(0, 5.5))
            play(engine, session)
            eventually(lambda: frames.generation != generation, "another generation")
            for _ in range(3):
                picture, end = None, time.monotonic() + PATIENCE
                while not picture:
                    assert time.monotonic() < end, "no picture of the new generation"
                    frames.ask()
                    for each in list(frames.slots()):
                        is_old = each.sequence <= done or each.generation != frames.generation
                        if is_old and (not kept or each.sequence != kept[0].sequence):
                            frames.release(each)
                    picture = min((each for each in frames.slots() if each.generation == frames.generation
                                   and each.sequence > done), key=lambda each: each.sequence, default=None)
                    if not picture:
                        frames.receive()
                done = picture.sequence
                assert picture.md5() in expected
            if kept:
                assert kept[0].md5() == kept[1]
                frames.release(kept[0])
            kept = picture, picture.md5()


def test_filters_are_applied_and_removed_mid_stream(engine):
    path = clip("software/mpeg2.ts")
    expected = framemd5(path)
    flipped = framemd5(path, "-vf", "hflip")
    with engine.session(path) as session, attached_frames(engine, session.id, slots=3) as frames:
        play(engine, session)
        seen = []
        for picture in frames:
            seen.append(picture.md5())
            if len(seen) == 30:
                engine.stub.AddFilter(filters_pb2.AddFilterRequest(
                    session_id=session.id, filter=filters_pb2.PictureFilter(name="hflip")), timeout=PATIENCE)
            if len(seen) == 80:
                engine.stub.ClearFilters(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        in_place, copied = wait_for_counts(engine, session, 149)
    assert len(seen) == 150 and seen[:30] == expected[:30] and seen[-20:] == expected[-20:]
    others = [number for number, digest in enumerate(seen) if digest != expected[number]]
    assert others == list(range(others[0], others[-1] + 1)) and len(others) > 10
    assert [seen[number] for number in others] == [flipped[number] for number in others]
    assert copied >= len(others) and in_place >= 50


@pytest.mark.long
def test_a_second_client_may_attach_and_detach(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        loop(engine, session)
        with attached_frames(engine, session.id, pace=REALTIME) as frames:
            def shown(number):
                """Releases pictures until this many more have been published."""
                target = frames.published + number
                while frames.published < target:
                    for picture in list(frames.slots()):
                        frames.release(picture)
                    frames.ask()
                    frames.receive()
            play(engine, session)
            for _ in range(3):
                before = counts(engine, session)[0]
                while counts(engine, session)[0] <= before:
                    shown(5)
                with attached_frames(engine, session.id, pace=REALTIME):
                    before = counts(engine, session)[1]
                    while counts(engine, session)[1] <= before:
                        shown(5)


CLIENT = """
import sys
sys.path.insert(0, sys.argv[1])
from frames import Frames
frames = Frames(bytes.fromhex(sys.argv[2]), sys.argv[3])
for picture in frames:
    print(picture.sequence, flush=True)
"""


@pytest.mark.long
def test_the_memory_of_a_killed_client_is_released(engine):
    """The memory is released even if the decoder was writing to it, and if no other front-end attaches afterwards."""
    with engine.session(clip("software/mpeg2.ts")) as session:
        loop(engine, session)
        play(engine, session)
        descriptors = None
        for _ in range(4):
            answer = frames_ticket(engine, session.id)
            client = subprocess.Popen(
                [sys.executable, "-c", CLIENT, ROOT / "examples" / "python", answer.ticket.hex(), answer.socket_path],
                stdout=subprocess.PIPE)
            for _ in range(40):
                assert client.stdout.readline()
            client.send_signal(signal.SIGKILL)
            client.wait()
            client.stdout.close()
            eventually(lambda: engine.mapped_frames() == 0, "the memory to be released")
            if descriptors is None:
                descriptors = engine.descriptors()
        eventually(lambda: engine.descriptors() <= descriptors, "the descriptors to be closed")
        eventually(lambda: counts(engine, session)[0] > 0, "pictures in place to be counted")
