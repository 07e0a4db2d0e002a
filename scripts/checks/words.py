# SPDX-License-Identifier: Apache-2.0
"""The code contains no TODO markers and no paths of a particular machine. In `Sources`, `try?` only cleans up: its
value is dropped (`_ = try?`). A sentence of at least four words, on its line or directly above, says why the failure does not
matter; at most two statements share one. No `catch` is empty. A comment directly above each unstructured task, or on its line, says
who ends it."""

import re
import sys

import tree

FORBIDDEN = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "left for later: do it, or open an issue"),
    (re.compile(r"(?<![\w.}/])/(work|home|root|Users)/"), "a path of one machine"),
]
EXEMPT = {"scripts/checks/words.py", "CONTRIBUTING.md", "LICENSE"}
TRIED = re.compile(r"\btry\?")
# A value that is dropped cannot be an argument, a result or a condition.
DROPPED = re.compile(r"(?<!let )(?<!\w)_ = $")
SENTENCE = re.compile(r"[A-Z`]\S*(?: \S+){3,}\.$")
EMPTY_CATCH = re.compile(r"\bcatch\b[^{}\n]*\{\s*\}")
SHARED = 2
TASK = re.compile(r"(?<![\w.])Task(?:\.detached)?(?:\([^()]*\))? \{")


def reason(lines, number):
    """The comment of the statement in line `number`: at its end, or on the lines directly above it."""
    _, mark, found = lines[number - 1].rpartition(" // ")
    if mark:
        return found
    above = []
    while number > 1 and (found := re.match(r"\s*// (.*)$", lines[number - 2])):
        above.insert(0, found[1])
        number -= 1
    return " ".join(above)


def main():
    findings = tree.Findings()
    reasons = {}
    for name in tree.files():
        if name in EXEMPT:
            continue
        lines = tree.lines(name)
        for number, line in enumerate(lines, 1):
            for pattern, why in FORBIDDEN:
                if pattern.search(line):
                    findings.add(name, number, f"{why}: {line.strip()[:80]}")
        if not (name.startswith("Sources/") and name.endswith(".swift")):
            continue
        code = tree.code(name)
        for number, line in enumerate(code.splitlines(), 1):
            tried = list(TRIED.finditer(line))
            if any(not DROPPED.search(line[:found.start()]) for found in tried):
                findings.add(name, number, "write `_ = try? …` to drop the value, or catch the error")
            text = reason(lines, number) if tried else ""
            if SENTENCE.match(text):
                reasons.setdefault(text, []).append((name, number))
            elif tried:
                findings.add(name, number, "`try?` without a sentence that says why the failure does not matter")
            if TASK.search(line) and not reason(lines, number):
                findings.add(name, number, "a task without a comment that says who ends it")
        for found in EMPTY_CATCH.finditer(code):
            number = code.count("\n", 0, found.start()) + 1
            # A comment in the braces is a reason; `code` does not have it.
            if not any("//" in each for each in lines[number - 1:number + found[0].count("\n")]):
                findings.add(name, number, "an empty `catch` without a comment that says why the failure does not matter")
    for text, places in reasons.items():
        for name, number in places[SHARED:]:
            findings.add(name, number, f"more than {SHARED} `try?` have the reason \"{text}\": say what holds here")
    return findings.status


sys.exit(main())
