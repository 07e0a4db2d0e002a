# SPDX-License-Identifier: Apache-2.0
"""The cost of handing a frame to another process, compared with copying the same number of bytes once."""

import contextlib
import ctypes
import pathlib
import statistics
import time

from compare import in_turns
from films import SCRATCH, ffmpeg
from harness.contract import engine_pb2, frames_pb2
from harness.engine import PATIENCE
from harness.frames import attached_frames

SECONDS = 10
LARGE_SECONDS = 3
FRAME = 1920 * 1080 * 3 // 2
SOURCE = frames_pb2.FRAME_FORMAT_SOURCE
# If the front-end wants every slot of a ring, no slot is lent to the decoder, and frames are copied.
FORMATS = [
    ("as decoded, in place", dict(format=SOURCE), "≤ 1 ms"), ("as decoded, copied", dict(format=SOURCE, slots=32), ""),
    ("NV12", dict(format=frames_pb2.FRAME_FORMAT_NV12), ""), ("P010", dict(format=frames_pb2.FRAME_FORMAT_P010), ""),
    ("RGBA", dict(format=frames_pb2.FRAME_FORMAT_RGBA8), "≤ 6 ms"),
    ("half floats, linear P3", dict(format=frames_pb2.FRAME_FORMAT_RGBA_HALF), "≤ 6 ms"),
]
FOR_DISPLAYS = FORMATS[-2:]


def film(size="1920x1080", seconds=SECONDS):
    """A source that is cheap to decode, so that the cost of handing out frames is visible."""
    path = SCRATCH / (f"frames-{seconds}.mkv" if size == "1920x1080" else f"frames-{size}-{seconds}.mkv")
    if not path.exists():
        print(f"making {path}", flush=True)
        part = path.with_name(f"part-{path.name}")
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=30:duration={seconds}", "-pix_fmt", "yuv420p", "-c:v",
               "mpeg2video", "-q:v", 4, "-g", 30, "-bf", 2, part)
        part.rename(path)
    return path


def thread_seconds(engine):
    """CPU time of the threads that put frames into rings."""
    spent = 0
    for task in pathlib.Path(f"/proc/{engine.pid}/task").iterdir():
        with contextlib.suppress(OSError):
            if (task / "comm").read_text().strip().startswith("frames"):
                spent += int((task / "schedstat").read_text().split()[0]) / 1e9
    return spent


def handed(engine, path, wish):
    """Seconds of CPU per frame; frames are taken as fast as they are decoded."""
    with engine.session(path) as session, attached_frames(engine, session.id, **wish) as frames:
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        count = sum(1 for _ in frames)
        return thread_seconds(engine) / count


def copied():
    """Seconds of CPU to copy the bytes of one frame once, from memory to memory."""
    source, target = (ctypes.create_string_buffer(FRAME * 8) for _ in range(2))
    ctypes.memmove(target, source, FRAME * 8)
    start, times = time.thread_time(), 10
    for _ in range(times):
        ctypes.memmove(target, source, FRAME * 8)
    return (time.thread_time() - start) / times / 8


def measure(table, engine):
    path = film()
    for name, wish, target in FORMATS:
        ours, theirs = in_turns(lambda _, wish=wish: handed(engine, path, wish), lambda _: copied(), range(3))
        is_copy = wish["format"] == SOURCE
        table.add(f"frame of 1080p handed out: {name}", ours * 1000, theirs * 1000 if is_copy else None, "ms CPU", target,
                  "memcpy" if is_copy else "")
    path = film("3840x2160", LARGE_SECONDS)
    for name, wish, _ in FOR_DISPLAYS:
        ours = statistics.median(handed(engine, path, wish) for _ in range(3))
        table.add(f"frame of 2160p handed out: {name}", ours * 1000, None, "ms CPU", "")
