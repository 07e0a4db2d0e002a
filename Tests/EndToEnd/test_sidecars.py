# SPDX-License-Identifier: Apache-2.0
"""Subtitle files beside a source are listed, shown, removed and kept, in any charset and format, local or on a server."""

import json
import signal
import subprocess
import time

import grpc
import pytest
from harness import bundles
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually, running_engine
from harness.places import ENGINECTL, SAMPLES, clip
from harness.sidecars import (
    ARABIC, CHINESE, FRENCH, GREEK, HEBREW, JAPANESE, KOREAN, POLISH, RUSSIAN, TAIWANESE, THAI, add, by_ffmpeg, expected, field_of,
    headers, load, plain, read, serving, shown, srt)
from harness.tiers import tiered


@pytest.fixture(scope="module")
def engine():
    """An engine that uses only the subtitle files that a test names."""
    with running_engine("--find-subtitles", "off") as engine:
        yield engine


# Python's codec, iconv's name for it, the lines.
CHARSETS = [
    ("utf-8", "UTF-8", RUSSIAN), ("utf-8-sig", "UTF-8", JAPANESE), ("cp1251", "CP1251", RUSSIAN), ("koi8_r", "KOI8-R", RUSSIAN),
    ("cp1252", "CP1252", FRENCH), ("cp1250", "CP1250", POLISH), ("cp1253", "CP1253", GREEK), ("cp1255", "CP1255", HEBREW),
    ("cp1256", "CP1256", ARABIC), ("cp874", "CP874", THAI), ("shift_jis", "SHIFT-JIS", JAPANESE), ("euc_jp", "EUC-JP", JAPANESE),
    ("gb18030", "GB18030", CHINESE), ("big5", "BIG5", TAIWANESE), ("euc_kr", "EUC-KR", KOREAN),
]



# Charsets.

@pytest.mark.parametrize(("codec", "name", "lines"), tiered(
    CHARSETS, lambda case: case[1] in ("CP1251", "SHIFT-JIS")), ids=[each[0] for each in CHARSETS])
def test_legacy_charsets_are_detected_or_taken_from_the_request(engine, tmp_path, codec, name, lines):
    path = tmp_path / "film.srt"
    path.write_bytes(srt(lines).encode(codec))
    reference = by_ffmpeg(path, "-sub_charenc", name)
    assert reference == expected(lines)
    for request in ({}, {"charset": name}):
        tracks, cues = read(engine, source=str(path), **request)
        assert shown(cues) == reference
        assert tracks[0].id == 100000
        assert tracks[0].text
        assert tracks[0].charset
    assert tracks[0].charset == name


@pytest.mark.parametrize("codec", tiered(["utf-16", "utf-16-le", "utf-16-be", "utf-32"], {"utf-16", "utf-16-be"}))
@pytest.mark.parametrize("lines", [RUSSIAN, CHINESE, ["Plain.", "More."]], ids=["russian", "chinese", "ascii"])
def test_utf_16_and_utf_32_are_read_with_or_without_a_byte_order_mark(engine, tmp_path, codec, lines):
    path = tmp_path / "film.srt"
    path.write_bytes(srt(lines).encode(codec))
    tracks, cues = read(engine, source=str(path))
    assert shown(cues) == expected(lines)
    assert tracks[0].charset.startswith(codec.upper()[:6])


def test_an_unknown_charset_is_refused_by_field_name(engine, tmp_path):
    path = tmp_path / "film.srt"
    path.write_text(srt(["Hello."]))
    with pytest.raises(grpc.RpcError) as failure:
        read(engine, source=str(path), charset="klingon")
    assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "charset klingon" in failure.value.details()
    assert field_of(failure.value) == "charset"


