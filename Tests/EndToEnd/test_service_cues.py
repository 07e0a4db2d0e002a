# SPDX-License-Identifier: Apache-2.0
"""The cues of CTA-708 services equal what an independent model of the screen shows for the same codes, picture by
picture."""

import random

import pytest
from harness import captions, graphics, payloads, services, subtitles, transport
from harness.contract import subtitles_pb2
from harness.engine import PATIENCE
from harness.tiers import tiered

RATE = 25
PICTURE = 1_000_000 // RATE
SERVICE1 = 99708
CC1 = 99608
# Containers have millisecond resolution.
SLACK = 2000


def cues(engine, **place):
    return subtitles.read(engine, **place)[0]


def spans(found):
    """(picture, picture, text): shown from the first until before the second."""
    return [(round(each.start_us / PICTURE), round(each.end_us / PICTURE) if each.end_us >= 0 else None, each.text.plain)
            for each in found]


def packed(seconds, sent, pace=12):
    """The triplets of each picture, for data sent at given pictures: {picture: [(service, bytes)]}."""
    packets, out = services.Packets(pace), []
    for picture in range(seconds * RATE):
        packets.send(*sent.get(picture, ()))
        out.append(packets.picture())
    assert not packets.triplets, "the film is too short"
    return out


def pop(window, *lines, **how):
    """A pop-on caption, loaded into a hidden window."""
    rows = b"".join(services.at(number, 0) + services.text(line) for number, line in enumerate(lines))
    return services.define(window, rows=len(lines), **how) + rows


# Pop-on in two alternating windows, then roll-up, then paint-on.
FIRST = {
    5: [(1, pop(0, "First one"))], 30: [(1, services.windows(services.DISPLAY, 0))],
    40: [(1, pop(1, "Zweite Zeile, größer", "über ihr ♪"))],
    60: [(1, services.windows(services.DELETE, 0) + services.windows(services.DISPLAY, 1))],
    90: [(1, services.windows(services.DELETE, 1))],
    100: [(1, services.define(2, rows=2, visible=True, style=4) + services.text("rolling"))],
    125: [(1, services.RETURN + services.text("up a line"))],
    150: [(1, services.RETURN + services.text("and on"))],
    180: [(1, services.windows(services.CLEAR, 2))],
    200: [(1, services.windows(services.DELETE, 2) + pop(3, "to the end"))],
    220: [(1, services.windows(services.DISPLAY, 3))],
}
TEXTS = [
    (30, 60, "First one"), (60, 90, "Zweite Zeile, größer\nüber ihr ♪"), (100, 125, "rolling"),
    (125, 150, "rolling\nup a line"), (150, 180, "up a line\nand on"), (220, None, "to the end"),
]
OTHERS = {
    3: [(2, pop(0, "Eins"))], 35: [(2, services.windows(services.DISPLAY, 0))], 70: [(2, services.windows(services.HIDE, 0))],
}
LATE = captions.AHEAD * RATE
LINE21 = {8: captions.pop_on("Line 21"), 40: captions.command(captions.SHOW), 80: captions.command(captions.ERASE)}


