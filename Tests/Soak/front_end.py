# SPDX-License-Identifier: Apache-2.0
"""A front-end that plays the frame ring and the audio ring, and reports which frame and which sample are due at a
moment."""

import array
import os
import threading
import time

from harness.contract import frames_pb2
from harness.frames import Ended, Frames, Sound, frames_ticket

STEP = 0.01
# If a step comes later than this many seconds after the one before, it is not known what was audible in between.
BLINK = 0.1
KEPT = 3.0
NUMBER_BITS = 16


class AudioPlayer(threading.Thread):
    """Plays the audio ring like a device that runs on the system's clock."""

    def __init__(self, engine, session_id):
        super().__init__(daemon=True)
        answer = engine.stub.AttachAudio(frames_pb2.AttachAudioRequest(
            session_id=session_id, format=frames_pb2.PCM_FORMAT_F32, rate=48000, layout="mono", buffer_us=300_000))
        self.sound = Sound(answer.ticket, answer.socket_path)
        self.sound.socket.setblocking(False)
        self.lock = threading.Lock()
        self.generation, self.place, self.moment = None, 0.0, time.monotonic_ns()
        # The recent samples of this generation, the number of the first, and where each block begins.
        self.samples, self.first = array.array("f"), 0
        self.blocks = []
        self.trouble_at = time.monotonic()
        self.failure = None
        self.is_over = False
        self.start()

    def run(self):
        try:
            while not self.is_over:
                with self.lock:
                    self.step()
                time.sleep(STEP)
        except (Ended, OSError) as failure:
            self.failure = failure

    def step(self):
        sound, now = self.sound, time.monotonic_ns()
        passed, self.moment = (now - self.moment) / 1e9, now
        if passed > BLINK:
            self.trouble_at = now / 1e9
        generation = sound.generation
        if generation != self.generation:
            self.generation, first = generation, sound.read("Q", 144)
            self.place, self.samples, self.first, self.blocks = float(first), array.array("f"), first, []
            self.trouble_at = now / 1e9
        data = sound.take_samples()
        if sound.generation != self.generation:
            return
        if data:
            begin = sound.consumed - len(data) // sound.frame_bytes
            if begin != self.first + len(self.samples):
                self.samples, self.first = array.array("f"), begin
            self.samples.frombytes(data)
            self.forget()
            self.note_blocks()
        if sound.is_running:
            heard = self.place + passed * sound.rate
            if heard > sound.consumed:
                self.trouble_at = now / 1e9
            self.place = min(heard, float(sound.consumed))
        sound.report(int(self.place), now)
        self.nudge()

    def forget(self):
        surplus = len(self.samples) - int(KEPT * self.sound.rate)
        if surplus > 0:
            del self.samples[:surplus]
            self.first += surplus

    def note_blocks(self):
        """Records where and when each block begins, the newest last."""
        count = self.sound.read("Q", 168)
        last = self.blocks[-1][0] if self.blocks else max(0, count - 64)
        for number in range(max(last, count - 1024) + 1, count + 1):
            block = self.sound.read("QQQQq", 4096 + 64 * ((number - 1) % 1024))
            if block[0] == number and block[1] == self.generation:
                self.blocks.append((number, block[2], block[3], block[4]))
        del self.blocks[:-400]

    def nudge(self):
        """Signals that there is room again, and discards messages of the engine."""
        self.sound.ask()
        try:
            while True:
                self.sound.receive()
        except BlockingIOError:
            pass

    def time_of(self, place):
        """The time on the timeline of one sample of the ring, in microseconds. None if it is not known."""
        for index in range(len(self.blocks) - 1, -1, -1):
            _, first, count, at = self.blocks[index]
            if first <= place:
                if place >= first + count + self.sound.rate:
                    return None
                if index + 1 < len(self.blocks):
                    following = self.blocks[index + 1]
                    share = (place - first) / max(1, following[1] - first)
                    if 0 <= following[3] - at < 1_000_000:
                        return at + share * (following[3] - at)
                if index > 0:
                    before = self.blocks[index - 1]
                    speed = (at - before[3]) / max(1, first - before[1])
                    return at + (place - first) * speed
                return None
        return None

    def heard(self):
        """The time on the timeline that is heard now, and the moment. None for a second after an interruption."""
        with self.lock:
            if time.monotonic() - self.trouble_at < 1 or not self.sound.is_running or not self.blocks:
                return None
            at = self.time_of(self.place)
            return None if at is None else (at, self.moment)

    def beeps(self):
        """The time at which each beep in the recent samples begins, and its tone in Hz."""
        with self.lock:
            samples, first, rate = self.samples[:], self.first, self.sound.rate
            if not samples:
                return []
            loud = max(max(samples), -min(samples)) * 0.25
            if loud < 0.005:
                return []
            found, quiet_since = [], 0
            for index in range(0, len(samples), 4):
                if abs(samples[index]) > loud:
                    if index - quiet_since > rate // 4:
                        found.append(index)
                    quiet_since = index
            result = []
            for index in found:
                tone = samples[index + rate // 20:index + rate // 20 * 3]
                at = self.time_of(first + index)
                if at is not None and len(tone) == rate // 10:
                    crossings = sum(one < 0 <= other for one, other in zip(tone, tone[1:]))
                    result.append((at, crossings * 10))
            return result

    def close(self):
        self.is_over = True
        self.join()
        self.sound.close()
        close_descriptors(self.sound)


class Display(threading.Thread):
    """Shows the frames of the ring, like a display that refreshes fifty times a second."""

    def __init__(self, engine, session_id, **wishes):
        super().__init__(daemon=True)
        answer = frames_ticket(engine, session_id, frames_pb2.FRAME_PACE_REALTIME, **wishes)
        self.frames = Frames(answer.ticket, answer.socket_path)
        self.lock = threading.Lock()
        self.shown = None
        self.shown_since = time.monotonic()
        self.looks = self.pictures = self.wrong = 0
        self.faults = []
        self.generation, self.newest_sequence, self.done = 0, 0, set()
        self.reads_numbers = not wishes
        # Returns text that is added to the description of a fault.
        self.context = lambda: ""
        self.failure = None
        self.is_over = False
        self.start()

    def run(self):
        try:
            self.frames.socket.setblocking(False)
            while not self.is_over:
                with self.lock:
                    self.look()
                self.nudge()
                time.sleep(0.02)
        except (Ended, OSError) as failure:
            self.failure = failure

    def nudge(self):
        self.frames.ask()
        try:
            while True:
                self.frames.receive()
        except BlockingIOError:
            pass

    def position(self):
        """The position of the playhead according to the ring, the moment and the rate. None while the ring has none."""
        clock = self.frames.clock()
        if not clock or clock[3] != self.frames.generation:
            return None
        now = time.monotonic_ns()
        return clock[0] + (now - clock[2]) / 1000 * clock[1], now, clock[1]

    def look(self):
        self.looks += 1
        self.check_generations()
        now = self.position()
        if not now:
            return
        generation = self.frames.generation
        picture = self.frames.newest(int(now[0]), self.shown)
        if picture is None or self.shown and picture.sequence == self.shown.sequence:
            return
        if picture.generation != generation and self.frames.generation == generation:
            self.faults.append(f"picture {picture.sequence} of generation {picture.generation} shown in {generation}")
        self.pictures += 1
        self.shown, self.shown_since = picture, time.monotonic()
        if self.reads_numbers:
            number = self.number(picture)
            if number is not None and number != picture.time_us // 40_000:
                self.wrong += 1
                self.faults.append(
                    f"picture number {number} says it is shown at {picture.time_us} µs: {picture.sequence} of generation "
                    f"{picture.generation}, flags {picture.flags}, the playhead {now[0]:.0f} µs at rate {now[2]:g}; {self.context()}")

    def check_generations(self):
        """Checks that after the first frame of a generation, no frame of an earlier one appears."""
        for picture in sorted(self.frames.slots(), key=lambda each: each.sequence):
            if picture.sequence <= self.newest_sequence:
                continue
            self.newest_sequence = picture.sequence
            if picture.generation == self.generation:
                continue
            if picture.generation in self.done:
                self.faults.append(f"picture {picture.sequence} is of generation {picture.generation}, which was over")
            self.done.add(self.generation)
            self.generation = picture.generation

    def number(self, picture):
        """The number that the blocks of the frame show. None if filters have made it unreadable."""
        offset, stride, rows, count = picture.planes[0]
        if (rows, count) != (96, 256):
            return None
        number = 0
        for bit in range(NUMBER_BITS):
            x = bit * 16 + 8
            high, low = self.frames.ring[offset + 24 * stride + x], self.frames.ring[offset + 72 * stride + x]
            if abs(high - low) < 40:
                return None
            number = number << 1 | (high > low)
        # A frame that was discarded in the meantime may have been overwritten.
        return number if self.frames.read("Q", self.header(picture)) == picture.sequence else None

    def header(self, picture):
        return self.frames.read("Q", 16) + picture.slot * self.frames.read("I", 12)

    def close(self):
        self.is_over = True
        self.join()
        self.frames.close()
        self.shown = None
        close_descriptors(self.frames)


def close_descriptors(attachment):
    for each in attachment.descriptors:
        os.close(each)
