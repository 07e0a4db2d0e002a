# SPDX-License-Identifier: Apache-2.0
"""A player built from GStreamer elements that switches to another language midway. A standalone program for the
system's Python.

Usage: gstreamer_player.py URL LANGUAGE SECONDS [MORE]. Switches after SECONDS and plays MORE seconds, 8 by default.
Prints JSON: the audio that was played, each part with its time in seconds of the stream, its channels and its tone in
Hz, and every warning and error.
"""

import array
import json
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

Gst.init(None)
# How many times faster than real time the audio is played.
SPEED = 8
URL, LANGUAGE, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
for name in ("playbin3", "hlsdemux2", "qtdemux", "avdec_aac", "avdec_h264"):
    if Gst.ElementFactory.find(name) is None:
        print(json.dumps({"missing": name}))
        sys.exit(0)


class Player:
    def __init__(self):
        self.sound, self.trouble, self.streams, self.has_asked = [], [], None, False
        self.loop, self.bin = GLib.MainLoop(), Gst.ElementFactory.make("playbin3")
        for kind in ("video", "audio"):
            converter = "audioconvert ! audio/x-raw,format=S16LE ! " if kind == "audio" else ""
            box = Gst.parse_bin_from_description(f"{converter}fakesink name=end sync=false", True)
            if kind == "audio":
                sink = box.get_by_name("end")
                sink.set_property("signal-handoffs", True)
                sink.connect("handoff", self.on_buffer)
            self.bin.set_property(f"{kind}-sink", box)
        self.bin.set_property("uri", URL)
        self.bin.connect("deep-element-added", self.limit)
        bus = self.bin.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def limit(self, _bin, _parent, element):
        # By default, hlsdemux2 fetches 30 s ahead, all of it in the old language.
        if element.get_factory() is not None and element.get_factory().get_name() == "hlsdemux2":
            element.set_property("max-buffering-time", 4 * Gst.SECOND)

    def on_buffer(self, _, buffer, pad):
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        place = segment.to_stream_time(Gst.Format.TIME, buffer.pts) / Gst.SECOND
        structure = pad.get_current_caps().get_structure(0)
        channels, rate = structure.get_int("channels")[1], structure.get_int("rate")[1]
        samples = array.array("h", buffer.extract_dup(0, buffer.get_size()))
        samples = [sum(frame) for frame in zip(*[iter(samples)] * channels)]
        crossings = sum((one < 0) != (next < 0) for one, next in zip(samples, samples[1:]))
        self.sound.append((place, buffer.duration / Gst.SECOND, channels, crossings * rate / 2 / max(1, len(samples))))
        if place >= SECONDS and not self.has_asked:
            self.has_asked = True
            GLib.idle_add(self.switch)
        time.sleep(buffer.duration / Gst.SECOND / SPEED)

    def switch(self):
        wanted = []
        for index in range(self.streams.get_size()):
            stream = self.streams.get_stream(index)
            tags = stream.get_tags()
            found, language = tags.get_string("language-code") if tags else (False, None)
            if stream.get_stream_type() & Gst.StreamType.VIDEO or found and language == LANGUAGE:
                wanted.append(stream.get_stream_id())
        self.bin.send_event(Gst.Event.new_select_streams(wanted))
        return False

    def on_message(self, _, message):
        if message.type == Gst.MessageType.STREAM_COLLECTION:
            self.streams = message.parse_stream_collection()
        elif message.type == Gst.MessageType.WARNING:
            self.trouble.append(str(message.parse_warning()))
        elif message.type == Gst.MessageType.ERROR:
            self.trouble.append(str(message.parse_error()))
            self.loop.quit()
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()

    def play(self, seconds):
        def enough():
            done = bool(self.sound) and self.sound[-1][0] >= seconds
            if done:
                self.loop.quit()
            return not done

        GLib.timeout_add(100, enough)
        self.bin.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.bin.set_state(Gst.State.NULL)


player = Player()
player.play(SECONDS + float(sys.argv[4] if len(sys.argv) > 4 else 8))
print(json.dumps({"sound": player.sound, "trouble": player.trouble}))
