# SPDX-License-Identifier: Apache-2.0
"""HLS presentations of real packagers, from nginx."""

import re

import pytest
from harness import origin
from harness.browser import chromium
from harness.bundles import concatenate, decoded, served, validate
from harness.hls import attributes
from harness.places import SAMPLES

SHAKA = "shaka-project+shaka-player/test/test/assets"
# `hls-sample-aes`, `hls-iframe-only` and `hls-text-no-discontinuity` have tests of their own, because they are encrypted, or break
# a rule. Of two bundles in Dolby Vision, the samples have only the playlists.
BUNDLES = [
    f"{SHAKA}/hls-chapters/index.m3u8",
    f"{SHAKA}/hls-interstitial/ad.m3u8",
    f"{SHAKA}/hls-interstitial/list.m3u8",
    f"{SHAKA}/hls-interstitial/main.m3u8",
    f"{SHAKA}/hls-mp4-muxed-aac-h264/hls.m3u8",
    f"{SHAKA}/hls-raw-ec3/prog_index.m3u8",
    f"{SHAKA}/hls-raw-mp3/playlist.m3u8",
    f"{SHAKA}/hls-raw-mp3/playlist-no-codecs.m3u8",
    f"{SHAKA}/hls-svta-2053-2/main.m3u8",
    f"{SHAKA}/hls-ts-aac/playlist.m3u8",
    f"{SHAKA}/hls-ts-audio-muxed-in-video/master.m3u8",
    f"{SHAKA}/hls-ts-b-frames/index.m3u8",
    f"{SHAKA}/hls-ts-muxed-aac-h264/playlist.m3u8",
    "androidx+media/cmaf/multi-segment/playlist.m3u8",
    "androidx+media/hls/cea608/manifest.m3u8",
    "androidx+media/hls/standalone-webvtt/multivariant_playlist.m3u8",
]


@pytest.fixture(scope="module")
def server():
    if not SAMPLES.exists():
        pytest.skip("the samples are not here")
    with origin.nginx(SAMPLES) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


def media_playlists(playlist):
    """The media playlists of the first variant and of its audio; the same one twice if the audio is muxed into the
    variant."""
    text = playlist.read_text()
    variant = re.search(r"^#EXT-X-STREAM-INF.*\n(.+)$", text, re.MULTILINE)
    if not variant:
        return playlist, playlist
    own = playlist.parent / variant[1].strip()
    audio = [attributes(line) for line in re.findall(r"^#EXT-X-MEDIA:(.*TYPE=AUDIO.*)$", text, re.MULTILINE)]
    separate = [each["URI"] for each in audio if "URI" in each]
    return own, playlist.parent / separate[0] if separate else own


@pytest.mark.long
@pytest.mark.parametrize("name", BUNDLES)
def test_the_served_media_decodes_like_the_segments(engine, server, name):
    video, audio = media_playlists(SAMPLES / name)
    with engine.session(f"{server.url}/{name}") as session:
        master, streams = session.master(), engine.state(session.id).media.streams
        has_video, has_audio = (any(stream.HasField(kind) for stream in streams) for kind in ("video", "audio"))
        leading = master.variants[0][1]
        if has_video:
            assert decoded(served(leading), "v") == decoded(concatenate(video), "v")
        if has_audio:
            url = master.renditions[0][1] if has_video else leading
            assert decoded(served(url), "a") == decoded(concatenate(audio), "a")
        validate(engine, session.url)


@pytest.mark.long
@pytest.mark.parametrize("name", BUNDLES)
def test_chromium_plays_and_seeks(engine, server, browser, name):
    with engine.session(f"{server.url}/{name}", profile="chromium") as session:
        browser.assert_plays_and_seeks(session.url)
