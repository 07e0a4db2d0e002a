# SPDX-License-Identifier: Apache-2.0
"""After a power loss at any moment, the journal is readable and no older than what was synced. The loss is made from
the calls of a real engine: see harness/power_loss.py."""

import bisect
import json
import os
import pathlib
import random
import shutil
import sqlite3
import tempfile
import threading
import time
import typing

import pytest
from harness import journal
from harness.contract import engine_pb2, filters_pb2, state_pb2
from harness.engine import PATIENCE, Engine, eventually
from harness.places import clip
from harness.power_loss import Disk, is_whole, recorded
from harness.tiers import tiered
from test_crash import fetch

# In memory if possible: thousands of directories are written.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
SOURCES = ("h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts")
SESSIONS = 6
# To each of three engines: enough that the log is moved into the database, and then written from its beginning again.
COMMANDS = 110
# The size of a frame's header in a log, in bytes (https://sqlite.org/fileformat2.html#the_write_ahead_log).
FRAME_HEADER = 24


class Client:
    """Sends commands one after the other, and records when each was sent and answered, and the sessions after it: source,
    brightness and volume in thousandths."""

    def __init__(self, seed):
        self.chance, self.sessions = random.Random(seed), {}
        self.sent, self.answered, self.states = [], [], [{}]

    def change(self, engine):
        """One command at random."""
        draw, stub = self.chance.random(), engine.stub
        self.sent.append(time.time_ns())
        number = self.chance.randrange(1, 1000)
        if not self.sessions or draw < 0.1 and len(self.sessions) < SESSIONS:
            source = str(clip(self.chance.choice(SOURCES)))
            self.sessions[engine.load(source).id] = (source, 0, 1000)
        elif draw < 0.18:
            session = self.chance.choice(sorted(self.sessions))
            stub.Stop(engine_pb2.SessionRequest(session_id=session), timeout=PATIENCE)
            del self.sessions[session]
        else:
            session = self.chance.choice(sorted(self.sessions))
            source, brightness, volume = self.sessions[session]
            if draw < 0.7:
                brightness = number
                stub.SetAdjustments(filters_pb2.SetAdjustmentsRequest(
                    session_id=session, adjustments=filters_pb2.PictureAdjustments(
                        brightness=filters_pb2.AdjustmentValue(value=number / 1000))), timeout=PATIENCE)
            else:
                volume = number
                stub.SetVolume(engine_pb2.SetVolumeRequest(session_id=session, volume=number / 1000), timeout=PATIENCE)
            self.sessions[session] = (source, brightness, volume)
        self.answered.append(time.time_ns())
        self.states.append(dict(self.sessions))

    def possible(self, synced_until, until):
        """The states that may be found: those after each command up to `until`, beginning with that after the last one that was
        answered before `synced_until`."""
        return self.states[bisect.bisect_left(self.answered, synced_until):bisect.bisect_left(self.sent, until) + 1]


class Images:
    """Reads the file of the players again and again: its pages may reach the disk at any moment."""

    def __init__(self, directory):
        self.path, self.found, self.is_ended = directory / "sessions.players", [], threading.Event()
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        while not self.is_ended.wait(0.05):
            if self.path.exists() and (image := self.path.read_bytes()) != (self.found and self.found[-1][2]):
                self.found.append((time.time_ns(), self.path.name, image))

    def end(self):
        self.is_ended.set()
        self.thread.join()
        return self.found


class Record(typing.NamedTuple):
    is_synced: bool
    disk: Disk
    client: Client
    seed: int

    def losses(self, most, kept):
        """Power losses, each given as the number of operations before it: at every moment, or at no more than `most`
        moments drawn at random. Yields with each the directory that it leaves, the sessions that may be found there,
        and those that may be found if no answered change is lost."""
        chance = random.Random(f"{self.seed} {kept}")
        moments = range(len(self.disk.ops) + 1)
        for count in moments if most is None else sorted(chance.sample(moments, min(most, len(moments)))):
            now = self.disk.time(count)
            # Without `synced`, an answer does not wait for the disk: records that a sync of the log has covered are
            # safe. If nothing is lost, as after a kill, all written records are there.
            synced_until = now if self.is_synced or kept == "all" else self.disk.last_sync(count, "sessions.db-wal")
            yield count, self.disk.leave(count, kept, chance), self.client.possible(synced_until, now), self.client.possible(now, now)

    def is_log_reused(self):
        """Whether a log was written again from its beginning, after its content was moved into the database."""
        ops = [op for op in self.disk.ops if op.name == "sessions.db-wal"]
        return sum(op.kind == "write" and op.detail[0] == 0 for op in ops) > sum(op.kind == "make" for op in ops)

    def is_commit_unfinished(self, count):
        """Whether the last operation on the log wrote the header of a frame, and the frame's page is missing. In a log that
        is used again, the page of an earlier frame is in its place, which cannot be told from a damaged one. Other files may
        have been written since."""
        last = next((op for op in reversed(self.disk.ops[:count]) if op.name.endswith("-wal")), None)
        return last and last.kind == "write" and len(last.detail[1]) == FRAME_HEADER

    def view(self, source, brightness, volume):
        """The properties of a session that are compared. Unless the journal is synced, volumes are kept in mapped memory, which nothing
        syncs."""
        return (source, brightness, volume if self.is_synced else None)

    def is_possible(self, found, possible):
        return found in [{id: self.view(*each) for id, each in state.items()} for state in possible]


