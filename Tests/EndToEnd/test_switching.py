# SPDX-License-Identifier: Apache-2.0
"""A stock player switches to another language during playback."""

import json
import pathlib
import shutil
import subprocess

import pytest
from harness.places import clip

PLAYER = pathlib.Path(__file__).parent / "harness" / "gstreamer_player.py"
# The Python interpreter that has the distribution's bindings.
PYTHON = shutil.which("python3", path="/usr/bin") or "python3"


def test_gstreamer_changes_the_language_without_a_gap(engine):
    if subprocess.run([PYTHON, "-c", "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"],
                      stdin=subprocess.DEVNULL, capture_output=True).returncode:
        pytest.skip("GStreamer's Python bindings are not here")
    # German has two channels, English one.
    with engine.session(clip("languages.mkv")) as session:
        done = subprocess.run([PYTHON, str(PLAYER), session.url, "en", "2"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    if "missing" in told:
        pytest.skip(f"GStreamer has no {told['missing']}")
    assert told["trouble"] == []
    channels = [each[2] for each in told["sound"]]
    place = channels.index(1)
    assert place > 0 and set(channels[:place]) == {2} and set(channels[place:]) == {1}
    # The new audio begins where the old one ends, and nothing is missing before or after.
    for (time, duration, _), (after, _, _) in zip(told["sound"], told["sound"][1:]):
        assert abs(time + duration - after) <= 1024 / 48000 + 0.001, (time, duration, after)
    assert told["sound"][-1][0] > 9
