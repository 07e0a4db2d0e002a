# SPDX-License-Identifier: Apache-2.0
"""The clients of `examples/` build as their readers would build them, and do what they say."""

import contextlib
import os
import subprocess

import pytest
from harness.engine import PATIENCE, eventually
from harness.places import ROOT, clip


class Example:
    """A client that takes commands from stdin; what it says is collected."""

    def __init__(self, command, engine, log):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(each) for each in command], env=dict(os.environ, ENGINED_SOCKET=str(engine.socket)),
                stdin=subprocess.PIPE, stdout=output, stderr=output, text=True)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def heard(self):
        return self.log.read_text().splitlines()

    def wait(self, *parts, after=0):
        """Waits for a line with all of `parts` behind the first `after` lines; how many lines there are up to it."""
        def found():
            if count := next((number for number, line in enumerate(self.heard(), 1)
                              if number > after and all(part in line for part in parts)), 0):
                return count
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.heard()}"
            return None
        return eventually(found, f"a line with {parts} after {self.heard()}")


@contextlib.contextmanager
def running(command, engine, log):
    example = Example(command, engine, log)
    try:
        yield example
    finally:
        example.process.kill()
        example.process.wait()
        example.process.stdin.close()


@pytest.fixture(scope="session")
def swift_player():
    """The Swift example, built as a package of its own that depends on this one."""
    scratch = ROOT / ".build" / "examples" / "swift"
    build = ["swift", "build", "--package-path", ROOT / "examples/swift", "--scratch-path", scratch]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return scratch / "debug" / "player"


def test_swift_example(swift_player, start_engine, tmp_path):
    engine = start_engine()
    with running([swift_player, clip("h264-aac.mkv")], engine, tmp_path / "player.log") as player:
        player.wait("http://127.0.0.1:", "/master.m3u8")
        player.wait("playing")
        player.wait("at 1.")
        player.say("pause")
        at = player.wait("paused at ")
        for nonsense in ("rewind", "seek", "seek nan", ""):
            player.say(nonsense)
            at = player.wait("commands: play, pause", after=at)
        player.say("seek 10")
        at = player.wait("at 10.0, rate 1.0", after=at)

        engine.kill()
        at = player.wait("disconnected: ", after=at)
        engine = start_engine(directory=engine.directory)
        at = player.wait("connected", after=at)
        at = player.wait("paused", after=at)

        player.say("seek 23")
        at = player.wait("at 23.0", after=at)
        player.say("play")
        assert player.process.wait(PATIENCE) == 0, player.heard()
        assert player.heard()[-1] == "ended"


def test_swift_example_ends_with_its_session_and_says_what_fails(swift_player, start_engine, tmp_path):
    engine = start_engine()
    with running([swift_player, clip("h264-aac.mkv")], engine, tmp_path / "player.log") as player:
        player.wait("playing")
        player.say("stop")
        assert player.process.wait(PATIENCE) == 0, player.heard()
        assert player.heard()[-1] == "closed"
    with running([swift_player, tmp_path / "missing.mkv"], engine, tmp_path / "missing.log") as player:
        assert player.process.wait(PATIENCE) == 1
        assert "player: source_not_found: " in player.heard()[0]
    engine.end()
    with running([swift_player, clip("h264-aac.mkv")], engine, tmp_path / "nobody.log") as player:
        assert player.process.wait(PATIENCE) == 1
        assert "no engine listens on " in player.heard()[0]
