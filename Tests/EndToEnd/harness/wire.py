# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces, joined by a wire that can be cut, optionally with a delay, a rate limit and losses: a real
link that carries real TCP. Needs root and /dev/net/tun.
"""

import contextlib
import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time

import pytest

from . import origin
from .engine import Engine, eventually

NEAR, FAR = "10.9.0.1", "10.9.0.2"
# How many seconds of data a router queues before it drops packets.
_QUEUE = 0.1
_CLONE_NEWNET, _TUNSETIFF, _TUN_WITHOUT_HEADER = 0x40000000, 0x400454CA, 0x1001


class Namespace:
    def __init__(self):
        own = os.readlink("/proc/self/ns/net")
        self.process = subprocess.Popen(["unshare", "-n", "sleep", "3600"])
        self.pid = self.process.pid

        def separate():
            assert self.process.poll() is None, "no network namespace can be made"
            with contextlib.suppress(OSError):
                return os.readlink(f"/proc/{self.pid}/ns/net") != own
            return False
        eventually(separate, "a network namespace")

    def do(self, work):
        """Calls `work` on a thread in the namespace. Sockets that `work` opens stay in the namespace."""
        result = []

        def run():
            with open(f"/proc/{self.pid}/ns/net") as place:
                if ctypes.CDLL(None, use_errno=True).setns(place.fileno(), _CLONE_NEWNET):
                    result.append(OSError(ctypes.get_errno(), "setns"))
                    return
            try:
                result.append(work())
            except BaseException as error:
                result.append(error)
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        if isinstance(result[0], BaseException):
            raise result[0]
        return result[0]

    def through(self):
        """The words to put before a command so that it runs in the namespace."""
        return ["nsenter", "-t", str(self.pid), "-n"]

    def run(self, *command):
        subprocess.run([*self.through(), *command], check=True)

    def device(self, name):
        """Makes a network device (TUN) in the namespace, and returns the descriptor that reads and writes its packets."""
        def make():
            descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH", name.encode(), _TUN_WITHOUT_HEADER))
            return descriptor
        return self.do(make)


class Wire:
    def __init__(self, round_trip, rate, loss, packet):
        """The round trip in seconds, the rate in bits per second each way (`None`: no limit), the loss as a fraction, and the
        largest packet in bytes."""
        self.near, self.far = Namespace(), Namespace()
        self._ends = (self.near.device("wire0"), self.far.device("wire0"))
        self._delay, self._rate, self._loss = round_trip / 2, rate, loss
        self._is_over = False
        # How late a packet has been, in seconds: what a busy machine adds to the delay.
        self.late = 0.0
        for namespace, address in ((self.near, NEAR), (self.far, FAR)):
            namespace.run("ip", "link", "set", "lo", "up")
            namespace.run("ip", "addr", "add", f"{address}/24", "dev", "wire0")
            namespace.run("ip", "link", "set", "wire0", "up", "mtu", str(packet))
        self._thread = threading.Thread(target=self._relay, daemon=True)
        self._thread.start()

    def _relay(self):
        near, far = self._ends
        other, free = {near: far, far: near}, {near: 0.0, far: 0.0}
        # Packets in flight: arrival time, a sequence number that keeps their order, destination, content.
        way, count, draw = [], 0, random.Random(1)
        while not self._is_over:
            pause = max(0.0, min(0.1, way[0][0] - time.monotonic())) if way else 0.1
            for end in select.select([near, far], [], [], pause)[0]:
                with contextlib.suppress(OSError):
                    while True:
                        packet, now = os.read(end, 65536), time.monotonic()
                        start = max(now, free[end])
                        if draw.random() < self._loss or start > now + _QUEUE:
                            continue
                        free[end] = start + (len(packet) * 8 / self._rate if self._rate else 0)
                        count += 1
                        heapq.heappush(way, (free[end] + self._delay, count, other[end], packet))
            while way and way[0][0] <= time.monotonic():
                due, _, end, packet = heapq.heappop(way)
                self.late = max(self.late, time.monotonic() - due)
                with contextlib.suppress(OSError):
                    os.write(end, packet)

    def cut(self):
        self.near.run("ip", "link", "set", "wire0", "down")

    def restore(self):
        self.near.run("ip", "link", "set", "wire0", "up")

    @contextlib.contextmanager
    def serving(self, film):
        """A server of the film at the far end."""
        context = origin.origin(film, host=FAR, bind=FAR)
        server = self.far.do(context.__enter__)
        try:
            yield server
        finally:
            context.__exit__(None, None, None)

    @contextlib.contextmanager
    def engine(self, directory, *options, through=()):
        """An engine at the near end. Its socket can be used from anywhere, its HTTP port only in that namespace."""
        engine = Engine(directory, *options, through=[*self.near.through(), *through])
        try:
            yield engine
            engine.end()
        finally:
            if engine.is_alive():
                engine.kill()

    def end(self):
        self._is_over = True
        self._thread.join()
        for end in self._ends:
            os.close(end)
        for namespace in (self.near, self.far):
            namespace.process.kill()
            namespace.process.wait()


@contextlib.contextmanager
def wire(round_trip=0, rate=None, loss=0, packet=1500):
    if os.geteuid() != 0 or not os.access("/dev/net/tun", os.W_OK):
        pytest.skip("network namespaces need root and /dev/net/tun")
    wire = Wire(round_trip, rate, loss, packet)
    try:
        yield wire
    finally:
        wire.end()
