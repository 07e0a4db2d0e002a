# SPDX-License-Identifier: Apache-2.0
"""Transport streams that are pushed: in datagrams, with and without RTP, and over pipes."""

import concurrent.futures
import os
import pathlib
import random
import socket
import struct

import grpc
import pytest
from harness import boxes, hls, transport
from harness.channels import make_stream, offset_at
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.ports import free_port
from harness.tiers import tiered
from test_live_transport import MARGIN, announced, compare_with_file

# Transport packets per datagram.
PACKETS = 7
# A quarter of the least receive buffer that the engine gets from a kernel with default settings, in bytes.
ROOM = 106_496


@pytest.fixture
def port():
    return free_port(socket.SOCK_DGRAM)


def receiver(port):
    """The bytes that wait in the socket at a port, and the number of datagrams that it has dropped; `None` without a socket.
    The kernel may skip a row while other sockets are opened and closed, so callers repeat this until it returns a socket."""
    for line in pathlib.Path("/proc/net/udp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].split(":")[1], 16) == port:
            return int(fields[4].split(":")[1], 16), int(fields[12])
    return None


def await_receiver(engine, name, port):
    """Waits until a load that another thread has started has its socket. Load returns only after media has arrived."""
    def phases():
        sessions = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
        return [state_pb2.Phase.Name(each.phase) for each in sessions if each.source == name]

    eventually(phases, f"a session of {name}")
    eventually(lambda: receiver(port), lambda: f"the socket of {name}, whose session is {phases()}")


def datagrams(data):
    size = PACKETS * transport.PACKET
    return [data[start:start + size] for start in range(0, len(data), size)]


def rtp_packets(parts, first=65_500):
    """The parts as RTP packets."""
    return [struct.pack(">BBHII", 0x80, 33, (first + number) & 0xFFFF, number * 90, 7) + part for number, part in enumerate(parts)]


def disordered(parts, seed=1):
    """The same packets with neighbours exchanged, some packets repeated, and others with an unknown payload type."""
    chance, out = random.Random(seed), parts[:1]
    for start in range(1, len(parts), 5):
        group = parts[start:start + 5]
        chance.shuffle(group)
        out += group + group[:1] + [struct.pack(">BBHII", 0x80, 96, start, 0, 9) + b"repair"]
    return out


def send(parts, port):
    """Sends datagrams no faster than they are read, so that none is lost."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for part in parts:
            eventually(lambda: (found := receiver(port)) and found[0] < ROOM, lambda: f"a socket with room: {receiver(port)}")
            out.sendto(part, ("127.0.0.1", port))
    assert eventually(lambda: receiver(port), "the socket")[1] == 0


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return make_stream(tmp_path_factory.mktemp("feeds") / "channel.ts")


@pytest.mark.parametrize("kind", ["udp", "rtp", "rtp named udp"])
def test_datagrams_play_like_the_file_that_is_sent(engine, stream, tmp_path, port, kind):
    data = stream[:offset_at(stream, 8 + MARGIN)]
    parts = datagrams(data) if kind == "udp" else disordered(rtp_packets(datagrams(data)))
    # Anybody may send an empty datagram. It does not end the stream.
    parts.insert(len(parts) // 2, b"")
    path = tmp_path / "file.ts"
    path.write_bytes(stream)
    name = f"{kind.split()[-1]}://127.0.0.1:{port}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        loaded = pool.submit(engine.load, name)
        await_receiver(engine, name, port)
        send(parts, port)
        session = loaded.result()
    eventually(lambda: round(sum(announced(session)), 1) == 8, "what was sent")
    compare_with_file(engine, session, path, 4)
    session.stop()
    eventually(lambda: receiver(port) is None, "the socket to be closed")


def test_a_pipe_plays_while_it_is_written_and_ends_with_its_writer(engine, stream, tmp_path):
    pipe, path = tmp_path / "live.ts", tmp_path / "file.ts"
    path.write_bytes(stream)
    os.mkfifo(pipe)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        loaded = pool.submit(engine.load, f"pipe:{pipe}")
        with open(pipe, "wb") as out:
            out.write(stream[:offset_at(stream, 6 + MARGIN)])
            out.flush()
            session = loaded.result()
            eventually(lambda: round(sum(announced(session)), 1) == 6, "what was written")
            out.write(stream[offset_at(stream, 6 + MARGIN):])
    hls.Media.complete(session.url.replace("master", "video"))
    compare_with_file(engine, session, path, len(announced(session)))
    session.stop()


def test_unusable_addresses_are_refused_with_the_reason(engine, tmp_path, port):
    film = tmp_path / "file.ts"
    film.write_bytes(b"G" * 188)
    for name, words in (
            (f"udp://tuner.local:{port}", "IPv4"), ("udp://239.1.1.1", "ADDRESS:PORT"), ("pipe:live.ts", "absolute path"),
            (f"pipe:{tmp_path}/none", "No such file"), (f"pipe:{film}", "Invalid argument"), ("srt://127.0.0.1:1", "srt://")):
        with pytest.raises(grpc.RpcError) as caught:
            engine.load(name)
        assert words in caught.value.details(), name


# How many datagrams in a thousand are lost, and how many of them in a row.
LOSSES = {"0.1 %": (1, 1), "1 %": (10, 1), "bursts": (50, 40)}


def lossy(packets, spans, loss):
    """The packets without some of those in the spans, and how many are missing."""
    (rate, run), chance = LOSSES[loss], random.Random(7)
    lost = set()
    for first, end in spans:
        for start in chance.sample(range(first, end - run), max(1, (end - first) * rate // 1000 // run)):
            lost.update(range(start, start + run))
    return [packet for number, packet in enumerate(packets) if number not in lost], len(lost)


def samples(session, name, count):
    """The samples of the first segments: when each is decoded, in seconds, and its bytes."""
    fetch = lambda path: hls.fetch(session.url.replace("master.m3u8", f"{name}/{path}"))  # noqa: E731
    scale = boxes.Init(fetch("init.mp4")).timescale
    return [(sample.decode_time / scale, sample.payload)
            for number in range(count) for sample in boxes.Fragment(fetch(f"{number}.m4s")).samples]


@pytest.mark.parametrize("loss", tiered(LOSSES, {"1 %"}))
def test_after_lost_packets_pictures_and_audio_are_at_their_times(engine, stream, tmp_path, port, loss):
    path = tmp_path / "file.ts"
    path.write_bytes(stream)
    size = PACKETS * transport.PACKET
    # Every second group of pictures stays whole, and so does the start.
    spans = [(offset_at(stream, start + 0.3) // size, offset_at(stream, start + 1.7) // size) for start in range(2, 18, 4)]
    parts, missing = lossy(rtp_packets(datagrams(stream)), spans, loss)
    name = f"rtp://127.0.0.1:{port}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        loaded = pool.submit(engine.load, name)
        await_receiver(engine, name, port)
        send(parts, port)
        session = loaded.result()
    with engine.session(path, segment_target_us=2_000_000) as whole:
        eventually(lambda: sum(announced(session)) >= 17.5, lambda: f"the media after the losses: {announced(session)}")
        for track, first in (("video", 0), ("audio-1", 0.3)):
            found, expected = samples(session, track, len(announced(session))), samples(whole, track, 9)
            times = [time for time, _ in found]
            assert times == sorted(times)
            received = {(round(time, 3), body) for time, body in found}
            kept = [(round(time, 3), body) for time, body in expected if time < 17 and time % 4 < 2 - first]
            assert len(kept) >= 150
            lost = [time for time, body in kept if (time, body) not in received]
            assert not lost, f"{track} at {lost} s is missing or at another time"
    # Each of the four spans has at least one gap.
    assert missing >= 4
    eventually(lambda: engine.state(session.id).statistics.stream_continuity_errors >= 4, lambda: f"the statistics: {engine.state(session.id).statistics}")
    session.stop()
