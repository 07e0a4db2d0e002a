# SPDX-License-Identifier: Apache-2.0
"""Every audio format, for every player: how it is delivered, and that it is the same audio at the same time."""

import functools
from typing import NamedTuple

import pytest
from harness import payloads, sound
from harness.contract import engine_pb2, media_pb2
from harness.places import FIXTURES
from harness.sound import Sound, load_served

SURROUND, LOSSLESS = engine_pb2.BRIDGE_MODE_SURROUND, engine_pb2.BRIDGE_MODE_LOSSLESS
MODES = {"surround": SURROUND, "lossless": LOSSLESS}
PROFILES = ["everything", "apple", "chromium", "firefox", "chromecast", "chromecast-surround"]
FORMATS = FIXTURES / "formats"

# Each clip, its codec and its layout.
MATRIX = [
    *((f"pcm_{kind}.mkv", f"pcm_{kind}", "5.1") for kind in ("s16le", "s16be", "s24le", "s24be", "s32le", "f32le", "u8")),
    *((f"pcm_{kind}.mov", f"pcm_{kind}", "stereo") for kind in ("s16be", "s24be", "s32be", "f32be")),
    ("pcm_bluray.m2ts", "pcm_bluray", "5.1"), ("pcm_bluray_24.m2ts", "pcm_bluray", "7.1"),
    ("pcm_dvd.vob", "pcm_dvd", "stereo"), ("pcm_mono.mkv", "pcm_s16le", "mono"),
    ("pcm_quad.wav", "pcm_s16le", "quad"), ("pcm_5.0.wav", "pcm_s16le", "5.0"),
    ("pcm_6.1.mkv", "pcm_s16le", "6.1"), ("pcm_7.1.mkv", "pcm_s16le", "7.1"),
    ("pcm_96k.mkv", "pcm_s24le", "5.1"), ("pcm.wav", "pcm_s24le", "stereo"),
    ("pcm.aiff", "pcm_s16be", "stereo"),
    ("truehd.mkv", "truehd", "5.1"), ("truehd-stereo.mkv", "truehd", "stereo"),
    ("mlp.mkv", "mlp", "5.1"), ("mlp-stereo.mkv", "mlp", "stereo"),
    ("dts.mkv", "dts", "5.1"), ("dts-stereo.ts", "dts", "stereo"),
    ("mp2.mkv", "mp2", "stereo"), ("mp2.ts", "mp2", "stereo"),
    ("vorbis.mkv", "vorbis", "5.1"), ("vorbis.ogg", "vorbis", "stereo"),
    ("latm.ts", "aac_latm", "stereo"), ("wmav2.mkv", "wmav2", "stereo"),
    ("flac.mkv", "flac", "5.1"), ("flac-24.mkv", "flac", "7.1"), ("alac.mp4", "alac", "5.1"),
    ("aac.mkv", "aac", "stereo"), ("aac-5.1.mkv", "aac", "5.1"), ("aac-7.1.mp4", "aac", "7.1"),
    ("aac.ts", "aac", "5.1"), ("ac3.mkv", "ac3", "5.1"), ("ac3.ts", "ac3", "stereo"),
    ("eac3.mkv", "eac3", "5.1"), ("opus.mkv", "opus", "5.1"), ("opus-7.1.mkv", "opus", "7.1"),
    ("mp3.mkv", "mp3", "stereo"),
]
# Sample rates other than 48,000.
RATES = {"pcm_96k.mkv": 96_000}
# Decoders whose output is fully specified, and by how much of full scale 24-bit FLAC may differ from it.
EXACT = {"pcm_s32le": 2**-23, "pcm_s32be": 2**-23, "pcm_f32le": 2**-23, "pcm_f32be": 2**-23}
EXACT |= {codec: 0 for _, codec, _ in MATRIX if codec.startswith("pcm_") and codec not in EXACT}
EXACT |= {codec: 0 for codec in ("truehd", "mlp", "flac", "alac")}
# FFmpeg writes times into these that are wrong by up to 10 ms, so the position of a sample is not known exactly.
INEXACT = {"pcm_dvd"}
# Samples per frame of the formats to which audio is bridged.
FRAMES = {"eac3": 1536, "ac3": 1536, "aac": 1024, "flac": 8192}


def clip(name):
    path = FORMATS / name
    assert path.exists(), f"{name} is missing: run scripts/fixtures-formats"
    return path


@functools.cache
def source(name):
    return Sound(clip(name))


class Served:
    """One audio track of a session, and its description in the session's state."""

    def __init__(self, session, number=0):
        streams = [each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO]
        self.stream = streams[number]
        self.start = session.state.media.start_us / 1e6
        self.master = session.master()
        assert self.stream.route in ("remux", "bridge"), f"{self.stream.route}: {self.stream.route_reason}"
        self.attributes, self.url = (self.master.renditions or self.master.variants)[number]


