# SPDX-License-Identifier: Apache-2.0
"""Round trips and fan-out on the control socket, beside mpv's JSON IPC."""

import os
import pathlib
import subprocess
import time

from harness.engine import eventually

WATCHERS = int(os.environ.get("BENCH_WATCHERS", "1000"))
# mpv has a thread a client, and stops taking them before it has a thousand.
PEER_WATCHERS = min(WATCHERS, 900)
CALLS, ROUNDS = "5000", "20"
PATIENCE = 120


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def build(folder):
    program = folder / "ipcload"
    source = pathlib.Path(__file__).parent / "ipcload.c"
    subprocess.run(["gcc", "-O2", "-Wall", "-o", program, source], check=True)
    return program


def round_trip(program, mode, *arguments):
    text = subprocess.run([program, mode, *arguments], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    return [float(each) for each in text.split()][:2]


def fan_out(program, mode, pid, socket, watchers):
    """p50 of the last watcher in milliseconds, and the megabytes that the watchers cost."""
    before = resident(pid)
    process = subprocess.Popen([program, mode, socket, ROUNDS, str(watchers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    line = process.stdout.readline()
    cost = resident(pid) - before
    process.communicate("\n", timeout=PATIENCE)
    assert process.returncode == 0, "ipcload failed"
    return float(line.split()[0]) / 1e3, cost


def measure(table, engine, film, folder):
    program = build(folder)
    path = folder / "mpv.sock"
    mpv = subprocess.Popen(["mpv", "--no-config", "--vo=null", "--ao=null", "--idle=yes", "--no-terminal",
                            f"--input-ipc-server={path}"], stdin=subprocess.DEVNULL)
    try:
        eventually(path.exists, "mpv's socket")
        time.sleep(0.5)
        with engine.session(film):
            peer = round_trip(program, "mpv-rtt", path, CALLS)
            for what, method in (("health check", "/grpc.health.v1.Health/Check"), ("state", "/engine.v1.Engine/GetState"),
                                 ("command", "/engine.v1.Engine/Pause")):
                ours = round_trip(program, "grpc-rtt", engine.socket, CALLS, method)
                table.add(f"round trip p50, {what}", ours[0], peer[0], "µs", "≤ mpv", "mpv get_property")
                table.add(f"round trip p99, {what}", ours[1], peer[1], "µs", "", "mpv get_property")
            ours, cost = fan_out(program, "grpc-fan", engine.pid, engine.socket, WATCHERS)
            theirs, peer_cost = fan_out(program, "mpv-fan", mpv.pid, path, PEER_WATCHERS)
            table.add(f"one change → watcher {WATCHERS}", ours, theirs, "ms", "≤ 10", f"mpv, {PEER_WATCHERS}")
            table.add(f"memory of {WATCHERS} watchers", cost, peer_cost, "MB", "≤ 30", f"mpv, {PEER_WATCHERS}")
    finally:
        mpv.terminate()
        mpv.wait()
