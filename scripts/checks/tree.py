# SPDX-License-Identifier: Apache-2.0
"""The files of the project: those that git tracks, and those that it would track."""

import pathlib
import subprocess

import swift

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = ("Sources/CEngineProto/", "Sources/IPC/Wire/Generated/", "Tests/IPCTests/Generated/")


def files(*suffixes, generated=False):
    """Paths relative to the root, sorted; all files if no suffix is given. Generated code only where asked for."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    names = sorted(set(listing.split("\0")) - {""})
    return [
        name for name in names
        if (not suffixes or name.endswith(suffixes))
        and (generated or not name.startswith(GENERATED))
        and (ROOT / name).is_file()
    ]


def lines(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace").splitlines()


def code(name):
    """The code of a Swift file without comments and without the contents of strings, except for the code in their
    interpolations; every line keeps its number."""
    return swift.code((ROOT / name).read_text(encoding="utf-8", errors="replace"))


class Findings:
    """Collects findings, prints each as `file:line: text`, and turns them into an exit status."""

    def __init__(self):
        self.count = 0

    def add(self, name, line, text):
        self.count += 1
        print(f"{name}:{line}: {text}")

    @property
    def status(self):
        return 1 if self.count else 0
