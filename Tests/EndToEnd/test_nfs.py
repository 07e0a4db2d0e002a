# SPDX-License-Identifier: Apache-2.0
"""Films on an NFS server, read by the helper program, are served like the same files on disk."""

import concurrent.futures
import os
import shutil
import signal
import subprocess
import urllib.parse

import grpc
import pytest
from harness import beside
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.ganesha import ganesha
from harness.growing import finished
from harness.helper_client import LONGEST_READ, check_reads
from harness.hls import digest
from harness.places import clip
from harness.ports import free_port
from harness.tiers import tiered

FILMS = ["h264-aac.mkv", "h264-aac-moov-last.mp4"]
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="nfs-ganesha opens files by handles, which only root may")


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def failure(engine, url):
    with pytest.raises(grpc.RpcError) as caught:
        engine.stub.Load(engine_pb2.LoadRequest(source=url), timeout=PATIENCE)
    return dict(caught.value.trailing_metadata())["engine-error-code"]


@pytest.fixture(scope="module")
def server():
    with ganesha() as server:
        folder = server.films / "a b"
        folder.mkdir()
        for name in FILMS:
            finished(shutil.copy(clip(name), folder / name))
        beside.put(folder / "c")
        yield server


def url(server, name):
    return server.url(f"a%20b/{name}")


@pytest.mark.parametrize("name", tiered(FILMS, {"h264-aac.mkv"}))
def test_films_on_a_server_equal_the_files(fresh_engine, server, name):
    with fresh_engine.session(clip(name)) as file, fresh_engine.session(url(server, name)) as session:
        assert digests(session) == digests(file)


def test_arguments_of_a_url_do_not_change_the_version_of_the_protocol(fresh_engine, server):
    """The server speaks only NFS 4."""
    assert fresh_engine.probe(f"{url(server, FILMS[0])}?uid=0").duration_us > 0


def test_a_name_that_is_not_utf_8_is_read(fresh_engine, server):
    film = clip("h264-aac.mkv")
    finished(shutil.copy(film, os.fsencode(server.films) + b"/a b/Am\xe9lie.mkv"))
    with fresh_engine.session(film) as file, fresh_engine.session(url(server, "Am%E9lie.mkv")) as session:
        assert digests(session) == digests(file)


def test_subtitles_beside_a_film_on_a_server_are_found(fresh_engine, server):
    film = url(server, f"c/{beside.QUOTED}")
    beside.check(fresh_engine, lambda **options: fresh_engine.load(film, **options))


def test_subtitle_files_on_a_server_can_be_named(fresh_engine, server):
    beside.check_named(fresh_engine, lambda name: url(server, f"c/{urllib.parse.quote(name)}"))


def test_what_cannot_be_read_has_a_type(fresh_engine, server):
    assert failure(fresh_engine, url(server, "none.mkv")) == "source_not_found"
    assert failure(fresh_engine, f"nfs://127.0.0.1:{server.port}/none/film.mkv") == "source_not_found"
    assert failure(fresh_engine, f"nfs://127.0.0.1:{server.port}/films/a%20b") == "source_not_readable"


@pytest.mark.long
def test_a_server_that_is_away_has_a_type(fresh_engine):
    assert failure(fresh_engine, f"nfs://127.0.0.1:{free_port()}/films/film.mkv") == "source_unreachable"
    # No address of the first is known, and packets to the second are discarded (RFC 6666).
    for host in ("none.invalid", "[100::1]"):
        assert failure(fresh_engine, f"nfs://{host}/films/film.mkv") == "source_unreachable"


@pytest.mark.long
def test_a_server_is_found_by_its_address_of_version_6(fresh_engine):
    film = clip(FILMS[0])
    with ganesha("::1") as server:
        finished(shutil.copy(film, server.films / FILMS[0]))
        with fresh_engine.session(film) as file, fresh_engine.session(server.url(FILMS[0])) as session:
            assert digests(session) == digests(file)


def test_a_helper_that_is_killed_is_started_again(fresh_engine, server):
    with fresh_engine.session(clip(FILMS[0])) as file, fresh_engine.session(
            url(server, FILMS[0]), find_subtitles=beside.OFF) as session:
        found = subprocess.run(
            ["ps", "--ppid", str(fresh_engine.pid), "-o", "pid="], stdout=subprocess.PIPE, text=True, check=True)
        os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
        assert digests(session) == digests(file)


def test_reads_of_every_length_are_answered(server):
    """The engine requests more bytes at a time from servers that begin to answer late; libnfs has a limit of its own."""
    content = os.urandom(LONGEST_READ + 100_000)
    (server.films / "random").write_bytes(content)
    check_reads("engined-source-nfs", server.url("random?version=4"), content)


@pytest.mark.long
def test_a_server_that_goes_and_returns(fresh_engine, tmp_path):
    """The server is away while segments are requested whose bytes the engine does not have."""
    film = tmp_path / "long.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "39", "-i", clip(FILMS[0]), "-map", "0", "-c", "copy", film], check=True)
    with fresh_engine.session(film) as file:
        whole = digests(file)
    with ganesha() as server:
        finished(shutil.copy(film, server.films / film.name))
        with fresh_engine.session(server.url(film.name), find_subtitles=beside.OFF) as session:
            with concurrent.futures.ThreadPoolExecutor() as pool:
                server.stop()
                try:
                    found = pool.submit(digests, session)
                    eventually(lambda: fresh_engine.state(session.id).statistics.http_retries > 1, "the engine to try again")
                finally:
                    server.start()
                assert found.result(PATIENCE) == whole
