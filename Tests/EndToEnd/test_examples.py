# SPDX-License-Identifier: Apache-2.0
"""The example clients, built as their readers would build them and run against an engine.

The Python examples are run by the tests of their subject: `watch.py` in test_control.py, `renderer_mpv.py` in
test_renderer.py.
"""

import os
import signal
import subprocess
import threading
import time

import pytest
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.examples import swift_programs
from harness.places import ROOT, clip

SANITIZED = "-g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all"


@pytest.fixture(scope="module")
def c_example(tmp_path_factory):
    """examples/c, compiled so that leaks and invalid memory accesses end it with a distinct status."""
    build = tmp_path_factory.mktemp("c")
    done = subprocess.run(
        ["make", "-C", ROOT / "examples/c", f"BUILD={build}", f"CFLAGS={SANITIZED}"],
        capture_output=True, text=True, timeout=PATIENCE * 20)
    assert done.returncode == 0, done.stdout + done.stderr
    return build / "watch"


@pytest.fixture(scope="module")
def swift_example():
    return swift_programs() / "player"


class Running:
    """A running example: its lines as they arrive, its commands through stdin."""

    def __init__(self, program, socket, *arguments):
        self.lines = []
        self.process = subprocess.Popen(
            [program, *arguments], env=dict(os.environ, ENGINED_SOCKET=str(socket)), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True)
        self.reader.start()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self, text, after=0):
        """The number of the first line from `after` on that contains the text, once it has arrived."""
        def found():
            has_ended = not self.reader.is_alive()
            numbers = [at for at, line in enumerate(list(self.lines)) if at >= after and text in line]
            assert numbers or not has_ended, f"no {text!r} in\n{self.text()}"
            return numbers
        return eventually(found, repr(text))[0]

    def text(self):
        return "".join(self.lines)

    def end(self):
        """The exit code, once it has exited by itself."""
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join(PATIENCE)
            self.process.stdin.close()
        return code

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_c_example_watches_and_controls_a_session(c_example, engine):
    watch = Running(c_example, engine.socket, clip("h264-aac.mkv"))
    assert watch.wait("http://127.0.0.1:") == 0 and watch.lines[0].endswith("/master.m3u8\n")
    # It watches and plays immediately, so earlier phases may go unseen.
    at = watch.wait("phase PLAYING at 0")
    watch.wait("time ", at)
    watch.say("pause")
    at = watch.wait("phase PAUSED", at)
    watch.say("seek 12.5")
    at = watch.wait("LANDED 12.50 s", at)
    watch.wait("BEGAN 12.50 s")
    watch.say("jump")
    watch.wait("not: jump")
    watch.say("seek 4\nplay")
    at = watch.wait("phase PLAYING at 4", at)
    watch.say("stop")
    assert watch.end() == 0, watch.text()
    assert watch.lines[-1] == "closed\n" and "failed" not in watch.text(), watch.text()
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions


@pytest.mark.long
def test_c_example_idles_without_cpu_and_ends_at_end_of_input(c_example, engine):
    watch = Running(c_example, engine.socket, clip("h264-aac.mkv"))
    watch.say("pause")
    watch.wait("phase PAUSED")
    before = watch.cpu_seconds()
    time.sleep(1)
    assert watch.cpu_seconds() - before < 0.2
    watch.process.stdin.close()
    assert watch.end() == 0 and watch.lines[-1] == "closed\n", watch.text()


@pytest.mark.parametrize("source, words", [
    ("missing.mkv", "Load failed: NOT_FOUND [source_not_found] source_not_found: "),
    ("", "Load failed: FAILED_PRECONDITION [source_not_readable] source_not_readable: "),
])
def test_c_example_prints_typed_errors(c_example, engine, tmp_path, source, words):
    watch = Running(c_example, engine.socket, tmp_path / source)
    assert watch.end() == 1 and watch.text().startswith(words), watch.text()
    assert len(watch.lines) == 1


def test_c_example_reports_a_missing_engine(c_example, tmp_path):
    watch = Running(c_example, tmp_path / "nobody.sock", clip("h264-aac.mkv"))
    assert watch.end() == 1 and watch.text().endswith("nobody.sock: No such file or directory\n"), watch.text()


def test_c_example_ends_when_the_engine_is_killed(c_example, start_engine):
    engine = start_engine()
    watch = Running(c_example, engine.socket, clip("h264-aac.mkv"))
    watch.wait("time ")
    engine.kill()
    assert watch.end() == 1, watch.text()
    assert watch.lines[-1] == "Watch failed: UNAVAILABLE [] the connection is gone\n", watch.text()


def test_c_example_ends_when_the_engine_shuts_down(c_example, start_engine):
    engine = start_engine()
    watch = Running(c_example, engine.socket, clip("h264-aac.mkv"))
    watch.wait("time ")
    engine.process.send_signal(signal.SIGTERM)
    assert watch.end() == 1, watch.text()
    assert "Watch failed: UNAVAILABLE" in watch.lines[-1], watch.text()
    assert engine.process.wait(PATIENCE) == 0


@pytest.mark.long
def test_swift_example_watches_and_controls_a_session(swift_example, start_engine):
    engine = start_engine()
    player = Running(swift_example, engine.socket, clip("h264-aac.mkv"))
    assert player.wait("http://127.0.0.1:") == 0 and player.lines[0].endswith("/master.m3u8\n")
    at = player.wait("at ", player.wait("playing"))
    player.say("pause")
    at = player.wait("paused at ", at)
    for nonsense in ("rewind", "seek", "seek nan", ""):
        player.say(nonsense)
        at = player.wait("commands: play, pause", at + 1)
    player.say("seek 20")
    at = player.wait("paused at 20.0, rate 1.0", at)

    # After a kill, a new engine knows about its sessions only what is in the journal.
    engine.kill()
    at = player.wait("disconnected: ", at)
    start_engine(directory=engine.directory)
    at = player.wait("paused", player.wait("connected\n", at + 1))
    player.say("play")
    at = player.wait("at 20.", at)
    player.wait("ended", at)
    assert player.end() == 0, player.text()


@pytest.mark.long
def test_swift_example_ends_with_its_session(swift_example, engine):
    player = Running(swift_example, engine.socket, clip("h264-aac.mkv"))
    player.wait("playing")
    player.say("stop")
    assert player.end() == 0 and "closed\n" in player.lines, player.text()


@pytest.mark.long
def test_swift_example_prints_typed_errors(swift_example, engine, tmp_path):
    player = Running(swift_example, engine.socket, tmp_path / "missing.mkv")
    assert player.end() == 1 and player.text().startswith("player: source_not_found: "), player.text()
    player = Running(swift_example, tmp_path / "nobody.sock", clip("h264-aac.mkv"))
    assert player.end() == 1 and "no engine listens on " in player.text(), player.text()