def test_real_files_match_ffmpeg(engine):
    if not SAMPLES.exists():
        pytest.skip("the samples are not here")
    path = SAMPLES / "SubtitleEdit+subtitleedit/tests/libse/Files/auto_detect_windows-1251.srt"
    tracks, cues = read(engine, source=str(path))
    assert tracks[0].charset == "WINDOWS-1251"
    assert shown(cues) == by_ffmpeg(path, "-sub_charenc", "CP1251")
    path = SAMPLES / "androidx+media/webvtt/typical"
    assert shown(read(engine, source=str(path))[1]) == by_ffmpeg(path)
    # The events of this file have a field order that libavformat ignores.
    cues = read(engine, source=str(SAMPLES / "androidx+media/ssa/typical"))[1]
    assert [(cue.start_us, cue.end_us) for cue in cues] == [(0, 1230000), (2340000, 3450000), (4560000, 8900000)]
    assert plain(cues)[2] == "This is the third subtitle, with a comma."


# Formats.

def test_ttml_by_ffmpeg_has_the_cues_of_its_source(engine, tmp_path):
    (tmp_path / "film.srt").write_bytes(srt(["One & two", "<i>Three</i>\r\n<b>four</b>", "Five"]).encode())
    subprocess.run(["ffmpeg", "-v", "error", "-i", tmp_path / "film.srt", tmp_path / "film.ttml"], check=True)
    tracks, cues = read(engine, source=str(tmp_path / "film.ttml"))
    assert shown(cues) == by_ffmpeg(tmp_path / "film.srt")


def test_timed_text_in_xml_is_read_in_any_encoding(engine, tmp_path):
    document = bundles.ttml([("Δεν ξέρω", 1000, 2500), ("One\nTwo", 4000, 5000)]).decode()
    expected = [(1000, 2500, "Δεν ξέρω"), (4000, 5000, "One\nTwo")]
    for name, text in (("film.ttml", document.encode()), ("film.dfxp", document.replace("UTF-8", "UTF-16").encode("utf-16")),
                       ("film.xml", document.replace("UTF-8", "ISO-8859-7").encode("iso8859-7"))):
        path = tmp_path / name
        path.write_bytes(text)
        tracks, cues = read(engine, source=str(path), charset="ISO-8859-7" if name == "film.xml" else "")
        assert shown(cues) == expected, name
        assert tracks[0].language == "fr"
        assert cues[0].text.alignment == 8 and cues[0].text.runs[0].color == "#ffff00" and cues[0].text.runs[0].italic
    for name, text, reason in (("bad.ttml", document.replace("</div>", ""), "not well-formed XML"),
                               ("entity.ttml", document.replace("<tt ", "<!DOCTYPE tt [<!ENTITY e 'x'>]><tt "), "declares entities"),
                               ("deep.ttml", document.replace("<p ", "<div>" * 64 + "<p ").replace("</p>", "</p>" + "</div>" * 64), "more than 64 deep"),
                               ("empty.ttml", document.replace("<p ", "<q ").replace("</p>", "</q>"), "contains no text")):
        (tmp_path / name).write_text(text)
        with pytest.raises(grpc.RpcError) as failure:
            read(engine, source=str(tmp_path / name))
        assert reason in failure.value.details()


ASS = """[Script Info]\r
ScriptType: v4.00+\r
\r
[V4+ Styles]\r
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding\r
Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0\r
\r
[Events]\r
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\r
Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,One{\\\\i1} and{\\\\i0}\\\\Ntwo, three\r
Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,Another speaker\r
Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,Last\r
""".replace("\\\\", "\\")
VTT = "WEBVTT\n\n1\n00:01.000 --> 00:02.500\nOne\ntwo, three\n\n00:00:03.000 --> 00:00:04.000\n<i>Last</i>\n"
MICRODVD = "{1}{1}25.000\n{25}{62}One|two, three\n{75}{100}Last\n"
SUBVIEWER = "[INFORMATION]\n[TITLE]\n[END INFORMATION]\n[SUBTITLE]\n00:00:01.00,00:00:02.50\nOne[br]two, three\n\n00:00:03.00,00:00:04.00\nLast\n"


@pytest.mark.parametrize(("name", "text", "codec"), tiered([
    ("film.ass", ASS, "ass"), ("film.ssa", ASS, "ass"), ("film.vtt", VTT, "webvtt"), ("film.sub", MICRODVD, "microdvd"),
    ("film.sub", SUBVIEWER, "subviewer"), ("film.txt", VTT, "webvtt"), ("film.srt", ASS, "ass"),
], lambda case: case[0] in ("film.sub", "film.txt", "film.srt")), ids=["ass", "ssa", "vtt", "microdvd", "subviewer", "vtt-as-txt", "ass-as-srt"])
def test_formats_are_detected_by_content(engine, tmp_path, name, text, codec):
    path = tmp_path / name
    path.write_bytes(text.encode())
    tracks, cues = read(engine, source=str(path))
    assert tracks[0].codec == codec
    assert shown(cues) == by_ffmpeg(path)
    assert "One" in plain(cues)[0]


