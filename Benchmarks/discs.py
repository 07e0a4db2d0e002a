# SPDX-License-Identifier: Apache-2.0
"""Titles of two hours on a Blu-ray disc and on a DVD: from an image on the disk and on a server behind a link of 50 ms, compared
with ffmpeg and mpv."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import films
import network
from compare import in_turns
from harness import bluray, dvd, hls, udf
from harness.engine import eventually
from media import until_first

SECONDS = 7200
FOLDER = films.SCRATCH / "discs"
HALF = SECONDS // 2
READ = re.compile(r"pread64\(\d+<([^>]*)>, .*, \d+, (\d+)\) += (\d+)")
# Reads that are closer to each other, in bytes, are one place.
NEAR = 64 << 10
# The most places that may be read: those of the disc's own files, of the start of the title, and of the sample that
# verifies the plan, which has 96 entry points (Blu-ray) or one unit of each segment (DVD: eight units of 0.48 s).
PLACES = {"Blu-ray": "≤ 120", "DVD": f"≤ {int(SECONDS / (8 * 0.48)) + 24}"}


def made():
    """Makes the images, and folders with the same content for the peers: a Blu-ray disc with two clips of an hour, an entry point
    each second, and a DVD with a title in several files. About 1 Mbit/s each."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    blu, folder = FOLDER / "bluray.iso", FOLDER / "bluray"
    if not blu.exists():
        print("making a Blu-ray disc of two hours", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        base = FOLDER / "base.mkv"
        films.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=640x360:r=24", "-f", "lavfi", "-i", "sine=440:r=48000", "-t", 60, "-c:v", "libx264",
                     "-preset", "ultrafast", "-b:v", "800k", "-maxrate", "800k", "-bufsize", "800k", "-g", 24, "-keyint_min", 24, "-pix_fmt",
                     "yuv420p", "-c:a", "ac3", "-b:a", "192k", "-ac", 2, base)
        disc = bluray.Disc(folder)
        for number in range(2):
            part = FOLDER / "part.m2ts"
            bluray.encode(part, ["-stream_loop", str(HALF // 60 - 1), "-i", str(base)], "-c", "copy", "-t", str(HALF),
                          offset=10 + 2 * HALF * number)
            disc.add_clip(part, ["eng"])
            part.unlink()
        disc.add_title(*disc.clips.values(), chapters=range(0, SECONDS, 600))
        disc.write()
        base.unlink()
        udf.image(FOLDER / "part.iso", folder, largest=1 << 29).rename(blu)
    plain, root = FOLDER / "dvd.iso", FOLDER / "dvd"
    if not plain.exists():
        print("making a DVD of two hours", flush=True)
        shutil.rmtree(root, ignore_errors=True)
        base, film = FOLDER / "base.mpg", FOLDER / "film.mpg"
        dvd.film(base, "testsrc2", (440,), seconds=60)
        films.ffmpeg("-stream_loop", SECONDS // 60 - 1, "-i", base, "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "dvd", film)
        dvd.author(root, [[[(film, ",".join(str(at) for at in range(0, SECONDS, 600)))]]])
        base.unlink()
        film.unlink()
        subprocess.run(["genisoimage", "-quiet", "-dvd-video", "-udf", "-o", FOLDER / "part.iso", root], check=True)
        (FOLDER / "part.iso").rename(plain)
    for path in FOLDER.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return blu, plain


def objects():
    """The joined files of the DVD's title, in ffmpeg's notation."""
    return "concat:" + "|".join(str(each) for each in sorted((FOLDER / "dvd" / "VIDEO_TS").glob("VTS_01_[1-9].VOB")))


def opened(engine, source):
    """The seconds until `Load` has returned, and until the plan is complete, and the number of bytes read until then."""
    before = read_bytes(engine)
    start = time.perf_counter()
    session = engine.load(source)
    seconds = whole = time.perf_counter() - start
    assert session.state.production.plan_origin == "index"
    assert abs(session.state.duration_us / 1e6 - SECONDS) < 2, session.state.duration_us
    if not session.state.production.plan_complete:
        eventually(lambda: engine.state(session.id).production.plan_complete, "the plan")
        whole = time.perf_counter() - start
    count = read_bytes(engine) - before
    session.stop()
    return seconds, whole, count


def planned(engine, source):
    """The seconds until `Load` has returned a session whose plan is complete, and the number of bytes read for that."""
    seconds, whole, count = opened(engine, source)
    assert whole == seconds
    return seconds, count


def read_bytes(engine):
    """The bytes that the engine has read with system calls so far."""
    lines = pathlib.Path(f"/proc/{engine.pid}/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("rchar")).split()[1])


def places_read(engine, source):
    """The number of places in an image that are read until the plan is complete: the disc's own files, the start of the title, and the
    sample of media that verifies the plan or, on a DVD, has the times of its boundaries."""
    with tempfile.TemporaryDirectory(prefix="engine-bench-") as folder:
        log = pathlib.Path(folder) / "log"
        tracer = subprocess.Popen(["strace", "-f", "-q", "-y", "-s", "0", "-e", "trace=pread64", "-e", "signal=none", "-o", log, "-p",
                                   str(engine.pid)])
        try:
            eventually(lambda: all(is_traced(task) for task in pathlib.Path(f"/proc/{engine.pid}/task").iterdir()), "strace to attach")
            planned(engine, source)
        finally:
            tracer.terminate()
            tracer.wait()
        found = [READ.search(line) for line in log.read_text().splitlines()]
    reads = sorted((int(each[2]), int(each[3])) for each in found if each and each[1] == str(source))
    assert reads, "no read was traced"
    places, end = 0, -NEAR - 1
    for offset, count in reads:
        places += offset - end > NEAR
        end = max(end, offset + count)
    return places


def is_traced(task):
    return "TracerPid:\t0\n" not in (task / "status").read_text()


def first_segment(engine, source):
    start = time.perf_counter()
    with engine.session(source) as session:
        playlist = hls.Media(session.master().variants[0][1])
        hls.fetch(playlist.init)
        hls.fetch(playlist.segments[0].url)
        return time.perf_counter() - start


def ffmpeg_first(source, *before, through=()):
    """The seconds from the start of ffmpeg until its first segment is complete."""
    return until_first(lambda folder: [
        *through, "ffmpeg", "-nostdin", "-v", "fatal", *before, "-i", source, "-map", "0:v:0", "-map", "0:a:0", "-c", "copy", "-f", "hls",
        "-hls_time", "4", "-hls_list_size", "0", "-hls_flags", "temp_file", "-hls_segment_filename", f"{folder}/s%05d.ts",
        f"{folder}/i.m3u8"], "s00000.ts")


def mpv_begins(*arguments, through=()):
    """The seconds from the start of mpv until playback begins."""
    start = time.perf_counter()
    with network.playing("--pause", *arguments, through=through) as control:
        network.await_event(control, "playback-restart")
        return time.perf_counter() - start


def measure_local(table, engine, blu, plain):
    rows = (("Blu-ray", blu, ("ffmpeg bluray:", f"bluray:{blu}"), ("mpv bd://", "bd://", f"--bluray-device={blu}")),
            ("DVD", plain, ("ffmpeg concat:", objects()), ("mpv dvd://", "dvd://", f"--dvd-device={plain}")))
    for kind, image, (ffmpeg, source), (mpv, *options) in rows:
        planned(engine, image)
        (seconds, count), peer = in_turns(lambda _: planned(engine, image), lambda _: ffmpeg_first(source))
        what = f"{kind} of 2 h: open, plan complete"
        table.add(what, seconds * 1e3, peer * 1e3, "ms", "≤ 30", f"{ffmpeg}, first segment")
        seconds, peer = in_turns(lambda _: planned(engine, image)[0], lambda _: mpv_begins(*options))
        table.add(what, seconds * 1e3, peer * 1e3, "ms", "≤ 30", f"{mpv}, playback begins")
        table.add(f"{kind} of 2 h: places read to open", places_read(engine, image), None, "places", PLACES[kind])
        table.add(f"{kind} of 2 h: bytes read to open", count / 1e6, os.stat(image).st_size / 1e6, "MB", "—", "the image")
    seconds, peer = in_turns(lambda _: first_segment(engine, blu), lambda _: ffmpeg_first(f"bluray:{blu}"))
    table.add("Blu-ray of 2 h: open → first segment", seconds * 1e3, peer * 1e3, "ms", "—", "ffmpeg bluray:")


def cold(here, name):
    """The seconds until an engine without a cache has opened an image, and until its plan is complete."""
    with here.cold() as engine:
        return opened(engine, here.url(name))[:2]


def sent_to_open(here, name):
    """The number of bytes that the server has sent when an image is open. They include those that are requested ahead."""
    before = here.server.bytes_sent()
    with here.cold() as engine:
        session = engine.load(here.url(name))
        session.stop()
    return here.server.bytes_sent() - before


def measure_remote(table):
    with network.link(folder=FOLDER) as here:
        for kind, name, first in (("Blu-ray", "bluray.iso", "bluray/BDMV/STREAM/00000.m2ts"), ("DVD", "dvd.iso", "dvd/VIDEO_TS/VTS_01_1.VOB")):
            # The peers read no images from servers, only the first file of the title.
            source = here.url(first)
            peers = ("ffmpeg, first file, first segment", "mpv, first file, playback begins")
            through = here.line.near.through()
            (seconds, whole), peer = in_turns(lambda _: cold(here, name), lambda _: ffmpeg_first(source, through=through), range(3))
            what = f"{kind} of 2 h over HTTP: open"
            table.add(what, seconds * 1e3, peer * 1e3, "ms", "≤ 1000", peers[0])
            (seconds, _), peer = in_turns(lambda _: cold(here, name), lambda _: mpv_begins(source, through=through), range(3))
            table.add(what, seconds * 1e3, peer * 1e3, "ms", "≤ 1000", peers[1])
            table.add(f"{kind} of 2 h over HTTP: plan complete", whole * 1e3, None, "ms", "—")
            table.add(f"{kind} of 2 h over HTTP: sent to open", sent_to_open(here, name) / 1e6, None, "MB", "—")


def measure(table, engine):
    blu, plain = made()
    measure_local(table, engine, blu, plain)
    measure_remote(table)