@pytest.fixture(scope="module")
def memory():
    with tempfile.TemporaryDirectory(prefix="engine-", dir=MEMORY) as directory:
        yield pathlib.Path(directory)


@pytest.fixture(scope="module", params=tiered(["on", "synced"], {"synced"}))
def record(request):
    """A client's commands to three engines, which run one after the other in the same directory, and the changes of
    that directory. The first engine is killed, the second is ended, and the third is killed."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="engine-"))
    # Another seed gives other commands and other moments.
    seed = int(os.environ.get("POWER_LOSS_SEED", 15))
    client = Client(seed)
    (home / "state" / "engined").mkdir(parents=True, mode=0o700)
    disk, traces, engine = Disk(home / "state" / "engined"), [], None
    images = Images(disk.directory)
    try:
        for number in range(3):
            traces.append(home / f"trace{number}")
            engine = Engine(home, "--journal", request.param, through=recorded(traces[-1]))
            for _ in range(COMMANDS):
                client.change(engine)
            if number == 1:
                engine.end()
            else:
                engine.kill()
            eventually(lambda: is_whole(traces[-1], engine.pid), "the rest of the record")
        disk.add_memory(images.end())
        for trace in traces:
            disk.read(trace)
    finally:
        images.end()
        if engine and engine.is_alive():
            engine.kill()
        shutil.rmtree(home, ignore_errors=True)
    return Record(request.param == "synced", disk, client, seed)


def write(files, directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o700, parents=True)
    for name, content in files.items():
        (directory / name).write_bytes(content)


@pytest.mark.parametrize("kept", tiered(["all", "none", "some"], {"some"}))
@pytest.mark.parametrize("most", [120, pytest.param(None, marks=pytest.mark.long)])
def test_the_database_is_whole_and_has_what_was_synced(record, memory, kept, most):
    """With SQLite alone, so that every moment can be tried."""
    losses, older = 0, 0
    for count, files, possible, newest in record.losses(most, kept):
        place = memory / "database"
        write(files, place)
        database = sqlite3.connect(place / "sessions.db")
        try:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], f"operation {count}"
            rows = []
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").fetchone():
                rows = [json.loads(entry) for entry, in database.execute("SELECT entry FROM sessions")]
        finally:
            database.close()
        found = {row["id"]: record.view(row["source"], round((row.get("pictures") or {}).get("brightness", 0) * 1000),
                                        round((1 if row.get("volume") is None else row["volume"]) * 1000)) for row in rows}
        assert record.is_possible(found, possible), f"operation {count}: {found}, expected one of {possible}"
        losses += 1
        older += not record.is_possible(found, newest)
    print(f"{losses} moments among {len(record.disk.ops)} operations; answered changes were lost at {older} of them")
    assert losses >= 100 and record.is_log_reused()
    # Only a journal that is not synced may lose changes, and it must lose some: otherwise this tests no loss.
    assert (older > 0) == (not record.is_synced and kept != "all")


@pytest.mark.parametrize("kept", tiered(["all", "none", "some"], {"some"}))
@pytest.mark.parametrize("most", [3, pytest.param(40, marks=pytest.mark.long)])
def test_an_engine_starts_with_what_was_synced_and_serves(record, start_engine, memory, kept, most):
    starts = []
    for number, (count, files, possible, _) in enumerate(record.losses(most, kept)):
        home = memory / f"{kept}-{most}-{number}"
        write(files, home / "engined")
        began = time.monotonic()
        engine = start_engine("--journal", "synced" if record.is_synced else "on", state_home=home)
        sessions = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
        starts.append(time.monotonic() - began)
        found = {each.session_id: record.view(each.source, round(each.adjustments.brightness.value * 1000), round(each.volume * 1000))
                 for each in sessions}
        assert record.is_possible(found, possible), f"operation {count}: {found}, expected one of {possible}"
        if kept == "all" and not record.is_commit_unfinished(count):
            assert "sessions.db" not in engine.log.read_text(), "nothing is lost, so nothing may be reported"
        with engine.session(clip("h264-aac.mp4")) as session:
            assert fetch(session.url)
        for each in sessions:
            eventually(lambda: engine.state(each.session_id).phase != state_pb2.PHASE_OPENING, "the source to be opened")
            assert fetch(each.url)
        assert {each["id"] for each in journal.entries(home / "engined")} == {each.session_id for each in sessions}
        engine.kill()
        shutil.rmtree(home)
    print(f"{len(starts)} starts, the first answer after at most {max(starts):.2f} s")
