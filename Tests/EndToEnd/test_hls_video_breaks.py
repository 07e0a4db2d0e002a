# SPDX-License-Identifier: Apache-2.0
"""HLS sources whose video has another codec in a break: this video is served with an init segment of its own, or decoded by
another decoder, or a notice says that it is not served."""

import functools
import hashlib
import subprocess
import urllib.parse

import numpy
import pytest
from harness import captions, graphics, subtitles
from harness.bundles import decoded, digests, encoding, package_joined, served_groups, validate
from harness.contract import engine_pb2, stills_pb2
from harness.engine import eventually, running_engine
from harness.hls import Media, digest, fetch, request
from harness.places import ENGINECTL
from harness.players import mpv
from harness.stills import snapshot, source, thumbnail
from harness.tiers import tiered
from harness.watching import Notices
from harness.web_page import WebPage, chromium, link
from test_hls_audio_breaks import assert_pure, entries

ENTRIES = {"h264": "avc1", "hevc": "hvc1", "vp9": "vp09", "av1": "av01"}


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    return tmp_path_factory.mktemp("breaks")


@functools.cache
def joined(folder, form, film, picture):
    """A film whose break has other video. `copy` keeps the H.264 of the film, whose audio is kept in any case."""
    encoded = ("-c", "copy") if film == "copy" else (*encoding(film, 50), "-c:a", "copy")
    return package_joined(folder, form, f"{film}-{picture}", encoded, picture=picture)


def digest_of(still):
    return hashlib.sha256(still.data).hexdigest()


def playlists(session):
    master = session.master()
    return master.variants[0][0]["CODECS"].split(","), master.variants[0][1], master.renditions[0][1]


def gray(data):
    """The luma of each frame in a small size."""
    made = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-map", "0:v:0", "-vf", "scale=64:36:flags=area,format=gray", "-fps_mode", "passthrough", "-f",
         "rawvideo", "-"], input=data, capture_output=True, check=True).stdout
    return numpy.frombuffer(made, numpy.uint8).reshape(-1, 36, 64).astype(int)


@pytest.mark.parametrize(
    "form, film, picture",
    tiered(
        [("ts", "copy", "hevc"), ("fmp4", "copy", "hevc"), ("ts", "hevc", "h264"), ("fmp4", "hevc", "h264"), ("fmp4", "copy", "vp9"),
         ("fmp4", "vp9", "h264"), ("fmp4", "copy", "av1"), ("fmp4", "av1", "hevc")],
        {("ts", "copy", "hevc"), ("fmp4", "hevc", "h264"), ("fmp4", "copy", "vp9")}))
def test_a_codec_that_the_player_accepts_has_an_init_segment_of_its_own(engine, bundles, form, film, picture):
    path, files = joined(bundles, form, film, picture)
    own, other = ENTRIES["h264" if film == "copy" else film], ENTRIES[picture]
    notices = Notices(engine)
    with engine.session(path) as session:
        codecs, video, audio = playlists(session)
        assert [each for each in codecs if each[:4] == own] and [each for each in codecs if each[:4] == other], codecs
        assert entries(video) == [own, other, own]
        assert [decoded(group, "v") for group in served_groups(video)] == [decoded(file, "v") for file in files]
        assert [decoded(group, "a") for group in served_groups(audio)] == [decoded(file, "a") for file in files]
        validate(engine, session.url)
        linear = digests(session)
        eventually(lambda: "video.codec_changes" in notices.codes, "the notice")
        # FFmpeg's HLS reader does not open another decoder, so the break is not shown; playback continues after it.
        assert mpv(session.url)[0] == 0
    notices.end()
    text = notices.texts[notices.codes.index("video.codec_changes")]
    assert notices.codes.count("video.codec_changes") == 1 and abs(float(text.split()[1]) - 4) < 0.2, text
    assert "video.part_not_served" not in notices.codes
    assert_pure(path, linear)


