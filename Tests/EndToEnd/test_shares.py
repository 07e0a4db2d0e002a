# SPDX-License-Identifier: Apache-2.0
"""Films on file servers, over SFTP and FTP, are served byte for byte like the same files on disk, and errors state what
is wrong with a server, a login or a file."""

import os
import pathlib
import shutil
import signal
import subprocess
import urllib.parse

import grpc
import pytest
from harness import beside, dvd, growing, hls, proxies, shares
from harness.contract import engine_pb2, http_pb2
from harness.engine import PATIENCE, Session, eventually
from harness.hls import digest
from harness.places import FIXTURES, clip
from harness.sidecars import FRENCH, add, expected, read, shown
from harness.tiers import tiered

pytestmark = shares.as_root
FILMS = ["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts"]


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


@pytest.fixture(scope="module")
def local(engine):
    """Digests of all resources served for each film on disk."""
    found = {}
    for name in FILMS:
        with engine.session(clip(name)) as session:
            found[name] = digests(session)
    return found


def refusal(engine, url, **connection):
    request = engine_pb2.ProbeRequest(source=url, http_connection=http_pb2.HttpConnectionOptions(**connection))
    with pytest.raises(grpc.RpcError) as failure:
        engine.stub.Probe(request, timeout=PATIENCE)
    return failure.value.details()


def engine_at_home(start_engine, home, *options):
    """An engine whose home directory is `home`."""
    return start_engine(*options, through=["env", "-u", "SSH_AUTH_SOCK", f"HOME={home}", "USER=film"])


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".ssh").mkdir(mode=0o700)
    return tmp_path


def trust(home, server, text=None):
    (home / ".ssh" / "known_hosts").write_text(text or server.known())


@pytest.fixture
def sftp(home):
    """A server whose key is known, and which knows the key of the user."""
    with shares.sshd(FIXTURES) as server:
        trust(home, server)
        shutil.copy(server.folder / "id", home / ".ssh" / "id_ed25519")
        yield server


def test_films_on_an_sftp_server_equal_the_files(start_engine, home, local, sftp):
    engine = engine_at_home(start_engine, home)
    for name in FILMS:
        with engine.session(sftp.url(clip(name)), find_subtitles=beside.OFF) as session:
            assert digests(session) == local[name], name
            assert session.state.source == f"sftp://127.0.0.1:{sftp.port}{clip(name)}"
    # At most two logins for each film.
    assert 1 <= sftp.logins() <= 6


@pytest.mark.parametrize("login", tiered([shares.USER, shares.LOGIN], {shares.USER}), ids=["key", "password"])
def test_subtitles_beside_a_film_on_an_sftp_server_are_found(start_engine, home, sftp, tmp_path, login):
    film = beside.put(tmp_path / "films")
    engine = engine_at_home(start_engine, home)
    beside.check(engine, lambda **options: engine.load(sftp.url(film, login), **options))
    assert shares.PASSWORD not in engine.log.read_text()


@pytest.mark.parametrize("login", tiered([shares.USER, shares.LOGIN], {shares.LOGIN}), ids=["key", "password"])
def test_subtitle_files_on_an_sftp_server_can_be_named(start_engine, home, sftp, tmp_path, login):
    beside.put(tmp_path / "films")
    engine = engine_at_home(start_engine, home)
    beside.check_named(engine, lambda name: sftp.url(tmp_path / "films" / name) if name else sftp.url(f"{tmp_path}/films/"))
    assert shares.PASSWORD not in engine.log.read_text()


def test_the_login_for_a_subtitle_file_is_that_of_its_own_server(start_engine, home, sftp, tmp_path):
    """The credentials of a call that names only the subtitle file are sent to its server, those in the credentials file,
    and those of the session's load if its source is on the same server."""
    film = beside.put(tmp_path / "films")
    (home / ".ssh" / "id_ed25519").unlink()
    file = film.with_name(f"{beside.STEM}.srt")
    nameless = sftp.url(file).replace("film@", "", 1)
    engine = engine_at_home(start_engine, home)
    basic = http_pb2.HttpBasicCredentials(user=shares.USER, password=shares.PASSWORD)
    login = http_pb2.HttpConnectionOptions(basic=basic)
    assert shown(read(engine, source=nameless, http_connection=login)[1]) == expected(FRENCH)
    request = engine_pb2.LoadRequest(source=sftp.url(film), http_connection=login, options=engine_pb2.LoadOptions(find_subtitles=beside.OFF))
    session = Session(engine, engine.stub.Load(request, timeout=PATIENCE))
    add(engine, nameless, session.id)
    session.stop()
    with engine.session(film) as local, pytest.raises(grpc.RpcError) as failure:
        add(engine, nameless, local.id)
    assert "source_access_denied" in failure.value.details()
    (home / "credentials").write_text(f"sftp://{shares.LOGIN}@127.0.0.1:{sftp.port}\n")
    (home / "credentials").chmod(0o600)
    other = engine_at_home(start_engine, home, "--credentials", str(home / "credentials"))
    assert shown(read(other, source=nameless)[1]) == expected(FRENCH)


def test_found_subtitles_on_a_server_survive_a_kill(start_engine, home, sftp, tmp_path):
    film, state = beside.put(tmp_path / "films"), tmp_path / "state"
    surrounding = {"through": ["env", "-u", "SSH_AUTH_SOCK", f"HOME={home}", "USER=film"], "state_home": state}
    engine = start_engine(**surrounding)
    session = engine.load(sftp.url(film))
    eventually(lambda: len(beside.found(engine.state(session.id))) == 2, "the files beside the film")
    eventually(lambda: engine.has_journaled("de.ass") and engine.has_journaled("100001"), "the journal")
    engine.process.send_signal(signal.SIGKILL)
    engine.process.wait()
    second = start_engine(**surrounding)
    eventually(lambda: len(beside.found(second.state(session.id))) == 2, "the tracks of the restored session")
    assert [(track.id, track.language) for track in beside.found(second.state(session.id))] == [(100000, ""), (100001, "de")]


def far(session, playlist, place):
    """Fetches the segment at a fraction of the film."""
    return digest(playlist.segments[int(place * (len(playlist.segments) - 1))].url)


@pytest.mark.long
def test_far_seeks_use_the_connections_that_are_open(start_engine, home, sftp, tmp_path):
    film = tmp_path / "long.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "60", "-i", clip("h264-aac.mkv"), "-c", "copy", film], check=True)
    growing.finished(film)
    engine = engine_at_home(start_engine, home)
    with engine.session(film) as disk, engine.session(sftp.url(film), find_subtitles=beside.OFF) as session:
        there, here = (hls.Media.complete(each.master().playlists()[0]) for each in (session, disk))
        assert far(session, there, 0.9) == far(disk, here, 0.9)
        before = sftp.logins()
        for place in (0.1, 0.8, 0.3, 0.6, 0.2, 0.99):
            assert far(session, there, place) == far(disk, here, place)
        assert sftp.logins() - before <= 1, sftp.log()


@pytest.mark.long
@pytest.mark.parametrize("way", ["password", "agent", "identity", "setting"])
def test_ways_to_log_in(start_engine, home, sftp, way):
    (home / ".ssh" / "id_ed25519").unlink()
    film, options, surrounding, login = clip(FILMS[0]), [], ["-u", "SSH_AUTH_SOCK"], shares.USER
    own = sftp.folder / "id"
    if way == "password":
        login = shares.LOGIN
    elif way == "identity":
        # Without a name in the URL, and under another usual name.
        login = ""
        shutil.copy(own, home / ".ssh" / "id_rsa")
    elif way == "setting":
        options = ["--sftp-identity", str(own)]
    agent = None
    if way == "agent":
        socket = home / "agent"
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        eventually(socket.exists, "the agent")
        subprocess.run(["ssh-add", "-q", own], check=True, env=dict(os.environ, SSH_AUTH_SOCK=str(socket)))
        surrounding = [f"SSH_AUTH_SOCK={socket}"]
    try:
        engine = start_engine(*options, through=["env", *surrounding, f"HOME={home}", "USER=film"])
        url = sftp.url(film, login) if login else sftp.url(film).replace("film@", "", 1)
        assert engine.probe(url).duration_us > 0
    finally:
        if agent:
            agent.kill()
            agent.wait()


def test_what_is_wrong_with_an_sftp_server_is_said(start_engine, home, sftp):
    film = clip(FILMS[0])
    engine = engine_at_home(start_engine, home)
    secret = "not the password"
    said = refusal(engine, sftp.url(film, f"film:{urllib.parse.quote(secret)}"))
    assert "source_access_denied" in said and "refused the login" in said and "password" not in said
    assert "source_not_found" in refusal(engine, sftp.url("/none/film.mkv"))
    assert "is a folder" in refusal(engine, sftp.url(FIXTURES))
    assert "http_connection.bearer_token" in refusal(engine, sftp.url(film), bearer_token="abc")
    assert engine.probe(sftp.url(film)).duration_us > 0


