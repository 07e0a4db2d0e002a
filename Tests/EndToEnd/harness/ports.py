# SPDX-License-Identifier: Apache-2.0
"""Ports for servers that are started later. They are below the kernel's ephemeral ports, and each test process has its
own block. So a port stays free until its server listens, and for a restart after the server was killed."""

import functools
import itertools
import socket

_FIRST, _SIZE, _BLOCKS = 20_000, 400, 31


@functools.cache
def _block():
    """Reserves a block for as long as this process lives, by binding an abstract socket name."""
    for number in range(_BLOCKS):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0engined-tests-ports-{number}")
        except OSError:
            name.close()
            continue
        start = _FIRST + number * _SIZE
        return name, itertools.cycle(range(start, start + _SIZE))
    raise AssertionError("every block of ports is in use")


def free_port(kind=socket.SOCK_STREAM):
    """The next port of this process's block that nothing listens on."""
    for port in itertools.islice(_block()[1], _SIZE):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
