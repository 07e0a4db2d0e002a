# SPDX-License-Identifier: Apache-2.0
"""What the engine holds and uses while a test does something to it. Figures are printed (`pytest -s`), and decide nothing."""

import time

MIB = 1 << 20


class Cost:
    """Counts from where it is made. `str()` states what has been added since."""

    def __init__(self, engine):
        self.engine = engine
        self.before = self._now()

    def _now(self):
        return self.engine.own_bytes(), self.engine.descriptors(), self.engine.threads(), self.engine.cpu_seconds()

    def __str__(self):
        memory, descriptors, threads, seconds = (now - before for now, before in zip(self._now(), self.before, strict=True))
        return f"{memory / MIB:+.1f} MiB, {descriptors:+d} descriptors, {threads:+d} threads, {seconds:.2f} s of processor time"

    def at_rest(self):
        """What is left, and the processor time that the engine uses in a second in which nothing is asked of it."""
        began = self.engine.cpu_seconds()
        time.sleep(1)
        used = self.engine.cpu_seconds() - began
        return f"{self}; {used * 1000:.0f} ms of it in a second at rest"
