# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the real-client tests."""

import contextlib
import fcntl
import gc
import os
import pathlib
import shutil
import tempfile

import pytest
from harness.engine import Engine, running_engine, started
from harness.places import BUILD, ENGINECTL, ENGINED


def pytest_sessionstart(session):
    for program in () if session.config.option.collectonly else (ENGINED, ENGINECTL):
        if not program.exists():
            pytest.exit(f"{program} is missing: run scripts/build {BUILD}", 1)


def pytest_collection_finish():
    """Exempts modules and tests from garbage collection, because they live until the end of the run."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """Adds the ends of the logs of this process's engines to the report of a failure."""
    report = (yield).get_result()
    for engine in started if report.failed else ():
        with contextlib.suppress(OSError):
            lines = engine.log.read_text(errors="replace").splitlines()[-20:]
            report.sections.append((f"{engine.log}, process {engine.pid}", "\n".join(lines)))


@pytest.fixture
def start_engine():
    """Starts engines; each is ended with SIGTERM after the test and must exit cleanly."""
    # Not pytest's own folder: the path of a socket may have at most 107 bytes.
    home = tempfile.mkdtemp(prefix="engine-")
    engines = []

    def start(*options, directory=None, **keywords):
        engine = Engine(directory or f"{home}/{len(engines)}", *options, **keywords)
        engines.append(engine)
        return engine

    yield start
    try:
        for engine in engines:
            # Engines that a test has already ended were checked there.
            if engine.is_alive():
                engine.end()
    finally:
        for engine in engines:
            if engine.is_alive():
                engine.kill()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def machine():
    """For tests that load the machine to its limits or depend on real time: only one of them runs at a time, beside the
    other tests."""
    with open(pathlib.Path(tempfile.gettempdir(), f"engine-tests-{os.getuid()}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def fresh_engine(start_engine):
    """An engine that no other test has used."""
    return start_engine()


@pytest.fixture(scope="module")
def engine():
    """One engine, shared by all tests of a file that leave nothing behind."""
    with running_engine() as engine:
        yield engine