def test_blocks_that_are_no_cues_hide_none(engine, tmp_path):
    """libavformat 5.1 reads nothing after such a block."""
    head, first, last = VTT.split("\n\n")
    blocks = [head, "STYLE\n::cue { color: red }", "NOTE aside", first, "REGION\nid:fred\nwidth:40%", "Something else", last]
    (tmp_path / "plain.vtt").write_text(VTT)
    for number, end in enumerate(("\n", "\r\n")):
        path = tmp_path / f"{number}.vtt"
        path.write_bytes("\n\n".join(blocks).replace("\n", end).encode())
        assert shown(read(engine, source=str(path))[1]) == by_ffmpeg(tmp_path / "plain.vtt")


@pytest.mark.parametrize("name", ["film.fr.srt", "Film.fra.forced.srt", "film.2020.French.sdh.vtt", "a.b.hi.srt", "film.en.hi.srt",
                                  "film.pt-BR.srt", "film.srt", "The.It.srt"])
def test_languages_are_taken_from_file_names(engine, tmp_path, name):
    path = tmp_path / name
    path.write_text(VTT if name.endswith("vtt") else srt(["Hello."]))
    track = read(engine, source=str(path))[0][0]
    assert (track.language, list(track.dispositions)) == {
        "film.fr.srt": ("fr", []), "Film.fra.forced.srt": ("fr", ["forced"]),
        "film.2020.French.sdh.vtt": ("fr", ["hearing_impaired"]), "a.b.hi.srt": ("hi", []),
        "film.en.hi.srt": ("en", ["hearing_impaired"]), "film.pt-BR.srt": ("pt-BR", []), "film.srt": ("", []),
        "The.It.srt": ("it", []),
    }[name]


def picture(cue):
    """The content of a cue and its start. Its end is omitted, because it may depend on the next cue."""
    image = cue.image
    return (cue.start_us, image.png, image.x, image.y, image.extent_x, image.extent_y, image.canvas_width, image.canvas_height)


@pytest.mark.parametrize(("film", "command", "codec"), [
    ("sample_with_pgs_subtitles.mkv", ["ffmpeg", "-nostdin", "-v", "error", "-i", "{film}", "-map", "0:s:0", "-c", "copy", "{out}.sup"],
     "hdmv_pgs_subtitle"),
    ("sample_with_vobsub.mkv", ["mkvextract", "--quiet", "{film}", "tracks", "2:{out}.idx"], "dvd_subtitle"),
], ids=["sup", "idx and sub"])
def test_bitmap_files_give_the_cues_of_their_source(engine, tmp_path, film, command, codec):
    if not SAMPLES.exists():
        pytest.skip("the samples are not here")
    film, out = SAMPLES / "androidx+media/mkv" / film, tmp_path / "film.fr"
    subprocess.run([each.format(film=film, out=out) for each in command], check=True)
    path = next(each for each in (tmp_path / "film.fr.sup", tmp_path / "film.fr.idx") if each.exists())
    within = read(engine, source=str(film))[1]
    tracks, beside = read(engine, source=str(path))
    assert (tracks[0].codec, tracks[0].text, tracks[0].charset) == (codec, False, "")
    assert len(beside) > 0
    assert [picture(cue) for cue in beside] == [picture(cue) for cue in within]
    pages = {f"/{each.name}": (200, {}, each.read_bytes()) for each in tmp_path.iterdir()}
    with serving(pages) as server, engine.session(clip("h264-aac.mkv")) as session:
        add(engine, f"{server.url}/{path.name}", session.id)
        cues = read(engine, session_id=session.id, track=100000)[1]
        assert [picture(cue) for cue in cues] == [picture(cue) for cue in within]


# Broken files.

