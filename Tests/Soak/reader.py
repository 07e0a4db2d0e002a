# SPDX-License-Identifier: Apache-2.0
"""A player that fetches the segments of a session repeatedly, a few in a row from a random place; their bytes must not
change."""

import hashlib
import threading
import time

from harness import hls


class Reader(threading.Thread):
    def __init__(self, url, draw, digests=None):
        super().__init__(daemon=True)
        self.draw = draw
        self.playlists = [hls.Media.complete(each) for each in hls.Master(url).playlists()]
        self.digests, self.faults = {} if digests is None else digests, []
        self.fetched = self.bytes = 0
        self.is_over = False
        self.start()

    def run(self):
        try:
            while not self.is_over:
                playlist = self.draw.choice(self.playlists)
                first = self.draw.randrange(len(playlist.segments))
                for segment in playlist.segments[first:first + self.draw.randint(1, 6)]:
                    self.fetch(segment.url)
                    time.sleep(self.draw.uniform(0, 0.3))
                    if self.is_over:
                        return
        except (AssertionError, OSError) as failure:
            self.faults.append(f"a segment cannot be fetched: {failure}")

    def fetch(self, url):
        data = hls.fetch(url)
        digest = hashlib.sha256(data).digest()
        self.fetched, self.bytes = self.fetched + 1, self.bytes + len(data)
        if self.digests.setdefault(url, digest) != digest:
            self.faults.append(f"{url.rpartition('/')[2]} has other bytes than before")

    def close(self):
        self.is_over = True
        self.join()
