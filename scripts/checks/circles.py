# SPDX-License-Identifier: Apache-2.0
"""References between the types of a target go in one direction, at every depth: no circle among the subfolders of any folder.
The files that lie directly in a folder count as one more of its subfolders (`.`). Reads `swift package describe --type json`
from stdin.

A reference is the name of a type or a call of a function in the code of a file, outside comments and strings. It counts
if the target declares the name exactly once at file level, in the deepest folder that contains both files. Members
(`Outer.Name`) do not count, except for those of the target itself (`Target.Name`). Calls of methods in extensions are
not seen. `EXCEPTIONS` names the files that are exempt.
"""

import collections
import json
import pathlib
import re
import sys

import tree

TYPE = re.compile(
    r"^(?:@\w+\s+)*(?:(?:public|package|final|indirect|nonisolated)\s+)*(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)",
    re.MULTILINE,
)
NESTED = re.compile(r"^\s+(?:\w+\s+)*(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)", re.MULTILINE)
NAME = re.compile(r"(?<![.\w])[A-Z]\w+")
FUNCTION = re.compile(r"^(?:@\w+\s+)*(?:(?:public|package|nonisolated)\s+)*func\s+(\w+)", re.MULTILINE)
# What a file declares inside its types and functions, and what hides a function of the target.
LOCAL = re.compile(r"^\s+(?:[\w()@]+\s+)*(?:func|let|var|case)\s+(\w+)", re.MULTILINE)
CALL = re.compile(r"(?<![.\w])[a-z]\w+(?=\()")
# Files whose own references do not count, and why.
EXCEPTIONS = {
    "Sources/EngineActors/Reading/SourceLayout.swift":
        "what every kind of source answers, which includes the two kinds that have readers of their own",
}


def parting(one, other):
    """The deepest folder that contains both files, and the subfolder in which each lies: `.` for a file directly in it."""
    first, second = pathlib.PurePath(one).parts[:-1], pathlib.PurePath(other).parts[:-1]
    depth = 0
    while depth < min(len(first), len(second)) and first[depth] == second[depth]:
        depth += 1
    return "/".join(first[:depth]), *(parts[depth] if depth < len(parts) else "." for parts in (first, second))


def references(path, target):
    """For each folder in `path`, which of its subfolders refer to which: {folder: {subfolder: {other: (file, type)}}}."""
    own = re.compile(rf"(?<![.\w]){re.escape(target)}\.(?=\w)")
    files = {name: own.sub("", tree.code(name)) for name in tree.files(".swift") if name.startswith(path + "/")}
    homes = collections.defaultdict(set)
    for name, text in files.items():
        for found in TYPE.findall(text) + FUNCTION.findall(text):
            homes[found].add(name)
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for name, text in files.items():
        if name in EXCEPTIONS:
            continue
        types = set(NAME.findall(text)) - set(NESTED.findall(text))
        calls = set(CALL.findall(text)) - set(LOCAL.findall(text))
        for word in sorted(types | calls):
            if len(homes.get(word, ())) != 1:
                continue
            home, = homes[word]
            folder, here, there = parting(name, home)
            if here != there:
                found[folder][here].setdefault(there, (name, word))
    return found


def circle(graph):
    """The subfolders of one circle, in order, or `None`."""
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
        for folder, graph in sorted(references(target["path"], target["name"]).items()):
            found = circle(graph) or []
            for here, there in zip(found, found[1:] + found[:1]):
                name, word = graph[here][there]
                findings.add(name, 1, f"names {word} of {folder}/{there}, which depends on {folder}/{here}: a circle")
    return findings.status


sys.exit(main())
