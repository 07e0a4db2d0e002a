# SPDX-License-Identifier: Apache-2.0
"""The cache on disk: bytes fetched from servers survive restarts and `kill -9`, are found under a URL with a new
signature, and are listed and cleared. If the disk is full or read-only, they are fetched again."""

import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import urllib.request

import pytest
from harness import numbered, origin
from harness.contract import engine_pb2
from harness.engine import PATIENCE, Engine, eventually
from harness.hls import digest
from harness.places import ENGINECTL, FIXTURES, clip
from harness.stills import source, thumbnail
from harness.tiers import tiered

FILM = "h264-aac.mkv"


@pytest.fixture(scope="module")
def long_film(tmp_path_factory):
    """About 18 MB: more than is read to open it, and than the smallest limit."""
    return looped(tmp_path_factory.mktemp("films") / "long.mkv", 25)


@pytest.fixture(scope="module")
def shorter_film(tmp_path_factory):
    """About 9 MB: more than is read to open it."""
    return looped(tmp_path_factory.mktemp("films") / "shorter.mkv", 12)


def looped(path, count):
    subprocess.run(
        ["ffmpeg", "-v", "error", "-stream_loop", str(count - 1), "-i", clip(FILM), "-map", "0", "-c", "copy", path], check=True)
    return path


@contextlib.contextmanager
def running(folder, *options, cache):
    engine = Engine(folder, *options, cache_home=cache)
    try:
        yield engine
        if engine.is_alive():
            engine.end()
    finally:
        if engine.is_alive():
            engine.kill()


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def report(engine):
    return engine.stub.GetSourceCache(engine_pb2.GetSourceCacheRequest(), timeout=PATIENCE)


def wait_for_disk_bytes(engine, count):
    """Waits until a source has `count` bytes on disk."""
    return eventually(
        lambda: next((found for found in report(engine).sources if found.disk_bytes >= count), None),
        f"{count} bytes on disk")


def fetched_bytes(film, start=0):
    return sum(request.range[1] + 1 - request.range[0] for request in film.requests[start:] if request.range)


# The bytes fetched to identify a source: those of the first request, and the blocks of its tail.
EDGES = (256 + 128) << 10


def test_films_told_apart_by_the_query_alone_have_their_own_stills(engine, tmp_path):
    films = [path.read_bytes() for path in (clip("h264-aac.mkv"), numbered.film("h264.mkv"))]
    # A Void element after each film gives both the same length.
    end = max(map(len, films)) + 16
    films = [film + b"\xec\x01" + (end - len(film) - 9).to_bytes(7) + bytes(end - len(film) - 9) for film in films]
    assert len(films[0]) == len(films[1])

    def respond(handler, request):
        film = films[int(request.path.rpartition("=")[2])]
        first, last = server.part(request)
        handler.answer(206, {"Content-Range": f"bytes {first}-{last}/{end}"}, film[first:last + 1])

    for number, film in enumerate(films):
        (tmp_path / f"{number}.mkv").write_bytes(film)
    with origin.origin(tmp_path / "0.mkv") as server:
        server.respond = respond
        for number in range(2):
            expected = thumbnail(engine, source(tmp_path / f"{number}.mkv"), 0).data
            assert thumbnail(engine, source(f"{server.url}?id={number}"), 0).data == expected


