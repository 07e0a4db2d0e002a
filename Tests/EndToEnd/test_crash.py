# SPDX-License-Identifier: Apache-2.0
"""A killed engine loses nothing: sessions, URLs, bytes and players are as they were."""

import contextlib
import fcntl
import hashlib
import json
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
from harness import hls
from harness.browser import chromium
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip

PLAYING, PAUSED = state_pb2.PHASE_PLAYING, state_pb2.PHASE_PAUSED


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Four minutes: more than a player fetches ahead."""
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    path], check=True)
    return path


def fetch(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read()


def digests(url):
    """Everything below a master playlist, by URL."""
    master = hls.Master(url)
    return {each: hls.digest(each) for each in [url, *master.playlists(), *master.everything()]}


def listens(url):
    """Whether somebody accepts connections where a URL says; nothing is asked of it."""
    place = urllib.parse.urlsplit(url)
    with contextlib.suppress(ConnectionRefusedError), socket.create_connection((place.hostname, place.port), PATIENCE):
        return True
    return False


def restart(start_engine, engine):
    """Kills without a warning, and starts another in the same place."""
    engine.process.send_signal(signal.SIGKILL)
    engine.process.wait()
    return start_engine(directory=engine.directory)


def now(state):
    position = state.position
    return position.position_us / 1e6 + position.rate * (time.monotonic_ns() - position.monotonic_ns) / 1e9


@pytest.mark.parametrize("name", ["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts", "vp9-opus.webm"])
def test_the_same_urls_serve_the_same_bytes(start_engine, name):
    engine = start_engine()
    session = engine.load(clip(name))
    before = digests(session.url)
    eventually(lambda: (engine.directory / "state" / "engined" / "sessions.json").exists(), "the journal")
    time.sleep(0.3)
    engine = restart(start_engine, engine)
    eventually(lambda: listens(session.url), "the port to be taken again")
    # The very first request, before anything else was asked of the new process.
    assert hashlib.sha256(fetch(session.url)).hexdigest() == before[session.url]
    assert digests(session.url) == before


def test_sessions_are_back_where_they_were(start_engine, film):
    engine = start_engine()
    playing, paused = engine.load(film), engine.load(clip("several.mkv"), segment_target_us=2_000_000)
    stub = engine.stub
    stub.SetRate(engine_pb2.SetRateRequest(session_id=playing.id, rate=1.5), timeout=PATIENCE)
    stub.Seek(engine_pb2.SeekRequest(session_id=playing.id, position_us=60_000_000), timeout=PATIENCE)
    stub.Play(engine_pb2.SessionRequest(session_id=playing.id), timeout=PATIENCE)
    stub.Seek(engine_pb2.SeekRequest(session_id=paused.id, position_us=7_000_000), timeout=PATIENCE)
    eventually(lambda: engine.state(paused.id).phase == PAUSED, "the seek to land")
    eventually(lambda: engine.state(playing.id).phase == PLAYING, "play")
    time.sleep(2.5)
    revision = engine.state(playing.id).revision
    left = now(engine.state(playing.id))
    engine = restart(start_engine, engine)
    state = eventually(lambda: (now_ := engine.state(playing.id)).phase == PLAYING and now_, "it plays again")
    assert left - 1.5 * 1.2 <= now(state) <= left + 1.5 * 5
    assert state.position.rate == 1.5 and state.url == playing.url and state.revision > revision
    other = eventually(lambda: (each := engine.state(paused.id)).HasField("media") and each, "the other is open")
    assert other.position.position_us == 7_000_000 and other.position.rate == 0
    assert [each.session_id for each in engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions] == [playing.id, paused.id]
    # A new session takes neither's place.
    assert engine.load(clip("h264-aac.mp4")).id not in (playing.id, paused.id)


def test_a_stopped_session_does_not_come_back(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    time.sleep(0.3)
    session.stop()
    time.sleep(0.5)
    engine = restart(start_engine, engine)
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(session.url)


def test_a_session_whose_source_has_gone_is_closed_with_the_reason(start_engine, tmp_path):
    path = tmp_path / "gone.mkv"
    path.write_bytes(clip("h264-aac.mkv").read_bytes())
    engine = start_engine()
    engine.load(path)
    kept = engine.load(clip("h264-aac.mkv"))
    time.sleep(0.3)
    path.unlink()
    engine = restart(start_engine, engine)
    eventually(lambda: [each.session_id for each in engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions] == [kept.id],
               "only the other is there")
    assert "source_not_found" in engine.log.read_text()


@pytest.mark.parametrize("content", [b"", b"{", b"\x00" * 5000, b'{"version": 99, "httpPort": 1, "sessions": []}', b"[]",
                                     b'{"version":1,"httpPort":70000,"sessions":[{"id":"1","token":"x"}]}'])
def test_a_journal_that_cannot_be_read_is_set_aside(start_engine, content):
    engine = start_engine()
    directory = engine.directory / "state" / "engined"
    engine.kill()
    (directory / "sessions.json").write_bytes(content)
    engine = start_engine(directory=engine.directory)
    session = engine.load(clip("h264-aac.mkv"))
    if content:
        assert (directory / "sessions.json.unreadable").read_bytes() == content
        assert "set aside" in engine.log.read_text()
    journal = directory / "sessions.json"
    eventually(lambda: journal.exists() and f'"id" : "{session.id}"' in journal.read_text(), "it is written anew")


def test_a_second_engine_leaves_the_journal_of_the_first_alone(start_engine):
    first = start_engine()
    session = first.load(clip("h264-aac.mkv"))
    time.sleep(0.3)
    journal = first.directory / "state" / "engined" / "sessions.json"
    second = start_engine(state_home=first.directory / "state")
    second.load(clip("h264-aac.mp4"))
    time.sleep(0.5)
    assert [each["id"] for each in json.loads(journal.read_text())["sessions"]] == [session.id]
    assert "will not outlive" in second.log.read_text()
    assert oct(journal.stat().st_mode & 0o777) == "0o600"
    with open(f"{journal}.lock") as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_idle_engine_writes_nothing(start_engine):
    engine = start_engine()
    engine.load(clip("h264-aac.mkv"))
    time.sleep(1)
    journal = engine.directory / "state" / "engined" / "sessions.json"
    before = journal.stat().st_mtime_ns
    time.sleep(2.2)
    assert journal.stat().st_mtime_ns == before


def test_an_end_by_hand_ends_the_sessions_an_end_by_the_system_does_not(start_engine):
    for number, kept in ((signal.SIGTERM, True), (signal.SIGINT, False)):
        engine = start_engine()
        engine.load(clip("h264-aac.mkv"))
        time.sleep(0.3)
        engine.process.send_signal(number)
        assert engine.process.wait(PATIENCE) == 0
        assert (engine.directory / "state" / "engined" / "sessions.json").exists() == kept


def test_chromium_plays_on_across_a_kill(start_engine, film):
    engine = start_engine()
    session = engine.load(film)
    time.sleep(0.3)
    with chromium() as browser:
        assert browser.open(session.url) == "ok"
        assert browser.advance(1)["error"] is None
        engine = restart(start_engine, engine)
        # Beyond what was fetched before the kill.
        landed = browser.seek(200)
        assert landed["error"] is None and abs(landed["landed"] - 200) < 0.5, landed
        moved = browser.advance(1, start=200)
        assert moved["error"] is None and not moved["late"], moved


def test_mpv_plays_on_across_a_kill(start_engine, film):
    engine = start_engine()
    session = engine.load(film)
    time.sleep(0.3)
    log = engine.directory / "mpv.log"
    with open(log, "wb") as out:
        player = subprocess.Popen(
            ["mpv", "--no-config", "--vo=null", "--ao=null", "--untimed=no", "--speed=8", "--cache-secs=4", "--demuxer-readahead-secs=4",
             "--term-status-msg=at ${time-pos}\n", session.url], stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def place():
        places = re.findall(rb"at (\d+):(\d+):(\d+)", log.read_bytes())
        return (int(places[-1][0]) * 60 + int(places[-1][1])) * 60 + int(places[-1][2]) if places else 0

    try:
        eventually(lambda: place() > 20, "it plays")
        engine = restart(start_engine, engine)
        killed_at = place()
        eventually(lambda: place() > killed_at + 60, "it plays on")
        assert player.poll() is None or player.returncode == 0
    finally:
        player.kill()
        player.wait()


def test_watchers_find_the_engine_again(start_engine, film):
    engine = start_engine()
    session = engine.load(film)
    engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
    out = engine.directory / "watch.log"
    with open(out, "wb") as log:
        watch = subprocess.Popen([ENGINECTL, "watch", "--json", "--socket", engine.socket], stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: b"time" in out.read_bytes(), "it watches")
        time.sleep(0.5)
        engine = restart(start_engine, engine)
        size = out.stat().st_size
        eventually(lambda: b'"playing"' in out.read_bytes()[size:], "it sees the session play again")
    finally:
        watch.kill()
        watch.wait()
