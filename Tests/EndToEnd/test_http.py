# SPDX-License-Identifier: Apache-2.0
"""The loopback server answers as players and RFC 9110 expect, and refuses unknown tokens, foreign hosts and malformed
requests."""

import email.parser
import email.policy
import http.client
import os
import socket
import subprocess
import threading
import urllib.parse

import pytest
from harness.engine import PATIENCE, eventually
from harness.hls import Media, fetch, request
from harness.origin import origin
from harness.places import clip


@pytest.fixture(scope="module")
def session(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        yield session


@pytest.fixture(scope="module")
def segment(session):
    return Media.complete(session.master().variants[0][1]).segments[1].url


@pytest.fixture(scope="module")
def long_film(tmp_path_factory):
    """About 30 MB: its end is not read ahead."""
    path = tmp_path_factory.mktemp("films") / "long.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "40", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy", path], check=True)
    return path


def test_resources_have_their_media_types(session, segment):
    assert request(session.url).headers["content-type"].startswith("application/vnd.apple.mpegurl")
    assert request(segment).headers["content-type"] == "video/mp4"
    audio = Media.complete(session.master().renditions[0][1])
    assert request(audio.segments[0].url).headers["content-type"] == "audio/mp4"


def test_head_has_the_headers_of_get(segment):
    got, head = request(segment), request(segment, "HEAD")
    assert head.status == 200 and not head.body
    assert head.headers["content-length"] == got.headers["content-length"] == str(len(got.body))
    assert head.headers["etag"] == got.headers["etag"]


def test_ranges_are_served(segment):
    whole = fetch(segment)
    size = len(whole)
    for given, expected in [("bytes=0-99", whole[:100]), ("bytes=100-", whole[100:]), ("bytes=-50", whole[-50:]),
                            (f"bytes=10-{size + 500}", whole[10:]), (f"bytes=-{size + 5}", whole)]:
        reply = request(segment, headers={"Range": given})
        assert reply.status == 206 and reply.body == expected, given
        start = size - len(expected) if given.startswith("bytes=-") else int(given[6:].split("-")[0])
        assert reply.headers["content-range"] == f"bytes {start}-{start + len(expected) - 1}/{size}"
    for beyond in (f"bytes={size}-", "bytes=-0", f"bytes={size}-{size + 5},-0"):
        reply = request(segment, headers={"Range": beyond})
        assert reply.status == 416 and reply.headers["content-range"] == f"bytes */{size}", beyond
    for senseless in ("bytes=5-2", "lines=1-2", "bytes=x", "bytes=0-1,5-2", "bytes=", "0-1"):
        reply = request(segment, headers={"Range": senseless})
        assert reply.status == 200 and reply.body == whole, senseless
    head = request(segment, "HEAD", {"Range": "bytes=0-9"})
    assert head.status == 200 and head.headers["content-length"] == str(size)


def parts_of(reply):
    """(Content-Range, Content-Type) of each part of a multipart/byteranges body, as Python's mail parser reads it."""
    head = f"Content-Type: {reply.headers['content-type']}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + reply.body)
    assert message.get_content_type() == "multipart/byteranges" and not message.defects
    return [(part["content-range"], part.get_content_type()) for part in message.iter_parts()]


def test_several_ranges_are_served_as_multipart(segment):
    whole = fetch(segment)
    size = len(whole)
    reply = request(segment, headers={"Range": "bytes=0-9, -5,100-199"})
    assert reply.status == 206 and "content-range" not in reply.headers
    assert int(reply.headers["content-length"]) == len(reply.body) and reply.headers["etag"]
    assert parts_of(reply) == [(f"bytes {first}-{last}/{size}", "video/mp4") for first, last in ((0, 9), (size - 5, size - 1), (100, 199))]
    boundary = reply.headers["content-type"].split("boundary=")[1].encode()
    pieces = reply.body.split(b"--" + boundary)
    assert pieces[0] == b"" and pieces[-1] == b"--\r\n"
    assert [piece.split(b"\r\n\r\n", 1)[1][:-2] for piece in pieces[1:-1]] == [whole[:10], whole[-5:], whole[100:200]]
    # Ranges that overlap, or a single satisfiable one, give one part; too many ranges give the whole resource.
    for given, expected in [("bytes=0-9,5-19", whole[:20]), (f"bytes=3-4,{size}-", whole[3:5])]:
        reply = request(segment, headers={"Range": given})
        assert reply.status == 206 and reply.body == expected and "content-range" in reply.headers, given
    assert request(segment, headers={"Range": "bytes=" + ",".join(f"{n * 2}-{n * 2}" for n in range(100))}).body == whole
    # curl requests several ranges, too.
    fetched = subprocess.run(["curl", "-sS", "-r", "0-9,100-199", segment], check=True, capture_output=True).stdout
    assert whole[:10] in fetched and whole[100:200] in fetched and fetched.count(b"Content-Range: bytes") == 2


def resources(session):
    """The URL of one resource of each kind."""
    master = session.master()
    video, audio = Media.complete(master.variants[0][1]), Media.complete(master.renditions[0][1])
    base = session.url.rsplit("/", 1)[0]
    return {"playlist": session.url, "media playlist": video.url, "init": video.init, "segment": video.segments[0].url,
            "audio": audio.segments[0].url, "keyframe": f"{base}/video/keyframe-0.m4s", "storyboard": f"{base}/storyboard.vtt",
            "still": f"{base}/storyboard/0.jpg"}


