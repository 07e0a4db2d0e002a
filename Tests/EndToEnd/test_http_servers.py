# SPDX-License-Identifier: Apache-2.0
"""Films on common HTTP servers, directly or through a cache, are served byte for byte like the same files on disk."""

import urllib.parse

import grpc
import pytest
from harness import origin, servers
from harness.contract import engine_pb2, http_pb2
from harness.engine import PATIENCE, Session
from harness.hls import digest
from harness.places import FIXTURES, clip
from harness.tiers import tiered

FILMS = ["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts"]


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


@pytest.fixture(scope="module")
def local(engine):
    """Digests of all resources served for each film on disk."""
    found = {}
    for name in FILMS:
        with engine.session(clip(name)) as session:
            found[name] = digests(session)
    return found


def check(engine, url, local, proxy=""):
    for name in FILMS:
        connection = http_pb2.HttpConnectionOptions(proxy=proxy) if proxy else None
        request = engine_pb2.LoadRequest(source=f"{url}/{name}", http_connection=connection)
        session = Session(engine, engine.stub.Load(request, timeout=PATIENCE))
        assert digests(session) == local[name], name
        session.stop()


ORIGINS = {"apache2": servers.apache2, "lighttpd": servers.lighttpd, "aiohttp": servers.aiohttp}


@pytest.mark.parametrize("name", tiered(list(ORIGINS), {"apache2"}))
def test_films_on_common_servers_equal_the_files(fresh_engine, local, name):
    with ORIGINS[name]([clip(film) for film in FILMS]) as url:
        check(fresh_engine, url, local)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["proxy", "cache"])
def test_films_through_squid_equal_the_files(fresh_engine, local, kind):
    with origin.nginx(FIXTURES) as films:
        port = urllib.parse.urlsplit(films.url).port
        with servers.squid(port if kind == "cache" else None) as squid:
            if kind == "proxy":
                check(fresh_engine, films.url, local, proxy=squid)
            else:
                check(fresh_engine, squid, local)
            assert films.requests()


def test_a_server_without_http_1_is_refused(engine):
    """Media is requested over HTTP/1.1 only; nghttpd speaks HTTP/2 in clear."""
    with servers.nghttpd([clip(FILMS[0])]) as url:
        with pytest.raises(grpc.RpcError) as failure:
            engine.probe(f"{url}/{FILMS[0]}")
        assert failure.value.code().name == "UNAVAILABLE" and "source_unreachable" in failure.value.details()
