# SPDX-License-Identifier: Apache-2.0
"""Plays a live presentation with GStreamer, in real time and without showing it, until its standard input is closed,
the presentation ends, or an error occurs. A standalone program for the system's Python.

Usage: gstreamer_live.py URL. Prints a line of JSON when it waits for data ("waits"), when it continues ("plays"), for
each warning and error ("trouble"), and at the end ("end"), each with the time in seconds since 1970 and the number of
pictures so far.
"""

import json
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

Gst.init(None)


class Player:
    def __init__(self, url):
        self.pictures, self.waits = 0, False
        self.loop, self.bin = GLib.MainLoop(), Gst.ElementFactory.make("playbin3")
        for kind in ("video", "audio"):
            sink = Gst.ElementFactory.make("fakesink")
            sink.set_property("sync", True)
            if kind == "video":
                sink.set_property("signal-handoffs", True)
                sink.connect("handoff", self.on_picture)
            self.bin.set_property(f"{kind}-sink", sink)
        self.bin.set_property("uri", url)
        bus = self.bin.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def say(self, what, **more):
        print(json.dumps({"what": what, "at": time.time(), "pictures": self.pictures} | more), flush=True)

    def on_picture(self, *_):
        self.pictures += 1

    def on_message(self, _, message):
        if message.type == Gst.MessageType.BUFFERING:
            waits = message.parse_buffering() < 100
            if waits != self.waits:
                self.waits = waits
                self.bin.set_state(Gst.State.PAUSED if waits else Gst.State.PLAYING)
                self.say("waits" if waits else "plays")
        elif message.type in (Gst.MessageType.WARNING, Gst.MessageType.ERROR):
            is_error = message.type == Gst.MessageType.ERROR
            self.say("trouble", text=str(message.parse_error() if is_error else message.parse_warning()))
            if is_error:
                self.loop.quit()
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()

    def play(self):
        def end():
            sys.stdin.read()
            GLib.idle_add(self.loop.quit)

        threading.Thread(target=end, daemon=True).start()
        self.bin.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.say("end")
        self.bin.set_state(Gst.State.NULL)


Player(sys.argv[1]).play()
