# SPDX-License-Identifier: Apache-2.0
"""Measures the engine and comparable programs in one run, and prints one table; see Benchmarks/README.md."""

import argparse
import os
import pathlib

PARTS = {
    "media": "opening, seeking and remuxing, compared with ffmpeg and ffprobe",
    "bridge": "remuxing with bridged audio, compared with ffmpeg",
    "video": "encoding video segment by segment, compared with ffmpeg with the same encoder",
    "stills": "thumbnails and snapshots, compared with ffmpegthumbnailer and ffmpeg -ss",
    "decode": "decoding at full speed, compared with ffmpeg -f null and dav1d",
    "realtime": "playing 1080p60 in real time, compared with mpv --vo=null",
    "frames": "the cost of handing a frame to another process",
    "sync": "the time between a flash and its beep in a front-end",
    "http": "cached segments, compared with nginx",
    "live": "from the last byte of a frame of a live stream to the screen, compared with ffmpeg and GStreamer",
    "discs": "titles of two hours on a Blu-ray disc and a DVD, compared with ffmpeg and mpv (the rows over HTTP require root)",
    "live-hls": "live HLS sources whose bandwidth changes, compared with ffmpeg, mpv and GStreamer (requires root)",
    "network": "sources on a server behind a link of 50 ms and 20 Mbit/s, compared with ffmpeg and mpv (requires root)",
    "shares": "sources on SFTP, WebDAV, FTP, SMB and NFS servers, compared with ffmpeg, mpv and smbclient (requires root)",
    "ipc": "round trips and watchers on the control socket, compared with mpv",
}
VARIABLES = {
    "BENCH_DIR": "directory for the sources, which are kept for the next run (/var/tmp/engine-bench)",
    "BENCH_SECONDS": "length of the source in seconds (7200, which takes 17 GB; 300 is a small run)",
    "BENCH_ROUNDS": "repetitions, of which the median counts (5)",
    "BENCH_WATCHERS": "watchers on the control socket (1000)",
    "BENCH_OPTIONS": "options for the engines of most parts, such as --journal off (none)",
    "BENCH_STILLS": "thumbnails and snapshots of each source (100)",
}


def chosen(arguments=None):
    """The parts that the command line names, in the order in which they run (all if it names none), and the program of
    `--against`, or None.
    """
    notes = [f"  {name:15} {what}" for name, what in PARTS.items()], [f"  {name:15} {what}" for name, what in VARIABLES.items()]
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(["parts:", *notes[0], "", "environment (and its defaults):", *notes[1]]))
    parser.add_argument("--only", choices=PARTS, action="append", metavar="PART", help="measure only this part; may be repeated")
    parser.add_argument("--against", type=pathlib.Path, metavar="ENGINED",
                        help="instead, compare the engine with another build of it, in the rows that every change must keep")
    given = parser.parse_args(arguments)
    if given.against and given.only:
        parser.error("--against has its own rows")
    if given.against and not os.access(given.against, os.X_OK):
        parser.error(f"{given.against} is not a program")
    return [part for part in PARTS if not given.only or part in given.only], given.against


if __name__ == "__main__":
    chosen()
