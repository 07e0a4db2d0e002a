# SPDX-License-Identifier: Apache-2.0
"""HLS presentations as sources: what is served decodes to what the source's own segments decode to, one segment of the
source is one segment that is served, and whatever a server or a playlist does wrong has a type."""

import hashlib
import random
import shutil
import subprocess

import grpc
import pytest
from harness import origin
from harness.engine import running_engine
from harness.hls import Media, digest, fetch
from harness.places import ENGINECTL, clip
from harness.contract import stills_pb2
from harness.stills import snapshot, source, thumbnail
from harness.tiers import tiered

FILM = "h264-aac.mkv"
FORMATS = {
    "ts": [],
    "fmp4": ["-hls_segment_type", "fmp4"],
    "ts-ranges": ["-hls_flags", "single_file"],
    "fmp4-ranges": ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"],
}
LEAN = {"ts", "fmp4", "fmp4-ranges"}


def ffmpeg(*arguments, **options):
    return subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, **options)


def package(folder, name, *options, film=FILM, seconds=2):
    """A bundle of a clip, with its streams as they are."""
    target = folder / name
    target.mkdir()
    suffix = "m4s" if "fmp4" in options else "ts"
    names = [] if "single_file" in options else ["-hls_segment_filename", f"%03d.{suffix}"]
    ffmpeg(
        "-i", clip(film), "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "hls", "-hls_time", seconds,
        "-hls_playlist_type", "vod", *options, *names, "film.m3u8", cwd=target)
    return target / "film.m3u8"


def id3(ticks):
    """The tag of a segment of packed audio (RFC 8216 §3.4)."""
    frame = b"com.apple.streaming.transportStreamTimestamp\0" + ticks.to_bytes(8, "big")
    body = b"PRIV" + len(frame).to_bytes(4, "big") + b"\0\0" + frame
    return b"ID3\4\0\0" + bytes([0, 0, len(body) >> 7, len(body) & 127]) + body


def adts_frames(data):
    while data:
        length = (data[3] & 3) << 11 | data[4] << 3 | data[5] >> 5
        yield data[:length]
        data = data[length:]


def pack_audio(folder):
    """Segments of 94 AAC frames each, about 2 s, whose clock begins at 10 s."""
    target = folder / "packed"
    target.mkdir()
    ffmpeg("-i", clip(FILM), "-map", "0:a", "-c", "copy", target / "whole.aac")
    frames = list(adts_frames((target / "whole.aac").read_bytes()))
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:3"]
    for number, first in enumerate(range(0, len(frames), 94)):
        piece = frames[first:first + 94]
        (target / f"{number}.aac").write_bytes(id3(900_000 + first * 1920) + b"".join(piece))
        lines += [f"#EXTINF:{len(piece) * 1024 / 48000:.5f},", f"{number}.aac"]
    (target / "film.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))


def speak(folder):
    """Video with two languages of audio beside it, the second with other segments."""
    target = folder / "languages"
    target.mkdir()
    ffmpeg(
        "-i", clip(FILM), "-f", "lavfi", "-t", 24, "-i", "sine=440:r=44100", "-map", "0:v", "-map", "0:a", "-map", "1:a",
        "-c:v", "copy", "-c:a:0", "copy", "-c:a:1", "aac", "-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod",
        "-hls_segment_filename", "%v-%03d.ts", "-master_pl_name", "film.m3u8", "-var_stream_map",
        "v:0,agroup:a a:0,agroup:a,language:en,default:yes a:1,agroup:a,language:fr", "%v.m3u8", cwd=target)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hls")
    for name, options in FORMATS.items():
        package(folder, name, *options)
    pack_audio(folder)
    speak(folder)
    return folder


@pytest.fixture(scope="module")
def server(bundles):
    with origin.nginx(bundles) as server:
        yield server


def resources(playlist):
    """The files of a local bundle in order, the init segment first."""
    names = []
    for line in playlist.read_text().splitlines():
        if line.startswith("#EXT-X-MAP:"):
            names.append(line.split('"')[1])
        elif line and not line.startswith("#"):
            names.append(line)
    return [playlist.parent / name for name in dict.fromkeys(names)]


def whole(playlist):
    """All segments of a local bundle as one file."""
    return b"".join(file.read_bytes() for file in resources(playlist))


def decoded(data, stream):
    """Digests of the decoded frames of one stream, or of its samples as a whole."""
    form = ["-f", "framemd5"] if stream == "v" else ["-f", "s16le"]
    made = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-map", f"0:{stream}:0", *form, "-"], input=data, capture_output=True,
        check=True).stdout
    if stream == "a":
        return hashlib.sha256(made).hexdigest(), len(made)
    return [line.rsplit(b",", 1)[1] for line in made.splitlines() if not line.startswith(b"#")]


def served(url):
    """Everything of one media playlist as one file."""
    playlist = Media.complete(url)
    return b"".join(fetch(each) for each in [playlist.init, *(segment.url for segment in playlist.segments)])


def validate(engine, url):
    done = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "validate", url], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def kept(session):
    return stills_pb2.StillSource(session_id=session.id)


def refusal(call):
    with pytest.raises(grpc.RpcError) as failure:
        call()
    return failure.value.details()


