# SPDX-License-Identifier: Apache-2.0
"""Thousands of watches: a socket and one HTTP/2 stream each, read by one thread."""

import selectors
import socket
import time

from .contract import engine_pb2
from .engine import PATIENCE
from .http2 import DATA, HEADERS, PREFACE, SETTINGS, WINDOW, call, frame

LARGE = (0x7FFF0000).to_bytes(4, "big")


def opening(request):
    """The bytes that a watching client sends: the largest possible windows, then the call."""
    message = request.SerializeToString()
    body = b"\0" + len(message).to_bytes(4, "big") + message
    return (PREFACE + frame(SETTINGS, 0, 0, b"\0\4" + LARGE) + frame(WINDOW, 0, 0, LARGE)
            + frame(HEADERS, 4, 1, call("/engine.v1.Engine/Watch")) + frame(DATA, 1, 1, body))


class RawWatch:
    """One watch. Stores every snapshot and every change that it has read."""

    def __init__(self, engine, request):
        self.events = []
        self.is_over = False
        self.socket = socket.socket(socket.AF_UNIX)
        # Without a timeout, which would turn a full accept queue into a failure.
        self.socket.connect(str(engine.socket))
        self.socket.settimeout(PATIENCE)
        self.socket.sendall(opening(request))
        self._input = b""
        self._body = b""

    def read(self):
        data = self.socket.recv(1 << 16)
        self.is_over = self.is_over or not data
        self._input += data
        while len(self._input) >= 9:
            size, kind, flags = int.from_bytes(self._input[:3], "big"), self._input[3], self._input[4]
            if len(self._input) < 9 + size:
                return
            payload, self._input = self._input[9:9 + size], self._input[9 + size:]
            if kind == DATA:
                self._take(payload)
            elif kind == SETTINGS and not flags & 1:
                self.socket.sendall(frame(SETTINGS, 1, 0))
            elif kind == HEADERS and flags & 1:
                self.is_over = True

    def _take(self, payload):
        self._body += payload
        while len(self._body) >= 5:
            size = int.from_bytes(self._body[1:5], "big")
            if len(self._body) < 5 + size:
                return
            event = engine_pb2.WatchEvent.FromString(self._body[5:5 + size])
            if event.HasField("snapshot") or event.HasField("delta"):
                self.events.append(event)
            self._body = self._body[5 + size:]

    @property
    def revision(self):
        return self.events[-1].revision if self.events else 0


def read_until(watches, condition, what):
    """Reads all watches until each of them satisfies `condition`."""
    waiting = {watch for watch in watches if not condition(watch)}
    end = time.monotonic() + PATIENCE
    with selectors.DefaultSelector() as selector:
        for watch in waiting:
            selector.register(watch.socket, selectors.EVENT_READ, watch)
        while waiting:
            assert time.monotonic() < end, f"{len(waiting)} of {len(watches)} watches waited for: {what}"
            for key, _ in selector.select(1):
                watch = key.data
                watch.read()
                assert not watch.is_over, "a watch has ended"
                if condition(watch):
                    waiting.discard(watch)
                    selector.unregister(watch.socket)