# The rules of docs/formats.md: which codecs each player accepts, up to how many channels, and what everything else is
# encoded to, with at most two channels and with more. In lossless mode everything else is encoded to FLAC.
REMUXED = {
    "everything": {"aac", "ac3", "eac3", "flac", "alac", "opus", "mp3"}, "apple": {"aac", "ac3", "eac3", "flac", "alac", "mp3"},
    "chromium": {"aac", "flac", "opus"}, "firefox": {"aac", "flac", "opus"}, "chromecast": {"aac", "flac", "opus", "mp3"},
    "chromecast-surround": {"aac", "ac3", "eac3", "flac", "opus", "mp3"},
}
MOST_CHANNELS = {"everything": 8, "apple": 8, "chromium": 8, "firefox": 8, "chromecast": 6, "chromecast-surround": 6}
BRIDGES = {"everything": ("flac", "eac3"), "apple": ("aac", "eac3"), "chromium": ("flac", "aac"), "firefox": ("flac", "aac"),
           "chromecast": ("aac", "aac"), "chromecast-surround": ("aac", "eac3")}
# Lossless differs from surround only for bridged audio; one additional player shows that the mode causes the
# difference.
COMBINATIONS = [(profile, "surround") for profile in PROFILES] + [("everything", "lossless"), ("chromium", "lossless")]


class Delivery(NamedTuple):
    """The delivery of a clip: `remux` or the codec that it is bridged to, its number of channels and its sample rate."""

    name: str
    channels: int
    rate: int


def expected_delivery(name, codec, layout, profile, mode):
    channels, rate = len(sound.PLACES[layout]), RATES.get(name, 48_000)
    if codec in REMUXED[profile] and channels <= MOST_CHANNELS[profile]:
        return Delivery("remux", channels, rate)
    target = "flac" if mode == "lossless" else BRIDGES[profile][channels > 2]
    if target == "flac":
        return Delivery(target, channels, rate)
    # AAC has no quad layout, so a centre is added; E-AC-3 supports at most 48 kHz.
    rate = min(rate, 48_000) if target == "eac3" else rate
    return Delivery(target, 5 if (target, layout) == ("aac", "quad") else min(channels, 6), rate)


def rows():
    """Each clip once for each delivery that some player and mode leads to: the bytes are the same for every such
    player.

    In the lean tier, DTS and the PCM of DVDs are bridged to FLAC, which tests their decoders sample by sample; `test_joints.py`
    does so for others. FLAC also has 7.1 once. Any other encoder receives the same samples whatever the decoder is, so it runs
    once for 5.1, and E-AC-3, which has at most 5.1, once for 7.1. AC-3 is remuxed; `test_fidelity.py` remuxes others.
    """
    found, deliveries, decoders, layouts = [], set(), set(), set()
    for profile, mode in COMBINATIONS:
        for name, codec, layout in MATRIX:
            expected_form = expected_delivery(name, codec, layout, profile, mode)
            if (name, expected_form) in deliveries:
                continue
            plain = "pcm" if codec.startswith("pcm_") and codec not in ("pcm_bluray", "pcm_dvd") else codec
            decoder, placed = (expected_form.name, plain), (expected_form.name, layout)
            if expected_form.name in ("remux", "flac"):
                is_lean = decoder not in decoders and decoder in (("remux", "ac3"), ("flac", "dts"), ("flac", "pcm_dvd")) \
                    or expected_form.name == "flac" and placed not in layouts and layout == "7.1"
            else:
                is_lean = placed not in layouts and (layout == "5.1" or (expected_form.name, layout) == ("eac3", "7.1"))
            deliveries.add((name, expected_form))
            decoders.add(decoder)
            layouts.add(placed)
            found.append(pytest.param(
                name, codec, layout, profile, mode, id=f"{name}-{profile}-{mode}", marks=[] if is_lean else pytest.mark.long))
    return found


def load(engine, name, profile, mode):
    return engine.session(clip(name), profile=profile, bridge_mode=MODES[mode])


def check_delivery(stream, name, codec, layout, profile, mode):
    """Checks that the stream is delivered as `expected_delivery` specifies."""
    expected_form, delivery = expected_delivery(name, codec, layout, profile, mode), stream.delivery
    assert stream.codec == codec and stream.route_reason
    expected = ("remux", codec) if expected_form.name == "remux" else ("bridge", expected_form.name)
    assert (stream.route, delivery.codec) == expected, stream.route_reason
    assert (delivery.audio.channels, delivery.audio.sample_rate) == (expected_form.channels, expected_form.rate)


# The unit tests of the routing table check the first choice for each player.
@pytest.mark.long
@pytest.mark.parametrize("profile, mode", COMBINATIONS)
def test_every_format_is_delivered_as_documented_to_every_player(engine, profile, mode):
    for name, codec, layout in MATRIX:
        with load(engine, name, profile, mode) as session:
            check_delivery(Served(session).stream, name, codec, layout, profile, mode)


