# SPDX-License-Identifier: Apache-2.0
"""The events of one session's watch: the state assembled from them, all seeks and notices, and any contradictions."""

import collections
import threading
import time

import grpc
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE

# The fields of SessionState in each group of StateField (state.proto).
GROUPS = {
    "IDENTITY": ("source", "url", "storyboard_url"), "PHASE": ("phase", "error"), "POSITION": ("position",),
    "DURATION": ("duration_us", "seekable"), "BUFFERED": ("buffered",), "PRODUCTION": ("production",), "MEDIA": ("media",),
    "FORMAT": ("video_format", "source_video_format", "route", "route_reason", "profile", "path"),
    "AUDIO": ("selected_audio",), "SETTINGS": ("volume", "muted", "looping", "rate_range"), "CHAPTER": ("current_chapter",),
    "METADATA": ("metadata", "cover_art_url"), "STATISTICS": ("statistics",), "RENDERER": ("renderer",),
    "SUBTITLES": ("subtitle_tracks", "selected_subtitles"), "FILTERS": ("adjustments", "filters", "overlays"),
    "GUIDE": ("guide",),
}
FIELDS = {state_pb2.StateField.Value(f"STATE_FIELD_{name}"): fields for name, fields in GROUPS.items()}
BEGAN, LANDED, SUPERSEDED, REJECTED, STALLED = (
    getattr(engine_pb2, f"SEEK_STAGE_{name}") for name in ("BEGAN", "LANDED", "SUPERSEDED", "REJECTED", "STALLED"))
ENDS = (LANDED, SUPERSEDED, REJECTED)


def place(position, moment_ns=None):
    """The position of a playhead at a moment, in microseconds."""
    moment_ns = moment_ns or time.monotonic_ns()
    return position.position_us + position.rate * (moment_ns - position.monotonic_ns) / 1000


class Mirror:
    def __init__(self, engine, session_id):
        self.engine, self.id = engine, session_id
        self.state = None
        self.faults = []
        self.seeks = collections.defaultdict(list)
        self.notices, self.words = collections.Counter(), {}
        self.events = self.commands = self.compared = 0
        self.skipped_revisions = 0
        self.slowest = 0.0
        self.is_closing = False
        self._waiting = []
        self._changed = threading.Condition()
        self.call = engine.stub.Watch(engine_pb2.WatchRequest(session_id=session_id, time_interval_us=500_000))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.wait(lambda: self.state is not None, "the snapshot")

    def _run(self):
        try:
            for event in self.call:
                with self._changed:
                    self.events += 1
                    getattr(self, f"_{event.WhichOneof('event')}", lambda event: None)(event)
                    self._changed.notify_all()
        except grpc.RpcError as error:
            if not self.is_closing:
                self.faults.append(f"the watch broke off: {error.code()}")

    def _snapshot(self, event):
        if self.state is not None:
            self.faults.append("a second snapshot")
        self.state = event.snapshot

    def _delta(self, event):
        if event.revision <= self.state.revision:
            self.faults.append(f"revision {event.revision} after {self.state.revision}")
        self.skipped_revisions += event.revision - self.state.revision - 1
        following = state_pb2.SessionState()
        following.CopyFrom(self.state)
        for group in event.delta.fields:
            for field in FIELDS[group]:
                following.ClearField(field)
        following.MergeFrom(event.delta.state)
        following.revision = event.revision
        self.state = following
        if following.phase == state_pb2.PHASE_ERROR:
            self.faults.append(f"an error: {following.error}")
        now = time.monotonic()
        while self._waiting and self._waiting[0][0] <= event.revision:
            self.slowest = max(self.slowest, now - self._waiting.pop(0)[1])

    def _seek(self, event):
        stages = self.seeks[event.seek.id]
        if stages and stages[-1] in ENDS or not stages and event.seek.stage not in (BEGAN, REJECTED):
            self.faults.append(f"seek {event.seek.id}: stage {event.seek.stage} after {stages}")
        stages.append(event.seek.stage)

    def _notice(self, event):
        self.notices[event.notice.code] += 1
        self.words[event.notice.code] = event.notice.message

    def _gap(self, event):
        self.faults.append(f"{event.gap.dropped} notices or seeks were dropped")

    def answered(self, answer):
        """Notes the answer of a command: the watch must report its change, too."""
        with self._changed:
            self.commands += 1
            if answer.revision > self.state.revision:
                self._waiting.append((answer.revision, time.monotonic()))
                self._waiting.sort()
        return answer

    def wait(self, condition, what, seconds=PATIENCE):
        with self._changed:
            if not self._changed.wait_for(condition, seconds):
                raise AssertionError(f"session {self.id}: waited {seconds} s for: {what}; {self.describe()}")
        return self.state

    def describe(self):
        state = self.state
        return state and f"{state_pb2.Phase.Name(state.phase)} at {state.position}, revision {state.revision}"

    def wait_for_phase(self, *phases):
        names = " or ".join(state_pb2.Phase.Name(each) for each in phases)
        return self.wait(lambda: self.state.phase in phases, names)

    def over(self, seek_id):
        """Waits for the end of a seek, and returns its last stage."""
        if seek_id:
            self.wait(lambda: self.seeks[seek_id][-1:] and self.seeks[seek_id][-1] in ENDS, f"the end of seek {seek_id}")
            return self.seeks[seek_id][-1]

    def settle(self):
        """Waits until the watch has reported all commands and seeks, and compares its state with that of GetState."""
        self.wait(lambda: not self._waiting, "the results of commands")
        self.wait(lambda: all(stages[-1] in ENDS for stages in self.seeks.values()), "the end of every seek")
        if self.seeks and sorted(self.seeks) != list(range(min(self.seeks), max(self.seeks) + 1)):
            self.faults.append(f"numbers of seeks are missing: {sorted(self.seeks)[-20:]}")
        for _ in range(50):
            asked = self.engine.state(self.id)
            self.wait(lambda: self.state.revision >= asked.revision, "the watch to catch up")
            watched = self.state
            if watched.revision == asked.revision:
                self.compared += 1
                if watched != asked:
                    self.faults.append(f"revision {asked.revision}: watched {different(watched, asked)}")
                return
        self.faults.append("the state never stands still")

    def close(self):
        self.is_closing = True
        self.call.cancel()
        self.thread.join(PATIENCE)


def different(watched, asked):
    fields = [field.name for field in asked.DESCRIPTOR.fields]
    return [(name, str(getattr(watched, name))[:200], str(getattr(asked, name))[:200]) for name in fields
            if getattr(watched, name) != getattr(asked, name)]
