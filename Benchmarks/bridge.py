# SPDX-License-Identifier: Apache-2.0
"""Remuxing video with bridged audio, compared with ffmpeg."""

import contextlib
import pathlib
import resource
import shutil
import subprocess
import tempfile

from compare import cpu_seconds, in_turns
from films import SCRATCH, SECONDS, base, ffmpeg
from harness import hls
from media import MEMORY, Reader, clock

LENGTH = min(600, SECONDS)
# The bit rate of six channels of DTS in surround mode, according to docs/formats.md: 128 kbit/s per channel.
ENCODER = ("-c:a", "eac3", "-b:a", "768k")


def film():
    """H.264 with DTS 5.1: the video of the other rows, and 20 seconds of audio, both repeated."""
    path = SCRATCH / f"bridge-{LENGTH}.mkv"
    if not path.exists():
        print(f"making {path}", flush=True)
        sound, part = SCRATCH / "bridge.dts", path.with_name(f"part-{path.name}")
        tones = "|".join(f"0.1*sin({each}*2*PI*t)+0.02*random({each})" for each in (300, 470, 640, 60, 810, 980))
        ffmpeg("-f", "lavfi", "-i", f"aevalsrc={tones}:channel_layout=5.1:sample_rate=48000:duration=20", "-c:a", "dca",
               "-strict", "-2", "-b:a", "1536k", sound)
        repeat = ("-stream_loop", max(LENGTH // 20 - 1, 0))
        ffmpeg(*repeat, "-i", base(), *repeat, "-i", sound, "-map", "0:v", "-map", "1:a", "-c", "copy",
               "-t", LENGTH, part)
        part.rename(path)
    path.read_bytes()
    return path


@contextlib.contextmanager
def busy_core():
    """Runs a program that keeps one core busy."""
    other = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def engine_rate(engine, path):
    """Seconds of the source per second, and seconds of CPU. One client fetches every video and audio segment in order."""
    used = cpu_seconds(engine.pid)
    with engine.session(path) as session:
        reader = Reader(session.url)
        found = []
        for url in session.master().playlists():
            at = 0.0
            for segment in hls.Media.complete(url).segments:
                found.append((at, segment.url))
                at += segment.duration
        found.sort()
        rate = LENGTH / clock(lambda: [reader.take(url) for _, url in found])
        return rate, cpu_seconds(engine.pid) - used


def ffmpeg_rate(path):
    folder = pathlib.Path(tempfile.mkdtemp(dir=MEMORY, prefix="engine-bench-"))
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-map", "0:a:0", "-c:v", "copy", *ENCODER,
               "-f", "hls", "-hls_time", "4", "-hls_list_size", "0", "-hls_segment_type", "fmp4",
               "-hls_segment_filename", f"{folder}/s%05d.m4s", f"{folder}/i.m3u8"]

    def used():
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    try:
        before = used()
        rate = LENGTH / clock(lambda: subprocess.run(command, check=True))
        return rate, used() - before
    finally:
        shutil.rmtree(folder)


def measure(table, engine):
    path = film()
    with engine.session(path) as session:
        sounds = [each for each in session.state.media.streams if each.HasField("audio")]
        assert [each.route for each in sounds] == ["bridge"], f"{sounds[0].route}: {sounds[0].route_reason}"
    what, peer = "remux with bridge, DTS 5.1 → E-AC-3", "ffmpeg -f hls"
    (ours, our_cpu), (theirs, their_cpu) = in_turns(lambda _: engine_rate(engine, path), lambda _: ffmpeg_rate(path))
    table.add(what, ours, theirs, "× real time", "≥ 1.5 ×", peer, more_is_better=True)
    minute = 60 / LENGTH * 1e3
    table.add(f"{what}, CPU of a minute", our_cpu * minute, their_cpu * minute, "ms", "", peer)
    with busy_core():
        (ours, _), (theirs, _) = in_turns(lambda _: engine_rate(engine, path), lambda _: ffmpeg_rate(path))
    table.add(f"{what}, beside a busy core", ours, theirs, "× real time", "≥ 1.5 ×", peer, more_is_better=True)
