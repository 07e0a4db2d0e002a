# SPDX-License-Identifier: Apache-2.0
"""A film on a server under load: many sessions fetch it once, a thousand loads leave nothing behind, and players play it
through a link that loses packets and goes down. Sessions whose server refused them are revived."""

import concurrent.futures
import contextlib
import os
import re
import socket
import subprocess
import threading
import time
import urllib.parse

import grpc
import pytest
from harness import hls, origin
from harness.browser import chromium
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, Session, eventually
from harness.enginectl import ctl  # noqa: F401, fixture
from harness.hls import digest
from harness.places import clip
from harness.players import WatchedMpv
from harness.wire import FAR, wire

pytestmark = pytest.mark.long

# The length of the last test's film in seconds, a multiple of 20; 600 for releases.
SECONDS = int(os.environ.get("REMOTE_FILM_SECONDS", "60"))


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    path], check=True)
    return path


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def test_two_hundred_sessions_fetch_the_film_once(start_engine, film):
    engine = start_engine("--max-sessions", "200", "--cache-bytes", "64M")
    with origin.nginx(film.parent) as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        url = f"{server.url}/{film.name}"
        first = engine.load(url)
        wanted = digests(first)
        before = engine.own_bytes()
        sessions = [first, *pool.map(lambda _: engine.load(url), range(199))]
        # Each session plays another part of the film.
        segments = [each for each in first.master().everything() if re.search(r"/video/\d+\.m4s$", each)]
        places = [segments[index * 7 % len(segments)].split("/", 4)[4] for index in range(200)]

        def play(each):
            session, place = each
            return digest(urllib.parse.urljoin(session.url, place)) == wanted[place]
        assert all(pool.map(play, zip(sessions, places)))
        # Each load fetches the ends of the film, which identify it.
        assert server.bytes_sent() < film.stat().st_size + 200 * 400_000
        assert engine.own_bytes() - before < (64 << 20) + 200 * (2 << 20)
        list(pool.map(lambda session: session.stop(), sessions))


def test_a_thousand_loads_leak_nothing(start_engine, film):
    engine = start_engine()
    with origin.nginx(film.parent) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        def play(number):
            # The query makes each URL a source of its own.
            with engine.session(f"{server.url}/{film.name}?{number}") as session:
                if number % 10 == 0:
                    digest(next(iter(session.master().everything())))
        list(pool.map(play, range(100)))
        descriptors, threads, resident = engine.descriptors(), engine.threads(), engine.own_bytes()
        list(pool.map(play, range(100, 1100)))
        eventually(lambda: engine.descriptors() <= descriptors + 4, "the descriptors to be closed")
        eventually(lambda: engine.threads() <= threads + 4, "the threads to end")
        assert engine.own_bytes() - resident < 64 << 20


@contextlib.contextmanager
def forwarded(line, url):
    """Lets programs outside reach the HTTP server of an engine at the near end of a wire, at the same address."""
    place = urllib.parse.urlsplit(url)
    listener = socket.create_server((place.hostname, place.port))

    def copy(source, target):
        with contextlib.suppress(OSError):
            while part := source.recv(1 << 16):
                target.sendall(part)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                outside, _ = listener.accept()
                inside = line.near.do(lambda: socket.create_connection((place.hostname, place.port)))
                for pair in ((outside, inside), (inside, outside)):
                    threading.Thread(target=copy, args=pair, daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    try:
        yield
    finally:
        listener.close()


# Records when a page's <video> stops for lack of data and when it continues, with the time of each event.
OBSERVE = """
window.changes = [];
const names = { waiting: 'WAITS', playing: 'PLAYS', ended: 'ENDS', error: 'FAILS' };
for (const name in names)
    document.getElementById('v').addEventListener(name, () => changes.push([Date.now() / 1000, names[name]]));
"""


@pytest.fixture(scope="module")
def rich_film(tmp_path_factory):
    """A film of 8 Mbit/s that is cheap to decode."""
    folder = tmp_path_factory.mktemp("rich")
    part, film = folder / "part.mp4", folder / "film.mp4"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25,noise=alls=40:allf=t", "-f", "lavfi",
         "-i", "sine=440:r=48000", "-t", "20", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "8M", "-minrate", "8M", "-maxrate", "8M",
         "-bufsize", "4M", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac", part], check=True)
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", str(SECONDS // 20 - 1), "-i", part, "-c", "copy",
                    "-movflags", "faststart", film], check=True)
    assert film.stat().st_size * 8 / SECONDS > 7_500_000
    return film


