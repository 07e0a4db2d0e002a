# SPDX-License-Identifier: Apache-2.0
"""The code contains no TODO markers and no paths of a particular machine."""

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
