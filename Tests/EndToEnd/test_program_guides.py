# SPDX-License-Identifier: Apache-2.0
"""What is broadcast now and next in live transport streams, and the time of day that they carry, in the state of sessions."""

import concurrent.futures
import datetime
import json
import random
import socket
import subprocess
import time

import pytest
from harness import hls, transport
from harness.channels import channel, make_stream, offset_at
from harness.contract import engine_pb2, programs_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL
from harness.ports import free_port
from harness.tiers import tiered
from harness.watching import Notices
from test_feeds import await_receiver, datagrams, receiver, rtp_packets, send
from test_live_transport import MARGIN, announced

EVENTS, TIME = 0x12, 0x14
# The number that ffmpeg gives to the program of its streams.
PROGRAM = 1
NEWS, WEATHER, FILM = (11, "Größe €"), (12, "Новости"), (13, "İstanbul\nNight")
NEWS_TEXT = "Nachrichten"
LONG_TEXT = "Ein langer Text. " * 12


def coded(text):
    """As ISO 6937, which Python does not know, for the letters of these tests; or with another charset and its mark."""
    if "Н" in text:
        return b"\x01" + text.encode("iso8859-5")
    if "İ" in text:
        return b"\x05" + text.encode("iso8859-9").replace(b"\n", b"\x8a").replace(b"Night", b"\x86Night\x87")
    return b"".join({"ö": b"\xc8o", "ß": b"\xfb", "€": b"\xa4"}.get(letter, letter.encode()) for letter in text)


def event(of, moment, minutes, *details):
    text = coded(NEWS_TEXT) if of is NEWS else b""
    return transport.broadcast_event(of[0], moment, minutes, coded(of[1]), text, details=[part.encode() for part in details])


def tables(data, start):
    """The tables of a broadcast that begins at `start`: version 0 and, after 8 s, version 1. The time is stated every
    two seconds."""
    def at(seconds):
        return start + datetime.timedelta(seconds=seconds)

    found, soon, later = [], at(8), at(8 + 15 * 60)
    for second in range(0, 20, 2):
        version = 0 if second < 8 else 1
        present = event(NEWS, at(-600), 10, LONG_TEXT[:200], LONG_TEXT[200:]) if version == 0 else event(WEATHER, soon, 15)
        following = event(WEATHER, soon, 15) if version == 0 else event(FILM, later, 95)
        place = offset_at(data, second + 0.5)
        for number, each in ((0, present), (1, following)):
            found.append((place, EVENTS, transport.event_table(PROGRAM, version, number, each)))
        # A program that is not in this stream, another stream's table, and one that is damaged.
        found.append((place, EVENTS, transport.event_table(99, 0, 0, event(FILM, soon, 5))))
        other = bytearray(transport.event_table(PROGRAM, 9, 0, event(FILM, soon, 5)))
        found.append((place, EVENTS, b"\x4f" + bytes(other[1:-4]) + transport.crc(b"\x4f" + bytes(other[1:-4]))))
        other[20] ^= 1
        found.append((place, EVENTS, bytes(other)))
        found.append((offset_at(data, second), TIME, transport.time_table(at(second))))
        if second in (2, 12):
            found.append((offset_at(data, second), TIME, transport.offset_table(at(second), 2)))
    return found


def microseconds(moment):
    return int(moment.timestamp()) * 1_000_000


def brief(found):
    return (found.id, found.title)


def listed(state):
    """The present and the following event of each program."""
    return [(each.program, brief(each.present), brief(each.following)) for each in state.guide]


def ctl(engine, *arguments):
    done = subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return make_stream(tmp_path_factory.mktemp("guides") / "channel.ts")


def now():
    return datetime.datetime.fromtimestamp(int(time.time()), datetime.timezone.utc)


FIRST, SECOND = [(PROGRAM, NEWS, WEATHER)], [(PROGRAM, WEATHER, FILM)]


def test_present_and_following_events_of_a_channel_are_in_the_state(engine, stream):
    start = now()
    data = transport.with_tables(stream, tables(stream, start))
    watch = Notices(engine)
    with channel(data, offset_at(data, 6 + MARGIN)) as source, engine.session(source.url) as session:
        eventually(lambda: listed(engine.state(session.id)) == FIRST, lambda: listed(engine.state(session.id)))
        state = engine.state(session.id)
        assert state.media.program == PROGRAM
        found = state.guide[0].present
        assert (found.text, found.language, found.details) == (NEWS_TEXT, "deu", LONG_TEXT)
        assert found.status == programs_pb2.PROGRAM_EVENT_STATUS_RUNNING
        assert found.start_unix_us == microseconds(start) - 600_000_000 and found.duration_us == 600_000_000
        assert state.guide[0].following.start_unix_us == microseconds(start) + 8_000_000
        text = ctl(engine, "status", "--session", session.id)
        assert f'now       "{NEWS[1]}" [deu], ' in text and f": {NEWS_TEXT}" in text and f'next      "{WEATHER[1]}"' in text, text
        programs = json.loads(ctl(engine, "programs", "--session", session.id, "--json"))["programs"]
        assert [(each["present"]["title"], each["following"]["id"]) for each in programs] == [(NEWS[1], WEATHER[0])]
        assert f'now       "{NEWS[1]}"' in ctl(engine, "programs", "--session", session.id)

        # A watch of only this part of the state receives the change, and one notice reports it.
        request = engine_pb2.WatchRequest(session_id=session.id, fields=[state_pb2.STATE_FIELD_GUIDE], time_interval_us=-1)
        changes = engine.stub.Watch(request, timeout=PATIENCE)
        changes.initial_metadata()
        source.send(offset_at(data, 16 + MARGIN))
        guides = (each.delta.state for each in changes if state_pb2.STATE_FIELD_GUIDE in each.delta.fields)
        assert listed(next(guides)) == SECOND
        changes.cancel()
        assert listed(engine.state(session.id)) == SECOND
        shown = json.loads(ctl(engine, "status", "--session", session.id, "--json"))["guide"]
        assert shown[0]["following"]["title"] == FILM[1] and shown[0]["present"]["status"] == "running"
        eventually(lambda: watch.codes.count("live.event") == 2, lambda: watch.texts)
        said = [text for code, text in zip(watch.codes, watch.texts) if code == "live.event"]
        assert NEWS[1] in said[0] and "lasts 10 min" in said[0] and WEATHER[1] in said[1], said
    watch.end()


