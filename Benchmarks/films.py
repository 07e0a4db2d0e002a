# SPDX-License-Identifier: Apache-2.0
"""The generated sources: 20 seconds of 1080p at about 9.6 Mb/s with a keyframe every 4 seconds, repeated."""

import os
import pathlib
import shutil
import subprocess
import sys

SCRATCH = pathlib.Path(os.environ.get("BENCH_DIR", "/var/tmp/engine-bench"))
SECONDS = int(os.environ.get("BENCH_SECONDS", "7200"))
BYTES_PER_SECOND = 1_200_000


def ffmpeg(*arguments):
    # The AV1 encoder has its own log level.
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True,
                   env={**os.environ, "SVT_LOG": "1"})


def base():
    """Twenty seconds, which the other sources repeat."""
    path = SCRATCH / "base.mp4"
    if not path.exists():
        print("making 20 seconds of film", flush=True)
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=24", "-f", "lavfi", "-i", "sine=440:r=48000", "-t", 20,
               "-c:v", "libx264", "-preset", "ultrafast", "-crf", 28, "-g", 96, "-keyint_min", 24, "-pix_fmt", "yuv420p",
               "-c:a", "aac", path)
    return path


def hevc():
    """Five minutes of the same video as HEVC, with frames to which no other frame refers."""
    path, part = SCRATCH / "hevc-300.mkv", SCRATCH / "part-hevc.mp4"
    if not path.exists():
        print(f"making {path}", flush=True)
        ffmpeg("-i", base(), "-c:v", "libx265", "-preset", "superfast", "-b:v", "4M", "-x265-params",
               "log-level=none:keyint=96:bframes=3:open-gop=0", "-c:a", "copy", part)
        ffmpeg("-stream_loop", 14, "-i", part, "-c", "copy", path.with_name("part-hevc.mkv"))
        path.with_name("part-hevc.mkv").rename(path)
        part.unlink()
    return path


def films():
    found = {kind: SCRATCH / f"film-{SECONDS}.{kind}" for kind in ("mkv", "mp4")}
    missing = [path for path in found.values() if not path.exists()]
    needed = len(missing) * SECONDS * BYTES_PER_SECOND * 1.2
    if shutil.disk_usage(SCRATCH).free < needed:
        sys.exit(f"bench: {needed / 1e9:.0f} GB are needed in {SCRATCH}; set BENCH_DIR or a smaller BENCH_SECONDS")
    for path in missing:
        print(f"making {path}", flush=True)
        part = path.with_name(f"part-{path.name}")
        ffmpeg("-stream_loop", max(SECONDS // 20 - 1, 0), "-i", base(), "-c", "copy", part)
        part.rename(path)
    for path in found.values():
        # Loads the file into the page cache, so that the speed of the disk does not matter.
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 24):
                pass
    return found
