# SPDX-License-Identifier: Apache-2.0
"""Measures the engine and its peers in one run and prints one table; see README.md."""

import os
import pathlib
import platform
import shlex
import shutil
import sys
import tempfile

os.environ["ENGINE_BUILD"] = "release"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "EndToEnd"))

import against  # noqa: E402
import bridge  # noqa: E402
import decode  # noqa: E402
import discs  # noqa: E402
import films  # noqa: E402
import handover  # noqa: E402
import ipc  # noqa: E402
import live  # noqa: E402
import livehls  # noqa: E402
import media  # noqa: E402
import network  # noqa: E402
import options  # noqa: E402
import realtime  # noqa: E402
import shares  # noqa: E402
import stills  # noqa: E402
import sync  # noqa: E402
import video  # noqa: E402
import web  # noqa: E402
from harness.engine import Engine  # noqa: E402
from table import Table  # noqa: E402

CACHE = 256 << 20
SETTINGS = ["--cache-bytes", str(CACHE), *shlex.split(os.environ.get("BENCH_OPTIONS", ""))]
# The parts that need the generated sources of full length.
OF_FILMS = {"media", "stills", "http", "ipc"}


def measure(part, table, engine, found, folder):
    match part:
        case "media":
            resident = media.measure(table, engine, found, films.SECONDS)
            table.add("memory after remuxing, without the cache", (resident - CACHE) / 1e6, None, "MB", "≤ 100")
        case "bridge":
            bridge.measure(table, engine)
        case "video":
            video.measure(table, folder)
        case "stills":
            stills.measure(table, engine, found, films.SECONDS)
        case "decode":
            decode.measure(table)
        case "realtime":
            realtime.measure(table, folder)
        case "frames":
            handover.measure(table, engine)
        case "sync":
            sync.measure(table, engine)
        case "http":
            web.measure(table, engine, found["mkv"])
        case "live":
            live.measure(table)
        case "discs":
            discs.measure(table, engine)
        case "live-hls":
            livehls.measure(table)
        case "network":
            network.measure(table)
        case "shares":
            shares.measure(table)
        case "ipc":
            ipc.measure(table, engine, found["mkv"], folder)


def main():
    chosen, other = options.chosen()
    films.SCRATCH.mkdir(parents=True, exist_ok=True)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{os.cpu_count()} × {platform.machine()}, load before: {load}", flush=True)
    found = films.films() if other or OF_FILMS & set(chosen) else {}
    for kind, path in found.items():
        print(f"film of {films.SECONDS} s: {kind.upper()} {path.stat().st_size / 1e9:.2f} GB", flush=True)
    table, folder = Table(), pathlib.Path(tempfile.mkdtemp(prefix="engine-bench-"))
    engines = [Engine(folder / "run", *SETTINGS)]
    try:
        if other:
            engines.append(Engine(folder / "other", *SETTINGS, program=other))
            against.measure(table, *engines, found, folder)
        for part in [] if other else chosen:
            measure(part, table, engines[0], found, folder)
    finally:
        table.show()
        for engine in engines:
            engine.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