BROKEN = {
    "periods": srt(RUSSIAN).replace(",100", ".100").replace(",900", ".900").encode(),
    "wrong numbers": srt(RUSSIAN).replace("\n2\r", "\n77777777777777777777\r").replace("\n3\r", "\n-1\r").encode(),
    "unix lines": srt(RUSSIAN).replace("\r\n", "\n").encode(),
    "leading empty lines": b"\r\n\r\n\r\n" + srt(RUSSIAN).encode(),
    "trailing fragment": srt(RUSSIAN).encode() + b"\r\n00:00:09,000 --> \r\n",
}


@pytest.mark.parametrize("kind", tiered(BROKEN, {"wrong numbers", "trailing fragment"}))
def test_damage_between_cues_is_ignored(engine, tmp_path, kind):
    path = tmp_path / "film.srt"
    path.write_bytes(BROKEN[kind])
    cues = shown(read(engine, source=str(path))[1])
    assert [(start, end) for start, end, _ in cues[:4]] == [each[:2] for each in expected(RUSSIAN)]
    assert cues == by_ffmpeg(path)


def test_cue_numbers_may_be_missing(engine, tmp_path):
    path = tmp_path / "film.srt"
    path.write_text("\n".join(line for line in srt(RUSSIAN).split("\n") if not line.strip().isdigit()))
    assert plain(read(engine, source=str(path))[1]) == RUSSIAN


def test_invalid_bytes_become_replacement_characters(engine, tmp_path):
    path = tmp_path / "film.srt"
    text = srt([*RUSSIAN, "a|b", "c#d"]).encode().replace(b"|", b"\xff").replace(b"#", b"\0")
    path.write_bytes(text)
    assert plain(read(engine, source=str(path))[1]) == [*RUSSIAN, "a\N{REPLACEMENT CHARACTER}b", "c\N{REPLACEMENT CHARACTER}d"]
    path.write_bytes(srt(["a|b"]).encode().replace(b"|", b"\xff"))
    assert plain(read(engine, source=str(path), charset="utf-8")[1]) == ["a\N{REPLACEMENT CHARACTER}b"]


def test_overlapping_and_duplicate_cues_are_cleaned_up(engine, tmp_path):
    path = tmp_path / "film.srt"
    path.write_text(
        "1\n00:00:05,000 --> 00:00:04,000\nends before it starts\n\n"
        "2\n00:00:01,000 --> 00:00:09,000\nlong\n\n3\n00:00:02,000 --> 00:00:03,000\nwithin\n\n"
        "4\n00:00:02,000 --> 00:00:03,000\nwithin\n\n5\n00:00:02,000 --> 00:00:03,000\nsomebody else\n\n"
        "6\n99:59:59,999 --> 99:59:59,999\nlate\n")
    cues = shown(read(engine, source=str(path))[1])
    assert [text for _, _, text in cues] == ["long", "within", "somebody else", "ends before it starts", "late"]
    assert all(start <= end for start, end, _ in cues)
    assert cues == sorted(cues, key=lambda each: each[0])


@pytest.mark.parametrize(("name", "content", "code", "word"), [
    ("film.srt", b"", "FAILED_PRECONDITION", "empty"),
    ("film.srt", b"\xef\xbb\xbf\r\n \r\n", "FAILED_PRECONDITION", "source_empty"),
    ("film.srt", b"<!DOCTYPE html><html><body>--></body></html>", "FAILED_PRECONDITION", "HTML"),
    ("film.srt", b"Dear diary, today nothing happened.\n" * 50, "FAILED_PRECONDITION", "not SubRip"),
    ("film.srt", bytes(range(256)) * 40, "FAILED_PRECONDITION", "source_not_media"),
    ("film.sub", b"\0\0\1\xba" + bytes(4000), "FAILED_PRECONDITION", ".idx"),
    ("film.idx", b"# VobSub index file, v7\nsize: 720x576\nid: en, index: 0\ntimestamp: 00:00:01:000, filepos: 000000000\n",
     "NOT_FOUND", "film.sub"),
], ids=["empty", "blank", "html", "prose", "garbage", "sub without idx", "idx without sub"])
def test_files_without_subtitles_give_typed_errors(engine, tmp_path, name, content, code, word):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(grpc.RpcError) as failure:
        read(engine, source=str(path))
    assert failure.value.code().name == code, failure.value.details()
    assert word in failure.value.details()
    assert field_of(failure.value) == "source"