@pytest.mark.usefixtures("machine")
def test_a_film_plays_through_a_lossy_link_that_goes_down(tmp_path, rich_film):
    """The film needs 8 Mbit/s. The link has 20 Mbit/s and a round trip of 50 ms, and loses one packet in 200, so that one
    connection with Reno delivers 3 Mbit/s. In the middle of the film, the link is down for 10 s. Two players at once never
    wait at any other time."""
    with wire(round_trip=0.05, rate=20_000_000, loss=0.005) as line:
        line.far.run("sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno")
        with origin.nginx(rich_film.parent, FAR, line.far) as server, line.engine(tmp_path / "engine") as engine:
            session = engine.load(f"{server.url}/{rich_film.name}")
            with forwarded(line, session.url), chromium() as browser:
                assert browser.open(session.url) == "ok"
                assert browser.advance(2)["error"] is None
                browser.driver.execute_script(OBSERVE)
                mpv = WatchedMpv(session.url, tmp_path / "watch.lua")
                eventually(lambda: browser.value("currentTime") > SECONDS / 2, "the middle of the film", SECONDS)
                down = time.time()
                line.cut()
                time.sleep(10)
                line.restore()
                up = time.time()
                mpv.end(SECONDS * 3)
                eventually(lambda: browser.value("ended") or browser.value("error"), "Chromium to come to the end", SECONDS)
                seen = browser.driver.execute_script("return changes")
                assert [what for _, what in seen][-1] == "ENDS", seen
            for player, changes in (("mpv", mpv.changes), ("Chromium", seen)):
                waits = [at - down for at, what in changes if what == "WAITS"]
                late = [at - up for at, what in changes if what == "PLAYS" and at > up]
                print(f"{player}: {len(waits)} waits{''.join(f', {at:.2f} s after the link was back it played' for at in late[:1])}")
                assert all(0 < at < up - down for at in waits), (player, waits)
            # Both players are served from what the engine fetched once.
            assert engine.state(session.id).statistics.http_bytes < rich_film.stat().st_size * 1.25
            session.stop()


def guarded(film, tokens):
    """Serves only requests whose URL contains the last token."""
    film.respond = lambda handler, request: (
        film.serve(handler, request) if tokens[-1] in request.path else handler.answer(403))


def refresh(engine, session, url):
    request = engine_pb2.RefreshSourceRequest(session_id=session.id, url=url)
    return engine.stub.RefreshSource(request, timeout=PATIENCE).state


def failed(engine, session):
    eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_ERROR, "the session to fail")
    assert engine.state(session.id).error.code == "source_refused"


@pytest.mark.parametrize("call", ["refresh", "play", "seek"])
def test_a_refused_session_is_revived_at_its_position(start_engine, film, call):
    engine = start_engine("--cache-disk-bytes", "off")
    stub = engine.stub
    with origin.origin(film) as server:
        tokens = ["sig=1"]
        guarded(server, tokens)
        session = engine.load(f"{server.url}?sig=1")
        stub.SetRate(engine_pb2.SetRateRequest(session_id=session.id, rate=1.5), timeout=PATIENCE)
        stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        tokens.append("sig=2")
        stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=100_000_000), timeout=PATIENCE)
        failed(engine, session)
        with pytest.raises(grpc.RpcError) as failure:
            refresh(engine, session, "/etc/passwd")
        assert failure.value.code().name == "INVALID_ARGUMENT"
        target = 100_000_000
        if call == "refresh":
            assert refresh(engine, session, f"{server.url}?sig=2").phase != state_pb2.PHASE_ERROR
        else:
            tokens.append("sig=1")
            if call == "play":
                stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
            else:
                target = 60_000_000
                stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=target), timeout=PATIENCE)
        eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "playback to continue")
        position = engine.state(session.id).position
        assert target <= position.position_us < target + 20_000_000 and position.rate == 1.5
        session.stop()


def test_a_refresh_revives_all_sessions_that_share_the_source(start_engine, film):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(film) as server:
        tokens = ["sig=1"]
        guarded(server, tokens)
        sessions = [engine.load(f"{server.url}?sig=1") for _ in range(2)]
        lasts = [hls.Media.complete(each.master().playlists()[0]).segments[-1].url for each in sessions]
        wanted = [digest(each) for each in lasts]
        tokens.append("sig=2")
        engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        for session in sessions:
            engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
            engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=100_000_000), timeout=PATIENCE)
        for session in sessions:
            failed(engine, session)
        with pytest.raises(grpc.RpcError) as failure:
            refresh(engine, sessions[0], f"{server.url}?sig=3")
        assert failure.value.code().name == "PERMISSION_DENIED" and "source_refused" in failure.value.details()
        assert "sig" not in failure.value.details()
        for session in sessions:
            failed(engine, session)
        refresh(engine, sessions[0], f"{server.url}?sig=2")
        for session in sessions:
            eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "playback to continue")
            assert engine.state(session.id).position.position_us >= 100_000_000
        # The other session has the new URL, too: the next engine opens the source from there.
        engine.kill()
        engine = start_engine("--cache-disk-bytes", "off", directory=engine.directory)
        for session in sessions:
            eventually(lambda: state_pb2.PHASE_READY <= engine.state(session.id).phase <= state_pb2.PHASE_SEEKING, "the session to be restored")
        assert [digest(each) for each in lasts] == wanted


