# SPDX-License-Identifier: Apache-2.0
"""The loopback server answers as players and RFC 9110 expect, and serves no other clients."""

import http.client
import os
import socket
import threading
import urllib.parse

import pytest
from harness.engine import PATIENCE, eventually
from harness.hls import Media, fetch, request
from harness.places import clip


@pytest.fixture(scope="module")
def session(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        yield session


@pytest.fixture(scope="module")
def segment(session):
    return Media.complete(session.master().variants[0][1]).segments[1].url


def test_types(session, segment):
    assert request(session.url).headers["content-type"].startswith("application/vnd.apple.mpegurl")
    assert request(segment).headers["content-type"] == "video/mp4"
    audio = Media.complete(session.master().renditions[0][1])
    assert request(audio.segments[0].url).headers["content-type"] == "audio/mp4"


def test_head_says_what_get_would(segment):
    got, head = request(segment), request(segment, "HEAD")
    assert head.status == 200 and not head.body
    assert head.headers["content-length"] == got.headers["content-length"] == str(len(got.body))
    assert head.headers["etag"] == got.headers["etag"]


def test_ranges(segment):
    whole = fetch(segment)
    size = len(whole)
    for given, expected in [("bytes=0-99", whole[:100]), ("bytes=100-", whole[100:]), ("bytes=-50", whole[-50:]),
                            (f"bytes=10-{size + 500}", whole[10:]), (f"bytes=-{size + 5}", whole)]:
        reply = request(segment, headers={"Range": given})
        assert reply.status == 206 and reply.body == expected, given
        start = size - len(expected) if given.startswith("bytes=-") else int(given[6:].split("-")[0])
        assert reply.headers["content-range"] == f"bytes {start}-{start + len(expected) - 1}/{size}"
    beyond = request(segment, headers={"Range": f"bytes={size}-"})
    assert beyond.status == 416 and beyond.headers["content-range"] == f"bytes */{size}"
    for senseless in ("bytes=5-2", "lines=1-2", "bytes=x"):
        assert request(segment, headers={"Range": senseless}).status in (200, 416), senseless


def test_an_etag_saves_the_second_transfer(segment):
    tag = request(segment).headers["etag"]
    again = request(segment, headers={"If-None-Match": tag})
    assert again.status == 304 and not again.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_other_methods_are_refused(segment, method):
    reply = request(segment, method)
    assert reply.status == 405 and "GET" in reply.headers["allow"]


def test_what_does_not_exist_is_404(session):
    base = session.url.rsplit("/", 1)[0]
    token = base.rsplit("/", 1)[1]
    media = Media.complete(session.master().variants[0][1])
    past = media.segments[-1].url
    stem, dot, suffix = past.rpartition(".")
    digits = len(stem) - len(stem.rstrip("0123456789"))
    beyond = stem[:-digits] + str(int(stem[-digits:]) + 1).zfill(digits) + dot + suffix
    for url in (beyond, f"{base}/nothing.m4s", base, f"{base}/../../etc/passwd", f"{base}/%2e%2e/master.m3u8",
                session.url.replace(token, "0" * len(token)), session.url.replace(token, token[:-1]),
                session.url.replace(token, token.swapcase())):
        assert request(url).status == 404, url
    root = session.url.split(token)[0]
    assert request(root).status == 404 and not request(root).headers.get("access-control-allow-origin")


def test_a_foreign_host_is_refused(session):
    parts = urllib.parse.urlsplit(session.url)
    for host, allowed in ((f"127.0.0.1:{parts.port}", True), (f"localhost:{parts.port}", True),
                          (f"evil.example:{parts.port}", False), ("evil.example", False), ("", False)):
        reply = request(session.url, headers={"Host": host})
        assert (reply.status == 200) == allowed, (host, reply.status)
        assert allowed or reply.status in (400, 403, 404, 421)


def test_cors_is_answered_below_a_token_only(session, segment):
    origin = {"Origin": "https://player.example"}
    assert request(segment, headers=origin).headers.get("access-control-allow-origin") in ("*", "https://player.example")
    preflight = {**origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range",
                 "Access-Control-Request-Private-Network": "true"}
    reply = request(segment, "OPTIONS", preflight)
    assert reply.status in (200, 204)
    assert reply.headers["access-control-allow-private-network"] == "true"
    allowed = reply.headers["access-control-allow-headers"].lower()
    assert "range" in allowed or allowed == "*"
    token = session.url.split("/")[3]
    wrong = request(segment.replace(token, "A" * len(token)), "OPTIONS", preflight)
    assert wrong.status == 404 and "access-control-allow-origin" not in wrong.headers


def test_one_connection_serves_many_requests(session, segment):
    parts = urllib.parse.urlsplit(session.url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    connection.connect()
    kept = connection.sock
    for url in [session.url, segment] * 10:
        connection.request("GET", urllib.parse.urlsplit(url).path)
        reply = connection.getresponse()
        assert reply.status == 200 and reply.read()
        assert connection.sock is kept, "the connection was not kept"
    connection.close()


def test_pipelined_requests_are_answered_in_order(session, segment):
    parts = urllib.parse.urlsplit(session.url)
    with socket.create_connection((parts.hostname, parts.port), PATIENCE) as connection:
        for path in (parts.path, urllib.parse.urlsplit(segment).path):
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        data, end = b"", fetch(segment)[-100:]
        while not data.endswith(end):
            data += connection.recv(65536)
    assert data.index(b"application/vnd.apple.mpegurl") < data.index(b"video/mp4")


@pytest.mark.parametrize("text", [
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-A: " + b"b" * 200_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(20_000)) + b"\r\n",
    b"\x00\x01\x02\x03\xff\r\n\r\n" * 100, b"HELLO\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    # The server waits for the rest of these requests as long as for any other.
    pytest.param(b"\x16\x03\x01\x02\x00\x01" * 50, marks=pytest.mark.long),
    pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", marks=pytest.mark.long),
], ids=["long line", "long header", "many headers", "bytes", "words", "version", "tls", "http2"])
def test_oversized_and_senseless_requests_are_cut(engine, session, text):
    parts = urllib.parse.urlsplit(session.url)
    with socket.create_connection((parts.hostname, parts.port), PATIENCE) as connection:
        answer = b""
        try:
            connection.sendall(text)
            while chunk := connection.recv(65536):
                answer += chunk
        except (ConnectionError, BrokenPipeError):
            pass
    assert not answer or answer.split()[1][:1] == b"4", answer[:100]
    assert request(session.url).status == 200


def test_a_reader_that_stops_reading_hurts_nobody(engine, session, segment):
    parts = urllib.parse.urlsplit(session.url)
    stuck = []
    for _ in range(50):
        connection = socket.create_connection((parts.hostname, parts.port), PATIENCE)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line = f"GET {urllib.parse.urlsplit(segment).path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
        connection.sendall(line.encode() * 20)
        stuck.append(connection)
    assert fetch(segment)
    for connection in stuck:
        connection.close()
    assert fetch(segment)


def test_stop_releases_held_requests(engine, tmp_path):
    # A FIFO cannot be loaded, so a growing plan holds the request: for an index that is not announced yet.
    big = tmp_path / "long.ts"
    with open(big, "wb") as out:
        data = clip("h264-aac.ts").read_bytes()
        for _ in range(40):
            out.write(data)
    session = engine.load(big)
    urls = [segment.url for url in session.master().playlists() for segment in Media(url).segments]
    done = []
    threads = [threading.Thread(target=lambda url=url: done.append(request(url).status)) for url in urls[:16]]
    for thread in threads:
        thread.start()
    session.stop()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(done) == len(threads) and set(done) <= {200, 404, 410, 503}, done
    assert request(session.url).status == 404
    os.unlink(big)


def test_clients_that_go_away_leave_nothing(engine, session, segment):
    parts = urllib.parse.urlsplit(session.url)
    fetch(segment)
    before = engine.descriptors()
    for _ in range(300):
        connection = socket.create_connection((parts.hostname, parts.port), PATIENCE)
        connection.sendall(f"GET {urllib.parse.urlsplit(segment).path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        connection.close()
    eventually(lambda: engine.descriptors() <= before + 2, "the descriptors to come back")
