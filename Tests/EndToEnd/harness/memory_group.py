# SPDX-License-Identifier: Apache-2.0
"""A control group that limits the memory of an engine."""

import contextlib
import os
import pathlib
import re
import select
import threading

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

    def kills(self):
        """How many processes the kernel has killed in the group because it was at its limit."""
        text = (self.folder / ("memory.oom_control" if self.version == 1 else "memory.events")).read_text()
        return int(re.search(r"^oom_kill (\d+)$", text, re.MULTILINE)[1])

    @contextlib.contextmanager
    def reporting(self, limit, place):
        """Reports to a process in the group that memory is short, before the group is at its `limit`. Yields the
        environment variables that the process needs.

        In version 2, the process itself sees that the group is above `memory.high`. In version 1, the kernel tells this
        process that it finds little to reclaim, and this process does what systemd would: it writes to a FIFO."""
        if self.version == 2:
            (self.folder / "memory.high").write_text(str(limit * 7 // 8))
            yield {}
            return
        os.mkfifo(place)
        event, end = os.eventfd(0), os.eventfd(0)
        with open(self.folder / "memory.pressure_level") as level:
            (self.folder / "cgroup.event_control").write_text(f"{event} {level.fileno()} medium")

            def forward():
                with open(place, "r+b", buffering=0) as fifo:
                    while end not in select.select([event, end], [], [])[0]:
                        os.eventfd_read(event)
                        fifo.write(b"x")

            thread = threading.Thread(target=forward)
            thread.start()
            try:
                yield {"MEMORY_PRESSURE_WATCH": str(place)}
            finally:
                os.eventfd_write(end, 1)
                thread.join()
                os.close(event)
                os.close(end)
