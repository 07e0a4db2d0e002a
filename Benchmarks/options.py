# SPDX-License-Identifier: Apache-2.0
"""Measures the engine and its peers in one run and prints one table; see Benchmarks/README.md."""

import argparse

PARTS = {
    "media": "opening, seeking and remuxing, beside ffmpeg and ffprobe",
    "bridge": "remuxing where the sound is encoded anew, beside ffmpeg",
    "stills": "thumbnails and snapshots, beside ffmpegthumbnailer and ffmpeg -ss",
    "decode": "decoding as fast as can be, beside ffmpeg -f null and dav1d",
    "realtime": "playing 1080p60 at its pace, beside mpv --vo=null",
    "frames": "what handing a picture to another process costs",
    "sync": "how far apart a front-end sees a flash and hears its beep",
    "http": "cached segments, beside nginx",
    "network": "sources on a server behind a link of 50 ms and 20 Mbit/s, beside ffmpeg and mpv (needs root)",
    "shares": "films on an SFTP and a WebDAV server behind a link of 50 ms, beside ffmpeg and mpv (needs root)",
    "ipc": "round trips and watchers on the control socket, beside mpv",
}
VARIABLES = {
    "BENCH_DIR": "where the films go, which are kept for the next run (/var/tmp/engine-bench)",
    "BENCH_SECONDS": "length of the film (7200, which takes 17 GB; 300 is a small run)",
    "BENCH_ROUNDS": "repetitions of which the median counts (5)",
    "BENCH_WATCHERS": "watchers on the control socket (1000)",
    "BENCH_STILLS": "thumbnails and snapshots of each film (100)",
}


def chosen(arguments=None):
    """The parts that the command line names, in the order in which they run; all if it names none."""
    notes = [f"  {name:15} {what}" for name, what in PARTS.items()], [f"  {name:15} {what}" for name, what in VARIABLES.items()]
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(["parts:", *notes[0], "", "environment (and its defaults):", *notes[1]]))
    parser.add_argument("--only", choices=PARTS, action="append", metavar="PART", help="measure this part; may be repeated")
    only = parser.parse_args(arguments).only
    return [part for part in PARTS if not only or part in only]


if __name__ == "__main__":
    chosen()
