#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the time and the MD5 of each decoded frame of a file, as `ffmpeg -f framemd5` does.

    pip install grpcio grpcio-tools
    python3 examples/python/frames.py FILE [COUNT]

The engine must be running; its socket is $ENGINED_SOCKET or $XDG_RUNTIME_DIR/engined/engined.sock. The frames are read
in place, in the engine's memory, whose layout is in docs/frames.md. Reading them requires only the standard library.
"""

import hashlib
import mmap
import os
import pathlib
import select
import socket
import struct
import sys
import tempfile

MEMORY, NEWS, REFUSED, OVER = 1, 2, 3, 4


class Ended(Exception):
    """The engine has ended the attachment. `reason` is the number that docs/frames.md lists, or None."""

    def __init__(self, reason=None):
        super().__init__(f"the attachment is over: {reason}")
        self.reason = reason


class Attachment:
    """The connection to the side socket, and the memory that was received through it."""

    def __init__(self, ticket, path, timeout=60):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.socket.sendall(ticket)
        self.ring = self.control = None
        while self.ring is None:
            self.receive()

    def ask(self):
        """Requests one message of news. It is sent at once if something has happened since the last one."""
        try:
            poll = select.poll()
            poll.register(self.socket, select.POLLOUT)
            # A full socket holds requests that the engine has not read yet, so no other one is needed.
            if poll.poll(0):
                self.socket.send(b"?", socket.MSG_NOSIGNAL)
        except (OSError, ValueError) as error:
            raise Ended() from error

    def receive(self):
        """Waits for one message of the engine, and switches to the memory that it carries, if any. Returns its kind."""
        kind, memory = self.message()
        if memory:
            self.take(*memory)
        return kind

    def message(self):
        """Waits for one message of the engine. Returns its kind, and the arguments for `take` if it carries memory,
        otherwise None."""
        data, descriptors, _, _ = socket.recv_fds(self.socket, 16, 2)
        if len(data) < 16:
            raise Ended()
        kind, version, value = struct.unpack("<IIQ", data)
        assert version == 1, f"version {version} is not known here"
        if kind in (REFUSED, OVER):
            raise Ended(value if kind == OVER else None)
        return kind, (value, *descriptors) if kind == MEMORY else None

    def take(self, size, ring, control):
        self.descriptors = ring, control
        self.ring = mmap.mmap(ring, size, mmap.MAP_SHARED, mmap.PROT_READ)
        self.control = mmap.mmap(control, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)

    def read(self, layout, offset):
        values = struct.unpack_from("<" + layout, self.ring, offset)
        return values[0] if len(values) == 1 else values

    def say(self, layout, offset, *values):
        struct.pack_into("<" + layout, self.control, offset, *values)

    def close(self):
        self.socket.close()


class Picture:
    """One frame in place. The engine does not reuse its slot until it is released."""

    def __init__(self, attachment, slot, header):
        read = attachment.read
        self.ring = attachment.ring
        self.slot = slot
        self.sequence, self.generation = read("QQ", header)
        self.time_us, self.duration_us, self.ticks, self.duration_ticks = read("qqqq", header + 16)
        self.width, self.height = read("II", header + 56)
        self.format = read("32s", header + 64).split(b"\0")[0].decode()
        planes = read("I", header + 96)
        # offset, stride, rows, bytes of a row
        self.planes = [read("QIII", header + 104 + 24 * index) for index in range(planes)]
        self.primaries, self.transfer, self.matrix, self.range, self.chroma, self.rotation = read("6H", header + 200)
        self.flags, *self.aspect = read("III", header + 212)
        self.mastering = read("10I", header + 224) if self.flags & 16 else None
        self.content_light = read("II", header + 264) if self.flags & 32 else None
        hdr10_plus, hdr10_plus_bytes, rpu, rpu_bytes = read("4I", header + 272)
        self.hdr10_plus = read(f"{hdr10_plus_bytes}s", header + hdr10_plus)
        self.dolby_vision = read(f"{rpu_bytes}s", header + rpu)

    def rows(self):
        """The bytes of the frame without padding, row by row."""
        view = memoryview(self.ring)
        for offset, stride, rows, count in self.planes:
            for row in range(rows):
                yield view[offset + row * stride:offset + row * stride + count]

    def md5(self):
        digest = hashlib.md5(usedforsecurity=False)
        for row in self.rows():
            digest.update(row)
        return digest.hexdigest()


class Frames(Attachment):
    """A ring of frames."""

    def slots(self):
        """The published frames that have not been released."""
        count, step, first = self.read("I", 8), self.read("I", 12), self.read("Q", 16)
        for slot in range(count):
            header = first + slot * step
            sequence = self.read("Q", header)
            if sequence and struct.unpack_from("<Q", self.control, 64 + 8 * slot)[0] != sequence:
                yield Picture(self, slot, header)

    @property
    def generation(self):
        return self.read("Q", 136)

    @property
    def published(self):
        return self.read("Q", 128)

    @property
    def dropped(self):
        return self.read("Q", 152)

    @property
    def has_ended(self):
        """Whether no frame of this generation follows the published ones."""
        return self.read("Q", 144) == self.generation != 0

    def clock(self):
        """The position of the playhead, its rate, the time of that position in nanoseconds of the monotonic clock, and
        its generation; None while unknown."""
        while True:
            before = self.read("I", 64)
            known, position, rate, moment, generation = self.read("I", 68), *self.read("qdqQ", 72)
            if before % 2 == 0 and self.read("I", 64) == before:
                return (position, rate, moment, generation) if known else None

    def release(self, picture):
        self.say("Q", 64 + 8 * picture.slot, picture.sequence)

    def newest(self, time_us, shown=None):
        """The frame for a time: the newest of the current generation that is not after it, otherwise the first of that
        generation. Releases all earlier frames and those of other generations. `shown` is the frame on screen, or None;
        it is returned, and not released, if no other frame replaces it."""
        generation = self.generation
        found = None
        for picture in sorted(self.slots(), key=lambda each: each.sequence):
            if picture.generation == generation and picture.time_us <= time_us:
                found = picture
        if not found and (not shown or shown.generation != generation):
            def first():
                return min((each for each in self.slots() if each.generation == generation),
                           key=lambda each: each.sequence, default=None)

            # Scan twice: a scan may miss a frame that was published during it, before the one that it finds.
            found = first() and first()
        for picture in self.slots():
            # Read the generation after the slot: the first frames of the next one may have arrived in the meantime.
            is_over = picture.generation != self.generation or (found and picture.sequence < found.sequence)
            if is_over and not (found is None and shown and picture.sequence == shown.sequence):
                self.release(picture)
        return found or shown

    def first(self, done):
        """The unreleased frame with the lowest sequence number above `done`; None if there is none."""
        ready = [each for each in self.slots() if each.sequence > done]
        return min(ready, key=lambda each: each.sequence, default=None)

    def __iter__(self):
        """Yields each frame in order, to the end. A frame is released when the next one is requested."""
        self.ask()
        done = 0
        larger = None
        while True:
            picture = self.first(done)
            if picture and picture.sequence > done + 1:
                # Scan again: a scan of all slots may miss a frame that was published just before the one it finds.
                picture = self.first(done)
            if picture:
                done = picture.sequence
                if picture.generation == self.generation:
                    yield picture
                self.release(picture)
                self.ask()
            elif larger:
                # Switch only now: frames published before the new memory was made are in the previous memory.
                self.take(*larger)
                larger = None
            elif self.has_ended and done == self.published:
                return
            else:
                _, larger = self.message()
                self.ask()


class Sound(Attachment):
    """A ring of audio."""

    def take(self, size, ring, control):
        super().take(size, ring, control)
        self.kind, self.channels, self.rate, self.frame_bytes = self.read("4I", 8)
        self.layout = self.read("64s", 64).split(b"\0")[0].decode()
        self.start, self.capacity = self.read("QQ", 32)
        self.consumed = 0

    @property
    def generation(self):
        return self.read("Q", 136)

    @property
    def is_running(self):
        return self.read("I", 160) != 0

    @property
    def written(self):
        return self.read("Q", 128)

    @property
    def has_ended(self):
        return self.read("Q", 152) == self.generation != 0

    def blocks(self):
        """(number, generation, first sample, sample count, time in microseconds, flags) of the published blocks."""
        found = [self.read("QQQQqI", 4096 + 64 * index) for index in range(1024)]
        return sorted(each for each in found if each[0])

    def take_samples(self, most=1 << 20):
        """Consumes at most `most` samples, and returns their bytes. Skips samples of an older generation."""
        while True:
            generation, first = self.read("QQ", 136)
            begin, end = max(self.consumed, first), self.written
            count = min(end - begin, most, self.capacity)
            if count < 0:
                continue
            place, size = begin % self.capacity, self.frame_bytes
            head = min(count, self.capacity - place)
            data = self.ring[self.start + place * size:self.start + (place + head) * size]
            data += self.ring[self.start:self.start + (count - head) * size]
            # If a flush has begun a new generation, the samples may have been overwritten: read again.
            if self.generation == generation:
                break
        self.consumed = begin + count
        self.say("Q", 0, self.consumed)
        return data

    def report(self, played, monotonic_ns):
        """Reports that `played` samples, counted like `written`, had been heard at `monotonic_ns`."""
        sequence = struct.unpack_from("<I", self.control, 16)[0]
        self.say("I", 16, (sequence + 1) & 0xFFFFFFFF)
        self.say("Qq", 24, played, monotonic_ns)
        self.say("I", 16, (sequence + 2) & 0xFFFFFFFF)


def generate():
    """Generates the client code from the contract. A real client would do so at build time."""
    from grpc_tools import protoc

    proto = pathlib.Path(__file__).resolve().parents[2] / "Proto"
    out = tempfile.mkdtemp(prefix="engine-proto-")
    files = [str(path.relative_to(proto)) for path in sorted(proto.glob("engine/v1/*.proto"))]
    if protoc.main(["protoc", f"-I{proto}", f"--python_out={out}", f"--grpc_python_out={out}", *files]):
        sys.exit("the contract does not compile")
    sys.path.insert(0, out)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    import grpc

    generate()
    from engine.v1 import engine_pb2, engine_pb2_grpc, frames_pb2

    path = os.environ.get("ENGINED_SOCKET") or os.path.join(
        os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}"), "engined", "engined.sock")
    left = int(sys.argv[2]) if len(sys.argv) == 3 else sys.maxsize
    with grpc.insecure_channel(f"unix://{path}") as channel:
        engine = engine_pb2_grpc.EngineStub(channel)
        try:
            session = engine.Load(engine_pb2.LoadRequest(source=os.path.abspath(sys.argv[1]))).session_id
            answer = engine.AttachFrames(frames_pb2.AttachFramesRequest(
                session_id=session, pace=frames_pb2.FRAME_PACE_EVERY_FRAME))
            frames = Frames(answer.ticket, answer.socket_path)
            engine.Play(engine_pb2.SessionRequest(session_id=session))
            for picture in frames:
                print(f"{picture.time_us / 1e6:10.6f} {picture.width}x{picture.height} {picture.format} {picture.md5()}",
                      flush=True)
                left -= 1
                if not left:
                    break
            frames.close()
            engine.Stop(engine_pb2.SessionRequest(session_id=session))
        except grpc.RpcError as error:
            sys.exit(f"{error.code().name}: {error.details()}")
        except Ended as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
