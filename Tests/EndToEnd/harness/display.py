# SPDX-License-Identifier: Apache-2.0
"""A private screen for programs with windows: Xvfb, key presses by xdotool, and screenshots by ffmpeg's x11grab."""

import contextlib
import os
import subprocess

from .engine import PATIENCE, eventually


class Display:
    def __init__(self, name):
        self.name = name
        self.environment = dict(os.environ, DISPLAY=name)

    def tool(self, *words):
        """The output of xdotool; empty if it fails."""
        done = subprocess.run(["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True,
                              timeout=PATIENCE)
        return done.stdout.strip() if done.returncode == 0 else ""

    def window(self, pid):
        """The window of a program, once it is open and has the focus."""
        def focused():
            # A program may replace the window that it opens first.
            for found in self.tool("search", "--onlyvisible", "--pid", pid).split()[:1]:
                self.tool("windowfocus", found)
                if self.tool("getwindowfocus") == found:
                    return found
            return None
        return eventually(focused, "a window with the focus")

    def press(self, key):
        self.tool("key", key)

    def place(self, window):
        """x, y, width and height."""
        lines = dict(line.split("=") for line in self.tool("getwindowgeometry", "--shell", window).splitlines())
        return tuple(int(lines[each]) for each in ("X", "Y", "WIDTH", "HEIGHT"))

    def grab(self, place):
        """The bytes of an area of the screen, three per pixel."""
        x, y, width, height = place
        return subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "x11grab", "-draw_mouse", "0", "-video_size", f"{width}x{height}", "-i",
             f"{self.name}+{x},{y}", "-frames:v", "1", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"],
            check=True, capture_output=True, timeout=PATIENCE).stdout


@contextlib.contextmanager
def display():
    read, write = os.pipe()
    # A server that resets itself when its last client disconnects rejects new ones for a moment.
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"], pass_fds=[write],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as output:
            number = output.readline().strip()
        assert number, "Xvfb did not start"
        yield Display(f":{number}")
    finally:
        process.terminate()
        process.wait()
