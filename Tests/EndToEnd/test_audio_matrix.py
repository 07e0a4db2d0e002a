# SPDX-License-Identifier: Apache-2.0
"""Every sound format, for every player: what it becomes, and that it is the same sound at the same time."""

import functools

import pytest
from harness import payloads, sound
from harness.contract import engine_pb2, media_pb2
from harness.places import FIXTURES
from harness.sound import Sound, heard

SURROUND, LOSSLESS = engine_pb2.BRIDGE_MODE_SURROUND, engine_pb2.BRIDGE_MODE_LOSSLESS
MODES = {"surround": SURROUND, "lossless": LOSSLESS}
PROFILES = ["everything", "apple", "chromium", "chromecast"]
FORMATS = FIXTURES / "formats"

# The clip, its codec, its layout, and whether a player of everything takes it as it is.
MATRIX = [
    *((f"pcm_{kind}.mkv", f"pcm_{kind}", "5.1", False) for kind in ("s16le", "s16be", "s24le", "s24be", "s32le", "f32le", "u8")),
    *((f"pcm_{kind}.mov", f"pcm_{kind}", "stereo", False) for kind in ("s16be", "s24be", "s32be", "f32be")),
    ("pcm_bluray.m2ts", "pcm_bluray", "5.1", False), ("pcm_bluray_24.m2ts", "pcm_bluray", "7.1", False),
    ("pcm_dvd.vob", "pcm_dvd", "stereo", False), ("pcm_mono.mkv", "pcm_s16le", "mono", False),
    ("pcm_quad.wav", "pcm_s16le", "quad", False), ("pcm_5.0.wav", "pcm_s16le", "5.0", False),
    ("pcm_6.1.mkv", "pcm_s16le", "6.1", False), ("pcm_7.1.mkv", "pcm_s16le", "7.1", False),
    ("pcm_96k.mkv", "pcm_s24le", "5.1", False), ("pcm.wav", "pcm_s24le", "stereo", False),
    ("pcm.aiff", "pcm_s16be", "stereo", False),
    ("truehd.mkv", "truehd", "5.1", False), ("truehd-stereo.mkv", "truehd", "stereo", False),
    ("mlp.mkv", "mlp", "5.1", False), ("mlp-stereo.mkv", "mlp", "stereo", False),
    ("dts.mkv", "dts", "5.1", False), ("dts-stereo.ts", "dts", "stereo", False),
    ("mp2.mkv", "mp2", "stereo", False), ("mp2.ts", "mp2", "stereo", False),
    ("vorbis.mkv", "vorbis", "5.1", False), ("vorbis.ogg", "vorbis", "stereo", False),
    ("latm.ts", "aac_latm", "stereo", False), ("wmav2.mkv", "wmav2", "stereo", False),
    ("flac.mkv", "flac", "5.1", True), ("flac-24.mkv", "flac", "7.1", True), ("alac.mp4", "alac", "5.1", True),
    ("aac.mkv", "aac", "stereo", True), ("aac-5.1.mkv", "aac", "5.1", True), ("aac-7.1.mp4", "aac", "7.1", True),
    ("aac.ts", "aac", "5.1", True), ("ac3.mkv", "ac3", "5.1", True), ("ac3.ts", "ac3", "stereo", True),
    ("eac3.mkv", "eac3", "5.1", True), ("opus.mkv", "opus", "5.1", True), ("opus-7.1.mkv", "opus", "7.1", True),
    ("mp3.mkv", "mp3", "stereo", True),
]
# Decoders whose output has one right answer, and by how much of full scale FLAC with 24 bits may differ from it.
EXACT = {"pcm_s32le": 2**-23, "pcm_s32be": 2**-23, "pcm_f32le": 2**-23, "pcm_f32be": 2**-23}
EXACT |= {codec: 0 for _, codec, _, _ in MATRIX if codec.startswith("pcm_") and codec not in EXACT}
EXACT |= {codec: 0 for codec in ("truehd", "mlp", "flac", "alac")}
# FFmpeg writes times into these that are wrong by up to 10 ms, so where a sample belongs is not known to the sample.
INEXACT = {"pcm_dvd"}
# Samples in a frame of what sound is bridged to.
FRAMES = {"eac3": 1536, "ac3": 1536, "aac": 1024, "flac": 8192}


def clip(name):
    path = FORMATS / name
    assert path.exists(), f"{name} is missing: run scripts/fixtures-formats"
    return path