LEAP_DAY = datetime.datetime(2024, 2, 29, 23, 59, 52, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize("start", [None, LEAP_DAY], ids=["now", "past"])
def test_the_clock_of_a_stream_dates_its_live_edge(engine, stream, start):
    moment = start or now()
    data = transport.with_tables(stream, tables(stream, moment))
    with channel(data, offset_at(data, 6 + MARGIN)) as source, engine.session(source.url) as session:
        for seconds in (6, 12):
            source.send(offset_at(data, seconds + MARGIN))
            eventually(lambda: round(sum(announced(session)), 1) == seconds, f"{seconds} s")
            live = eventually(
                lambda: (live := engine.state(session.id).live).edge_us >= seconds * 1_000_000 - 100_000 and live, "the edge")
            # The clock states whole seconds, before the picture of that time.
            assert abs(live.wall_clock_unix_us - microseconds(moment) - live.edge_us) < 500_000, live
            assert live.wall_clock_doubtful == (start is not None) and live.utc_offset_s == 7200
    with channel(stream, offset_at(stream, 6 + MARGIN)) as source, engine.session(source.url) as session:
        live = eventually(lambda: (live := engine.state(session.id).live).edge_us and live, "a live source")
        assert (live.wall_clock_unix_us, live.utc_offset_s, live.wall_clock_doubtful) == (0, 0, False)


@pytest.mark.parametrize("scheme", tiered(["udp", "rtp"], {"udp"}))
def test_streams_that_are_sent_have_a_guide(engine, stream, scheme):
    start, port = now(), free_port(socket.SOCK_DGRAM)
    data = transport.with_tables(stream, tables(stream, start))
    name = f"{scheme}://127.0.0.1:{port}"
    parts = datagrams(data[:offset_at(data, 8 + MARGIN)])
    with concurrent.futures.ThreadPoolExecutor() as pool:
        loaded = pool.submit(engine.load, name)
        await_receiver(engine, name, port)
        send(parts if scheme == "udp" else rtp_packets(parts), port)
        session = loaded.result()
    eventually(lambda: listed(engine.state(session.id)) == SECOND, lambda: listed(engine.state(session.id)))
    assert engine.state(session.id).live.wall_clock_unix_us // 60_000_000 - microseconds(start) // 60_000_000 in (0, 1)
    session.stop()
    eventually(lambda: receiver(port) is None, "the socket to be closed")


def test_a_file_with_tables_plays_like_one_without(engine, stream, tmp_path):
    plain, path = tmp_path / "plain.ts", tmp_path / "tables.ts"
    plain.write_bytes(stream)
    path.write_bytes(transport.with_tables(stream, tables(stream, now())))
    with engine.session(path) as session, engine.session(plain) as other:
        assert not session.state.guide and not session.state.HasField("live")
        # ffmpeg, which reads the file, lists the tables as a stream of data.
        assert [each.codec for each in session.state.media.streams[:2]] == [each.codec for each in other.state.media.streams]
        for name in ("video/init.mp4", "video/0.m4s", "audio-1/0.m4s"):
            parts = [hls.fetch(each.url.replace("master.m3u8", name)) for each in (session, other)]
            assert parts[0] == parts[1], name
        programs = json.loads(ctl(engine, "programs", path, "--json"))["programs"]
        assert len(programs) == 1 and "present" not in programs[0]


def test_hostile_tables_leave_playback_and_guide_alone(engine, stream):
    chance, hostile = random.Random(4), []
    section = transport.event_table(PROGRAM, 3, 0, event(NEWS, now(), 10))
    for second in range(20):
        place = offset_at(stream, second + 0.2)
        for _ in range(20):
            pid = chance.choice([EVENTS, TIME])
            if chance.random() < 0.5:
                broken = bytearray(section)
                for _ in range(3):
                    broken[chance.randrange(len(broken))] = chance.randrange(256)
                hostile.append((place, pid, bytes(broken)))
            else:
                hostile.append((place, pid, bytes([chance.choice([0x4E, 0x73]), 0xFF, 0xFF]) + chance.randbytes(600)))
    # Without those that are intact by chance.
    hostile = [each for each in hostile if transport.crc(each[2][:-4]) != each[2][-4:]]
    data = transport.with_tables(stream, tables(stream, now()) + hostile)
    with channel(data, offset_at(data, 16 + MARGIN)) as source, engine.session(source.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 16, "the media")
        eventually(lambda: listed(engine.state(session.id)) == SECOND, lambda: listed(engine.state(session.id)))
        counts = engine.state(session.id).statistics
        assert (counts.stream_gaps, counts.stream_transport_errors) == (0, 0)
