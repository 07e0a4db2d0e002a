# SPDX-License-Identifier: Apache-2.0
"""HLS lists that are unusual or wrong: a first part without audio or video, wrong durations, clocks that restart without a
mark, audio that outlasts the video, and servers that compress what they were asked not to."""

import gzip
import random

import pytest
from harness import boxes
from harness.bundles import concatenate, decoded, digests, ffmpeg, package, refusal, served_groups, validate
from harness.engine import running_engine
from harness.hls import Media, digest, fetch
from harness.places import clip
from harness.sidecars import serving
from harness.tiers import tiered
from test_dvd_audio import play_to_file

RATE = 48_000
IDENT = 4


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """A film, and parts of it without audio (`ident`) and without video (`jingle`); each as MPEG-TS and as fMP4."""
    folder = tmp_path_factory.mktemp("odd")
    for form, options in (("ts", []), ("fmp4", ["-hls_segment_type", "fmp4"])):
        package(folder, f"film-{form}", *options)
        package(folder, f"ident-{form}", "-an", "-t", str(IDENT), *options)
        package(folder, f"jingle-{form}", "-vn", "-t", str(IDENT), *options)
    return folder


def entries(folder, name):
    """The entries of a bundle, with the name of its folder before their URIs."""
    for line in (folder / name / "film.m3u8").read_text().splitlines():
        if line.startswith("#EXT-X-MAP:"):
            yield line.replace('URI="', f'URI="{name}/')
        elif line.startswith("#EXTINF"):
            yield line
        elif not line.startswith("#"):
            yield f"{name}/{line}"


def write(folder, name, *parts):
    """Writes a list of several parts; each is a list of lines."""
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:3", "#EXT-X-INDEPENDENT-SEGMENTS"]
    for number, part in enumerate(parts):
        lines += ["#EXT-X-DISCONTINUITY"] * (number > 0) + list(part)
    path = folder / f"{name}.m3u8"
    path.write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    return path


def segments(session):
    """The digests of the segments of video and audio. Keyframe segments last until the next one, according to the playlist."""
    return {path: value for path, value in digests(session).items() if path.endswith(".m4s") and "keyframe" not in path}


def assert_pure(path, linear):
    with running_engine() as other, other.session(path) as session:
        urls = session.master().everything()
        random.Random(1).shuffle(urls)
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


@pytest.mark.parametrize(
    "form, first", tiered([(form, first) for form in ("ts", "fmp4") for first in ("ident", "jingle")], {("ts", "ident"), ("fmp4", "jingle")}))
def test_a_first_part_without_audio_or_video_hides_no_track(engine, bundles, form, first):
    names = [f"{first}-{form}", f"film-{form}"]
    path = write(bundles, "-".join(names), *(entries(bundles, name) for name in names))
    part, film = (concatenate(bundles / name / "film.m3u8") for name in names)
    with engine.session(path) as session:
        master = session.master()
        video, audio = master.variants[0][1], master.renditions[0][1]
        assert len(Media(video).segments) == len(Media(audio).segments)
        for kind, url in (("v", video), ("a", audio)):
            mine, rest = served_groups(url)
            assert decoded(rest, kind) == decoded(film, kind)
            assert (kind == "v") == (first == "ident") or b"trun" not in mine
            assert (kind == "v") != (first == "ident") or decoded(mine, kind) == decoded(part, kind)
        validate(engine, session.url)
        linear = digests(session)
    assert_pure(path, linear)


def test_the_software_path_plays_the_audio_after_a_silent_part(engine, bundles, tmp_path):
    path = write(bundles, "silent", entries(bundles, "ident-ts"), entries(bundles, "film-ts"))
    heard = play_to_file(engine, path, tmp_path / "heard.wav").samples
    alone = play_to_file(engine, bundles / "film-ts" / "film.m3u8", tmp_path / "alone.wav").samples
    assert not heard[:(IDENT - 1) * RATE].any()
    # The audio of the film begins before its first picture.
    assert abs(len(heard) - len(alone) - IDENT * RATE) <= RATE // 10 and heard[-2 * RATE:].any()


