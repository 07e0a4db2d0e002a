# SPDX-License-Identifier: Apache-2.0
"""The code contains no TODO markers and no paths of a particular machine, and each `try?` in `Sources` has its reason on its
line."""

import re
import sys

import tree

FORBIDDEN = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "left for later: do it, or open an issue"),
    (re.compile(r"(?<![\w.}/])/(work|home|root|Users)/"), "a path of one machine"),
]
TRIED = re.compile(r"\btry\?(?!.*\S {2}// \S)")
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
            if name.startswith("Sources/") and name.endswith(".swift") and TRIED.search(line):
                findings.add(name, number, "`try?` without a comment on its line that says why the failure does not matter")
    return findings.status


sys.exit(main())
