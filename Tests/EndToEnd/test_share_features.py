# SPDX-License-Identifier: Apache-2.0
"""What the engine does with sources on HTTP servers, it does with those on every other kind of server: discs, stills, and the
cache on disk."""

import subprocess

import pytest
from harness import bluray, growing, shares, stills, udf
from harness.contract import engine_pb2
from harness.engine import PATIENCE, Engine, eventually, running_engine
from harness.hls import digest
from harness.places import clip
from harness.share_servers import SERVERS
from harness.tiers import tiered

pytestmark = shares.as_root
FILM, IMAGE = "film.mkv", "film.iso"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A film of about 9 MB, more than is read to open it, and an image of a Blu-ray."""
    made = tmp_path_factory.mktemp("features") / "films"
    made.mkdir()
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "11", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy", made / FILM],
                   check=True)
    video = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=24", "-f", "lavfi", "-i", "sine=440:sample_rate=48000"]
    scratch = tmp_path_factory.mktemp("disc")
    encoded = bluray.encode(scratch / "a.m2ts", video, "-t", "8", "-c:v", "libx264", "-preset", "ultrafast", "-g", "24",
                            "-pix_fmt", "yuv420p", "-c:a", "ac3", "-ac", "2")
    disc = bluray.Disc(scratch / "disc")
    disc.add_title(disc.add_clip(encoded))
    disc.write(first=1)
    udf.image(made / IMAGE, disc.root)
    for path in (made / FILM, made / IMAGE):
        path.chmod(0o644)
        growing.finished(path)
    for path in (made.parent, made):
        path.chmod(0o755)
    return made


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def still(engine, source):
    return stills.thumbnail(engine, stills.source(source), 30_000_000).data


@pytest.fixture(scope="module")
def local(folder):
    """What is served for each file on disk, and a thumbnail of the film."""
    with running_engine() as engine:
        found = {}
        for name in (FILM, IMAGE):
            with engine.session(folder / name) as session:
                found[name] = digests(session)
        return found, still(engine, folder / FILM)


def on_disk(engine):
    reply = engine.stub.GetSourceCache(engine_pb2.GetSourceCacheRequest(), timeout=PATIENCE)
    return max((source.disk_bytes for source in reply.sources), default=0)


@pytest.mark.parametrize("server", tiered(list(SERVERS), {"webdav"}))
def test_discs_stills_and_the_cache_on_disk_work_on_every_server(folder, local, tmp_path, server):
    served, thumbnail = local
    # Keeps the caches of two engines that follow each other.
    cache, size = tmp_path / "cache", (folder / FILM).stat().st_size
    with SERVERS[server](folder, tmp_path, "--cache-disk-directory", str(cache)) as (first, _, url):
        with first.session(url(IMAGE)) as session:
            assert len(session.state.media.titles) == 1
            assert digests(session) == served[IMAGE]
        assert still(first, url(FILM)) == thumbnail
        with first.session(url(FILM)) as session:
            assert digests(session) == served[FILM]
            eventually(lambda: on_disk(first) >= size, "the film to be on disk")
        first.end()
        # The options follow the program, its socket, its port and its log level.
        options = first.process.args[first.process.args.index("--log-level") + 2:]
        second = Engine(tmp_path / "second", *options)
        try:
            with second.session(url(FILM)) as session:
                assert digests(session) == served[FILM]
                eventually(lambda: second.state(session.id).statistics.http_disk_bytes > size / 2, "the bytes from disk to be counted")
                assert second.state(session.id).statistics.http_bytes < size / 4
            second.end()
        finally:
            if second.is_alive():
                second.kill()
