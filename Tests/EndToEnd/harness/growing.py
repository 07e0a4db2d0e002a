# SPDX-License-Identifier: Apache-2.0
"""Sources that grow: servers without ranges, and programs that write a recording."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time

from .engine import eventually
from .ports import free_port

PIECE = 32 << 10


@contextlib.contextmanager
def plain_server(root):
    """Python's own file server, which does not support ranges. Yields its URL."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(root)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False
    try:
        eventually(answers, "the file server to listen")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


class Forward:
    """Makes an `Origin` ignore ranges and always deliver its whole film: `origin.respond = Forward(origin, …)`. Without
    `sized`, the response has no Content-Length; `length` is a Content-Length other than that of the film.

    After `hold` bytes it waits until `origin.released` is set; after `drop` bytes of the first response (of all
    responses with `always`) it resets the connection. `sent` is the number of bytes of the last response that were
    written to the connection."""

    def __init__(self, film, sized=True, hold=None, drop=None, always=False, length=None):
        self.film, self.sized, self.hold, self.drop, self.always, self.length = film, sized, hold, drop, always, length
        self.sent = 0
        self._calls = 0

    def __call__(self, handler, request):
        self._calls += 1
        drop = self.drop if self.always or self._calls == 1 else None
        handler.send_response(200)
        handler.send_header("Accept-Ranges", "none")
        if self.sized:
            handler.send_header("Content-Length", str(self.length or len(self.film.film)))
        else:
            handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        self.sent = 0
        while self.sent < len(self.film.film):
            if self.hold is not None and self.sent >= self.hold:
                self.film.released.wait()
            if drop is not None and self.sent >= drop:
                # A reset discards data that the other end has not read yet.
                time.sleep(0.3)
                return handler.drop()
            piece = self.film.film[self.sent:self.sent + PIECE]
            handler.wfile.write(piece if self.sized else b"%x\r\n%s\r\n" % (len(piece), piece))
            self.sent += len(piece)
        if not self.sized:
            handler.wfile.write(b"0\r\n\r\n")
        if self.length:
            handler.close_connection = True


class Recording:
    """A file that a program writes piece by piece, as a recorder does."""

    def __init__(self, path, content):
        self.path, self._content, self._written = path, content, 0
        self._file = open(path, "wb", buffering=0)

    def write(self, until):
        """Writes the content up to a fraction of its length, from 0 to 1."""
        end = int(len(self._content) * until)
        self._file.write(self._content[self._written:end])
        self._written = end

    def overwrite(self, offset, content):
        self._file.seek(offset)
        self._file.write(content)
        self._file.seek(self._written)

    def close(self):
        self._file.close()


@contextlib.contextmanager
def recording(path, content, until):
    recording = Recording(path, content)
    try:
        recording.write(until)
        yield recording
    finally:
        recording.close()


@contextlib.contextmanager
def trickle(recording, start, steps=20, pause=0.02):
    """Writes the rest of a recording in the background, and closes it."""
    def run():
        for step in range(1, steps + 1):
            recording.write(start + (1 - start) * step / steps)
            stop.wait(pause)
        recording.close()
    stop = threading.Event()
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def finished(path):
    """Makes a file look as if it was written an hour ago: on a share, a file that was written just now counts as a
    recording."""
    os.utime(path, (time.time() - 3600,) * 2)
    return path
