# SPDX-License-Identifier: Apache-2.0
"""Transport streams over HTTP that never end: how soon they play, and which segments are announced while they
arrive."""

import json
import statistics
import struct
import subprocess
import time

import grpc
import pytest
from harness import hls, transport
from harness.channels import SECONDS, channel, make_stream, offset_at
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL
from harness.tiers import tiered
from harness.watching import Notices

# Seconds by which every track has to be past the end of a segment. ffmpeg puts 0.4 s of audio into a PES packet, which
# is complete only when the next one begins.
MARGIN = 0.5 + 0.4 + 0.4
NULL = b"\x47\x1f\xff\x10" + b"\xff" * 184


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return make_stream(tmp_path_factory.mktemp("live") / "channel.ts")


def without(data, pid, start):
    """The stream without the packets of one PID from byte `start` on."""
    packets = [data[place:place + transport.PACKET] for place in range(0, len(data), transport.PACKET)]
    return b"".join(
        packet for place, packet in enumerate(packets)
        if place * transport.PACKET < start or (packet[1] & 31) << 8 | packet[2] != pid)


def announced(session):
    """The durations of the announced segments of the video."""
    lines = hls.fetch(session.url.replace("master", "video")).decode().splitlines()
    return [float(line[8:].rstrip(",")) for line in lines if line.startswith("#EXTINF:")]


def test_a_segment_is_announced_as_soon_as_it_has_arrived(engine, stream, tmp_path):
    with channel(stream, offset_at(stream, 4 + MARGIN)) as source, engine.session(source.url) as session:
        assert announced(session), "a load needs no more than its first segments"
        for seconds in (4, 6, 8, 12):
            source.send(offset_at(stream, seconds + MARGIN))
            eventually(lambda: round(sum(announced(session)), 1) == seconds, f"{seconds} s")
            # Every segment that can be fetched is announced, and the last one needs no further byte.
            count = len(announced(session))
            hls.fetch(session.url.replace("master.m3u8", f"video/{count - 1}.m4s"))
            hls.fetch(session.url.replace("master.m3u8", f"audio-1/{count - 1}.m4s"))
        path = tmp_path / "file.ts"
        path.write_bytes(stream)
        with engine.session(path, segment_target_us=2_000_000) as whole:
            for name in ("video/init.mp4", "video/0.m4s", "video/5.m4s", "audio-1/2.m4s", "audio-1/5.m4s"):
                parts = [hls.fetch(each.url.replace("master.m3u8", name)) for each in (session, whole)]
                assert parts[0] == parts[1], f"{name} differs from that of the finished file"


def test_playback_begins_at_the_first_keyframe_of_a_channel(engine, stream, tmp_path):
    start = offset_at(stream, 1.2)
    with channel(stream[start:], offset_at(stream, 8 + MARGIN) - start) as source, engine.session(source.url) as session:
        eventually(lambda: len(announced(session)) == 3, "the segments from the keyframe at 2 s to that at 8 s")
        path = tmp_path / "first.mp4"
        path.write_bytes(b"".join(
            hls.fetch(session.url.replace("master.m3u8", f"video/{name}")) for name in ("init.mp4", "0.m4s")))
        done = subprocess.run(
            ["ffprobe", "-v", "error", "-show_entries", "packet=flags", "-of", "csv=p=0", path], check=True,
            capture_output=True, text=True, timeout=PATIENCE)
        assert done.stdout.split()[0].startswith("K") and len(done.stdout.split()) == 50 and not done.stderr


def test_disappearing_audio_only_delays_the_video(engine, stream):
    data = without(stream, 0x101, offset_at(stream, 5))
    with channel(data, offset_at(data, 6 + MARGIN)) as source, engine.session(source.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 4, "what has both tracks")
        source.send(offset_at(data, 12 + 4 + MARGIN))
        eventually(lambda: round(sum(announced(session)), 1) == 12, "the pictures go on four seconds behind")
        hls.fetch(session.url.replace("master.m3u8", "video/5.m4s"))


