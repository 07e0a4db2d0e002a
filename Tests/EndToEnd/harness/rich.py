# SPDX-License-Identifier: Apache-2.0
"""A film with as many bits per second as the richest discs have."""

import subprocess

SECONDS, BITS = 32, 92_000_000


def rich(film):
    """Makes a film of 92 Mbit/s with a keyframe every 2 s."""
    part = film.with_name("part.mkv")
    ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
    subprocess.run(
        [*ffmpeg, "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=24,noise=alls=60:allf=t", "-f", "lavfi", "-i", "sine=440:r=48000",
         "-t", "4", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", str(BITS), "-minrate", str(BITS), "-maxrate", str(BITS),
         "-bufsize", str(BITS // 2), "-g", "48", "-pix_fmt", "yuv420p", "-c:a", "aac", part], check=True)
    subprocess.run([*ffmpeg, "-stream_loop", str(SECONDS // 4 - 1), "-i", part, "-c", "copy", film], check=True)
    part.unlink()
    assert film.stat().st_size * 8 / SECONDS > 90_000_000
    return film
