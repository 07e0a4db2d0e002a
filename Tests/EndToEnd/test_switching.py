# SPDX-License-Identifier: Apache-2.0
"""Audio tracks in stock players: the selected one is heard, whatever the formats of the source, and another one after a
switch during playback."""

import json
import pathlib
import shutil
import subprocess

import numpy
import pytest
from harness import hls
from harness.browser import Feeding, chromium, firefox
from harness.contract import engine_pb2
from harness.engine import PATIENCE
from harness.places import ENGINECTL, clip
from harness.players import mpv, streamlink, streamlink_program, vlc
from harness.tiers import absent, tiered

PLAYER = pathlib.Path(__file__).parent / "harness" / "gstreamer_player.py"
# The Python interpreter that has the distribution's bindings.
PYTHON = shutil.which("python3", path="/usr/bin") or "python3"
PROFILES = ["everything", "apple", "chromium", "firefox", "chromecast", "chromecast-surround"]
FILMS = ["commentary.mkv", "lossy-lossless.mkv", "three-formats.mkv", "four-formats.mkv"]
# The tracks of those films in their order, each with its tone in Hz.
ENGLISH, GERMAN, FRENCH = 400, 600, 800
PAIRS = [(film, profile) for film in FILMS for profile in PROFILES]
# In the lean tier: a film for the player that takes every format unchanged, and one for those that need the same format throughout.
LEAN = [("four-formats.mkv", "chromium"), ("three-formats.mkv", "everything")]


def played_pairs(offset):
    """The pairs that one player plays: in the lean tier, one of two; in the long tier, both of them, every profile and
    every film, combined differently for each player. The other pairs are only fetched and validated."""
    some = [(FILMS[(place + offset) % len(FILMS)], profile) for place, profile in enumerate(PROFILES)]
    return tiered(sorted({*LEAN, *some}), {LEAN[offset % len(LEAN)]})


def selected(language):
    return engine_pb2.AudioSelection(languages=engine_pb2.LanguageList(languages=[language]))


def load(engine, film, profile, language="ger"):
    return engine.session(clip(film), profile=profile, audio=selected(language))


def heard(path, *form):
    """The tones of the first audio stream, one after another: those that last longer than half a second."""
    rate, step = 16000, 4000
    decoded = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *form, "-i", path, "-map", "0:a:0", "-ac", "1", "-ar", str(rate),
                              "-f", "f32le", "-"], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
    samples, found = numpy.frombuffer(decoded, "<f4"), []
    for start in range(0, len(samples) - step, step):
        spectrum = numpy.abs(numpy.fft.rfft(samples[start:start + step] * numpy.hanning(step)))
        tone = round(int(numpy.argmax(spectrum)) * rate / step / 200) * 200 if spectrum.max() > 1 else 0
        if not found or found[-1][0] != tone:
            found.append([tone, 0])
        found[-1][1] += step / rate
    return [tone for tone, length in found if tone and length > 0.5]


# A player that gets several formats side by side, and one that needs the same throughout; AudioFamiliesTests has the other profiles.
@pytest.mark.parametrize("film, profile", tiered(PAIRS, {("three-formats.mkv", "everything"), ("three-formats.mkv", "chromium")}))
def test_all_tracks_are_in_one_group_with_one_default(engine, film, profile):
    with load(engine, film, profile) as session:
        lines = hls.fetch(session.url).decode().splitlines()
        tracks = [hls.attributes(line) for line in lines if line.startswith("#EXT-X-MEDIA:TYPE=AUDIO")]
        variants = [hls.attributes(line) for line in lines if line.startswith("#EXT-X-STREAM-INF:")]
        served = [each.delivery.codec_string for each in session.state.media.streams]
        assert len(tracks) == len(served) - 1 and {each["GROUP-ID"] for each in tracks} == {variants[0]["AUDIO"]}
        assert [each["LANGUAGE"] for each in tracks if each["DEFAULT"] == "YES"] == ["de"]
        assert len(variants) == 1 and set(variants[0]["CODECS"].split(",")) == set(served)
        # Only the player that is known to support it gets several formats side by side.
        assert profile == "everything" or len(set(served)) == 2, served


@pytest.mark.long
@pytest.mark.parametrize("film, profile", PAIRS)
def test_validate_finds_no_faults(engine, film, profile):
    with load(engine, film, profile) as session:
        checked = subprocess.run([ENGINECTL, "validate", session.url], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=PATIENCE * 5)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.fixture(scope="module")
def chromium_native():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def chromium_mse():
    with chromium(Feeding) as browser:
        yield browser


@pytest.fixture(scope="module")
def firefox_mse():
    if not shutil.which("firefox-esr"):
        absent("Firefox is not here")
    with firefox() as browser:
        yield browser


def check_playing(browser, url):
    assert browser.open(url) == "ok"
    for target in (None, 15):
        landed = target is None or browser.seek(target)["landed"]
        moved = browser.advance(1, start=target)
        assert landed and moved["error"] is None and not moved["late"], moved


