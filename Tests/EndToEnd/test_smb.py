# SPDX-License-Identifier: Apache-2.0
"""Films on SMB shares, read by the helper program, are served like the same files on disk; failures give typed errors."""

import concurrent.futures
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import urllib.parse

import grpc
import pytest
from harness import beside, bluray, udf
from harness.contract import engine_pb2, http_pb2, state_pb2
from harness.engine import PATIENCE, Session, eventually, running_engine
from harness.helper_client import LONGEST_READ, check_reads
from harness.hls import digest
from harness.places import clip
from harness.players import WatchedMpv
from harness.rich import rich
from harness.samba import samba
from harness.tiers import tiered
from harness.wire import FAR, wire

FILMS = ["h264-aac.mkv", "h264-aac-moov-last.mp4", "h264-aac.ts", "hevc-eac3.mkv", "audio.flac"]


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def load(engine, url, **connection):
    request = engine_pb2.LoadRequest(source=url, http_connection=http_pb2.HttpConnectionOptions(**connection))
    return Session(engine, engine.stub.Load(request, timeout=PATIENCE))


def failure(engine, url, **connection):
    """The type and the message of a load that fails."""
    with pytest.raises(grpc.RpcError) as caught:
        load(engine, url, **connection)
    return dict(caught.value.trailing_metadata())["engine-error-code"], caught.value.details()


def helpers(engine):
    """The processes that the engine has started."""
    found = subprocess.run(["ps", "--ppid", str(engine.pid), "-o", "pid="], stdout=subprocess.PIPE, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


@pytest.fixture(scope="module")
def share():
    with samba([clip(name) for name in FILMS]) as server:
        yield server


@pytest.fixture(scope="module")
def local(engine):
    """Digests of all resources served for each film on disk."""
    found = {}
    for name in FILMS:
        with engine.session(clip(name)) as session:
            found[name] = digests(session)
    return found


@pytest.mark.parametrize("name", tiered(FILMS, {"h264-aac.mkv"}))
def test_films_on_a_share_equal_the_files(fresh_engine, share, local, name):
    with fresh_engine.session(share.url(name)) as session:
        assert digests(session) == local[name]


def test_guests_read_what_is_open(fresh_engine, share, local):
    with fresh_engine.session(share.url("h264-aac.ts", "open", login="")) as session:
        assert digests(session) == local["h264-aac.ts"]


@pytest.mark.long
def test_subtitles_beside_a_film_on_a_share_are_found(fresh_engine, share):
    beside.put(share.files / "a b")
    url = share.url(f"a%20b/{beside.QUOTED}")
    beside.check(fresh_engine, lambda **options: fresh_engine.load(url, **options))
    # Only the helper of the film is left, which is kept for a later load.
    eventually(lambda: len(helpers(fresh_engine)) <= 1, "the other helpers to end")
    assert "p4ssw0rd" not in fresh_engine.log.read_text()


@pytest.mark.long
def test_subtitle_files_on_a_share_can_be_named(fresh_engine, share):
    beside.put(share.files / "a b")
    beside.check_named(fresh_engine, lambda name: share.url(f"a%20b/{urllib.parse.quote(name)}"))
    eventually(lambda: not helpers(fresh_engine), "the helpers to end")
    assert "p4ssw0rd" not in fresh_engine.log.read_text()


@pytest.mark.long
def test_reads_of_every_length_are_answered(share):
    content = os.urandom(LONGEST_READ + 100_000)
    (share.files / "random").write_bytes(content)
    check_reads("engined-source-smb", share.url("random", "open", login=""), content)


def test_what_cannot_be_read_has_a_type(fresh_engine, share):
    wrong = share.url("h264-aac.mkv", login=f"{share.user}:wr0ng-pass@")
    code, text = failure(fresh_engine, wrong)
    assert code == "source_access_denied" and "wr0ng" not in text, text
    assert failure(fresh_engine, share.url("h264-aac.mkv", login=""))[0] == "source_access_denied"
    # A user name without a password, even if no user has the name.
    for login in (f"{share.user}@", "stranger@", "nobody:@"):
        assert failure(fresh_engine, share.url("h264-aac.mkv", login=login))[0] == "source_access_denied"
    assert failure(fresh_engine, share.url("Am%E9lie.mkv"))[0] == "source_not_readable"
    _, text = failure(fresh_engine, share.url("none.mkv?password=hunter2"))
    assert "none.mkv" in text and "hunter2" not in text, text
    assert failure(fresh_engine, share.url("none.mkv"))[0] == "source_not_found"
    assert failure(fresh_engine, share.url("h264-aac.mkv", "none"))[0] == "source_not_found"
    (share.files / "folder").mkdir(exist_ok=True)
    for name in ("folder", "folder/"):
        code, text = failure(fresh_engine, share.url(name))
        assert code == "source_not_readable", text


def test_passwords_stay_secret(fresh_engine, share):
    session = load(fresh_engine, share.url("h264-aac.mkv"))
    seen = []
    for pid in helpers(fresh_engine):
        # A helper whose connection is no longer used may end meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            seen.append([pathlib.Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "environ")])
    assert any(b"engined-source-smb" in command for command, _ in seen)
    assert not any(b"p4ssw0rd" in text for texts in seen for text in texts)
    assert b"p4ssw0rd" not in fresh_engine.state(session.id).SerializeToString()
    session.stop()
    assert "p4ssw0rd" not in fresh_engine.log.read_text()


@pytest.mark.parametrize("login", tiered(["", "user@", "user:word@"], {"user@"}))
def test_a_server_without_an_address_has_a_type(fresh_engine, login):
    """A machine that sleeps, or that is in another network, may have no name; a later attempt may find it."""
    code, text = failure(fresh_engine, f"smb://{login}none.invalid/films/film.mkv")
    assert code == "source_unreachable" and "no address of none.invalid" in text, text


@pytest.mark.long
def test_a_server_is_found_by_its_address_of_version_6(fresh_engine, local):
    name = "h264-aac.mkv"
    with samba([clip(name)], interfaces="127.0.0.1/8 ::1/128") as server:
        with fresh_engine.session(server.url(name).replace("127.0.0.1", "[::1]")) as session:
            assert digests(session) == local[name]


@pytest.mark.long
def test_a_server_that_does_not_answer_has_a_type(fresh_engine):
    """Connections are accepted, but nothing is ever sent."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"smb://user:word@127.0.0.1:{mute.getsockname()[1]}/films/film.mkv"
        assert failure(fresh_engine, url, connect_timeout_us=300_000)[0] == "source_unreachable"


def runs(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_stopped_helper_ends_with_its_engine(fresh_engine, share):
    # The helper has answered. Another one, for the folder, might be stopped before it has begun.
    fresh_engine.load(share.url("h264-aac.mkv"), find_subtitles=beside.OFF)
    found = helpers(fresh_engine)
    assert found
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    fresh_engine.kill()
    eventually(lambda: not any(runs(pid) for pid in found), "the helpers to end")


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A film of which only a part is fetched when it is loaded."""
    path = tmp_path_factory.mktemp("big") / "big.mkv"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=24,noise=alls=80:allf=t", "-t", "48",
         "-c:v", "libx264", "-preset", "ultrafast", "-g", "24", "-pix_fmt", "yuv420p", "-b:v", "12M", path], check=True)
    assert path.stat().st_size > 40 << 20
    return path


