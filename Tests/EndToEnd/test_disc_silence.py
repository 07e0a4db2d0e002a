# SPDX-License-Identifier: Apache-2.0
"""Titles of discs that begin with a clip or cell without audio, such as a logo: the tracks of the later parts are there from the
start, in sync to the sample, on all paths."""

import numpy
import pytest
from harness import bluray, dvd, frames, hls, sound
from harness.contract import engine_pb2, media_pb2
from test_disc_streams import VIDEO, coded, pictures, tracks
from test_dvd_audio import noise, play_to_file, served

LOGO, LENGTH, RATE = 15, 6, 48000
LOSSLESS = engine_pb2.BRIDGE_MODE_LOSSLESS


def noisy(seed):
    return ["-f", "lavfi", "-i", f"anoisesrc=seed={seed}:sample_rate={RATE}:amplitude=0.3,aformat=channel_layouts=stereo"]


@pytest.fixture(scope="module")
def logo(tmp_path_factory):
    return bluray.encode(tmp_path_factory.mktemp("logo") / "logo.m2ts", pictures(0), "-t", str(LOGO), *VIDEO, offset=20)


@pytest.fixture(scope="module")
def main(tmp_path_factory):
    """PCM in one stream, and AC-3 in two."""
    return bluray.encode(
        tmp_path_factory.mktemp("main") / "main.m2ts", [*pictures(1), *noisy(1), *noisy(2), *noisy(3)], "-t", str(LENGTH),
        *(each for stream in range(4) for each in ("-map", str(stream))), *VIDEO, "-c:a:0", "pcm_bluray", "-c:a:1", "ac3", "-c:a:2",
        "ac3", "-b:a", "192k", "-streamid", "2:4353", "-streamid", "3:4354", offset=300)


@pytest.fixture(scope="module")
def disc(logo, main, tmp_path_factory):
    disc = bluray.Disc(tmp_path_factory.mktemp("disc"))
    disc.add_title(disc.add_clip(logo), disc.add_clip(main, ["eng", "fra", "deu"]))
    return disc.write()


def check_notices(session):
    lines = [line for line in session.engine.log.read_text().splitlines() if f"session {session.id}" in line]
    assert lines and not any("track.not_served" in line or "plan.index_rejected" in line for line in lines)


def check_tracks(session):
    assert session.state.production.plan_origin == "index"
    check_notices(session)
    found = tracks(session, media_pb2.STREAM_KIND_AUDIO)
    assert [(each.codec, each.language) for each in found] == [("pcm_bluray", "eng"), ("ac3", "fra"), ("ac3", "deu")]
    assert [each.route for each in found] == ["bridge", "remux", "remux"]


def check_start(found, clip, index):
    """Checks that audio begins as long after the logo as it begins after the pictures in its clip."""
    theirs = sound.Sound(clip, index)
    assert (found.start - LOGO - (theirs.start - 300)) * RATE == pytest.approx(0, abs=1)
    return theirs


def test_tracks_of_later_clips_are_served_in_sync(engine, disc, logo, main):
    with engine.session(disc, bridge_mode=LOSSLESS) as session:
        check_tracks(session)
        master = session.master()
        video = sound.saved(master.variants[0][1])
        audio = [sound.saved(url) for _, url in master.renditions]
    assert frames.framemd5(video) == frames.framemd5(logo) + frames.framemd5(main)
    for index in (1, 2):
        check_start(sound.Sound(audio[index]), main, index)
        ours, theirs = (coded(path, stream, "ac3") for path, stream in ((audio[index], "0:a"), (main, f"0:a:{index}")))
        assert ours == theirs
    found = sound.Sound(audio[0])
    expected = check_start(found, main, 0)
    assert len(sound.differing_samples(found.samples[:expected.count], expected.samples, 0)) == 0


@pytest.mark.parametrize("at", [0, LOGO - 2, LOGO + 2])
def test_player_hears_silence_and_then_the_clip(engine, disc, main, tmp_path, at):
    """From the start, and after seeks to both sides of the joint."""
    heard = play_to_file(engine, disc, tmp_path / "heard.wav", "--audio", "eng", "--start", str(at))
    expected = sound.Sound(main, 0).samples
    joint = (LOGO - at) * RATE
    assert not numpy.any(heard.samples[:max(0, joint)])
    ours, theirs = heard.samples[max(0, joint):], expected[max(0, -joint):]
    assert abs(len(ours) - len(theirs)) <= RATE // 20
    count = min(len(ours), len(theirs))
    assert len(sound.differing_samples(ours[:count], theirs[:count], 0)) == 0


def test_segments_do_not_depend_on_order(engine, start_engine, disc):
    def digests(session, order):
        found = {}
        for url in [session.master().variants[0][1], *(url for _, url in session.master().renditions)]:
            segments = hls.Media.complete(url).segments
            found |= {(url.split("/")[-1], place): hls.digest(segments[place].url) for place in order(range(len(segments)))}
        return found

    with engine.session(disc) as session:
        forwards = digests(session, list)
    with start_engine().session(disc) as session:
        assert digests(session, lambda places: list(reversed(places))) == forwards


def test_streams_that_only_the_tables_have_are_no_tracks(engine, logo, tmp_path):
    """The playlist states the stream of the second clip for both, but no clip has it."""
    disc = bluray.Disc(tmp_path / "disc")
    clips = [disc.add_clip(logo) for _ in range(2)]
    for clip in clips:
        clip.streams = [*clip.streams, {"codec_name": "ac3", "codec_type": "audio", "id": "0x1100", "channels": 2, "sample_rate": "48000"}]
    disc.add_title(*clips)
    with engine.session(disc.write()) as session:
        assert not tracks(session, media_pb2.STREAM_KIND_AUDIO)
        check_notices(session)


def test_audio_of_later_cells_is_served_in_sync(engine, tmp_path):
    samples = noise(1, RATE, 2)
    film = dvd.film(tmp_path / "film.mpg", "testsrc", (), seconds=LENGTH)
    main = dvd.pcm(tmp_path / "main.mpg", film, samples, RATE, 16)
    logo = dvd.film(tmp_path / "logo.mpg", "testsrc2", (), seconds=LOGO)
    root = dvd.author(tmp_path / "dvd", [[[(logo, "0"), (main, "0")]]]).root
    expected = samples << 16
    with engine.session(root, bridge_mode=LOSSLESS) as session:
        check_notices(session)
        stream, = tracks(session, media_pb2.STREAM_KIND_AUDIO)
        assert (stream.codec, stream.language, stream.route) == ("pcm_dvd", "eng", "bridge")
        found = sound.load_served(served(session, stream))
    assert found.start == pytest.approx(LOGO, abs=1 / RATE)
    assert len(sound.differing_samples(found.samples[:len(expected)], expected, 0)) == 0
    for at in (0, LOGO - 2):
        heard = play_to_file(engine, root, tmp_path / "heard.wav", "--start", str(at)).samples
        joint = (LOGO - at) * RATE
        assert not numpy.any(heard[:joint]) and len(heard) - joint >= len(expected)
        assert len(sound.differing_samples(heard[joint:joint + len(expected)], expected, 0)) == 0
    # After a seek into the cell, as in a title without the logo.
    alone = dvd.author(tmp_path / "alone", [[[(main, "0")]]]).root
    heard = [play_to_file(engine, source, tmp_path / "heard.wav", "--start", str(at)).samples for source, at in ((root, LOGO + 2), (alone, 2))]
    assert numpy.any(heard[0]) and numpy.array_equal(*heard)
