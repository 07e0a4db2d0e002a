# SPDX-License-Identifier: Apache-2.0
"""A player built from GStreamer elements that switches to another variant midway. A standalone program for the system's
Python.

Usage: gstreamer_ladder.py URL SECONDS BITS. From SECONDS on it selects only variants of at most BITS bits per second.
Prints JSON: the pictures and the audio that were played, each with its time, its duration and its width, and every
warning and error.
"""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

Gst.init(None)
URL, SECONDS, BITS = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
for name in ("uridecodebin3", "hlsdemux2", "qtdemux", "avdec_aac", "avdec_h264"):
    if Gst.ElementFactory.find(name) is None:
        print(json.dumps({"missing": name}))
        sys.exit(0)


class Player:
    """Uses `uridecodebin3`: on a busy machine, `playbin3` loses the first picture when it adds the audio."""

    def __init__(self):
        self.played, self.trouble, self.demuxer = {"video": [], "audio": []}, [], None
        self.loop, self.bin = GLib.MainLoop(), Gst.Pipeline()
        source = Gst.ElementFactory.make("uridecodebin3")
        source.set_property("uri", URL)
        source.connect("pad-added", self.on_pad)
        self.bin.add(source)
        self.bin.connect("deep-element-added", self.on_element)
        bus = self.bin.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def on_pad(self, _, pad):
        kind = pad.get_name().split("_")[0]
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", True)
        sink.set_property("signal-handoffs", True)
        sink.connect("handoff", self.on_buffer, kind)
        self.bin.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))

    def on_element(self, _bin, _parent, element):
        if element.get_factory() is not None and element.get_factory().get_name() == "hlsdemux2":
            self.demuxer = element
            element.set_property("max-buffering-time", 2 * Gst.SECOND)
            element.set_property("start-bitrate", 100_000_000)

    def on_buffer(self, _, buffer, pad, kind):
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        time = segment.to_stream_time(Gst.Format.TIME, buffer.pts) / Gst.SECOND
        width = pad.get_current_caps().get_structure(0).get_int("width")[1] if kind == "video" else 0
        self.played[kind].append((time, buffer.duration / Gst.SECOND, width))
        if time >= SECONDS:
            self.demuxer.set_property("max-bitrate", BITS)

    def on_message(self, _, message):
        if message.type == Gst.MessageType.WARNING:
            self.trouble.append(str(message.parse_warning()))
        elif message.type == Gst.MessageType.ERROR:
            self.trouble.append(str(message.parse_error()))
            self.loop.quit()
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()

    def play(self):
        self.bin.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.bin.set_state(Gst.State.NULL)


player = Player()
player.play()
print(json.dumps({**player.played, "trouble": player.trouble}))
