# SPDX-License-Identifier: Apache-2.0
"""Stock players without a window."""

import pathlib
import re
import shutil
import subprocess
import sys

from .engine import PATIENCE

OPTIONS = ("--no-config", "--vo=null", "--ao=null", "--untimed", "--ao-null-untimed=yes", "--input-terminal=no",
           "--term-status-msg=")


def mpv(url, *options):
    """Plays to the end as fast as possible. Returns the exit code and the output."""
    done = subprocess.run(["mpv", *OPTIONS, "--msg-level=all=warn", *options, url], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE * 2)
    return done.returncode, done.stdout + done.stderr


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
        """The position in seconds."""
        places = re.findall(rb"at (\d+):(\d+):(\d+)", self.log.read_bytes())
        return (int(places[-1][0]) * 60 + int(places[-1][1])) * 60 + int(places[-1][2]) if places else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


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
