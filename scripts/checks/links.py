# SPDX-License-Identifier: Apache-2.0
"""Links between the documents and into the tree have a target; anchors name a heading."""

import re
import sys

import tree

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE_FENCE = re.compile(r"^\s*```")


def anchors(name):
    found = set()
    for line in tree.lines(name):
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(title.replace(" ", "-"))
    return found


def main():
    findings = tree.Findings()
    for name in tree.files(".md"):
        fenced = False
        for number, line in enumerate(tree.lines(name), 1):
            if CODE_FENCE.match(line):
                fenced = not fenced
            if fenced:
                continue
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                place = (tree.ROOT / name).parent / path if path else tree.ROOT / name
                if not place.exists():
                    findings.add(name, number, f"leads nowhere: {target}")
                elif anchor and place.suffix == ".md":
                    where = place.resolve().relative_to(tree.ROOT).as_posix()
                    if anchor not in anchors(where):
                        findings.add(name, number, f"no such heading: {target}")
    return findings.status


sys.exit(main())