@functools.cache
def source(name):
    return Sound(clip(name))


class Served:
    """One sound of a session, and what the session says of it."""

    def __init__(self, session, number=0):
        streams = [each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO]
        self.stream = streams[number]
        self.start = session.state.media.start_us / 1e6
        self.master = session.master()
        assert self.stream.route in ("remux", "bridge"), f"{self.stream.route}: {self.stream.route_reason}"
        self.attributes, self.url = (self.master.renditions or self.master.variants)[number]


# What lossless means differs from surround only where something is bridged; one more player shows that it is the mode.
COMBINATIONS = [(profile, "surround") for profile in PROFILES] + [("everything", "lossless"), ("chromium", "lossless")]


def rows():
    return [pytest.param(*row, *each, id=f"{row[0]}-{'-'.join(each)}") for each in COMBINATIONS for row in MATRIX]


def load(engine, name, profile, mode):
    return engine.session(clip(name), profile=profile, bridge_mode=MODES[mode])


@pytest.mark.parametrize("name, codec, layout, is_copied, profile, mode", rows())
def test_every_sound_arrives(engine, name, codec, layout, is_copied, profile, mode):
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        delivery, theirs = served.stream.delivery, source(name)
        assert served.stream.codec == codec and theirs.layout == layout
        if profile == "everything":
            check_route(served, is_copied, layout, mode)
        ours = heard(served.url)
        assert ours.codec == delivery.codec and ours.channels == delivery.audio.channels
        assert ours.rate == delivery.audio.sample_rate and ours.layout == sound.plain(delivery.audio.channel_layout)
        if served.master.renditions:
            assert served.attributes["CHANNELS"].split("/")[0] == str(ours.channels)
        variant = next(each for each, _ in served.master.variants)
        assert delivery.codec_string in variant["CODECS"].split(",")

        if served.stream.route == "remux":
            assert delivery.codec == codec.replace("aac_latm", "aac")
            check_packets(served, name, codec)
            return
        check_edges(ours, theirs, served)
        if ours.channels == theirs.channels and ours.rate == theirs.rate and codec not in INEXACT:
            assert ours.layout == theirs.layout
            if ours.codec == "flac" and codec in EXACT:
                check_samples(ours, theirs, served, EXACT[codec])
            else:
                check_waveform(ours, theirs, served)
        check_tones(ours, theirs, layout)


def check_route(served, is_copied, layout, mode):
    """The table of docs/formats.md for a player that takes everything."""
    delivery = served.stream.delivery
    if is_copied:
        assert served.stream.route == "remux", served.stream.route_reason
        return
    assert served.stream.route == "bridge" and served.stream.route_reason, served.stream.route_reason
    channels = len(sound.PLACES[layout])
    if mode == "lossless" or channels <= 2:
        assert (delivery.codec, delivery.audio.channels) == ("flac", channels)
    else:
        assert delivery.codec == "eac3" and delivery.audio.channels == min(channels, 6)


def check_packets(served, name, codec):
    ours, theirs = payloads.packets(served.url, 0), payloads.packets(clip(name), served.stream.index)
    wanted = [each for each in theirs if each.time is not None]
    kept, expected = (payloads.canonical(codec, [each.payload for each in found]) for found in (ours, wanted))
    assert kept == expected
    late = [(at, one.time, other.time) for at, (one, other) in enumerate(zip(ours, wanted))
            if abs(one.time - (other.time - served.start)) > 0.002]
    assert not late, late[:5]


