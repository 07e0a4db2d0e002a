# SPDX-License-Identifier: Apache-2.0
"""The transcript in docs/ipc.md is accurate: it is replayed against an engine, line by line."""

import queue
import re
import threading
import time

import grpc
import pytest
from google.protobuf import json_format
from harness import hls, transcript
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ROOT, clip

METHODS = engine_pb2.DESCRIPTOR.services_by_name["Engine"].methods_by_name
FILM = "/films/film.mkv"


def documented_steps():
    """The lines of the document, with the path of a real film."""
    text = (ROOT / "docs/ipc.md").read_text()
    block = re.search(r"^## A transcript$.*?^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert block, "docs/ipc.md has no transcript"
    return transcript.steps(block[1].replace(FILM, str(clip("h264-aac.mkv"))))


class Stream:
    """A streaming call: its requests and its events, in order."""

    def __init__(self, stub, method, request):
        self.requests, self.events = queue.Queue(), queue.Queue()
        self.waiting = []
        if method.client_streaming:
            self.requests.put(request)
            self.call = getattr(stub, method.name)(iter(self.requests.get, None))
        else:
            self.call = getattr(stub, method.name)(request)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        try:
            for event in self.call:
                self.events.put(transcript.plain(event))
            self.events.put("OK")
        except grpc.RpcError as error:
            self.events.put(error.code().name)

    def next(self, expected):
        """The next event of the expected kind. Events of one kind are in order, but different kinds may be interleaved
        in any order. Unexpected time events are ignored."""
        kind, at = kind_of(expected), 0
        while True:
            while at < len(self.waiting) and kind_of(self.waiting[at]) != kind:
                at += 1
            if at < len(self.waiting):
                return self.waiting.pop(at)
            self.waiting.append(self.events.get(timeout=PATIENCE))

    def left(self):
        while not self.events.empty():
            self.waiting.append(self.events.get())
        return [event for event in self.waiting if kind_of(event) != "time"]


def kind_of(event):
    return next((kind for kind in ("time", "seek", "notice") if kind in event), "state")


class Replay:
    def __init__(self, engine):
        self.stub, self.streams, self.known = engine.stub, {}, {}
        self.answer = None

    def ask(self, name, message):
        method = METHODS[name]
        request = json_format.ParseDict(message, getattr(engine_pb2, method.input_type.name)())
        if name in self.streams:
            self.streams[name].requests.put(request)
        elif method.server_streaming:
            self.streams[name] = Stream(self.stub, method, request)
        else:
            try:
                self.answer = transcript.plain(getattr(self.stub, name)(request, timeout=PATIENCE))
            except grpc.RpcError as error:
                self.answer = f"{error.code().name} {error.details()}"
        if name == "Load" and isinstance(self.answer, dict):
            # The changes from media production depend on the machine: have all of it produced and published first.
            for url in hls.Master(self.answer["url"]).everything():
                hls.fetch(url)
            eventually(self.is_quiet, "nothing changes any more")

    def is_quiet(self):
        """Whether nothing has changed for longer than statistics may be delayed."""
        before = self.stub.GetState(engine_pb2.SessionRequest(), timeout=PATIENCE).revision
        time.sleep(1.5)
        return self.stub.GetState(engine_pb2.SessionRequest(), timeout=PATIENCE).revision == before

    def take(self, arrow, name, message, words):
        if arrow == "→":
            return self.ask(name, message)
        expected = words if message is None else message
        found = self.answer if arrow == "←" else self.streams[name].next(expected)
        wrong = transcript.difference(expected, found, self.known)
        assert wrong is None, f"{arrow} {name or ''} {expected}: {wrong}"


def test_the_transcript_is_accurate(fresh_engine):
    replay, steps = Replay(fresh_engine), documented_steps()
    assert {name for arrow, name, *_ in steps if arrow == "→"} >= {"Load", "Watch", "Play", "Seek", "Render", "Stop"}
    for step in steps:
        replay.take(*step)
    for stream in replay.streams.values():
        assert not stream.left()
        stream.requests.put(None)


@pytest.mark.parametrize("expected, found", [
    ("{a: 1}", {"a": 2}), ("{a: 1}", {"a": 1, "b": 2}), ("{a: 1, b: 2}", {"a": 1}), ("{a: 1, …}", {"b": 1}),
    ("{a: [X, Y]}", {"a": ["X"]}), ("{a: [X, Y]}", {"a": ["X", "Z"]}), ("{a: <n>, b: <n>}", {"a": 1, "b": 2}),
    ('{a: "x<n>/", b: <n>}', {"a": "x7/", "b": "8"}), ('{a: "x<n>"}', {"a": "y7"}), ("{a: {}}", {"a": {"b": 1}}),
    ("{a: true}", {"a": False}),
])
def test_differences_from_the_transcript_are_detected(expected, found):
    assert transcript.difference(transcript.parse(expected), found, {}) is not None
