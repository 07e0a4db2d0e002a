# SPDX-License-Identifier: Apache-2.0
"""A stock cache in front of the engine: nginx stores segments, revalidates playlists, and cuts ranges of its own."""

import concurrent.futures
import contextlib
import hashlib
import os
import random
import shutil
import socket
import subprocess
import urllib.parse

import pytest
from harness.engine import eventually
from harness.hls import Media, fetch, request
from harness.places import clip
from harness.ports import free_port

CONFIGURATION = """
{user} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log notice;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/temporary; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
    scgi_temp_path {folder}/s;
    proxy_cache_path {folder}/cache levels=1 keys_zone=media:4m max_size=256m inactive=1h use_temp_path=off;
    server {{
        listen 127.0.0.1:{port};
        add_header X-Cache $upstream_cache_status always;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        # Playlists: stored, and asked for again each time (Cache-Control: no-cache, ETag).
        location ~ \\.m3u8$ {{
            proxy_pass http://127.0.0.1:{upstream}; proxy_cache media; proxy_ignore_headers Cache-Control;
            proxy_cache_valid 200 1s; proxy_cache_revalidate on;
        }}
        # Media never changes under its name; browsers are told not to store it, this cache may.
        location / {{
            proxy_pass http://127.0.0.1:{upstream}; proxy_cache media; proxy_ignore_headers Cache-Control; proxy_cache_lock on;
            proxy_cache_valid 200 206 1h; slice {slice}; proxy_set_header Range $slice_range; proxy_cache_key $uri$slice_range;
        }}
    }}
}}
"""


@contextlib.contextmanager
def cache(folder, upstream, slice_bytes):
    port = free_port()
    folder.mkdir()
    (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=port, upstream=upstream, slice=slice_bytes,
                                                              user="user root;" if os.geteuid() == 0 else ""))
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    process = subprocess.Popen([program, "-c", folder / "nginx.conf", "-p", folder, "-e", folder / "error.log"])

    def listens():
        assert process.poll() is None, (folder / "error.log").read_text()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False

    try:
        eventually(listens, "nginx to listen")
        yield port
        assert "etag mismatch" not in (folder / "error.log").read_text().lower()
    finally:
        process.terminate()
        process.wait()


def through(url, port):
    return urllib.parse.urlsplit(url)._replace(netloc=f"127.0.0.1:{port}").geturl()


@pytest.mark.long
@pytest.mark.parametrize("slice_bytes", ["0", "16k"])
def test_a_cache_serves_the_same_bytes(start_engine, tmp_path, slice_bytes):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    upstream = urllib.parse.urlsplit(session.url).port
    with cache(tmp_path / "nginx", upstream, slice_bytes) as port:
        urls = [url for playlist in session.master().playlists() for media in [Media.complete(playlist)]
                for url in [media.init, *(segment.url for segment in media.segments)]]
        whole = {url: fetch(url) for url in urls}
        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            for reply, url in zip(clients.map(lambda url: request(through(url, port)), urls * 2), urls * 2):
                assert reply.status == 200 and reply.body == whole[url]
        before = engine.state(session.id)
        for url in urls:
            reply = request(through(url, port))
            assert reply.headers["x-cache"] == "HIT" and reply.headers["etag"] == request(url, "HEAD").headers["etag"]
        draw = random.Random(7)
        for _ in range(300):
            url = draw.choice(urls)
            first = draw.randrange(len(whole[url]))
            last = draw.randrange(first, len(whole[url]) + 100)
            given = draw.choice([f"bytes={first}-{last}", f"bytes={first}-", f"bytes=-{last - first + 1}"])
            reply = request(through(url, port), headers={"Range": given})
            expected = whole[url][first:last + 1] if given.endswith(str(last)) and not given.startswith("bytes=-") else (
                whole[url][first:] if given.endswith("-") else whole[url][-(last - first + 1):])
            assert reply.status == 206 and reply.body == expected, given
        for url in urls:
            tag = request(url, "HEAD").headers["etag"]
            assert request(through(url, port), headers={"If-None-Match": tag}).status == 304
            assert request(through(url, port), headers={"Range": f"bytes={len(whole[url])}-"}).status == 416
            assert request(through(url, port), headers={"If-Range": '"x"', "Range": "bytes=0-0"}).body == whole[url]
        # All of that came from the cache.
        assert engine.state(session.id).production.segments_produced == before.production.segments_produced
        # After the engine has stopped, the cache still serves the same bytes, also as ranges.
        engine.kill()
        for url in urls:
            assert request(through(url, port), headers={"Range": "bytes=1-99"}).body == whole[url][1:100]


def test_a_cache_revalidates_playlists_and_ffmpeg_plays_through_it(start_engine, tmp_path):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    with cache(tmp_path / "nginx", urllib.parse.urlsplit(session.url).port, "0") as port:
        url = through(session.url, port)
        assert request(url).headers["x-cache"] == "MISS"
        eventually(lambda: request(url).headers["x-cache"] == "REVALIDATED", "the cache to ask again")
        played = [hashlib.md5(subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", each, "-map", "0:v", "-c", "copy", "-f", "framemd5", "-"], check=True,
            capture_output=True).stdout).hexdigest() for each in (session.url, url)]
        assert played[0] == played[1]
