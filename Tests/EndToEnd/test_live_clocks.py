# SPDX-License-Identifier: Apache-2.0
"""Clocks of live transport streams: times of two days, which wrap twice; program clock references that are missing, jump, or
contradict the times of the media; audio that follows the pictures to another clock later than they."""

import struct
import subprocess

import pytest
from harness import hls, transport
from harness.channels import channel, make_stream, offset_at
from harness.engine import PATIENCE, eventually
from harness.tiers import tiered
from harness.watching import Notices
from test_feeds import samples
from test_live_transport import MARGIN, announced, compare_with_file

TICKS, WRAP = 90_000, 1 << 33
# Seconds from picture to picture, and how long the stream lasts: two wraps are 53 hours.
STEP, HOURS = 5, 54


def groups(data):
    """The packets of the tables of a transport stream, and those of each picture."""
    tables, pictures = [], []
    for at in range(0, len(data), transport.PACKET):
        packet = data[at:at + transport.PACKET]
        number = (packet[1] & 31) << 8 | packet[2]
        if number == 0x100:
            if packet[1] & 0x40:
                pictures.append([])
            pictures[-1].append(packet)
        elif not pictures:
            tables.append(packet)
    return tables, pictures


def clocked(packet, ticks):
    """A packet whose program clock reference, if it has one, states this time. Without a time, the reference is removed."""
    packet = bytearray(packet)
    if packet[3] & 0x20 and packet[4] and packet[5] & 0x10:
        if ticks is None:
            packet[5] &= 0xEF
            packet[6:12] = b"\xff" * 6
        else:
            packet[6:12] = struct.pack(">IH", ticks % WRAP >> 1, (ticks % WRAP & 1) << 15 | 0x7E00)
    return packet


