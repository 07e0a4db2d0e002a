# SPDX-License-Identifier: Apache-2.0
"""Decoding whole files to frames that are discarded, compared with ffmpeg and dav1d."""

import os

import compare
from films import SCRATCH, ffmpeg
from harness.places import ROOT

SECONDS, RATE = 60, 30
VIDEO = ("-f", "lavfi", "-i", f"testsrc2=size=1920x1080:rate={RATE}:duration={SECONDS},noise=alls=12:allf=t")
CODINGS = {
    "H.264": ("mkv", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-b:v", "8M"),
    "HEVC": ("mkv", "-pix_fmt", "yuv420p", "-c:v", "libx265", "-preset", "ultrafast", "-b:v", "6M", "-x265-params",
             "log-level=none"),
    "MPEG-2": ("mkv", "-pix_fmt", "yuv420p", "-c:v", "mpeg2video", "-bf", "2", "-b:v", "15M"),
    "VP9": ("mkv", "-pix_fmt", "yuv420p", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1",
            "-b:v", "6M"),
    "AV1": ("ivf", "-pix_fmt", "yuv420p", "-c:v", "libsvtav1", "-preset", "12", "-b:v", "6M"),
}
BENCH = ROOT / ".build" / "release" / "decode-bench"


def film(name):
    suffix, *coding = CODINGS[name]
    path = SCRATCH / f"decode-{name}.{suffix}"
    if not path.exists():
        print(f"making {path}", flush=True)
        part = path.with_name(f"part-{path.name}")
        ffmpeg(*VIDEO, *coding, part)
        part.rename(path)
    path.read_bytes()
    return path


def add(table, name, path, peer, *command):
    frames = SECONDS * RATE
    ours, theirs = compare.in_turns(lambda _: compare.of_program(BENCH, path), lambda _: compare.of_program(*command))
    table.add(f"decoding {name} 1080p", frames / ours.wall, frames / theirs.wall, "fps", "≥ 0.95 ×", peer,
              more_is_better=True)
    table.add(f"decoding {name} 1080p, CPU of a frame", ours.cpu / frames * 1e3, theirs.cpu / frames * 1e3, "ms",
              "", peer)


def measure(table):
    cores = os.cpu_count()
    for name in CODINGS:
        path = film(name)
        add(table, name, path, "ffmpeg -f null", "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-f",
            "null", "-")
        if name == "AV1":
            add(table, name, path, "dav1d", "dav1d", "-q", "-i", path, "--muxer", "null", "-o", "/dev/null", "--threads", cores)
