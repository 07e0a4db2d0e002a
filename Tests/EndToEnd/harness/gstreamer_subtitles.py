# SPDX-License-Identifier: Apache-2.0
"""The subtitles that GStreamer's player selects and shows by itself. A standalone program for the system's Python.

Usage: gstreamer_subtitles.py URL. Prints JSON: start and length in seconds and the text of each, and every error.
"""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

Gst.init(None)
for name in ("playbin3", "hlsdemux2", "subparse"):
    if Gst.ElementFactory.find(name) is None:
        print(json.dumps({"missing": name}))
        sys.exit(0)

shown, trouble = [], []


def on_buffer(_, buffer, pad):
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    time = segment.to_stream_time(Gst.Format.TIME, buffer.pts) / Gst.SECOND
    shown.append((time, buffer.duration / Gst.SECOND, buffer.extract_dup(0, buffer.get_size()).decode()))


loop, player = GLib.MainLoop(), Gst.ElementFactory.make("playbin3")
for kind in ("video", "audio", "text"):
    sink = Gst.ElementFactory.make("fakesink")
    sink.set_property("sync", False)
    if kind == "text":
        sink.set_property("signal-handoffs", True)
        sink.connect("handoff", on_buffer)
    player.set_property(f"{kind}-sink", sink)


def on_message(_, message):
    if message.type == Gst.MessageType.ERROR:
        trouble.append(str(message.parse_error()))
    if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
        loop.quit()


player.set_property("uri", sys.argv[1])
bus = player.get_bus()
bus.add_signal_watch()
bus.connect("message", on_message)
GLib.timeout_add_seconds(50, loop.quit)
# Play as fast as possible.
player.use_clock(None)
player.set_state(Gst.State.PLAYING)
loop.run()
player.set_state(Gst.State.NULL)
print(json.dumps({"shown": shown, "trouble": trouble}))
