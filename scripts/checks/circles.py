# SPDX-License-Identifier: Apache-2.0
"""The folders of a target depend on each other in one direction: no circle of references between the types in them. Files that
lie directly in the target's folder may name, and be named by, all of its folders. Reads `swift package describe --type json`
from stdin.

A reference is a type's name in the code of a file, outside comments and strings, that is not a member (`Outer.Name`)
and that the target declares exactly once at file level.
"""

import collections
import json
import pathlib
import re
import sys

import tree

# Targets whose folders still form a circle, and why.
KNOWN = {
}
TYPE = re.compile(
    r"^(?:@\w+\s+)*(?:(?:public|package|final|indirect|nonisolated)\s+)*(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)",
    re.MULTILINE,
)
NESTED = re.compile(r"^\s+(?:\w+\s+)*(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)", re.MULTILINE)
NAME = re.compile(r"(?<![.\w])[A-Z]\w+")


def references(path):
    """For each folder of the target at `path`, the folders it names: {folder: {other: (file, type)}}."""
    files = {name: tree.code(name) for name in tree.files(".swift") if name.startswith(path + "/")}
    folders = {name: pathlib.PurePath(name).relative_to(path).parts[0] for name in files}
    homes = collections.defaultdict(set)
    for name, text in files.items():
        for found in TYPE.findall(text):
            homes[found].add(name)
    found = collections.defaultdict(dict)
    for name, text in files.items():
        if folders[name].endswith(".swift"):
            continue
        for word in set(NAME.findall(text)) - set(NESTED.findall(text)):
            if len(homes.get(word, ())) != 1:
                continue
            home, = homes[word]
            other = folders[home]
            if other != folders[name] and not other.endswith(".swift"):
                found[folders[name]].setdefault(other, (name, word))
    return found


def circle(graph):
    """The folders of one circle, in order, or `None`."""
    done, way = set(), []

    def walk(folder):
        if folder in way:
            return way[way.index(folder):]
        if folder in done:
            return None
        way.append(folder)
        for other in sorted(graph.get(folder, ())):
            if found := walk(other):
                return found
        way.pop()
        done.add(folder)
        return None

    for folder in sorted(graph):
        if found := walk(folder):
            return found
    return None


def main():
    findings = tree.Findings()
    for target in json.load(sys.stdin)["targets"]:
        if target["module_type"] != "SwiftTarget" or target["type"] == "test":
            continue
        graph = references(target["path"])
        found = circle(graph)
        if target["name"] in KNOWN:
            if not found:
                findings.add("scripts/checks/circles.py", 1, f"{target['name']} has no circle any more: remove it from KNOWN")
            continue
        for folder, other in zip(found or [], (found or [])[1:] + (found or [])[:1]):
            name, word = graph[folder][other]
            findings.add(name, 1, f"names {word} of {other}, and {other} depends on {folder}: a circle of folders")
    return findings.status


sys.exit(main())