@pytest.mark.parametrize("picture", tiered(["vp9", "av1"], {"vp9"}))
def test_the_page_plays_over_a_break(engine, bundles, picture):
    """Chromium's own HLS player does not: it refuses another codec in a playlist."""
    path, _ = joined(bundles, "fmp4", "copy", picture)
    with engine.session(path, profile="chromium"), chromium() as browser:
        page = WebPage(browser.driver)
        page.open(link(engine))
        page.press("k")
        for end, width in ((4, 320), (8, 640), (12, 320)):
            page.until(lambda look: look["time"] > end - 1 and look["width"] == width, f"the picture before {end} s")
        page.press("5")
        page.until(lambda look: 5.5 < look["time"] < 8 and look["width"] == 640, "the break, after a seek")
        look = page.look()
        assert look["error"] is None and look["message"] == "" and look["complaints"] == [], look


@pytest.mark.parametrize("form, film, picture", tiered(
    [("ts", "copy", "hevc"), ("fmp4", "hevc", "h264")], {("ts", "copy", "hevc")}))
def test_the_segments_of_a_break_do_not_depend_on_what_was_read_before(engine, bundles, form, film, picture):
    """Each segment is the first one that an engine is asked for."""
    path, _ = joined(bundles, form, film, picture)
    with engine.session(path) as session:
        linear = digests(session)
    for place in (2, 4):
        with running_engine() as other, other.session(path) as session:
            media = Media(urllib.parse.urljoin(session.url, "video.m3u8"))
            url = media.segments[place].url
            assert digest(url) == linear[url.split("/", 4)[4]]


@pytest.mark.parametrize("form, film, picture", tiered(
    [("ts", "copy", "hevc"), ("fmp4", "hevc", "h264"), ("fmp4", "copy", "vp9")], {("fmp4", "hevc", "h264")}))
