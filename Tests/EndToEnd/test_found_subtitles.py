# SPDX-License-Identifier: Apache-2.0
"""Subtitle files beside a film are found by the names that people and programs give them, but not those of other
films."""

import json
import os
import shutil
import signal
import subprocess
import unicodedata

import grpc
import pytest
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip
from harness.sidecars import FRENCH, RUSSIAN, by_ffmpeg, expected, load, read, shown, srt

OFF = engine_pb2.FIND_SUBTITLES_OFF
ON = engine_pb2.FIND_SUBTITLES_ON


def put(folder, *names, lines=FRENCH):
    for name in names:
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(srt(lines).encode())


def film(folder, name="film.mkv"):
    folder.mkdir(parents=True, exist_ok=True)
    path = os.path.join(os.fsencode(folder), os.fsencode(name))
    shutil.copy(clip("h264-aac.mkv"), path)
    return folder / name


def found(state):
    """(name below the film's folder, language, flags) of each track that was found."""
    folder = os.path.dirname(state.source)
    assert all(track.path.startswith(folder + "/") for track in state.subtitle_tracks if track.found)
    return [(track.path[len(folder) + 1:], track.language, list(track.dispositions)) for track in state.subtitle_tracks if track.found]


def test_subtitles_are_found_under_common_names(engine, tmp_path):
    path = film(tmp_path / "Movies" / "Amélie (2001)", "Amélie (2001).mkv")
    put(path.parent, "Amélie (2001).srt", "Amélie (2001).en.srt", "Amélie (2001).de.forced.srt", "Amélie (2001).pt-BR.sdh.srt",
        "AMÉLIE (2001).Spanish.Latin.American.SRT", unicodedata.normalize("NFD", "Amélie (2001).fr.cc.srt"),
        "Subs/2_English.srt", "Subs/Amélie (2001).ja.srt",
        # Files of other films.
        "Amélie (2001) 2.srt", "Amélie (2001) - Making of.srt", "Amélie.srt", "Other (2002).en.srt", "Subs/readme.srt", "Extras/de.srt")
    with engine.session(path) as session:
        assert sorted(found(session.state)) == sorted([
            ("Amélie (2001).srt", "", []), ("Amélie (2001).en.srt", "en", []), ("Amélie (2001).de.forced.srt", "de", ["forced"]),
            ("Amélie (2001).pt-BR.sdh.srt", "pt-BR", ["hearing_impaired"]), ("AMÉLIE (2001).Spanish.Latin.American.SRT", "es-419", []),
            (unicodedata.normalize("NFD", "Amélie (2001).fr.cc.srt"), "fr", ["hearing_impaired"]), ("Subs/2_English.srt", "en", []),
            ("Subs/Amélie (2001).ja.srt", "ja", [])])
        tracks = {track.path: track for track in session.state.subtitle_tracks}
        assert tracks[f"{path.parent}/AMÉLIE (2001).Spanish.Latin.American.SRT"].title == "Latin American"
        # As for any source, a track that is marked as forced is shown.
        assert [tracks[f"{path.parent}/Amélie (2001).de.forced.srt"].id] == list(session.state.selected_subtitles)
        assert [track.id for track in session.state.subtitle_tracks if track.found] == list(range(100000, 100008))
        assert shown(read(engine, session_id=session.id, track=100000)[1]) == expected(FRENCH)
        lines = [line for line in session.master().text.splitlines() if 'URI="subtitles-1000' in line]
        assert len(lines) == 8 and [line.count("LANGUAGE=") for line in lines].count(0) == 1, "only film.srt names no language"
        assert any('LANGUAGE="es-419"' in line for line in lines)


