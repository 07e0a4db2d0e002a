# SPDX-License-Identifier: Apache-2.0
"""No actor or class is large, with its extensions in all files of its module counted in: state that a type spreads over
`Type+Topic.swift` files is still the state of one type. Only the type itself sets its stored properties.

Relies on the formatter: a declaration at file level begins in the first column, ends with a brace in the first column, and its
members are indented by four spaces."""

import collections
import re
import sys

import tree

# Comments and empty lines count.
MOST_LINES = 450
# Static and computed properties do not count.
MOST_PROPERTIES = 12
# Properties that other code may set: extensions and helpers in other files change these in place.
OPEN = {"FrameFinder.decoding", "Watcher.slots"}
MODIFIER = r"(?:@\w+(?:\([^)]*\))?|public|package|internal|fileprivate|private(?:\(set\))?|nonisolated(?:\(unsafe\))?" \
    r"|final|weak|lazy|unowned(?:\(\w+\))?|distributed|override)\s+"
TYPE = re.compile(rf"(?:{MODIFIER})*(?P<sort>actor|class|struct|enum|protocol|extension)\s+(?P<name>[A-Z][\w.]*)")
PROPERTY = re.compile(rf"    (?P<modifiers>(?:{MODIFIER})*)(?P<binding>let|var)\s+(?P<name>\w+)(?P<rest>.*)")
# The body of a computed property begins on the line of its name, with no value before it.
COMPUTED = re.compile(r"[^={]*\{(?!\s*(?:willSet|didSet))")


def module(name):
    """The target of a file of Sources: a folder of Sources, or of one of the two that hold several targets."""
    parts = name.split("/")
    return "/".join(parts[1:3] if parts[1] in ("EngineActors", "IPC") else parts[1:2])


def main():
    findings = tree.Findings()
    sorts, places = {}, {}
    lengths, properties, open_properties = collections.Counter(), collections.Counter(), []
    for name in tree.files(".swift"):
        if not name.startswith("Sources/"):
            continue
        owner = None
        for number, line in enumerate(tree.code(name).splitlines(), 1):
            if found := TYPE.match(line):
                owner, sort = (module(name), found["name"]), found["sort"]
                if sort != "extension":
                    sorts[owner], places[owner] = sort, (name, number)
            if owner is None:
                continue
            lengths[owner] += 1
            property = PROPERTY.match(line)
            if property and not COMPUTED.match(property["rest"]):
                properties[owner] += 1
                if property["binding"] == "var" and "private" not in property["modifiers"]:
                    open_properties.append((owner, property["name"], name, number))
            if line.startswith("}") or found and line.endswith("{}"):
                owner = None
    judged = [owner for owner, sort in sorts.items() if sort in ("actor", "class")]
    if not judged:
        findings.add("scripts/checks/sizes.py", 1, "finds no actor and no class")
    for owner in judged:
        if lengths[owner] > MOST_LINES:
            findings.add(*places[owner], f"{owner[1]} has {lengths[owner]} lines with its extensions, more than {MOST_LINES}: "
                         "give a part of its state to a type of its own")
        if properties[owner] > MOST_PROPERTIES:
            findings.add(*places[owner], f"{owner[1]} has {properties[owner]} stored properties, more than {MOST_PROPERTIES}: "
                         "give some of them to a type of its own")
    excused = set()
    for owner, property, name, number in open_properties:
        if sorts.get(owner) not in ("actor", "class"):
            continue
        if (full := f"{owner[1]}.{property}") in OPEN:
            excused.add(full)
        else:
            findings.add(name, number, f"other code can set `{full}`: make it `private` or `private(set)`")
    for full in sorted(OPEN - excused):
        findings.add("scripts/checks/sizes.py", 1, f"{full} is no open property, and needs no exception")
    return findings.status


sys.exit(main())