def test_a_scrambled_channel_says_so_after_seconds(engine, stream, tmp_path):
    data, path = transport.scrambled(stream, {0x100, 0x101}), tmp_path / "scrambled.ts"
    path.write_bytes(data)
    # The references to the clock are not scrambled.
    with channel(data, offset_at(stream, 8)) as source:
        for name in (source.url, path):
            with pytest.raises(grpc.RpcError) as refusal:
                engine.load(name)
            assert "source_encrypted: " in refusal.value.details() and "transport scrambling" in refusal.value.details()


def test_clear_audio_of_a_scrambled_picture_is_played(engine, stream):
    watch, data = Notices(engine), transport.scrambled(stream, {0x100})
    with channel(data, len(data)) as source, engine.session(source.url) as session:
        streams = session.state.media.streams
        assert [each.protection.scheme for each in streams] == ["transport scrambling", ""]
        assert [each.route for each in streams] == ["none", "remux"]
        eventually(lambda: "track.encrypted" in watch.codes, "the notice")
    watch.end()


def test_ad_breaks_in_the_stream_are_reported_once(engine, stream, tmp_path):
    source = tmp_path / "plain.ts"
    source.write_bytes(stream)
    first = next(transport.ticks_at(packet, transport.payload_at(packet) + 9)
                 for packet in (stream[at:at + transport.PACKET] for at in range(0, len(stream), transport.PACKET))
                 if (packet[1] & 31) << 8 | packet[2] == 0x100 and packet[1] & 0x40)
    at = [first + seconds * 90_000 for seconds in range(SECONDS)]
    # Messages come four seconds ahead, and are repeated.
    begin = transport.splice_insert(7, True, at[8], 6 * 90_000)
    units = [(at[4], begin), (at[5], begin), (at[6], begin), (at[10], transport.splice_insert(7, False, at[14]))]
    data = transport.with_stream(source, tmp_path / "breaks.ts", b"\x05\x04CUEI", units, sections=0x86).read_bytes()
    watch = Notices(engine)
    with channel(data, offset_at(data, 16 + MARGIN)) as sender, engine.session(sender.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 16, "the media")
        eventually(lambda: "live.ad_break_ended" in watch.codes, "the end of the break")
        found = [text for code, text in zip(watch.codes, watch.texts) if code.startswith("live.ad_break")]
        assert len(found) == 2, found
        assert "an ad break of 6.0 s begins 4." in found[0] and "event 7" in found[0], found
        assert "an ad break ends 4." in found[1] and "after the newest media" in found[1], found
    watch.end()


@pytest.mark.long
def test_a_hundred_changes_of_channel_leave_nothing_behind(start_engine, stream):
    engine, end = start_engine(), offset_at(stream, 8 + MARGIN)
    with channel(stream, end) as one, channel(stream, end) as other:
        session = engine.load(one.url)

        def change(source):
            """Returns the seconds from the load of another channel to its first segment."""
            began = time.monotonic()
            request = engine_pb2.LoadRequest(source=source.url, session_id=session.id)
            url = engine.stub.Load(request, timeout=PATIENCE).url
            hls.fetch(url.replace("master.m3u8", "video/0.m4s"))
            return time.monotonic() - began

        for source in [other, one] * 5:
            change(source)
        descriptors, threads, own = engine.descriptors(), engine.threads(), engine.own_bytes()
        seconds = [change(source) for source in [other, one] * 50]
        print(f"from a load to the first segment: {statistics.median(seconds) * 1000:.0f} ms, {max(seconds) * 1000:.0f} ms at most")
        assert len(engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions) == 1
        eventually(lambda: engine.descriptors() <= descriptors + 2, "the descriptors to be closed")
        eventually(lambda: engine.threads() <= threads + 2, "the threads to end")
        assert engine.own_bytes() - own < 8 << 20


def compare_with_file(engine, session, path, count):
    """Compares the first segments with those of a file."""
    with engine.session(path, segment_target_us=2_000_000) as whole:
        for number in range(count):
            for name in (f"video/{number}.m4s", f"audio-1/{number}.m4s"):
                parts = [hls.fetch(each.url.replace("master.m3u8", name)) for each in (session, whole)]
                assert parts[0] == parts[1], f"{name} differs from that of the finished file"