@pytest.fixture
def playing(share, big):
    """A session of the big film on the share, given an engine."""
    share.add(big)
    # Another helper would list the folder.
    return lambda engine: engine.session(share.url(big.name), find_subtitles=beside.OFF)


@pytest.fixture(scope="module")
def whole(engine, big):
    with engine.session(big) as session:
        return digests(session)


@pytest.mark.long
def test_a_far_seek_reads_what_it_needs(fresh_engine, playing, whole):
    with playing(fresh_engine) as session:
        last = session.master().everything()[-1]
        assert digest(last) == whole[last.split("/", 4)[4]]
        assert fresh_engine.state(session.id).statistics.http_bytes < 40 << 20


@pytest.mark.long
def test_a_helper_that_is_killed_is_started_again(fresh_engine, playing, whole):
    with playing(fresh_engine) as session:
        [helper] = helpers(fresh_engine)
        os.kill(helper, signal.SIGKILL)
        assert digests(session) == whole
        assert helper not in helpers(fresh_engine)
    eventually(lambda: len(helpers(fresh_engine)) <= 4, "the helpers to end")


@pytest.mark.long
def test_a_helper_that_is_frozen_is_replaced(playing, whole):
    with running_engine("--http-stall-timeout", "1") as engine, playing(engine) as session:
        [helper] = helpers(engine)
        os.kill(helper, signal.SIGSTOP)
        assert digests(session) == whole
        assert helper not in helpers(engine)