def check_edges(ours, theirs, served):
    """Sound begins and ends where it did, within one frame."""
    frame = FRAMES[ours.codec] / ours.rate
    start = theirs.start - served.start
    if served.stream.codec == "wmav2":
        # What its decoder gives first belongs to packets before the one whose time FFmpeg puts on it: sound that begins
        # earlier is where it was, as the later samples show.
        assert served.start - 0.001 <= ours.start <= start + frame, (ours.start, start)
        # Its own frames are as long as that.
        return check_end(ours, theirs, served, frame + 2048 / ours.rate)
    early = round((start - ours.start) * ours.rate)
    # A decoder that gives nothing for its first packets leaves silence.
    silence = max((abs(value) for value in ours.channel(0, 0, max(0, early - ours.rate // 50))), default=0)
    assert ours.start - start < min(frame, 0.02) and silence < 2**21, (ours.start, start, silence)
    check_end(ours, theirs, served, frame)


def check_end(ours, theirs, served, frame):
    assert abs(ours.end - (theirs.end - served.start)) < frame, (ours.end, theirs.end, served.start)


def check_samples(ours, theirs, served, tolerance):
    """Sample by sample, over the whole length and so over every joint between segments."""
    guess, reach = sound.shift_between(ours, theirs, served.start), ours.rate // 500
    limit = round(tolerance * 2**31)
    for shift in sorted(range(guess - reach, guess + reach + 1), key=lambda each: abs(each - guess)):
        first, last = max(0, shift), min(theirs.count, ours.count + shift)
        one = theirs.samples[first * theirs.channels:last * theirs.channels]
        other = ours.samples[(first - shift) * ours.channels:(last - shift) * ours.channels]
        probe = len(one) // 3
        if all(abs(a - b) <= limit for a, b in zip(one[probe:probe + 4096], other[probe:probe + 4096])):
            wrong = next((at for at, (a, b) in enumerate(zip(one, other)) if abs(a - b) > limit), None)
            assert wrong is None, f"sample {wrong // ours.channels} of {theirs.count} differs"
            assert theirs.count - (last - first) <= reach, f"{theirs.count - (last - first)} samples are missing"
            return
    raise AssertionError(f"no shift within {reach} samples of {guess} makes the samples equal")


def check_waveform(ours, theirs, served):
    """The same sound at the same time in every channel: what a lossy encoder changes is little everywhere."""
    guess, reach, window = sound.shift_between(ours, theirs, served.start), ours.rate // 100, ours.rate // 4
    middle = theirs.count // 2

    def fit(shift):
        # A tone alone repeats itself; several of them, in all channels, do not within the reach.
        errors = [sound.difference(ours, theirs, shift, channel, middle, 2048) for channel in range(ours.channels)]
        return round(sum(errors), 3), abs(shift - guess)
    shift = min(range(guess - reach, guess + reach + 1, 4), key=fit)
    shift = min(range(shift - 4, shift + 5), key=fit)
    assert abs(shift - guess) <= ours.rate // 500, f"{shift - guess} samples out of time"
    edge = FRAMES[ours.codec]
    for channel in range(ours.channels):
        for first in range(max(0, shift) + edge, min(theirs.count, ours.count + shift) - window - edge, window):
            error = sound.difference(ours, theirs, shift, channel, first, window)
            assert error < 0.05, f"channel {channel}, {first / ours.rate} s: {error:.1%} of it is something else"


def check_tones(ours, theirs, layout):
    """Each channel's tone is heard where it belongs, or, where channels were mixed down, in some channel."""
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


@pytest.mark.parametrize("profile, mode", COMBINATIONS)
@pytest.mark.parametrize("name", [
    "clap-pcm.mkv", "clap-dts.mkv", "clap-truehd.mkv", "clap-vorbis.mkv", "clap-mp2.ts", "clap-aac.mkv", "clap-ac3.mkv",
    "clap-opus.mkv", "clap-mp3.mkv", "clap-flac.mkv",
])
def test_a_clap_stays_with_its_picture(engine, name, profile, mode):
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        expected = [each - served.start for each in source(name).onsets()]
        assert [round(each, 1) for each in expected] == [1.3, 3.3, 5.3]
        ours = heard(served.url)
        check_onsets(ours.onsets(), expected)
    # After a seek: a player that knows the init segment and one segment in the middle, from an engine that made no other.
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        ours = heard(served.url, 1)
        check_onsets(ours.onsets(), [each for each in expected if ours.start <= each < ours.end - 0.05])
        assert ours.start > 2, "the segment in the middle says itself where it belongs"


def check_onsets(found, expected):
    assert len(found) == len(expected), (found, expected)
    assert all(abs(one - other) < 0.02 for one, other in zip(found, expected)), (found, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("profile", ["everything", "chromium"])
@pytest.mark.parametrize("name, length", [("changing-ac3.ts", 6.0), ("changing-dts.ts", 6.0), ("changing-rate.ts", 5.9)])
def test_sound_that_changes_midway_goes_on(engine, name, length, profile, mode):
    with load(engine, name, profile, mode) as session:
        served = Served(session)
        ours = heard(served.url)
        assert abs(ours.end - ours.start - length) < 0.15
        if served.stream.route == "bridge":
            for at in (1.0, 5.0):
                levels = ours.levels(ours.start + at, [300, 470])
                assert levels[0][0] > 0.05 and levels[1][1] > 0.05, f"{levels} at {at} s"
