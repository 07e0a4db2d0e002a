# SPDX-License-Identifier: Apache-2.0
"""Stock players without a window."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

from .engine import PATIENCE
from .tiers import absent

OPTIONS = ("--no-config", "--vo=null", "--ao=null", "--untimed", "--ao-null-untimed=yes", "--input-terminal=no",
           "--term-status-msg=")


def mpv(url, *options):
    """Plays to the end as fast as possible. Returns the exit code and the output."""
    done = subprocess.run(["mpv", *OPTIONS, "--msg-level=all=warn", *options, url], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE * 2)
    return done.returncode, done.stdout + done.stderr


def gstreamer_switches(url, seconds, bits):
    """Plays with GStreamer, which may use no variant with more than `bits` per second from `seconds` on. Checks that
    both the pictures, 25 per second, and the audio, AAC at 48 kHz, start at 0 and have no gap. Returns the width of
    each picture."""
    if subprocess.run(["/usr/bin/python3", "-c", "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"],
                      stdin=subprocess.DEVNULL, capture_output=True).returncode:
        absent("GStreamer's Python bindings are not here")
    program = pathlib.Path(__file__).with_name("gstreamer_ladder.py")
    done = subprocess.run(["/usr/bin/python3", program, url, str(seconds), str(bits)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE * 2)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    if "missing" in result:
        absent(f"GStreamer has no {result['missing']}")
    assert result["trouble"] == []
    for kind, frame in (("video", 1 / 25), ("audio", 1024 / 48000)):
        assert abs(result[kind][0][0]) <= frame / 2, f"the {kind} does not start at 0: {result[kind][:3]}"
        for (time, duration, _), (after, *_) in zip(result[kind], result[kind][1:]):
            assert abs(time + duration - after) <= frame / 2, (kind, time, duration, after)
    return [width for _, _, width in result["video"]]


class PlayingMpv:
    """mpv that plays at some speed and fetches four seconds ahead, until the block ends."""

    def __init__(self, url, log, speed):
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                ["mpv", "--no-config", "--vo=null", "--ao=null", "--untimed=no", f"--speed={speed}", "--cache-secs=4",
                 "--demuxer-readahead-secs=4", "--term-status-msg=at ${time-pos}\n", url],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def place(self):
        """The position in whole seconds."""
        places = re.findall(rb"at (\d+):(\d+):(\d+)", self.log.read_bytes())
        return (int(places[-1][0]) * 60 + int(places[-1][1])) * 60 + int(places[-1][2]) if places else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


# Prints when mpv stops for lack of data and when it continues, after the first second.
WATCH_WAITS = """
mp.observe_property("paused-for-cache", "bool", function(_, waits)
    if mp.get_property_number("time-pos", 0) > 1 then print(waits and "WAITS" or "PLAYS") end
end)
"""


class WatchedMpv:
    """mpv plays a URL. `changes` has the times at which it stopped for lack of data and continued."""

    def __init__(self, url, script, *options, through=()):
        """`script`: a path for the script that watches. `through`: the words before the command."""
        script.write_text(WATCH_WAITS)
        self.changes, self.lines = [], []
        self.process = subprocess.Popen(
            [*through, "mpv", "--no-config", "--vo=null", "--ao=null", "--input-terminal=no", f"--script={script}",
             "--msg-level=all=warn,watch=info", *options, url],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            if found := re.search("WAITS|PLAYS", line):
                self.changes.append((time.time(), found[0]))

    def end(self, seconds):
        """Waits until the film is over."""
        assert self.process.wait(seconds) == 0, self.lines
        self._reader.join()


def vlc(url, sound, seconds, *language):
    """Plays with VLC's library in real time; see vlc_player.py. Returns the exit code and the output."""
    program = pathlib.Path(__file__).with_name("vlc_player.py")
    done = subprocess.run([sys.executable, program, url, sound, str(seconds), *language], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=seconds + PATIENCE * 2)
    return done.returncode, done.stdout + done.stderr


def streamlink_program():
    """The streamlink beside the Python of the tests, or the system's; `None` without either."""
    return shutil.which("streamlink", path=pathlib.Path(sys.executable).parent) or shutil.which("streamlink")


def streamlink(url, language, film):
    """Writes the film with the audio of a language into a file. Returns the exit code and the output."""
    done = subprocess.run([streamlink_program(), "--hls-audio-select", language, "--ffmpeg-fout", "matroska", "--output", film,
                           f"hls://{url}", "best"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE * 2)
    return done.returncode, done.stdout + done.stderr
