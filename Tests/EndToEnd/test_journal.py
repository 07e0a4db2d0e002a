# SPDX-License-Identifier: Apache-2.0
"""The journal's files: those of older engines, damaged files, full disks, second engines, and the port."""

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import urllib.parse

import grpc
import pytest
from harness import journal
from harness.contract import engine_pb2, engine_pb2_grpc, state_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.places import ENGINED, clip
from harness.tiers import tiered
from test_crash import assert_journaled, fetch, listens, restart

PLAYING = state_pb2.PHASE_PLAYING


@pytest.mark.parametrize("content", tiered(
    [b"{", b"\x00" * 5000, b"[]", b'{"version":1,"httpPort":70000,"sessions":[{"id":"1","token":"x"}]}', "a directory", "too long"],
    {b"{"}))
def test_an_unreadable_old_journal_is_set_aside(start_engine, content):
    engine = start_engine()
    engine.kill()
    old = journal.folder(engine) / "sessions.json"
    journal.leave_old(engine, content if isinstance(content, bytes) else b"")
    if content == "a directory":
        old.unlink()
        old.mkdir()
    elif content == "too long":
        os.truncate(old, 65 << 20)
    engine = start_engine(directory=engine.directory)
    session = engine.load(clip("h264-aac.mkv"))
    aside = old.with_name("sessions.json.unreadable")
    assert aside.exists() and not old.exists() and "was moved to" in engine.log.read_text()
    assert not isinstance(content, bytes) or aside.read_bytes() == content
    assert_journaled(engine, session)


def test_an_old_journal_is_imported_once(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    before, entries = fetch(session.url), journal.kept(engine)
    engine.kill()
    entries[0]["volume"] = 0.25
    old = {"version": 1, "httpPort": urllib.parse.urlsplit(session.url).port, "sessions": entries}
    journal.leave_old(engine, json.dumps(old).encode())
    for _ in range(2):
        engine = start_engine(directory=engine.directory)
        eventually(lambda: listens(session.url), "the port to be taken again")
        assert fetch(session.url) == before and engine.state(session.id).volume == 0.25
        assert not (journal.folder(engine) / "sessions.json").exists()
        engine.kill()


@pytest.mark.parametrize("name", tiered(["sessions.db", "sessions.players", "sessions.db-wal"], {"sessions.db"}))
def test_a_damaged_journal_is_reported_and_partly_restored(start_engine, name):
    engine = start_engine()
    sessions = [engine.load(clip("h264-aac.mkv")) for _ in range(3)]
    engine.kill()
    if name == "sessions.db":
        # Moves the write-ahead log into the database, as an engine does from time to time.
        sqlite3.connect(journal.folder(engine) / name).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path = journal.folder(engine) / name
    path.write_bytes(bytes(len(path.read_bytes())))
    engine = start_engine(directory=engine.directory)
    if name != "sessions.db-wal":
        eventually(lambda: "the journal has lost something" in engine.log.read_text(), "the warning")
    if name == "sessions.players":
        eventually(lambda: listens(sessions[0].url), "the port to be taken again")
        assert all(fetch(each.url) for each in sessions)
    session = engine.load(clip("h264-aac.mp4"))
    assert fetch(session.url) and journal.kept(engine)[-1]["id"] == session.id


@pytest.mark.long
def test_a_session_can_be_stopped_although_the_index_was_damaged(start_engine):
    engine = start_engine()
    sessions = [engine.load(clip("h264-aac.mkv")) for _ in range(3)]
    engine.kill()
    path = journal.folder(engine) / "sessions.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page, = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_sessions_1'").fetchone()
        size, = database.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    # The entries of the index begin at its end. The second one now has the id of a session that does not exist.
    content[content.rindex(sessions[1].id.encode(), (page - 1) * size, page * size)] = ord("7")
    path.write_bytes(content)
    engine = start_engine(directory=engine.directory)
    eventually(lambda: "the journal has lost something" in engine.log.read_text(), "the warning")
    assert [each["id"] for each in journal.kept(engine)] == [each.id for each in sessions]
    engine.stub.Stop(engine_pb2.SessionRequest(session_id=sessions[1].id), timeout=PATIENCE)
    engine.kill()
    engine = start_engine(directory=engine.directory)
    reply = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)
    assert [each.session_id for each in reply.sessions] == [sessions[0].id, sessions[2].id]