@pytest.mark.long
def test_a_hundred_thousand_cues_are_read(engine, tmp_path):
    path = tmp_path / "film.srt"
    with open(path, "w") as file:
        for number in range(100_000):
            hours, rest = divmod(number * 72, 3_600_000)
            minutes, rest = divmod(rest, 60_000)
            stamp = f"{hours:02}:{minutes:02}:{rest // 1000:02},{rest % 1000:03}"
            file.write(f"{number + 1}\n{stamp} --> {stamp}\ncue {number}\n\n")
    messages = list(engine.stub.GetCues(subtitles_pb2.GetCuesRequest(source=str(path)), timeout=PATIENCE))
    assert len(messages) > 10
    assert [cue.text.plain for each in messages for cue in each.cues] == [f"cue {number}" for number in range(100_000)]


@pytest.mark.long
def test_the_number_of_cues_is_limited(engine, tmp_path):
    path = tmp_path / "film.srt"
    path.write_text("".join(f"{n}\n00:00:01,000 --> 00:00:02,000\n{n}\n\n" for n in range(200_001)))
    with pytest.raises(grpc.RpcError) as failure:
        read(engine, source=str(path))
    assert failure.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


# Sessions.

@pytest.mark.long
def test_the_number_of_cues_published_at_once_is_limited(engine, tmp_path):
    path = tmp_path / "crowd.srt"
    path.write_text("".join(f"{n}\n00:00:00,000 --> 00:00:09,000\n{n}\n\n" for n in range(30_000)))
    with engine.session(clip("h264-aac.mkv")) as session:
        watch = engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id, time_interval_us=-1))
        add(engine, path, session.id, show=True)
        published = []
        for event in watch:
            if event.WhichOneof("event") == "cue":
                published.append(event.cue.cue.text.plain)
            if len(published) == 1024:
                break
        engine.state(session.id)
        watch.cancel()
        assert published == [str(number) for number in range(1024)]
        assert len(read(engine, session_id=session.id, track=100000)[1]) == 30_000


@pytest.fixture
def film(tmp_path):
    """A film with its own English track, stream 2."""
    (tmp_path / "own.srt").write_text(srt(["Own one.", "Own two.", "Own three.", "Own four."]))
    path = tmp_path / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", clip("h264-aac.mkv"), "-i", tmp_path / "own.srt", "-map", "0:v",
                    "-map", "0:a", "-map", "1", "-c", "copy", "-c:s", "srt", "-metadata:s:s:0", "language=eng",
                    "-disposition:s:0", "0", path], check=True)
    return path


def select(engine, session, *ids):
    tracks = engine_pb2.SubtitleTrackList(ids=ids)
    return engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(
        session_id=session.id, subtitles=engine_pb2.SubtitleSelection(tracks=tracks)), timeout=PATIENCE).state


def tracks_of(state):
    return [(track.id, track.language) for track in state.subtitle_tracks]


