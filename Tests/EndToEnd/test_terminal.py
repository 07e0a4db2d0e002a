# SPDX-License-Identifier: Apache-2.0
"""enginectl on a terminal: keys, panels that are redrawn in place, and the screen of `tui`."""

import base64
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios

import pytest
from harness.enginectl import ctl, environment, offline  # noqa: F401, fixtures
from harness.engine import eventually
from harness.places import ENGINECTL, clip
from harness.tiers import tiered


@contextlib.contextmanager
def run_on_terminal(arguments, setting, size=None):
    """Runs enginectl in the foreground of a terminal, of a size in columns and rows. Yields the process, a function that presses
    keys, and one that waits for text. Afterwards the terminal's modes must be restored."""
    controller, terminal = pty.openpty()
    if size:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    before = termios.tcgetattr(terminal)
    process = subprocess.Popen([ENGINECTL, *map(str, arguments)], env=setting, stdin=terminal, stdout=terminal, stderr=terminal,
                               start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    shown = bytearray()

    def shows(text):
        while select.select([controller], [], [], 0.1)[0]:
            shown.extend(os.read(controller, 65536))
        return text.encode() in shown

    try:
        yield process, lambda keys: os.write(controller, keys), lambda text: eventually(lambda: shows(text) and (lambda: bytes(shown)), text)
        eventually(lambda: shows("\0") or process.poll() is not None, "the end")
        assert process.returncode == 0, bytes(shown[-800:])
        assert termios.tcgetattr(terminal) == before
    finally:
        process.kill()
        process.wait()
        os.close(controller)
        os.close(terminal)


def test_keys_control_the_watched_session(ctl):
    ctl("load", clip("several.mkv"))
    with run_on_terminal(["watch"], ctl.setting) as (_, press, wait_for):
        wait_for("several.mkv")
        press(b"990m")
        eventually(lambda: ctl.engine.state().muted and round(ctl.engine.state().volume, 2) == 0.98, "volume")
        press(b"j#L]")
        eventually(lambda: ctl.engine.state().looping and ctl.engine.state().position.requested_rate == 1.1, "the rate")
        assert re.search(r"\* 0: #3 ", ctl("subtitles")) and re.search(r"\* #2 audio", ctl("tracks"))
        press(b"\x1b[C\x1b[C")
        eventually(lambda: "0:10" in ctl("status"), "a seek")
        press(b"?")
        wait_for("half or twice the speed")
        wait_for("98 %, muted")
        press(b"q")


def test_top_shows_all_sessions_and_their_end(ctl):
    ctl("load", clip("several.mkv"))
    ctl("load", clip("h264-aac.mkv"))
    with run_on_terminal(["top"], ctl.setting) as (_, press, wait_for):
        wait_for("2 sessions, 0 playing")
        wait_for("several.mkv")
        wait_for("h264-aac.mkv")
        ctl("stop", "--session", "1")
        wait_for("1 session, 0 playing")
        press(b"q")
    tables = ctl("top", "--count", "2", "--interval", "100").split("\n\n")
    assert len(tables) == 2
    for table in tables:
        summary, titles, row = table.strip().splitlines()
        assert re.match(r"1 session, 0 playing; [\d.]+ MB of memory, ", summary)
        assert titles.split()[:3] == ["SESSION", "STATE", "POSITION"] and titles.endswith("SOURCE")
        assert row.split()[:2] == ["2", "ready"] and row.endswith("h264-aac.mkv")
    found = json.loads(ctl("top", "--count", "1", "--json"))
    assert found["resident_bytes"] > 1_000_000
    assert [each["state"]["session"] for each in found["sessions"]] == ["2"]


@pytest.mark.long
def test_keys_control_a_played_file(offline):
    with run_on_terminal(["play", clip("h264-aac.mkv"), "--sink", "null"], environment(offline.directory)) as (_, press, wait_for):
        wait_for("playing")
        press(b"m ")
        wait_for("volume 100 %, muted")
        wait_for("paused")
        press(b"!")
        wait_for("the source has no chapters")
        press(b"?")
        wait_for("half or twice the speed")
        press(b"q")


@contextlib.contextmanager
def tmux_terminal(folder, setting, columns, rows, command):
    """A terminal of tmux, which keeps what programs draw. Yields tmux's commands, and what the terminal shows."""
    def tmux(*arguments):
        return subprocess.run(["tmux", "-f", "/dev/null", "-S", f"{folder}/tmux.sock", *map(str, arguments)], capture_output=True,
                              text=True, check=True, env=setting).stdout

    setting = setting | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    for name in ("KITTY_WINDOW_ID", "TERM_PROGRAM"):
        setting.pop(name, None)
    tmux("new-session", "-d", "-x", columns, "-y", rows, f"{command}; echo status $?; read line")
    try:
        yield tmux, lambda: tmux("capture-pane", "-p", "-t", "0")
    finally:
        tmux("kill-server")
        # The server answers before it ends.
        eventually(lambda: subprocess.run(["pgrep", "-f", f"{folder}/tmux.sock"], stdout=subprocess.DEVNULL).returncode == 1, "tmux to end")


@pytest.mark.parametrize(("columns", "rows"), tiered([(60, 20), (200, 50)], {(60, 20)}))
def test_top_fits_into_the_terminal(ctl, columns, rows):
    """The narrow table leaves columns out, but not the state, the playhead, what is buffered and the source."""
    titles = ["SESSION", "STATE", "POSITION", "LENGTH", "RATE", "AHEAD", "ROUTE", "READ/s", "CACHED", "MADE", "SPEED", "STALLS", "DROPPED",
              "RENDERER", "SOURCE"]
    ctl("load", clip("several.mkv"))
    ctl("load", clip("h264-aac.mkv"))
    command = f"{ENGINECTL} top --interval 100 --socket {ctl.engine.socket}"
    with tmux_terminal(ctl.engine.directory, ctl.setting, columns, rows, command) as (tmux, shown):
        eventually(lambda: "several.mkv" in shown() and "h264-aac.mkv" in shown(), "both sessions")
        summary, head, *lines = shown().rstrip().splitlines()
        found = head.split()
        assert summary.startswith("2 sessions, 0 playing; ") and len(lines) == 2 and all(len(line) <= columns for line in (head, *lines))
        assert found == titles if columns == 200 else {"SESSION", "STATE", "POSITION", "AHEAD", "SOURCE"} <= set(found) < set(titles), found
        ctl("mute", "on")
        ctl("play", "--session", "2")
        eventually(lambda: " play" in shown().splitlines()[3], "the change")
        # One line for each session, however often the table was drawn.
        assert len(shown().rstrip().splitlines()) == 4
        tmux("resize-window", "-t", "0", "-x", columns - 10, "-y", rows)
        eventually(lambda: all(len(line) <= columns - 10 for line in shown().splitlines()) and "SOURCE" in shown(), "the smaller table")
        tmux("send-keys", "-t", "0", "q")
        eventually(lambda: "status 0" in shown(), "the end")


@pytest.mark.long
def test_the_picture_is_sent_to_a_terminal_with_the_protocol_of_kitty(offline):
    """The pieces of an image are joined and decoded as such a terminal does it."""
    setting = environment(offline.directory) | {"TERM": "xterm-kitty"}
    with run_on_terminal(["tui", "--sink", "null", clip("several.mkv")], setting, size=(100, 40)) as (_, press, wait_for):
        image = re.compile(rb"\x1b_G(a=T[^;]*),m=1;([^\x1b]*)\x1b\\((?:\x1b_Gm=1;[^\x1b]*\x1b\\)*)\x1b_Gm=0;([^\x1b]*)\x1b\\")
        head, first, middle, last = eventually(lambda: image.search(wait_for("\x1b_Gm=0;")()), "a whole image").groups()
        fields = dict(each.split("=") for each in head.decode().split(","))
        assert (fields["a"], fields["f"]) == ("T", "24") and int(fields["c"]) <= 100 and int(fields["r"]) <= 40 - 7, fields
        pieces = [first, *re.findall(rb"\x1b_Gm=1;([^\x1b]*)", middle), last]
        assert all(len(each) <= 4096 for each in pieces)
        pixels = base64.b64decode(b"".join(pieces), validate=True)
        assert len(pixels) == int(fields["s"]) * int(fields["v"]) * 3
        assert len({pixels[place:place + 3] for place in range(0, len(pixels), 3)}) > 50, "a picture of many colours"
        assert "▀".encode() not in wait_for("playing")()
        press(b"q")
        wait_for("\x1b_Ga=d,q=2\x1b\\\x1b[0m")


@pytest.mark.parametrize(("columns", "rows"), tiered([(60, 20), (200, 50)], {(60, 20)}))
def test_the_screen_shows_the_picture_and_takes_keys(offline, columns, rows):
    command = f"{ENGINECTL} tui --sink null {clip('several.mkv')}"
    with tmux_terminal(offline.directory, environment(offline.directory), columns, rows, command) as (tmux, shown):
        eventually(lambda: "▀▀▀▀▀▀▀▀" in shown() and "playing" in shown(), "a picture")
        lines = shown().splitlines()
        assert lines[0].startswith("several.mkv  playing  1×")
        assert all(len(line) <= columns for line in lines)
        picture = [line for line in lines if "▀" in line]
        # Seven lines are not part of the picture, which keeps its aspect ratio.
        assert len(picture) <= rows - 7 and max(len(line.strip()) for line in picture) > columns // 3
        eventually(lambda: "░" in shown(), "a timeline")
        assert len(set(re.findall(r"\x1b\[[^m]*38;2;[\d;]+m", tmux("capture-pane", "-e", "-p", "-t", "0")))) > 20, "colours"
        tmux("send-keys", "-t", "0", " ")
        eventually(lambda: "paused" in shown().splitlines()[0], "a pause")
        tmux("send-keys", "-t", "0", "9")
        eventually(lambda: "volume 98 %" in shown(), "the volume")
        tmux("send-keys", "-t", "0", "?")
        eventually(lambda: "pause or play" in shown() and "▀" not in shown(), "the list of keys")
        tmux("send-keys", "-t", "0", "?")
        eventually(lambda: "▀" in shown(), "the picture again")
        tmux("resize-window", "-t", "0", "-x", columns - 10, "-y", rows - 2)
        eventually(lambda: all(len(line) <= columns - 10 for line in shown().splitlines()) and "▀" in shown(), "the smaller screen")
        tmux("send-keys", "-t", "0", "q")
        eventually(lambda: "status 0" in shown() and "▀" not in shown(), "the end, on the screen before")


@pytest.mark.long
def test_tui_without_a_terminal_plays(offline):
    done = offline("tui", "--sink", "null", clip("sound-short.mp4"))
    assert "enginectl: playing at" in done.stderr and not done.stdout


@pytest.mark.parametrize("command", ["tui", "play"])
def test_without_a_device_the_message_says_what_to_do(offline, command):
    done = offline(command, "--sink", "device:alsa:no-such-device", clip("sound-short.mp4"), expect=1)
    assert "cannot be opened" in done.stderr and "--sink null plays without audio" in done.stderr, done.stderr


def test_log_lines_are_separated_from_the_status_line(offline):
    with run_on_terminal(["serve", clip("h264-aac.mkv")], environment(offline.directory)) as (_, press, wait_for):
        wait_for("planned, complete")
        offline("load", "--audio", "99", clip("h264-aac.mkv"), expect=1)
        shown = wait_for("no audio track matches stream 99")
        wait_for("\n")
        assert re.search(rb"\r\x1b\[K[^\r\n]*no audio track matches stream 99[^\r\n]*\r\n", shown()), shown()
        press(b"\x03")
