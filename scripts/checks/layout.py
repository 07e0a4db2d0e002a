# SPDX-License-Identifier: Apache-2.0
"""The required files exist, every source begins with its licence, and no file is too long."""

import sys

import tree

REQUIRED = [
    "Package.swift", "README.md", "LICENSE", "CONTRIBUTING.md", "Makefile", ".swift-format", ".editorconfig",
    ".gitignore", ".ci/run", "Proto/engine/v1", "Sources/EngineActors", "Sources/IPC", "Sources/enginectl",
    "Sources/engined", "Tests", "docs/architecture.md", "scripts/bootstrap",
]
LICENCE = "SPDX-License-Identifier: Apache-2.0"
CODE = (".swift", ".proto", ".c", ".h", ".py", ".modulemap")
# A longer file must be split. LONG_ON_PURPOSE lists the exceptions, such as tables, with the reason.
LONGEST = 500
LONG_ON_PURPOSE = {}


def main():
    findings = tree.Findings()
    for name in REQUIRED:
        if not (tree.ROOT / name).exists():
            findings.add(name, 1, "is missing")
    for name in tree.files():
        lines = tree.lines(name)
        if lines and lines[0].startswith("#!"):
            if not any(LICENCE in line for line in lines[1:2]):
                findings.add(name, 2, f"the line after #! is not `{LICENCE}`")
        elif name.endswith(CODE) and not name.endswith(("Package.swift", "module.modulemap")):
            if not lines or LICENCE not in lines[0]:
                findings.add(name, 1, f"the first line is not `{LICENCE}`")
        if name.endswith((".swift", ".c", ".h", ".py")) and len(lines) > LONGEST and name not in LONG_ON_PURPOSE:
            findings.add(name, len(lines), f"longer than {LONGEST} lines: split it, or list it with its reason")
    return findings.status


sys.exit(main())