@pytest.mark.long
@pytest.mark.parametrize("film", FILMS)
def test_chromium_plays_and_seeks(engine, chromium_native, film):
    with load(engine, film, "chromium") as session:
        check_playing(chromium_native, session.url)


def check_switching(browser, url, languages=("en", "de")):
    check_playing(browser, url)
    for language in languages:
        assert browser.change(language) == 1
        moved = browser.advance(1.5)
        assert moved["error"] is None and not moved["late"], moved


@pytest.mark.long
@pytest.mark.parametrize("film", FILMS)
@pytest.mark.parametrize("profile", ["chromium", "chromecast"])
def test_an_mse_player_switches_tracks_in_chromium(engine, chromium_mse, film, profile):
    with load(engine, film, profile) as session:
        check_switching(chromium_mse, session.url)


@pytest.mark.long
@pytest.mark.parametrize("film", FILMS)
def test_an_mse_player_switches_tracks_in_firefox(engine, firefox_mse, film):
    with load(engine, film, "firefox") as session:
        check_switching(firefox_mse, session.url)


@pytest.mark.long
@pytest.mark.parametrize("film, profile", played_pairs(0))
def test_mpv_plays_the_selected_track(engine, tmp_path, film, profile):
    with load(engine, film, profile) as session:
        code, output = mpv(session.url, "--length=5", "--ao=pcm", f"--ao-pcm-file={tmp_path / 'heard.wav'}")
        assert code == 0 and "error" not in output.lower(), output
    assert heard(tmp_path / "heard.wav") == [GERMAN]


@pytest.mark.parametrize("film, profile", played_pairs(1))
def test_ffmpeg_reads_every_track(engine, film, profile):
    with load(engine, film, profile) as session:
        done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", session.url, "-map", "0", "-f", "null", "-"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE * 2)
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.parametrize("film, profile", played_pairs(2))
def test_vlc_plays_the_selected_track_and_switches(engine, tmp_path, film, profile):
    if subprocess.run([PYTHON, "-c", "import ctypes; ctypes.CDLL('libvlc.so.5')"], stdin=subprocess.DEVNULL,
                      capture_output=True).returncode:
        absent("VLC is not here")
    with load(engine, film, profile) as session:
        code, output = vlc(session.url, tmp_path / "heard.raw", 6, "English")
    assert code == 0, output
    form = ("-f", "s16le", "-ar", "48000", "-ac", "2")
    assert [heard(tmp_path / name, *form) for name in ("heard.raw.before", "heard.raw")] == [[GERMAN], [ENGLISH]]


@pytest.mark.parametrize("film, profile", played_pairs(3))
def test_streamlink_selects_the_language(engine, tmp_path, film, profile):
    # Before version 6, streamlink repeats the init segment in a way that ffmpeg does not read from a pipe.
    program = streamlink_program()
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout if program else ""
    if not version or int(version.split()[1].partition(".")[0]) < 6:
        absent("a recent streamlink is not here")
    with load(engine, film, profile) as session:
        code, output = streamlink(session.url, "en", tmp_path / "film.mkv")
    assert code == 0, output
    assert heard(tmp_path / "film.mkv") == [ENGLISH]


def gstreamer(url, language, seconds, more=8):
    """The audio that GStreamer plays while it switches to the language after `seconds`."""
    if subprocess.run([PYTHON, "-c", "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"],
                      stdin=subprocess.DEVNULL, capture_output=True).returncode:
        absent("GStreamer's Python bindings are not here")
    done = subprocess.run([PYTHON, str(PLAYER), url, language, str(seconds), str(more)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=PATIENCE * 2)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    if "missing" in result:
        absent(f"GStreamer has no {result['missing']}")
    assert result["trouble"] == []
    return result["sound"]


def test_gstreamer_switches_languages_without_a_gap(engine):
    # German has two channels, English one.
    with engine.session(clip("languages.mkv")) as session:
        sound = gstreamer(session.url, "en", 2)
    channels = [each[2] for each in sound]
    place = channels.index(1)
    assert place > 0 and set(channels[:place]) == {2} and set(channels[place:]) == {1}
    # The new audio begins where the old one ends, and nothing is missing before or after.
    for (time, duration, *_), (after, *_) in zip(sound, sound[1:]):
        assert abs(time + duration - after) <= 1024 / 48000 + 0.001, (time, duration, after)
    assert sound[-1][0] > 9


@pytest.mark.long
@pytest.mark.parametrize("film, profile", played_pairs(4))
def test_gstreamer_switches_between_formats(engine, film, profile):
    with load(engine, film, profile) as session:
        sound = gstreamer(session.url, "en", 2, 16)
    tones = [round(hertz / 200) * 200 for time, duration, _, hertz in sound if duration > 0.015]
    order = [tone for place, tone in enumerate(tones) if tone and (place < 1 or tones[place - 1] == tone)]
    assert list(dict.fromkeys(order)) == [GERMAN, ENGLISH] and order[-1] == ENGLISH, order
