# SPDX-License-Identifier: Apache-2.0
"""CEA-608/708 captions in the video: passed through bit-exactly, and announced at the start or once later frames carry
them."""

import pytest
from harness import captions, graphics, payloads, services, subtitles
from harness.contract import engine_pb2, frames_pb2
from harness.engine import PATIENCE, eventually
from harness.frames import attached_frames
from harness.hls import Media, fetch
from harness.places import SAMPLES
from harness.tiers import tiered
from harness.watching import Notices
from harness.webvtt import Rendition
from test_service_cues import CC1, RATE, SERVICE1, packed, pop

SAMPLE = SAMPLES / "androidx+media/hls/cea608/sd-hls0000000000.ts"
CAPTIONS = b"\xb5\x00\x31GA94\x03"


def messages(path):
    """The SEI units with captions of an H.264 file, in the order of the file."""
    raw = payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:v:0", "-c", "copy",
                       "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-")
    return [unit for unit in payloads.annex_b_units(raw) if unit and unit[0] & 31 == 6 and CAPTIONS in unit]


def served(url, folder):
    media = Media.complete(url)
    path = folder / "served.mp4"
    path.write_bytes(fetch(media.init) + b"".join(fetch(each.url) for each in media.segments))
    return path


def test_captions_of_a_broadcast_pass_bit_exactly(engine, tmp_path):
    if not SAMPLE.exists():
        pytest.skip(f"{SAMPLE.name} is not here")
    with engine.session(SAMPLE) as session:
        variant, url = session.master().variants[0]
        assert variant["CLOSED-CAPTIONS"] != "NONE"
        video = next(each.video for each in session.state.media.streams if each.HasField("video"))
        assert video.closed_captions and "CC1" in video.caption_channels
        ours = messages(served(url, tmp_path))
    assert len(ours) > 2 and ours == messages(SAMPLE)


def test_captions_that_start_late_are_reported_once(engine, tmp_path):
    start = captions.AHEAD * RATE
    late = {start: captions.pop_on("Late"), start + 30: captions.command(captions.SHOW), start + 60: captions.command(captions.ERASE)}
    out, pictures_seen = bytearray(), 0
    for unit in payloads.annex_b_units(captions.film(tmp_path, captions.AHEAD + 5, late, rate=RATE).read_bytes()):
        is_message = unit[0] & 31 == 6 and CAPTIONS in unit
        pictures_seen += is_message
        # No captions, not even empty ones, before they begin.
        if not is_message or pictures_seen > start:
            out += b"\0\0\0\1" + unit
    path = tmp_path / "late.h264"
    path.write_bytes(out)
    with engine.session(path) as session:
        variant, url = session.master().variants[0]
        before = session.master().text
        assert variant["CLOSED-CAPTIONS"] == "NONE"
        served(url, tmp_path)

        def video():
            return next(each.video for each in engine.state(session.id).media.streams if each.HasField("video"))

        eventually(lambda: list(video().caption_channels) == ["CC1"], "the captions to be reported")
        eventually(lambda: [track.id for track in engine.state(session.id).subtitle_tracks] == [CC1], "their track")
        # A playlist that a player has already fetched stays valid; a newly fetched one has the captions as well.
        assert "SUBTITLES" not in before
        after = session.master()
        assert [each["NAME"] for each, _ in after.subtitles] == ["CC1"]
        assert after.variants[0][0]["CLOSED-CAPTIONS"] != "NONE"
        assert after.variants[0][1] == url and after.variants[0][0]["CODECS"] == variant["CODECS"]
    eventually(lambda: f"session {session.id} ended" in engine.log.read_text(), "the log to be written")
    assert engine.log.read_text().count(f"session {session.id}: captions (CC1) appear later in the video") == 1


CHANNELS = {"CC1": CC1, "CC3": CC1 + 2, "SERVICE1": SERVICE1}


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    """CC1 from the start; CC3 and a service begin in a part that the engine does not read until a player comes near."""
    start = captions.AHEAD * RATE
    first = {
        5: captions.pop_on("From the start"), 30: captions.command(captions.SHOW), 100: captions.command(captions.ERASE),
        start + 100: captions.pop_on("and later"), start + 140: captions.command(captions.SHOW),
        start + 200: captions.command(captions.ERASE),
    }
    second = {
        start: captions.pop_on("Later", 3), start + 30: captions.command(captions.SHOW, 3),
        start + 100: captions.command(captions.ERASE, 3),
    }
    sent = {
        start + 10: [(1, pop(0, "Service late"))], start + 40: [(1, services.windows(services.DISPLAY, 0))],
        start + 110: [(1, services.windows(services.DELETE, 0))],
    }
    folder = tmp_path_factory.mktemp("late")
    seconds = captions.AHEAD + 10
    raw = captions.film(folder, seconds, first, second, packed=packed(seconds, sent))
    return {kind: graphics.joined(folder / f"late.{kind}", raw, options=("-r", str(RATE))) for kind in ("mp4", "ts")}


