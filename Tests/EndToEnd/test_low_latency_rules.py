# SPDX-License-Identifier: Apache-2.0
"""Low-latency HLS as the draft demands it (draft-pantos-hls-rfc8216bis), seen by a client that follows each rendition by blocking
reloads and fetches what the preload hints name: real transport streams in parts, and delta updates."""

import concurrent.futures
import subprocess
import time

import pytest
from harness import boxes, hls, low_latency
from harness.channels import channel, offset_at
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, SAMPLES
from harness.tiers import tiered
from test_live_windows import broadcast

SHAKA = SAMPLES / "shaka-project+shaka-player/test/test/assets"
# Files that follow each other, and the time until which parts are expected.
STREAMS = {
    "a keyframe every half second": ([SHAKA / f"hls-ts-muxed-aac-h264/n_{number}_0_0.ts" for number in range(6)], 33),
    "a keyframe every five seconds": ([SHAKA / "hls-ts-audio-muxed-in-video/main.ts"], 50),
    "reordered frames": ([SHAKA / "hls-ts-b-frames/1.ts"], 5),
    "times that begin again": ([SHAKA / f"hls-text-no-discontinuity/{number}.ts" for number in (0, 1)], 8),
}
# The source arrives in pieces of this many packets of the transport stream.
PIECE = 40


def address(session, path):
    return session.url.replace("master.m3u8", path)


def fetch(session, path):
    return hls.fetch(address(session, path))


def load(session, name, query="", base=None):
    return low_latency.Playlist(fetch(session, f"{name}.m3u8{query}").decode(), base)


class Follower:
    """A client of one rendition, which asks for the next part in two ways: in a playlist, and by the name in the
    hint."""

    def __init__(self, session, name):
        self.session, self.name = session, name
        # By URI: what the hints delivered. By number of segment: the URIs of its parts.
        self.hinted, self.parts, self.independent = {}, {}, set()
        self.playlist, self.reloads = None, 0

    def note(self, playlist):
        low_latency.check(playlist, was_asked_to_skip=self.reloads > 0)
        if self.playlist:
            low_latency.check_reload(self.playlist, playlist)
        for (number, index), part in playlist.parts().items():
            known = self.parts.setdefault(number, [])
            assert index <= len(known), f"part {index} of segment {number} was never announced"
            known[index:index + 1] = [part.uri]
            if part.is_independent:
                self.independent.add(part.uri)
        self.playlist = playlist

    def run(self):
        """Follows the playlist until the session ends."""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            self.note(load(self.session, self.name))
            while True:
                wanted = self.playlist.arriving.number, len(self.playlist.arriving.parts)
                hint = self.playlist.hint
                coming = pool.submit(hls.request, address(self.session, hint))
                query = f"?_HLS_msn={wanted[0]}&_HLS_part={wanted[1]}&_HLS_skip=YES"
                reply = hls.request(address(self.session, f"{self.name}.m3u8{query}"))
                if reply.status == 410:
                    return
                assert reply.status == 200, (query, reply.status, reply.body)
                self.reloads += 1
                self.note(low_latency.Playlist(reply.body.decode(), self.playlist))
                assert self.playlist.last >= wanted, f"{self.playlist.last} is not what was asked for: {wanted}"
                answer = coming.result()
                if answer.status == 200:
                    self.hinted[hint] = answer.body
                else:
                    # Only a segment that begins with a discontinuity has no parts, and only the session's end stops a wait.
                    assert answer.status in (404, 410), (hint, answer.status)


@pytest.mark.skipif(not SHAKA.exists(), reason="there are no real samples in ../shared/media or $ENGINE_MEDIA")
@pytest.mark.parametrize("kind", tiered(STREAMS, {"a keyframe every half second"}))
def test_real_streams_in_parts_fulfil_the_draft(engine, kind):
    files, seconds = STREAMS[kind]
    data = b"".join(path.read_bytes() for path in files)
    step = PIECE * 188
    with channel(data, step) as source, concurrent.futures.ThreadPoolExecutor(4) as pool:
        loaded = pool.submit(engine.load, source.url, low_latency=True)
        sent = step
        while not loaded.done():
            sent += step
            source.send(min(sent, len(data)))
            time.sleep(0.05)
        session = loaded.result()
        master = fetch(session, "master.m3u8").decode()
        names = [name for name in ("video", "audio-1", "audio-2") if f"{name}.m3u8" in master]
        followers = [Follower(session, name) for name in names]
        running = [pool.submit(each.run) for each in followers]
        for end in range(sent, len(data) + step, step):
            source.send(min(end, len(data)))
            time.sleep(0.01)
        eventually(lambda: any(each.done() for each in running) or all(load(session, name).end >= seconds for name in names),
                   lambda: f"parts up to {seconds} s: {[load(session, name).end for name in names]}")
        for each in running:
            if each.done():
                each.result()
        for follower in followers:
            check_media(session, follower)
            reports = {f"{name}.m3u8": follower.playlist.last for name in names if name != follower.name}
            now = load(session, follower.name)
            assert set(now.reports) == set(reports)
            assert all(last == now.last for last in now.reports.values()), (now.reports, now.last)
        session.stop()
        for each in running:
            each.result(PATIENCE)
    assert all(each.reloads >= 4 and len(each.hinted) >= 4 for each in followers)


