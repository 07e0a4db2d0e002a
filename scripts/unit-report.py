# SPDX-License-Identifier: Apache-2.0
"""Filters the output of Swift Testing: prints failures and progress as they occur, and at the end the slowest tests and
the skipped ones. The skipped ones are also added to the file that TEST_SKIPS names, if it is set."""

import os
import re
import sys

SLOWEST = 10
EVERY = 200

passed, skipped, failures, is_failure = [], [], 0, False
for line in sys.stdin:
    line = line.rstrip("\n")
    if found := re.match(r'✔ Test (".*"|\S+)(?: with \d+ test cases)? passed after ([\d.]+) seconds', line):
        passed.append((float(found[2]), found[1]))
        if len(passed) % EVERY == 0:
            print(f"{len(passed)} tests passed", flush=True)
    elif found := re.match(r'➜ (?:Test|Suite) (".*"|\S+)(?: with \d+ test cases)? skipped(?:: "?(.*?)"?)?$', line):
        skipped.append((found[2] or "no reason given", found[1]))
    # The lines after a failure belong to it, until the next event.
    is_failure = line.startswith("✘") or is_failure and not line.startswith(("◇", "✔", "➜"))
    failures += line.startswith("✘ Test ") and "recorded an issue" in line
    if is_failure or re.match(r"error:|Fatal error|.*: Fatal error|✔ Test run with", line):
        print(line, flush=True)

print("slowest:")
for seconds, name in sorted(passed, reverse=True)[:SLOWEST]:
    print(f"{seconds:7.1f} s  {name}")
if skipped:
    print("skipped:")
    for reason, name in sorted(skipped):
        print(f"  {name}: {reason}")
    if place := os.environ.get("TEST_SKIPS"):
        with open(place, "a") as file:
            file.writelines(f"unit test {name}: {reason}\n" for reason, name in sorted(skipped))
sys.exit(1 if failures else 0)
