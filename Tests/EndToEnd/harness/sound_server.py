# SPDX-License-Identifier: Apache-2.0
"""A private sound server with silent devices, and recordings of what is played on them."""

import contextlib
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import numpy

from .engine import PATIENCE, eventually

# By name: the sample rate and the channel map in the server's terms.
DEVICES = {
    "stereo": (48000, "front-left,front-right"),
    "cinema": (44100, "front-left,front-right,front-center,lfe,side-left,side-right"),
}


class Recording:
    """Records what a device plays, as floats, until the recording is closed."""

    def __init__(self, server, device):
        self.rate, channel_map = DEVICES[device]
        self.channels = channel_map.count(",") + 1
        self.bytes = bytearray()
        # An estimate of when the first sample was played. A piece arrives only after its last sample was played, so the
        # earliest time is the best estimate.
        self.began = math.inf
        self.process = subprocess.Popen(
            ["parec", f"--device={device}.monitor", "--raw", "--format=float32le", f"--rate={self.rate}",
             f"--channels={self.channels}", f"--channel-map={channel_map}", "--latency-msec=20"],
            env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        eventually(lambda: self.bytes, "the recorder to hear the silence")

    def _run(self):
        while data := self.process.stdout.read1(1 << 16):
            self.bytes += data
            self.began = min(self.began, time.monotonic() - self.count / self.rate)

    @property
    def count(self):
        return len(self.bytes) // (4 * self.channels)

    def channel(self, number, first=0):
        """The samples of one channel, starting at sample `first`."""
        whole = self.count * self.channels * 4
        return numpy.frombuffer(bytes(self.bytes[first * self.channels * 4:whole]), "<f4")[number::self.channels]

    def loudest(self, seconds=0.1):
        """The peak of the first channel in the last `seconds`."""
        return float(numpy.abs(self.channel(0, max(0, self.count - int(self.rate * seconds)))).max(initial=0))

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.thread.join(PATIENCE)


class SoundServer:
    def __init__(self, directory):
        assert shutil.which("pulseaudio"), "pulseaudio is missing: install the package pulseaudio"
        assert shutil.which("parec"), "parec is missing: install the package pulseaudio-utils"
        self.address = f"unix:{directory}/native"
        self.environment = dict(
            os.environ, HOME=directory, XDG_RUNTIME_DIR=directory, XDG_CONFIG_HOME=directory, PULSE_SERVER=self.address)
        self.log = pathlib.Path(directory, "log")
        words = ["pulseaudio", "-n", "--system=false", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm",
                 "-L", f"module-native-protocol-unix socket={directory}/native auth-anonymous=1"]
        for name, (rate, channel_map) in DEVICES.items():
            # Without rewinds the recorder gets everything exactly once.
            words += ["-L", f"module-null-sink sink_name={name} norewinds=1 format=float32le rate={rate} "
                      f"channels={channel_map.count(',') + 1} channel_map={channel_map}"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        eventually(self._answers, "the sound server to answer")
        self.control("set-default-sink", "stereo")

    def _answers(self):
        assert self.process.poll() is None, f"pulseaudio ended: {self.log.read_text()[-2000:]}"
        return self.control("info", check=False) == 0

    def control(self, *words, check=True):
        return subprocess.run(
            ["pactl", *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=check, timeout=PATIENCE).returncode

    def has_streams(self):
        """Whether a client plays on a device, or is about to."""
        return subprocess.run(["pactl", "list", "short", "sink-inputs"], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=True, timeout=PATIENCE).stdout.strip() != b""

    @contextlib.contextmanager
    def recording(self, device):
        recording = Recording(self, device)
        try:
            yield recording
        finally:
            recording.close()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)


@contextlib.contextmanager
def sound_server():
    directory = tempfile.mkdtemp(prefix="engine-sound-")
    server = SoundServer(directory)
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(directory, ignore_errors=True)
