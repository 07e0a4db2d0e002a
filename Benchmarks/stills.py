# SPDX-License-Identifier: Apache-2.0
"""Thumbnails and snapshots at random times, compared with ffmpegthumbnailer and ffmpeg, which are started for each of them."""

import os
import random

import compare
import films as made
from harness.contract import stills_pb2
from harness.engine import PATIENCE
from media import MEMORY

COUNT = int(os.environ.get("BENCH_STILLS", "100"))
PICTURE = MEMORY / "engine-bench-still.jpg"


def moments(seconds, seed):
    draw = random.Random(seed)
    return [draw.uniform(0, seconds - 2) for _ in range(COUNT)]


def thumbnailer(path, moment):
    hours, rest = divmod(int(moment), 3600)
    return compare.of_program("ffmpegthumbnailer", "-i", path, "-o", PICTURE, "-s", 320,
                              "-t", f"{hours:02}:{rest // 60:02}:{rest % 60:02}")


def exact(path, moment):
    return compare.of_program("ffmpeg", "-nostdin", "-y", "-ss", f"{moment:.3f}", "-i", path, "-frames:v", 1, "-q:v", 2,
                              PICTURE)


def subjects(films, seconds):
    yield from ((kind, path, seconds) for kind, path in films.items())
    yield "hevc", made.hevc(), 300


def measure(table, engine, films, seconds):
    stub = engine.stub
    rows = [
        ("keyframe thumbnail", stub.Thumbnail, stills_pb2.ThumbnailRequest, thumbnailer, "ffmpegthumbnailer", "≤ 20 ms"),
        ("exact snapshot", stub.Snapshot, stills_pb2.SnapshotRequest, exact, "ffmpeg -ss", "≤ 80 ms"),
    ]
    for kind, path, length in subjects(films, seconds):
        source = stills_pb2.StillSource(source=str(path))
        for seed, (what, method, request, peer, name, target) in enumerate(rows):
            def ask(moment):
                return method(request(of=source, time_us=int(moment * 1e6)), timeout=PATIENCE)

            # Opens the source beforehand, as it is open in a front-end that requests many stills.
            ask(0)
            ours, theirs = compare.in_turns(lambda moment: compare.of_process(engine.pid, lambda: ask(moment)),
                                            lambda moment: peer(path, moment), moments(length, seed))
            table.add(f"{what} ({kind.upper()})", ours.wall * 1e3, theirs.wall * 1e3, "ms", target, name)
            table.add(f"{what} ({kind.upper()}), CPU", ours.cpu * 1e3, theirs.cpu * 1e3, "ms", "", name)
    PICTURE.unlink(missing_ok=True)
