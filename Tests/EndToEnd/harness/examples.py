# SPDX-License-Identifier: Apache-2.0
"""Builds examples/swift: a separate package that depends on this one and sees only its public API."""

import fcntl
import hashlib
import shutil
import subprocess

from .places import ROOT


def library_digest():
    digest = hashlib.sha256()
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def swift_programs():
    """Builds the package, and returns the folder of its programs. Several tests share the folder: one builds at a
    time."""
    scratch = ROOT / ".build" / "examples" / "swift"
    scratch.mkdir(parents=True, exist_ok=True)
    with open(scratch.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # SwiftPM keeps its build plan when a file disappears from a package that it depends on by path, and then misses
        # that file.
        (scratch / "debug.yaml").unlink(missing_ok=True)
        # SwiftPM also does not compile a program again when only modules that the library imports internally have
        # changed, although they determine the layout of the library's structs.
        digest, known = library_digest(), scratch / "library.sha256"
        if not known.exists() or known.read_text() != digest:
            for program in ("first", "player"):
                shutil.rmtree(scratch / "debug" / f"{program}.build", ignore_errors=True)
            known.write_text(digest)
        done = subprocess.run(
            ["swift", "build", "--package-path", ROOT / "examples/swift", "--scratch-path", scratch],
            capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return scratch / "debug"
