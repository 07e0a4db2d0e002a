# SPDX-License-Identifier: Apache-2.0
"""A private session bus, and a media player on it as busctl and playerctl see it."""

import contextlib
import json
import os
import subprocess

from .engine import PATIENCE, eventually

NAME = "org.mpris.MediaPlayer2.engined"
PATH = "/org/mpris/MediaPlayer2"
ROOT, PLAYER = "org.mpris.MediaPlayer2", "org.mpris.MediaPlayer2.Player"


class SessionBus:
    """Runs until `end`, or until the test process exits."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["dbus-run-session", "--", "sh", "-c", 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address, "dbus-run-session says where its bus is"
        self.environment = dict(os.environ, DBUS_SESSION_BUS_ADDRESS=self.address)

    def busctl(self, *arguments):
        return subprocess.run(
            ["busctl", "--user", "--json=short", *map(str, arguments)], env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE)

    def names(self):
        return {each["name"] for each in json.loads(self.busctl("list").stdout)}

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)

    @contextlib.contextmanager
    def signals(self):
        """Records every signal of an object at the player's path, until the block ends."""
        command = ["busctl", "--user", "--json=short", f"--match=type='signal',path='{PATH}'", "monitor"]
        with open(os.memfd_create("signals"), "r+") as log:
            process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=subprocess.STDOUT)
            try:
                yield Signals(self, log.fileno())
            finally:
                process.terminate()
                process.wait(PATIENCE)


class Signals:
    def __init__(self, bus, descriptor):
        self.bus, self.descriptor = bus, descriptor
        eventually(lambda: "Monitoring bus message stream" in self._text(), "busctl to monitor")

    def _text(self):
        return os.pread(self.descriptor, 1 << 20, 0).decode()

    def all(self):
        messages = [json.loads(line) for line in self._text().splitlines() if line.startswith("{")]
        return [(each["member"], plain(each["payload"]["data"])) for each in messages if each["type"] == "signal"]

    def seeked(self):
        return [arguments[0] for member, arguments in self.all() if member == "Seeked"]

    def changed(self):
        """The changed properties of each PropertiesChanged signal."""
        return [arguments[1] for member, arguments in self.all() if member == "PropertiesChanged"]


def plain(value):
    """A value of busctl's JSON without its types."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        if set(value) == {"type", "data"}:
            return plain(value["data"])
        return {name: plain(each) for name, each in value.items()}
    return value


class MediaPlayer:
    def __init__(self, bus, name=NAME):
        self.bus, self.name = bus, name

    def get(self, name, interface=PLAYER):
        answer = self.bus.busctl("get-property", self.name, PATH, interface, name)
        assert answer.returncode == 0, answer.stderr
        return plain(json.loads(answer.stdout))

    def set(self, name, kind, value, interface=PLAYER):
        return self._words(self.bus.busctl("set-property", self.name, PATH, interface, name, kind, value))

    def call(self, member, *arguments, interface=PLAYER, path=PATH):
        """Returns the error message, or `None` on success. `arguments`: a signature, then the values."""
        return self._words(self.bus.busctl("call", self.name, path, interface, member, *arguments))

    def introspect(self, path=PATH):
        answer = self.bus.busctl("call", self.name, path, "org.freedesktop.DBus.Introspectable", "Introspect")
        return json.loads(answer.stdout)["data"][0]

    @staticmethod
    def _words(answer):
        return None if answer.returncode == 0 else answer.stderr.strip() or "refused"

    def playerctl(self, *arguments):
        answer = subprocess.run(["playerctl", "-p", "engined", *arguments], env=self.bus.environment, capture_output=True,
                                text=True, timeout=PATIENCE)
        assert answer.returncode == 0, answer.stderr
        return answer.stdout.strip()

    def wait_until(self, name, value):
        eventually(lambda: self.get(name) == value, f"{name} to be {value}")
