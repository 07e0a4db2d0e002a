# SPDX-License-Identifier: Apache-2.0
"""The cue events and the notices of a watch."""

import threading
import time

import grpc

from .contract import engine_pb2, state_pb2, subtitles_pb2
from .engine import PATIENCE

APPEARED, DISAPPEARED, AHEAD = (
    subtitles_pb2.CUE_STAGE_APPEARED, subtitles_pb2.CUE_STAGE_DISAPPEARED, subtitles_pb2.CUE_STAGE_AHEAD)


class Cues:
    """The cue events of a watch, each with the position of the playhead when it arrived."""

    def __init__(self, engine, **options):
        self.events, self.position = [], None
        self.call = engine.stub.Watch(engine_pb2.WatchRequest(time_interval_us=-1, **options))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            for event in self.call:
                kind = event.WhichOneof("event")
                if kind == "snapshot" or kind == "delta" and state_pb2.STATE_FIELD_POSITION in event.delta.fields:
                    self.position = (event.snapshot if kind == "snapshot" else event.delta.state).position
                if kind == "cue":
                    age = time.monotonic_ns() - self.position.monotonic_ns
                    place = self.position.position_us + self.position.rate * age / 1000
                    self.events.append((event.cue, place))
        except grpc.RpcError:
            pass

    def texts(self, stage, track=None):
        return [event.cue.text.plain for event, _ in list(self.events)
                if event.stage == stage and track in (None, event.cue.track)]

    def end(self):
        self.call.cancel()
        self.thread.join(PATIENCE)


class Notices:
    """The codes of the notices of a watch, and their texts."""

    def __init__(self, engine):
        self.codes, self.texts = [], []
        self._call = engine.stub.Watch(engine_pb2.WatchRequest(all_sessions=True))
        # The response headers come when the watch has begun: it misses no later notice.
        self._call.initial_metadata()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            for event in self._call:
                if event.WhichOneof("event") == "notice":
                    self.texts.append(event.notice.message)
                    self.codes.append(event.notice.code)
        except grpc.RpcError:
            pass

    def end(self):
        self._call.cancel()
        self._thread.join(PATIENCE)
