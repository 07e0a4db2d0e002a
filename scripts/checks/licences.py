#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that debian/copyright names exactly the libraries that each program loads: `licences.py COPYRIGHT FOLDER`. The folder
has the contents of the packages."""

import pathlib
import re
import subprocess
import sys

# What the copyright file calls these libraries.
NAMES = {"libc": "GNU C library", "libm": "GNU C library", "ld-linux-x86-64": "GNU C library", "ld-linux-aarch64": "GNU C library",
         "libgcc_s": "libgcc"}


def loaded(program):
    """The libraries that a program names in its dynamic section, without versions."""
    text = subprocess.run(["readelf", "--dynamic", "--wide", program], check=True, capture_output=True, text=True).stdout
    return {re.sub(r"\.so.*", "", name) for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text)}


def entries(copyright):
    """The text about the libraries of each program, and about those of all programs."""
    text = copyright.read_text().partition("\nFiles:")[0].replace("\n .\n", "\n\n")
    found = re.findall(r"^  \* ([\w-]+)[:,](.*(?:\n    .*)*)", text, re.MULTILINE)
    return {name: " ".join(body.split()) for name, body in found}


def findings(copyright, folder):
    texts = entries(copyright)
    programs = sorted(path for path in folder.glob("usr/bin/*") if path.read_bytes()[:4] == b"\x7fELF")
    if not programs:
        yield f"there are no programs in {folder}/usr/bin"
    for program in programs:
        text, libraries = texts.get(program.name, ""), loaded(program)
        for library in sorted(libraries):
            if NAMES.get(library, library) not in f"{text} {texts.get('all', '')}":
                yield f"does not name {library}, which {program.name} loads"
        for name in re.findall(r"\blib(?!rar)[a-z][\w+-]*", text):
            if not any(name.startswith(library) for library in libraries):
                yield f"names {name}, which {program.name} does not load"
    yield from (f"names {name}, which is no program" for name in texts.keys() - {"all"} - {program.name for program in programs})


def main():
    copyright, folder = map(pathlib.Path, sys.argv[1:])
    found = list(findings(copyright, folder))
    for finding in found:
        print(f"{copyright}:1: {finding}")
    return 1 if found else 0


sys.exit(main())