def two_days(folder):
    """A stream of `HOURS` with a picture every `STEP` seconds, each a keyframe."""
    path = folder / "short.ts"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=2", "-c:v", "libx264", "-pix_fmt", "yuv420p",
                    "-preset", "ultrafast", "-g", "1", "-f", "mpegts", path], check=True, timeout=PATIENCE)
    tables, pictures = groups(path.read_bytes())
    counters, out = {}, []
    for number in range(HOURS * 3600 // STEP):
        begin = tables if number % 100 == 0 else []
        for packet in begin + pictures[number % len(pictures)]:
            ticks = number * STEP * TICKS + TICKS
            packet = clocked(packet, ticks - TICKS // 2)
            pid = (packet[1] & 31) << 8 | packet[2]
            counters[pid] = (counters.get(pid, -1) + 1) % 16
            packet[3] = packet[3] & 0xF0 | counters[pid]
            if pid == 0x100 and packet[1] & 0x40:
                at = transport.payload_at(packet)
                assert packet[at + 7] >> 6 == 2, "one time, because no picture is reordered"
                packet[at + 9:at + 14] = transport.timestamp(ticks)
            out.append(bytes(packet))
    return b"".join(out)


@pytest.mark.long
def test_two_days_of_times_that_wrap_twice_are_one_timeline(start_engine, tmp_path):
    engine, count = start_engine(), HOURS * 3600 // STEP
    data, watch = two_days(tmp_path), Notices(engine)
    with channel(data, len(data)) as source, engine.session(source.url) as session:
        def edge():
            return max((each.end_us for each in engine.state(session.id).seekable), default=0) / 1e6

        # The newest pictures are announced when the next ones have arrived.
        eventually(lambda: edge() >= (count - 6) * STEP, lambda: f"{HOURS} hours, after {edge() / 3600:.1f}", seconds=5 * PATIENCE)
        text = hls.fetch(session.url.replace("master", "video")).decode()
        assert "#EXT-X-DISCONTINUITY" not in text
        lengths = announced(session)
        assert len(lengths) > 100 and all(abs(length - STEP) < 0.01 for length in lengths[:-1]), lengths[:5]
        # The index of a segment is its picture's number, and its time is on one line from the start.
        listed = hls.Media(session.url.replace("master", "video")).segments
        for part in (listed[0], listed[len(listed) // 2], listed[-1]):
            number = int(part.url.rpartition("/")[2].split(".")[0])
            body = hls.fetch(part.url)
            at = body.index(b"tfdt") + 4
            time = int.from_bytes(body[at + 4:at + (12 if body[at] else 8)])
            assert abs(time / TICKS - number * STEP) < STEP, (number, time)
        statistics = engine.state(session.id).statistics
        assert statistics.stream_gaps == 0 and statistics.stream_continuity_errors == 0
    watch.end()
    assert not {"plan.clock_jump", "source.gap", "source.no_keyframe"} & set(watch.codes), watch.codes


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return make_stream(tmp_path_factory.mktemp("clocks") / "channel.ts")


def references(data, change):
    """The stream with other program clock references. `change` gets the time of each, and returns another one, or
    `None` to remove the reference."""
    out = []
    for at in range(0, len(data), transport.PACKET):
        packet = data[at:at + transport.PACKET]
        if packet[3] & 0x20 and packet[4] and packet[5] & 0x10:
            packet = bytes(clocked(packet, change(int.from_bytes(packet[6:10]) << 1 | packet[10] >> 7)))
        out.append(packet)
    return b"".join(out)


CHANGES = {
    "none": lambda ticks: None,
    "an hour ahead in the middle": lambda ticks: ticks + 3600 * TICKS * (ticks > 10 * TICKS),
    "back in the middle": lambda ticks: ticks - 5 * TICKS * (ticks > 10 * TICKS),
    "standing still": lambda ticks: 12_345,
}


@pytest.mark.parametrize("name", tiered(list(CHANGES), {"none"}))
def test_program_clock_references_do_not_matter(engine, stream, tmp_path, name):
    data = references(stream, CHANGES[name])
    assert len(data) == len(stream) and data != stream
    path = tmp_path / "plain.ts"
    path.write_bytes(stream)
    with channel(data, offset_at(data, 16 + MARGIN)) as source, engine.session(source.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 16, "the media")
        assert not any(part.is_discontinuous for part in hls.Media(session.url.replace("master", "video")).segments)
        compare_with_file(engine, session, path, 8)


def moved(data, number, start, seconds):
    """The stream with the times of one PID changed by some seconds from a byte on."""
    out = []
    for at in range(0, len(data), transport.PACKET):
        packet = bytearray(data[at:at + transport.PACKET])
        if at >= start and (packet[1] & 31) << 8 | packet[2] == number and packet[1] & 0x40:
            body = transport.payload_at(packet) + 9
            for place in (body, body + 5)[:1 + (packet[body - 2] >> 6 == 3)]:
                head = packet[place] & 0xF0
                packet[place:place + 5] = transport.timestamp(transport.ticks_at(packet, place) + round(seconds * TICKS))
                packet[place] = head | packet[place] & 0x0F
        out.append(bytes(packet))
    return b"".join(out)


@pytest.mark.parametrize("seconds", tiered([-5, -100, 100], {-5}))
def test_audio_that_jumps_after_the_pictures_continues_with_them(engine, stream, tmp_path, seconds):
    """The pictures jump with the keyframe at 8 s. The sender has delayed the audio, as many do: where the pictures jump,
    it still sends audio of the old clock."""
    path, jump = tmp_path / "plain.ts", offset_at(stream, 8)
    path.write_bytes(stream)
    data = moved(moved(stream, 0x100, jump, seconds), 0x101, offset_at(stream, 8.6), seconds)
    with channel(data, len(data)) as source, engine.session(source.url) as session, \
            engine.session(path, segment_target_us=2_000_000) as whole:
        eventually(lambda: sum(announced(session)) >= 17.5, lambda: f"the media: {announced(session)}")
        for track in ("video", "audio-1"):
            found, expected = samples(session, track, 8), samples(whole, track, 8)
            times = [time for time, _ in found]
            assert times == sorted(times)
            received = {(round(time, 2), body) for time, body in found}
            lost = [time for time, body in expected if not 7.4 < time < 9.2 and (round(time, 2), body) not in received]
            assert not lost, f"{track} at {lost} s is missing or at another time"


@pytest.mark.parametrize("seconds", tiered([-1.2, -0.6, 4, 9], {-1.2, 9}))
def test_a_short_step_of_the_clock_loses_no_picture_and_leaves_no_hole(engine, stream, seconds):
    """Pictures and audio step at the keyframe at 8 s."""
    jump = offset_at(stream, 8)
    data = moved(moved(stream, 0x100, jump, seconds), 0x101, jump, seconds)
    with channel(data, len(data)) as source, engine.session(source.url) as session:
        eventually(lambda: 17 <= sum(announced(session)) < 20.1, lambda: f"the media, without a hole: {announced(session)}")
        times = [time for time, _ in samples(session, "video", 8)]
        steps = [round(later - earlier, 3) for earlier, later in zip(times, times[1:])]
        assert set(steps) == {0.04} and len(times) == 400, (len(times), sorted(set(steps)))
        breaks = [part.is_discontinuous for part in hls.Media(session.url.replace("master", "video")).segments]
        assert breaks.count(True) == 1 and breaks.index(True) == 4
