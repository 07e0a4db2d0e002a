# SPDX-License-Identifier: Apache-2.0
"""Opening, seeking, planning and remuxing, compared with ffmpeg."""

import http.client
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.parse

from compare import in_turns
from harness import hls

MEMORY = pathlib.Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else pathlib.Path(tempfile.gettempdir())
STRETCH = 1200


def clock(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


# The engine

def open_first(engine, path):
    def go():
        session = engine.load(path)
        sessions.append(session)
        media = hls.Media(session.master().variants[0][1])
        hls.fetch(media.init)
        hls.fetch(media.segments[0].url)
    sessions = []
    seconds = clock(go)
    sessions[0].stop()
    return seconds


def playlist(engine, path):
    sessions = []

    def go():
        sessions.append(engine.load(path))
        assert hls.Media(sessions[0].master().variants[0][1]).is_ended
    seconds = clock(go)
    sessions[0].stop()
    return seconds


def far_seek(engine, path, index):
    with engine.session(path) as session:
        media = hls.Media(session.master().variants[0][1])
        hls.fetch(media.segments[0].url)
        time.sleep(0.3)
        place = int(len(media.segments) * (0.5 + 0.08 * index))
        return clock(lambda: hls.fetch(media.segments[min(place, len(media.segments) - 1)].url))


class Reader:
    """Reads response bodies as fast as the socket delivers them, and discards them."""

    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
        self.buffer = bytearray(1 << 20)

    def take(self, url):
        self.connection.request("GET", urllib.parse.urlsplit(url).path)
        reply = self.connection.getresponse()
        assert reply.status == 200, reply.status
        count = 0
        while got := reply.readinto(self.buffer):
            count += got
        return count


def remux(engine, path):
    with engine.session(path) as session:
        master = session.master()
        lists = [hls.Media(url) for url in master.playlists()]
        order, reader = [], Reader(session.url)
        for media in lists:
            at = 0.0
            for segment in media.segments:
                if at >= STRETCH:
                    break
                order.append((at, segment.url))
                at += segment.duration
        order.sort()
        start = time.perf_counter()
        count = sum(reader.take(url) for _, url in order)
        seconds = time.perf_counter() - start
        return count / seconds / 1e6, engine.resident_bytes()


# The peer

def ffmpeg_hls(path, folder, *before, after=()):
    return ["ffmpeg", "-nostdin", "-v", "error", *map(str, before), "-i", str(path), "-map", "0:v:0", "-map", "0:a:0",
            "-c", "copy", "-copyts", *map(str, after), "-f", "hls", "-hls_time", "4", "-hls_list_size", "0",
            "-hls_segment_type", "fmp4", "-hls_flags", "temp_file", "-hls_segment_filename", f"{folder}/s%05d.m4s",
            f"{folder}/i.m3u8"]


def until_first(command, name="s00000.m4s", **options):
    """The seconds from the start of a program until its first segment is complete.

    :param command: makes the command from the folder for the segments.
    :param name: that of the first segment.
    """
    folder = pathlib.Path(tempfile.mkdtemp(dir=MEMORY, prefix="engine-bench-"))
    start = time.perf_counter()
    process = subprocess.Popen(command(folder), **options)
    try:
        while not (folder / name).exists():
            assert process.poll() in (None, 0), "ffmpeg failed"
            time.sleep(0.0005)
        return time.perf_counter() - start
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def ffmpeg_first(path, *before):
    return until_first(lambda folder: ffmpeg_hls(path, folder, *before))


def ffmpeg_rate(path):
    folder = pathlib.Path(tempfile.mkdtemp(dir=MEMORY, prefix="engine-bench-"))
    try:
        seconds = clock(lambda: subprocess.run(ffmpeg_hls(path, folder, after=("-t", STRETCH)), check=True))
        return sum(each.stat().st_size for each in folder.iterdir()) / seconds / 1e6
    finally:
        shutil.rmtree(folder)


def packet_walk(path):
    return clock(lambda: subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "V:0", "-show_entries", "packet=pts_time,flags",
         "-of", "csv=print_section=0", str(path)], stdout=subprocess.DEVNULL, check=True))


def measure(table, engine, films, seconds):
    for kind, path in films.items():
        name = kind.upper()
        open_first(engine, path)
        ours, theirs = in_turns(lambda _: open_first(engine, path), lambda _: ffmpeg_first(path))
        table.add(f"open → first segment, {name}", ours * 1e3, theirs * 1e3, "ms", "≤ 25", "ffmpeg -f hls")
        ours, theirs = in_turns(lambda index: far_seek(engine, path, index),
                                lambda index: ffmpeg_first(path, "-ss", seconds * (0.5 + 0.08 * index)))
        table.add(f"far seek → segment, {name}", ours * 1e3, theirs * 1e3, "ms", "≤ 10", "ffmpeg -ss")
        # Only two rounds, because the peer reads the whole source each time.
        ours, theirs = in_turns(lambda _: playlist(engine, path), lambda _: packet_walk(path), range(2))
        table.add(f"exact VOD playlist, {name}", ours * 1e3, theirs * 1e3, "ms", "≤ 20", "ffprobe packets")
        (rate, resident), peer = in_turns(lambda _: remux(engine, path), lambda _: ffmpeg_rate(path), range(2))
        table.add(f"remux rate, {name}", rate, peer, "MB/s", "≥ 500", "ffmpeg -f hls", more_is_better=True)
    return resident
