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

FILM = "h264-aac.mkv"
FORMATS = {
    "ts": [],
    "fmp4": ["-hls_segment_type", "fmp4"],
}


def ffmpeg(*arguments, **options):
    return subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, **options)


def package(folder, name, *options, film=FILM, seconds=2):
    """A bundle of a clip, with its streams as they are."""
    target = folder / name
    target.mkdir()
    suffix = "m4s" if "fmp4" in options else "ts"
    ffmpeg(
        "-i", clip(film), "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "hls", "-hls_time", seconds,
        "-hls_playlist_type", "vod", *options, "-hls_segment_filename", f"%03d.{suffix}", "film.m3u8", cwd=target)
    return target / "film.m3u8"


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hls")
    for name, options in FORMATS.items():
        package(folder, name, *options)
    return folder


@pytest.fixture(scope="module")
def server(bundles):
    with origin.nginx(bundles) as server:
        yield server


def resources(playlist):
    """The files of a local bundle in order, the init segment first."""
    files = []
    for line in playlist.read_text().splitlines():
        if line.startswith("#EXT-X-MAP:"):
            files.append(playlist.parent / line.split('"')[1])
        elif line and not line.startswith("#"):
            files.append(playlist.parent / line)
    return files


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


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_served_decodes_like_the_segments_of_the_source(engine, server, bundles, name):
    files = resources(bundles / name / "film.m3u8")
    whole = b"".join(file.read_bytes() for file in files)
    with engine.session(f"{server.url}/{name}/film.m3u8") as session:
        master = session.master()
        video, audio = master.variants[0][1], master.renditions[0][1]
        assert decoded(served(video), "v") == decoded(whole, "v")
        assert decoded(served(audio), "a") == decoded(whole, "a")
        count = sum(file.suffix != ".mp4" for file in files)
        playlist = Media(video)
        assert len(playlist.segments) == count and playlist.is_ended and playlist.type == "VOD"
        assert engine.state(session.id).production.plan_origin == "playlist"
        validate(engine, session.url)


@pytest.mark.parametrize("name", FORMATS)
def test_a_local_playlist_is_served_like_the_same_one_on_a_server(engine, server, bundles, name):
    path, url = bundles / name / "film.m3u8", f"{server.url}/{name}/film.m3u8"
    described, remote = engine.probe(path), engine.probe(url)
    remote.source = described.source
    assert remote == described and described.container == "hls" and len(described.streams) == 2
    with engine.session(path) as here, engine.session(url) as there:
        assert digests(here) == digests(there)


@pytest.mark.parametrize("name", FORMATS)
def test_order_and_process_change_nothing(engine, bundles, name):
    path = bundles / name / "film.m3u8"
    with engine.session(path) as session:
        linear = digests(session)
    with running_engine() as other, other.session(path) as session:
        urls = session.master().everything()
        random.Random(1).shuffle(urls)
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


def test_opening_and_a_far_seek_cost_one_segment_each(engine, bundles):
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/ts/film.m3u8") as session:
        assert [path for _, path, _ in server.requests()] == ["/ts/film.m3u8", "/ts/000.ts"]
        playlist = Media(session.master().variants[0][1])
        fetch(playlist.segments[-1].url)
        fetch(Media(session.master().renditions[0][1]).segments[-1].url)
        assert [path for _, path, _ in server.requests()][2:] == ["/ts/011.ts"]


@pytest.mark.parametrize("name", FORMATS)
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