@pytest.mark.parametrize("name, codec, layout, profile, mode", rows())
def test_every_audio_format_is_delivered_intact(engine, name, codec, layout, profile, mode):
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        delivery = served.stream.delivery
        check_delivery(served.stream, name, codec, layout, profile, mode)
        ours = load_served(served.url)
        assert ours.codec == delivery.codec and ours.channels == delivery.audio.channels
        assert ours.rate == delivery.audio.sample_rate and ours.layout == sound.plain(delivery.audio.channel_layout)
        if served.master.renditions:
            assert served.attributes["CHANNELS"].split("/")[0] == str(ours.channels)
        variant = next(each for each, _ in served.master.variants)
        assert delivery.codec_string in variant["CODECS"].split(",")

        if served.stream.route == "remux":
            assert ours.layout == layout
            check_packets(ours, served, name, codec)
            return
        theirs = source(name)
        assert theirs.layout == layout
        check_edges(ours, theirs, served)
        if ours.channels == theirs.channels and ours.rate == theirs.rate and codec not in INEXACT:
            assert ours.layout == theirs.layout
            if ours.codec == "flac" and codec in EXACT:
                check_samples(ours, theirs, served, EXACT[codec])
            else:
                check_waveform(ours, theirs, served)
        check_tones(ours, theirs, layout)


def check_packets(delivered, served, name, codec):
    ours, theirs = payloads.packets(delivered.path, 0), payloads.packets(clip(name), served.stream.index)
    wanted = [each for each in theirs if each.time is not None]
    kept, expected = (payloads.canonical(codec, [each.payload for each in found]) for found in (ours, wanted))
    assert kept == expected
    late = [(at, one.time, other.time) for at, (one, other) in enumerate(zip(ours, wanted))
            if abs(one.time - (other.time - served.start)) > 0.002]
    assert not late, late[:5]


