# SPDX-License-Identifier: Apache-2.0
"""A small reader of playlists (RFC 8216), independent of the engine's writer."""

import collections
import datetime
import functools
import hashlib
import http.client
import os
import re
import threading
import time
import urllib.parse

PATIENCE = float(os.environ.get("ENGINE_PATIENCE", "60"))
_connections = threading.local()


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body


def request(url, method="GET", headers=None):
    """One request on this thread's keep-alive connection to the host."""
    parts = urllib.parse.urlsplit(url)
    pool = _connections.__dict__.setdefault("pool", {})
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    for attempt in (1, 2):
        connection = pool.get(parts.netloc)
        if connection is None:
            connection = pool[parts.netloc] = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
        try:
            connection.request(method, target, headers=headers or {})
            reply = connection.getresponse()
            body = reply.read()
            if reply.will_close:
                connection.close()
                pool.pop(parts.netloc)
            return Response(reply.status, {key.lower(): value for key, value in reply.getheaders()}, body)
        except (http.client.HTTPException, ConnectionError, BrokenPipeError):
            # The server may have closed a keep-alive connection in the meantime: tries once more, on a new connection.
            connection.close()
            pool.pop(parts.netloc, None)
            if attempt == 2:
                raise
    raise AssertionError("unreachable")


def fetch(url):
    """The body of a 200 response. While the status is 503, tries again after `Retry-After`, but at most after 1 s."""
    end = time.monotonic() + PATIENCE
    while True:
        reply = request(url)
        if reply.status == 503 and time.monotonic() < end:
            time.sleep(min(float(reply.headers.get("retry-after", "1")), 1))
            continue
        assert reply.status == 200, f"{reply.status} for {url}: {reply.body[:200]!r}"
        assert reply.body, f"an empty 200 for {url}"
        return reply.body


def digest(url):
    return hashlib.sha256(fetch(url)).hexdigest()


def attributes(text):
    """An attribute list (§4.2)."""
    found = re.findall(r'([A-Z0-9-]+)=("[^"]*"|[^,]*)', text)
    return {key: value.strip('"') for key, value in found}


class Segment:
    def __init__(self, playlist, reference, duration, is_discontinuous=False, date=None):
        self.duration, self.is_discontinuous, self.date = duration, is_discontinuous, date
        self._playlist, self._reference = playlist, reference

    @functools.cached_property
    def url(self):
        # Joined when it is needed: for all segments of a long playlist, that takes 30 ms, which the benchmarks would
        # measure.
        return urllib.parse.urljoin(self._playlist, self._reference)


class Media:
    """One load of a media playlist."""

    def __init__(self, url):
        self.url = url
        self.text = fetch(url).decode()
        lines = self.text.splitlines()
        assert lines and lines[0] == "#EXTM3U", f"not a playlist: {self.text[:80]!r}"
        self.type, self.target, self.version, self.init, self.is_ended = None, None, None, None, False
        self.independent = "#EXT-X-INDEPENDENT-SEGMENTS" in lines
        # `sequence` is the media sequence number of the first segment.
        self.segments, self.sequence = [], 0
        self.is_keyframes_only = "#EXT-X-I-FRAMES-ONLY" in lines
        duration, is_discontinuous, date = None, False, None
        for line in lines:
            name, _, value = line.partition(":")
            match name:
                case "#EXT-X-PLAYLIST-TYPE":
                    self.type = value
                case "#EXT-X-MEDIA-SEQUENCE":
                    self.sequence = int(value)
                case "#EXT-X-TARGETDURATION":
                    self.target = int(value)
                case "#EXT-X-VERSION":
                    self.version = int(value)
                case "#EXT-X-MAP":
                    self.init = urllib.parse.urljoin(url, attributes(value)["URI"])
                case "#EXT-X-ENDLIST":
                    self.is_ended = True
                case "#EXT-X-DISCONTINUITY":
                    is_discontinuous = True
                case "#EXT-X-PROGRAM-DATE-TIME":
                    date = datetime.datetime.fromisoformat(value)
                case "#EXTINF":
                    duration = float(value.split(",")[0])
                case _ if line and not line.startswith("#"):
                    self.segments.append(Segment(url, line, duration, is_discontinuous, date))
                    is_discontinuous, date = False, None

    @property
    def duration(self):
        return sum(segment.duration for segment in self.segments)

    @classmethod
    def versions(cls, url, patience=PATIENCE, pause=0):
        """Yields each fetched version of the playlist, the last of which is complete."""
        end = time.monotonic() + patience
        while True:
            playlist = cls(url)
            yield playlist
            if playlist.is_ended:
                return
            assert time.monotonic() < end, f"no ENDLIST within {patience} s: {playlist.text[-200:]}"
            time.sleep(pause)

    @classmethod
    def complete(cls, url, patience=PATIENCE):
        """The playlist once it is complete."""
        return collections.deque(cls.versions(url, patience, 0.1), maxlen=1).pop()


class Master:
    def __init__(self, url):
        self.url = url
        self.text = fetch(url).decode()
        lines = self.text.splitlines()
        assert lines and lines[0] == "#EXTM3U", f"not a playlist: {self.text[:80]!r}"
        # `renditions` holds audio; subtitles and keyframe playlists have lists of their own.
        self.variants, self.renditions, self.subtitles, self.keyframes = [], [], [], []
        for line, following in zip(lines, [*lines[1:], ""]):
            name, _, value = line.partition(":")
            if name == "#EXT-X-STREAM-INF":
                self.variants.append((attributes(value), urllib.parse.urljoin(url, following)))
            elif name == "#EXT-X-MEDIA":
                found = attributes(value)
                if "URI" in found:
                    kind = self.subtitles if found["TYPE"] == "SUBTITLES" else self.renditions
                    kind.append((found, urllib.parse.urljoin(url, found["URI"])))
            elif name == "#EXT-X-I-FRAME-STREAM-INF":
                found = attributes(value)
                self.keyframes.append((found, urllib.parse.urljoin(url, found["URI"])))

    def playlists(self):
        """The URL of every audio and video media playlist, once."""
        urls = [url for _, url in self.variants] + [url for _, url in self.renditions]
        return list(dict.fromkeys(urls))

    def everything(self):
        """Every init and media segment of the complete playlists, in order."""
        found = []
        for url in self.playlists() + [url for _, url in self.subtitles + self.keyframes]:
            playlist = Media.complete(url)
            found += [playlist.init] if playlist.init and playlist.init not in found else []
            found += [segment.url for segment in playlist.segments]
        return found
