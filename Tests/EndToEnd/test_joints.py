# SPDX-License-Identifier: Apache-2.0
"""Bridged audio equals one decode of the whole file, sample by sample: segment boundaries are inaudible."""

import pytest
from harness import hls, sound
from harness.contract import engine_pb2, media_pb2
from harness.payloads import run
from harness.places import SAMPLES as REAL, clip
from harness.sound import Sound

ANDROIDX = "androidx+media"
# One step of 16 bits, in which lossy sources are bridged, in 32-bit samples.
STEP = 2**16
# A player that supports only FLAC, so that everything else must be bridged to it.
ONLY_FLAC = engine_pb2.PlayerProfile(
    formats=["avc1", "hvc1", "fLaC"], max_channels=8, stereo_bridges=["flac"], surround_bridges=["flac"])

# The file, its codec and channels, and by how much a sample may differ. The lean tier has decoders of every kind: without state,
# with state that a few frames restore, and with an overlap between frames.
SAMPLES = [
    (f"{ANDROIDX}/mkv/sample_with_dts_hd_ma.mkv", "dts", 8, 0),
    # HE-AACv2 with ADTS headers, which no configuration declares.
    ("shaka-project+shaka-player/test/test/assets/id3-metadata.ts", "aac", 2, STEP),
]
MORE_SAMPLES = [
    (f"{ANDROIDX}/mkv/sample_with_dts.mkv", "dts", 6, STEP), (f"{ANDROIDX}/mp4/sample_alac.mp4", "alac", 1, 0),
    (f"{ANDROIDX}/wav/sine_24le.wav", "pcm_s24le", 1, 0), (f"{ANDROIDX}/ogg/bear_vorbis.ogg", "vorbis", 2, STEP),
]
CLIPS = [
    ("truehd.mkv", "truehd", 6, 0), ("pcm_s24be.mkv", "pcm_s24be", 6, 0), ("mp2.ts", "mp2", 2, STEP), ("vorbis.mkv", "vorbis", 6, STEP),
    ("aac.mkv", "aac", 2, STEP),
]
MORE_CLIPS = [
    ("alac.mp4", "alac", 6, 0), ("dts.mkv", "dts", 6, STEP), ("mp3.mkv", "mp3", 2, STEP), ("latm.ts", "aac_latm", 2, STEP),
    ("wmav2.mkv", "wmav2", 2, STEP),
    ("truehd-stereo.mkv", "truehd", 2, 0), ("mlp.mkv", "mlp", 6, 0), ("pcm_bluray_24.m2ts", "pcm_bluray", 8, 0),
    ("vorbis.ogg", "vorbis", 2, STEP),
]


def rows(lean, others):
    marked = [(each, ()) for each in lean] + [(each, pytest.mark.long) for each in others]
    return [pytest.param(*each, marks=marks, id=each[0].split("/")[-1]) for each, marks in marked]


def sample(name):
    path = REAL / name
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return path


def served(engine, path, codec, channels):
    """The audio of a file as FLAC, in segments as short as its keyframes allow; the start of the media in seconds; and
    the number of segments."""
    with engine.session(path, bridge_mode=engine_pb2.BRIDGE_MODE_LOSSLESS, custom_profile=ONLY_FLAC,
                        segment_target_us=1_000_000) as session:
        stream = next(each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO)
        assert (stream.codec, stream.route, stream.delivery.codec) == (codec, "bridge", "flac"), stream.route_reason
        assert stream.audio.channels == stream.delivery.audio.channels == channels
        master = session.master()
        url = (master.renditions or master.variants)[0][1]
        return sound.load_served(url), session.state.media.start_us / 1e6, len(hls.Media.complete(url).segments)


def check(ours, theirs, start, tolerance):
    guess, reach = sound.shift_between(ours, theirs, start), ours.rate // 500
    middle = min(ours.count, theirs.count) // 2

    def wrong(shift, first, count):
        """The first sample that differs, if any."""
        one, other = ours.samples[first:first + count], theirs.samples[first + shift:first + shift + count]
        found = sound.differing_samples(one, other, tolerance)
        return first + int(found[0]) if len(found) else None

    shift = next((each for each in sorted(range(guess - reach, guess + reach + 1), key=lambda each: abs(each - guess))
                  if wrong(each, middle, 2048) is None), None)
    assert shift is not None, f"no shift near {guess} makes the middle equal"
    first, last = max(0, -shift), min(ours.count, theirs.count - shift)
    found = wrong(shift, first, last - first)
    assert found is None, f"sample {found} of {ours.count} differs, {found / ours.rate:.3f} s"
    assert last - first > 0.98 * theirs.count


@pytest.mark.parametrize("path, codec, channels, tolerance", rows(SAMPLES, MORE_SAMPLES))
def test_bridged_samples_equal_one_decode_of_the_file(engine, path, codec, channels, tolerance):
    source = sample(path)
    ours, start, _ = served(engine, source, codec, channels)
    check(ours, Sound(source), start, tolerance)


# The shortest part is longer than the step back that shows a new clock (docs/hls.md).
@pytest.mark.parametrize("encoder, ending, shortest", [
    ("libvorbis", "ogg", 0.7), ("libopus", "ogg", 0.7), ("flac", "ogg", 0.7), ("aac", "ts", 1.7)])
def test_joined_audio_is_played_to_its_end(engine, tmp_path, encoder, ending, shortest):
    parts = [tmp_path / f"{number}.{ending}" for number in range(4)]
    frequencies = [300, 500, 700, 900]
    for part, frequency, length in zip(parts, frequencies, (6.1, shortest, 4.2, 3.3)):
        tone = f"sine=frequency={frequency}:sample_rate=48000:duration={length}"
        run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", tone, "-ac", "2", "-c:a", encoder, str(part))
    source = tmp_path / f"joined.{ending}"
    source.write_bytes(b"".join(part.read_bytes() for part in parts))
    with engine.session(source, bridge_mode=engine_pb2.BRIDGE_MODE_LOSSLESS, custom_profile=ONLY_FLAC) as session:
        ours = sound.load_served(session.master().variants[0][1])
    begin = 0
    for number, part in enumerate(map(Sound, parts)):
        for share in (0.2, 0.5, 0.8):
            levels = ours.levels(ours.start + (begin + share * part.count) / ours.rate - 0.05, frequencies, 0.1)[0]
            assert levels.index(max(levels)) == number, f"part {number}: {levels}"
        begin += part.count
    # At each join, decoders may need up to a frame to begin.
    assert abs(ours.count - begin) < 0.1 * ours.rate
    # Wherever reading begins, the bytes are the same.
    digests = []
    for order in (1, -1):
        with engine.session(source, segment_target_us=1_000_000) as session:
            segments = hls.Media.complete(session.master().variants[0][1]).segments
            digests.append({each.url.rpartition("/")[2]: hls.digest(each.url) for each in segments[::order]})
    assert digests[0] == digests[1]


@pytest.mark.parametrize("name, codec, channels, tolerance", rows(CLIPS, MORE_CLIPS))
def test_segments_join_sample_exactly(engine, name, codec, channels, tolerance):
    source = clip(f"formats/{name}")
    ours, start, segments = served(engine, source, codec, channels)
    assert segments > 2
    check(ours, Sound(source), start, tolerance)