def check_edges(ours, theirs, served):
    """Audio begins and ends where it did in the source, within one frame."""
    frame = FRAMES[ours.codec] / ours.rate
    start = theirs.start - served.start
    if served.stream.codec == "wmav2":
        # The decoder's first output belongs to packets before the one whose time FFmpeg assigns to it: audio that
        # begins earlier is correct, as the later samples show.
        assert served.start - 0.001 <= ours.start <= start + frame, (ours.start, start)
        # A WMA frame has 2048 samples.
        return check_end(ours, theirs, served, frame + 2048 / ours.rate)
    early = round((start - ours.start) * ours.rate)
    # A decoder that returns nothing for its first packets leaves silence.
    silence = ours.peak(0, max(0, early - ours.rate // 50))
    assert ours.start - start < min(frame, 0.02) and silence < 2**21, (ours.start, start, silence)
    check_end(ours, theirs, served, frame)


def check_end(ours, theirs, served, frame):
    assert abs(ours.end - (theirs.end - served.start)) < frame, (ours.end, theirs.end, served.start)


def check_samples(ours, theirs, served, tolerance):
    """Sample by sample, over the whole length and therefore over every joint between segments."""
    guess, reach = sound.shift_between(ours, theirs, served.start), ours.rate // 500
    limit = round(tolerance * 2**31)
    for shift in sorted(range(guess - reach, guess + reach + 1), key=lambda each: abs(each - guess)):
        first, last = max(0, shift), min(theirs.count, ours.count + shift)
        one, other = theirs.samples[first:last], ours.samples[first - shift:last - shift]
        probe = slice(len(one) // 3, len(one) // 3 + 1024)
        if len(sound.differing_samples(one[probe], other[probe], limit)) == 0:
            wrong = sound.differing_samples(one, other, limit)
            assert len(wrong) == 0, f"{len(wrong)} of {theirs.count} samples differ, the first is {first + wrong[0]}"
            assert theirs.count - (last - first) <= reach, f"{theirs.count - (last - first)} samples are missing"
            return
    raise AssertionError(f"no shift within {reach} samples of {guess} makes the samples equal")


def check_waveform(ours, theirs, served):
    """The same audio at the same time in every channel: a lossy encoder changes little anywhere."""
    guess, reach, window = sound.shift_between(ours, theirs, served.start), ours.rate // 100, ours.rate // 4
    middle = theirs.count // 2

    def fit(shift):
        # A single tone repeats itself; several of them, in all channels, do not within the search range.
        return round(sound.differences(ours, theirs, shift, middle, 2048).sum(), 3), abs(shift - guess)
    shift = min(range(guess - reach, guess + reach + 1, 4), key=fit)
    shift = min(range(shift - 4, shift + 5), key=fit)
    assert abs(shift - guess) <= ours.rate // 500, f"{shift - guess} samples out of time"
    edge = FRAMES[ours.codec]
    for first in range(max(0, shift) + edge, min(theirs.count, ours.count + shift) - window - edge, window):
        errors = sound.differences(ours, theirs, shift, first, window)
        assert (errors < 0.05).all(), f"{first / ours.rate} s: these fractions of the channels differ: {errors}"


def check_tones(ours, theirs, layout):
    """Each channel's tone is heard in its place or, if channels were mixed down, in some channel."""
    given = list(sound.tones(layout).values())
    places, sources = sound.PLACES[ours.layout], sound.PLACES[layout]
    for at in (1.0, 3.75, 5.0):
        levels, wanted = ours.levels(ours.start + at, given), theirs.levels(theirs.start + at, given)
        if len(places) == len(sources):
            for place, found, expected in zip(places, levels, wanted):
                own = found[sources.index(place)]
                assert own > 0.8 * expected[sources.index(place)], f"{place} at {at} s: {found} for {expected}"
                more = [one - other for one, other in zip(found, expected) if one is not own]
                assert all(own > 5 * each for each in more), f"{place} at {at} s: {found} for {expected}"
            continue
        for number, tone in enumerate(given):
            loudest = max(found[number] for found in levels)
            assert loudest > 0.02 or tone == sound.LFE_TONE, f"{tone} Hz are not heard at {at} s"
        for place in ("FL", "FR", "FC"):
            if place in places and place in sources:
                found = levels[places.index(place)]
                assert found[sources.index(place)] == max(found), f"{place} at {at} s: {found}"


CLAPS = [
    ("clap-pcm.mkv", "pcm_s16le"), ("clap-dts.mkv", "dts"), ("clap-truehd.mkv", "truehd"), ("clap-vorbis.mkv", "vorbis"),
    ("clap-mp2.ts", "mp2"), ("clap-aac.mkv", "aac"), ("clap-ac3.mkv", "ac3"), ("clap-opus.mkv", "opus"), ("clap-mp3.mkv", "mp3"),
    ("clap-flac.mkv", "flac"),
]


def claps():
    """Each clip once for each delivery. The lean tier has all deliveries of a lossless clip, and one clip that is remuxed."""
    found, deliveries = [], set()
    for profile, mode in COMBINATIONS:
        for name, codec in CLAPS:
            expected_form = expected_delivery(name, codec, "stereo", profile, mode)
            if (name, expected_form) in deliveries:
                continue
            is_lean = name == "clap-pcm.mkv" or name == "clap-aac.mkv" and expected_form.name == "remux"
            deliveries.add((name, expected_form))
            found.append(pytest.param(
                name, profile, mode, id=f"{name}-{profile}-{mode}", marks=[] if is_lean else pytest.mark.long))
    return found


@pytest.mark.parametrize("name, profile, mode", claps())
def test_audio_stays_in_sync_with_video(engine, name, profile, mode):
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        expected = [each - served.start for each in source(name).onsets()]
        assert [round(each, 1) for each in expected] == [1.3, 3.3, 5.3]
        ours = load_served(served.url)
        check_onsets(ours.onsets(), expected)
    # As after a seek: the player has only the init segment and one segment in the middle, from an engine that has made
    # no other segment.
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        ours = load_served(served.url, 1)
        check_onsets(ours.onsets(), [each for each in expected if ours.start <= each < ours.end - 0.05])
        assert ours.start > 2, "the segment in the middle says itself where it belongs"


def check_onsets(found, expected):
    assert len(found) == len(expected), (found, expected)
    assert all(abs(one - other) < 0.02 for one, other in zip(found, expected)), (found, expected)


@pytest.mark.parametrize("name, length, profile, mode", [
    ("changing-ac3.ts", 6.0, "everything", "surround"),
    pytest.param("changing-ac3.ts", 6.0, "chromium", "surround", marks=pytest.mark.long),
    pytest.param("changing-ac3.ts", 6.0, "chromium", "lossless", marks=pytest.mark.long),
    pytest.param("changing-dts.ts", 6.0, "everything", "surround", marks=pytest.mark.long),
    pytest.param("changing-dts.ts", 6.0, "everything", "lossless", marks=pytest.mark.long),
    pytest.param("changing-dts.ts", 6.0, "chromium", "surround", marks=pytest.mark.long),
    ("changing-rate.ts", 5.9, "everything", "surround"),
])
def test_audio_continues_across_a_format_change(engine, name, length, profile, mode):
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        ours = load_served(served.url)
        assert abs(ours.end - ours.start - length) < 0.15
        if served.stream.route == "bridge":
            for at in (1.0, 5.0):
                levels = ours.levels(ours.start + at, [300, 470])
                assert levels[0][0] > 0.05 and levels[1][1] > 0.05, f"{levels} at {at} s"
