# SPDX-License-Identifier: Apache-2.0
"""Runs the engine and a peer in turns, and measures the elapsed time and the CPU time of each."""

import os
import statistics
import subprocess
import time
from typing import NamedTuple

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))


class Cost(NamedTuple):
    """Elapsed time and CPU time in seconds."""

    wall: float
    cpu: float


def cpu_seconds(pid):
    """The CPU time of a process with all its threads so far, by its CPU clock (`clock_getcpuclockid`)."""
    return time.clock_gettime((~pid << 3) | 2)


def of_program(*command):
    """The cost of a program from start to end, including the programs that it starts."""
    start = time.perf_counter()
    process = subprocess.Popen([str(each) for each in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command[0]} ended with {process.returncode}"
    return Cost(wall, used.ru_utime + used.ru_stime)


def of_process(pid, action):
    """The elapsed time of an action, and the CPU time that the process `pid` uses for it."""
    used, start = cpu_seconds(pid), time.perf_counter()
    action()
    return Cost(time.perf_counter() - start, cpu_seconds(pid) - used)


def in_turns(ours, theirs, rounds=range(ROUNDS)):
    """The medians of both, whose results are numbers or tuples of numbers. They take turns, so that other load on the
    machine slows both equally.
    """
    pairs = [(theirs(each), ours(each)) for each in rounds]
    return median([our for _, our in pairs]), median([their for their, _ in pairs])


def median(values):
    if not isinstance(values[0], tuple):
        return statistics.median(values)
    columns = map(statistics.median, zip(*values))
    return type(values[0])(*columns) if isinstance(values[0], Cost) else tuple(columns)
