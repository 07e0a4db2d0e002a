# SPDX-License-Identifier: Apache-2.0
"""The machine's network: a link or a route that goes and comes back is reported, and playback continues at once; an
unreachable address or a silent name server causes no delay."""

import concurrent.futures
import contextlib
import socket
import subprocess

import pytest
from harness import hls, origin
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import digest
from harness.places import clip
from harness.watching import Notices
from harness.wire import FAR, NEAR, wire

FILM = "h264-aac.mkv"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def long_film(tmp_path_factory):
    """About 30 MB: more than is read to open it."""
    path = tmp_path_factory.mktemp("films") / "long.mkv"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-stream_loop", "40", "-i", clip(FILM), "-map", "0", "-c", "copy", path], check=True)
    return path


def test_a_lost_link_is_reported_and_playback_resumes(tmp_path, engine, long_film):
    with engine.session(long_film) as here:
        urls = hls.Media.complete(here.master().playlists()[0]).segments
        wanted = [digest(segment.url) for segment in urls]
    with wire() as line, line.serving(long_film) as film, line.engine(tmp_path / "engine") as remote:
        notices = Notices(remote)
        session = remote.load(film.url)
        urls = line.near.do(lambda: [part.url for part in hls.Media.complete(session.master().playlists()[0]).segments])
        assert line.near.do(lambda: digest(urls[0])) == wanted[0]
        line.cut()
        eventually(lambda: "network.lost" in notices.codes, "the link to be lost")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            middle = pool.submit(line.near.do, lambda: digest(urls[len(urls) // 2]))
            eventually(lambda: "source.waiting" in notices.codes, "the wait for the server")
            line.restore()
            assert middle.result(PATIENCE) == wanted[len(urls) // 2]
        eventually(lambda: "network.restored" in notices.codes, "the link to be back")
        assert line.near.do(lambda: digest(urls[-1])) == wanted[-1]
        assert remote.state(session.id).source_wait == ""
        notices.end()
        session.stop()


def test_a_lost_route_is_reported_and_playback_resumes(tmp_path, engine, long_film):
    """The machine's only route is lost, while its link stays up."""
    route = ("10.9.0.0/24", "dev", "wire0", "src", NEAR)
    with engine.session(long_film) as here:
        wanted = digest(hls.Media.complete(here.master().playlists()[0]).segments[-1].url)
    with wire() as line, line.serving(long_film) as film, line.engine(tmp_path / "engine") as remote:
        notices = Notices(remote)
        session = remote.load(film.url)
        url = line.near.do(lambda: hls.Media.complete(session.master().playlists()[0]).segments[-1].url)
        line.near.run("ip", "route", "del", *route)
        eventually(lambda: "network.lost" in notices.codes, "the route to be lost")
        assert "network.restored" not in notices.codes
        line.near.run("ip", "route", "add", *route)
        eventually(lambda: "network.restored" in notices.codes, "the route to be back")
        assert line.near.do(lambda: digest(url)) == wanted
        notices.end()
        session.stop()


def test_a_default_route_that_disappears_with_its_address_is_reported(tmp_path, long_film):
    """As when a DHCP lease ends: the kernel reports the lost address, but not the lost route."""
    with wire() as line, line.serving(long_film) as film, line.engine(tmp_path / "engine") as remote:
        line.near.run("ip", "route", "add", "default", "via", FAR, "dev", "wire0")
        notices = Notices(remote)
        session = remote.load(film.url)
        line.near.run("ip", "address", "flush", "dev", "wire0")
        eventually(lambda: "network.lost" in notices.codes, "the route to be lost")
        assert "network.restored" not in notices.codes
        line.near.run("ip", "address", "add", f"{NEAR}/24", "dev", "wire0")
        line.near.run("ip", "route", "add", "default", "via", FAR, "dev", "wire0")
        eventually(lambda: "network.restored" in notices.codes, "the route to be back")
        notices.end()
        session.stop()


def test_an_unreachable_address_causes_no_delay(tmp_path):
    """The host name has an IPv6 address, which is tried first and drops all packets, and an IPv4 address."""
    with wire() as line, line.serving(clip(FILM)) as film:
        line.near.run("ip", "tuntap", "add", "mode", "tun", "name", "hole")
        line.near.run("ip", "link", "set", "hole", "up")
        line.near.run("ip", "-6", "addr", "add", "2001:db8::1/64", "dev", "hole", "nodad")
        hosts = tmp_path / "hosts"
        hosts.write_text(f"2001:db8::2 films.test\n{FAR} films.test\n127.0.0.1 localhost\n")
        through = ["unshare", "-m", "sh", "-c", f'mount --bind {hosts} /etc/hosts && exec "$@"', "sh"]
        with line.engine(tmp_path / "engine", "--http-connect-timeout", "20", through=through) as remote:
            url = film.url.replace(FAR, "films.test")
            session = remote.load(url)
            # A connection attempt that times out would count as a retry.
            assert remote.state(session.id).statistics.http_retries == 0
            assert len(film.requests) > 0
            session.stop()


def test_a_name_server_that_stays_silent_delays_no_other_source(tmp_path, start_engine, long_film):
    """The resolver waits for half a minute before it asks the name server again. Until then, the other source must be
    read."""
    settings = tmp_path / "resolv.conf"
    settings.write_text("nameserver 127.0.0.99\noptions timeout:30\n")
    through = ["unshare", "--mount", "sh", "-c", f'mount --bind {settings} /etc/resolv.conf && exec "$@"', "sh"]
    with contextlib.ExitStack() as ends:
        names = ends.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        names.bind(("127.0.0.99", 53))
        film = ends.enter_context(origin.origin(long_film))
        engine = start_engine("--cache-disk-bytes", "off", through=through)
        session = engine.load(film.url)
        urls = [part.url for part in hls.Media.complete(session.master().playlists()[0]).segments]
        load = engine.stub.Load.future(engine_pb2.LoadRequest(source="http://films.test/film.mkv"), timeout=PATIENCE)
        # The questions for A and AAAA.
        names.recv(512)
        names.recv(512)
        load.cancel()
        for url in urls[len(urls) // 2:]:
            digest(url)
        # The resolver has not asked again, so no read waited for it.
        names.setblocking(False)
        with pytest.raises(BlockingIOError):
            names.recv(512)
        session.stop()