def test_keyframes_and_stills_of_a_break_are_those_of_its_video(engine, bundles, tmp_path, form, film, picture):
    path, files = joined(bundles, form, film, picture)
    part = tmp_path / f"break.{'mp4' if form == 'fmp4' else 'ts'}"
    part.write_bytes(files[1])
    with engine.session(path) as session:
        (_, url), = session.master().keyframes
        shown = [decoded(group, "v") for group in served_groups(url)]
        assert [len(group) for group in shown] == [2, 2, 2]
        for group, file in zip(shown, files):
            whole = decoded(file, "v")
            assert group == [whole[0], whole[len(whole) // 2]]
        of = stills_pb2.StillSource(session_id=session.id)
        for take in (snapshot, thumbnail):
            for moment in (1_000_000, 3_000_000):
                found = take(engine, of, 4_000_000 + moment)
                # The audio begins up to 0.1 s before the first picture, and the timeline of the part with it.
                near = {digest_of(take(engine, source(part), moment + place * 1_000_000 // 30)) for place in range(-4, 5)}
                assert digest_of(found) in near
        # Back in the film, after the break.
        sizes = [(each.width, each.height) for each in (snapshot(engine, of, place * 1_000_000) for place in (1, 5, 9))]
        assert sizes[0] == sizes[2] != sizes[1], sizes


@pytest.mark.parametrize("film, picture", tiered([("h264", "hevc"), ("hevc", "h264")], {("h264", "hevc")}))
def test_captions_are_found_in_each_codec(engine, tmp_path, film, picture):
    lines, parts = ["#EXTM3U", "#EXT-X-TARGETDURATION:4"], {film: "In the film", picture: "In the break"}
    for codec, text in parts.items():
        script = {5: captions.pop_on(text), 30: captions.command(captions.SHOW), 70: captions.command(captions.ERASE)}
        folder = tmp_path / codec
        folder.mkdir()
        graphics.joined(tmp_path / f"{codec}.ts", captions.film(folder, 4, script, codec=codec), options=("-r", "25"))
    for codec in (film, picture, film):
        lines += ["#EXT-X-DISCONTINUITY", "#EXTINF:4,", f"{codec}.ts"]
    path = tmp_path / "film.m3u8"
    path.write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    expected = [parts[film], parts[picture], parts[film]]
    with engine.session(path) as session:
        for place in ({"source": str(path)}, {"session_id": session.id}):
            found, *_ = subtitles.read(engine, track=99608, **place)
            assert [cue.text.plain for cue in found] == expected
            starts = [cue.start_us / 1e6 for cue in found]
            assert all(abs(start - starts[0] - 4 * number) < 0.1 for number, start in enumerate(starts)), starts


@pytest.mark.parametrize("form, film, picture", tiered(
    [("ts", "copy", "hevc"), ("fmp4", "hevc", "h264"), ("ts", "copy", "mpeg2"), ("fmp4", "av1", "vp9")], {("ts", "copy", "hevc")}))
def test_the_software_path_opens_another_decoder(engine, bundles, form, film, picture):
    path, files = joined(bundles, form, film, picture)
    own = [each.strip().decode() for file in files for each in decoded(file, "v")]
    made = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=True).stdout
    assert [line.split("\t")[1] for line in made.splitlines()] == own


@pytest.mark.parametrize("form, film, picture", tiered(
    [("ts", "copy", "hevc"), ("fmp4", "hevc", "h264"), ("ts", "mpeg2", "h264")], {("ts", "mpeg2", "h264")}))
def test_a_video_bridge_decodes_another_codec(engine, bundles, form, film, picture):
    path, files = joined(bundles, form, film, picture)
    options = {"video_bridge": engine_pb2.VIDEO_BRIDGE_ALWAYS, "profile": "chromium"}
    with engine.session(path, **options) as session:
        _, video, _ = playlists(session)
        assert len(set(entries(video))) == 1, "the served format stays"
        for found, file in zip(served_groups(video), files):
            ours, theirs = gray(found), gray(file)
            assert ours.shape == theirs.shape
            assert abs(ours - theirs).mean(axis=(1, 2)).max() < 8
        validate(engine, session.url)
        linear = digests(session)
    assert_pure(path, linear, **options)


@pytest.mark.parametrize("form, picture, cause", tiered(
    [("ts", "hevc", "does not support hvc1"), ("ts", "mpeg2", "mpeg2video in fMP4 is not supported")],
    {("ts", "hevc", "does not support hvc1")}))
def test_video_that_cannot_be_served_is_reported(engine, bundles, form, picture, cause):
    path, files = joined(bundles, form, "copy", picture)
    notices = Notices(engine)
    with engine.session(path, profile="chromium") as session:
        codecs, video, _ = playlists(session)
        assert not [each for each in codecs if each[:4] in ("hvc1", "hev1")], codecs
        replies = [request(segment.url) for segment in Media.complete(video).segments]
        assert [reply.status for reply in replies] == [200, 200, 500, 500, 200, 200]
        assert b"segment_failed" in replies[2].body and cause.encode() in replies[2].body, replies[2].body
        eventually(lambda: "video.part_not_served" in notices.codes, "the notice")
        found = served_groups_around(video)
        assert [decoded(group, "v") for group in found] == [decoded(files[place], "v") for place in (0, 2)]
    notices.end()
    text = notices.texts[notices.codes.index("video.part_not_served")]
    assert notices.codes.count("video.part_not_served") == 1 and cause in text and abs(float(text.split()[1]) - 4) < 0.2, text


def served_groups_around(url):
    """The served segments before and after the break as one file each, with their init segment."""
    lines = fetch(url).decode().splitlines()
    inits = [line.split('"')[1] for line in lines if line.startswith("#EXT-X-MAP:")]
    names = [line for line in lines if line and not line.startswith("#")]
    groups = [[inits[0], *names[:2]], [inits[2], *names[4:]]]
    return [b"".join(fetch(urllib.parse.urljoin(url, name)) for name in group) for group in groups]
