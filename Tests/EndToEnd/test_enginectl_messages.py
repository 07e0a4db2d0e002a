# SPDX-License-Identifier: Apache-2.0
"""What the reference client says: errors name what was typed, and empty lists are not silent."""

import subprocess

import pytest
from harness.enginectl import ctl, offline  # noqa: F401, fixtures
from harness.engine import PATIENCE
from harness.places import ENGINECTL, clip


def failure(ctl, *arguments, status=1):
    """What a verb that fails writes to stderr."""
    done = subprocess.run([ENGINECTL, *arguments], env=ctl.setting, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == status and not done.stdout, done
    return done.stderr


def test_a_path_that_is_not_a_socket_is_refused(offline):
    for arguments in (["status"], ["probe", clip("h264-aac.mkv")]):
        done = offline("--socket", offline.directory, *arguments, expect=69)
        assert done.stderr == f"enginectl: {offline.directory} exists and is not a socket\n", done


@pytest.mark.long
def test_a_missing_track_is_an_error(ctl):
    ctl("load", clip("several.mkv"))
    shown = ctl("subtitles")
    for arguments in (["audio", "99"], ["audio", "fr"], ["subtitles", "99"], ["subtitles", "fr"]):
        ctl(*arguments, expect=1)
    assert ctl("subtitles") == shown


def test_errors_name_the_arguments(ctl, tmp_path):
    ctl("load", clip("several.mkv"))
    text = tmp_path / "text.svg"
    text.write_text("no drawing")
    for arguments, message in (
            (["ab-loop", "1:40", "200"], "1:40 is not before the end of the source"),
            (["filters", "overlay", "a", text], f"{text} is not an SVG document"),
            (["filters", "overlay-remove", "a"], 'overlay "a" is not an overlay of the session'),
            (["filters", "add", "gblur", "sigmas=1"], "sigmas is not an option of gblur"),
            (["load", clip("h264-aac.mkv"), "--title", "3"], f"{clip('h264-aac.mkv')} is not a disc: it has no titles"),
            (["probe", clip("h264-aac.mkv"), "--title", "3"], f"{clip('h264-aac.mkv')} is not a disc: it has no titles"),
            (["filters", "remove", "9"], "filter 9 is not a filter of the session"),
            (["cache", "clear", "nope"], '"nope" is not a valid URL of a server'),
            (["audio", "fr"], 'no audio track matches "fr"; the source has: 1 (eng), '),
            (["chapter", "9"], 'no chapter matches "9"; the source has: 1, 2')):
        assert failure(ctl, *arguments).startswith(f"enginectl: {message}"), arguments


def test_a_clamped_argument_is_shown_with_its_range(ctl):
    ctl("load", clip("h264-aac.mkv"))
    for arguments, shown in (
            (["volume", "300"], "volume 1 (clamped to 0…1)"), (["rate", "5"], "rate 2 (clamped to 0…2)"),
            (["delay", "audio", "1000"], "audio delay 10 s (clamped to -10…10 s)"),
            (["delay", "subtitles", "-9000"], "subtitle delay -3600 s (clamped to -3600…3600 s)"),
            (["step", "previous"], "(clamped to the first frame)"), (["seek", "100"], "position 0:24 (clamped to 0:00…0:24)"),
            (["ab-loop", "1", "100"], "end 0:24 (clamped to the end of the source)")):
        assert ctl(*arguments).endswith(f"  {shown}\n"), (arguments, shown)
    assert "clamped" not in ctl("volume", "1")


def test_an_empty_list_is_said_on_stderr(ctl):
    assert failure(ctl, "list", status=0) == "enginectl: the engine has no sessions\n"
    assert failure(ctl, "history", status=0) == "enginectl: the history has no entries\n"
    ctl("load", clip("h264-aac.mkv"))
    for arguments, what in ((["programs"], "programs"), (["variants"], "variants"), (["subtitles"], "subtitle tracks")):
        assert failure(ctl, *arguments, status=0) == f"enginectl: the source has no {what}\n", arguments


def test_a_verb_without_its_session_reports_so(ctl):
    done = subprocess.run([ENGINECTL, "pause"], env=ctl.setting, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode not in (0, 64) and "session" in done.stderr.lower()


def test_a_header_without_a_colon_is_refused(offline):
    done = offline("load", clip("h264-aac.mkv"), "--header", "X-Token secret", expect=64)
    assert "name: value" in done.stderr and "X-Token" not in done.stderr.split("Usage")[0]