def test_cached_bytes_survive_a_kill(tmp_path, shorter_film):
    with origin.origin(shorter_film) as film:
        with running(tmp_path / "one", cache=tmp_path / "cache") as first:
            everything = digests(first.load(f"{film.url}?sig=1"))
            wait_for_disk_bytes(first, len(film.film))
            first.kill()
        count = len(film.requests)
        with running(tmp_path / "two", cache=tmp_path / "cache") as second:
            with film.waves(second) as waves:
                session = second.load(f"{film.url}?sig=2")
                digest(next(iter(session.master().everything())))
            # The start and the end of the source: everything else is on disk.
            assert len(waves) <= 2, waves
            assert digests(session) == everything
            # Statistics are published with a delay.
            eventually(
                lambda: second.state(session.id).statistics.http_disk_bytes > len(film.film) - EDGES,
                "the bytes from disk to be counted")
            assert second.state(session.id).statistics.http_cache_hits > 0
            assert thumbnail(second, source(f"{film.url}?sig=2"), 30_000_000).data
            base = session.url.split("/")[2]

            def metrics():
                text = urllib.request.urlopen(f"http://{base}/metrics", timeout=PATIENCE).read().decode()
                return dict(line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))

            counters = [f"engined_source_{name}_total" for name in ("requests", "bytes", "disk_bytes", "cache_hits")]
            values = metrics()
            for name in (*counters, "engined_source_cache_disk_bytes", "engined_source_cache_memory_bytes"):
                assert int(values[name]) > 0, name
            label = f'{{session="{session.id}"}}'
            assert int(values[f"engined_source_round_trip_microseconds{label}"]) > 0
            # A bandwidth is known only after an eighth of a second of transfers.
            assert all(f"engined_source_bandwidth_{mean}{label}" in values for mean in ("fast", "slow"))
            session.stop()
            second.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
            later = metrics()
            assert all(int(later[name]) >= int(values[name]) for name in counters), "counters never fall"
            assert not any(label in name for name in later)
            assert fetched_bytes(film, count) <= EDGES, [request.range for request in film.requests[count:]]


