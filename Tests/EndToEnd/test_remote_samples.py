# SPDX-License-Identifier: Apache-2.0
"""Every real sample, from a server with ranges and from one without: the same description, segments, cues and stills as
from disk, and the same errors."""

import os

import grpc
import pytest
from harness import growing, origin
from harness.engine import eventually
from harness.hls import digest, request
from harness.places import SAMPLES
from harness.sidecars import read
from harness.stills import snapshot, source, thumbnail

pytestmark = pytest.mark.long

MEDIA = {".mkv", ".webm", ".mp4", ".m4a", ".mov", ".ts", ".m2ts", ".avi", ".ogg", ".opus", ".flv", ".mka", ".mp3", ".flac",
         ".aac", ".ac3", ".wav"}
PATHS = sorted(path for path in SAMPLES.rglob("*") if path.suffix in MEDIA) if SAMPLES.is_dir() else []


def outcome(call):
    """The result of a call, or its status and error code."""
    try:
        return call()
    except grpc.RpcError as error:
        return error.code().name, error.details().split(":", 1)[0]


def everything(engine, url):
    """A source's description, the digests of all served resources, its cues and two stills."""
    def described():
        found = engine.probe(url)
        found.source = ""
        return found

    def served():
        with engine.session(url) as session:
            eventually(lambda: not engine.state(session.id).growing, "the end of the source to be known")
            if (reply := request(session.url)).status != 200:
                # Only the software path plays the source's formats.
                return reply.status, reply.body.split(b":", 1)[0]
            return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}

    def still(take, moment):
        made = take(engine, source(url), moment)
        return made.data, made.time_us

    return (outcome(described), outcome(served), outcome(lambda: read(engine, source=url)),
            outcome(lambda: still(snapshot, 1_000_000)), outcome(lambda: still(thumbnail, 3_000_000)))


@pytest.fixture(scope="module")
def server():
    with origin.nginx(SAMPLES) as server:
        yield server


@pytest.mark.skipif(not PATHS, reason="there are no real samples in ../shared/media or $ENGINE_MEDIA")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: os.path.relpath(path, SAMPLES))
def test_a_sample_on_a_server_is_served_like_the_file(engine, server, path):
    local = everything(engine, str(path))
    assert everything(engine, f"{server.url}/{os.path.relpath(path, SAMPLES)}") == local


@pytest.mark.skipif(not PATHS, reason="there are no real samples in ../shared/media or $ENGINE_MEDIA")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: os.path.relpath(path, SAMPLES))
def test_a_sample_plays_from_a_server_without_ranges(engine, path):
    """All served resources, or the error, equal those of the file on disk."""
    local = everything(engine, str(path))[1]
    with origin.origin(path) as film:
        film.respond = growing.Forward(film)
        assert everything(engine, film.url)[1] == local