def test_sidecars_are_listed_shown_and_removed_beside_embedded_tracks(engine, film, tmp_path):
    (tmp_path / "film.ru.srt").write_bytes(srt(RUSSIAN).encode("cp1251"))
    (tmp_path / "film.ja.srt").write_bytes(srt(JAPANESE).encode("shift_jis"))
    with engine.session(film) as session:
        assert tracks_of(session.state) == [(2, "eng")]
        assert list(session.state.selected_subtitles) == []
        assert list(add(engine, tmp_path / "film.ru.srt", session.id).added_subtitles) == [100000]
        state = add(engine, tmp_path / "film.ja.srt", session.id, show=True).state
        assert tracks_of(state) == [(2, "eng"), (100000, "ru"), (100001, "ja")]
        assert list(state.selected_subtitles) == [100001]
        state = select(engine, session, 2, 100000)
        assert list(state.selected_subtitles) == [2, 100000]
        both = read(engine, session_id=session.id)[1]
        assert {cue.track for cue in both} == {2, 100000}
        assert len(both) == 8
        watch = engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id, time_interval_us=-1, cue_lead_us=60_000_000))
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=1_500_000), timeout=PATIENCE)
        texts = set()
        for event in watch:
            if event.WhichOneof("event") == "cue" and event.cue.stage == subtitles_pb2.CUE_STAGE_APPEARED:
                texts.add(event.cue.cue.text.plain)
            if texts >= {"Own two.", RUSSIAN[1]}:
                break
        watch.cancel()
        state = engine.stub.RemoveSubtitles(
            subtitles_pb2.RemoveSubtitlesRequest(session_id=session.id, track=100000), timeout=PATIENCE).state
        assert tracks_of(state) == [(2, "eng"), (100001, "ja")]
        assert list(state.selected_subtitles) == [2]
        with pytest.raises(grpc.RpcError) as failure:
            engine.stub.RemoveSubtitles(
                subtitles_pb2.RemoveSubtitlesRequest(session_id=session.id, track=2), timeout=PATIENCE)
        assert failure.value.code() == grpc.StatusCode.NOT_FOUND
        assert field_of(failure.value) == "track"
        # The number of a removed track is never reused.
        assert list(add(engine, tmp_path / "film.ru.srt", session.id).added_subtitles) == [100002]


def test_a_load_adds_files_and_reports_missing_ones(engine, film, tmp_path):
    (tmp_path / "film.de.forced.srt").write_bytes(srt(FRENCH).encode())
    with serving({"/film.ko.srt": (200, {}, srt(KOREAN).encode("euc_kr"))}) as server:
        files = [
            subtitles_pb2.SubtitleFile(path=str(tmp_path / "film.de.forced.srt"), show=True),
            subtitles_pb2.SubtitleFile(path=f"{server.url}/film.ko.srt"),
            subtitles_pb2.SubtitleFile(path=str(tmp_path / "missing.srt")),
            subtitles_pb2.SubtitleFile(path=f"{server.url}/missing.srt"),
        ]
        session = load(engine, film, files)
        assert tracks_of(session.state)[:2] == [(2, "eng"), (100000, "de")]
        assert list(session.state.selected_subtitles) == [100000]
        assert list(session.state.subtitle_tracks[1].dispositions) == ["forced"]
        eventually(lambda: len(engine.state(session.id).subtitle_tracks) == 3, "the file on a server")
        assert tracks_of(engine.state(session.id))[2] == (100001, "ko")
        eventually(lambda: engine.log.read_text().count("subtitles.file_unavailable") >= 2
                   or engine.log.read_text().count("missing.srt") >= 2, "a notice of each that is missing")
        session.stop()
    # The languages of files count, too, and a track selected by id stays beside those that a file shows.
    wanted = engine_pb2.SubtitleSelection(languages=engine_pb2.LanguageList(languages=["German"]))
    session = load(engine, film, [subtitles_pb2.SubtitleFile(path=str(tmp_path / "film.de.forced.srt"))],
                   engine_pb2.LoadOptions(subtitles=wanted))
    assert list(session.state.selected_subtitles) == [100000]
    session.stop()
    wanted = engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=[2]))
    session = load(engine, film, files[:1], engine_pb2.LoadOptions(subtitles=wanted))
    assert list(session.state.selected_subtitles) == [2, 100000]
    session.stop()