@pytest.mark.long
def test_a_kill_while_writing_leaves_only_valid_bytes(tmp_path, long_film):
    with origin.origin(long_film) as film:
        with running(tmp_path / "here", cache=tmp_path / "none") as engine, engine.session(long_film) as session:
            everything = digests(session)
        for attempt in range(4):
            with running(tmp_path / "killed", cache=tmp_path / "cache") as engine:
                session = engine.load(film.url)
                names = list(session.master().everything())
                for url in names[:len(names) * (attempt + 1) // 6]:
                    digest(url)
                engine.kill()
        with running(tmp_path / "last", cache=tmp_path / "cache") as engine, engine.session(film.url) as session:
            assert digests(session) == everything
            eventually(lambda: engine.state(session.id).statistics.http_disk_bytes > 0, "the bytes from disk to be counted")


def test_a_changed_source_is_fetched_again(tmp_path, shorter_film):
    with origin.origin(shorter_film) as film:
        with running(tmp_path / "one", cache=tmp_path / "cache") as engine, engine.session(film.url) as session:
            digests(session)
            wait_for_disk_bytes(engine, len(film.film))
        other = tmp_path / "other.mkv"
        shutil.copy(shorter_film, other)
        # Only the middle changes, not the length or the ends.
        with open(other, "r+b") as file:
            file.seek(len(film.film) // 2)
            file.write(bytes(1000))
        film.film, film.etag = other.read_bytes(), '"two"'
        with running(tmp_path / "two", cache=tmp_path / "cache") as engine:
            with engine.session(film.url) as there, engine.session(other) as here:
                assert digests(there) == digests(here)
                # Statistics are published with a delay.
                eventually(lambda: engine.state(there.id).statistics.http_bytes >= len(film.film), "the bytes to be counted")
                assert engine.state(there.id).statistics.http_disk_bytes == 0


@pytest.mark.long
def test_the_cache_is_listed_and_cleared(tmp_path, long_film):
    def enginectl(*arguments):
        return subprocess.run(
            [ENGINECTL, "--socket", engine.socket, "cache", *arguments], check=True, capture_output=True, text=True).stdout
    with origin.origin(long_film) as film, origin.nginx(FIXTURES) as server, \
            running(tmp_path / "one", cache=tmp_path / "cache") as engine:
        url = film.url.replace("http://", "http://user:secret@") + "?token=hidden"
        with engine.session(url) as session:
            digests(session)
            length = len(film.film)
            wait_for_disk_bytes(engine, length)
            engine.probe(f"{server.url}/{FILM}")
            listed = json.loads(enginectl("--json"))
            own = next(found for found in listed["sources"] if found["url"] == film.url)
            assert own["byte_count"] == own["disk_bytes"] == length and own["in_use"] and own["last_use_unix_us"] > 0
            assert listed["disk_limit_bytes"] == 1 << 30 and listed["problem"] == ""
            text = enginectl()
            assert film.url in text and "in use" in text and "secret" not in text and "hidden" not in text
            cleared = json.loads(enginectl("clear", "--json", film.url + "?token=other"))
            assert cleared["sources"] == 1 and cleared["bytes"] >= length
            assert not any(found["disk_bytes"] for found in json.loads(enginectl("--json"))["sources"]
                           if found["url"] == film.url)
            count = len(film.requests)
            assert digests(session) and len(film.requests) > count
        assert "removed" in enginectl("clear")
        assert not any(found["disk_bytes"] for found in json.loads(enginectl("--json"))["sources"])
    files = list((tmp_path / "cache").rglob("*.b*"))
    assert not any("secret" in str(path) or b"secret" in path.read_bytes() for path in files)


@pytest.mark.long
def test_the_disk_limit_is_respected(tmp_path, long_film):
    limit = 16 << 20
    with origin.origin(long_film) as film, \
            running(tmp_path / "one", "--cache-disk-bytes", "16M", cache=tmp_path / "cache") as engine:
        with engine.session(film.url) as session:
            digests(session)
            eventually(lambda: report(engine).disk_bytes > limit // 2, "the disk to fill")
            taken = sum(path.stat().st_blocks * 512 for path in (tmp_path / "cache").rglob("*.bytes"))
            assert report(engine).disk_bytes <= limit and taken <= limit + (1 << 20)
            assert all(path.stat().st_mode & 0o777 == 0o600 for path in (tmp_path / "cache").rglob("*.b*"))


@pytest.mark.long
def test_the_cache_can_be_disabled_or_moved(tmp_path, long_film):
    with origin.origin(long_film) as film:
        with running(tmp_path / "off", "--cache-disk-bytes", "off", cache=tmp_path / "cache") as engine, \
                engine.session(film.url) as session:
            digests(session)
            assert report(engine).disk_limit_bytes == 0 and report(engine).memory_bytes > 0
        assert not list((tmp_path / "cache").rglob("*.bytes"))
        place = tmp_path / "elsewhere"
        with running(tmp_path / "on", "--cache-disk-directory", str(place), cache=tmp_path / "cache") as engine, \
                engine.session(film.url) as session:
            digests(session)
            wait_for_disk_bytes(engine, len(film.film))
            assert report(engine).directory == str(place)
        assert list(place.glob("*.bytes")) and not list((tmp_path / "cache").rglob("*.bytes"))


@contextlib.contextmanager
def small_disk(path, options):
    """A file system in memory, mounted at `path` with the options. Only root can mount it."""
    path.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", os.fsencode(path), b"tmpfs", 0, options.encode()):
        pytest.skip("no file system can be mounted here (root?)")
    try:
        yield path
    finally:
        libc.umount2(os.fsencode(path), 2)


@pytest.mark.long
@pytest.mark.parametrize("kind", tiered(["full", "read-only"], {"full"}))
def test_an_unwritable_disk_only_causes_more_fetches(tmp_path, long_film, kind):
    with origin.origin(long_film) as film, small_disk(tmp_path / "disk", "size=4m") as disk:
        if kind == "read-only":
            assert ctypes.CDLL(None).mount(b"none", os.fsencode(disk), None, 0x21, b"") == 0
        with running(tmp_path / "here", cache=tmp_path / "none") as engine, engine.session(long_film) as session:
            everything = digests(session)
        with running(tmp_path / "one", cache=disk) as engine:
            for name in ("a", "b"):
                with engine.session(f"{film.url}?{name}") as session:
                    assert digests(session) == everything
            eventually(lambda: report(engine).problem, "the problem to be reported")
            eventually(lambda: engine.log.read_text().count("kept in memory only") == 1, "the log to say so")
        if kind == "full":
            # Blocks that were written before are still read.
            with running(tmp_path / "two", cache=disk) as engine, engine.session(film.url) as session:
                assert digests(session) == everything
                eventually(lambda: engine.state(session.id).statistics.http_disk_bytes > 0, "the bytes from disk to be counted")


@pytest.mark.long
def test_a_second_engine_on_the_same_cache_uses_memory_only(tmp_path, long_film):
    with origin.origin(long_film) as film, running(tmp_path / "one", cache=tmp_path / "cache") as first, \
            running(tmp_path / "two", cache=tmp_path / "cache") as second:
        with first.session(film.url) as one, second.session(film.url) as two:
            assert digests(one) == digests(two)
        assert "another engine uses it" in report(second).problem and report(first).problem == ""
        assert pathlib.Path(report(first).directory).is_dir()
