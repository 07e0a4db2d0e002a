# SPDX-License-Identifier: Apache-2.0
"""Embedded captions and teletext as cues: equal to what ffmpeg's decoders read, by channel and by page."""

import re

import pytest
from harness import captions, graphics, payloads, subtitles, transport
from harness.contract import engine_pb2
from harness.engine import PATIENCE
from harness.places import SAMPLES
from harness.tiers import tiered

CC1 = 99608
# SubRip has millisecond resolution.
SLACK = 2000


def cues(engine, **place):
    return subtitles.read(engine, **place)[0]


def texts(found):
    return [each.text.plain for each in found]


def lines(text):
    """Text without its position on the screen."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def shown(cue):
    return lines(cue.text.plain)


def reference(*options):
    """(start, end, text) of ffmpeg's own conversion."""
    raw = payloads.run("ffmpeg", "-nostdin", "-v", "error", *map(str, options), "-f", "srt", "-").decode()
    return [(start, end, lines(re.sub(r"<[^>]*>|\{[^}]*\}", "", text))) for start, end, text in subtitles.blocks(raw)]


# The picture (at 25 per second) from which pairs are sent, and the pairs. Pop-on, then roll-up.
FIRST = {
    5: captions.pop_on("First one"), 30: captions.command(captions.SHOW),
    40: captions.pop_on("Second one"), 60: captions.command(captions.SHOW),
    90: captions.command(captions.ERASE),
    100: captions.command(captions.ROLL) + captions.row(15) + captions.letters("rolling"),
    125: captions.command(captions.NEWLINE) + captions.letters("up a line"),
    150: captions.command(captions.NEWLINE) + captions.letters("and on"),
    180: captions.command(captions.ERASE),
    200: captions.pop_on("to the end"), 220: captions.command(captions.SHOW),
}
TEXTS = ["First one", "Second one", "rolling", "rolling\nup a line", "up a line\nand on", "to the end"]
OTHERS = {
    8: captions.pop_on("Eins", 3), 35: captions.command(captions.SHOW, 3), 70: captions.command(captions.ERASE, 3),
    80: captions.pop_on("Un", 4), 110: captions.command(captions.SHOW, 4), 140: captions.command(captions.ERASE, 4),
}
LATE = captions.AHEAD * 25


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return captions.film(tmp_path_factory.mktemp("captions"), 10, FIRST, OTHERS)


def coded(raw, kind, folder):
    """Encodes the film, with reordered pictures if the codec has them."""
    if kind == "hevc.mkv":
        return graphics.joined(folder / "film.mkv", captions.film(folder, 10, FIRST, codec="hevc"))
    codec, form = kind.split(".")
    coding = {"h264": ("libx264", "-preset", "ultrafast", "-bf", "3", "-b-pyramid", "normal"),
              "mpeg2": ("mpeg2video", "-bf", "2", "-b:v", "2M")}[codec]
    out = folder / f"film.{form}"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-r", "25", "-i", str(raw), "-c:v", *coding, "-g", "50", str(out))
    return out


@pytest.mark.parametrize("kind", tiered(["h264.mp4", "h264.mkv", "h264.ts", "mpeg2.ts", "mpeg2.mkv", "hevc.mkv"], {"h264.mp4", "mpeg2.ts"}))
def test_captions_of_the_first_channel_match_ffmpeg(engine, kind, raw, tmp_path):
    source = coded(raw, kind, tmp_path)
    found = cues(engine, source=str(source), track=CC1)
    theirs = reference("-f", "lavfi", "-i", f"movie={source}[out+subcc]", "-map", "0:1")
    assert [shown(each) for each in found] == TEXTS == [text for _, _, text in theirs]
    shift = found[0].start_us - theirs[0][0]
    assert kind.endswith("ts") or abs(shift) < SLACK
    for ours, (start, end, _) in zip(found, theirs, strict=True):
        assert abs(ours.start_us - shift - start) < SLACK
        # A caption that is shown at the end stays on the screen; ffmpeg invents a length.
        assert ours == found[-1] or abs(ours.end_us - shift - end) < SLACK
    if kind.startswith("mpeg2"):
        return
    with engine.session(source) as session:
        assert texts(cues(engine, session_id=session.id, track=CC1)) == texts(found)
        kept = cues(engine, session_id=session.id, track=CC1)
        for place in (9_000_000, 1_000_000, 5_000_000, 3_000_000):
            engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=place), timeout=PATIENCE)
        assert cues(engine, session_id=session.id, track=CC1) == kept == found


def test_each_caption_channel_is_a_separate_track(engine, tmp_path):
    others = {number: pairs for number, pairs in OTHERS.items() if number < 80}
    others |= {LATE: captions.pop_on("Un", 4), LATE + 30: captions.command(captions.SHOW, 4),
               LATE + 60: captions.command(captions.ERASE, 4)}
    source = coded(captions.film(tmp_path, captions.AHEAD + 5, FIRST, others), "h264.mp4", tmp_path)
    assert texts(cues(engine, source=str(source), track=CC1 + 2)) == ["Eins"]
    with engine.session(source) as session:
        tracks = engine.state(session.id).subtitle_tracks
        assert [(each.id, each.title, each.text) for each in tracks] == [(CC1, "CC1", True), (CC1 + 2, "CC3", True)]
        # The last channel begins too late for the list, but can still be read. The second is silent.
        for place in ({"source": str(source)}, {"session_id": session.id}):
            assert texts(cues(engine, track=CC1 + 3, **place)) == ["Un"]
            assert texts(cues(engine, track=CC1 + 1, **place)) == []
        chosen = engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=[CC1 + 3]))
        request = engine_pb2.SelectSubtitlesRequest(session_id=session.id, subtitles=chosen)
        engine.stub.SelectSubtitles(request, timeout=PATIENCE)
        state = engine.state(session.id)
        assert list(state.selected_subtitles) == [CC1 + 3] and state.subtitle_tracks[-1].title == "CC4"
        assert texts(cues(engine, session_id=session.id)) == ["Un"]