@pytest.mark.parametrize("resets", tiered([False, True], {True}), ids=["closed", "reset"])
def test_a_lost_connection_is_resumed_without_repeated_media(engine, stream, tmp_path, resets):
    watch, path = Notices(engine), tmp_path / "file.ts"
    path.write_bytes(stream)
    with channel(stream, offset_at(stream, 6 + MARGIN)) as source, engine.session(source.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 6, "what was sent")
        # Connections break off within packets.
        for seconds in (8, 12, 16):
            source.send(offset_at(stream, seconds - 0.6) + 77)
            source.cut(offset_at(stream, seconds - 5), offset_at(stream, seconds + MARGIN), resets)
            eventually(lambda: round(sum(announced(session)), 1) == seconds, f"{seconds} s")
        compare_with_file(engine, session, path, 8)
        assert not any(part.is_discontinuous for part in hls.Media(session.url.replace("master", "video")).segments)
        # On a busy machine a connection may be silent for ten seconds, and is given up for that.
        eventually(lambda: engine.state(session.id).statistics.stream_rejoins >= 3, "the statistics")
        counts = engine.state(session.id).statistics
        assert (counts.stream_gaps, counts.stream_continuity_errors) == (0, 0) and counts.stream_repeated_bytes > 0
        eventually(lambda: watch.codes.count("source.rejoined") >= 3, "the notices")
        assert "source.gap" not in watch.codes
    watch.end()


def test_a_page_instead_of_the_stream_does_not_end_it(engine, stream):
    with channel(stream, offset_at(stream, 6 + MARGIN)) as source, engine.session(source.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 6, "what was sent")
        source.page, before = b"<html>All tuners are busy.</html>", source.connections
        source.cut(offset_at(stream, 4), offset_at(stream, 12 + MARGIN), False)
        eventually(lambda: source.connections >= before + 2, "another attempt after the page")
        source.page = None
        eventually(lambda: round(sum(announced(session)), 1) == 12, "what follows")