def test_unknown_and_changed_keys_are_refused_with_their_fingerprint(start_engine, home, sftp, tmp_path):
    url = sftp.url(clip(FILMS[0]))
    shown = shares.fingerprint(sftp.folder / "host")
    other = shares.key(tmp_path / "other")
    engine = engine_at_home(start_engine, home)
    trust(home, sftp, f"[127.0.0.1]:{sftp.port} {shares.public(other)}")
    said = refusal(engine, url)
    assert "source_unreachable" in said and shown in said and "has another key" in said, said
    (home / ".ssh" / "known_hosts").unlink()
    said = refusal(engine, url)
    assert shown in said and "is not in" in said and "known_hosts" in said, said
    assert sftp.logins() == 0, "the engine has logged in to a server that it does not know"
    # Host names are hashed, as by Debian's OpenSSH, and the entry follows that of another server with another type of key.
    elsewhere = shares.key(tmp_path / "elsewhere", "ecdsa")
    trust(home, sftp, f"elsewhere {shares.public(elsewhere)}{sftp.known()}")
    shares.run("ssh-keygen", "-q", "-H", "-f", home / ".ssh" / "known_hosts")
    assert engine.probe(url).duration_us > 0


def written(engine):
    """Everything that the engine has written or shows, apart from the database of its journal."""
    for file in engine.directory.rglob("*"):
        if file.is_file() and not file.name.startswith("sessions.db"):
            yield file, file.read_bytes()
    yield "arguments", pathlib.Path(f"/proc/{engine.pid}/cmdline").read_bytes()
    yield "sessions", str(engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)).encode()
    yield "cache", str(engine.stub.GetSourceCache(engine_pb2.GetSourceCacheRequest(), timeout=PATIENCE)).encode()


def test_passwords_come_from_a_private_file_and_are_written_nowhere(start_engine, home, sftp):
    film, file = clip(FILMS[0]), home / "credentials"
    (home / ".ssh" / "id_ed25519").unlink()
    file.write_text(f"# at home\nsftp://{shares.LOGIN}@127.0.0.1:{sftp.port}\n")
    file.chmod(0o640)
    engine = engine_at_home(start_engine, home, "--credentials", str(file), "--log-level", "trace")
    nameless = sftp.url(film).replace("film@", "", 1)
    assert "chmod 600" in refusal(engine, nameless)
    file.chmod(0o600)
    with engine.session(nameless) as session:
        assert digest(next(iter(session.master().everything())))
        eventually(lambda: engine.has_journaled(str(film)), "the journal")
        assert not engine.has_journaled(shares.PASSWORD)
        with engine.session(sftp.url(film, shares.LOGIN)):
            refusal(engine, sftp.url("/none.mkv", shares.LOGIN))
            eventually(lambda: engine.has_journaled(shares.PASSWORD), "the journal")
            for place, text in written(engine):
                assert shares.PASSWORD.encode() not in text, place
    database = next(pathlib.Path(engine.environment["XDG_STATE_HOME"]).rglob("sessions.db"))
    assert database.stat().st_mode & 0o077 == 0 and database.parent.stat().st_mode & 0o077 == 0


@pytest.mark.long
def test_a_presentation_on_an_sftp_server_equals_the_folder(start_engine, home, sftp, tmp_path):
    playlist = tmp_path / "film.m3u8"
    subprocess.run(["ffmpeg", "-v", "error", "-i", clip(FILMS[0]), "-c", "copy", "-f", "hls", "-hls_time", "2",
                    "-hls_playlist_type", "vod", playlist], check=True)
    engine = engine_at_home(start_engine, home)
    with engine.session(playlist) as disk, engine.session(sftp.url(playlist)) as session:
        assert digests(session) == digests(disk)


@pytest.mark.long
def test_a_disc_on_an_sftp_server_equals_the_image(start_engine, home, sftp, tmp_path):
    image = tmp_path / "disc.iso"
    film = dvd.film(tmp_path / "film.mpg", "testsrc2", (440,))
    dvd.author(tmp_path / "disc", [[[(film, "0,2")]]])
    shares.run("genisoimage", "-quiet", "-dvd-video", "-udf", "-o", image, tmp_path / "disc")
    engine = engine_at_home(start_engine, home)
    here, there = engine.probe(image), engine.probe(sftp.url(image))
    assert here.titles and list(there.titles) == list(here.titles)
    assert there.streams == here.streams


@pytest.mark.long
def test_an_sftp_server_that_goes_and_returns(start_engine, home, sftp, local):
    engine = engine_at_home(start_engine, home)
    with engine.session(sftp.url(clip(FILMS[1]))) as session:
        urls = list(session.master().everything())
        sftp.stop()
        sftp.start()
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == local[FILMS[1]]


