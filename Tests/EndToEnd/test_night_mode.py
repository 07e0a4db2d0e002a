# SPDX-License-Identifier: Apache-2.0
"""Night mode, louder dialogue and another loudness: what is served and what the software path plays have the levels that were
asked for, at the same times, in any order and after a restart; without the options nothing changes."""

import json
import math
import re
import subprocess

import grpc
import numpy
import pytest
from harness import sound
from harness.contract import engine_pb2, loudness_pb2, media_pb2
from harness.engine import PATIENCE, eventually
from harness.enginectl import ctl, offline  # noqa: F401, fixtures
from harness.hls import digest
from harness.sound import Sound
from harness.watching import Notices
from test_crash import listens

RATE = 48_000
# The tone of the films, and the levels of their passages, each as long as this.
TONE, QUIET, LOUD, PASSAGE = 997, -50, -10, 4
# How night mode changes tones of these levels, in dB.
NIGHT = {QUIET: 12, LOUD: -9.5}
# A player that supports only FLAC, so that levels are measured as the filters leave them.
ONLY_FLAC = engine_pb2.PlayerProfile(
    formats=["avc1", "fLaC"], max_channels=8, stereo_bridges=["flac"], surround_bridges=["flac"])
# A player of AAC in stereo: surround is mixed, and an odd rate is converted.
STEREO = engine_pb2.PlayerProfile(
    formats=["avc1", "mp4a.40.2"], max_channels=2, stereo_bridges=["aac"], surround_bridges=["aac"])
CENTER, SURROUND = 2, ["FL", "FR", "FC", "LFE", "BL", "BR"]
# The tolerance of levels, in dB.
ACCURACY = 0.3


def ffmpeg(*arguments):
    return subprocess.run(["ffmpeg", "-nostdin", "-hide_banner", "-y", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True, timeout=PATIENCE).stderr


def film(path, tones, seconds, *coding):
    """A film with a keyframe each second."""
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x64:r=25", "-f", "lavfi", "-i", f"aevalsrc={tones}:s={RATE}", "-t", seconds,
           "-c:v", "libx264", "-preset", "ultrafast", "-g", 25, "-bf", 0, "-pix_fmt", "yuv420p", *coding, path)
    return path


def amplitude(level):
    return math.sqrt(2) * 10 ** (level / 20)


def level(samples):
    """The mean square of samples in dB below full scale."""
    return 10 * math.log10(numpy.square(samples / 2**31).mean())


