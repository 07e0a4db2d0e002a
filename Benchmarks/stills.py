# SPDX-License-Identifier: Apache-2.0
"""Random thumbnails and snapshots of the film, beside ffmpegthumbnailer and ffmpeg started for each."""

import os
import random
import statistics
import subprocess

import films as made
from harness.contract import stills_pb2
from harness.engine import PATIENCE
from media import MEMORY, clock

COUNT = int(os.environ.get("BENCH_STILLS", "100"))


def moments(seconds, seed):
    draw = random.Random(seed)
    return [draw.uniform(0, seconds - 2) for _ in range(COUNT)]


def engine_times(method, kind, path, seconds, seed):
    """Each in turn; the source is open, as it is for whoever scrubs."""
    source = stills_pb2.StillSource(source=str(path))
    method(kind(of=source, time_us=0), timeout=PATIENCE)
    return [
        clock(lambda: method(kind(of=source, time_us=int(moment * 1e6)), timeout=PATIENCE))
        for moment in moments(seconds, seed)
    ]


def run(*command):
    subprocess.run([str(each) for each in command], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def thumbnailer(path, moment):
    hours, rest = divmod(int(moment), 3600)
    run("ffmpegthumbnailer", "-i", path, "-o", MEMORY / "peer.jpg", "-s", 320,
        "-t", f"{hours:02}:{rest // 60:02}:{rest % 60:02}")


def exact(path, moment):
    run("ffmpeg", "-nostdin", "-y", "-ss", f"{moment:.3f}", "-i", path, "-frames:v", 1, "-q:v", 2, MEMORY / "peer.jpg")


def measure(table, engine, films, seconds):
    stub = engine.stub
    rows = [
        ("keyframe thumbnail", stub.Thumbnail, stills_pb2.ThumbnailRequest, thumbnailer, "ffmpegthumbnailer", "≤ 20 ms"),
        ("exact snapshot", stub.Snapshot, stills_pb2.SnapshotRequest, exact, "ffmpeg -ss", "≤ 80 ms"),
    ]
    for kind, path, seconds in [*((kind, path, seconds) for kind, path in films.items()), ("hevc", made.hevc(), 300)]:
        for seed, (what, method, request, peer, name, target) in enumerate(rows):
            ours = engine_times(method, request, path, seconds, seed)
            theirs = [clock(lambda: peer(path, moment)) for moment in moments(seconds, seed)]
            table.add(f"{what} ({kind.upper()})", statistics.median(ours) * 1e3, statistics.median(theirs) * 1e3, "ms",
                      target, name)
    (MEMORY / "peer.jpg").unlink(missing_ok=True)
