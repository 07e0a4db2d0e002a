# SPDX-License-Identifier: Apache-2.0
"""The engine's end of the source protocol (docs/sources.md), for one request at a time, which shows how a helper
program answers."""

import contextlib
import mmap
import os
import socket
import struct
import subprocess

from .places import PROGRAMS

MEMORY, LONGEST_READ, MESSAGE = 16 << 20, 2 << 20, 16 << 10
OPENED, DATA, FAILED = 129, 131, 132


class HelperClient:
    def __init__(self, connection, url, seconds):
        descriptor = os.memfd_create("source", os.MFD_ALLOW_SEALING)
        os.ftruncate(descriptor, MEMORY)
        self._memory, self._connection, self._number = mmap.mmap(descriptor, MEMORY), connection, 0
        texts = b"".join(struct.pack("<I", len(text)) + text for text in (url.encode(), b"", b""))
        head = struct.pack("<IIIIIIII", 1, 0, 1, MEMORY, LONGEST_READ, 8, int(seconds * 1000), 0)
        socket.send_fds(connection, [head + texts], [descriptor])
        os.close(descriptor)
        self.byte_count, = struct.unpack_from("<q", self._answer(OPENED), 16)

    def _answer(self, kind):
        message = self._connection.recv(MESSAGE)
        assert message, "the helper has ended"
        assert struct.unpack_from("<I", message)[0] == kind, message[8:].decode(errors="replace")
        return message

    def read(self, offset, count):
        self._number += 1
        self._connection.send(struct.pack("<IIqII", 3, self._number, offset, count, 0))
        assert struct.unpack_from("<II", self._answer(DATA), 4) == (self._number, count)
        return self._memory[:count]


def check_reads(name, url, content):
    """Reads a file with a helper, up to `LONGEST_READ` bytes at a time. `content`, what the file contains, must be at
    least 99,999 bytes longer than that."""
    count = len(content)
    assert count >= LONGEST_READ + 99_999
    with helper(name, url) as source:
        assert source.byte_count == count
        for start, length in ((0, LONGEST_READ), (99_999, LONGEST_READ), (7, (1 << 20) + 1), (count - 10, 10)):
            assert source.read(start, length) == content[start:start + length], (start, length)


@contextlib.contextmanager
def helper(name, url, seconds=60):
    """Opens a source with one of the engine's own helper programs."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs, subprocess.Popen([PROGRAMS / name], stdin=theirs, stdout=subprocess.DEVNULL) as process:
        theirs.close()
        ours.settimeout(seconds)
        try:
            yield HelperClient(ours, url, seconds)
        finally:
            process.kill()
