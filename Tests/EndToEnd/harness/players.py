# SPDX-License-Identifier: Apache-2.0
"""mpv without a window or a clock: it plays as fast as possible."""

import subprocess

OPTIONS = ("--no-config", "--vo=null", "--ao=null", "--untimed", "--ao-null-untimed=yes", "--input-terminal=no",
           "--term-status-msg=")


def mpv(url, *options):
    """Plays to the end. Returns the exit code and the output."""
    done = subprocess.run(["mpv", *OPTIONS, "--msg-level=all=warn", *options, url], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr
