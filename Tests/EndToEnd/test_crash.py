# SPDX-License-Identifier: Apache-2.0
"""A killed engine loses nothing: sessions, URLs, bytes and players are restored."""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import grpc
import pytest
from harness import hls
from harness.browser import chromium
from harness.contract import engine_pb2, engine_pb2_grpc, http_pb2, media_pb2, state_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.places import ENGINECTL, ENGINED, clip

PLAYING, PAUSED = state_pb2.PHASE_PLAYING, state_pb2.PHASE_PAUSED


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Four minutes: longer than a player fetches ahead."""
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    path], check=True)
    return path


def fetch(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read()


def digests(url):
    """The digest of everything below a master playlist, by URL."""
    master = hls.Master(url)
    return {each: hls.digest(each) for each in [url, *master.playlists(), *master.everything()]}


def listens(url):
    """Whether a server accepts connections at the address of a URL; sends no request."""
    place = urllib.parse.urlsplit(url)
    with contextlib.suppress(ConnectionRefusedError), socket.create_connection((place.hostname, place.port), PATIENCE):
        return True
    return False


def journal_of(engine):
    return engine.directory / "state" / "engined" / "sessions.json"


def written(engine, *sessions, words=""):
    """Waits until the journal has exactly these sessions and contains these words."""
    def is_written():
        with contextlib.suppress(FileNotFoundError):
            text = journal_of(engine).read_text()
            return [each["id"] for each in json.loads(text)["sessions"]] == [each.id for each in sessions] and words in text

    eventually(is_written, "the journal")


def restart(start_engine, engine):
    """Kills the engine without warning, and starts another in the same directory."""
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
    written(engine, session)
    engine = restart(start_engine, engine)
    eventually(lambda: listens(session.url), "the port to be taken again")
    # The very first request to the new process.
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
    revision = engine.state(playing.id).revision
    left, began = now(engine.state(playing.id)), time.monotonic()
    written(engine, playing, paused, words="7000000")
    # While it plays, its position is written to the journal every second.
    for _ in range(2):
        before = journal_of(engine).stat().st_mtime_ns
        eventually(lambda: journal_of(engine).stat().st_mtime_ns != before, "the position to be written to the journal")
    engine = restart(start_engine, engine)
    state = eventually(lambda: (now_ := engine.state(playing.id)).phase == PLAYING and now_, "it plays again")
    assert left <= now(state) <= left + 1.5 * (time.monotonic() - began)
    assert state.position.rate == 1.5 and state.url == playing.url and state.revision > revision
    other = eventually(lambda: (each := engine.state(paused.id)).HasField("media") and each, "the other is open")
    assert other.position.position_us == 7_000_000 and other.position.rate == 0
    assert [each.session_id for each in engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions] == [playing.id, paused.id]
    # A new session gets neither id.
    assert engine.load(clip("h264-aac.mp4")).id not in (playing.id, paused.id)


def test_a_stopped_session_does_not_come_back(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    written(engine, session)
    session.stop()
    written(engine)
    engine = restart(start_engine, engine)
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(session.url)


def test_a_session_whose_source_has_gone_stays_failed_and_is_back_when_the_source_is(start_engine, tmp_path):
    path, hidden = tmp_path / "disk.mkv", tmp_path / "elsewhere.mkv"
    path.write_bytes(clip("h264-aac.mkv").read_bytes())
    engine = start_engine()
    lost, kept = engine.load(path), engine.load(clip("h264-aac.mkv"))
    engine.stub.Seek(engine_pb2.SeekRequest(session_id=lost.id, position_us=3_000_000), timeout=PATIENCE)
    written(engine, lost, kept, words="3000000")
    path.rename(hidden)
    engine = restart(start_engine, engine)
    failed = eventually(lambda: (each := engine.state(lost.id)).phase == state_pb2.PHASE_ERROR and each, "it has failed")
    assert failed.error.code == "source_not_found" and failed.position.position_us == 3_000_000
    eventually(lambda: engine.state(kept.id).phase == state_pb2.PHASE_READY, "the other is there")
    with pytest.raises(urllib.error.HTTPError, match="410"):
        fetch(lost.url)
    time.sleep(0.5)
    hidden.rename(path)
    engine = restart(start_engine, engine)
    back = eventually(lambda: (each := engine.state(lost.id)).phase == PAUSED and each, "it is back")
    assert back.position.position_us == 3_000_000 and fetch(lost.url)


def test_whatever_it_was_set_to_and_however_it_rested(start_engine, film):
    """Every choice that a client can make, in sessions that play, are idle, have ended, have failed, or are still being
    opened."""
    engine = start_engine()
    stub = engine.stub
    chosen = engine_pb2.LoadRequest(source=str(clip("several.mkv")), http_headers=[http_pb2.HttpHeader(name="X-Key", value="1")])
    chosen = stub.Load(chosen, timeout=PATIENCE)
    tracks = [each.index for each in chosen.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO and each.route]
    other = next(each for each in tracks if each != chosen.state.selected_audio.stream_index)
    mine = dict(session_id=chosen.session_id)
    stub.SelectAudio(engine_pb2.SelectAudioRequest(audio=engine_pb2.AudioSelection(stream_index=other), **mine), timeout=PATIENCE)
    stub.SetRate(engine_pb2.SetRateRequest(rate=0.5, **mine), timeout=PATIENCE)
    stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.25, **mine), timeout=PATIENCE)
    stub.SetMuted(engine_pb2.SetMutedRequest(muted=True, **mine), timeout=PATIENCE)
    stub.SetLooping(engine_pb2.SetLoopingRequest(looping=True, **mine), timeout=PATIENCE)
    paused, ended, failing = engine.load(film), engine.load(film), engine.load(film)
    stub.Seek(engine_pb2.SeekRequest(session_id=paused.id, position_us=61_000_000), timeout=PATIENCE)
    stub.Seek(engine_pb2.SeekRequest(session_id=ended.id, place=engine_pb2.SEEK_PLACE_END, after=engine_pb2.AFTER_SEEK_PLAY),
              timeout=PATIENCE)
    with pytest.raises(grpc.RpcError):
        stub.Load(engine_pb2.LoadRequest(source="/nowhere.mkv", session_id=failing.id), timeout=PATIENCE)
    phases = {chosen.session_id: state_pb2.PHASE_READY, paused.id: PAUSED, ended.id: state_pb2.PHASE_ENDED,
              failing.id: state_pb2.PHASE_ERROR}
    eventually(lambda: {each: engine.state(each).phase for each in phases} == phases, "all are where they should be")
    before = {each: engine.state(each) for each in phases}
    time.sleep(0.5)
    # Twice: a restored session is written to the journal unchanged.
    for _ in range(2):
        engine = restart(start_engine, engine)
        eventually(lambda: {each: engine.state(each).phase for each in phases} == phases, "all are as they were")
        for each, old in before.items():
            new = engine.state(each)
            assert (new.position.position_us, new.position.requested_rate, new.volume, new.muted, new.looping) == (
                old.position.position_us, old.position.requested_rate, old.volume, old.muted, old.looping)
            assert new.selected_audio == old.selected_audio and new.error.code == old.error.code and new.url == old.url
        assert engine.state(chosen.session_id).selected_audio.stream_index == other
        time.sleep(0.5)
    assert {each.name.removeprefix("sessions.json") for each in journal_of(engine).parent.iterdir()} <= {"", ".lock", ".tmp"}
    entries = {each["id"]: each for each in json.loads(journal_of(engine).read_text())["sessions"]}
    assert entries[chosen.session_id]["httpHeaders"] == [{"name": "X-Key", "value": "1"}]


def test_a_session_that_was_only_being_opened_comes_back_too(start_engine, tmp_path):
    path = tmp_path / "long.ts"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "199", "-i", clip("h264-aac.ts"), "-map", "0", "-c", "copy", path],
                   check=True)
    engine = start_engine()
    for number in range(20):
        call = engine.stub.Load.future(engine_pb2.LoadRequest(
            source=str(path), options=engine_pb2.LoadOptions(segment_target_us=2_000_000 + number, autoplay=True)))
        session = eventually(lambda: engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions, "a session")[0]
        with contextlib.suppress(FileNotFoundError):
            entries = eventually(lambda: json.loads(journal_of(engine).read_text())["sessions"], "the journal", 5)
            if engine.state(session.session_id).phase == state_pb2.PHASE_OPENING:
                assert entries[0]["isPlaying"]
                break
        call.result(PATIENCE)
        engine.stub.Stop(engine_pb2.SessionRequest(session_id=session.session_id))
        eventually(lambda: not json.loads(journal_of(engine).read_text())["sessions"], "an empty journal")
    else:
        pytest.skip("opening is over before the journal is written")
    engine = restart(start_engine, engine)
    eventually(lambda: engine.state(session.session_id).phase == PLAYING, "it plays as the load has asked")


@pytest.mark.parametrize("content", [b"", b"{", b"\x00" * 5000, b'{"version": 99, "httpPort": 1, "sessions": []}', b"[]",
                                     b'{"version":1,"httpPort":70000,"sessions":[{"id":"1","token":"x"}]}'])
def test_a_journal_that_cannot_be_read_is_set_aside(start_engine, content):
    engine = start_engine()
    directory = engine.directory / "state" / "engined"
    engine.kill()
    # Created by the first write, and the kill may come before that.
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    (directory / "sessions.json").write_bytes(content)
    engine = start_engine(directory=engine.directory)
    session = engine.load(clip("h264-aac.mkv"))
    assert (directory / "sessions.json.unreadable").read_bytes() == content
    assert "moved aside" in engine.log.read_text()
    journal = directory / "sessions.json"
    eventually(lambda: journal.exists() and f'"id" : "{session.id}"' in journal.read_text(), "it is written anew")


@pytest.mark.parametrize("kind", ["a directory", "too long"])
def test_what_is_no_journal_at_all_is_set_aside(start_engine, kind):
    engine = start_engine()
    journal = journal_of(engine)
    engine.kill()
    # Created by the first write, and the kill may come before that.
    journal.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    journal.unlink(missing_ok=True)
    if kind == "a directory":
        journal.mkdir()
    else:
        with open(journal, "wb") as file:
            file.truncate(65 << 20)
    engine = start_engine(directory=engine.directory)
    engine.load(clip("h264-aac.mkv"))
    assert "moved aside" in engine.log.read_text() and journal.with_name("sessions.json.unreadable").exists()
    eventually(lambda: journal.is_file() and json.loads(journal.read_text())["sessions"], "it is written anew")


def test_a_state_directory_that_cannot_be_used_costs_the_journal_only(start_engine, tmp_path):
    (tmp_path / "file").write_text("in the way")
    engine = start_engine(state_home=tmp_path / "file")
    with engine.session(clip("h264-aac.mkv")) as session:
        assert fetch(session.url)
        time.sleep(0.5)
    assert engine.log.read_text().count("sessions will not be restored after a crash") == 1


def test_numbers_that_no_engine_writes_end_nothing(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    written(engine, session)
    engine.kill()
    text = json.loads(journal_of(engine).read_text())
    entry = text["sessions"][0]
    largest = 2**63 - 1
    text["sessions"] = [entry] + [
        json.loads(json.dumps(entry)) | {"id": str(number), "token": f"{number:040}"} | change for number, change in enumerate([
            dict(position=largest), dict(position=-largest), dict(rate=1e300), dict(volume=-1e300), dict(revision=2**64 - 1),
            dict(announcedSegments=largest), dict(announcedSegments=-1), dict(sealedTargetDuration=0), dict(startPosition=largest),
            dict(rest="flying"), dict(id=str(largest)), dict(id=""), dict(source=""), dict(source="/"), dict(token="short"),
            dict(options=entry["options"] | {"segmentTarget": 0}), dict(options=entry["options"] | {"segmentTarget": -largest}),
            dict(options=entry["options"] | {"segmentTarget": largest}),
            dict(options=entry["options"] | {"profile": entry["options"]["profile"] | {"maximumChannels": -largest, "formats": []}}),
            dict(options=entry["options"] | {"timeouts": [{"phase": "ready", "microseconds": -largest}]}),
        ], 1000)]
    text["sessions"] += [entry | {"id": str(number), "token": f"{number:040}"} for number in range(2000, 2200)]
    journal_of(engine).write_text(json.dumps(text))
    engine = start_engine(directory=engine.directory)
    eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_READY, "the session that is as it was")
    assert fetch(session.url)
    sessions = engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions
    assert len(sessions) == 64, "no more than there may be"
    assert "could not be restored" in engine.log.read_text()
    for each in sessions:
        eventually(lambda: engine.state(each.session_id or "").phase != state_pb2.PHASE_OPENING, "none hangs")
        if each.session_id:
            engine.stub.Play(engine_pb2.SessionRequest(session_id=each.session_id), timeout=PATIENCE)
            engine.stub.Stop(engine_pb2.SessionRequest(session_id=each.session_id), timeout=PATIENCE)
    assert engine.load(clip("h264-aac.mkv")).id


@pytest.mark.long
@pytest.mark.skipif(subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"], capture_output=True, check=False).returncode != 0,
                    reason="a file system of its own is not allowed here")
def test_a_full_disk_is_told_once_and_written_when_there_is_room(tmp_path):
    home = tempfile.mkdtemp(prefix="engine-")
    script = 'mount -t tmpfs -o size=32k tmpfs "$1" && dd if=/dev/zero of="$1/full" bs=1k 2>"$1.dd"; shift; exec "$@"'
    log = tmp_path / "log"
    environment = dict(os.environ, XDG_RUNTIME_DIR=home, XDG_STATE_HOME=f"{home}/state", XDG_CACHE_HOME=f"{home}/cache")
    os.mkdir(f"{home}/state")
    os.makedirs(f"{home}/state/engined", exist_ok=True)
    with open(log, "wb") as out:
        process = subprocess.Popen(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", f"{home}/state/engined", ENGINED],
            env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        path = f"{home}/engined/engined.sock"
        with grpc.insecure_channel(f"unix:{path}") as channel:
            stub = engine_pb2_grpc.EngineStub(channel)
            reply = stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), options=engine_pb2.LoadOptions(autoplay=True)),
                              timeout=PATIENCE, wait_for_ready=True)
            eventually(lambda: "the journal cannot be written" in log.read_text(), "the warning")
            time.sleep(2.5)
            assert log.read_text().count("the journal cannot be written") == 1
            assert fetch(reply.url) and stub.GetState(engine_pb2.SessionRequest()).phase == PLAYING
            place = pathlib.Path(f"/proc/{process.pid}/root{home}/state/engined")
            (place / "full").unlink()
            eventually(lambda: "the journal is being written again" in log.read_text(), "the journal when there is room")
            assert json.loads((place / "sessions.json").read_text())["sessions"][0]["id"] == reply.session_id
    finally:
        process.terminate()
        process.wait(PATIENCE)
        shutil.rmtree(home, ignore_errors=True)


def test_the_port_is_taken_again_past_connections_that_linger(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    place = urllib.parse.urlsplit(session.url)
    written(engine, session)
    # The engine closes first, so that its side of the connection lingers (TIME_WAIT).
    for _ in range(5):
        with socket.create_connection((place.hostname, place.port), PATIENCE) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            while connection.recv(1 << 16):
                pass
    linger = f":{place.port:04X} "
    assert any(linger in line and line.split()[3] == "06" for line in open("/proc/net/tcp")), "nothing lingers"
    engine = restart(start_engine, engine)
    eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_READY, "the session")
    assert engine.state(session.id).url == session.url and fetch(session.url)


def test_a_port_that_somebody_else_has_is_told_of_and_another_is_taken(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    place = urllib.parse.urlsplit(session.url)
    written(engine, session)
    engine.kill()
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind((place.hostname, place.port))
        other.listen()
        engine = start_engine(directory=engine.directory)
        state = eventually(lambda: (each := engine.state(session.id)).phase == state_pb2.PHASE_READY and each, "the session")
        assert "the previous HTTP port is not available" in engine.log.read_text()
        assert urllib.parse.urlsplit(state.url).path == place.path and urllib.parse.urlsplit(state.url).port != place.port
        assert fetch(state.url)


def test_a_second_engine_leaves_the_journal_of_the_first_alone(start_engine):
    first = start_engine()
    session = first.load(clip("h264-aac.mkv"))
    written(first, session)
    journal = first.directory / "state" / "engined" / "sessions.json"
    second = start_engine(state_home=first.directory / "state")
    second.load(clip("h264-aac.mp4"))
    time.sleep(0.5)
    assert [each["id"] for each in json.loads(journal.read_text())["sessions"]] == [session.id]
    assert "will not be restored" in second.log.read_text()
    assert oct(journal.stat().st_mode & 0o777) == "0o600"
    with open(f"{journal}.lock") as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_idle_engine_writes_nothing(start_engine):
    engine = start_engine()
    written(engine, engine.load(clip("h264-aac.mkv")))
    journal = journal_of(engine)
    before = settled(lambda: journal.stat().st_mtime_ns, 1)
    time.sleep(2.2)
    assert journal.stat().st_mtime_ns == before


def test_an_end_by_hand_ends_the_sessions_an_end_by_the_system_does_not(start_engine):
    for number, kept in ((signal.SIGTERM, True), (signal.SIGINT, False)):
        engine = start_engine()
        written(engine, engine.load(clip("h264-aac.mkv")))
        engine.process.send_signal(number)
        assert engine.process.wait(PATIENCE) == 0
        assert (engine.directory / "state" / "engined" / "sessions.json").exists() == kept


def test_chromium_plays_on_across_a_kill(start_engine, film):
    engine = start_engine()
    session = engine.load(film)
    written(engine, session)
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
    written(engine, session)
    log = engine.directory / "mpv.log"
    with open(log, "wb") as out:
        player = subprocess.Popen(
            ["mpv", "--no-config", "--vo=null", "--ao=null", "--untimed=no", "--speed=4", "--cache-secs=4", "--demuxer-readahead-secs=4",
             "--term-status-msg=at ${time-pos}\n", session.url], stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def place():
        places = re.findall(rb"at (\d+):(\d+):(\d+)", log.read_bytes())
        return (int(places[-1][0]) * 60 + int(places[-1][1])) * 60 + int(places[-1][2]) if places else 0

    try:
        eventually(lambda: place() > 5, "it plays")
        engine = restart(start_engine, engine)
        killed_at = place()
        eventually(lambda: place() > killed_at + 20, "it plays on")
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
        written(engine, session)
        engine = restart(start_engine, engine)
        size = out.stat().st_size
        eventually(lambda: b'"playing"' in out.read_bytes()[size:], "it sees the session play again")
    finally:
        watch.kill()
        watch.wait()
