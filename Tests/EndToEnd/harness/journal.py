# SPDX-License-Identifier: Apache-2.0
"""Reads the journal of an engine while the engine has it open."""

import json
import pathlib
import shutil
import sqlite3
import tempfile

NAMES = ("sessions.db", "sessions.db-wal")


def folder(engine):
    return engine.directory / "state" / "engined"


def kept(engine):
    """The sessions in the database, in order. Their slots may hold newer positions, rates and volumes."""
    return entries(folder(engine))


def entries(directory):
    """The sessions in order; none if nothing has been written to the database yet."""
    with tempfile.TemporaryDirectory(prefix="journal-") as copy:
        for name in NAMES:
            if (pathlib.Path(directory) / name).exists():
                shutil.copy(pathlib.Path(directory) / name, copy)
        database = sqlite3.connect(f"{copy}/sessions.db")
        try:
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").fetchone():
                return []
            return [json.loads(entry) for entry, in database.execute("SELECT entry FROM sessions ORDER BY place")]
        finally:
            database.close()


def leave_old(engine, content):
    """Replaces the journal of a killed engine with `sessions.json`, the journal of older engines."""
    directory = folder(engine)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in directory.glob("sessions.*"):
        path.unlink()
    (directory / "sessions.json").write_bytes(content)
