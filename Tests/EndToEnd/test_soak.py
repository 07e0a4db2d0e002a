# SPDX-License-Identifier: Apache-2.0
"""Runs the test of `make soak` for half a minute instead of half an hour."""

import os
import subprocess
import sys

import pytest
from harness.engine import PATIENCE
from harness.places import ROOT

SECONDS = 30


@pytest.mark.long
def test_the_soak_test_passes_for_half_a_minute(tmp_path):
    subprocess.run([ROOT / "scripts" / "fixtures-soak", tmp_path, "2"], check=True, timeout=10 * PATIENCE)
    seed = os.environ.get("SEED", "6")
    done = subprocess.run(
        [sys.executable, ROOT / "Tests" / "Soak" / "soak.py", tmp_path, "--minutes", str(SECONDS / 60), "--seed", seed],
        capture_output=True, text=True, timeout=SECONDS + 10 * PATIENCE)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, f"SEED={seed} make soak: {done.stdout[-6000:]} {done.stderr[-2000:]}"
