# SPDX-License-Identifier: Apache-2.0
"""Endless transport streams, and a live presentation: the window that is kept moves by time and by size, and viewers play
within and behind it."""

import concurrent.futures
import contextlib
import os
import pathlib
import socket
import stat
import subprocess
import time

import pytest
from harness import hls, transport
from harness.channels import channel, offset_at
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.live import live, package_languages
from harness.tiers import tiered
from harness.watching import Notices
from test_control import Watcher
from test_feeds import await_receiver, datagrams, disordered, port, rtp_packets, send  # noqa: F401
from test_live_transport import MARGIN, NULL, announced

# The least number of listed segments, of two seconds each.
MIN_SEGMENTS = 6


def broadcast(path, seconds):
    """A small transport stream with a keyframe every two seconds."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=64x64:r=10:d={seconds}", "-f", "lavfi", "-i",
         f"sine=440:d={seconds}", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-g", "20", "-c:a", "aac",
         "-b:a", "32k", "-f", "mpegts", path], check=True, timeout=PATIENCE)
    return path.read_bytes()


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return broadcast(tmp_path_factory.mktemp("windows") / "channel.ts", 56)


def padded(data, byte_count):
    """The stream with null packets between its own, so that it has about this many bytes."""
    packets = [data[place:place + transport.PACKET] for place in range(0, len(data), transport.PACKET)]
    padding = NULL * ((byte_count - len(data)) // len(data))
    return b"".join(packet + padding for packet in packets)


def video(session):
    return hls.Media(session.url.replace("master", "video"))


def segment(session, name):
    return session.url.replace("master.m3u8", name)


def has_slid_to(session, count):
    """Whether `count` segments have been announced in all, and the window has its minimum length."""
    media = video(session)
    return media.sequence == count - MIN_SEGMENTS and len(media.segments) == MIN_SEGMENTS


@contextlib.contextmanager
def sender(engine, kind, data, end, number, tmp_path):
    """Sends a stream over HTTP, in datagrams (RTP packets out of order, and some twice) or over a pipe. Yields the
    source's name, and a function that sends up to a byte. Datagrams are sent only once the engine has the socket of a
    load of the source."""
    if kind == "http":
        with channel(data, end) as source:
            yield source.url, source.send
        return
    place, packets = 0, 0
    if kind == "pipe":
        path = tmp_path / "live.ts"
        os.mkfifo(path)
        # Opens at once, whether or not there is a reader.
        out = os.fdopen(os.open(path, os.O_RDWR), "wb", buffering=0)
        name, write = f"pipe:{path}", out.write
    else:
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        name = f"{kind}://127.0.0.1:{number}"

        def write(part):
            nonlocal packets
            parts = datagrams(part)
            if kind == "rtp":
                packets, parts = packets + len(parts), disordered(rtp_packets(parts, 65_500 + packets))
            send(parts, number)

    def send_until(end):
        nonlocal place
        write(data[place:end])
        place = end

    def send_first():
        if kind in ("udp", "rtp"):
            await_receiver(engine, name, number)
        send_until(end)

    with out, concurrent.futures.ThreadPoolExecutor() as pool:
        first = pool.submit(send_first)
        yield name, lambda end: (first.result(), send_until(end))


@pytest.mark.parametrize("kind", tiered(["http", "udp", "rtp", "pipe"], {"udp"}))
def test_the_window_moves_and_segments_keep_their_indices(engine, stream, tmp_path, kind, port):  # noqa: F811
    path = tmp_path / "whole.ts"
    path.write_bytes(stream)
    with sender(engine, kind, stream, offset_at(stream, 6 + MARGIN), port, tmp_path) as (name, send_until), \
            engine.session(name, dvr_window_us=10_000_000) as session, \
            engine.session(path, segment_target_us=2_000_000) as whole:
        eventually(lambda: round(sum(announced(session)), 1) == 6, "what was sent")
        first = engine.state(session.id)
        assert (first.seekable[0].start_us, first.live.edge_us, first.growing) == (0, first.seekable[0].end_us, True)
        assert (video(session).type, video(session).sequence) == (None, 0)
        kept = {}
        for seconds in (16, 28, 42):
            send_until(offset_at(stream, seconds + MARGIN))
            eventually(lambda: has_slid_to(session, seconds // 2), f"{seconds} s")
            for track in ("video", "audio-1"):
                media = hls.Media(segment(session, f"{track}.m3u8"))
                for number, part in enumerate(media.segments, media.sequence):
                    assert part.url.endswith(f"{track}/{number}.m4s")
                    body = hls.fetch(part.url)
                    assert kept.setdefault(part.url, body) == body == hls.fetch(segment(whole, f"{track}/{number}.m4s"))
        eventually(lambda: engine.state(session.id).seekable[0].end_us == engine.state(session.id).live.edge_us, "the edge")
        last = engine.state(session.id)
        assert 29_900_000 < last.seekable[0].start_us < 30_200_000 and 41_900_000 < last.live.edge_us < 42_200_000
        assert last.revision > first.revision and last.duration_us == -1
        # A player that fetched the playlist just before may still ask for what has left it.
        hls.fetch(segment(session, "video/14.m4s"))


def spools(engine):
    """The files without names that an engine has open in its cache: their lengths on disk, and their modes."""
    found = []
    for entry in pathlib.Path(f"/proc/{engine.process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            status = entry.stat()
            if status.st_nlink == 0 and stat.S_ISREG(status.st_mode) and "/spools/" in os.readlink(entry):
                found.append((status.st_blocks * 512, stat.S_IMODE(status.st_mode)))
    return found


@pytest.mark.long
def test_memory_and_disk_are_limited_and_evicted_segments_are_gone(start_engine, stream, tmp_path):
    small = start_engine("--window-bytes", "16M", "--dvr-bytes", "24M")
    path, data = tmp_path / "whole.ts", padded(stream, 80 << 20)
    path.write_bytes(stream)
    with channel(data, offset_at(data, 6 + MARGIN)) as source, small.session(source.url) as session, \
            small.session(path, segment_target_us=2_000_000) as whole:
        for seconds in range(6, 55, 4):
            source.send(offset_at(data, seconds + MARGIN))
            eventually(lambda: small.state(session.id).production.planned_segments >= seconds // 2, f"{seconds} s")
        files = spools(small)
        assert len(files) == 1 and 8 << 20 < files[0][0] <= 25 << 20 and files[0][1] == 0o600, files
        media = video(session)
        # At 1.4 MiB a second, the disk keeps 17 s.
        assert media.sequence >= 16 and media.duration >= 8
        for number, part in enumerate(media.segments, media.sequence):
            assert hls.fetch(part.url) == hls.fetch(segment(whole, f"video/{number}.m4s")), number
        # This segment has not been requested before.
        reply = hls.request(segment(session, "video/14.m4s"))
        assert reply.status == 410 and b"source_not_readable" in reply.body, (reply.status, reply.body)
        start = small.state(session.id).seekable[0].start_us
        assert start >= 30_000_000
        seek = engine_pb2.SeekRequest(session_id=session.id, position_us=1_000_000)
        assert small.stub.Seek(seek, timeout=PATIENCE).state.position.position_us >= start
    eventually(lambda: not spools(small), "the file to go with the session")


@pytest.mark.long
def test_without_a_disk_the_window_is_kept_in_memory(start_engine, stream, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    engine = start_engine("--window-bytes", "16M", "--cache-disk-directory", str(tmp_path / "file" / "none"))
    notices, data = Notices(engine), padded(stream, 40 << 20)
    with channel(data, offset_at(data, 6 + MARGIN)) as source, engine.session(source.url) as session:
        for seconds in range(8, 41, 4):
            source.send(offset_at(data, seconds + MARGIN))
            eventually(lambda: engine.state(session.id).production.planned_segments >= seconds // 2, f"{seconds} s")
        eventually(lambda: "live.window_in_memory" in notices.codes, "the notice")
        source.send(offset_at(data, 52 + MARGIN))
        eventually(lambda: engine.state(session.id).production.planned_segments >= 26, "the rest")
        media = video(session)
        assert media.sequence > 8
        for part in media.segments:
            hls.fetch(part.url)
        assert notices.codes.count("live.window_in_memory") == 1 and not spools(engine)
    notices.end()


def play(engine, session):
    """Plays until the session is reported as playing. Soon after, the media that was sent may be over."""
    watcher = Watcher(engine, session_id=session.id, fields=[state_pb2.STATE_FIELD_PHASE])
    watcher.wait(lambda _: True, "the snapshot")
    state = engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE).state
    watcher.wait_for_phase(state_pb2.PHASE_PLAYING)
    watcher.cancel()
    return state


@pytest.mark.parametrize("kind", tiered(["http", "rtp"], {"rtp"}))
def test_a_paused_viewer_falls_behind_the_window_and_returns_to_the_edge(engine, stream, tmp_path, kind, port):  # noqa: F811
    notices = Notices(engine)
    with sender(engine, kind, stream, offset_at(stream, 6 + MARGIN), port, tmp_path) as (name, send_until), \
            engine.session(name, dvr_window_us=10_000_000) as session:
        play(engine, session)
        place = engine.stub.Pause(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE).state.position.position_us
        for seconds in (20, 40):
            send_until(offset_at(stream, seconds + MARGIN))
            eventually(lambda: has_slid_to(session, seconds // 2), f"{seconds} s")
        state = engine.state(session.id)
        assert state.position.position_us == place < 6_100_000 and "live.behind_window" not in notices.codes
        state = play(engine, session)
        assert state.position.position_us >= state.seekable[0].start_us > 27_900_000
        eventually(lambda: "live.behind_window" in notices.codes, "the notice")
        seek = engine_pb2.SeekRequest(session_id=session.id, place=engine_pb2.SEEK_PLACE_LIVE)
        state = engine.stub.Seek(seek, timeout=PATIENCE).state
        assert state.live.target_latency_us == 3_250_000
        assert -3_250_000 <= state.position.position_us - state.live.edge_us <= -750_000
        # The viewer goes back to the oldest media that is kept, and returns again.
        engine.stub.Pause(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        oldest = state.seekable[0].start_us
        back = engine_pb2.SeekRequest(session_id=session.id, position_us=0)
        assert oldest <= engine.stub.Seek(back, timeout=PATIENCE).state.position.position_us < oldest + 2_000_000
        hls.fetch(video(session).segments[0].url)
        again = engine.stub.Seek(seek, timeout=PATIENCE).state
        assert again.live.edge_us - again.position.position_us <= 3_250_000
    notices.end()


def test_playback_whose_audio_has_left_its_playlist_continues_in_the_window(engine, tmp_path):
    with live(package_languages(tmp_path / "film"), window=6, count=10) as source:
        # The window of the audio is a segment ahead of that of the video.
        source.lags = {source.lead: 1}
        with engine.session(source.url) as session:
            source.count = 11
            eventually(lambda: engine.state(session.id).production.planned_segments == 7, "all playlists to go on")
            # The oldest segment of the video has audio that is no longer listed.
            back = engine_pb2.SeekRequest(session_id=session.id, position_us=1_000_000)
            engine.stub.Seek(back, timeout=PATIENCE)
            play(engine, session)
            state = engine.state(session.id)
            assert state.seekable[0].start_us > 1_900_000 and video(session).sequence == 2
            assert state.phase == state_pb2.PHASE_PLAYING and state.position.position_us > 1_900_000
            reply = hls.request(segment(session, "video/1.m4s"))
            assert reply.status == 410 and b"has left the playlist" in reply.body


@pytest.mark.long
def test_a_late_viewer_catches_up_by_skipping_or_by_rate(engine, stream):
    notices = Notices(engine)
    for chase in (engine_pb2.CHASE_SPEED, engine_pb2.CHASE_OFF, engine_pb2.CHASE_SKIP):
        with channel(stream, offset_at(stream, 6 + MARGIN)) as source, engine.session(source.url, chase=chase) as session:
            began = time.monotonic()
            play(engine, session)

            def has_skipped():
                """Whether the position is further beyond the first 6 s than playback alone can explain."""
                place = engine.state(session.id).position.position_us / 1e6
                return place > 6 + 1.1 * (time.monotonic() - began)

            assert engine.state(session.id).position.requested_rate == 1
            assert "live.skipped" not in notices.codes
            source.send(offset_at(stream, 30 + MARGIN))
            eventually(lambda: engine.state(session.id).production.planned_segments == 15, "what was sent at once")
            if chase == engine_pb2.CHASE_SKIP:
                source.send(offset_at(stream, 32 + MARGIN))
                eventually(lambda: engine.state(session.id).position.position_us > 25_000_000, "the skip")
                eventually(lambda: "live.skipped" in notices.codes, "the notice")
            elif chase == engine_pb2.CHASE_SPEED:
                eventually(lambda: engine.state(session.id).position.requested_rate == 1.1, "the rate")
                assert not has_skipped()
                # Near the edge, playback has its normal rate.
                seek = engine_pb2.SeekRequest(session_id=session.id, place=engine_pb2.SEEK_PLACE_LIVE)
                engine.stub.Seek(seek, timeout=PATIENCE)
                source.send(offset_at(stream, 32 + MARGIN))
                eventually(lambda: engine.state(session.id).position.requested_rate == 1, "the rate falls back")
            else:
                source.send(offset_at(stream, 32 + MARGIN))
                eventually(lambda: engine.state(session.id).production.planned_segments == 16, "what follows")
                assert engine.state(session.id).position.requested_rate == 1 and not has_skipped()
    notices.end()


@pytest.mark.long
def test_no_segment_index_is_reused_after_a_kill(start_engine, stream):
    engine = start_engine()
    with channel(stream, offset_at(stream, 10 + MARGIN)) as source:
        session = engine.load(source.url)
        before = eventually(lambda: len((found := video(session)).segments) == 5 and found, "what was sent")
        kept = hls.fetch(before.segments[0].url)
        ended = engine.state(session.id).seekable[0].end_us
        engine.kill()
        # The server continues from its current position.
        source.cut(offset_at(stream, 20), offset_at(stream, 32 + MARGIN), False)
        engine = start_engine(directory=engine.directory)
        after = eventually(
            lambda: engine.state(session.id).HasField("live") and len((found := video(session)).segments) >= 4 and found,
            "the session to be restored")
        assert after.sequence > 100 and after.target == before.target
        state = engine.state(session.id)
        assert state.seekable[0].start_us > ended and state.position.position_us >= state.seekable[0].start_us
        bodies = [hls.fetch(part.url) for part in after.segments]
        assert kept not in bodies and len(set(bodies)) == len(bodies)
        reply = hls.request(before.segments[0].url)
        assert reply.status == 410 and b"started again" in reply.body
        start = after.sequence * 2_000_000
        assert start <= state.seekable[0].start_us < start + 2_000_000, "the timeline goes on"
        engine.stub.Stop(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)


@pytest.mark.long
def test_a_recording_of_unknown_length_keeps_its_beginning(engine, tmp_path):
    data = broadcast(tmp_path / "film.ts", 90)
    with channel(data, offset_at(data, 80 + MARGIN)) as source, \
            engine.session(source.url, dvr_window_us=70_000_000) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 80, "what was sent")
        media, state = video(session), engine.state(session.id)
        assert (media.type, media.sequence, state.seekable[0].start_us) == ("EVENT", 0, 0) and not state.HasField("live")
        hls.fetch(media.segments[0].url)
        source.send(offset_at(data, 88 + MARGIN))
        eventually(lambda: round(sum(announced(session)), 1) == 88, "what follows")
        assert video(session).sequence == 0
