# SPDX-License-Identifier: Apache-2.0
"""HLS sources whose audio has another codec in a break: this audio is served with an init segment of its own, or
encoded to the format of the track, or a notice says that it is not served."""

import functools
import subprocess
import urllib.parse

import numpy
import pytest
from harness.boxes import walk
from harness.bundles import decoded, digests, package_joined, served, served_groups, validate
from harness.engine import eventually, running_engine
from harness.hls import Media, digest, fetch, request
from harness.live import live
from harness.places import ENGINECTL
from harness.tiers import tiered
from harness.watching import Notices

# A tone that rises, so that its samples have one place only.
TONE = "aevalsrc=0.4*sin(2*PI*(200+20*t)*t):s={rate}:d=4"
RATE = 48_000


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    return tmp_path_factory.mktemp("breaks")


def joined(folder, form, film, sound, rate=RATE):
    """A film whose break has other audio. The codecs are those of ffmpeg; `copy` keeps the AAC of the film."""
    return made(folder, form, film, sound, rate)


@functools.cache
def made(folder, form, film, sound, rate):
    name = f"{film}-{sound}-{rate}"
    encoded = ("-c", "copy") if film == "copy" else ("-c:v", "copy", "-c:a", film)
    return package_joined(folder, form, name, encoded, ("-c:a", sound, "-ac", 2), TONE.format(rate=rate))


def tone(data):
    """The samples of the first channel of a file, at `RATE`."""
    made = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-map", "0:a:0", "-af", "pan=mono|c0=c0", "-ar", str(RATE), "-f", "f32le", "-"],
        input=data, capture_output=True, check=True).stdout
    return numpy.frombuffer(made, "<f4").astype(float)


def assert_same_sound(found, own, early=0, late=0, error=0.02, start=4096):
    """The samples are those of the source: `found` begins at most `early` samples before them and at most `late` samples after
    their start. The first ones, up to `start`, and the last ones may fade or be cut, because codecs overlap frames."""
    edge = start + late
    window = own[edge:edge + (1 << 17)]
    size = 1 << 20
    spectrum = numpy.fft.rfft(found, size) * numpy.conj(numpy.fft.rfft(window, size))
    place = int(numpy.argmax(numpy.fft.irfft(spectrum, size)[:len(found)]))
    skipped = edge - place
    assert -2 - early <= skipped <= late + 2, f"the audio begins {skipped} samples after that of the source"
    count = min(len(found) - place, len(own) - edge) - 4096
    assert count > 3 * RATE, "most of the audio is there"
    worst = numpy.abs(found[place:place + count] - own[edge:edge + count]).max()
    assert worst <= error, f"a sample differs by {worst}"


def lead(data):
    """By how many samples the audio of a part begins before its first picture."""
    listed = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "packet=codec_type,pts_time", "-of", "csv=p=0", "-"],
        input=data, capture_output=True, check=True).stdout.decode().split()
    first = {kind: min(float(line.split(",")[1]) for line in listed if line.startswith(kind)) for kind in ("video", "audio")}
    return round((first["video"] - first["audio"]) * RATE)


def beginning(files):
    """The sample with which the audio of the break begins. The audio of each part begins before the first picture, at which clocks
    restart; the timeline begins with the audio of the film."""
    return 4 * RATE + lead(files[0]) - lead(files[1])


def slack(form):
    """In fMP4, an edit list hides the frames before the start of a part; in the middle of a timeline they are not hidden."""
    return {"early": 2048, "late": 2048} if form == "fmp4" else {}


def entries(url):
    """The sample entry of each init segment that a media playlist names."""
    maps = [line.split('"')[1] for line in fetch(url).decode().splitlines() if line.startswith("#EXT-X-MAP:")]
    found = []
    for init in [fetch(urllib.parse.urljoin(url, name)) for name in maps]:
        start = next(start for kinds, start, _ in walk(init) if kinds[-1] == "stsd")
        found.append(init[start + 12:start + 16].decode())
    return found


