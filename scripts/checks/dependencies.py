# SPDX-License-Identifier: Apache-2.0
"""Modules depend in one direction. Reads `swift package describe --type json` from stdin.

Two things are compared with the table `ALLOWED`: what Package.swift declares, and what the sources import. The second
matters because a module can be imported through another one that declares it. The table of modules in
docs/architecture.md must have a row for each target, and no others, and its table of folders a row for each folder of
`ACTOR_SOURCES` with sources; what the rows say is not checked. The arrows on that page are what Package.swift declares.
"""

import json
import re
import sys

import tree

NIO = {"NIOPosix", "NIOCore", "NIOHTTP1"}
# The targets in Sources/EngineActors: the wings import Reading but not each other; Sessions imports all of them.
ENGINE = {"EngineModel", "EngineRuntime", "Packaging", "Bindings", "CSystemShims"}
WINGS = {"Segments", "Decoding", "Subtitles", "Stills"}
ACTORS = WINGS | {"Reading", "Sessions"}
# Modules that no target of EngineActors may reach.
OUTSIDE = {"Wire", "Server", "Validation", "CEngineProto", "Listening", "Loopback"}
PLATFORM = {"Glibc", "Swift", "Synchronization", "_Concurrency"}
ALLOWED = {
    "EngineModel": set(),
    "EngineRuntime": {"CSystemShims", "Dispatch"},
    "Packaging": {"EngineModel"},
    "EngineJSON": {"EngineModel"},
    "Bindings": {"EngineModel", "EngineRuntime", "Digests", "CFFmpeg", "CCurl", "CUchardet", "CXML2", "CSQLite", "CCrypto", "CJPEG", "CPixels", "CPulse", "CAlsa", "CSystemShims"},
    "DrawingWire": {"EngineModel", "Packaging"},
    "SourceWire": set(),
    "SourceHelper": {"SourceWire", "CSystemShims"},
    "Transfers": {"EngineModel", "EngineRuntime", "Digests", "Bindings", "SourceWire"},
    "Reading": ENGINE | {"Transfers"},
    "Segments": ENGINE | {"Reading"},
    "Decoding": ENGINE | {"Reading", "Logging"},
    "Subtitles": ENGINE | {"Reading", "DrawingWire"},
    "Stills": ENGINE | {"Reading"},
    "Sessions": ENGINE | WINGS | {"Reading", "Transfers", "Logging"},
    "Listening": {"NIOPosix", "NIOCore"},
    "Loopback": {"EngineModel", "EngineRuntime", "Listening", "CSystemShims", "Logging"} | NIO,
    "Wire": {"EngineModel", "EngineRuntime", "CEngineProto", "CProtobufC", "CNghttp2", "CSystemShims", "NIOCore"},
    "Server": {"EngineModel", "EngineRuntime", "Listening", "Wire", "CSystemShims", "Logging"} | NIO,
    "Validation": {"Packaging"},
    "Digests": {"CCrypto"},
    "EngineClient": {"EngineModel", "EngineRuntime", "Wire"} | NIO,
    "WebPage": set(),
    "WebControl": {"EngineModel", "EngineRuntime", "EngineJSON", "Wire", "EngineClient", "Loopback", "WebPage"},
    "engined": {
        "WebControl",
        "EngineModel", "EngineRuntime", "Sessions", "Segments", "Loopback", "Wire", "Server", "CSystemShims",
        "ArgumentParser", "Logging",
    } | NIO,
    "enginectl": {
        "EngineModel", "EngineJSON", "EngineClient", "Packaging", "Validation", "Digests", "EngineRuntime", "CSystemShims", "CTerminal",
        "ArgumentParser", "Logging", "Dispatch",
    } | NIO,
    "engined-mpris": {
        "EngineModel", "EngineRuntime", "EngineClient", "CSystemd", "ArgumentParser", "Logging",
    },
    "engined-subtitles": {"DrawingWire", "EngineRuntime", "Packaging", "CAss", "CSystemShims"},
    "engined-source-smb": {"SourceWire", "SourceHelper", "CSMBClient"},
    "engined-source-nfs": {"SourceWire", "SourceHelper", "CNFS"},
}
# Modules that a module must not reach, even indirectly.
NEVER = {
    "EngineModel": {"*"},
    "SourceWire": {"*"},
    "EngineClient": {"CFFmpeg", "CCurl", "Bindings", "Server"} | ACTORS,
    "enginectl": {"CFFmpeg", "CCurl", "Bindings", "Server"} | ACTORS,
    "engined-mpris": {"CFFmpeg", "CCurl", "Bindings", "Server"} | ACTORS,
    "Wire": {"Bindings", "CFFmpeg", "Server"} | ACTORS,
    "Server": {"Bindings", "CFFmpeg"} | ACTORS,
    "Transfers": ACTORS | OUTSIDE | {"Packaging"},
    "Reading": WINGS | {"Sessions"} | OUTSIDE,
    "Segments": ACTORS - {"Segments", "Reading"} | OUTSIDE,
    "Decoding": ACTORS - {"Decoding", "Reading"} | OUTSIDE,
    "Subtitles": ACTORS - {"Subtitles", "Reading"} | OUTSIDE,
    "Stills": ACTORS - {"Stills", "Reading"} | OUTSIDE,
    "Sessions": OUTSIDE,
    "Packaging": {"CFFmpeg", "Bindings", "EngineRuntime"},
    "Loopback": {"Bindings", "Wire", "Server"} | ACTORS,
    "WebControl": {"Bindings", "Server"} | ACTORS,
}
PAGE = "docs/architecture.md"
ACTOR_SOURCES = "Sources/EngineActors/"
IMPORT = re.compile(r"\bimport\s+(?:(?:struct|class|enum|protocol|func|typealias|var|let|actor)\s+)?`?(\w+)")
# Pure modules, which must not import Foundation. They may import Glibc, like every module: for functions such as `pow`.
FOUNDATION_FREE = {"EngineModel", "Packaging", "Validation", "WebPage"}