def test_a_separate_caption_track_is_read(engine, raw, tmp_path):
    film, source = coded(raw, "h264.mp4", tmp_path), tmp_path / "track.mov"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", f"movie={film}[out+subcc]", "-map", "0:1",
                 "-c", "copy", str(source))
    found = cues(engine, source=str(source))
    assert [shown(each) for each in found] == TEXTS


@pytest.mark.parametrize("kind", ["disc", "cable"])
def test_captions_in_dvd_and_cable_user_data_are_read(engine, kind, tmp_path):
    source = captions.film_of_user_data(tmp_path, 10, FIRST, kind)
    found = cues(engine, source=str(source), track=CC1)
    assert [shown(each) for each in found] == TEXTS
    # On DVD, a group of pictures has its captions at its head.
    slack = captions.GROUP * 40_000 if kind == "disc" else SLACK
    start = found[0].start_us - 30 * 40_000
    assert kind == "disc" or abs(found[1].start_us - start - 60 * 40_000) < slack
    if kind == "disc":
        theirs = reference("-f", "lavfi", "-i", f"movie={source}[out+subcc]", "-map", "0:1")
        shift = found[0].start_us - theirs[0][0]
        assert [text for _, _, text in theirs] == TEXTS
        assert all(abs(each.start_us - shift - start) < SLACK for each, (start, _, _) in zip(found, theirs))


def test_captions_of_a_broadcast_match_ffmpeg(engine):
    source = SAMPLES / "androidx+media/hls/cea608/sd-hls0000000000.ts"
    if not source.exists():
        pytest.skip(f"{source.name} is not here")
    found = cues(engine, source=str(source))
    theirs = reference("-f", "lavfi", "-i", f"movie={source}[out+subcc]", "-map", "0:1")
    assert found and [shown(each) for each in found] == [text for _, _, text in theirs]
    assert all(abs(each.start_us - start) < SLACK for each, (start, _, _) in zip(found, theirs))


@pytest.mark.long
def test_teletext_pages_match_ffmpeg(engine, tmp_path):
    sample = SAMPLES / "SubtitleEdit+subtitleedit/tests/libse/Files/sample_TS_with_teletext.ts"
    if not sample.exists():
        pytest.skip(f"{sample.name} is not here")
    data = sample.read_bytes()
    units = []
    for at in range(0, len(data), transport.PACKET):
        packet = data[at:at + transport.PACKET]
        if packet[1] & 0x40 and packet[transport.payload_at(packet):][:4] == b"\0\0\1\xbd":
            units.append(b"")
        if units:
            units[-1] += packet[transport.payload_at(packet):]
    bodies = [(3600 * (number + 1), unit[9 + unit[8]:]) for number, unit in enumerate(units)]
    film = graphics.joined(tmp_path / "film.ts", graphics.video(tmp_path / "film.mp4", 12),
                           options=("-muxdelay", "0", "-muxpreload", "0"))
    found_pages = pages(film, bodies, tmp_path)
    assert len(found_pages) >= 2
    descriptor = transport.teletext(*((language, 2, page) for language, page in zip((b"deu", b"dan"), found_pages)))
    source = transport.with_stream(film, tmp_path / "teletext.ts", descriptor, bodies, header=0x24)
    with engine.session(source) as session:
        tracks = list(engine.state(session.id).subtitle_tracks)
        assert [(each.language, each.title) for each in tracks] == [
            ("deu", str(found_pages[0])), ("dan", str(found_pages[1]))]
        for track, page in zip(tracks, found_pages):
            theirs = reference("-txt_page", str(page), "-txt_format", "text", "-copyts", "-i", str(source),
                               "-map", "0:s:0")
            ours = cues(engine, session_id=session.id, track=track.id)
            assert ours == cues(engine, source=str(source), track=track.id)
            # The same page requested by number, in a stream that does not announce it.
            bare = transport.with_stream(film, tmp_path / "bare.ts", transport.teletext((b"deu", 1, 100)), bodies, header=0x24)
            named = cues(engine, source=str(bare), track=2000 + page)
            assert [(each.start_us, each.text) for each in named] == [(each.start_us, each.text) for each in ours]
            fresh = [each for place, each in enumerate(theirs) if place == 0 or theirs[place - 1][2] != each[2]]
            assert [shown(each) for each in ours] == [text for _, _, text in fresh]
            # ffmpeg counts from the stream's first packet here; the engine does not.
            shift = round(graphics.packets(source)[0][0] * 1_000_000)
            assert all(abs(each.start_us - shift - start) < SLACK for each, (start, _, _) in zip(ours, fresh))


def pages(film, bodies, folder):
    """The subtitle pages of the sample, found by trying."""
    source = transport.with_stream(film, folder / "all.ts", transport.teletext((b"und", 2, 888)), bodies, header=0x24)
    def of(page):
        options = ("-txt_page", page, "-txt_format", "text", "-i", source, "-map", "0:s:0")
        return {text for _, _, text in reference(*options)}

    wanted = of("subtitle")
    return [page for page in (150, 333, 398, 399, 555, 692, 777, 799, 888, 889) if of(page) & wanted]
