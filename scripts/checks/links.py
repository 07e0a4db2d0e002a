# SPDX-License-Identifier: Apache-2.0
"""Links and images in the documents lead to a file of the tree, or to a heading; labels of links have a definition."""

import re
import sys

import tree

# The text of a link may begin on the line before, or be an image. A title may follow the target.
LINK = re.compile(r"""\]\(<?([^)\s>]+)>?(?:\s+["'][^)]*)?\)""")
DEFINITION = re.compile(r"^ {0,3}\[([^\]]+)\]:\s+<?([^\s>]+)")
# `[text][label]`, and `[label][]`, whose text is the label. The text may begin on the line before.
REFERENCE = re.compile(r"(?:\[([^\[\]]*))?\]\[([^\[\]]*)\]")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
CODE_FENCE = re.compile(r"^\s*```")


def anchors(name):
    found = set()
    for line in tree.lines(name):
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(title.replace(" ", "-"))
    return found


def prose(name):
    """The numbered lines of a document, without code. A code span leaves a letter, because it may be the text of a link."""
    fenced = False
    for number, line in enumerate(tree.lines(name), 1):
        if CODE_FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, CODE.sub("x", line)


def main():
    findings = tree.Findings()
    for name in tree.files(".md"):
        text = list(prose(name))
        labels = {found[1].lower() for _, line in text if (found := DEFINITION.match(line))}
        for number, line in text:
            for words, label in REFERENCE.findall(line):
                if (label or words).lower() not in labels:
                    findings.add(name, number, f"no definition of the link: {label or words}")
            defined = DEFINITION.match(line)
            for target in LINK.findall(line) + ([defined[2]] if defined else []):
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
