# SPDX-License-Identifier: Apache-2.0
"""References between the files of a target go in one direction, at every depth: no circle among the subfolders of any folder.
The files that lie directly in a folder count as one more of its subfolders (`.`). Reads `swift package describe --type json`
from stdin.

A reference counts in the deepest folder that contains both files. Outside comments and the text of strings, it is one of these:

- the name of a type, function or variable that one file only declares at file level;
- a member of an extension: `.name` or `name` if one file only declares the name for any type, and neither a module that the
  target depends on nor the standard library has it; `Type.name`, or `name` in a file that declares or extends `Type`, if one
  file only declares the name for `Type`;
- `Type(label: …)` if the labels fit initializers in one file only, all of them in extensions.

What a file declares or binds itself is no reference. Not seen are members in the body of a type whose name does not appear, members
whose name several types have, subscripts, operators, and conformances. `EXCEPTIONS` names the files that are exempt.
"""

import collections
import functools
import json
import pathlib
import re
import subprocess
import sys

import swift
import tree

TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias"}
TYPE = re.compile(r"(?<![.\w])[A-Z]\w+")
MEMBER = re.compile(r"\.([a-z_]\w*)")
OWNED = re.compile(r"\b([A-Z]\w*)\??\.([A-Za-z_]\w*)")
# A name that is neither a member of what stands before it nor a label.
PLAIN = re.compile(r"(?<![.\w`@#$])([a-z_]\w*)\b(?!:)")
CALL = re.compile(r"(\b[A-Z]\w*|\[\w+\])(?:\.init)?\(")
SOURCES = tree.files(".swift")
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


@functools.cache
def declarations(name):
    return tuple(swift.declarations(tree.code(name)))


def sources(target):
    return [name for name in SOURCES if name.startswith(target["path"] + "/")]


def below(target, targets):
    """The Swift modules that the target depends on, directly or not."""
    found, rest = {}, [target]
    while rest:
        for name in rest.pop().get("target_dependencies", ()):
            if name in targets and name not in found and targets[name]["module_type"] == "SwiftTarget":
                found[name] = targets[name]
                rest.append(targets[name])
    return list(found.values())


def standard_library():
    """The names of the members of the standard library."""
    info = subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    resources = pathlib.Path(json.loads(info)["paths"]["runtimeResourcePath"])
    interfaces = [each for each in resources.glob("linux/Swift.swiftmodule/*.swiftinterface") if "private" not in each.name]
    text = "\n".join(each.read_text(encoding="utf-8") for each in interfaces)
    names = set(re.findall(r"\b(?:func|var|let|case)\s+(\w+)", text))
    assert "append" in names, f"{resources} has no interface of the standard library"
    return names


class Names:
    """Where the files of a target declare what other files can name."""

    def __init__(self, own, outside, library):
        """`own` and `outside` map files to their declarations: those of the target, and those of the modules below it."""
        # The files that declare a type, or a function or variable at file level.
        self.types, self.loose = collections.defaultdict(set), collections.defaultdict(set)
        # The files that declare a member: by its name, and by its type and name. `closed` holds those that do not count.
        self.members, self.closed = collections.defaultdict(set), set(library)
        self.inits, self.inits_outside = collections.defaultdict(list), collections.defaultdict(list)
        # How many types have a name. Those outside are of use only to tell that a type is known.
        self.counts, self.known = collections.Counter(), set()
        for each in (each for found in outside.values() for each in found if not each.is_private):
            if each.kind == "init":
                self.inits_outside[each.owner].append(each.parameters)
            elif each.kind in TYPES:
                self.known.add(each.name)
            elif each.is_shared:
                self.closed |= {each.name, (each.owner, each.name)}
        for name, each in ((name, each) for name, found in own.items() for each in found if not each.is_private):
            if each.kind in TYPES:
                self.counts[each.name] += 1
                self.known.add(each.name)
            if each.kind == "init":
                self.inits[each.owner].append((name, each))
            elif each.owner is not None:
                for key in (each.name, (each.owner, each.name)):
                    self.members[key].add(name)
                    if not each.is_in_extension:
                        self.closed.add(key)
            elif each.kind != "extension":
                (self.types if each.kind in TYPES else self.loose)[each.name].add(name)

    def member(self, name, owner=None):
        """The file with the extension that alone declares a member, of any type or of `owner`."""
        key = name if owner is None else (owner, name)
        return None if key in self.closed or self.counts[owner] > 1 else only(self.members[key])

    def member_of(self, owners, name):
        return self.member(name, owners[0]) if len(owners) == 1 else None

    def type(self, name, owners):
        """The file that alone declares the type that a name means in the bodies and extensions of `owners`."""
        found = [owner for owner in owners if self.members[owner, name]]
        return self.member_of(found, name) if found else only(self.types[name])

    def plain(self, name, owners):
        """The same for a function or variable: a member of `owners`, one at file level, or a member of any type."""
        found = [owner for owner in owners if self.members[owner, name]]
        if found:
            return self.member_of(found, name)
        return only(self.loose[name]) if self.loose[name] else self.member(name)

    def init(self, type, labels):
        """The file with the extension that alone has an initializer for these labels."""
        if self.counts[type] > 1 or any(fits(labels, each) for each in self.inits_outside[type]):
            return None
        fitting = [(name, each) for name, each in self.inits[type] if fits(labels, each.parameters)]
        if not fitting or not all(each.is_in_extension for _, each in fitting):
            return None
        # Types of other packages have initializers that are not known here.
        return only({name for name, _ in fitting}) if type in self.known or set(labels) - {"_"} else None


