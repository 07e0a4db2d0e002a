# SPDX-License-Identifier: Apache-2.0
"""A small reader of WebVTT (W3C) and of its renditions in HLS, independent of the engine's writer."""

import html
import re

from . import hls

MAP = "X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000"


def milliseconds(clock):
    hours, minutes, seconds = clock.split(":")
    return (int(hours) * 3600 + int(minutes) * 60) * 1000 + round(float(seconds) * 1000)


def read(text):
    """The lines of the header after the first, and (start, end, settings, payload) of each cue; times in
    milliseconds."""
    header, *blocks = text.removesuffix("\n\n").split("\n\n")
    assert header.split("\n")[0] == "WEBVTT", header
    cues = []
    for block in blocks:
        times, _, payload = block.partition("\n")
        start, arrow, end, *settings = times.split(" ")
        assert arrow == "-->", block
        cues.append((milliseconds(start), milliseconds(end), " ".join(settings), payload))
    return header.split("\n")[1:], cues


def plain(payload):
    return html.unescape(re.sub(r"<[^>]*>", "", payload)).replace("\xa0", " ")


class Rendition:
    """A complete subtitle rendition. `segments`: the cues of each segment. `edges`: start and end of each, in
    milliseconds."""

    def __init__(self, url):
        self.playlist = hls.Media.complete(url)
        self.segments, self.edges, time = [], [], 0
        for segment in self.playlist.segments:
            header, cues = read(hls.fetch(segment.url).decode())
            assert header == [MAP]
            self.segments.append(cues)
            self.edges.append((time, time + segment.duration * 1000))
            time += segment.duration * 1000

    def cues(self):
        """Each cue once, in order."""
        return list(dict.fromkeys(cue for cues in self.segments for cue in cues))

    def timed_texts(self):
        """The cues in the form in which the engine returns them: start, end, plain text."""
        return [(start, end, plain(payload)) for start, end, _, payload in self.cues()]
