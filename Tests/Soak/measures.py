# SPDX-License-Identifier: Apache-2.0
"""The kernel's figures on the engine over time, and the lines of the report."""

import collections
import pathlib
import time

MIB = 1 << 20


class Figures:
    """The figures of the process at one moment."""

    def __init__(self, engine):
        self.moment = time.monotonic()
        status = dict(
            line.split(":", 1) for line in pathlib.Path(f"/proc/{engine.pid}/status").read_text().splitlines())
        # The memory without the pages of the program and its libraries, which the system may drop.
        self.own = (int(status["RssAnon"].split()[0]) + int(status["RssShmem"].split()[0])) / 1024
        self.descriptors, self.names = engine.descriptors(), collections.Counter(engine.thread_names())
        self.threads = self.names.total()
        self.cpu = engine.cpu_seconds()


def slope(points):
    """The slope of the line that fits the points (x, y) best (least squares)."""
    count = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


class Report:
    """A table of what was checked, what was found, which values are allowed, and the verdict."""

    def __init__(self):
        self.lines = []

    def add(self, subject, found, bound, fits):
        self.lines.append((subject, str(found), str(bound), "ok" if fits else "FAILED"))

    def at_most(self, subject, found, bound, unit=""):
        text = f"{found:.2f}" if isinstance(found, float) else str(found)
        self.add(subject, f"{text} {unit}".strip(), f"at most {bound} {unit}".strip(), found <= bound)

    def none(self, subject, faults):
        self.add(subject, "none" if not faults else f"{len(faults)}: {faults[0]}", "none", not faults)

    def at_least(self, subject, found, bound):
        self.add(subject, found, f"at least {bound}", found >= bound)

    def note(self, subject, found):
        self.add(subject, found, "", True)

    @property
    def is_good(self):
        return all(line[3] == "ok" for line in self.lines)

    def __str__(self):
        head = ("what", "found", "bound", "")
        widths = [max(len(line[column]) for line in [head, *self.lines]) for column in (0, 2)]
        rows = [f"| {subject:{widths[0]}} | {verdict:6} | {bound:{widths[1]}} | {found}"
                for subject, found, bound, verdict in [head, *self.lines]]
        return "\n".join(rows)