def rows(heading):
    """The names in the first column of the table that begins with `heading`: {name: line}."""
    found, inside = {}, False
    for number, line in enumerate(tree.lines(PAGE), 1):
        inside = line.startswith(heading) or inside and line.startswith("|")
        if inside:
            found.update({name: number for name in re.findall(r"`([\w/-]+)`", line.split("|")[1])})
    return found


def arrows():
    """What the page says a module depends on: {name: (line, names)}. A line without an arrow continues the one before."""
    found, name, inside = {}, None, False
    for number, line in enumerate(tree.lines(PAGE), 1):
        if line.startswith("## "):
            inside = line == "## Modules and direction"
        if not inside or line.startswith("|"):
            continue
        if arrow := re.match(r"([\w-]+) ─+► ", line):
            name = arrow[1]
            found[name] = (number, set())
            line = line[arrow.end():]
        elif not line.startswith(" "):
            name = None
        if name:
            found[name][1].update(re.findall(r"[\w-]+", line))
    return found


def compare(findings, real, described, table):
    """Reports what the table on the page lacks, and what does not exist."""
    for name in sorted(real - set(described)):
        findings.add(PAGE, 1, f"{name} is in no row of the table of {table}")
    for name in sorted(set(described) - real):
        findings.add(PAGE, described[name], f"there is no {name}, which is in the table of {table}")


def main():
    findings = tree.Findings()
    targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}
    declared = {
        name: set(target.get("target_dependencies", [])) | set(target.get("product_dependencies", []))
        for name, target in targets.items()
    }

    def reach(name, seen):
        for each in declared.get(name, set()) - seen:
            seen.add(each)
            reach(each, seen)
        return seen

    for name, allowed in ALLOWED.items():
        if name not in targets:
            findings.add("Package.swift", 1, f"has no target {name}")
            continue
        for extra in sorted(declared[name] - allowed):
            findings.add("Package.swift", 1, f"{name} must not depend on {extra}")
        reached = reach(name, set())
        barred = NEVER.get(name, set())
        for each in sorted(reached if "*" in barred else reached & barred):
            findings.add("Package.swift", 1, f"{name} must not reach {each}, not even through others")
        target = targets[name]
        for source in tree.files(".swift"):
            if not source.startswith(target["path"] + "/"):
                continue
            text = tree.code(source)
            for found in IMPORT.finditer(text):
                if found[1] in allowed or found[1] in PLATFORM:
                    continue
                if found[1].startswith("Foundation") and name not in FOUNDATION_FREE:
                    continue
                line = text.count("\n", 0, found.start()) + 1
                findings.add(source, line, f"{name} must not import {found[1]}")

    for name, target in targets.items():
        known = name in ALLOWED or target["type"] in ("test", "system-target") or target["module_type"] == "ClangTarget"
        if not known and not target["path"].startswith("Tests/"):
            findings.add("Package.swift", 1, f"{name} is in no row of scripts/checks/dependencies.py")

    shipped = {name for name, target in targets.items() if target["path"].startswith("Sources/")}
    # A name with a slash is a folder of a target.
    compare(findings, shipped, {name: line for name, line in rows("| module |").items() if "/" not in name}, "modules")
    drawn = arrows()
    for name in sorted(shipped):
        real = declared[name] & shipped
        number, shown = drawn.pop(name, (1, set()))
        if shown != real:
            findings.add(PAGE, number, f"{name} depends on {', '.join(sorted(real))}; drawn: {', '.join(sorted(shown))}")
    for name, (number, _) in drawn.items():
        findings.add(PAGE, number, f"Package.swift has no target {name}")
    folders = {name.removeprefix(ACTOR_SOURCES).rpartition("/")[0] for name in tree.files(".swift") if name.startswith(ACTOR_SOURCES)}
    compare(findings, folders, rows("| folder | holds |"), "folders")
    return findings.status


sys.exit(main())