@pytest.mark.parametrize("form", tiered(["ts", "fmp4"], {"ts"}))
def test_a_part_that_begins_without_pictures_has_the_codec_of_its_later_ones(engine, bundles, form):
    """Without that, the video would not be served, because its codec is not that of the film."""
    target = bundles / f"other-{form}"
    target.mkdir()
    options = ["-hls_segment_type", "fmp4"] if form == "fmp4" else []
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=4", "-f", "lavfi", "-i", "sine=330:r=48000:d=4",
           "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params", "keyint=50:min-keyint=50:scenecut=0:log-level=none",
           "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod", *options, "film.m3u8", cwd=target)
    parts = [entries(bundles, f"film-{form}"), [*entries(bundles, f"jingle-{form}"), *entries(bundles, target.name)]]
    path = write(bundles, f"late-{form}", *parts)
    with engine.session(path) as session:
        first, second = served_groups(session.master().variants[0][1])
        assert decoded(first, "v") == decoded(concatenate(bundles / f"film-{form}" / "film.m3u8"), "v")
        assert decoded(second, "v") == decoded(concatenate(target / "film.m3u8"), "v")


@pytest.mark.parametrize("wrong", ["30.000000", "0", "4.000000"])
def test_wrong_durations_move_no_segment(engine, bundles, wrong):
    lines = list(entries(bundles, "film-ts"))
    right = write(bundles, "right", lines)
    place = lines.index("film-ts/003.ts") - 1
    path = write(bundles, f"wrong-{wrong}", [*lines[:place], f"#EXTINF:{wrong},", *lines[place + 1:]])
    with engine.session(right) as session:
        expected = segments(session)
    with engine.session(path) as session:
        assert segments(session) == expected
        linear = digests(session)
    assert_pure(path, linear)


def starts(url):
    """The decode time at which each segment of a media playlist begins, in seconds."""
    playlist = Media(url)
    scale = boxes.Init(fetch(playlist.init)).timescale
    return [boxes.Fragment(fetch(segment.url)).decode_time / scale for segment in playlist.segments]


def test_a_clock_that_restarts_without_a_mark_stays_behind(engine, bundles):
    """Up to the end of the list, by as much as after the restart."""
    lines = list(entries(bundles, "film-ts"))
    path = write(bundles, "again", lines + lines)
    with engine.session(path) as session:
        for url in (session.master().variants[0][1], session.master().renditions[0][1]):
            found = starts(url)
            assert len(found) == 24
            assert [after - before for before, after in zip(found, found[12:])] == pytest.approx([24] * 12, abs=0.05)
        linear = digests(session)
    assert_pure(path, linear)


def test_audio_with_a_list_of_its_own_may_outlast_the_video(engine, tmp_path):
    ffmpeg("-t", 5.5, "-i", clip("h264-aac.mkv"), "-f", "lavfi", "-t", 9, "-i", "sine=440:r=48000", "-map", "0:v", "-map", "1:a", "-c:v", "copy",
           "-c:a", "aac", "-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod", "-hls_segment_filename", "%v-%03d.ts",
           "-master_pl_name", "film.m3u8", "-var_stream_map", "v:0,agroup:a a:0,agroup:a,language:en,default:yes", "%v.m3u8", cwd=tmp_path)
    with engine.session(tmp_path / "film.m3u8") as session:
        audio = session.master().renditions[0][1]
        assert Media(audio).duration == pytest.approx(9.25, abs=0.1)
        assert decoded(served_groups(audio)[0], "a") == decoded(concatenate(tmp_path / "1.m3u8"), "a")
        validate(engine, session.url)


def compressed(bundle, names=None):
    """The files of a bundle, of which all or `names` are compressed although nobody asks for that."""
    return {
        f"/{path.name}": (200, {"Content-Encoding": "gzip"}, gzip.compress(path.read_bytes()))
        if names is None or path.name in names else (200, {}, path.read_bytes())
        for path in bundle.iterdir()}


@pytest.mark.parametrize("names", [{"film.m3u8"}, None], ids=["playlist", "all"])
def test_compressed_resources_are_decoded(engine, bundles, names):
    folder = bundles / "film-ts"
    with serving(compressed(folder, names)) as server, engine.session(f"{server.url}/film.m3u8") as remote, \
            engine.session(folder / "film.m3u8") as local:
        assert digests(remote) == digests(local)


def test_compressed_files_and_oversized_playlists_are_refused(engine, bundles):
    pages = {
        "/film.ts": gzip.compress((bundles / "film-ts" / "000.ts").read_bytes()),
        "/bomb.m3u8": gzip.compress(b"#EXTM3U\n" + b"\n" * (64 << 20)),
        "/film.m3u8": b"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nbomb.m3u8\n",
    }
    encoded = {"Content-Encoding": "gzip"}
    with serving({name: (200, {} if name == "/film.m3u8" else encoded, body) for name, body in pages.items()}) as server:
        for name in ("film.ts", "bomb.m3u8"):
            assert refusal(lambda name=name: engine.probe(f"{server.url}/{name}")).startswith("source_not_readable: ")
        assert refusal(lambda: engine.probe(f"{server.url}/film.m3u8")).startswith("resource_exhausted: ")
