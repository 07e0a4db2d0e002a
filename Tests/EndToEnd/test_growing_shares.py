# SPDX-License-Identifier: Apache-2.0
"""Files that are still being written on shares: their playlists grow, become complete when the recording ends, and then
equal those of the finished file."""

import os
import subprocess

import pytest
from harness import bundles, growing, hls, shares
from harness.engine import eventually
from harness.hls import digest
from harness.places import clip
from harness.share_servers import SERVERS

pytestmark = pytest.mark.long

# Long enough for a load on a busy machine to begin while the file still counts as a recording.
QUIET = ("--recording-timeout", "15")
KINDS = ["sftp", "ftp", "smb", "nfs"]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A transport stream that is long enough for segments to be announced before its end."""
    path = tmp_path_factory.mktemp("recorded") / "film.ts"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-stream_loop", "3", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy", path], check=True)
    return path.read_bytes()


def wait_for_end(engine, session):
    return eventually(lambda: not (state := engine.state(session.id)).growing and state, "the recording to end")


def announced(session):
    return [digest(segment.url) for segment in hls.Media(session.master().playlists()[0]).segments]


@shares.as_root
@pytest.mark.parametrize("server", KINDS)
def test_a_recording_on_a_share_is_followed_until_it_is_quiet(tmp_path, content, server):
    folder = tmp_path / "films"
    folder.mkdir()
    with SERVERS[server](folder, tmp_path, *QUIET) as (engine, root, url):
        with growing.recording(root / "film.ts", content, 0.6) as film, engine.session(url("film.ts")) as session:
            state = engine.state(session.id)
            assert state.growing and state.duration_us == -1
            playlist = hls.Media(session.master().playlists()[0])
            early = announced(session)
            assert playlist.type == "EVENT" and not playlist.is_ended and early
            with growing.trickle(film, 0.6):
                eventually(
                    lambda: engine.state(session.id).seekable[0].end_us > state.seekable[0].end_us, "more of the recording")
            last = wait_for_end(engine, session)
            assert last.production.plan_complete
            found = bundles.digests(session)
            assert announced(session)[:len(early)] == early
        (root / "other.ts").write_bytes(content)
        with engine.session(root / "other.ts") as whole:
            assert found == bundles.digests(whole)
            assert last.duration_us == engine.state(whole.id).duration_us


@shares.as_root
@pytest.mark.parametrize("server", KINDS)
def test_stills_of_a_recording_on_a_share_use_the_file_as_it_is(tmp_path, content, server):
    """A probe does not wait for the end, and does not fail because the file grows while it is read."""
    folder = tmp_path / "films"
    folder.mkdir()
    with SERVERS[server](folder, tmp_path, *QUIET) as (engine, root, url):
        with growing.recording(root / "film.ts", content, 0.5) as film, growing.trickle(film, 0.5, steps=50):
            assert engine.probe(url("film.ts")).duration_us > 0


@shares.as_root
def test_a_recording_on_a_share_that_is_cut_short_has_changed(tmp_path, content):
    folder = tmp_path / "films"
    folder.mkdir()
    with SERVERS["sftp"](folder, tmp_path, *QUIET) as (engine, root, url):
        with growing.recording(root / "film.ts", content, 0.6), engine.session(url("film.ts")) as session:
            early = announced(session)
            os.truncate(root / "film.ts", len(content) // 3)
            wait_for_end(engine, session)
            eventually(lambda: "plan.scan_failed" in engine.log.read_text(), "the failure of the scan")
            assert "source_changed" in engine.log.read_text()
            assert len(hls.Media(session.master().playlists()[0]).segments) >= len(early)


@shares.as_root
def test_an_index_at_the_end_of_a_recording_on_a_share(tmp_path):
    content = clip("h264-aac-moov-last.mp4").read_bytes()
    folder = tmp_path / "films"
    folder.mkdir()
    with SERVERS["sftp"](folder, tmp_path, *QUIET) as (engine, root, url):
        with growing.recording(root / "film.mp4", content, 0.7) as film:
            said = bundles.refusal(lambda: engine.load(url("film.mp4")))
            assert said.startswith("source_not_readable") and "still being written" in said
            film.write(1)
            with engine.session(url("film.mp4")) as session:
                assert engine.state(session.id).production.plan_complete
