# SPDX-License-Identifier: Apache-2.0
"""The paths of the project."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
# `checked`, `debug`, `release` or `coverage`: see scripts/build.
BUILD = os.environ.get("ENGINE_BUILD", "checked")
PROGRAMS = ROOT / ".build" / (f"{BUILD}/release" if BUILD in ("checked", "coverage") else BUILD)
ENGINED = PROGRAMS / "engined"
ENGINECTL = PROGRAMS / "enginectl"
FIXTURES = ROOT / ".build" / "fixtures"
# Real-world files, which are not part of the project.
SAMPLES = pathlib.Path(os.environ.get("ENGINE_MEDIA", ROOT.parent / "shared" / "media"))


def clip(name):
    path = FIXTURES / name
    assert path.exists() or path.is_fifo(), f"{name} is missing: run scripts/fixtures"
    return path
