# SPDX-License-Identifier: Apache-2.0
"""Endless transport streams over HTTP, which deliver only as much as a test allows."""

import contextlib
import http.server
import socket
import struct
import subprocess
import threading

from . import transport
from .engine import PATIENCE

SECONDS = 20


def make_stream(path):
    """A transport stream of 20 s with a keyframe every two seconds."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=320x180:r=25:d={SECONDS}", "-f", "lavfi", "-i",
         f"sine=440:d={SECONDS}", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-g", "50", "-bf", "2",
         "-c:a", "aac", "-f", "mpegts", path], check=True, timeout=PATIENCE)
    return path.read_bytes()


def offset_at(data, seconds, pid=0x100):
    """The offset of the first packet of `pid` whose time is `seconds` after that of the PID's first one."""
    first = None
    for start in range(0, len(data), transport.PACKET):
        packet = data[start:start + transport.PACKET]
        at = transport.payload_at(packet)
        if (packet[1] & 31) << 8 | packet[2] == pid and packet[1] & 0x40:
            ticks = transport.ticks_at(packet, at + 9)
            first = ticks if first is None else first
            if ticks - first >= seconds * 90_000:
                return start
    return len(data)


class Channel:
    """A server that sends a part of a stream, then stays silent until a test lets it continue, or begin at another
    byte. `ends`: whether connections end after the last byte."""

    def __init__(self, data, ends=False):
        self.data, self.sent, self.ends, self.condition = data, 0, ends, threading.Condition()
        # The byte at which new connections begin, and how often it has changed.
        self.start, self.turn, self.resets = 0, 0, False
        self.connections = 0
        # The page that new connections are sent instead of the stream.
        self.page = None
        channel = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html" if channel.page else "video/mp2t")
                self.end_headers()
                place, turn = channel.start, channel.turn
                channel.connections += 1
                if channel.page:
                    self.wfile.write(channel.page)
                    return
                with contextlib.suppress(OSError):
                    while place is not None:
                        place = channel.deliver(self.wfile, place, turn)
                if channel.resets:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/auto/v5.1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def deliver(self, out, place, turn):
        with self.condition:
            self.condition.wait_for(lambda: self.sent is None or self.sent > place or self.turn != turn)
            end = self.sent
        if end is None or self.turn != turn:
            return None
        out.write(self.data[place:end])
        return None if self.ends and end == len(self.data) else end

    def cut(self, start, end, resets):
        """Ends all connections, with a reset if `resets` is true. New ones are sent the bytes from `start` to `end`."""
        with self.condition:
            self.start, self.sent, self.resets = start, end, resets
            self.turn += 1
            self.condition.notify_all()

    def send(self, end):
        with self.condition:
            self.sent = end
            self.condition.notify_all()

    def close(self):
        self.send(None)
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def channel(data, end, ends=False):
    found = Channel(data, ends)
    found.send(end)
    try:
        yield found
    finally:
        found.close()