@pytest.mark.long
def test_a_damaged_slot_is_reported(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    for volume in (0.5, 0.25):
        engine.stub.SetVolume(engine_pb2.SetVolumeRequest(session_id=session.id, volume=volume), timeout=PATIENCE)
    engine.kill()
    path = journal.folder(engine) / "sessions.players"
    content = bytearray(path.read_bytes())
    # The one copy of the player with the last volume.
    content[content.index(struct.pack("<d", 0.25))] ^= 1
    path.write_bytes(content)
    engine = start_engine(directory=engine.directory)
    assert engine.state(session.id).volume == 0.5
    eventually(lambda: "sessions.players is damaged" in engine.log.read_text(), "the warning")
    assert fetch(session.url)


def test_an_unusable_state_directory_disables_only_the_journal(start_engine, tmp_path):
    (tmp_path / "file").write_text("in the way")
    engine = start_engine(state_home=tmp_path / "file")
    with engine.session(clip("h264-aac.mkv")) as session:
        assert fetch(session.url)
    eventually(lambda: f"session {session.id} ended" in engine.log.read_text(), "the log to be written")
    assert engine.log.read_text().count("sessions will not be restored after a crash") == 1
    assert engine.log.read_text().count("journal.not_written") == 1, "a notice, once"


@pytest.mark.long
def test_impossible_values_in_the_journal_are_survived(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    assert_journaled(engine, session)
    engine.kill()
    entry = journal.kept(engine)[0]
    text = {"version": 1, "httpPort": urllib.parse.urlsplit(session.url).port}
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
    journal.leave_old(engine, json.dumps(text).encode())
    engine = start_engine(directory=engine.directory)
    eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_READY, "the session that is as it was")
    assert fetch(session.url)
    sessions = engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions
    assert len(sessions) == 64, "no more than the limit"
    assert "could not be restored" in engine.log.read_text()
    for each in sessions:
        eventually(lambda: engine.state(each.session_id or "").phase != state_pb2.PHASE_OPENING, "none hangs")
        if each.session_id:
            engine.stub.Play(engine_pb2.SessionRequest(session_id=each.session_id), timeout=PATIENCE)
            engine.stub.Stop(engine_pb2.SessionRequest(session_id=each.session_id), timeout=PATIENCE)
    assert engine.load(clip("h264-aac.mkv")).id


# The beginning of a command line that runs in a mount namespace of its own.
ALONE = ("unshare", "--user", "--map-root-user", "--mount")
needs_namespace = pytest.mark.skipif(subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode != 0,
                                     reason="a file system of its own is not allowed here")


@needs_namespace
def test_a_read_only_state_directory_is_reported_and_left_alone(start_engine):
    engine = start_engine()
    earlier = engine.load(clip("h264-aac.mkv"))
    before = fetch(earlier.url)
    engine.kill()
    place = journal.folder(engine)
    files = {path.name: path.read_bytes() for path in place.iterdir()}
    script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
    engine = start_engine(directory=engine.directory, through=(*ALONE, "sh", "-c", script, "sh", place))
    eventually(lambda: "sessions will not be restored after a crash" in engine.log.read_text(), "the notice")
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
    with engine.session(clip("h264-aac.mp4")) as session:
        assert fetch(session.url)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        eventually(lambda: engine.state(session.id).phase == PLAYING, "it to play")
        eventually(lambda: "journal.not_written" in engine.log.read_text(), "the notice")
    engine.end()
    assert engine.log.read_text().count("journal.not_written") == 1
    assert {path.name: path.read_bytes() for path in place.iterdir()} == files
    # Once the directory can be written again, the earlier session is there.
    engine = start_engine(directory=engine.directory)
    eventually(lambda: listens(earlier.url), "the port to be taken again")
    assert fetch(earlier.url) == before


@pytest.mark.long
@needs_namespace
@pytest.mark.parametrize("is_used", [False, True])
def test_a_full_disk_is_reported_once_and_writing_resumes(start_engine, tmp_path, is_used):
    home = tempfile.mkdtemp(prefix="engine-")
    state, log = f"{home}/state/engined", tmp_path / "log"
    os.makedirs(state)
    os.makedirs(f"{state}.old")
    earlier = []
    if is_used:
        engine = start_engine()
        earlier = [engine.load(clip("h264-aac.mp4"), autoplay=True).id]
        engine.kill()
        shutil.copytree(journal.folder(engine), f"{state}.old", dirs_exist_ok=True)
    script = ('mount -t tmpfs -o size=512k tmpfs "$1" && cp -a "$1.old/." "$1" && { dd if=/dev/zero of="$1/full" bs=1k 2>"$1.dd"; shift; '
              'exec "$@"; }')
    environment = dict(os.environ, XDG_RUNTIME_DIR=home, XDG_STATE_HOME=f"{home}/state", XDG_CACHE_HOME=f"{home}/cache")
    with open(log, "wb") as out:
        process = subprocess.Popen([*ALONE, "sh", "-c", script, "sh", state, ENGINED], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=out)
    try:
        path = f"{home}/engined/engined.sock"
        with grpc.insecure_channel(f"unix:{path}") as channel:
            stub = engine_pb2_grpc.EngineStub(channel)
            reply = stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), options=engine_pb2.LoadOptions(autoplay=True)),
                              timeout=PATIENCE, wait_for_ready=True)
            # An existing database can be read even from a full disk.
            assert ("the journal has lost something" in log.read_text()) != is_used
            eventually(lambda: "journal.not_written" in log.read_text(), "the notice")
            assert log.read_text().count("[Sessions] the journal cannot be written") == 1
            assert fetch(reply.url)
            for each in [*earlier, reply.session_id]:
                eventually(lambda: stub.GetState(engine_pb2.SessionRequest(session_id=each)).phase == PLAYING, "it to play")
            place = pathlib.Path(f"/proc/{process.pid}/root{state}")
            (place / "full").unlink()
            eventually(lambda: "the journal is being written again" in log.read_text(), "the journal when there is room")
            assert [each["id"] for each in journal.entries(place)] == [*earlier, reply.session_id]
    finally:
        process.terminate()
        process.wait(PATIENCE)
        shutil.rmtree(home, ignore_errors=True)


