# SPDX-License-Identifier: Apache-2.0
"""Passwords for servers of each protocol appear in no log, error, state, event, metric, cache, history or list of processes, in
whichever way the engine gets them."""

import contextlib
import json
import pathlib
import subprocess
import threading
import urllib.parse
import urllib.request

import grpc
import pytest
from harness import proxies, shares
from harness.contract import engine_pb2, http_pb2
from harness.engine import PATIENCE, Session, eventually
from harness.hls import digest
from harness.places import ENGINECTL, FIXTURES, clip
from harness.samba import PASSWORD as SMB_PASSWORD
from harness.samba import samba
from harness.share_servers import PLAIN_HELPER
from harness.tiers import tiered

pytestmark = shares.as_root
FILM, OTHER = "h264-aac.mkv", "h264-aac.ts"


class Place:
    """Where a film is, and a login for it. `connection` has the other options that a load needs."""

    def __init__(self, server, path, user, password, options=(), **connection):
        self.server, self.path, self.user, self.password = server, path, user, password
        self.options, self.connection = options, connection

    def url(self, password=None, path=None):
        """The URL, with a login if there is a password."""
        login = f"{self.user}:{urllib.parse.quote(password, safe='')}@" if password else ""
        return self.server.replace("://", f"://{login}") + (path or self.path)

    def request(self, source, **connection):
        return engine_pb2.LoadRequest(
            source=source, http_connection=http_pb2.HttpConnectionOptions(**self.connection, **connection))


@contextlib.contextmanager
def on_sftp(folder):
    with shares.sshd(FIXTURES) as server:
        known = folder / "known_hosts"
        known.write_text(server.known())
        yield Place(f"sftp://127.0.0.1:{server.port}", str(clip(FILM)), shares.USER, shares.PASSWORD,
                    ["--sftp-known-hosts", str(known)])


@contextlib.contextmanager
def on_ftp(folder):
    with shares.vsftpd(FIXTURES) as server:
        yield Place(f"ftp://127.0.0.1:{server.port}", f"/{FILM}", shares.USER, shares.PASSWORD)


@contextlib.contextmanager
def on_ftpes(folder):
    authority = proxies.Authority(folder)
    both = folder / "both.pem"
    both.write_text("".join(file.read_text() for file in authority.certificate("127.0.0.1")))
    with shares.vsftpd(FIXTURES, "explicit", both) as server:
        yield Place(f"ftpes://127.0.0.1:{server.port}", f"/{FILM}", shares.USER, shares.PASSWORD, ca_file=str(authority.file))


@contextlib.contextmanager
def on_webdav(folder):
    password = "w0rd of the cloud"
    with shares.wsgidav(FIXTURES, {"me": password}) as server:
        yield Place(f"dav://127.0.0.1:{server.port}", f"/{FILM}", "me", password)


@contextlib.contextmanager
def on_smb(folder):
    with samba([clip(FILM), clip(OTHER)]) as server:
        yield Place(f"smb://127.0.0.1:{server.port}", f"/films/{FILM}", server.user, SMB_PASSWORD)


@contextlib.contextmanager
def on_a_helper(folder):
    yield Place("plain://any", str(clip(FILM)), "me", "p4ss of a helper", ["--source-helper", f"plain={PLAIN_HELPER}"])


PLACES = {"sftp": on_sftp, "ftp": on_ftp, "ftpes": on_ftpes, "webdav": on_webdav, "smb": on_smb, "helper": on_a_helper}
WAYS = ["url", "file", "call"]
# What a wrong password is answered with, where it is not `source_access_denied`.
DENIED = {"webdav": "source_refused"}


def processes(pid):
    """The engine, and the processes that it has started."""
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], stdout=subprocess.PIPE, text=True, check=False)
    return [pid, *(each for child in found.stdout.split() for each in processes(int(child)))]


def shown_of_processes(engine):
    for pid in processes(engine.pid):
        for name in ("cmdline", "environ", "comm"):
            # The process may have ended.
            with contextlib.suppress(OSError):
                yield f"{name} of {pid}", pathlib.Path(f"/proc/{pid}/{name}").read_bytes()


