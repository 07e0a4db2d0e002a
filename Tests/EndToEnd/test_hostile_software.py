# SPDX-License-Identifier: Apache-2.0
"""Films of the software path, damaged in various ways: they play to the end or fail with a typed error, in bounded
memory, and the engine survives."""

import random
import re
import socket
import threading

import grpc
import pytest
from harness.contract import state_pb2
from harness.engine import eventually
from harness.frames import Ended, attached_frames, play
from harness.places import clip
from harness.tiers import tiered

FILMS = ["mpeg2.ts", "mpeg2.mpg", "mpeg2.m2v", "interlaced.ts", "xvid.avi", "mpeg4.mkv", "vp8.webm", "theora.ogv", "wmv2.asf",
         "mjpeg.avi", "prores.mov", "qtrle.mov", "h263.3gp", "../vc1/advanced.ts", "../vc1/advanced.mkv", "../vc1/sound.wmv",
         "../vc1/fields.mp4", "../vc1/main.avi"]
# The memory that the engine may keep after a film, in addition to that of decoders and their threads.
MEMORY = 700 << 20


def flipped(film, noise):
    for _ in range(len(film) // 2000):
        film[noise.randrange(len(film))] ^= 1 << noise.randrange(8)


def scattered(film, noise):
    """Replaces many bytes after the first part, so that the file opens."""
    for _ in range(len(film) // 500):
        film[noise.randrange(len(film) // 8, len(film))] = noise.randrange(256)


def zeroed(film, noise):
    for _ in range(6):
        start = noise.randrange(len(film) // 16, len(film))
        end = min(len(film), start + noise.randrange(1, 20_000))
        film[start:end] = bytes(end - start)


def cut(film, noise):
    del film[noise.randrange(len(film) // 4, len(film)):]


def without_pieces(film, noise):
    """Removes pieces of the file, so that stored offsets of later positions become wrong."""
    for _ in range(5):
        start = noise.randrange(len(film) // 8, len(film))
        del film[start:start + noise.choice((1, 188, 1000, 8192))]


def repeated(film, noise):
    for _ in range(5):
        start = noise.randrange(len(film) // 8, len(film))
        piece = film[start:start + noise.choice((188, 1880, 16384))]
        film[start:start] = piece


def headless(film, noise):
    """Replaces the first frames, including a keyframe, with garbage."""
    start = len(film) // 16
    film[start:start + len(film) // 4] = noise.randbytes(len(film) // 4)


def mistimed(film, noise):
    """Replaces times and lengths in the container with extreme or random values."""
    wild = lambda size: noise.choice((bytes(size), b"\xff" * size, b"\x7f" + b"\xff" * (size - 1), noise.randbytes(size)))  # noqa: E731
    for mark, skipped, size in (
        (rb"\xe7[\x81-\x88]", 0, None), (rb"\x9b[\x81-\x88]", 0, None),  # Timestamp and BlockDuration of Matroska
        (rb"\x44\x89\x88", 0, 8),  # Duration
        (rb"stts", 8, 8), (rb"ctts", 8, 8), (rb"mdhd", 12, 8), (rb"elst", 8, 12),
        (rb"\x00\x00\x01[\xc0\xe0\xbd]..[\x80-\x8f][\x80\xc0]", 1, 5),  # a PES packet with its time
    ):
        for found in list(re.finditer(mark, bytes(film), re.DOTALL)):
            count = size or film[found.end() - 1] & 15
            at = found.end() + skipped
            if noise.random() < 0.5 and at + count <= len(film):
                film[at:at + count] = wild(count)


DAMAGES = [flipped, scattered, zeroed, cut, without_pieces, repeated, headless, mistimed]


def damaged(name, damage):
    film = bytearray(clip(f"software/{name}").read_bytes())
    damage(film, random.Random(f"{name} {damage.__name__}"))
    return bytes(film)


def receive_all_frames(engine, session, frames):
    """Takes every frame until there are no more, and waits for the session to end. Returns their number."""
    play(engine, session)
    count = 0
    over = threading.Event()

    def end_after_an_error():
        # A session that fails sends no more messages: front-ends follow its state.
        eventually(lambda: over.is_set() or phase(engine, session) == state_pb2.PHASE_ERROR, "the end of the frames or an error")
        if not over.is_set():
            frames.socket.shutdown(socket.SHUT_RDWR)

    watcher = threading.Thread(target=end_after_an_error)
    watcher.start()
    try:
        for picture in frames:
            count += 1
            assert picture.width > 0 and picture.height > 0 and picture.duration_us > 0
    finally:
        over.set()
        watcher.join()
    eventually(lambda: phase(engine, session) in (state_pb2.PHASE_ENDED, state_pb2.PHASE_ERROR), "the end of playback")
    state = engine.state(session.id)
    if state.phase == state_pb2.PHASE_ERROR:
        assert state.error.code and state.error.message
    return count


def phase(engine, session):
    return engine.state(session.id).phase


CASES = [(name, damage) for name in FILMS for damage in DAMAGES]


def is_lean(case):
    """Each kind of damage at least once, in the films that are decoded fastest, and one in a program stream."""
    place = FILMS.index(case[0])
    return (place + DAMAGES.index(case[1])) % 8 == 0 and (place >= 8 or case[0] == "mpeg2.mpg")


@pytest.mark.parametrize("name, damage", tiered(CASES, is_lean), ids=lambda each: getattr(each, "__name__", each))
def test_damaged_films_play_or_give_typed_errors(engine, tmp_path, name, damage):
    path = tmp_path / name.rpartition("/")[2]
    path.write_bytes(damaged(name, damage))
    try:
        session = engine.load(path)
    except grpc.RpcError as refused:
        assert refused.details().split(":")[0] in ("source_not_media", "no_playable_stream", "source_read_failed"), refused
        assert engine.is_alive()
        return
    try:
        with attached_frames(engine, session.id) as frames:
            receive_all_frames(engine, session, frames)
    except Ended:
        assert engine.state(session.id).phase == state_pb2.PHASE_ERROR
    finally:
        assert engine.is_alive()
        session.stop()
    assert engine.own_bytes() < MEMORY, "memory is bounded"
