# SPDX-License-Identifier: Apache-2.0
"""Begins a run with the slowest files. Ends it with its slowest tests and files, the reasons for skipped tests, and the files
that took much longer than docs/testing.md states. The reasons are also added to the file that TEST_SKIPS names, the times to the
one that TEST_TIMES names, if they are set, and a run of all files writes the seconds of each to .build/client-seconds.json.
"""

import collections
import json
import os
import pathlib
import re

import pytest

from .places import BUILD, ROOT

SLOWEST = 10
# A file is reported when it exceeds its row by this factor and, in addition, by these seconds: runs differ.
FACTOR, SLACK = 1.5, 5

_tests = collections.Counter()
_skipped = collections.defaultdict(list)


def pytest_runtest_logreport(report):
    _tests[report.nodeid] += report.duration
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _skipped[reason.removeprefix("Skipped: ")].append(report.nodeid)


def budgets(is_lean):
    """The seconds of each file in docs/testing.md, for `make test` or for `make test-all`."""
    rows = re.findall(r"^\| `(test_\w+\.py)` \|.*\| +(\d+) \| +(\d+) \|$", (ROOT / "docs/testing.md").read_text(), re.MULTILINE)
    return {name: int(lean if is_lean else whole) for name, lean, whole in rows}


def outgrown(files, allowed):
    """The files that took much longer than their rows say: more than FACTOR times as long plus SLACK seconds. If all
    files together take longer than their rows, because the machine is busy, each may take longer by the same factor."""
    known = {name: seconds for name, seconds in files.items() if name in allowed}
    pace = max(1, sum(known.values()) / max(1, sum(allowed[name] for name in known)))
    return [(name, seconds) for name, seconds in sorted(known.items(), key=lambda each: -each[1])
            if seconds > pace * FACTOR * allowed[name] + SLACK]


def pytest_configure(config):
    # pytest-xdist would begin with the files that have most tests.
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(config, items):
    """The files that take longest come first, so that none of them begins when the other workers have nothing left to do."""
    seconds = budgets("not long" in config.option.markexpr)
    items.sort(key=lambda item: -seconds.get(item.path.name, 0))


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    files = collections.Counter()
    for test, seconds in _tests.items():
        files[test.partition("::")[0].rpartition("/")[2]] += seconds
    is_lean = "not long" in config.option.markexpr
    allowed = budgets(is_lean)
    is_whole = [pathlib.Path(each).resolve() for each in config.args] == [ROOT / "Tests/EndToEnd"] and not config.option.keyword
    # An interrupted run lacks times, and so does a listing of the tests.
    if is_whole and _tests and BUILD == "checked" and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        (ROOT / ".build/client-seconds.json").write_text(json.dumps({"tier": "lean" if is_lean else "all", "seconds": files}, indent=1))
    write = terminalreporter.write_line
    terminalreporter.section("time")
    times = [f"{seconds:7.1f} s  {test}" for test, seconds in _tests.most_common(SLOWEST)]
    times += ["", *(f"{seconds:7.1f} s  {name}" for name, seconds in files.most_common(SLOWEST))]
    for line in times:
        write(line)
    if _skipped:
        terminalreporter.section("skipped")
        lines = []
        for reason, tests in sorted(_skipped.items()):
            names = [each.rpartition("::")[2] for each in tests]
            lines.append(f"{len(names)} client tests: {reason}: {', '.join(names[:5])}{' …' if len(names) > 5 else ''}")
            write(lines[-1])
        if place := os.environ.get("TEST_SKIPS"):
            with open(place, "a") as file:
                file.writelines(f"{' '.join(each.split())}\n" for each in lines)
    if slow := outgrown(files, allowed):
        terminalreporter.section("slower than docs/testing.md")
        lines = [f"{seconds:7.1f} s instead of {allowed[name]} s  {name}" for name, seconds in slow]
        for line in lines:
            write(line)
        times += ["", "slower than docs/testing.md:", *lines]
    if place := os.environ.get("TEST_TIMES"):
        pathlib.Path(place).write_text("\n".join([*times, ""]))
