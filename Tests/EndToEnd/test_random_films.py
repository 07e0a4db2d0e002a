# SPDX-License-Identifier: Apache-2.0
"""Films drawn at random are served unchanged, or refused for a reason. `RANDOM_FILMS=1000` draws that many,
`RANDOM_FILMS=1000-1999` those of these seeds."""

import os

import pytest
from harness import films, payloads
from test_fidelity import compare, validate

# In addition to the first seeds: each of these films has found a bug.
NOTED = {
    822: "Ogg whose end trims the last ten packets of Opus completely",
    962: "an edit list that begins between two frames",
    988: "a last recovery point with fewer frames after it than the refresh takes",
    1308: "an edit list that begins at a keyframe and hides all pictures before it",
    5698: "MPEG audio of layer II in a transport stream that begins at time 0",
    6583: "an edit list that ends within the last packet of Opus",
    91022: "fragments with a sidx of the whole file, in which libavformat cuts pictures off after a seek",
}


def seeds():
    first, _, last = os.environ.get("RANDOM_FILMS", "48").rpartition("-")
    return range(int(first), int(last) + 1) if first else sorted({*range(int(last)), *NOTED})


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds())
def test_a_random_film_is_served_unchanged(engine, tmp_path, seed):
    try:
        film = films.draw(seed, tmp_path)
    except films.NotMade as reason:
        # The muxer does not support this combination, or ffmpeg fails: the end of the run lists the reasons.
        pytest.skip(f"not made: {reason}")
    if not compare(engine, film.path, film.is_cut_off):
        return
    # The last frame of a truncated film does not decode, not even in ffmpeg, nor does video without a keyframe.
    is_whole = not film.is_cut_off and not payloads.has_undecodable_video(film.path)
    validate(engine, film.path, "--decode" if is_whole else "--no-decode")