def assert_decodes(session, folder, count):
    """Checks that ffmpeg decodes the first segments of both tracks without an error."""
    for name in ("video", "audio-1"):
        path = folder / f"{name}.mp4"
        path.write_bytes(b"".join(
            hls.fetch(session.url.replace("master.m3u8", f"{name}/{part}"))
            for part in ["init.mp4"] + [f"{number}.m4s" for number in range(count)]))
        done = subprocess.run(
            ["ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "null", "-"], capture_output=True, text=True, timeout=PATIENCE)
        assert not done.stderr, done.stderr


def test_bytes_lost_with_a_connection_become_a_discontinuity(engine, stream, tmp_path):
    watch = Notices(engine)
    with channel(stream, offset_at(stream, 6.6)) as source, engine.session(source.url) as session:
        eventually(lambda: announced(session), "what was sent")
        source.cut(offset_at(stream, 9.3), offset_at(stream, 16 + MARGIN), False)
        # After the last picture before the gap, the timeline continues with the keyframe at 10 s.
        eventually(lambda: [round(length, 1) for length in announced(session)] == [2, 2, 2, 0.5, 2, 2, 2], "what follows the gap")
        media = hls.Media(session.url.replace("master", "video"))
        assert [part.is_discontinuous for part in media.segments] == [False] * 4 + [True] + [False] * 2
        assert_decodes(session, tmp_path, 7)
        eventually(lambda: engine.state(session.id).statistics.stream_gaps == 1, "the statistics")
        eventually(lambda: "source.gap" in watch.codes, "the notice")
    watch.end()


def make_sparse_stream(path, keyframes, seconds):
    """A transport stream with keyframes at these seconds only."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=64x64:r=10:d={seconds}", "-f", "lavfi", "-i",
         f"sine=440:d={seconds}", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-g", "99999", "-sc_threshold",
         "0", "-force_key_frames", ",".join(str(time) for time in keyframes), "-c:a", "aac", "-b:a", "32k", "-f", "mpegts", path],
        check=True, timeout=PATIENCE)
    return path.read_bytes()


@pytest.mark.long
def test_missing_keyframes_are_reported_until_the_next_one_arrives(engine, tmp_path):
    watch = Notices(engine)
    data = make_sparse_stream(tmp_path / "sparse.ts", [0, 2, 4, 6, 8, 60, 62, 64, 66], 68)
    fault = offset_at(data, 50)
    data = data[:fault] + NULL * 5000 + data[fault:]
    with channel(data, offset_at(data, 42)) as source, engine.session(source.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) == 8, "what has keyframes")
        assert "source.no_keyframe" not in watch.codes
        before = source.connections

        def is_renewed():
            # A connection that is silent for long is given up anyway.
            source.send(source.sent + transport.PACKET)
            return source.connections > before

        source.send(fault)
        eventually(lambda: "source.no_keyframe" in watch.codes, "the fault, by the times of the stream")
        eventually(is_renewed, "another connection")
        source.send(offset_at(data, 66 + MARGIN))
        # 35 s after the keyframe at 8 s, nothing more is presented until the one at 60 s.
        eventually(lambda: [round(length) for length in announced(session)] == [2] * 4 + [35] + [2] * 3, "what follows")
        eventually(lambda: "source.keyframe_resumed" in watch.codes, "the end of the fault")
        media = hls.Media(session.url.replace("master", "video"))
        assert [part.is_discontinuous for part in media.segments] == [False] * 5 + [True] + [False] * 2
        assert_decodes(session, tmp_path, 8)
        # The bytes that the other connection repeated were dropped.
        assert watch.codes.count("source.no_keyframe") == 1 and "source.gap" not in watch.codes
    watch.end()


@pytest.mark.long
def test_a_stream_without_further_keyframes_ends(engine, tmp_path):
    watch = Notices(engine)
    data = make_sparse_stream(tmp_path / "sparse.ts", [0, 2, 4, 6, 8], 260)
    with channel(data, len(data)) as source, engine.session(source.url) as session:
        eventually(lambda: "plan.scan_failed" in watch.codes, "the end of the source")
        assert watch.codes.count("source.no_keyframe") == 6
        eventually(lambda: "#EXT-X-ENDLIST" in hls.fetch(session.url.replace("master", "video")).decode(), "the playlist to end")
    watch.end()


def remapped(data, start, numbers, make_packet):
    """The stream with other PIDs from a byte on, and with the program map section that `make_packet` makes from the
    present one."""
    out = []
    for place in range(0, len(data), transport.PACKET):
        packet = bytearray(data[place:place + transport.PACKET])
        number = (packet[1] & 31) << 8 | packet[2]
        if place >= start and number in numbers:
            packet[1], packet[2] = packet[1] & 0xE0 | numbers[number] >> 8, numbers[number] & 255
        if place >= start and number == 0x1000:
            packet = bytearray(make_packet(packet))
        out.append(bytes(packet))
    return b"".join(out)


def section(packet):
    """The program map section in a packet, and its streams: type, PID and descriptors."""
    body = packet[5:5 + 3 + ((packet[6] & 15) << 8 | packet[7])]
    at, streams = 12 + ((body[10] & 15) << 8 | body[11]), []
    while at < len(body) - 4:
        length = (body[at + 3] & 15) << 8 | body[at + 4]
        streams.append((body[at], (body[at + 1] & 31) << 8 | body[at + 2], bytes(body[at + 5:at + 5 + length])))
        at += 5 + length
    return body, streams


def with_streams(version, change):
    """Makes another version of a program map with other streams."""
    def make_packet(packet):
        body, streams = section(packet)
        body = body[:12 + ((body[10] & 15) << 8 | body[11])]
        for kind, number, descriptors in change(streams):
            body += struct.pack(">BHH", kind, 0xE000 | number, 0xF000 | len(descriptors)) + descriptors
        body = body[:1] + struct.pack(">H", 0xB000 | len(body) + 4 - 3) + body[3:5] + bytes([0xC1 | version << 1]) + body[6:]
        return (bytes(packet[:5]) + body + transport.crc(body)).ljust(transport.PACKET, b"\xff")[:transport.PACKET]
    return make_packet


def test_video_continues_under_another_pid(engine, stream, tmp_path):
    watch = Notices(engine)
    half = offset_at(stream, 8)
    moved = with_streams(1, lambda streams: [
        (kind, 0x110 if number == 0x100 else number, descriptors) for kind, number, descriptors in streams])
    data = remapped(stream, half, {0x100: 0x110}, moved)
    with channel(data, len(data)) as source, engine.session(source.url) as session:
        eventually(lambda: round(sum(announced(session)), 1) >= 16, "what follows the change")
        media = hls.Media(session.url.replace("master", "video"))
        # The other stream begins with a keyframe.
        assert [part.is_discontinuous for part in media.segments][:6] == [False] * 4 + [True, False]
        path = tmp_path / "whole.mp4"
        path.write_bytes(b"".join(
            hls.fetch(session.url.replace("master.m3u8", f"video/{part}"))
            for part in ["init.mp4"] + [f"{number}.m4s" for number in range(8)]))
        done = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", path],
            capture_output=True, text=True, timeout=PATIENCE)
        assert done.stdout.strip() == "400" and not done.stderr
        eventually(lambda: "source.streams_changed" in watch.codes, "the notice")
    watch.end()


VIDEO = {"h264": (0x1B, ["libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-bf", "2"]), "mpeg2": (0x02, ["mpeg2video", "-b:v", "1M"]),
         "hevc": (0x24, ["libx265", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-x265-params", "log-level=none:bframes=0"])}


def encoded(path, codec, pid, seconds, audio):
    """A transport stream with a keyframe every two seconds, whose times begin after `seconds`."""
    sound = ["-f", "lavfi", "-i", "sine=440:d=8"] if audio else []
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=8", *sound, "-c:v", *VIDEO[codec][1], "-g", "50",
         "-force_key_frames", "expr:gte(t,n_forced*2)", "-c:a", "aac", "-streamid", f"0:{pid}", "-streamid", f"1:{0x101}",
         "-output_ts_offset", str(seconds), "-mpegts_flags", "initial_discontinuity", "-f", "mpegts", "-y", path], check=True, timeout=PATIENCE)
    return path.read_bytes()


@pytest.mark.parametrize(
    "before, after, pid, audio",
    tiered([("h264", "hevc", 0x110, True), ("mpeg2", "h264", 0x100, True), ("h264", "mpeg2", 0x100, False)], {("h264", "hevc", 0x110, True)}))
def test_a_change_of_the_video_codec_ends_the_session_and_says_why(engine, tmp_path, before, after, pid, audio):
    one = encoded(tmp_path / "one.ts", before, 0x100, 0, audio)
    two = encoded(tmp_path / "two.ts", after, pid, 8, audio)
    watch, data = Notices(engine), one + two
    # The channel does not close its connection: the session ends by itself.
    with channel(data, len(data)) as source:
        session = engine.load(source.url, video_bridge=engine_pb2.VIDEO_BRIDGE_WHEN_NEEDED)
        eventually(lambda: "#EXT-X-ENDLIST" in hls.fetch(session.url.replace("master", "video")).decode(), "the playlist to end")
        eventually(lambda: "video.codec_changed" in watch.codes, "the notice")
        names = {"h264": "H.264", "hevc": "HEVC", "mpeg2": "MPEG-2 video"}
        text = watch.texts[watch.codes.index("video.codec_changed")]
        assert f"the {names[before]} of PID 256 continues as {names[after]} of PID {pid}: this session ends there" in text, text
        assert round(sum(announced(session)), 1) == 8, "everything before the change"
        path = tmp_path / "whole.mp4"
        count = len(announced(session))
        path.write_bytes(b"".join(
            hls.fetch(session.url.replace("master.m3u8", f"video/{part}"))
            for part in ["init.mp4"] + [f"{number}.m4s" for number in range(count)]))
        done = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", path],
            capture_output=True, text=True, timeout=PATIENCE)
        assert done.stdout.strip() == "200" and not done.stderr, (done.stdout, done.stderr)
        if audio:
            sound = tmp_path / "sound.mp4"
            sound.write_bytes(b"".join(
                hls.fetch(session.url.replace("master.m3u8", f"audio-1/{part}"))
                for part in ["init.mp4"] + [f"{number}.m4s" for number in range(count)]))
            times = [float(time) for time in packets(sound)]
            assert 7.8 < times[-1] - times[0] < 8.1, "the audio ends with the pictures"
        # The channel goes on in the other codec.
        source.cut(len(one), len(data), False)
        again = engine.stub.Load(
            engine_pb2.LoadRequest(
                source=source.url, session_id=session.id,
                options=engine_pb2.LoadOptions(video_bridge=engine_pb2.VIDEO_BRIDGE_WHEN_NEEDED)), timeout=PATIENCE)
        state = engine.state(session.id)
        found = next(each for each in state.media.streams if each.video.width)
        assert found.codec == {"mpeg2": "mpeg2video"}.get(after, after), state.media
        eventually(lambda: "m4s" in hls.fetch(again.url.replace("master", "video")).decode(), "the new codec")
        session.stop()
    watch.end()


def test_audio_that_starts_late_is_complete(engine, stream, tmp_path):
    """The program map lists the audio from the start, but libavformat has not seen any of it when the source is
    opened."""
    start = offset_at(stream, 12)
    data = b"".join(
        stream[place:place + transport.PACKET] for place in range(0, len(stream), transport.PACKET)
        if place >= start or (stream[place + 1] & 31) << 8 | stream[place + 2] != 0x101)
    path = tmp_path / "late.ts"
    path.write_bytes(data)
    with engine.session(path) as session:
        media = hls.Media.complete(session.url.replace("master", "audio-1"))
        whole = tmp_path / "late.mp4"
        whole.write_bytes(hls.fetch(session.url.replace("master.m3u8", "audio-1/init.mp4")) + b"".join(
            hls.fetch(part.url) for part in media.segments))
        # About eight seconds of 1024-sample frames at 44.1 kHz, in order, without a gap. libavformat may drop the first
        # PES packet.
        times = [float(time) for time in packets(whole)]
        assert 340 < len(times) < 380
        assert all(0.0225 < after - before < 0.0239 for before, after in zip(times, times[1:]))


def packets(path):
    """The times of the audio frames that ffprobe finds, as text."""
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of", "csv=p=0:nk=1", path],
        check=True, capture_output=True, text=True, timeout=PATIENCE)
    return [line for line in done.stdout.split() if line[0].isdigit()]


def test_announced_audio_that_never_arrives_is_ignored(engine, stream):
    data = without(stream, 0x101, 0)
    with channel(data, offset_at(data, 6 + MARGIN)) as source, engine.session(source.url) as session:
        assert announced(session) and "TYPE=AUDIO" not in hls.fetch(session.url).decode()
        source.send(offset_at(data, 10 + MARGIN))
        eventually(lambda: round(sum(announced(session)), 1) == 10, "the pictures")


LIST = """#EXTM3U url-tvg="http://guide.example/xmltv"
#EXTINF:-1 tvg-id="one.de" tvg-chno="1" group-title="News",Das Erste
http://tuner.example:5004/auto/v5.1
#EXTINF:-1,Größe TV
recordings/two.ts
"""


def test_a_channel_list_is_refused_as_a_source_and_listed_by_enginectl(engine, tmp_path):
    path = tmp_path / "channels.m3u"
    path.write_text(LIST)
    with channel(LIST.encode(), len(LIST.encode()), ends=True) as source:
        for place in (path, source.url):
            with pytest.raises(grpc.RpcError) as caught:
                engine.load(place)
            assert caught.value.details() == (
                f"source_not_media: {place} is an M3U list of channels, not media; load the address of one of them "
                "(it begins with Das Erste, Größe TV; enginectl channels lists all of them)")
    done = subprocess.run([ENGINECTL, "channels", path], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.splitlines() == [
        "1 Das Erste [News]  http://tuner.example:5004/auto/v5.1", f"Größe TV  {tmp_path}/recordings/two.ts"]
    done = subprocess.run([ENGINECTL, "channels", path, "--json"], capture_output=True, text=True, timeout=PATIENCE)
    assert json.loads(done.stdout)["channels"][0] == {
        "name": "Das Erste", "url": "http://tuner.example:5004/auto/v5.1", "group": "News", "id": "one.de", "number": "1", "logo": ""}
    path.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n")
    done = subprocess.run([ENGINECTL, "channels", path], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "is not an M3U list" in done.stderr
