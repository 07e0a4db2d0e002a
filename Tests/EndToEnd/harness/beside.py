# SPDX-License-Identifier: Apache-2.0
"""Subtitle files beside a film on a server, and those of other films in the same folder."""

import pathlib
import shutil
import urllib.parse

import grpc
import pytest

from .contract import engine_pb2, subtitles_pb2
from .engine import eventually, settled
from .growing import finished
from .places import clip
from .sidecars import FRENCH, add, expected, field_of, load, plain, read, shown, srt

OFF = engine_pb2.FIND_SUBTITLES_OFF
STEM = "Le fïlm & co (1)"
FILM = f"{STEM}.mkv"
# The film's name as a part of a URL.
QUOTED = urllib.parse.quote(FILM)
SCRIPT = """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour
Style: Default,Arial,16,&Hffffff

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Guten Tag
"""


def put(folder):
    """Puts the film and the files into a folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    finished(shutil.copy(clip("h264-aac.mkv"), folder / FILM))
    (folder / f"{STEM}.srt").write_text(srt(FRENCH))
    (folder / f"{STEM}.de.ass").write_text(SCRIPT)
    for name in (f"{STEM} 2.srt", "other.srt", f"{STEM}.txt.bak"):
        (folder / name).write_text(srt(["not of this film"]))
    # Only the folder itself is listed, and a folder is never a subtitle file.
    (folder / "Subs").mkdir(exist_ok=True)
    (folder / "Subs" / f"{STEM}.fr.srt").write_text(srt(FRENCH))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder / FILM


def found(state):
    return [track for track in state.subtitle_tracks if track.found]


def check(engine, load):
    """Checks that the film's own files become tracks of the session that `load()` loads, and that none do with
    `find_subtitles=OFF`."""
    session = load()
    try:
        eventually(lambda: len(found(engine.state(session.id))) == 2, lambda: engine.log.read_text()[-2000:])
        state = engine.state(session.id)
        folder = state.source[:state.source.rindex("/") + 1]
        tracks = found(state)
        assert [(track.id, track.language, track.codec) for track in tracks] == [(100000, "", "subrip"), (100001, "de", "ass")]
        assert all(track.path.startswith(folder) and "@" not in track.path for track in tracks)
        assert [urllib.parse.unquote(track.path[len(folder):]) for track in tracks] == [f"{STEM}.srt", f"{STEM}.de.ass"]
        assert shown(read(engine, session_id=session.id, track=100000)[1]) == expected(FRENCH)
        assert plain(read(engine, session_id=session.id, track=100001)[1]) == ["Guten Tag"]
        assert "subtitles.folder_unreadable" not in engine.log.read_text()
        assert "subtitles.file_unavailable" not in engine.log.read_text()
    finally:
        session.stop()
    session = load(find_subtitles=OFF)
    try:
        assert not settled(lambda: found(engine.state(session.id)))
    finally:
        session.stop()


def check_named(engine, url, **connection):
    """Checks that a subtitle file on a server can be named in every way that a local file can, and that a missing file
    and a folder are rejected. `url(name)` is the URL of a file in a folder that `put` has filled. `connection` has the
    options for its server."""
    file, none = url(f"{STEM}.srt"), url("none.srt")
    assert shown(read(engine, source=file, **connection)[1]) == expected(FRENCH)
    named = [subtitles_pb2.SubtitleFile(path=file, show=True)]
    session = load(engine, clip("h264-aac.mkv"), named, engine_pb2.LoadOptions(find_subtitles=OFF))
    try:
        eventually(lambda: engine.state(session.id).selected_subtitles == [100000], lambda: engine.log.read_text()[-2000:])
        assert list(add(engine, url(f"{STEM}.de.ass"), session.id).added_subtitles) == [100001]
        tracks = engine.state(session.id).subtitle_tracks
        assert [(track.language, track.codec, track.found) for track in tracks] == [("", "subrip", False), ("de", "ass", False)]
        assert all("@" not in track.path and "?" not in track.path for track in tracks)
        assert shown(read(engine, session_id=session.id, track=100000)[1]) == expected(FRENCH)
        assert plain(read(engine, session_id=session.id, track=100001)[1]) == ["Guten Tag"]
        for missing, code, word in ((none, "NOT_FOUND", "none.srt"), (url(""), "FAILED_PRECONDITION", "is a folder")):
            with pytest.raises(grpc.RpcError) as failure:
                add(engine, missing, session.id)
            assert failure.value.code().name == code, failure.value.details()
            assert word in failure.value.details() and field_of(failure.value) == "file.path"
        assert len(engine.state(session.id).subtitle_tracks) == 2
    finally:
        session.stop()