def test_sidecars_survive_a_kill(start_engine, film, tmp_path):
    (tmp_path / "film.ru.srt").write_bytes(srt(RUSSIAN).encode("cp1251"))
    (tmp_path / "film.pl.srt").write_bytes(srt(POLISH).encode("cp1250"))
    with serving({"/film.ko.srt": (200, {}, srt(KOREAN).encode("euc_kr"))}) as server:
        engine = start_engine("--find-subtitles", "off")
        session = engine.load(film)
        add(engine, tmp_path / "film.ru.srt", session.id)
        add(engine, tmp_path / "film.pl.srt", session.id)
        add(engine, f"{server.url}/film.ko.srt", session.id, http_headers=headers(X_Key="k"), charset="EUC-KR", title="Korean")
        engine.stub.RemoveSubtitles(subtitles_pb2.RemoveSubtitlesRequest(session_id=session.id, track=100000), timeout=PATIENCE)
        before = select(engine, session, 2, 100002)
        engine.process.send_signal(signal.SIGKILL)
        engine.process.wait()
        engine = start_engine("--find-subtitles", "off", directory=engine.directory)
        state = eventually(lambda: (state := engine.state(session.id)) and len(state.subtitle_tracks) == 3 and state,
                           "the tracks to be there again")
        state = eventually(lambda: (state := engine.state(session.id)) and list(state.selected_subtitles) == [2, 100002] and state,
                           "the tracks to be shown again")
        assert state.subtitle_tracks == before.subtitle_tracks
        assert shown(read(engine, session_id=session.id, track=100002)[1]) == expected(KOREAN)
        assert server.seen[-1][1]["x-key"] == "k"
        assert list(add(engine, tmp_path / "film.ru.srt", session.id).added_subtitles) == [100003]


def test_enginectl_adds_lists_and_removes_sidecars(engine, film, tmp_path):
    def run(*arguments):
        return subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], check=True, capture_output=True, text=True).stdout

    (tmp_path / "film.ru.srt").write_bytes(srt(RUSSIAN).encode("cp1251"))
    assert "/master.m3u8" in run("load", str(film), "--subtitles", str(tmp_path / "film.ru.srt"))
    assert "* 1: #100000 [ru]: subrip, WINDOWS-1251" in run("subtitles")
    with serving({"/film.ja.srt": (200, {}, srt(JAPANESE).encode("shift_jis"))}) as server:
        url = f"{server.url}/film.ja.srt"
        text = run("subtitles", "add", url, "--charset", "shift_jis", "--language", "jpn", "--header", "X-A: b", "--title", "T")
        assert f'#100001 [jpn] "T": subrip, SHIFT_JIS, {url}' in text
        assert server.seen[0][1]["x-a"] == "b"
        assert JAPANESE[3] in run("cues", url, "--charset", "cp932")
    tracks = json.loads(run("subtitles", "remove", "100001", "--json"))["subtitle_tracks"]
    assert [track["id"] for track in tracks] == [2, 100000]
    assert RUSSIAN[2] in run("cues", str(tmp_path / "film.ru.srt"), "--format", "vtt")
    run("stop")


def test_enginectl_fails_if_a_subtitle_file_of_the_load_cannot_be_read(engine, film, tmp_path):
    def run(*arguments, expect=0):
        done = subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == expect, done
        return done

    (tmp_path / "film.ru.srt").write_bytes(srt(RUSSIAN).encode("cp1251"))
    (tmp_path / "page.srt").write_text("<html>no subtitles</html>")
    local = ["--subtitles", tmp_path / "film.ru.srt"]
    count = len(run("list").stdout.splitlines())
    with serving({"/film.ja.srt": (200, {}, srt(JAPANESE).encode())}) as server:
        for name, code in ((tmp_path / "nope.srt", "source_not_found"), (tmp_path / "page.srt", "source_not_media"),
                           (f"{server.url}/nope.srt", "source_not_found")):
            for verb in ("load", "serve", "play"):
                done = run(verb, film, *local, "--subtitles", name, *(["--sink", "null"] if verb == "play" else []), expect=1)
                assert str(name) in done.stderr and f"[{code}]" in done.stderr and not done.stdout, done
        assert len(run("list").stdout.splitlines()) == count
        # All files are shown, and a load that is repeated by its request id adds nothing.
        arguments = ["load", film, *local, "--subtitles", f"{server.url}/film.ja.srt", "--request-id", "once"]
        assert run(*arguments).stdout == run(*arguments).stdout
    lines = [line for line in run("subtitles").stdout.splitlines() if line.startswith("*")]
    assert ["#100000 [ru]" in lines[0], "#100001 [ja]" in lines[1], len(lines)] == [True, True, 2], lines
    # A session that is loaded again stays.
    session = json.loads(run("status", "--json").stdout)["session"]
    run("load", film, "--session", session, "--subtitles", tmp_path / "nope.srt", expect=1)
    assert "film" in run("status", "--session", session).stdout
    run("stop", "--session", session)
