# SPDX-License-Identifier: Apache-2.0
"""A small reader of fragmented MP4 (ISO/IEC 14496-12), independent of the engine's writer."""

import struct

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"moof", b"traf", b"mvex", b"edts"}


def walk(data, start=0, end=None, path=()):
    """Every box from `start` to `end`, and those inside containers, as (path, payload start, payload end)."""
    end = len(data) if end is None else end
    while start < end:
        assert start + 8 <= end, f"{end - start} stray bytes after {path}"
        size, kind = struct.unpack_from(">I4s", data, start)
        header = 8
        if size == 1:
            size = struct.unpack_from(">Q", data, start + 8)[0]
            header = 16
        assert header <= size <= end - start, f"box {kind} of {size} bytes in {end - start}"
        here = (*path, kind.decode("latin-1"))
        yield here, start + header, start + size
        if kind in CONTAINERS:
            yield from walk(data, start + header, start + size, here)
        start += size


def top(data):
    return [path[0] for path, _, _ in walk(data) if len(path) == 1]


class Init:
    def __init__(self, data):
        self.timescale, self.kinds = None, top(data)
        # The media time of each edit list entry.
        self.edits = []
        for path, start, _ in walk(data):
            version = data[start] if start < len(data) else 0
            if path[-1] == "mdhd":
                self.timescale = struct.unpack_from(">I", data, start + (20 if version else 12))[0]
            elif path[-1] == "elst":
                count, step = struct.unpack_from(">I", data, start + 4)[0], 20 if version else 12
                for index in range(count):
                    at = start + 8 + index * step + (8 if version else 4)
                    self.edits.append(struct.unpack_from(">q" if version else ">i", data, at)[0])


class Sample:
    def __init__(self, decode_time, duration, payload, flags, offset):
        self.decode_time, self.duration, self.payload = decode_time, duration, payload
        self.flags, self.offset = flags, offset

    @property
    def is_sync(self):
        return not self.flags & 0x10000


class Fragment:
    """One moof with its mdat, and every sample of it."""

    def __init__(self, data):
        self.kinds = top(data)
        self.samples = []
        assert self.kinds.count("moof") == 1, f"not one moof: {self.kinds}"
        moof = next(start - 8 for path, start, _ in walk(data) if path == ("moof",))
        defaults = {"duration": 0, "size": 0, "flags": 0}
        self.decode_time = None
        for path, start, _ in walk(data):
            version, flags = data[start], int.from_bytes(data[start + 1:start + 4], "big")
            if path[-1] == "tfhd":
                assert flags & 0x020000, "tfhd without default-base-is-moof"
                at = start + 8 + (8 if flags & 1 else 0) + (4 if flags & 2 else 0)
                for bit, name in ((8, "duration"), (16, "size"), (32, "flags")):
                    if flags & bit:
                        defaults[name] = struct.unpack_from(">I", data, at)[0]
                        at += 4
            elif path[-1] == "tfdt":
                self.decode_time = struct.unpack_from(">Q" if version else ">I", data, start + 4)[0]
            elif path[-1] == "trun":
                self._run(data, start, version, flags, defaults, moof)

    def _run(self, data, start, version, flags, defaults, moof):
        count = struct.unpack_from(">I", data, start + 4)[0]
        at, place, first_flags = start + 8, moof, None
        if flags & 1:
            place = moof + struct.unpack_from(">i", data, at)[0]
            at += 4
        if flags & 4:
            first_flags = struct.unpack_from(">I", data, at)[0]
            at += 4
        time = self.samples[-1].decode_time + self.samples[-1].duration if self.samples else self.decode_time
        for index in range(count):
            values = dict(defaults)
            for bit, name in ((0x100, "duration"), (0x200, "size"), (0x400, "flags")):
                if flags & bit:
                    values[name] = struct.unpack_from(">I", data, at)[0]
                    at += 4
            offset = 0
            if flags & 0x800:
                offset = struct.unpack_from(">i" if version else ">I", data, at)[0]
                at += 4
            if index == 0 and first_flags is not None:
                values["flags"] = first_flags
            assert place + values["size"] <= len(data), "a sample beyond the end"
            payload = data[place:place + values["size"]]
            self.samples.append(Sample(time, values["duration"], payload, values["flags"], offset))
            place += values["size"]
            time += values["duration"]

    @property
    def end_time(self):
        return self.samples[-1].decode_time + self.samples[-1].duration