def assert_pure(path, linear, **options):
    with running_engine() as other, other.session(path, **options) as session:
        urls = session.master().everything()[::-1]
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


@pytest.mark.parametrize(
    "form, film, sound, codec",
    tiered(
        [("ts", "copy", "ac3", "ac-3"), ("fmp4", "copy", "eac3", "ec-3"), ("ts", "ac3", "aac", "mp4a.40.2"),
         ("ts", "copy", "libmp3lame", "mp4a.6B")],
        {("ts", "copy", "ac3", "ac-3")}))
def test_a_codec_that_the_player_accepts_has_an_init_segment_of_its_own(engine, bundles, form, film, sound, codec):
    path, files = joined(bundles, form, film, sound)
    notices = Notices(engine)
    with engine.session(path) as session:
        master = session.master()
        assert codec in master.variants[0][0]["CODECS"].split(",")
        url = master.renditions[0][1]
        found = served_groups(url)
        for place in (0, 2) if form == "fmp4" else range(3):
            assert decoded(found[place], "a") == decoded(files[place], "a")
        assert_same_sound(tone(found[1]), tone(files[1]), **slack(form), error=0.001)
        validate(engine, session.url)
        linear = digests(session)
        eventually(lambda: "audio.codec_changes" in notices.codes, "the notice")
    notices.end()
    assert "audio.part_not_served" not in notices.codes
    assert_pure(path, linear)


@pytest.mark.parametrize(
    "form, sound, rate",
    tiered([("ts", "ac3", 48_000), ("ts", "ac3", 44_100), ("fmp4", "eac3", 48_000), ("ts", "libmp3lame", 44_100), ("ts", "mp2", 48_000)],
           {("ts", "ac3", 44_100)}))
def test_another_codec_is_encoded_to_that_of_the_track(engine, bundles, form, sound, rate):
    path, files = joined(bundles, form, "copy", sound, rate)
    with engine.session(path, profile="chromium") as session:
        master = session.master()
        url = master.renditions[0][1]
        assert entries(url) == ["mp4a"] * 3
        found = served_groups(url)
        for place in (0, 2):
            assert decoded(found[place], "a") == decoded(files[place], "a"), "the film is not encoded"
        assert_same_sound(tone(found[1]), tone(files[1]), **slack(form))
        validate(engine, session.url)
        linear = digests(session)
    assert_pure(path, linear, profile="chromium")


@pytest.mark.parametrize("kind", tiered([None, "EVENT"], {"EVENT"}))
def test_what_is_listed_can_be_encoded_while_the_source_stalls(engine, bundles, kind):
    """A segment with encoded audio needs the next one, which a live playlist may never list."""
    path, files = joined(bundles, "ts", "copy", "ac3", 48_000)
    notices = Notices(engine)
    with live(path, window=6, count=4) as source:
        source.kind = kind
        with engine.session(source.url, profile="chromium") as session:
            eventually(lambda: "live.ingest_stalled" in notices.codes, "the stall to be reported")
            # Two segments of the film, and the first of the two of the break.
            for url in (session.master().variants[0][1], session.master().renditions[0][1]):
                assert [request(each.url).status for each in Media(url).segments] == [200] * 3
            source.count = 6
            eventually(lambda: engine.state(session.id).production.planned_segments == 6, "the list to go on")
            source.ended = True
            found = served_groups(Media.complete(session.master().renditions[0][1]).url)
            assert_same_sound(tone(found[1]), tone(files[1]))
    notices.end()


@pytest.mark.parametrize(
    "sound, rate", tiered([("ac3", 48_000), ("aac", 44_100), ("libmp3lame", 32_000)], {("aac", 44_100)}))
