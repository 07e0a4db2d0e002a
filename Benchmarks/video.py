# SPDX-License-Identifier: Apache-2.0
"""Encoding video that the player does not decode, compared with ffmpeg with the same encoder and quality."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from compare import cpu_seconds, in_turns
from films import SCRATCH, base, ffmpeg
from harness import hls
from harness.contract import engine_pb2
from harness.engine import Engine
from media import MEMORY, Reader, clock, until_first
from realtime import peak

LENGTH = 60
ROUNDS = range(3)
TARGET = 4
# The AV1 encoder has its own log level.
QUIET = {**os.environ, "SVT_LOG": "1"}
# The settings that the engine chooses for 1280x720 at 24 frames per second (`VideoTarget`, `EncoderLibrary`).
ENCODERS = {
    "h264": ("-c:v", "libx264", "-preset", "veryfast", "-crf", "20"),
    "vp9": ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "7", "-crf", "26", "-b:v", "0", "-lag-in-frames", "0",
            "-frame-parallel", "0", "-tile-columns", "2"),
    "av1": ("-c:v", "libsvtav1", "-preset", "12", "-crf", "26"),
}


def film():
    """MPEG-2 with a keyframe every 2 seconds."""
    path = SCRATCH / "video.mkv"
    if not path.exists():
        print(f"making {path}", flush=True)
        part = path.with_name(f"part-{path.name}")
        ffmpeg("-stream_loop", LENGTH // 20 - 1, "-i", base(), "-vf", "scale=1280:720", "-c:v", "mpeg2video", "-q:v", "4", "-g", "48",
               "-bf", "2", "-sc_threshold", "1000000000", "-flags", "+cgop", "-c:a", "copy", "-t", LENGTH, part)
        part.rename(path)
    path.read_bytes()
    return path


def options(codec):
    return {"video_bridge": engine_pb2.VIDEO_BRIDGE_ALWAYS, "video_bridge_codec": codec, "segment_target_us": TARGET * 1_000_000}


def engine_rate(engine, path, codec):
    """Seconds of the source per second, and seconds of CPU. One client fetches every segment of the video in order."""
    used = cpu_seconds(engine.pid)
    with engine.session(path, **options(codec)) as session:
        reader = Reader(session.url)
        segments = hls.Media.complete(session.master().variants[0][1]).segments
        rate = LENGTH / clock(lambda: [reader.take(segment.url) for segment in segments])
        return rate, cpu_seconds(engine.pid) - used


def engine_open(engine, path, codec):
    sessions = []

    def go():
        sessions.append(engine.load(path, **options(codec)))
        media = hls.Media(sessions[0].master().variants[0][1])
        hls.fetch(media.init)
        hls.fetch(media.segments[0].url)
    seconds = clock(go)
    sessions[0].stop()
    return seconds


def engine_seek(engine, path, codec, index):
    with engine.session(path, **options(codec)) as session:
        media = hls.Media.complete(session.master().variants[0][1])
        hls.fetch(media.segments[0].url)
        place = len(media.segments) // 2 + 2 * index
        return clock(lambda: hls.fetch(media.segments[min(place, len(media.segments) - 1)].url))


def command(path, folder, codec, *before):
    return ["ffmpeg", "-nostdin", "-v", "error", *map(str, before), "-i", path, "-map", "0:v:0", *ENCODERS[codec], "-pix_fmt",
            "yuv420p", "-force_key_frames", f"expr:gte(t,n_forced*{TARGET})", "-f", "hls", "-hls_time", str(TARGET),
            "-hls_list_size", "0", "-hls_segment_type", "fmp4", "-hls_flags", "temp_file", "-hls_segment_filename",
            f"{folder}/s%05d.m4s", f"{folder}/i.m3u8"]


def ffmpeg_rate(path, codec):
    """Seconds of the source per second, seconds of CPU, and the peak resident memory in megabytes."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=MEMORY, prefix="engine-bench-"))
    try:
        start = time.perf_counter()
        process = subprocess.Popen(command(path, folder, codec), env=QUIET)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, f"ffmpeg ended with {process.returncode}"
        return LENGTH / seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    finally:
        shutil.rmtree(folder)


def ffmpeg_first(path, codec, *before):
    return until_first(lambda folder: command(path, folder, codec, *before), env=QUIET)


def measure(table, folder):
    path = film()
    for codec in ENCODERS:
        what, peer = f"MPEG-2 720p → {codec.upper()}", "ffmpeg -f hls"
        engine = Engine(folder / f"video-{codec}")
        try:
            ours, theirs = in_turns(lambda _: engine_open(engine, path, codec), lambda _: ffmpeg_first(path, codec), ROUNDS)
            table.add(f"{what}: open → first segment", ours * 1e3, theirs * 1e3, "ms", "≥ 2 ×", peer)
            ours, theirs = in_turns(lambda index: engine_seek(engine, path, codec, index),
                                    lambda index: ffmpeg_first(path, codec, "-ss", LENGTH / 2 + 2 * TARGET * index), ROUNDS)
            table.add(f"{what}: far seek → segment", ours * 1e3, theirs * 1e3, "ms", "≥ 3.3 ×", "ffmpeg -ss")
            (rate, cpu), (peer_rate, peer_cpu, peer_memory) = in_turns(
                lambda _: engine_rate(engine, path, codec), lambda _: ffmpeg_rate(path, codec), ROUNDS)
            table.add(f"{what}", rate, peer_rate, "× real time", "≥ 0.95 ×", peer, more_is_better=True)
            minute = 60 / LENGTH
            table.add(f"{what}, CPU of a minute", cpu * minute, peer_cpu * minute, "s", "", peer)
            table.add(f"{what}, memory at most", peak(engine.pid), peer_memory, "MB", "", peer)
        finally:
            engine.end()