@pytest.mark.parametrize("name", tiered(FORMATS, LEAN))
def test_what_is_served_decodes_like_the_segments_of_the_source(engine, server, bundles, name):
    film = whole(bundles / name / "film.m3u8")
    with engine.session(f"{server.url}/{name}/film.m3u8") as session:
        master = session.master()
        video, audio = master.variants[0][1], master.renditions[0][1]
        assert decoded(served(video), "v") == decoded(film, "v")
        assert decoded(served(audio), "a") == decoded(film, "a")
        playlist = Media(video)
        assert len(playlist.segments) == 12 and playlist.is_ended and playlist.type == "VOD"
        assert engine.state(session.id).production.plan_origin == "playlist"
        validate(engine, session.url)


@pytest.mark.parametrize("name", tiered([*FORMATS, "languages"], LEAN | {"languages"}))
def test_a_local_playlist_is_served_like_the_same_one_on_a_server(engine, server, bundles, name):
    path, url = bundles / name / "film.m3u8", f"{server.url}/{name}/film.m3u8"
    described, remote = engine.probe(path), engine.probe(url)
    remote.source = described.source
    assert remote == described and described.container == "hls"
    with engine.session(path) as here, engine.session(url) as there:
        assert digests(here) == digests(there)


@pytest.mark.parametrize("name", tiered([*FORMATS, "languages", "packed"], LEAN | {"languages"}))
def test_order_and_process_change_nothing(engine, bundles, name):
    path = bundles / name / "film.m3u8"
    with engine.session(path) as session:
        linear = digests(session)
    with running_engine() as other, other.session(path) as session:
        urls = session.master().everything()
        random.Random(1).shuffle(urls)
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


def test_opening_and_a_far_seek_cost_one_segment_each(engine, bundles):
    # Without a promise of the playlist, the second segment tells whether segments begin with keyframes.
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/ts/film.m3u8") as session:
        playlist = Media(session.master().variants[0][1])
        fetch(playlist.segments[-1].url)
        fetch(Media(session.master().renditions[0][1]).segments[-1].url)
        paths = [path for _, path, _ in server.requests()]
        assert paths == ["/ts/film.m3u8", "/ts/000.ts", "/ts/001.ts", "/ts/011.ts"]


def test_audio_beside_the_video_is_served_whole_with_its_names(engine, bundles):
    folder = bundles / "languages"
    with engine.session(folder / "film.m3u8") as session:
        master = session.master()
        assert decoded(served(master.variants[0][1]), "v") == decoded(whole(folder / "0.m3u8"), "v")
        tracks = [(found["LANGUAGE"], found["DEFAULT"]) for found, _ in master.renditions]
        assert tracks == [("en", "YES"), ("fr", "NO")]
        for (_, url), name in zip(master.renditions, ("1.m3u8", "2.m3u8")):
            assert decoded(served(url), "a") == decoded(whole(folder / name), "a")
        validate(engine, session.url)


def test_packed_audio_is_where_its_tags_say(engine, bundles):
    folder = bundles / "packed"
    with engine.session(folder / "film.m3u8") as session:
        url = session.master().variants[0][1]
        assert decoded(served(url), "a") == decoded((folder / "whole.aac").read_bytes(), "a")
        validate(engine, session.url)


@pytest.mark.parametrize("name", tiered(FORMATS, LEAN))
def test_stills_are_those_of_the_film(engine, server, bundles, name):
    url = f"{server.url}/{name}/film.m3u8"
    for moment in (0, 13_500_000, 23_900_000):
        assert snapshot(engine, source(url), moment).data == snapshot(engine, source(clip(FILM)), moment).data
    assert thumbnail(engine, source(url), 13_500_000).data == thumbnail(engine, source(clip(FILM)), 13_500_000).data


def test_a_page_and_a_broken_playlist_are_no_media(engine, bundles):
    folder = bundles / "wrong"
    folder.mkdir()
    (folder / "page.m3u8").write_text("\n<!DOCTYPE html><html><body>Please log in.</body></html>")
    (folder / "plain.m3u8").write_text("#EXTM3U\n#EXTINF:-1,Radio\nhttp://127.0.0.1:1/radio\n")
    (folder / "file.m3u8").write_text("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n")
    (folder / "up.m3u8").write_text(
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n../ts/000.ts\n#EXT-X-ENDLIST\n")
    with origin.nginx(bundles) as server:
        page = refusal(lambda: engine.probe(f"{server.url}/wrong/page.m3u8"))
        assert page.startswith("source_not_media") and "is a web page" in page
        plain = refusal(lambda: engine.probe(f"{server.url}/wrong/plain.m3u8"))
        assert plain.startswith("source_not_media") and "plain M3U" in plain
        named = refusal(lambda: engine.probe(f"{server.url}/wrong/file.m3u8"))
        assert named.startswith("source_not_readable") and "the scheme file" in named
        assert "/wrong/" not in "".join(path for _, path, _ in server.requests() if "passwd" in path)
    outside = refusal(lambda: engine.probe(folder / "up.m3u8"))
    assert outside.startswith("source_not_readable") and "outside the folder" in outside


def test_a_missing_segment_fails_by_itself_and_is_named(engine, bundles):
    shutil.copytree(bundles / "ts", bundles / "holes")
    (bundles / "holes" / "005.ts").unlink()
    (bundles / "holes" / "006.ts").write_text("<html>gone</html>")
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/holes/film.m3u8") as session:
        playlist = Media(session.master().variants[0][1])
        fetch(playlist.segments[4].url)
        fetch(playlist.segments[7].url)
        for number, words in ((5, ["status 404", "/holes/005.ts"]), (6, ["/holes/006.ts", "is not media", "<html>gone"])):
            failure = refusal(lambda: snapshot(engine, kept(session), number * 2_000_000 + 500_000))
            assert all(word in failure for word in words), failure
