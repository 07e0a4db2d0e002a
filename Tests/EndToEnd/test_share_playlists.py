# SPDX-License-Identifier: Apache-2.0
"""HLS presentations on shares: each playlist, segment and key is read as the source was, from its server only, and what is served
equals what is served for the folder on disk."""

import pytest
from harness import bundles, hls, shares
from harness.engine import eventually, running_engine
from harness.live import Broadcast
from harness.share_servers import SERVERS, on_a_helper, on_sftp
from harness.tiers import tiered

# Separate audio beside the video; encrypted segments; ranges of one file, with an init segment.
NAMES = ["languages", "keys", "fmp4-ranges"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("hls") / "a b?"
    made.mkdir()
    bundles.package_audio_renditions(made)
    bundles.encrypt(made)
    bundles.package(made, "ts")
    bundles.package(made, "fmp4-ranges", *bundles.FORMATS["fmp4-ranges"])
    for each in (made.parent, made):
        each.chmod(0o755)
    return made


@pytest.fixture(scope="module")
def local(folder):
    with running_engine() as engine:
        found = {}
        for name in NAMES:
            with engine.session(folder / name / "film.m3u8") as session:
                found[name] = bundles.digests(session)
        return found


@shares.as_root
@pytest.mark.parametrize("server", tiered(list(SERVERS), {"sftp"}))
def test_presentations_on_a_share_equal_the_folder(folder, local, tmp_path, server):
    with SERVERS[server](folder, tmp_path) as (engine, _, url):
        for name in NAMES:
            with engine.session(url(f"{name}/film.m3u8")) as session:
                assert bundles.digests(session) == local[name], name
        log = engine.log.read_text()
        assert shares.PASSWORD not in log and "p4ssw0rd" not in log


@shares.as_root
@pytest.mark.parametrize("server", tiered(["helper", "smb", "sftp"], {"sftp"}))
def test_a_playlist_that_is_still_written_on_a_share_is_followed(folder, tmp_path, server):
    with SERVERS[server](folder, tmp_path) as (engine, root, url):
        film = Broadcast(root / "ts" / "film.m3u8")
        film.publish(3)
        with engine.session(url("ts/live.m3u8")) as session:
            assert engine.state(session.id).growing
            assert len(hls.Media(session.master().playlists()[0]).segments) == 3
            film.publish(len(film), ends=True)
            eventually(lambda: not engine.state(session.id).growing, "the list to end")
            served = bundles.digests(session)
        with engine.session(folder / "ts" / "film.m3u8") as whole:
            assert served == bundles.digests(whole)


@pytest.mark.parametrize(("named", "word"), tiered([
    ("plain://other/etc/passwd", "is on another server"), ("http://127.0.0.1:9/000.ts", "the scheme http"),
    ("sftp://any/000.ts", "the scheme sftp"), ("file:///etc/passwd", "the scheme file"), ("none.ts", "none.ts"),
], lambda case: "other" in case[0]), ids=["host", "http", "sftp", "file", "missing"])
def test_a_playlist_on_a_share_names_only_files_of_its_server(folder, tmp_path, named, word):
    with on_a_helper(tmp_path, tmp_path) as (engine, _, url):
        (tmp_path / "film.m3u8").write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{named}\n#EXT-X-ENDLIST\n")
        said = bundles.refusal(lambda: engine.probe(url("film.m3u8")))
        assert word in said and said.startswith("source_not_readable" if named != "none.ts" else "source_"), said


@shares.as_root
@pytest.mark.long
def test_a_playlist_on_an_sftp_server_leads_to_no_other(tmp_path):
    with on_sftp(tmp_path, tmp_path) as (engine, _, url), shares.sshd(tmp_path) as other:
        (tmp_path / "film.m3u8").write_text(
            f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nsftp://127.0.0.1:{other.port}/000.ts\n#EXT-X-ENDLIST\n")
        # The server has been checked to listen.
        eventually(lambda: other.log().count("Connection closed") == 2, "its log")
        connections = other.log().count("Connection from")
        said = bundles.refusal(lambda: engine.probe(url("film.m3u8")))
        assert said.startswith("source_not_readable") and "is on another server" in said
        assert other.log().count("Connection from") == connections
