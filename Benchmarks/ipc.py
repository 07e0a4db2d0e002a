# SPDX-License-Identifier: Apache-2.0
"""Round trips and fan-out on the control socket, compared with mpv's JSON IPC."""

import os
import pathlib
import subprocess
import time

from compare import in_turns
from harness.engine import eventually

WATCHERS = int(os.environ.get("BENCH_WATCHERS", "1000"))
# mpv has one thread per client, and refuses new clients before it has a thousand.
PEER_WATCHERS = min(WATCHERS, 900)
CALLS, CHANGES = "2000", "20"
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


def round_trip(program, mode, socket, pid, *what):
    """The p50, the p99 and the CPU time of a call, in microseconds."""
    arguments = [program, mode, socket, CALLS, str(pid), *what]
    text = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    p50, p99, _, cpu = map(float, text.split())
    return p50, p99, cpu


def fan_out(program, mode, pid, socket, watchers):
    """The p50 and p99 for the last watcher, the CPU time per change (all in milliseconds), and the watchers' memory in MB."""
    before = resident(pid)
    process = subprocess.Popen([program, mode, socket, CHANGES, str(watchers), str(pid)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    cost = resident(pid) - before
    process.communicate("\n", timeout=PATIENCE)
    assert process.returncode == 0, "ipcload failed"
    p50, p99, _, cpu = [float(each) / 1e3 for each in line.split()]
    return p50, p99, cpu, cost


def method(name):
    return f"/engine.v1.Engine/{name}"


# The calls to compare: the engine's, mpv's, and mpv's name for its call.
PAUSE, PLAY = '["set_property","pause",true]', '["set_property","pause",false]'
PAIRS = [
    ("health check", ["/grpc.health.v1.Health/Check"], ['["get_property","pause"]'], "get_property"),
    ("state", [method("GetState")], ['["get_property","pause"]'], "get_property"),
    ("command that changes nothing", [method("Pause")], [PAUSE], "set_property"),
    # Leaves the engine paused and mpv not paused, which is the state in which `fan_out` begins.
    ("play, pause in turns", [method("Play"), method("Pause")], [PAUSE, PLAY], "set_property"),
]


def measure(table, engine, film, folder):
    program = build(folder)
    path = folder / "mpv.sock"
    mpv = subprocess.Popen(["mpv", "--no-config", "--vo=null", "--ao=null", "--idle=yes", "--no-terminal",
                            f"--input-ipc-server={path}"], stdin=subprocess.DEVNULL)
    try:
        eventually(path.exists, "mpv's socket")
        time.sleep(0.5)
        with engine.session(film):
            for what, asked, peers, name in PAIRS:
                ours, theirs = in_turns(lambda _: round_trip(program, "grpc-rtt", engine.socket, engine.pid, *asked),
                                        lambda _: round_trip(program, "mpv-rtt", path, mpv.pid, *peers))
                for index, (unit, target) in enumerate((("p50", "≤ mpv"), ("p99", ""), ("CPU", ""))):
                    table.add(f"round trip {unit}, {what}", ours[index], theirs[index], "µs", target, f"mpv {name}")
            ours = fan_out(program, "grpc-fan", engine.pid, engine.socket, WATCHERS)
            theirs = fan_out(program, "mpv-fan", mpv.pid, path, PEER_WATCHERS)
            peer = f"mpv, {PEER_WATCHERS}"
            table.add(f"one change → watcher {WATCHERS}, p50", ours[0], theirs[0], "ms", "≤ 10", peer)
            table.add(f"one change → watcher {WATCHERS}, p99", ours[1], theirs[1], "ms", "", peer)
            table.add(f"CPU time of a change, {WATCHERS} watchers", ours[2], theirs[2], "ms", "", peer)
            table.add(f"memory of {WATCHERS} watchers", ours[3], theirs[3], "MB", "≤ 30", peer)
    finally:
        mpv.terminate()
        mpv.wait()
