# SPDX-License-Identifier: Apache-2.0
"""Only the code that opens a source and the code that makes its reader ask which kind of source it is. All other code asks the
`SourceLayout` of the source."""

import re
import sys

import tree

ALLOWED = ("Sources/EngineActors/Reading/Source/", "Sources/EngineActors/Reading/SourceLayout.swift")
KIND = re.compile(r"\b(?:class|struct|actor|enum|extension)\s+(\w+)[^{:]*:[^{]*\bByteSource\b[^{]*\{")
# A source that conforms to one of these has a layout of its own, so a test for conformance asks for the kind, too.
LAYOUTS = ("SourceLayout", "ListedSegments", "SingleContainer")


def main():
    findings = tree.Findings()
    files = {name: tree.code(name) for name in tree.files(".swift") if name.startswith("Sources/")}
    kinds = {kind for text in files.values() for kind in KIND.findall(text)}
    if not kinds:
        findings.add("scripts/checks/kinds.py", 1, "finds no type that conforms to ByteSource")
    names = "|".join(sorted(kinds.union(LAYOUTS)))
    asked = re.compile(rf"\b(?:as[?!]?|is)\s+\(?(?:any\s+)?({names})\b|\b({names})\.self\b|\b(layout\.reading)\b")
    for name, text in files.items():
        if name.startswith(ALLOWED):
            continue
        for found in asked.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            what = found[1] or found[2] or found[3]
            findings.add(name, line, f"asks for the kind of a source (`{what}`): ask the layout of the source instead (docs/architecture.md)")
    return findings.status


sys.exit(main())
