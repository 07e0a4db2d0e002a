# SPDX-License-Identifier: Apache-2.0
"""Audio tracks are listed with their default, and switching to another one reaches a running player."""

import json
import subprocess

import grpc
import pytest
from harness import boxes, hls
from harness.contract import engine_pb2, media_pb2, state_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.places import ENGINECTL, SAMPLES, clip
from harness.players import mpv

# languages.mkv: 1 English, 2 German (default), 3 Brazilian Portuguese (dub), 4 English for the blind.
SELECTIONS = [
    ({}, 2, False),
    ({"stream_index": 3}, 3, False),
    ({"stream_index": 0}, 2, True),
    ({"stream_index": 77}, 2, True),
    ({"languages": ["en"]}, 1, False),
    ({"languages": ["ENG"]}, 1, False),
    ({"languages": ["English"]}, 1, False),
    ({"languages": ["deu"]}, 2, False),
    ({"languages": ["pt"]}, 3, False),
    ({"languages": ["pt-PT", "en"]}, 3, False),
    ({"languages": ["Japanese", "fre", "portuguese", "en"]}, 3, False),
    ({"languages": ["ja", "xx", ""]}, 2, True),
]


def selection(wanted):
    if "languages" in wanted:
        return engine_pb2.AudioSelection(languages=engine_pb2.LanguageList(languages=wanted["languages"]))
    return engine_pb2.AudioSelection(**wanted)


def select(engine, session, **wanted):
    request = engine_pb2.SelectAudioRequest(session_id=session.id, audio=selection(wanted))
    return engine.stub.SelectAudio(request, timeout=PATIENCE).state


def renditions(url):
    lines = hls.fetch(url).decode().splitlines()
    return [hls.attributes(line.partition(":")[2]) for line in lines if line.startswith("#EXT-X-MEDIA:TYPE=AUDIO")]


def default_uri(url):
    return [each["URI"] for each in renditions(url) if each["DEFAULT"] == "YES"]


@pytest.mark.parametrize(("wanted", "stream", "is_fallback"), SELECTIONS)
def test_the_requested_track_is_the_default(engine, wanted, stream, is_fallback):
    with engine.session(clip("languages.mkv"), audio=selection(wanted)) as session:
        assert session.state.selected_audio.stream_index == stream
        assert default_uri(session.url) == [f"audio-{stream}.m3u8"]
    eventually(lambda: f"session {session.id} ended" in engine.log.read_text(), "the log to be written")
    assert (f"session {session.id}: no audio track matches" in engine.log.read_text()) == is_fallback


def test_renditions_have_the_attributes_of_the_tracks(engine):
    with engine.session(clip("languages.mkv")) as session:
        result = sorted(renditions(session.url), key=lambda each: each["URI"])
        assert [each["LANGUAGE"] for each in result] == ["en", "de", "pt-BR", "en"]
        assert [each["NAME"] for each in result] == ["English", "Deutsch", "Portuguese", "Audio description"]
        assert [each["CHANNELS"] for each in result] == ["1", "2", "2", "1"]
        assert [each["DEFAULT"] for each in result] == ["NO", "YES", "NO", "NO"]
        assert {each["AUTOSELECT"] for each in result} == {"YES"}
        assert [each.get("CHARACTERISTICS") for each in result] == [None, None, None, "public.accessibility.describes-video"]


def test_selecting_a_track_changes_only_the_default(engine):
    with engine.session(clip("languages.mkv")) as session:
        base = session.url.rpartition("/")[0]
        names = ["video", "audio-1", "audio-2", "audio-3", "audio-4"]
        before = {name: hls.Media.complete(f"{base}/{name}.m3u8") for name in names}
        bytes_before = [hls.digest(before["audio-1"].segments[2].url), hls.digest(before["audio-2"].init)]
        watch = engine.stub.Watch(engine_pb2.WatchRequest(
            session_id=session.id, time_interval_us=-1, fields=[state_pb2.STATE_FIELD_AUDIO]))
        assert next(watch).snapshot.selected_audio.stream_index == 2
        state = select(engine, session, languages=["en"])
        assert state.selected_audio.stream_index == 1 and state.url == session.url
        delta = next(watch).delta
        assert list(delta.fields) == [state_pb2.STATE_FIELD_AUDIO] and delta.state.selected_audio.stream_index == 1
        watch.cancel()
        assert default_uri(session.url) == ["audio-1.m3u8"]
        assert all(hls.Media(f"{base}/{name}.m3u8").text == before[name].text for name in names)
        assert bytes_before == [hls.digest(before["audio-1"].segments[2].url), hls.digest(before["audio-2"].init)]
        # No track matches, so the default track of the source is selected.
        assert select(engine, session, languages=["Klingon"]).selected_audio.stream_index == 2


