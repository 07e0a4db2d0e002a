# SPDX-License-Identifier: Apache-2.0
"""Playing 1080p60 in real time to a front-end that takes each frame and does nothing with it, compared with mpv --vo=null."""

import os
import pathlib
import subprocess
import time

import compare
from films import SCRATCH, ffmpeg
from harness.contract import engine_pb2, frames_pb2
from harness.engine import PATIENCE, Engine
from harness.frames import attached_frames

SECONDS, RATE = 10, 60
ROUNDS = range(3)
VIDEO = ("-f", "lavfi", "-i", f"testsrc2=size=1920x1080:rate={RATE}:duration={SECONDS}")
CODINGS = {
    "H.264": ("-c:v", "libx264", "-preset", "veryfast", "-b:v", "8M"),
    "AV1": ("-c:v", "libsvtav1", "-preset", "12", "-b:v", "6M"),
}


def film(name):
    path = SCRATCH / f"realtime-{name}.mkv"
    if not path.exists():
        print(f"making {path}", flush=True)
        part = path.with_name(f"part-{path.name}")
        ffmpeg(*VIDEO, "-pix_fmt", "yuv420p", *CODINGS[name], part)
        part.rename(path)
    path.read_bytes()
    return path


def show(frames):
    """Takes the frame that is due, sixty times a second. Returns the number of different frames."""
    seen, shown = 0, None
    end = time.monotonic() + PATIENCE
    while not (frames.has_ended and shown and shown.sequence == frames.published) and time.monotonic() < end:
        clock = frames.clock()
        if clock and clock[3] == frames.generation:
            position, rate, moment, _ = clock
            newest = frames.newest(position + int((time.monotonic_ns() - moment) / 1000 * rate), shown)
            if newest and (not shown or newest.sequence != shown.sequence):
                seen, shown = seen + 1, newest
        time.sleep(1 / RATE)
    return seen


def peak(pid):
    """The peak resident memory in megabytes."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def ours(engine, path):
    with engine.session(path) as session, \
            attached_frames(engine, session.id, pace=frames_pb2.FRAME_PACE_REALTIME) as frames:
        used = compare.cpu_seconds(engine.pid)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        seen = show(frames)
        return compare.cpu_seconds(engine.pid) - used, seen, peak(engine.pid)


def theirs(path):
    process = subprocess.Popen(["mpv", "--no-config", "--vo=null", "--ao=null", "--hwdec=no", "--no-terminal", path],
                               stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"mpv ended with {process.returncode}"
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(table, folder):
    for name in CODINGS:
        path = film(name)
        engine = Engine(folder / f"realtime-{name}")
        try:
            (cpu, seen, memory), (peer_cpu, peer_memory) = compare.in_turns(
                lambda _: ours(engine, path), lambda _: theirs(path), ROUNDS)
        finally:
            engine.end()
        print(f"  {name}: {seen:.0f} of {SECONDS * RATE} frames were seen", flush=True)
        table.add(f"playing {name} 1080p60, CPU", cpu / SECONDS * 100, peer_cpu / SECONDS * 100, "% of a core", "≈ 1 ×",
                  "mpv --vo=null")
        table.add(f"playing {name} 1080p60, memory at most", memory, peer_memory, "MB", "", "mpv --vo=null")