@pytest.mark.long
def test_a_film_that_is_replaced_while_it_is_open(start_engine, home, sftp, tmp_path):
    film = tmp_path / "film.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "60", "-i", clip(FILMS[0]), "-c", "copy", film], check=True)
    growing.finished(film)
    engine = engine_at_home(start_engine, home)
    with engine.session(sftp.url(film)) as session:
        playlist = hls.Media.complete(session.master().playlists()[0])
        bytes = bytearray(film.read_bytes())
        film.write_bytes(bytes[::-1])
        os.utime(film, (1_000_000_000, 1_000_000_000))
        reply = hls.request(playlist.segments[-3].url)
        assert reply.status == 500 and b"source_changed" in reply.body


@pytest.mark.long
def test_far_seeks_over_ftp_with_tls_do_not_wait(fresh_engine, tmp_path):
    """libcurl 7.88 does not always notice that a response has arrived."""
    film, authority, both = tmp_path / "long.mkv", proxies.Authority(tmp_path), tmp_path / "both.pem"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "60", "-i", clip("h264-aac.mkv"), "-c", "copy", film], check=True)
    growing.finished(film)
    both.write_text("".join(file.read_text() for file in authority.certificate("127.0.0.1")))
    with shares.vsftpd(tmp_path, "explicit", both) as server:
        request = engine_pb2.LoadRequest(
            source=server.url(film.name), http_connection=http_pb2.HttpConnectionOptions(ca_file=str(authority.file)),
            options=engine_pb2.LoadOptions(find_subtitles=beside.OFF))
        session = Session(fresh_engine, fresh_engine.stub.Load(request, timeout=PATIENCE))
        playlist = hls.Media.complete(session.master().playlists()[0])
        for place in (0.9, 0.1, 0.8, 0.3, 0.6, 0.2, 0.99, 0.4, 0.7, 0.5):
            far(session, playlist, place)
        session.stop()
    # The server of a busy machine may be silent once.
    assert fresh_engine.log.read_text().count("code=source.waiting") <= 1


@pytest.mark.parametrize("tls", tiered([None, "implicit", "explicit"], {None}))
def test_films_on_an_ftp_server_equal_the_files(fresh_engine, local, tmp_path, tls):
    connection, both = {}, None
    if tls:
        authority = proxies.Authority(tmp_path)
        both = tmp_path / "both.pem"
        both.write_text("".join(file.read_text() for file in authority.certificate("127.0.0.1")))
        connection = {"ca_file": str(authority.file)}
    with shares.vsftpd(FIXTURES, tls, both) as server:
        if tls:
            assert "unknown issuer" in refusal(fresh_engine, server.url(FILMS[0]))
        for name in FILMS:
            request = engine_pb2.LoadRequest(
                source=server.url(name), http_connection=http_pb2.HttpConnectionOptions(**connection))
            session = Session(fresh_engine, fresh_engine.stub.Load(request, timeout=PATIENCE))
            assert digests(session) == local[name], name
            session.stop()


@pytest.mark.long
def test_subtitles_beside_a_film_on_an_ftp_server_are_found(fresh_engine, tmp_path):
    beside.put(tmp_path / "films" / "a b")
    tmp_path.chmod(0o755)
    with shares.vsftpd(tmp_path) as server:
        beside.check(fresh_engine, lambda **options: fresh_engine.load(server.url(f"films/a b/{beside.FILM}"), **options))
        assert "NLST" in server.log()


@pytest.mark.long
def test_subtitle_files_on_an_ftp_server_can_be_named(fresh_engine, tmp_path):
    beside.put(tmp_path / "films" / "a b")
    tmp_path.chmod(0o755)
    with shares.vsftpd(tmp_path) as server:
        beside.check_named(fresh_engine, lambda name: server.url(f"films/a b/{name}"))


@pytest.mark.long
def test_what_is_wrong_with_an_ftp_server_is_said(fresh_engine):
    with shares.vsftpd(FIXTURES) as server:
        said = refusal(fresh_engine, server.url(FILMS[0], "film:wrong"))
        assert "source_access_denied" in said and "wrong" not in said
        assert "source_not_found" in refusal(fresh_engine, server.url("none.mkv"))
        assert fresh_engine.probe(server.url(FILMS[0])).duration_us > 0


@pytest.mark.long
def test_an_ftp_server_that_goes_and_returns(fresh_engine, local):
    with shares.vsftpd(FIXTURES) as server, fresh_engine.session(server.url(FILMS[1])) as session:
        urls = list(session.master().everything())
        server.stop()
        server.start()
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == local[FILMS[1]]