def passages(found):
    """The level of each passage of a film in its last second, where night mode has settled."""
    ends = range(PASSAGE, found.count // found.rate + 1, PASSAGE)
    return [level(found.samples[(end - 1) * found.rate:end * found.rate - 100]) for end in ends]


def measured(path):
    """The integrated loudness and the true peak, as the ffmpeg command finds them."""
    summary = ffmpeg("-i", path, "-map", "0:a:0", "-af", "ebur128=peak=true:framelog=verbose", "-f", "null", "-").split("Summary:")[-1]
    return [float(re.search(rf"\b{name}:\s+(-?[\d.]+|-inf) {unit}", summary)[1]) for name, unit in [("I", "LUFS"), ("Peak", "dBFS")]]


@pytest.fixture(scope="module")
def alternating(tmp_path_factory):
    """Quiet and loud passages in turn, as FLAC, which players receive unchanged."""
    tone = f"(if(mod(floor(t/{PASSAGE})\\,2)\\,{amplitude(LOUD)}\\,{amplitude(QUIET)}))*sin(2*PI*{TONE}*t)"
    return film(tmp_path_factory.mktemp("night") / "alternating.mkv", f"{tone}|{tone}", 6 * PASSAGE, "-c:a", "flac")


@pytest.fixture(scope="module")
def surround(tmp_path_factory):
    """A tone of its own in each channel of 5.1, all of one level."""
    tones = "|".join(f"{amplitude(-30)}*sin(2*PI*{frequency}*t)" for frequency in sound.tones("5.1").values())
    return film(tmp_path_factory.mktemp("surround") / "surround.mkv", f"{tones}:c=5.1", 6, "-c:a", "flac")


def audio_of(session):
    return next(each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO)


def audio_url(session):
    return next(url for attributes, url in session.master().renditions if attributes["TYPE"] == "AUDIO")


def treatment(**fields):
    return {"sound": engine_pb2.SoundTreatment(**fields)}


def digests(urls):
    """By the part of the URL after the token."""
    return {url.split("/", 4)[4]: digest(url) for url in urls}


def served(engine, path, options):
    """The description of the audio stream, and the audio that is served."""
    with engine.session(path, **options) as session:
        return audio_of(session), sound.load_served(audio_url(session))


def played(ctl, path, wave, *options):
    """The audio that the software path plays."""
    ctl("play", str(path), "--realtime=false", "--sink", f"wav:{wave}", *options)
    return Sound(wave)


# MARK: Night mode


def test_quiet_passages_become_louder_and_loud_ones_quieter(engine, alternating):
    before = passages(Sound(alternating))
    assert [round(each) for each in before] == [QUIET, LOUD] * 3
    stream, found = served(engine, alternating, treatment(night_mode=True))
    assert (stream.route, stream.delivery.codec) == ("bridge", "flac") and "night mode" in stream.route_reason
    for passage, was in zip(passages(found), before, strict=True):
        assert abs(passage - was - NIGHT[round(was)]) < ACCURACY
    assert measured(found.path)[1] <= -1


@pytest.mark.long
def test_the_software_path_plays_the_same_levels(ctl, alternating, tmp_path):
    plain = played(ctl, alternating, tmp_path / "plain.wav")
    night = played(ctl, alternating, tmp_path / "night.wav", "--night-mode")
    assert night.count == plain.count == Sound(alternating).count
    for passage, was in zip(passages(night), passages(plain), strict=True):
        assert abs(passage - was - NIGHT[round(was)]) < ACCURACY
    assert measured(night.path)[1] <= -1


@pytest.mark.long
def test_no_sample_moves(engine, ctl, tmp_path):
    # Silence and bursts of 0.4 s.
    clap = "if(lt(mod(t\\,2)\\,1.6)\\,0\\,0.8*sin(2*PI*3000*t))"
    path = film(tmp_path / "claps.mkv", f"{clap}|{clap}", 8, "-c:a", "flac")
    source = Sound(path)
    options = treatment(night_mode=True, dialogue_db=6)
    _, found = served(engine, path, options | {"segment_target_us": 1_000_000})
    wave = played(ctl, path, tmp_path / "claps.wav", "--night-mode", "--dialogue", "6")
    assert found.count == wave.count == source.count
    onsets = source.onsets(0.1)
    assert len(onsets) == 4
    for other in (found, wave):
        assert numpy.allclose(numpy.array(other.onsets(0.1)) - other.start, numpy.array(onsets) - source.start, atol=0.0005)


# The audio of sources: lossless; remuxed if the options are off; of an odd rate; of more channels than the player has.
SOURCES = {"flac": ["-c:a", "flac"], "aac": ["-c:a", "aac", "-b:a", "192k"],
           "rate": ["-c:a", "pcm_s16le", "-ar", "11111"], "surround": ["-c:a", "ac3", "-ac", "6"]}


@pytest.mark.long
@pytest.mark.parametrize("name", SOURCES)
def test_bytes_do_not_depend_on_order_seeks_or_process(engine, start_engine, tmp_path, name):
    tone = "0.9*sin(2*PI*440*t)*if(lt(mod(t\\,1.7)\\,0.9)\\,0.02\\,1)"
    path = film(tmp_path / f"{name}.mkv", f"{tone}|{tone}", 14, *SOURCES[name])
    options = treatment(night_mode=True, dialogue_db=4) | {"segment_target_us": 1_000_000, "custom_profile": STEREO}
    with engine.session(path, **options) as session:
        assert audio_of(session).route == "bridge"
        linear = digests(session.master().everything())
    other = start_engine()
    session = other.load(path, **options)
    urls = session.master().everything()
    # Only the last segment of each track, before any other; then backwards.
    assert digests(urls[-1:]).items() <= linear.items()
    assert digests(reversed(urls)) == linear
    eventually(lambda: other.has_journaled("nightMode"), "the journal")
    other.kill()
    other = start_engine(directory=other.directory)
    eventually(lambda: listens(session.url), "the port to be taken again")
    assert digests(session.master().everything()) == linear
    with engine.session(path, segment_target_us=1_000_000, custom_profile=STEREO) as plain:
        assert digests(plain.master().everything()) != linear


def test_without_the_options_audio_is_copied(engine, alternating):
    with engine.session(alternating) as plain, engine.session(alternating, **treatment()) as empty:
        assert audio_of(plain).route == audio_of(empty).route == "remux"
        assert digests(plain.master().everything()) == digests(empty.master().everything())


@pytest.mark.long
def test_joints_are_inaudible(engine, alternating):
    """Short segments, each with filters that start again, have the samples of one long segment."""
    options = treatment(night_mode=True) | {"custom_profile": ONLY_FLAC}
    _, long = served(engine, alternating, options | {"segment_target_us": 60_000_000})
    _, short = served(engine, alternating, options | {"segment_target_us": 1_000_000})
    assert short.count == long.count
    # Two steps of the 16 bits that are served.
    assert not len(sound.differing_samples(short.samples, long.samples, 2 * 2**16))


# MARK: Dialogue


@pytest.mark.long
@pytest.mark.parametrize("lift", [3, 9])
def test_dialogue_in_the_centre_becomes_louder(engine, ctl, surround, tmp_path, lift):
    stream, found = served(engine, surround, treatment(dialogue_db=lift) | {
        "custom_profile": ONLY_FLAC, "bridge_mode": engine_pb2.BRIDGE_MODE_LOSSLESS})
    assert stream.route == "bridge" and "dialogue" in stream.route_reason
    wave = played(ctl, surround, tmp_path / "surround.wav", "--dialogue", str(lift))
    source = Sound(surround)
    for other in (found, wave):
        for channel in range(len(SURROUND)):
            change = level(other.samples[RATE:4 * RATE, channel]) - level(source.samples[RATE:4 * RATE, channel])
            assert abs(change - (lift if channel == CENTER else 0)) < 0.1, SURROUND[channel]


@pytest.mark.long
def test_dialogue_is_louder_also_after_a_mix(engine, surround):
    def levels(options):
        _, found = served(engine, surround, options | {"custom_profile": STEREO})
        assert found.channels == 2
        tones = sound.tones("5.1")
        center, left = found.levels(found.start + 2, [tones["FC"], tones["FL"]])[0]
        return 20 * math.log10(center / left)

    assert abs(levels(treatment(dialogue_db=6)) - levels({}) - 6) < ACCURACY


@pytest.mark.long
def test_speech_in_the_middle_of_stereo_becomes_louder(engine, tmp_path):
    # The middle, at the centre of the band of speech and below it; the sides, in that band.
    middle, side = "0.03*sin(2*PI*1500*t)+0.03*sin(2*PI*60*t)", "0.03*sin(2*PI*1700*t)"
    path = film(tmp_path / "stereo.mkv", f"{middle}+{side}|{middle}-{side}", 6, "-c:a", "flac")
    _, found = served(engine, path, treatment(dialogue_db=6) | {"custom_profile": ONLY_FLAC})
    source = Sound(path)
    for channel in range(2):
        for frequency, change in [(1500, 6), (60, 0), (1700, 0)]:
            one = found.levels(found.start + 2, [frequency], 1)[channel][0]
            other = source.levels(source.start + 2, [frequency], 1)[channel][0]
            assert abs(20 * math.log10(one / other) - change) < ACCURACY, frequency


# MARK: Loudness


def measure(engine, path):
    call = engine.stub.MeasureLoudness(loudness_pb2.MeasureLoudnessRequest(source=str(path)), timeout=PATIENCE)
    return list(call)[-1].loudness.integrated_lufs


@pytest.fixture
def soft(tmp_path):
    """A film of about -33 LUFS."""
    tone = f"0.022*sin(2*PI*{TONE}*t)"
    return film(tmp_path / "soft.mkv", f"{tone}|{tone}", 10, "-c:a", "flac")


@pytest.mark.long
@pytest.mark.parametrize("target", [-23, -16])
def test_a_measured_track_gets_the_wanted_loudness(start_engine, soft, target):
    engine = start_engine()
    assert abs(measure(engine, soft) + 33) < 1
    stream, found = served(engine, soft, treatment(loudness_lufs=target))
    assert stream.route == "bridge" and "loudness" in stream.route_reason
    loudness, peak = measured(found.path)
    assert abs(loudness - target) <= ACCURACY and peak <= -1


@pytest.mark.long
def test_peaks_are_limited_where_the_wanted_loudness_is_high(start_engine, tmp_path):
    engine = start_engine()
    # Soft, with short bursts almost at full scale.
    tone = f"(0.01+0.89*lt(mod(t\\,2)\\,0.02))*sin(2*PI*{TONE}*t)"
    path = film(tmp_path / "bursts.mkv", f"{tone}|{tone}", 10, "-c:a", "flac")
    assert measure(engine, path) < -12
    _, found = served(engine, path, treatment(loudness_lufs=-10))
    assert -3 < measured(found.path)[1] <= -1


@pytest.mark.long
def test_a_track_that_was_not_measured_keeps_its_level_also_after_a_restart(start_engine, soft):
    engine = start_engine()
    notices = Notices(engine)
    session = engine.load(soft, **treatment(loudness_lufs=-23))
    assert audio_of(session).route == "remux"
    eventually(lambda: "audio.not_measured" in notices.codes, "the notice")
    assert notices.codes.count("audio.not_measured") == 1 and "has not been measured" in "".join(notices.texts)
    notices.end()
    before = digests(session.master().everything())
    with engine.session(soft) as plain:
        assert digests(plain.master().everything()) == before
    # A measurement that is made later applies to later loads.
    measure(engine, soft)
    eventually(lambda: engine.has_journaled('"levels"'), "the journal")
    engine.kill()
    engine = start_engine(directory=engine.directory)
    eventually(lambda: listens(session.url), "the port to be taken again")
    assert digests(session.master().everything()) == before
    with engine.session(soft, **treatment(loudness_lufs=-23)) as leveled:
        assert audio_of(leveled).route == "bridge"


@pytest.mark.long
def test_a_leveled_session_is_restored_without_its_measurement(start_engine, soft):
    engine = start_engine()
    measure(engine, soft)
    session = engine.load(soft, **treatment(loudness_lufs=-20))
    before = digests(session.master().everything())
    eventually(lambda: engine.has_journaled('"levels"'), "the journal")
    for kept in (engine.directory / "cache").rglob("loudness/*"):
        kept.unlink()
    engine.kill()
    engine = start_engine(directory=engine.directory)
    eventually(lambda: listens(session.url), "the port to be taken again")
    assert digests(session.master().everything()) == before


@pytest.mark.long
def test_the_software_path_plays_the_wanted_loudness(ctl, soft, tmp_path):
    wave = played(ctl, soft, tmp_path / "soft.wav", "--loudness", "-23", "--measure")
    loudness, peak = measured(wave.path)
    assert abs(loudness + 23) <= ACCURACY and peak <= -1


# MARK: Options


@pytest.mark.parametrize("fields", [
    {"dialogue_db": 12.5}, {"dialogue_db": -1}, {"dialogue_db": math.nan}, {"loudness_lufs": -9}, {"loudness_lufs": -41},
    {"loudness_lufs": 3}, {"loudness_lufs": math.nan}, {"loudness_lufs": -math.inf},
], ids=str)
def test_invalid_values_are_refused(engine, alternating, fields):
    with pytest.raises(grpc.RpcError) as failure:
        engine.load(alternating, **treatment(**fields))
    assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert f"sound.{next(iter(fields))}" in failure.value.details()


def test_enginectl_takes_the_options(ctl, soft):
    streams = json.loads(ctl("probe", str(soft), "--night-mode", "--json"))["streams"]
    assert next(each for each in streams if each["kind"] == "audio")["route"] == "bridge"
    assert ctl("load", str(soft), "--night-mode", "--dialogue", "4.5", "--loudness", "-20", "--measure")
    assert ctl.engine.has_journaled("nightMode") and list((ctl.engine.directory / "cache").rglob("loudness/*"))
    audio = next(each for each in ctl.engine.state().media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO)
    assert "night mode" in audio.route_reason and "dialogue" in audio.route_reason
    for wrong in (["--dialogue", "13"], ["--loudness", "-5"], ["--loudness", "loud"], ["--measure"]):
        ctl("load", str(soft), *wrong, expect=64)


@pytest.mark.long
def test_play_takes_the_options_without_a_running_engine(offline, alternating, tmp_path):
    wave = tmp_path / "night.wav"
    offline("play", str(alternating), "--realtime=false", "--sink", f"wav:{wave}", "--night-mode")
    assert abs(passages(Sound(wave))[0] - QUIET - NIGHT[QUIET]) < ACCURACY
