# SPDX-License-Identifier: Apache-2.0
"""Films drawn at random are served as they are, or refused for a reason. `RANDOM_FILMS=1000` draws that many."""

import os
import subprocess

import pytest
from harness import films
from harness.places import ENGINECTL
from test_fidelity import compare

COUNT = int(os.environ.get("RANDOM_FILMS", "48"))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(COUNT))
def test_a_film_drawn_at_random_arrives_unchanged(engine, tmp_path, seed):
    film = films.draw(seed, tmp_path)
    if film.path is None:
        # The muxer does not support this combination. That is not a failure of the engine.
        return
    print(*film.commands, sep="\n")
    if not compare(engine, film.path):
        return
    # The last frame of a truncated film does not decode, not even in ffmpeg.
    decode = "--no-decode" if film.is_cut_off else "--decode"
    done = subprocess.run(
        [ENGINECTL, "validate", decode, "--socket", str(engine.socket), film.path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
