# SPDX-License-Identifier: Apache-2.0
"""HLS playlists that grow: what was announced stays, and once they have ended everything equals the complete playlist."""

import subprocess

import grpc
import pytest
from harness import hls, origin
from harness.bundles import FORMATS, package
from harness.engine import eventually
from harness.hls import digest
from harness.places import ENGINECTL
from harness.players import mpv


class Broadcast:
    """A complete bundle, whose playlist is published again as far as its packager would have come."""

    def __init__(self, playlist, kind="EVENT"):
        self.path = playlist.with_name("live.m3u8")
        lines = playlist.read_text().splitlines()
        first = next(place for place, line in enumerate(lines) if line.startswith("#EXTINF"))
        self._head = [line for line in lines[:first] if "PLAYLIST-TYPE" not in line]
        self._head += [f"#EXT-X-PLAYLIST-TYPE:{kind}"] if kind else []
        self._entries = [[]]
        for line in lines[first:-1]:
            self._entries[-1].append(line)
            if not line.startswith("#"):
                self._entries.append([])
        self._entries.pop()

    def __len__(self):
        return len(self._entries)

    def publish(self, count, ends=False):
        lines = [*self._head, *(line for entry in self._entries[:count] for line in entry)]
        made = self.path.with_suffix(".new")
        made.write_text("\n".join([*lines, *(["#EXT-X-ENDLIST"] if ends else []), ""]))
        made.rename(self.path)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hls")
    for name, options in FORMATS.items():
        package(folder, name, *options)
    return folder


def everything(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def announced(session):
    playlist = hls.Media(session.master().playlists()[0])
    return playlist, [digest(segment.url) for segment in playlist.segments]


@pytest.mark.parametrize("name", ["ts", "fmp4", "ts-ranges"])
def test_an_event_grows_and_ends_as_the_complete_playlist(engine, bundles, name):
    film = Broadcast(bundles / name / "film.m3u8")
    with engine.session(bundles / name / "film.m3u8") as whole:
        expected, (_, segments) = everything(whole), announced(whole)
    film.publish(3)
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/{name}/live.m3u8") as session:
        state = engine.state(session.id)
        assert state.growing and state.duration_us == -1 and not state.production.plan_complete
        playlist, early = announced(session)
        assert playlist.type == "EVENT" and not playlist.is_ended and early == segments[:2]
        film.publish(6)
        eventually(lambda: engine.state(session.id).production.planned_segments == 5, "the list to grow")
        # An older version, as from a cache, takes nothing back.
        loads = [path for _, path, _ in server.requests()].count(f"/{name}/live.m3u8")
        film.publish(4)
        eventually(
            lambda: [path for _, path, _ in server.requests()].count(f"/{name}/live.m3u8") > loads + 1, "two more loads")
        playlist, more = announced(session)
        assert not playlist.is_ended and more == segments[:5]
        film.publish(len(film), ends=True)
        state = eventually(lambda: not (found := engine.state(session.id)).growing and found, "the list to end")
        assert state.production.plan_complete and state.seekable[0].end_us == state.duration_us
        assert everything(session) == expected


def test_a_local_event_plays_while_it_grows(engine, bundles):
    film = Broadcast(bundles / "ts" / "film.m3u8")
    film.publish(4)
    with engine.session(film.path) as session:
        assert len(hls.Media(session.master().playlists()[0]).segments) == 3
        film.publish(len(film), ends=True)
        code, said = mpv(session.url)
        assert code == 0 and "error" not in said.lower(), said[-300:]
        assert not engine.state(session.id).growing


def test_the_software_path_waits_at_the_end_of_the_list(engine, bundles):
    film = Broadcast(bundles / "ts" / "film.m3u8")
    film.publish(4)

    def playing(url):
        return subprocess.Popen(
            [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", url], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)

    with origin.nginx(bundles) as server:
        frames, _ = playing(f"{server.url}/ts/film.m3u8").communicate()
        player = playing(f"{server.url}/ts/live.m3u8")
        # Everything that is listed is decoded before more of it comes.
        eventually(lambda: any(path == "/ts/003.ts" for _, path, _ in server.requests()[-6:]), "the end to be reached")
        loads = len(server.requests())
        eventually(lambda: len(server.requests()) > loads + 1, "two more loads")
        assert player.poll() is None
        film.publish(len(film), ends=True)
        found, _ = player.communicate()
    pictures = [[line.split("\t")[1] for line in each.splitlines()] for each in (frames, found)]
    assert player.returncode == 0 and len(pictures[0]) > 500 and pictures[1] == pictures[0]


def test_a_list_that_goes_on_with_other_media_ends_with_what_came(engine, bundles):
    film = Broadcast(bundles / "fmp4" / "film.m3u8")
    film.publish(4)
    with engine.session(film.path) as session:
        _, before = announced(session)
        film.path.write_text(film.path.read_text().replace("000.m4s", "005.m4s"))
        eventually(lambda: not engine.state(session.id).growing, "the list to end")
        playlist, after = announced(session)
        assert playlist.is_ended and after[:len(before)] == before


def test_a_sliding_window_is_refused(engine, bundles):
    film = Broadcast(bundles / "ts" / "film.m3u8", kind=None)
    film.publish(4)
    with pytest.raises(grpc.RpcError) as failure:
        engine.probe(film.path)
    assert failure.value.details().startswith("source_not_readable") and "live" in failure.value.details()
