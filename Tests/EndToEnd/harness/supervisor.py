# SPDX-License-Identifier: Apache-2.0
"""Restarts the engine as its systemd unit specifies, and stops restarting it when systemd would."""

import re
import subprocess
import threading
import time

import grpc

from .contract import engine_pb2, engine_pb2_grpc
from .engine import PATIENCE, eventually
from .places import ENGINED, ROOT

UNITS = ROOT / "packaging" / "systemd"
_UNITS = {"ms": 0.001, "s": 1, "min": 60}


class Limits:
    """`Restart=on-failure`, `RestartSec=`, `StartLimitIntervalSec=` and `StartLimitBurst=` of a unit (systemd.unit(5))."""

    def __init__(self, unit):
        settings = dict(re.findall(r"^(\w+)=(.*)$", (UNITS / unit).read_text(), re.MULTILINE))
        assert settings["Restart"] == "on-failure"
        self.pause, self.interval = self._seconds(settings["RestartSec"]), self._seconds(settings["StartLimitIntervalSec"])
        self.burst = int(settings["StartLimitBurst"])

    @staticmethod
    def _seconds(text):
        number, unit = re.fullmatch(r"(\d+)(ms|s|min)", text).groups()
        return int(number) * _UNITS[unit]


class Supervisor:
    """Runs an engine with the files of `engine`, which must have ended, and starts it again whenever it fails."""

    def __init__(self, engine, limits, **environment):
        self.limits = limits
        self.command = [ENGINED, "--socket", engine.socket, "--http-port", "0", "--log-level", "info"]
        self.environment = dict(engine.environment, **environment)
        self.log = open(engine.log, "ab")
        # The start times, the exit codes of the processes that have ended, and whether systemd would start no more processes.
        self.starts, self.endings, self.has_given_up = [], [], False
        self.process, self.is_ending = None, threading.Event()
        self.channel = grpc.insecure_channel(f"unix:{engine.socket}", options=[
            ("grpc.use_local_subchannel_pool", 1), ("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 200)])
        self.stub = engine_pb2_grpc.EngineStub(self.channel)
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_ending.set()
        self.channel.close()
        while self.thread.is_alive():
            if self.process:
                self.process.terminate()
            self.thread.join(0.2)
        self.log.close()

    def _run(self):
        window, count = 0, 0
        while not self.is_ending.is_set():
            # systemd's ratelimit_below: the interval begins with the first start in it.
            now = time.monotonic()
            if not self.starts or now > window + self.limits.interval:
                window, count = now, 0
            count += 1
            if count > self.limits.burst:
                self.has_given_up = True
                return
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
            self.starts.append(now)
            self.endings.append(self.process.wait())
            if self.endings[-1] == 0:
                return
            self.is_ending.wait(self.limits.pause)

    def sessions(self):
        """The states of all sessions by id, from whichever process answers."""
        def answered():
            assert not self.has_given_up, f"{len(self.starts)} starts are more than the unit allows"
            try:
                reply = self.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE, wait_for_ready=True)
                return {state.session_id: state for state in reply.sessions}
            except grpc.RpcError:
                return None

        return eventually(answered, "an answer", 4 * PATIENCE)