def test_players_can_have_different_defaults(engine):
    with engine.session(clip("languages.mkv")) as session:
        assert default_uri(f"{session.url}?audio=4") == ["audio-4.m3u8"]
        assert default_uri(session.url) == ["audio-2.m3u8"]
        for wrong in ("0", "9", "x", "", "-1", "02"):
            assert hls.request(f"{session.url}?audio={wrong}").status == 404, wrong
        assert hls.request(f"{session.url}?other=1").status == 200


def test_segments_of_a_selected_track_are_made_ahead(engine):
    with engine.session(clip("languages.mkv")) as session:
        made = settled(lambda: engine.state(session.id).production.segments_produced)
        assert made >= 2
        select(engine, session, stream_index=4)
        eventually(lambda: engine.state(session.id).production.segments_produced > made, "segments of the new track")


def test_renditions_are_aligned_for_players_that_switch(engine):
    """At each boundary, the audio of one rendition ends where that of the other begins, to within one frame."""
    with engine.session(clip("languages.mkv")) as session:
        base = session.url.rpartition("/")[0]
        old, new = (hls.Media.complete(f"{base}/audio-{number}.m3u8") for number in (2, 1))
        select(engine, session, languages=["en"])
        init = {each: boxes.Init(hls.fetch(each.init)) for each in (old, new)}
        frame = 1024 / 48000
        for index in range(1, min(len(old.segments), len(new.segments))):
            before = boxes.Fragment(hls.fetch(old.segments[index - 1].url))
            after = boxes.Fragment(hls.fetch(new.segments[index].url))
            gap = after.decode_time / init[new].timescale - before.end_time / init[old].timescale
            assert abs(gap) <= frame, (index, gap)


def test_mpv_plays_the_selected_track_on_reload(engine):
    """FFmpeg-based players take the first rendition, so the chosen one comes first."""
    with engine.session(clip("languages.mkv")) as session:
        for stream, language in ((1, "en"), (3, "pt-BR")):
            select(engine, session, stream_index=stream)
            code, output = mpv(session.url, "--length=2", "--msg-level=all=warn,cplayer=info")
            assert code == 0 and "error" not in output.lower(), output
            chosen = [line for line in output.splitlines() if "Audio" in line and ("(+)" in line or "●" in line)]
            assert len(chosen) == 1 and f"--alang={language}" in chosen[0], output


def test_invalid_load_options_are_refused_with_the_valid_ones(engine):
    cases = [
        ({"profile": "betamax"}, "chromium"),
        ({"custom_profile": engine_pb2.PlayerProfile(formats=["hvc1", "vorbis"])}, "vorbis"),
        ({"custom_profile": engine_pb2.PlayerProfile()}, "formats"),
        ({"custom_profile": engine_pb2.PlayerProfile(formats=["hvc1"], dolby_vision=["6"])}, "8.1"),
        ({"custom_profile": engine_pb2.PlayerProfile(formats=["hvc1"], surround_bridges=["dts"])}, "eac3"),
        ({"custom_profile": engine_pb2.PlayerProfile(formats=["hvc1"], bit_depths=[{"format": "hvc1", "bits": 99}])}, "32"),
        ({"profile": "apple", "custom_profile": engine_pb2.PlayerProfile(formats=["hvc1"])}, "cannot both be set"),
        ({"bridge_mode": 9}, "bridge_mode"),
    ]
    for options, word in cases:
        for call in (lambda options=options: engine.load(clip("languages.mkv"), **options),
                     lambda options=options: engine.stub.Probe(engine_pb2.ProbeRequest(
                         source=str(clip("languages.mkv")), options=engine_pb2.LoadOptions(**options)))):
            with pytest.raises(grpc.RpcError) as raised:
                call()
            assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT
            assert word in raised.value.details(), (options, raised.value.details())


