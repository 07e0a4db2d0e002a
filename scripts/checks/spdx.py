#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks an SPDX 2.3 file: `spdx.py FILE NAME…`. It must have the members that the specification requires, every
relationship must join two of its elements, every element must be reached from the document, every package must have a
licence, and it must contain packages of the given names."""

import json
import pathlib
import re
import sys

DOCUMENT = ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "relationships"]


def findings(document, names):
    yield from (f"the document has no {member}" for member in DOCUMENT if member not in document)
    if document["spdxVersion"] != "SPDX-2.3" or document["dataLicense"] != "CC0-1.0":
        yield "this is not SPDX 2.3 under CC0-1.0"
    elements = {document["SPDXID"]}
    for element in document["packages"] + document["files"]:
        identity = element["SPDXID"]
        if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identity) or identity in elements:
            yield f"{identity} is not a valid identifier, or occurs twice"
        elements.add(identity)
    for package in document["packages"]:
        yield from (f"{package['name']} has no {member}" for member in ("name", "versionInfo", "downloadLocation") if not package.get(member))
        licences = [package.get(member) for member in ("licenseConcluded", "licenseDeclared")]
        if any(licence in (None, "", "NONE", "NOASSERTION") for licence in licences):
            yield f"{package['name']} has no licence (scripts/sbom)"
    reached = {document["SPDXID"]}
    for relation in document["relationships"]:
        for end in (relation["spdxElementId"], relation["relatedSpdxElement"]):
            if end not in elements:
                yield f"a relationship names {end}, which does not exist"
        reached.add(relation["relatedSpdxElement"])
    yield from (f"nothing refers to {identity}" for identity in elements - reached)
    yield from (f"{name} is missing" for name in names if name not in {package["name"] for package in document["packages"]})


def main():
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    found = list(findings(document, sys.argv[2:]))
    for finding in found:
        print(f"{sys.argv[1]}:1: {finding}")
    return 1 if found else 0


sys.exit(main())
