# SPDX-License-Identifier: Apache-2.0
"""The resources that the engine uses during a test. The figures are printed (`pytest -s`); no test depends on them."""

import time

MIB = 1 << 20


class Cost:
    """Measures from its creation on: `str()` states the change since then."""

    def __init__(self, engine):
        self.engine = engine
        self.before = self._now()

    def _now(self):
        return self.engine.own_bytes(), self.engine.descriptors(), self.engine.threads(), self.engine.cpu_seconds()

    def __str__(self):
        memory, descriptors, threads, seconds = (now - before for now, before in zip(self._now(), self.before, strict=True))
        return f"{memory / MIB:+.1f} MiB, {descriptors:+d} descriptors, {threads:+d} threads, {seconds:.2f} s of processor time"

    def at_rest(self):
        """The change since the creation, and the processor time that the engine uses in a second without requests."""
        began = self.engine.cpu_seconds()
        time.sleep(1)
        used = self.engine.cpu_seconds() - began
        return f"{self}; {used * 1000:.0f} ms of it in a second at rest"