def test_the_search_can_be_switched_off(start_engine, tmp_path):
    path = film(tmp_path)
    put(tmp_path, "film.srt")
    named = [subtitles_pb2.SubtitleFile(path=str(tmp_path / "film.srt"), language="de")]
    on, off = start_engine(), start_engine("--find-subtitles", "off")
    for engine, option, count in [(on, 0, 1), (on, ON, 1), (on, OFF, 0), (off, 0, 0), (off, ON, 1), (off, OFF, 0)]:
        with engine.session(path, find_subtitles=option) as session:
            assert len(session.state.subtitle_tracks) == count, (option, count)
    # A file that the load names is not found a second time.
    session = load(on, path, named)
    assert [(track.language, track.found) for track in session.state.subtitle_tracks] == [("de", False)]
    session.stop()
    for arguments, count in [([], 1), (["--no-find-subtitles"], 0), (["--find-subtitles"], 1)]:
        subprocess.run([ENGINECTL, "load", path, *arguments, "--socket", on.socket], check=True, capture_output=True)
        state = on.state()
        assert len(state.subtitle_tracks) == count, arguments
        listed = subprocess.run([ENGINECTL, "subtitles", "--socket", on.socket], check=True, capture_output=True, text=True).stdout
        assert listed.count(f"found, {tmp_path}/film.srt") == count
        on.stub.Stop(engine_pb2.SessionRequest(session_id=state.session_id), timeout=PATIENCE)


@pytest.mark.long
def test_subtitles_are_found_for_sources_that_are_not_loaded(start_engine, tmp_path):
    path = film(tmp_path, "film.ts")
    # Its clock does not start at 0.
    shutil.copy(clip("h264-aac.ts"), path)
    put(tmp_path, "film.de.srt", "film.fr.forced.srt", "other.srt")
    (tmp_path / "film.it.srt").write_text("<html>no</html>")
    on, off = start_engine(), start_engine("--find-subtitles", "off")

    def ctl(engine, *arguments, expect=0):
        done = subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == expect, done.stderr
        return done.stdout if expect == 0 else done.stderr

    with on.session(path) as session:
        loaded = [(track.id, track.path, track.language, list(track.dispositions)) for track in session.state.subtitle_tracks]
        assert len(loaded) == 2
        # The cues of the session are on the same clock.
        cues = shown(read(on, session_id=session.id, track=loaded[0][0])[1])
    for engine, arguments, is_found in [(on, [], True), (on, ["--no-find-subtitles"], False), (off, [], False), (off, ["--find-subtitles"], True)]:
        probed = json.loads(ctl(engine, "probe", path, "--json", *arguments)).get("subtitle_files", [])
        assert [(each["id"], each["path"], each["language"], each["dispositions"]) for each in probed] == (loaded if is_found else [])
        assert all(each["found"] for each in probed)
        assert ("subtitle files" in ctl(engine, "probe", path, *arguments)) == is_found
    assert shown(read(on, source=str(path), track=loaded[0][0])[1]) == cues
    assert shown(read(on, source=str(path), language="de")[1]) == cues
    assert shown(read(on, source=str(path), number=0)[1]) == cues
    # As in a load, a track that is marked is taken first.
    assert [track.id for track in read(on, source=str(path))[0]] == [loaded[1][0]]
    assert FRENCH[1] in ctl(on, "cues", path, "--track", "de")
    for engine, arguments in [(on, ["--no-find-subtitles"]), (off, [])]:
        assert "contains no subtitles" in ctl(engine, "cues", path, *arguments, expect=1)
    assert "film.de.srt subrip de" in ctl(on, "cues", path, "--track", "7", expect=1)
    with pytest.raises(grpc.RpcError) as caught:
        read(on, source=str(path), without_files=True)
    assert caught.value.details().startswith("track_not_found"), caught.value.details()


def test_each_episode_has_its_own_subtitles(engine, tmp_path):
    for name in ["Show.S01E01.mkv", "Show.S01E10.mkv", "Show.S01E1.mkv"]:
        film(tmp_path, name)
    put(tmp_path, "Show.S01E01.en.srt", "Show.S01E10.en.srt", "Show.S01E1.srt", "Show.srt", "Subs/Show.S01E01/2_English.srt",
        "Subs/Show.S01E10/2_German.srt", "Subs/English.srt")
    for name, files in [("Show.S01E01.mkv", ["Show.S01E01.en.srt", "Subs/Show.S01E01/2_English.srt"]),
                        ("Show.S01E10.mkv", ["Show.S01E10.en.srt", "Subs/Show.S01E10/2_German.srt"]), ("Show.S01E1.mkv", ["Show.S01E1.srt"])]:
        with engine.session(tmp_path / name) as session:
            assert [each[0] for each in found(session.state)] == files


@pytest.mark.long
def test_subtitles_are_found_in_a_folder_of_ten_thousand_files(engine, tmp_path):
    path = film(tmp_path, "film 5000.mkv")
    for number in range(10_000):
        (tmp_path / f"film {number}.srt").write_bytes(b"")
        (tmp_path / f"film {number}.mp4").touch()
    put(tmp_path, "film 5000.srt", "film 5000.de.srt")
    with engine.session(path) as session:
        assert [each[0] for each in found(session.state)] == ["film 5000.srt", "film 5000.de.srt"]