def merge(*plans):
    return {picture: sum((plan.get(picture, []) for plan in plans), []) for picture in set().union(*plans)}


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return captions.film(tmp_path_factory.mktemp("services"), 10, LINE21, packed=packed(10, merge(FIRST, OTHERS)))


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A longer film with the same captions, and one more service that begins where the engine does not read until a
    player comes near."""
    seconds = captions.AHEAD + 5
    late = {LATE: [(9, pop(0, "Neuf") + services.windows(services.DISPLAY, 0))], LATE + 30: [(9, bytes([services.RESET]))]}
    sent = packed(seconds, merge(FIRST, OTHERS, late))
    return captions.film(tmp_path_factory.mktemp("long"), seconds, LINE21, packed=sent)


def coded(raw, kind, folder):
    """Encodes the film, with reordered pictures if the codec has them."""
    if kind == "hevc.mkv":
        path = captions.film(folder, 10, {}, codec="hevc", packed=packed(10, FIRST))
        return graphics.joined(folder / "film.mkv", path)
    if kind.startswith("av1"):
        path = captions.film_of_units(folder, 10, LINE21, packed(10, FIRST))
        return graphics.joined(folder / kind, path)
    codec, form = kind.split(".")
    coding = {"h264": ("libx264", "-preset", "ultrafast", "-bf", "3", "-b-pyramid", "normal"),
              "mpeg2": ("mpeg2video", "-bf", "2", "-b:v", "2M")}[codec]
    out = folder / f"film.{form}"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-r", "25", "-i", str(raw), "-c:v", *coding, "-g", "50", str(out))
    return out


@pytest.mark.parametrize("kind", tiered(["h264.mp4", "h264.mkv", "h264.ts", "mpeg2.ts", "mpeg2.mkv", "hevc.mkv", "av1.mp4", "av1.mkv"], {"mpeg2.mkv", "av1.mp4"}))
def test_a_service_is_read_in_presentation_order(engine, kind, raw, tmp_path):
    source = coded(raw, kind, tmp_path)
    found = cues(engine, source=str(source), track=SERVICE1)
    # Cues are on the source's own clock. For MPEG-2 its start is not known before playback.
    shift = found[0].start_us - TEXTS[0][0] * PICTURE if kind.startswith("mpeg2") else engine.probe(source).start_us
    assert [(start, end, text) for start, end, text in spans(moved(found, shift))] == TEXTS
    with engine.session(source) as session:
        assert cues(engine, session_id=session.id, track=SERVICE1) == found
        if kind.startswith("av1"):
            for place in ({"source": str(source)}, {"session_id": session.id}):
                assert [each.text.plain.strip() for each in cues(engine, track=CC1, **place)] == ["Line 21"]


def moved(found, shift):
    out = []
    for each in found:
        each = subtitles_pb2.Cue.FromString(each.SerializeToString())
        each.start_us -= shift
        each.end_us -= shift if each.end_us >= 0 else 0
        out.append(each)
    return out


def test_each_service_is_a_separate_track(engine, long, tmp_path):
    source = coded(long, "h264.mp4", tmp_path)
    with engine.session(source) as session:
        tracks = engine.state(session.id).subtitle_tracks
        listed = {each.id: (each.title, each.codec, each.text) for each in tracks}
        assert listed == {CC1: ("CC1", "eia_608", True), SERVICE1: ("SERVICE1", "eia_708", True),
                          SERVICE1 + 1: ("SERVICE2", "eia_708", True)}
        for place in ({"source": str(source)}, {"session_id": session.id}):
            assert spans(cues(engine, track=SERVICE1 + 1, **place)) == [(35, 70, "Eins")]
            # This service begins too late for the list; the next one never appears.
            assert [text for _, _, text in spans(cues(engine, track=SERVICE1 + 8, **place))] == ["Neuf"]
            assert cues(engine, track=SERVICE1 + 9, **place) == []
            assert [each.text.plain.strip() for each in cues(engine, track=CC1, **place)] == ["Line 21"]


def test_services_have_the_languages_of_the_broadcast(engine, long, tmp_path):
    announced = transport.captioning((b"eng", 1), (b"spa", 2), (b"fra", 12), (b"eng", None))
    source = transport.with_description(coded(long, "h264.ts", tmp_path), tmp_path / "named.ts", announced)
    with engine.session(source) as session:
        tracks = {each.title: each.language for each in engine.state(session.id).subtitle_tracks}
        assert tracks == {"CC1": "eng", "SERVICE1": "eng", "SERVICE2": "spa", "SERVICE12": "fra"}
        chosen = subtitles_pb2.GetCuesRequest(session_id=session.id, language="spa")
        assert [each.text.plain for batch in engine.stub.GetCues(chosen, timeout=PATIENCE) for each in batch.cues] == ["Eins"]


def test_styles_and_positions_are_returned(engine, tmp_path):
    codes = (services.define(0, rows=3, columns=42, anchor=0, place=(37, 21)) + services.at(1, 4) + services.text("plain ")
             + services.pen(italic=True, underlined=True) + services.text("leaning") + services.pen()
             + services.color(3, 0, 1))
    more = services.text(" red") + services.pen(tag=15) + services.text("unseen") + services.windows(services.DISPLAY, 0)
    raw = captions.film(tmp_path, 4, {}, packed=packed(4, {5: [(1, codes)], 20: [(1, more)]}))
    source = graphics.joined(tmp_path / "film.mp4", raw)
    [cue] = cues(engine, source=str(source), track=SERVICE1)
    assert cue.text.plain == "plain leaning red" == "".join(run.text for run in cue.text.runs)
    looks = [(run.text, run.italic, run.underline, run.color) for run in cue.text.runs]
    assert looks == [("plain ", False, False, ""), ("leaning", True, True, ""), (" red", False, False, "#ff0055")]
    # The grid of anchors covers the middle 90 % of the picture. In 4:3, a row has 160 cells and 32 characters.
    assert cue.text.alignment == 7
    assert cue.text.position.x == pytest.approx(0.05 + 0.9 * (21 / 159 + 4 / 32), abs=1e-6)
    assert cue.text.position.y == pytest.approx(0.05 + 0.9 * (37 / 74 + 1 / 15), abs=1e-6)


def test_a_separate_caption_track_is_read(engine, tmp_path):
    """A mov_text film whose samples are replaced with caption packets."""
    sent = [pop(0, "first") + services.windows(services.DISPLAY, 0), services.windows(services.CLEAR, 0) + services.text("next"),
            bytes([services.RESET])]
    room, script = 200, ""
    for number in range(3):
        script += f"{number + 1}\n00:00:0{number + 1},000 --> 00:00:0{number + 2},000\n{str(number) * (room - 2)}\n\n"
    (tmp_path / "film.srt").write_text(script)
    film, source = graphics.video(tmp_path / "film.mp4", 6), tmp_path / "track.mov"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(film), "-i", str(tmp_path / "film.srt"), "-map", "0:v", "-map", "1",
                 "-c:v", "copy", "-c:s", "mov_text", "-f", "mov", str(source))
    data = source.read_bytes()
    packets = services.Packets(31)
    for number, codes in enumerate(sent):
        packets.send((1, codes))
        place = data.index((room - 2).to_bytes(2, "big") + str(number).encode() * (room - 2))
        data = data[:place] + captions.sample(packets.picture(), room) + data[place + room:]
    kinds = [(b"mhlrtext", b"mhlrclcp"), (b"mhlrsbtl", b"mhlrclcp"), (b"tx3g", b"c708"), (b"text\0\0\0\0\0\0\0\1", b"c708\0\0\0\0\0\0\0\1")]
    for old, new in kinds:
        data = data.replace(old, new)
    assert b"clcp" in data and b"c708" in data
    source.write_bytes(data)
    found = [(each.start_us, each.end_us, each.text.plain) for each in cues(engine, source=str(source))]
    assert found == [(1_000_000, 2_000_000, "first"), (2_000_000, 3_000_000, "next")]
    with engine.session(source) as session:
        [track] = engine.state(session.id).subtitle_tracks
        assert track.codec == "eia_708" and track.text
        again = cues(engine, session_id=session.id, track=track.id)
        assert [(each.start_us, each.end_us, each.text.plain) for each in again] == found


def test_delay_commands_postpone_later_codes(engine, tmp_path):
    delay = bytes([services.DELAY, 10])
    sent = {
        5: [(1, pop(0, "held up") + delay + services.windows(services.DISPLAY, 0))],
        # A delay that is cancelled early.
        40: [(1, delay + services.windows(services.HIDE, 0))], 50: [(1, bytes([services.END_DELAY]))],
        60: [(1, services.windows(services.DISPLAY, 0) + delay + services.windows(services.HIDE, 0))],
        65: [(1, bytes([services.RESET]))],
    }
    raw = captions.film(tmp_path, 4, {}, packed=packed(4, sent, pace=31))
    found = cues(engine, source=str(graphics.joined(tmp_path / "film.mp4", raw)), track=SERVICE1)
    assert spans(found) == [(30, 50, "held up"), (60, 65, "held up")]


def random_code(chance):
    """One random code."""
    number = chance.randrange(4)
    word = "".join(chance.choice("abc dé♪…漢") for _ in range(chance.randrange(1, 9)))
    kind = chance.choice(["define", "show", "show", "text", "text", "text", "text", "move", "control", "return", "current"])
    if kind == "define":
        return services.define(number, rows=chance.randrange(1, 5), columns=chance.randrange(20, 40),
                               visible=chance.random() < 0.5)
    if kind == "show":
        commands = (services.DISPLAY,) * 4 + (services.HIDE, services.TOGGLE, services.CLEAR, services.DELETE)
        return services.windows(chance.choice(commands), number, chance.randrange(4))
    if kind == "move":
        return services.at(chance.randrange(4), chance.randrange(20))
    if kind == "control":
        return chance.choice([services.BACKSPACE, services.FORM_FEED, services.HORIZONTAL_RETURN])
    return {"text": services.text(word), "return": services.RETURN, "current": services.current(number)}[kind]


@pytest.mark.parametrize("seed", tiered(range(4), {0}))
def test_cues_match_a_model_of_the_screen(engine, seed, tmp_path):
    chance, seconds = random.Random(seed), 12
    sent = {picture: [(1, random_code(chance))] for picture in range(3, seconds * RATE - 20) if chance.random() < 0.6}
    sent[2] = [(1, services.define(0, visible=True))]
    triplets = packed(seconds, sent)
    raw = captions.film(tmp_path, seconds, {}, packed=triplets)
    found = spans(cues(engine, source=str(graphics.joined(tmp_path / "film.mp4", raw)), track=SERVICE1))
    screen, receiver, ends, count = services.Screen(), services.Receiver(), {}, 0
    for picture, each in enumerate(triplets):
        for start, end, text in found:
            # The contents of a window just before it changed are the whole caption.
            if end == picture:
                assert text.split("\n") in ends[picture - 1], (picture, text)
        for service, codes in receiver.take(each):
            assert service == 1
            screen.take(codes)
        shown = list(screen.shown().values())
        ends[picture] = shown
        if picture == len(triplets) - 1:
            break
        on = [text.split("\n") for start, end, text in found if start <= picture and (end is None or picture < end)]
        assert len(on) == len(shown), (picture, on, shown)
        count += len(on)
    # A cue that is on screen at the end is open, or ends there.
    assert sorted(text.split("\n") for _, end, text in found if end in (None, picture)) == sorted(shown) and count > 100