def check_media(session, follower):
    """Checks that parts are what the hints delivered, make up their segment, follow each other, and are as independent
    and as long as the playlist says."""
    init = boxes.Init(fetch(session, f"{follower.name}/init.mp4"))
    complete = {entry.number: entry for entry in load(session, follower.name).segments}
    assert len(complete) >= 2
    place = None
    for number, uris in sorted(follower.parts.items()):
        bodies = [fetch(session, uri) for uri in uris]
        for uri, body in zip(uris, bodies):
            assert follower.hinted.get(uri, body) == body, f"{uri} is not what the hint delivered"
            if body.count(b"moof") == 0:
                continue
            found = boxes.Fragment(body)
            if place is not None and found.samples:
                assert found.decode_time == place, f"{uri} begins at {found.decode_time}, not at {place}"
            place = found.decode_time + sum(sample.duration for sample in found.samples)
            if uri in follower.independent and found.samples:
                assert any(sample.is_sync for sample in found.samples), f"{uri} has no independent frame"
            if follower.name == "video" and uri == uris[0]:
                assert found.samples[0].is_sync, f"{uri} does not begin with a keyframe"
        if number not in complete:
            continue
        assert b"".join(bodies) == fetch(session, complete[number].uri), f"segment {number} is not its parts"
        length = sum(sample.duration for body in bodies for sample in boxes.Fragment(body).samples) / init.timescale
        assert abs(length - complete[number].duration) < 0.1, (number, length, complete[number].duration)
    uri = follower.parts[min(follower.parts)][0]
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", "pipe:0", "-f", "null", "-"], timeout=PATIENCE, capture_output=True,
                          input=fetch(session, f"{follower.name}/init.mp4") + fetch(session, uri))
    assert done.returncode == 0 and not done.stderr, f"{uri} alone: {done.stderr}"


def unchanged(session, name, request):
    """A media playlist, and what `request` returns for two queries for its delta update. Requests all of them again if
    the playlist has changed in the meantime."""
    def attempt():
        whole = load(session, name)
        found = [request(query) for query in ("?_HLS_skip=YES", f"?_HLS_msn={whole.last[0]}&_HLS_part={whole.last[1]}&_HLS_skip=YES")]
        return load(session, name).text == whole.text and (whole, found)
    return eventually(attempt, f"{name} to stay as it is while it is requested")


def test_delta_updates_complete_an_earlier_playlist(engine, tmp_path):
    data = broadcast(tmp_path / "channel.ts", 75)
    with channel(data, offset_at(data, 6)) as source, engine.session(source.url, low_latency=True) as session:
        names, bases, began = ("video", "audio-1"), {}, time.monotonic()
        source.send(offset_at(data, 40))
        for name in names:
            eventually(lambda: load(session, name).end >= 38, f"{name} up to 38 s")
            bases[name], found = unchanged(session, name, lambda query: fetch(session, f"{name}.m3u8{query}").decode())
            boundary = float(bases[name].control["CAN-SKIP-UNTIL"])
            assert boundary == 6 * bases[name].target <= 60, "the stream is long enough for this test"
            assert found == [bases[name].text] * 2, "nothing can be skipped yet"
        # A stream that is 60 s ahead of the clock would count as a recording.
        time.sleep(max(0, began + 10 - time.monotonic()))
        source.send(offset_at(data, 69))
        for name in names:
            eventually(lambda: load(session, name).end >= 68, f"{name} up to 68 s")
            base = bases[name]
            whole, found = unchanged(session, name, lambda query: load(session, name, query, base))
            for update in found:
                low_latency.check(update, was_asked_to_skip=True)
                low_latency.check_reload(base, update)
                assert update.skipped >= 3 and len(update.text) < len(whole.text)
                assert [each.facts for each in update.segments] == [each.facts for each in whole.segments]
                assert (update.parts(), update.hint, update.last) == (whole.parts(), whole.hint, whole.last)
            for query in ("", "?_HLS_skip=v2", "?_HLS_skip=NO"):
                assert load(session, name, query).skipped == 0, query
        # Renditions without parts have no delta updates.
        for path in ("audio-1-later-250.m3u8", "keyframes.m3u8"):
            assert fetch(session, f"{path}?_HLS_skip=YES") == fetch(session, path)
        assert hls.Media(address(session, "video.m3u8")).type is None, "validate fetches a live playlist once"
        done = subprocess.run([ENGINECTL, "validate", "--no-decode", session.url], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout
