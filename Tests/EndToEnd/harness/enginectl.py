# SPDX-License-Identifier: Apache-2.0
"""Runs enginectl as a user would."""

import os
import shutil
import subprocess
import tempfile

import pytest

from .engine import PATIENCE
from .places import ENGINECTL, PROGRAMS


def environment(directory):
    return dict(os.environ, XDG_RUNTIME_DIR=str(directory), XDG_CACHE_HOME=f"{directory}/cache", XDG_STATE_HOME=f"{directory}/state",
                PATH=f"{PROGRAMS}:{os.environ['PATH']}")


@pytest.fixture
def ctl(start_engine):
    """Runs enginectl against an engine in its own runtime folder, whose socket is in `ENGINED_SOCKET`."""
    engine = start_engine()
    setting = dict(environment(engine.directory), ENGINED_SOCKET=str(engine.socket))

    def run(*arguments, expect=0):
        done = subprocess.run([ENGINECTL, *arguments], env=setting, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == expect, (arguments, done.returncode, done.stdout[-800:], done.stderr[-800:])
        return done.stdout

    run.engine, run.setting = engine, setting
    return run


@pytest.fixture
def offline():
    """Runs enginectl where no engine runs. At the end, no process that it started may be left."""
    directory = tempfile.mkdtemp(prefix="engine-")

    def run(*arguments, expect=0, **options):
        done = subprocess.run([ENGINECTL, *arguments], env=environment(directory), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE, **options)
        assert done.returncode == expect, (arguments, done.returncode, done.stdout[-800:], done.stderr[-800:])
        return done

    run.directory = directory
    yield run
    left = subprocess.run(["pgrep", "-f", directory], capture_output=True, text=True).stdout.split()
    shutil.rmtree(directory, ignore_errors=True)
    assert not left, f"still running: {left}"