def test_conditional_requests_follow_rfc_9110(session):
    long_ago, some_day = "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"
    for kind, url in resources(session).items():
        whole = request(url)
        tag = whole.headers["etag"]
        assert whole.status == 200 and tag.startswith('"') and "last-modified" not in whole.headers, kind
        for given, status in [
                ({"If-None-Match": tag}, 304), ({"If-None-Match": f'"x", W/{tag}'}, 304), ({"If-None-Match": "*"}, 304),
                ({"If-None-Match": '"x"'}, 200), ({"If-Match": tag}, 200), ({"If-Match": "*"}, 200), ({"If-Match": f'"x",{tag}'}, 200),
                ({"If-Match": '"x"'}, 412), ({"If-Match": f"W/{tag}"}, 412), ({"If-Match": '"x"', "If-None-Match": tag}, 412),
                ({"If-Match": tag, "If-None-Match": tag}, 304),
                # There is no date to compare with.
                ({"If-Modified-Since": some_day}, 200), ({"If-Unmodified-Since": long_ago}, 200),
                ({"If-None-Match": '"x"', "If-Modified-Since": some_day}, 200),
                # Conditions are evaluated before the range.
                ({"If-None-Match": tag, "Range": "bytes=0-0"}, 304), ({"If-Match": '"x"', "Range": "bytes=0-0"}, 412),
                ({"If-None-Match": '"x"', "Range": "bytes=0-0"}, 206), ({"If-Range": tag, "Range": "bytes=0-0"}, 206),
                ({"If-Range": '"x"', "Range": "bytes=0-0"}, 200), ({"If-Range": f"W/{tag}", "Range": "bytes=0-0"}, 200),
                ({"If-Range": some_day, "Range": "bytes=0-0"}, 200), ({"If-Range": '"x"', "Range": "bytes=9999999-"}, 200),
                ({"If-Range": tag}, 200)]:
            reply = request(url, headers=given)
            assert reply.status == status, (kind, given, reply.status)
            if status in (200, 206, 304):
                assert reply.headers["etag"] == tag and reply.headers["cache-control"] == whole.headers["cache-control"], (kind, given)
            if status == 304:
                assert not reply.body and "content-length" not in reply.headers and "content-type" not in reply.headers
            head = request(url, "HEAD", {name: value for name, value in given.items() if name not in ("Range", "If-Range")})
            assert head.status == {206: 200}.get(status, status) and not head.body, (kind, given)
        # Conditions apply only to resources that exist.
        assert request(url.rsplit("/", 1)[0] + "/nothing.m4s", headers={"If-None-Match": "*", "If-Match": '"x"'}).status == 404


def test_a_changed_file_gets_new_entity_tags(start_engine, tmp_path):
    path = tmp_path / "film.mkv"
    path.write_bytes(clip("h264-aac.mkv").read_bytes())
    engine = start_engine()
    session = engine.load(path)
    eventually(lambda: engine.has_journaled(str(path)), "the journal")
    tags = {kind: request(url).headers["etag"] for kind, url in resources(session).items()}
    for is_changed in (False, True):
        engine.process.kill()
        engine.process.wait()
        if is_changed:
            os.utime(path, (1, 1))
        engine = start_engine(directory=engine.directory)
        # Another process may have taken the port, which is not part of a tag.
        session.url = engine.state(session.id).url
        again = {kind: request(url).headers["etag"] for kind, url in resources(session).items()}
        changed = {kind for kind in tags if tags[kind] != again[kind]}
        # Small resources are tagged by their bytes.
        assert changed == ({"segment", "audio", "keyframe"} if is_changed else set())


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_other_methods_are_refused(segment, method):
    reply = request(segment, method)
    assert reply.status == 405 and "GET" in reply.headers["allow"]


def test_unknown_paths_are_404(session):
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


def test_cors_is_answered_only_below_a_token(session, segment):
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
            assert (more := connection.recv(65536)), data[-200:]
            data += more
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
def test_oversized_and_invalid_requests_are_refused(engine, session, text):
    parts = urllib.parse.urlsplit(session.url)
    with socket.create_connection((parts.hostname, parts.port), PATIENCE) as connection:
        answer = b""
        try:
            connection.sendall(text)
            while chunk := connection.recv(65536):
                answer += chunk
        except (ConnectionError, BrokenPipeError):
            pass
    expected = b"505" if b" HTTP/9.9" in text else b"4"
    assert not answer or answer.split()[1].startswith(expected), answer[:100]
    assert request(session.url).status == 200


def test_stalled_readers_do_not_block_others(engine, session, segment):
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


def test_stop_releases_held_requests(engine, long_film):
    with origin(long_film) as film:
        session = engine.load(film.url)
        urls = [segment.url for url in session.master().playlists() for segment in Media.complete(url).segments[-8:]]
        asked = threading.Event()

        def respond(handler, request):
            asked.set()
            film.released.wait()

        # No segment can be made any more.
        film.respond = respond
        done = []
        threads = [threading.Thread(target=lambda url=url: done.append(request(url).status)) for url in urls]
        for thread in threads:
            thread.start()
        assert asked.wait(PATIENCE)
        session.stop()
        for thread in threads:
            thread.join(PATIENCE)
        # A request that comes after the stop finds nothing. Without a stop, it would be 503 after half a minute.
        assert len(done) == len(threads) and {410} <= set(done) <= {404, 410}, done
    assert request(session.url).status == 404


def test_clients_that_disconnect_leave_no_descriptors(engine, session, segment):
    parts = urllib.parse.urlsplit(session.url)
    fetch(segment)
    before = engine.descriptors()
    for _ in range(300):
        connection = socket.create_connection((parts.hostname, parts.port), PATIENCE)
        connection.sendall(f"GET {urllib.parse.urlsplit(segment).path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        connection.close()
    eventually(lambda: engine.descriptors() <= before + 2, "the descriptors to come back")