def listed(engine, session):
    return {track.title: track.id for track in engine.state(session.id).subtitle_tracks}


@pytest.mark.parametrize("selects, kind", tiered(
    [(selects, kind) for selects in (False, True) for kind in ("mp4", "ts")], {(False, "ts"), (True, "mp4")}))
def test_caption_channels_that_start_late_are_added_to_the_list(engine, late, kind, selects):
    shown = engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=[CC1] if selects else []))
    with engine.session(late[kind], subtitles=shown) as session:
        assert listed(engine, session) == {"CC1": CC1}
        fetched = session.master()
        for segment in Media.complete(fetched.variants[0][1]).segments:
            fetch(segment.url)
        eventually(lambda: listed(engine, session) == CHANNELS, "the tracks")
        assert list(engine.state(session.id).selected_subtitles) == ([CC1] if selects else [])
        for name, track in CHANNELS.items():
            linear = subtitles.read(engine, source=str(late[kind]), track=track)[0]
            assert linear and subtitles.read(engine, session_id=session.id, track=track)[0] == linear
            # The playlist of a track exists for players that know its name.
            rendition = Rendition(fetched.variants[0][1].rsplit("/", 1)[0] + f"/subtitles-{track}.m3u8")
            assert [text for _, _, text in rendition.timed_texts()] == [cue.text.plain for cue in linear], name
        chosen = engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=[SERVICE1]))
        engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(session_id=session.id, subtitles=chosen))
        assert list(engine.state(session.id).selected_subtitles) == [SERVICE1]
        assert [each["NAME"] for each, _ in session.master().subtitles if each["DEFAULT"] == "YES"] == ["SERVICE1"]


@pytest.mark.parametrize("codec", tiered(["vp9", "av1"], {"vp9"}))
def test_captions_are_tracks_of_video_that_is_encoded_without_them(engine, late, codec):
    notices = Notices(engine)
    with engine.session(late["ts"], video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS, video_bridge_codec=codec) as session:
        before = session.master()
        assert listed(engine, session) == {"CC1": CC1} and [each["NAME"] for each, _ in before.subtitles] == ["CC1"]
        for segment in Media.complete(before.variants[0][1]).segments:
            fetch(segment.url)
        eventually(lambda: listed(engine, session) == CHANNELS, "the tracks")
        after = session.master()
        assert {each["NAME"] for each, _ in after.subtitles} == CHANNELS.keys()
        assert all(each.variants[0][0]["CLOSED-CAPTIONS"] == "NONE" for each in (before, after))
        for name, track in CHANNELS.items():
            linear = subtitles.read(engine, source=str(late["ts"]), track=track)[0]
            assert linear and subtitles.read(engine, session_id=session.id, track=track)[0] == linear, name
    eventually(lambda: all(any(name in text for text in notices.texts) for name in ("CC3", "SERVICE1")), "the notices")
    notices.end()
    lost = [text for code, text in zip(notices.codes, notices.texts, strict=True) if code == "video.captions_lost"]
    assert sum(text.endswith("without them, and they are subtitle tracks") for text in lost) == 1
    assert [sum(name in text for text in lost) for name in ("CC1", "CC3", "SERVICE1")] == [0, 1, 1]
    assert "video.captions_found" not in notices.codes


def test_captions_found_while_decoding_are_listed(engine, tmp_path):
    first = {250: captions.pop_on("Late on cable"), 280: captions.command(captions.SHOW), 330: captions.command(captions.ERASE)}
    source = captions.film_of_user_data(tmp_path, 15, first, "cable")
    with engine.session(source) as session, attached_frames(engine, session.id, pace=frames_pb2.FRAME_PACE_REALTIME):
        assert not engine.state(session.id).subtitle_tracks
        eventually(lambda: engine.state(session.id).production.plan_complete, "the plan")
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=8_000_000), timeout=PATIENCE)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        eventually(lambda: listed(engine, session) == {"CC1": CC1}, "the captions to be listed")
        assert list(engine.state(session.id).selected_subtitles) == []
