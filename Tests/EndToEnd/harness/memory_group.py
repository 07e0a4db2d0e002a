# SPDX-License-Identifier: Apache-2.0
"""A control group that limits the memory of an engine."""

import contextlib
import os
import pathlib
import re

import pytest

from .engine import eventually

MOUNTS = pathlib.Path("/sys/fs/cgroup")


def _parent():
    """The folder in which a group can be made, and the cgroup version of its hierarchy; `None` if there is none."""
    groups = re.findall(r"^(\d+):([^:]*):(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.MULTILINE)
    for _, controllers, path in groups:
        if controllers == "memory":
            return MOUNTS / "memory" / path.lstrip("/"), 1
    for number, _, path in groups:
        # Except for the root, a group that holds processes cannot have children with limits.
        for folder in (MOUNTS / path.lstrip("/"), MOUNTS) if number == "0" else ():
            with contextlib.suppress(OSError):
                if "memory" in (folder / "cgroup.subtree_control").read_text().split():
                    return folder, 2
    return None


class MemoryGroup:
    def __init__(self):
        found = _parent()
        self.folder = found and found[0] / f"engine-test-{os.getpid()}"
        self.version = found and found[1]
        try:
            self.folder.mkdir()
        except (OSError, AttributeError):
            pytest.skip("this process may not limit memory by a control group")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Its processes have ended, but the kernel may notice a little later.
        eventually(self._remove, "the group to be empty")

    def _remove(self):
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        return not self.folder.exists()

    def through(self):
        """The start of the command line for a process that is to be in the group."""
        return ["sh", "-c", 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"', "sh", self.folder]

    def limit(self, count):
        """Limits the group to `count` bytes; -1 for no limit."""
        name, none = ("memory.limit_in_bytes", "-1") if self.version == 1 else ("memory.max", "max")
        (self.folder / name).write_text(none if count < 0 else str(count))

    def starve(self):
        """Limits the group so that the kernel kills its processes at once, or when they use a few more megabytes."""
        self.drop_files()
        # Version 1 rejects a limit that is already exceeded.
        self.limit(self.usage() + (8 << 20) if self.version == 1 else self.usage() // 2)

    def drop_files(self):
        """Releases the page cache of the group."""
        name, text = ("memory.force_empty", "0") if self.version == 1 else ("memory.reclaim", str(1 << 30))
        # Fails if not everything can be released.
        with contextlib.suppress(OSError):
            (self.folder / name).write_text(text)

    def usage(self):
        return int((self.folder / ("memory.usage_in_bytes" if self.version == 1 else "memory.current")).read_text())

    def held(self):
        """The usage without the pages of files, which the kernel releases by itself. Version 1 only."""
        pages = re.findall(r"^total_(?:in)?active_file (\d+)$", (self.folder / "memory.stat").read_text(), re.MULTILINE)
        return self.usage() - sum(map(int, pages))

    def kills(self):
        """How many processes the kernel has killed in the group because it was at its limit."""
        text = (self.folder / ("memory.oom_control" if self.version == 1 else "memory.events")).read_text()
        return int(re.search(r"^oom_kill (\d+)$", text, re.MULTILINE)[1])

    @contextlib.contextmanager
    def reporting(self, limit, place):
        """Yields `Reports`, which tell a process that memory is short when the group uses 7/8 of `limit`. `place`: the
        path for a FIFO, which is needed in version 1."""
        if self.version == 2:
            (self.folder / "memory.high").write_text(str(limit * 7 // 8))
            yield Reports(self, {})
            return
        os.mkfifo(place)
        with open(place, "r+b", buffering=0) as fifo:
            yield Reports(self, {"MEMORY_PRESSURE_WATCH": str(place)}, fifo, limit * 7 // 8)


class Reports:
    """Tells a process that memory is short. In version 2 of control groups, the process itself sees that the group is above
    `memory.high`, above which the kernel slows it down. In version 1, the test does what systemd would: it writes to a FIFO."""

    def __init__(self, group, variables, fifo=None, threshold=0):
        # The environment variables that the process needs.
        self.variables = variables
        self._group, self._fifo, self._threshold = group, fifo, threshold

    def make_room(self):
        """If memory is short, reports it, and waits until the process has released some. Called before each request, so
        that the process hears of it before the kernel kills it, however busy the machine is."""
        if self._fifo and self._group.held() > self._threshold:
            self._fifo.write(b"x")
            eventually(lambda: self._group.held() <= self._threshold, "memory to be released")
