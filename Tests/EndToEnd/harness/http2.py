# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 frames, for clients that send frames no library would send."""

import struct

import grpc

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
# "grpc-status" in the Huffman code of RFC 7541, appendix B.
GRPC_STATUS = bytes.fromhex("9acac8b21234da8f")


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def frames(data):
    """The type, flags and payload of each complete frame."""
    place = 0
    while place + 9 <= len(data):
        end = place + 9 + int.from_bytes(data[place:place + 3], "big")
        yield data[place + 3], data[place + 4], data[place + 9:end]
        place = end


def status(block):
    """The status in the engine's header block: the HTTP status if it is not 200, otherwise the gRPC status."""
    if block[:2] == b"\x48\x03":
        return block[2:5].decode()
    assert block[0] == 0x88, block
    at = block.index(GRPC_STATUS) + len(GRPC_STATUS)
    code = int(block[at + 1:at + 1 + block[at]])
    return next(each for each in grpc.StatusCode if each.value[0] == code)


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
