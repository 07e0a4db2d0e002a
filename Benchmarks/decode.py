# SPDX-License-Identifier: Apache-2.0
"""Decoding whole films to pictures that nobody looks at, beside ffmpeg and dav1d doing the same."""

import os
import subprocess

from films import SCRATCH, ffmpeg
from harness.places import ROOT
from media import clock, median

SECONDS = 20
PICTURE = ("-f", "lavfi", "-i", f"testsrc2=size=1920x1080:rate=30:duration={SECONDS},noise=alls=12:allf=t")
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
        ffmpeg(*PICTURE, *coding, part)
        part.rename(path)
    path.read_bytes()
    return path


def rate(*command):
    """Pictures in a second."""
    pictures = SECONDS * 30
    return median(lambda _: pictures / clock(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)))


def measure(table):
    for name in CODINGS:
        path = film(name)
        engine = rate(BENCH, path)
        peer = rate("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-f", "null", "-")
        table.add(f"decoding {name} 1080p", engine, peer, "fps", "≥ 0.95 ×", "ffmpeg -f null", more_is_better=True)
        if name == "AV1":
            cores = str(os.cpu_count())
            peer = rate("dav1d", "-q", "-i", path, "--muxer", "null", "-o", "/dev/null", "--threads", cores)
            table.add(f"decoding {name} 1080p", engine, peer, "fps", "≥ 0.95 ×", "dav1d", more_is_better=True)