def test_the_state_describes_the_delivery_and_the_profile(engine):
    with engine.session(clip("languages.mkv"), profile="apple") as session:
        state = engine.state(session.id)
        assert (state.profile, state.route, state.video_format, state.source_video_format) == ("apple", "remux", "SDR", "SDR")
        assert "h264" in state.route_reason
        streams = {each.index: each for each in state.media.streams}
        assert streams[0].delivery.sample_entry == "avc1" and streams[0].delivery.video_format == "SDR"
        assert streams[2].delivery.codec_string == "mp4a.40.2" and streams[2].delivery.audio.channels == 2


def test_a_probe_returns_the_route_for_the_profile(engine):
    def video(name, profile):
        return engine.stub.Probe(engine_pb2.ProbeRequest(
            source=str(clip(name)), options=engine_pb2.LoadOptions(profile=profile)), timeout=PATIENCE).streams[0]

    assert video("hevc-eac3.mkv", "apple").route == "remux"
    refused = video("hevc-eac3.mkv", "chromium")
    assert refused.route == "software" and "chromium" in refused.route_reason
    assert video("vp9-opus.webm", "chromium").route == "remux"
    assert video("vp9-opus.webm", "apple").route == "software"


def test_dolby_atmos_is_detected_and_reported(engine):
    path = SAMPLES / "androidx+media" / "mp4" / "sample_eac3joc.mp4"
    if not path.exists():
        pytest.skip("no samples: set ENGINE_MEDIA")
    probed = engine.probe(path).streams[0]
    with engine.session(path) as session:
        served = engine.state(session.id).media.streams[0]
        for stream in (probed, served):
            assert stream.kind == media_pb2.STREAM_KIND_AUDIO and stream.audio.is_atmos
            assert stream.audio.objects == "dolby_atmos" and stream.audio.atmos_complexity == 16
        assert served.delivery.codec_string == "ec-3" and served.delivery.audio.is_atmos
        eventually(lambda: "carries Dolby Atmos of complexity 16; it is remuxed" in engine.log.read_text(),
                   "the log to say so")


def test_enginectl_lists_and_selects_tracks(engine):
    def ctl(*words):
        done = subprocess.run([ENGINECTL, *words, "--socket", engine.socket], capture_output=True, text=True, timeout=PATIENCE * 2)
        assert done.returncode == 0, done.stderr
        return done.stdout

    ctl("load", "--audio", "pt", "--profile", "chromium", "--bridge", "lossless", "--no-dolby-vision", clip("languages.mkv"))
    try:
        stars = [line for line in ctl("tracks").splitlines() if line.startswith("*")]
        assert len(stars) == 1 and "#3 audio [pt-BR]" in stars[0]
        stars = [line for line in ctl("audio", "English,de").splitlines() if line.startswith("*")]
        assert len(stars) == 1 and "#1 audio [eng]" in stars[0]
        result = json.loads(ctl("tracks", "--json"))
        assert result["selected_audio"] == 1 and len(result["tracks"]) == 5
        status = ctl("status")
        assert 'remux (profile "chromium" plays ' in status and 'for profile "chromium"' in status
        assert json.loads(ctl("status", "--json"))["selected_audio"] == 1
    finally:
        ctl("stop")
    done = subprocess.run([ENGINECTL, "probe", "--profile", "vhs", clip("languages.mkv")], capture_output=True, text=True)
    assert done.returncode == 64 and "apple" in done.stderr


def test_loading_with_a_missing_track_fails_and_leaves_no_session(engine):
    def ctl(*arguments, expect=0):
        done = subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == expect, done.stderr
        return done.stdout

    count = len(ctl("list").splitlines())
    for arguments in (["--audio", "99"], ["--audio", "fr"], ["--subtitles", "99"], ["--subtitles", "fr,tlh"]):
        for verb in ("load", "serve", "play"):
            ctl(verb, *arguments, *(["--sink", "null"] if verb == "play" else []), clip("several.mkv"), expect=1)
    # No session is left of these commands.
    assert len(ctl("list").splitlines()) == count
    ctl("load", "--audio", "tlh,auto", clip("several.mkv"), expect=1)
