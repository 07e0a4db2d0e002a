# SPDX-License-Identifier: Apache-2.0
"""Measures the engine and its peers in one run and prints one table; see README.md."""

import argparse
import os
import pathlib
import platform
import shutil
import sys
import tempfile

os.environ["ENGINE_BUILD"] = "release"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "EndToEnd"))

import bridge  # noqa: E402
import decode  # noqa: E402
import films  # noqa: E402
import handover  # noqa: E402
import ipc  # noqa: E402
import media  # noqa: E402
import stills  # noqa: E402
import sync  # noqa: E402
import web  # noqa: E402
from harness.engine import Engine  # noqa: E402
from table import Table  # noqa: E402

CACHE = 256 << 20
PARTS = ("media", "bridge", "stills", "decode", "frames", "sync", "http", "ipc")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append")
    chosen = parser.parse_args().only or PARTS

    found = films.films()
    sizes = ", ".join(f"{kind.upper()} {path.stat().st_size / 1e9:.2f} GB" for kind, path in found.items())
    print(f"{os.cpu_count()} × {platform.machine()}, film of {films.SECONDS} s: {sizes}", flush=True)
    table, folder = Table(), pathlib.Path(tempfile.mkdtemp(prefix="engine-bench-"))
    engine = Engine(folder / "run", "--cache-bytes", str(CACHE))
    try:
        if "media" in chosen:
            resident = media.measure(table, engine, found, films.SECONDS)
            table.add("memory after remuxing, without the cache", (resident - CACHE) / 1e6, None, "MB", "≤ 100")
        if "bridge" in chosen:
            bridge.measure(table, engine)
        if "stills" in chosen:
            stills.measure(table, engine, found, films.SECONDS)
        if "frames" in chosen:
            handover.measure(table, engine)
        if "sync" in chosen:
            sync.measure(table, engine)
        if "decode" in chosen:
            decode.measure(table)
        if "http" in chosen:
            web.measure(table, engine, found["mkv"])
        if "ipc" in chosen:
            ipc.measure(table, engine, found["mkv"], folder)
    finally:
        engine.end()
        shutil.rmtree(folder, ignore_errors=True)
    table.show()


if __name__ == "__main__":
    main()