def test_a_bridge_is_opened_again_for_another_codec(engine, bundles, sound, rate):
    path, files = joined(bundles, "ts", "mp2", sound, rate)
    with engine.session(path, profile="chromium") as session:
        url = session.master().renditions[0][1]
        assert set(entries(url)) == {"fLaC"}, "the served format stays"
        found = served_groups(url)
        # A frame of FLAC begins after the first sample of the break, and the frames before it belong to the film.
        # Another rate is converted, which moves the samples by a fraction.
        error = 0.001 if rate == RATE else 0.015
        assert_same_sound(tone(found[1]), tone(files[1]), late=2 * 4608, error=error)
        # No frame is cut where the break begins: the last one before it has the beginning of the break.
        start = beginning(files)
        assert_same_sound(tone(served(url))[start:start + 4 * RATE], tone(files[1]), error=error, start=512)
        validate(engine, session.url)
        linear = digests(session)
    assert_pure(path, linear, profile="chromium")


@pytest.mark.long
def test_audio_that_cannot_be_served_is_reported(engine, bundles):
    path, _ = joined(bundles, "fmp4", "libopus", "aac")
    notices = Notices(engine)
    with engine.session(path, profile="chromium") as session:
        segments = Media.complete(session.master().renditions[0][1]).segments
        found = [fetch(segment.url) for segment in segments]
        assert [b"trun" in data for data in found] == [True, True, False, False, True, True]
        eventually(lambda: "audio.part_not_served" in notices.codes, "the notice")
    notices.end()
    text = notices.texts[notices.codes.index("audio.part_not_served")]
    assert abs(float(text.split()[1]) - 4) < 0.2 and "stream 1 is aac" in text, text


@pytest.mark.long
@pytest.mark.parametrize("film, sound", [("copy", "ac3"), ("mp2", "aac"), ("ac3", "libmp3lame")])
def test_the_software_path_decodes_another_codec(engine, bundles, tmp_path, film, sound):
    path, files = joined(bundles, "ts", film, sound)
    subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", "--sink", f"wav:{tmp_path / 'film.wav'}", path],
        stdin=subprocess.DEVNULL, capture_output=True, check=True)
    start = beginning(files)
    heard = tone((tmp_path / "film.wav").read_bytes())[start:start + 4 * RATE]
    assert_same_sound(heard, tone(files[1]))


@pytest.mark.long
def test_a_codec_that_the_software_path_cannot_decode_is_reported_once(engine, bundles, tmp_path):
    path, _ = package_joined(bundles, "fmp4", "undecodable")
    # MPEG-H audio: libavformat knows it, and libavcodec has no decoder for it.
    init = path.with_name("break.mp4")
    data = init.read_bytes()
    assert data.count(b"esds") == 1
    init.write_bytes(data.replace(b"mp4a", b"mhm1").replace(b"esds", b"free"))
    # The break comes a second time, at the end.
    media, mark = path.with_name("media.m3u8"), "#EXT-X-DISCONTINUITY\n"
    head, first, last = media.read_text().split(mark)
    end = "#EXT-X-ENDLIST\n"
    media.write_text(mark.join([head, first, last.replace(end, ""), first + end]))
    notices = Notices(engine)
    subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", "--sink", f"wav:{tmp_path / 'film.wav'}", path],
        stdin=subprocess.DEVNULL, capture_output=True, check=True)
    eventually(lambda: "audio.part_not_decoded" in notices.codes, "the notice")
    notices.end()
    assert notices.codes.count("audio.part_not_decoded") == 1, "both breaks have the same codec"
    text = notices.texts[notices.codes.index("audio.part_not_decoded")]
    assert abs(float(text.split()[1]) - 4) < 0.2 and "the mpegh_3d_audio audio of stream 1 cannot be decoded" in text, text
    heard = numpy.abs(tone((tmp_path / "film.wav").read_bytes()))
    halves = [heard[start:start + RATE // 2].max() > 0.05 for start in range(0, 12 * RATE, RATE // 2)]
    # The film's audio begins at most half a second before its first picture.
    assert halves[:8] == halves[16:] == [True] * 8 and halves[8:15] == [False] * 7