def only(names):
    return next(iter(names)) if len(names) == 1 else None


def fits(labels, parameters):
    """Whether a call with these labels can have these parameters, of which those with a default value may be missing."""
    rest = list(labels)
    for label, has_default in parameters:
        if rest[:1] == [label]:
            rest.pop(0)
        elif not has_default:
            return False
    return not rest


def named(text, declared, names):
    """The references in the code of a file that has these declarations: (place, what is named, file that declares it)."""
    own = {each.name for each in declared if each.kind != "extension"}
    hidden = own | swift.bound(text)
    owners = {each.owner for each in declared if each.owner is not None}
    for found in TYPE.finditer(text):
        if found[0] not in own:
            yield found.start(), found[0], names.type(found[0], owners)
    for found in MEMBER.finditer(text):
        if found[1] not in own:
            yield found.start(), found[1], names.member(found[1])
    for found in OWNED.finditer(text):
        yield found.start(), found[0], names.member(found[2], found[1])
    for found in PLAIN.finditer(text):
        if found[1] not in hidden:
            yield found.start(), found[1], names.plain(found[1], owners)
    for found in CALL.finditer(text):
        if found[1] in names.inits:
            labels = swift.labels(text, found.end())
            yield found.start(), f"{found[1]}({''.join(label + ':' for label in labels)})", names.init(found[1], labels)


def references(target, below, library):
    """For each folder of the target, which of its subfolders refer to which: {folder: {subfolder: {other: (file, line, name)}}}.
    `below` are the modules that the target depends on."""
    own = re.compile(rf"(?<![.\w]){re.escape(target['name'])}\.(?=\w)")
    files = {name: own.sub("", tree.code(name)) for name in sources(target)}
    declared = {name: declarations(name) for name in files}
    outside = {name: declarations(name) for each in below for name in sources(each)}
    names = Names(declared, outside, library)
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for name, text in files.items():
        if name in EXCEPTIONS:
            continue
        for place, word, home in named(text, declared[name], names):
            if home is None:
                continue
            folder, here, there = parting(name, home)
            if here != there:
                found[folder][here].setdefault(there, (name, text.count("\n", 0, place) + 1, word))
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
    targets = {target["name"]: target for target in json.load(sys.stdin)["targets"]}
    library = standard_library()
    for target in targets.values():
        if target["module_type"] != "SwiftTarget" or target["type"] == "test":
            continue
        for folder, graph in sorted(references(target, below(target, targets), library).items()):
            found = circle(graph) or []
            for here, there in zip(found, found[1:] + found[:1]):
                name, line, word = graph[here][there]
                findings.add(name, line, f"names {word} of {folder}/{there}, which depends on {folder}/{here}: a circle")
    return findings.status


sys.exit(main())
