# SPDX-License-Identifier: Apache-2.0
"""Compares the position that is published, shown and heard while no commands are sent."""

import time

from harness.contract import state_pb2
from mirror import place

# The frequency of each track's beeps (scripts/fixtures-soak), and how many samples its encoder adds at the start.
TRACKS = {"aac": (500, 1024), "ac3": (800, 256), "mp2": (1100, 481)}


class Offsets:
    """Deviations of one kind, in milliseconds."""

    def __init__(self, name):
        self.name, self.values = name, []

    def add(self, microseconds):
        self.values.append(microseconds / 1000)

    @property
    def worst(self):
        return max(map(abs, self.values), default=0.0)

    @property
    def median(self):
        return sorted(map(abs, self.values))[len(self.values) // 2] if self.values else 0.0


class Witness:
    def __init__(self, mirror):
        self.mirror = mirror
        self.published = Offsets("published position - that of the pictures' ring")
        self.sound = Offsets("published position - what is heard")
        self.pictures = Offsets("pictures' ring - what is heard")
        self.beeps = Offsets("beeps - whole seconds")
        self.late = Offsets("end of the picture shown - position, where that is later")
        self.faults = []
        self.unseen = 0

    def compare(self, display, audio_player):
        """Compares the positions at one moment. No command may have been sent for a while."""
        state = self.mirror.state
        ring, heard = display.position(), audio_player.heard()
        if state.phase != state_pb2.PHASE_PLAYING or not ring or not heard or ring[2] != state.position.rate:
            self.unseen += 1
            return
        self.published.add(place(state.position, ring[1]) - ring[0])
        self.sound.add(place(state.position, heard[1]) - heard[0])
        self.pictures.add(ring[0] - (ring[1] - heard[1]) / 1000 * ring[2] - heard[0])
        shown = display.shown
        if shown:
            self.late.add(max(0, ring[0] - shown.time_us - shown.duration_us))

    def listen(self, audio_player):
        """Checks the last seconds: beeps must begin at whole seconds and be those of the selected track."""
        state = self.mirror.state
        selected = next(each for each in state.media.streams if each.index == state.selected_audio.stream_index)
        for at, tone in audio_player.beeps():
            wanted, delay = TRACKS[selected.codec]
            self.beeps.add((at - delay / 0.048 + 500_000) % 1_000_000 - 500_000)
            if abs(tone - wanted) > 40:
                self.faults.append(f"{tone} Hz at {at} µs, where {selected.codec} is selected")

    @property
    def all(self):
        return [self.published, self.sound, self.pictures]


class Line:
    """Checks a playhead without a display or device to compare it with: it must move as evenly as the clock."""

    def __init__(self, mirror):
        self.mirror = mirror
        self.drift = Offsets("playhead of the session that is fetched - the clock")
        self.start = None

    def look(self):
        state, now = self.mirror.state, time.monotonic_ns()
        if state.phase != state_pb2.PHASE_PLAYING:
            self.start = None
        elif self.start is None:
            self.start = now, place(state.position, now), state.statistics.stalls
        elif self.start[2] != state.statistics.stalls:
            self.start = None
        else:
            self.drift.add(place(state.position, now) - self.start[1] - (now - self.start[0]) / 1000 * state.position.rate)
