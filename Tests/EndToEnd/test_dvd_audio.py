# SPDX-License-Identifier: Apache-2.0
"""Audio of DVDs: PCM has the samples of the cells, in order, on both paths; other codecs play the cells in order."""

import subprocess

import numpy
import pytest
from harness import dvd, sound
from harness.contract import engine_pb2, media_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL
from harness.tiers import tiered

LENGTH = 6
LOSSLESS = engine_pb2.BRIDGE_MODE_LOSSLESS


def noise(seed, rate, channels, bits=16, seconds=LENGTH):
    """Noise, two bits below full scale."""
    limit = 1 << bits - 3
    return numpy.random.default_rng(seed).integers(-limit, limit, (seconds * rate, channels))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Films without audio, whose clocks begin at the same time."""
    folder = tmp_path_factory.mktemp("pictures")
    return [dvd.film(folder / f"{name}.mpg", name, (), seconds=LENGTH) for name in ("testsrc2", "testsrc")]


def audio_streams(session):
    return [each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO]


def served(session, stream):
    eventually(lambda: session.engine.state(session.id).production.plan_complete, "the plan")
    number = audio_streams(session).index(stream) + 1
    return session.url.replace("master.m3u8", f"audio-{number}.m3u8")


def play_to_file(engine, source, path, *options):
    """The audio that the software path plays, as a file."""
    subprocess.run([ENGINECTL, "play", "--socket", engine.socket, source, "--realtime=false", "--sink", f"wav:{path}", *options], check=True,
                   capture_output=True, timeout=PATIENCE * 2)
    return sound.Sound(path)


@pytest.mark.parametrize("bits, rate, channels", tiered([
    (16, 48000, 1), (16, 48000, 2), (20, 48000, 2), (24, 48000, 2), (24, 96000, 2), (16, 48000, 6)], {(24, 48000, 2)}))
def test_pcm_equals_the_samples_of_the_cells(engine, pictures, tmp_path, bits, rate, channels):
    parts = [noise(seed, rate, channels, bits) for seed in range(2)]
    films = [dvd.pcm(tmp_path / f"{number}.mpg", film, part, rate, bits) for number, (film, part) in enumerate(zip(pictures, parts))]
    root = dvd.author(tmp_path / "dvd", [[[(film, "0") for film in films]]]).root
    expected = numpy.concatenate(parts) << 32 - bits
    with engine.session(root, bridge_mode=LOSSLESS) as session:
        stream, = audio_streams(session)
        assert (stream.codec, stream.route, stream.delivery.codec) == ("pcm_dvd", "bridge", "flac"), stream.route_reason
        assert (stream.audio.channels, stream.audio.sample_rate, stream.audio.bit_depth) == (channels, rate, bits)
        assert stream.language == "eng"
        ours = sound.load_served(served(session, stream))
    for found in (ours, play_to_file(engine, root, tmp_path / "heard.wav")):
        assert (found.channels, found.rate) == (channels, rate)
        assert found.count >= len(expected)
        wrong = sound.differing_samples(found.samples[:len(expected)], expected, 0)
        assert len(wrong) == 0, f"{len(wrong)} of {len(expected)} samples differ, the first is {wrong[0]}"


@pytest.mark.long
@pytest.mark.parametrize("codec, options", [
    ("mp2", ("-c:a", "mp2", "-b:a", "192k", "-ac", "2")),
    ("dts", ("-c:a", "dca", "-strict", "-2", "-b:a", "768k", "-ar", "48000", "-ac", "2")),
])
def test_other_codecs_play_the_cells_in_order(engine, tmp_path, codec, options):
    tones = (440, 880)
    films = [dvd.film(tmp_path / f"{tone}.mpg", "testsrc2", (tone,), seconds=LENGTH, audio=options) for tone in tones]
    root = dvd.author(tmp_path / "dvd", [[[(film, "0") for film in films]]]).root
    with engine.session(root) as session:
        stream, = audio_streams(session)
        assert (stream.codec, stream.language) == (codec, "eng")
    heard = play_to_file(engine, root, tmp_path / "heard.wav")
    assert heard.count / heard.rate == pytest.approx(2 * LENGTH, abs=0.05)
    for place in range(2):
        for at in (place * LENGTH + 0.1, (place + 1) * LENGTH - 0.4):
            levels = heard.levels(at, tones, seconds=0.3)[0]
            assert levels[place] > 100 * levels[1 - place], (at, levels)


def test_audio_that_begins_late_is_found(engine, pictures, tmp_path):
    """The disc states the stream, so it is searched for beyond the first seconds."""
    film = tmp_path / "film.mpg"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-i", pictures[0], "-itsoffset", "4", "-f", "lavfi", "-i", "sine=440:sample_rate=48000", "-t", str(LENGTH),
         "-map", "0:v", "-map", "1:a", "-c:v", "copy", *dvd.AC3, "-f", "dvd", film], check=True)
    root = dvd.author(tmp_path / "dvd", [[[(film, "0")]]]).root
    with engine.session(root) as session:
        stream, = audio_streams(session)
        assert (stream.codec, stream.language, stream.audio.sample_rate) == ("ac3", "eng", 48000)
    heard = play_to_file(engine, root, tmp_path / "heard.wav")
    levels = [heard.levels(at, (440, 550), seconds=0.3)[0] for at in (2, 5)]
    assert levels[1][0] > 10 * levels[1][1] and levels[0][0] < levels[1][0] / 100


def test_commentary_is_said_and_chosen_last(engine, tmp_path):
    """The disc states what its audio streams are for."""
    film = dvd.film(tmp_path / "film.mpg", "testsrc2", (440, 550, 660), seconds=2)
    root = dvd.author(tmp_path / "dvd", [[[(film, "0")]]], languages=("en",) * 3, contents=("comments1", "normal", "impaired")).root
    with engine.session(root) as session:
        assert [list(each.dispositions) for each in audio_streams(session)] == [["comment"], [], ["visual_impaired"]]
    heard = play_to_file(engine, root, tmp_path / "heard.wav", "--audio", "en")
    levels = heard.levels(0.5, (440, 550, 660))[0]
    assert levels[1] > 10 * max(levels[0], levels[2]), levels
