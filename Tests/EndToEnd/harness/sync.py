# SPDX-License-Identifier: Apache-2.0
"""A front-end that measures how far apart a flash and its beep are, in a film with one of each every second.

A flash is the moment when the playhead, as the frame ring reports it, reaches a bright frame that follows a dark one. A
beep is the moment when its first sample is played by a device that plays evenly and reports its position. Both are
computed for the moment itself, not for the moment of observation. Beeps near a moment when the device ran dry are
ignored.
"""

import collections
import threading
import time

import numpy

# The step in samples at which the audio is examined: a sixth of a period of the beep.
STEP = 8
RECOVERY = 0.5


class Speaker(threading.Thread):
    """Plays the audio ring evenly, and notes when a beep is heard."""

    def __init__(self, sound):
        super().__init__(daemon=True)
        self.sound = sound
        sound.socket.setblocking(False)
        self.beeps = []
        self.trouble = []
        self.is_over = False

    def run(self):
        sound, generation, place, onsets = self.sound, None, 0.0, []
        quiet_until, last = 0, time.monotonic()
        while not self.is_over:
            moment = time.monotonic()
            if sound.generation != generation:
                generation, first = sound.read("QQ", 136)
                place, onsets, quiet_until = float(first), [], 0
            data = sound.take_samples()
            if data and sound.generation == generation:
                samples = numpy.frombuffer(data, "<f4")[::STEP * sound.channels]
                begin = sound.consumed - len(data) // sound.frame_bytes
                for index in numpy.flatnonzero(numpy.abs(samples) > 0.1).tolist():
                    place_of_sample = begin + index * STEP
                    if place_of_sample >= quiet_until:
                        onsets.append(place_of_sample)
                    quiet_until = place_of_sample + sound.rate // 4
            if sound.is_running:
                place += (moment - last) * sound.rate
                if place > sound.consumed:
                    place = float(sound.consumed)
                    self.trouble.append(moment)
            last = moment
            while onsets and onsets[0] <= place:
                self.beeps.append(moment - (place - onsets.pop(0)) / sound.rate)
            sound.report(int(place), int(moment * 1e9))
            self.nudge()
            time.sleep(0.003)

    def nudge(self):
        """Asks the engine for more audio, and discards its messages."""
        self.sound.ask()
        try:
            while self.sound.socket.recv(4096):
                pass
        except BlockingIOError:
            pass

    def end(self):
        self.is_over = True
        self.join()


class Witness:
    """Watches the frames while a speaker plays."""

    def __init__(self, frames, sound):
        self.frames = frames
        self.flashes = []
        self.speaker = Speaker(sound)
        self.speaker.start()
        self.shown = None
        # The last frame examined, whether it was bright, and the bright frames after dark ones that are not yet due.
        self.last, self.was_bright, self.coming = None, True, []

    def look(self, seconds):
        """Watches for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.glance()
            time.sleep(0.002)

    def glance(self):
        clock = self.frames.clock()
        if not clock or clock[3] != self.frames.generation or clock[1] == 0:
            return
        position, rate, moment, generation = clock
        for picture in sorted(self.frames.slots(), key=lambda each: each.sequence):
            if self.last is None or picture.sequence > self.last.sequence:
                self.examine(picture)
        place = position + int((time.monotonic_ns() - moment) / 1000 * rate)
        self.shown = self.frames.newest(place, self.shown)
        self.coming = [each for each in self.coming if each.generation == generation]
        while self.coming and self.coming[0].time_us <= place:
            self.flashes.append(moment / 1e9 + (self.coming.pop(0).time_us - position) / 1e6 / rate)

    def examine(self, picture):
        """Notes a bright frame that directly follows a dark one. Without the frame before it, the start of a flash is
        unknown."""
        last, self.last = self.last, picture
        row = next(iter(picture.rows()))
        is_bright = sum(row[:16]) / 16 > 128
        follows = last and last.generation == picture.generation and picture.time_us - last.time_us < 1.5 * last.duration_us
        if is_bright and follows and not self.was_bright:
            self.coming.append(picture)
        self.was_bright = is_bright

    def reset(self):
        self.flashes, self.speaker.beeps = [], []

    def offsets(self):
        """Flash minus beep, in milliseconds, of each pair."""
        trouble = list(self.speaker.trouble)
        found = []
        for beep in list(self.speaker.beeps):
            if any(-0.1 < beep - each < RECOVERY for each in trouble):
                continue
            nearest = min(self.flashes, key=lambda flash: abs(flash - beep), default=None)
            if nearest is not None and abs(nearest - beep) < 0.4:
                found.append((nearest - beep) * 1000)
        return found

    def close(self):
        self.speaker.end()


def histogram(offsets):
    """The number of measurements in each millisecond."""
    counted = collections.Counter(round(each) for each in offsets)
    return ", ".join(f"{offset:+d} ms: {count}" for offset, count in sorted(counted.items()))
