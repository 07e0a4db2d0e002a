# SPDX-License-Identifier: Apache-2.0
"""`unsafe` is used only in the folders and files that call C, and each unchecked promise to the compiler has a justification."""

import re
import sys

import tree

ALLOWED = (
    "Sources/Bindings/", "Sources/Digests/", "Sources/IPC/Wire/Protobuf/", "Sources/IPC/Wire/HTTP2/",
    "Sources/IPC/Wire/Socket/", "Sources/IPC/Server/Socket/", "Sources/EngineRuntime/Executors/", "Sources/EngineRuntime/Files/",
    "Sources/EngineRuntime/Locking/", "Sources/EngineRuntime/Memory/", "Sources/EngineRuntime/Random/",
    "Sources/EngineRuntime/Service/", "Sources/engined-mpris/Bus/",
    "Sources/SourceHelper/", "Sources/engined-source-smb/", "Sources/engined-source-nfs/", "Sources/engined-subtitles/",
    "Fuzz/Harness/Families/ResponsesFamily.swift", "Fuzz/Harness/Folder.swift", "Fuzz/Program/Entry.swift",
    "Fuzz/Tests/SeedTests.swift",
    "Tests/BindingsTests/", "Tests/IPCTests/", "Tests/EngineRuntimeTests/", "Tests/TransfersTests/",
)
WORD = re.compile(r"\bunsafe\b")
TRUSTED = re.compile(r"@unchecked\s+Sendable|nonisolated\(unsafe\)")
# How many lines above the declaration its `// SAFETY:` paragraph may begin.
REACH = 6


def main():
    findings = tree.Findings()
    for name in tree.files(".swift", generated=True):
        if not name.startswith(("Sources/", "Tests/", "Fuzz/")):
            continue
        lines = tree.lines(name)
        for number, line in enumerate(lines, 1):
            if WORD.search(line) and not name.startswith(ALLOWED):
                findings.add(name, number, "`unsafe` outside its fence (docs/memory.md)")
            code = line.split("//")[0]
            if TRUSTED.search(code):
                above = lines[max(0, number - 1 - REACH):number]
                if not any("// SAFETY:" in each for each in above):
                    findings.add(name, number, f"no `// SAFETY:` paragraph within {REACH} lines above")
    return findings.status


sys.exit(main())