def shown(engine, base):
    """What the engine shows and writes, apart from the database of its journal."""
    for file in engine.directory.rglob("*"):
        if file.is_file() and not file.name.startswith("sessions.db"):
            yield file, file.read_bytes()
    yield from shown_of_processes(engine)
    for call, request in (("ListSessions", engine_pb2.ListSessionsRequest()), ("ListHistory", engine_pb2.ListHistoryRequest()),
                          ("GetSourceCache", engine_pb2.GetSourceCacheRequest())):
        yield call, getattr(engine.stub, call)(request, timeout=PATIENCE).SerializeToString()
    yield "metrics", urllib.request.urlopen(f"{base}/metrics", timeout=PATIENCE).read()
    listing = subprocess.run([ENGINECTL, "--socket", engine.socket, "list", "--json"], capture_output=True, check=True)
    yield "enginectl list", listing.stdout + listing.stderr


@contextlib.contextmanager
def events(engine):
    """Collects what watchers of all sessions receive."""
    found, call = [], engine.stub.Watch(engine_pb2.WatchRequest(all_sessions=True))

    def collect():
        with contextlib.suppress(grpc.RpcError):
            for event in call:
                found.append(event.SerializeToString())
    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    yield found
    call.cancel()
    thread.join()


@pytest.mark.parametrize("way", tiered(WAYS, {"url"}))
@pytest.mark.parametrize("name", tiered(list(PLACES), {"smb", "webdav"}))
def test_passwords_appear_nowhere(start_engine, tmp_path, name, way):
    (tmp_path / "home").mkdir()
    with PLACES[name](tmp_path) as place:
        file = tmp_path / "credentials"
        file.touch(0o600)

        def request(password, path=None):
            if way == "url":
                return place.request(place.url(password, path))
            if way == "call":
                return place.request(place.url(path=path), basic=http_pb2.HttpBasicCredentials(user=place.user, password=password))
            file.write_text(place.url(password, "/") + "\n")
            return place.request(place.url(path=path))

        engine = start_engine("--log-level", "trace", "--credentials", str(file), *place.options,
                              through=["env", "-u", "SSH_AUTH_SOCK", f"HOME={tmp_path / 'home'}"])
        said, wrong = [], "wr0ng as can be"
        with events(engine) as received:
            session = Session(engine, engine.stub.Load(request(place.password), timeout=PATIENCE))
            said += [text for _, text in shown_of_processes(engine)]
            assert digest(next(iter(session.master().everything())))
            eventually(lambda: engine.has_journaled(place.path), "the journal")
            # The journal needs the passwords that clients give, and only those (docs/servers.md).
            quoted = urllib.parse.quote(place.password, safe="")
            if way == "file":
                assert not engine.has_journaled(place.password) and not engine.has_journaled(quoted)
            # This helper ends when a file is missing, and looks at no password.
            missing, denied = "source_unreachable" if name == "helper" else "source_not_found", DENIED.get(name, "source_access_denied")
            # Nothing of the other film is known yet, so the engine has to log in.
            other = place.path.replace(FILM, OTHER)
            for password, path, code in [(place.password, place.path + ".none", missing), (wrong, other, denied)]:
                if password == wrong and name == "helper":
                    continue
                with pytest.raises(grpc.RpcError) as failure:
                    engine.stub.Load(request(password, path), timeout=PATIENCE)
                assert dict(failure.value.trailing_metadata())["engine-error-code"] == code, failure.value.details()
                said += [str(failure.value).encode(), str(failure.value.trailing_metadata()).encode()]
            base = "/".join(session.url.split("/")[:3])
            found = [*((f"answer {number}", text) for number, text in enumerate(said)), *shown(engine, base)]
        found += [("event", text) for text in received]
        assert received and any(b"engined" in text for where, text in found if str(where).startswith("cmdline"))
        for where, text in found:
            for secret in (place.password, wrong):
                for form in (secret, urllib.parse.quote(secret), urllib.parse.quote(secret, safe=""), json.dumps(secret)[1:-1]):
                    assert form.encode() not in text, where
        session.stop()
        database = next(pathlib.Path(engine.environment["XDG_STATE_HOME"]).rglob("sessions.db"))
        assert database.stat().st_mode & 0o077 == 0 and database.parent.stat().st_mode & 0o077 == 0
