# SPDX-License-Identifier: Apache-2.0
"""Nothing is left for later in the code, and no path of one machine is in it."""

import re
import sys

import tree

FORBIDDEN = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "left for later: do it, or open an issue"),
    (re.compile(r"(?<![\w.}/])/(work|home|root|Users)/"), "a path of one machine"),
]
EXEMPT = {"scripts/checks/words.py", "CONTRIBUTING.md", "LICENSE"}


def main():
    findings = tree.Findings()
    for name in tree.files():
        if name in EXEMPT:
            continue
        for number, line in enumerate(tree.lines(name), 1):
            for pattern, reason in FORBIDDEN:
                if pattern.search(line):
                    findings.add(name, number, f"{reason}: {line.strip()[:80]}")
    return findings.status


sys.exit(main())