@pytest.mark.long
def test_a_share_that_vanishes_and_returns(fresh_engine, playing, share, whole):
    with playing(fresh_engine) as session, concurrent.futures.ThreadPoolExecutor() as pool:
        share.stop()
        try:
            found = pool.submit(digests, session)
            eventually(lambda: fresh_engine.state(session.id).statistics.http_retries > 1, "the engine to try again")
        finally:
            share.start()
        assert found.result(PATIENCE) == whole


@pytest.mark.long
def test_a_folder_of_a_share_that_vanishes_and_returns(fresh_engine, playing, share, whole):
    """As of a disk that the server has not mounted for a while: the server answers, and does not find the film."""
    def served():
        with contextlib.suppress(AssertionError):
            return digests(session)
        return None

    with playing(fresh_engine) as session:
        away = share.files.rename(share.folder / "away")
        try:
            for helper in helpers(fresh_engine):
                os.kill(helper, signal.SIGKILL)
            with pytest.raises(AssertionError, match="source_not_found"):
                digests(session)
        finally:
            away.rename(share.files)
        assert eventually(served, "the film to be served again") == whole


@pytest.mark.long
def test_a_film_that_changes_ends_typed(fresh_engine, playing, share, big):
    with playing(fresh_engine) as session, open(share.files / big.name, "ab") as file:
        file.write(bytes(1000))
        file.flush()
        # The state of the source is requested at most once a second; a new helper requests it at once.
        os.kill(helpers(fresh_engine)[0], signal.SIGKILL)
        with pytest.raises(AssertionError, match="source_changed"):
            digests(session)
        state = fresh_engine.state(session.id)
        assert state.phase == state_pb2.PHASE_ERROR and state.error.code == "source_changed"


@pytest.mark.long
def test_a_film_of_90_mbit_s_plays_over_20_ms(tmp_path):
    """The link has a delay of 20 ms each way. The player never waits for data.

    A run in which a busy machine makes the delay of the link longer says nothing: it is repeated. Large packets, as in a local
    network, leave more of the machine to the programs."""
    film = rich(tmp_path / "film.mkv")
    with wire(round_trip=0.04, packet=9000) as line, samba([film], FAR, line.far) as server:
        for attempt in range(5):
            with (line.engine(tmp_path / str(attempt)) as engine,
                  engine.session(server.url(film.name), find_subtitles=beside.OFF) as session):
                line.late = 0
                # No frame is decoded, because only the arrival of the data matters.
                mpv = WatchedMpv(session.url, tmp_path / "watch.lua", "--vd-lavc-skipframe=nonkey", through=line.near.through())
                mpv.end(200)
            if not mpv.changes:
                return
            assert line.late > 0.01, mpv.changes
    pytest.fail("the machine was too busy to keep the delay of the link in any of the runs")


@pytest.mark.long
def test_images_of_discs_on_a_share_equal_the_files(fresh_engine, share, tmp_path):
    video = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=24"]
    sine = ["-f", "lavfi", "-i", "sine=440:sample_rate=48000"]
    clip = bluray.encode(
        tmp_path / "a.m2ts", [*video, *sine], "-t", "8", "-c:v", "libx264", "-preset", "ultrafast", "-g", "24",
        "-pix_fmt", "yuv420p", "-c:a", "ac3", "-ac", "2")
    disc = bluray.Disc(tmp_path / "disc")
    disc.add_title(disc.add_clip(clip))
    disc.write(first=1)
    image = udf.image(tmp_path / "film.iso", disc.root)
    share.add(image)
    with fresh_engine.session(image) as file, fresh_engine.session(share.url("film.iso")) as session:
        assert len(file.state.media.titles) == 1
        assert digests(session) == digests(file)


@pytest.mark.long
@pytest.mark.parametrize("options", [
    {"server_min_protocol": "SMB2_02", "server_max_protocol": "SMB2_02"},
    {"server_min_protocol": "SMB2_10", "server_max_protocol": "SMB2_10"},
    {"server_min_protocol": "SMB3_00", "server_max_protocol": "SMB3_00"},
    {"server_min_protocol": "SMB3_02", "server_max_protocol": "SMB3_02"},
    {"server_min_protocol": "SMB3_11", "server_max_protocol": "SMB3_11"},
    {"server_signing": "mandatory"},
    {"server_smb_encrypt": "required"},
], ids=lambda options: "-".join(options.values()))
def test_protocols_signing_and_encryption(fresh_engine, local, options):
    name = "h264-aac.mkv"
    with samba([clip(name)], **options) as server, fresh_engine.session(server.url(name)) as session:
        assert digests(session) == local[name]
