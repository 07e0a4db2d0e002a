# SPDX-License-Identifier: Apache-2.0
"""Teletext and DVB subtitles in transport streams follow the stream's clock and its jumps, and any seek gives the same
list of cues."""

import random

import pytest
from harness import graphics, subtitles, transport
from harness.contract import engine_pb2
from harness.places import SAMPLES
from test_caption_cues import reference, shown

TELETEXT = SAMPLES / "SubtitleEdit+subtitleedit/tests/libse/Files/sample_TS_with_teletext.ts"
WRAP = 1 << 33


def sample():
    if not TELETEXT.exists():
        pytest.skip(f"{TELETEXT.name} is not here")
    return TELETEXT


def bodies():
    """The data of each teletext packet in the sample."""
    data, units = sample().read_bytes(), []
    for at in range(0, len(data), transport.PACKET):
        packet = data[at:at + transport.PACKET]
        if packet[1] & 0x40 and packet[transport.payload_at(packet):][:4] == b"\0\0\1\xbd":
            units.append(b"")
        if units:
            units[-1] += packet[transport.payload_at(packet):]
    return [unit[9 + unit[8]:] for unit in units]


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """12 s of video, with a teletext page that changes several times."""
    folder = tmp_path_factory.mktemp("teletext")
    pictures = graphics.video(folder / "film.mp4", 12)
    source = graphics.joined(folder / "film.ts", pictures, options=("-muxdelay", "0", "-muxpreload", "0"))
    units = [(3600 * (number + 1), body) for number, body in enumerate(bodies())]
    return transport.with_stream(source, folder / "page.ts", transport.teletext((b"dan", 2, 799)), units, header=0x24)


def listed(engine, **place):
    return [(cue.start_us, cue.end_us, cue.text.plain) for cue in subtitles.read(engine, **place)[0]]


def moved(found, microseconds):
    return [(start + microseconds, end + microseconds, text) for start, end, text in found]


@pytest.mark.parametrize("page", [150, 799])
def test_a_stream_without_a_program_keeps_its_packet_times(engine, page):
    found, _, _ = subtitles.read(engine, source=str(sample()), track=1000 + page)
    theirs = reference("-fix_teletext_pts", "0", "-txt_page", page, "-txt_format", "text", "-copyts", "-i", sample(),
                       "-map", "0:s:0")
    assert found and [shown(cue) for cue in found] == [text for _, _, text in theirs]
    assert [round(cue.start_us / 1000) for cue in found] == [start // 1000 for start, _, _ in theirs]


def test_cues_continue_across_a_clock_wraparound(engine, film, tmp_path):
    plain = listed(engine, source=str(film))
    assert len(plain) >= 2
    middle = round((plain[0][0] + plain[-1][0]) * 9 / 200)
    wrapped = transport.with_clock_offset(film, tmp_path / "wrapped.ts", WRAP - middle)
    found = listed(engine, source=str(wrapped))
    apart = [start - plain[0][0] for start, _, _ in plain]
    assert [start - found[0][0] for start, _, _ in found] == pytest.approx(apart, abs=12)
    assert [text for _, _, text in found] == [text for _, _, text in plain]
    with engine.session(wrapped) as session:
        assert listed(engine, session_id=session.id, number=0) == found


def test_cues_continue_across_a_clock_restart(engine, film, tmp_path):
    plain = listed(engine, source=str(film))
    joined = tmp_path / "joined.ts"
    other = transport.with_clock_offset(film, tmp_path / "other.ts", 5 * 90_000)
    # The clock steps back to the start after a recording that began hours later.
    first = transport.with_clock_offset(film, tmp_path / "first.ts", 7200 * 90_000)
    joined.write_bytes(first.read_bytes() + other.read_bytes() + film.read_bytes())
    found = listed(engine, source=str(joined))
    assert [text for _, _, text in found] == [text for _, _, text in plain] * 3
    assert [start for start, _, _ in found] == sorted(start for start, _, _ in found)
    assert found[0][0] == pytest.approx(plain[0][0] + 7_200_000_000, abs=12)
    # After two films of 12 s.
    assert found[-1][0] - found[0][0] == pytest.approx(plain[-1][0] - plain[0][0] + 24_000_000, abs=1_000_000)
    with engine.session(joined) as session:
        assert listed(engine, session_id=session.id, number=0) == found


def test_seeks_do_not_change_the_cue_lists(engine, film, tmp_path):
    pages = [(number * 1.5, [(8 * number, 10, graphics.block(40, 12, number))]) for number in range(7)]
    units = [(round(start * 90_000), transport.dvb(1, number + 1, regions)) for number, (start, regions) in enumerate(pages)]
    source = transport.with_stream(film, tmp_path / "both.ts", transport.subtitling((1, 1)), units, pid=0x201)
    tracks = engine.probe(source).streams
    wanted = [stream.index for stream in tracks if stream.codec in ("dvb_teletext", "dvb_subtitle")]
    linear = {track: subtitles.read(engine, source=str(source), track=track)[0] for track in wanted}
    assert len(wanted) == 2 and all(len(cues) >= 2 for cues in linear.values())
    shown = engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=wanted))
    dice = random.Random(9)
    with engine.session(source, subtitles=shown, segment_target_us=1_000_000) as session:
        for turn in range(50):
            engine.stub.Seek(engine_pb2.SeekRequest(position_us=dice.randrange(0, session.state.duration_us)))
            if turn % 10 == 9:
                for track in wanted:
                    assert subtitles.read(engine, session_id=session.id, track=track)[0] == linear[track]
