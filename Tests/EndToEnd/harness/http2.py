# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 frames, for clients that do what no library would."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 8, 9


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A header field without indexing, in HPACK (RFC 7541 §6.2.2)."""
    def text(value):
        assert len(value) < 127
        return bytes([len(value)]) + value.encode()
    return b"\x00" + text(name) + text(value)


def call(path):
    return b"".join(literal(name, value) for name, value in (
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"), ("te", "trailers"),
        ("content-type", "application/grpc")))