def test_surplus_and_unreadable_files_are_reported(fresh_engine, tmp_path):
    path = film(tmp_path)
    put(tmp_path, *[f"film.en.{number}.srt" for number in range(70)])
    (tmp_path / "film.srt").write_text("<html>no</html>")
    (tmp_path / "film.de.srt").symlink_to("nowhere.srt")
    with fresh_engine.session(path) as session:
        # Some are ready with the answer, the rest soon after.
        assert len(session.state.subtitle_tracks) >= 6
        eventually(lambda: len(fresh_engine.state(session.id).subtitle_tracks) == 62, "all files that fit")
        for text in ("8 subtitle files beside", "subtitles.files_left_out", "film.srt is not a subtitle file: it is an HTML page",
                     "film.de.srt does not exist"):
            eventually(lambda: text in fresh_engine.log.read_text(), text)
    # If the folder cannot be listed, a notice says so, and the film is loaded.
    if os.geteuid() != 0:
        os.chmod(tmp_path, 0o100)
        try:
            with fresh_engine.session(path) as session:
                assert not session.state.subtitle_tracks
            eventually(lambda: "subtitles.folder_unreadable" in fresh_engine.log.read_text(), "the notice")
        finally:
            os.chmod(tmp_path, 0o700)


def test_bitmap_subtitles_are_added_after_the_load_returns(engine, tmp_path):
    path = film(tmp_path)
    # Any file with this extension may be large, whatever is in it.
    put(tmp_path, "film.sup", "film.de.srt")
    with engine.session(path) as session:
        assert [each[0] for each in found(session.state)][:1] == ["film.de.srt"]
        eventually(lambda: len(engine.state(session.id).subtitle_tracks) == 2, "the other file")
        assert sorted(each[0] for each in found(engine.state(session.id))) == ["film.de.srt", "film.sup"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make links of another user")
def test_links_of_other_users_out_of_the_folder_are_ignored(fresh_engine, tmp_path):
    path = film(tmp_path / "films")
    secret = tmp_path / "secret.srt"
    secret.write_bytes(srt(RUSSIAN).encode())
    put(path.parent, "film.en.srt")
    for name, target in [("film.de.srt", secret), ("film.fr.srt", "film.en.srt"), ("film.it.srt", secret)]:
        (path.parent / name).symlink_to(target)
    for name in ("film.de.srt", "film.fr.srt"):
        os.chown(path.parent / name, 12345, 12345, follow_symlinks=False)
    (path.parent / "Subs").symlink_to(tmp_path)
    with fresh_engine.session(path) as session:
        assert [each[0] for each in found(session.state)] == ["film.en.srt", "film.fr.srt", "film.it.srt"]
        eventually(lambda: "film.de.srt is a symbolic link of another user that leads out of its folder" in fresh_engine.log.read_text(),
                   "the notice")


def test_found_subtitles_survive_a_kill(start_engine, tmp_path):
    path = film(tmp_path)
    put(tmp_path, "film.de.srt", "film.fr.srt")
    state = tmp_path / "state"
    engine = start_engine(state_home=state)
    session = engine.load(path)
    engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(subtitles=engine_pb2.SubtitleSelection(
        tracks=engine_pb2.SubtitleTrackList(ids=[100001]))), timeout=PATIENCE)
    eventually(lambda: engine.has_journaled("film.fr.srt") and engine.has_journaled("100001"), "the journal")
    engine.process.send_signal(signal.SIGKILL)
    engine.process.wait()
    # A file that is added later does not change the numbers of the others.
    put(tmp_path, "film.an.srt")
    second = start_engine(state_home=state)
    eventually(lambda: len(second.state(session.id).subtitle_tracks) == 2, "the tracks of the restored session")
    restored = second.state(session.id)
    assert [(track.id, track.language, track.found) for track in restored.subtitle_tracks] == [(100000, "de", True), (100001, "fr", True)]
    assert list(restored.selected_subtitles) == [100001]
    assert shown(read(second, session_id=session.id, track=100001)[1]) == by_ffmpeg(tmp_path / "film.fr.srt")