def test_a_refresh_with_another_film_changes_nothing(ctl, film):
    engine = ctl.engine
    with origin.origin(film) as server, origin.origin(clip("h264-aac.mp4")) as other:
        sessions = [engine.load(server.url) for _ in range(2)]
        wanted = digests(sessions[0])
        with pytest.raises(grpc.RpcError) as failure:
            refresh(engine, sessions[0], f"{other.url}?sig=2")
        assert failure.value.code().name == "FAILED_PRECONDITION"
        text = failure.value.details()
        assert text.startswith("source_changed: ") and other.url in text and "sig" not in text
        assert str(film.stat().st_size) in text and str(clip("h264-aac.mp4").stat().st_size) in text
        ctl("refresh", other.url, expect=1)
        ctl("refresh", "--session", sessions[1].id, f"{server.url}?sig=2")
        engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        for session in sessions:
            assert digests(session) == wanted
            assert engine.state(session.id).phase != state_pb2.PHASE_ERROR
            session.stop()


def test_a_refresh_of_a_changed_source_fails(ctl, film):
    engine = ctl.engine
    with origin.origin(film) as server:
        session = engine.load(server.url)
        server.etag = '"two"'
        engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        urls = hls.Media.complete(session.master().playlists()[0]).segments
        assert hls.request(urls[-1].url).status == 500
        eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_ERROR, "the session to fail")
        with pytest.raises(grpc.RpcError) as failure:
            refresh(engine, session, server.url)
        assert failure.value.code().name == "FAILED_PRECONDITION" and "source_changed" in failure.value.details()
        ctl("refresh", server.url, expect=1)
        session.stop()


def test_a_refresh_is_accepted_while_the_server_is_down(engine, film):
    with origin.origin(film) as server:
        session = engine.load(server.url)
        wanted = digests(session)
        server.respond = lambda handler, request: handler.answer(503)
        assert refresh(engine, session, f"{server.url}?sig=2").phase != state_pb2.PHASE_ERROR
        engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        server.respond = server.serve
        assert digests(session) == wanted
        session.stop()


def test_a_refresh_revives_a_refused_load(start_engine, film):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(film) as first, origin.origin(film) as second:
        session = engine.load(first.url)
        wanted = digests(session)
        guarded(second, ["sig=3"])
        load = engine_pb2.LoadRequest(
            source=f"{second.url}?sig=1", session_id=session.id, start_position_us=50_000_000,
            options=engine_pb2.LoadOptions(autoplay=True))
        with pytest.raises(grpc.RpcError) as failure:
            engine.stub.Load(load, timeout=PATIENCE)
        assert failure.value.code().name == "PERMISSION_DENIED"
        failed(engine, session)
        with pytest.raises(grpc.RpcError) as failure:
            refresh(engine, session, f"{second.url}?sig=2")
        assert failure.value.code().name == "PERMISSION_DENIED"
        failed(engine, session)
        state = refresh(engine, session, f"{second.url}?sig=3")
        assert state.session_id == session.id
        revived = Session(engine, engine_pb2.LoadResponse(session_id=state.session_id, url=state.url, state=state))
        eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "playback to begin")
        assert engine.state(session.id).position.position_us >= 50_000_000
        assert digests(revived) == wanted
        revived.stop()


def test_a_session_whose_token_expired_while_the_engine_was_down_is_revived(start_engine, film):
    engine = start_engine("--cache-disk-bytes", "off")
    with origin.origin(film) as server:
        tokens = ["sig=1"]
        guarded(server, tokens)
        session = engine.load(f"{server.url}?sig=1")
        playlist = hls.Media.complete(session.master().playlists()[0])
        middle = playlist.segments[len(playlist.segments) // 2].url
        wanted = digest(middle)
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=60_000_000), timeout=PATIENCE)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "playback to begin")
        tokens.append("sig=2")
        engine.kill()
        engine = start_engine("--cache-disk-bytes", "off", directory=engine.directory)
        failed(engine, session)
        revived = refresh(engine, session, f"{server.url}?sig=2")
        assert revived.session_id == session.id and revived.url == session.url
        eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "playback to continue")
        assert engine.state(session.id).position.position_us >= 60_000_000
        assert digest(middle) == wanted


def test_the_scan_of_a_refused_source_begins_again_after_a_refresh(start_engine, tmp_path):
    """A transport stream of 150 MB, whose scan has to wait for playback."""
    film = tmp_path / "film.ts"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "11", "-i", clip("h264-aac.ts"), "-map", "0", "-c", "copy", "-t", "120",
         "-muxrate", "10M", film], check=True)
    engine = start_engine("--cache-disk-bytes", "off")
    with engine.session(film) as local:
        wanted = [digest(each.url) for each in hls.Media.complete(local.master().variants[0][1]).segments]
    with origin.origin(film) as server:
        tokens = ["sig=1"]
        guarded(server, tokens)
        session = engine.load(f"{server.url}?sig=1")
        url = session.master().variants[0][1]
        assert not hls.Media(url).is_ended
        tokens.append("sig=2")
        engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        seek = engine_pb2.SeekRequest(session_id=session.id, place=engine_pb2.SEEK_PLACE_END)
        engine.stub.Seek(seek, timeout=PATIENCE)
        failed(engine, session)
        refresh(engine, session, f"{server.url}?sig=2")
        found = []
        for media in hls.Media.versions(url):
            found += [digest(each.url) for each in media.segments[len(found):]]
        assert found == wanted
        session.stop()