def test_the_port_is_reused_despite_lingering_connections(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    place = urllib.parse.urlsplit(session.url)
    assert_journaled(engine, session)
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


def test_an_occupied_port_is_reported_and_replaced(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    place = urllib.parse.urlsplit(session.url)
    assert_journaled(engine, session)
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


def test_a_second_engine_does_not_touch_the_journal(start_engine):
    first = start_engine()
    session = first.load(clip("h264-aac.mkv"))
    assert_journaled(first, session)
    second = start_engine(state_home=first.directory / "state")
    second.load(clip("h264-aac.mp4"))
    assert_journaled(first, session)
    assert "will not be restored" in second.log.read_text()
    for path in journal.folder(first).iterdir():
        assert oct(path.stat().st_mode & 0o777) == "0o600", path
    with open(journal.folder(first) / "sessions.lock") as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_idle_engine_does_not_write_the_journal(start_engine):
    engine = start_engine()
    assert_journaled(engine, engine.load(clip("h264-aac.mkv")))

    def content():
        return {path.name: path.read_bytes() for path in journal.folder(engine).iterdir()}

    # While a session plays, its position is written twice a second.
    settled(content, 2.2)


@pytest.mark.long
def test_interrupting_ends_sessions_and_terminating_keeps_them(start_engine):
    for number, count in ((signal.SIGTERM, 1), (signal.SIGINT, 0)):
        engine = start_engine()
        assert_journaled(engine, engine.load(clip("h264-aac.mkv")))
        engine.process.send_signal(number)
        assert engine.process.wait(PATIENCE) == 0
        assert len(journal.kept(engine)) == count


def test_a_source_that_was_changed_meanwhile_is_reported(start_engine, tmp_path):
    film = tmp_path / "film.mkv"
    shutil.copyfile(clip("h264-aac.mkv"), film)
    engine = start_engine()
    session = engine.load(film)

    def is_open():
        return engine.state(session.id).phase == state_pb2.PHASE_READY
    engine = restart(start_engine, engine)
    eventually(is_open, "the session")
    assert "source.other_version" not in engine.log.read_text()
    engine.kill()
    film.write_bytes(clip("subtitled.mkv").read_bytes())
    engine = start_engine(directory=engine.directory)
    eventually(is_open, "the session")
    eventually(lambda: "source.other_version" in engine.log.read_text(), "the notice")
