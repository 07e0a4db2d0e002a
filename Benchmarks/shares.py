# SPDX-License-Identifier: Apache-2.0
"""Sources on servers of other protocols behind a slow link, compared with ffmpeg and mpv on the same servers if they read the
protocol; the rate of remuxing over each protocol on loopback, compared with ffmpeg where it reads the protocol; and SMB over a
link with a delay, compared with samba's own client."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import time

import media
import network
from compare import in_turns, median
from harness import hls, shares
from harness.engine import Engine
from harness.ganesha import ganesha
from harness.growing import finished
from harness.rich import rich
from harness.samba import PASSWORD, samba
from harness.wire import FAR, wire
from network import FOLDER, LATE, RATE, ROUND_TRIP


class SFTP(network.Link):
    """The engine logs in with a key from a home folder made for the benchmark, and the peers with a password."""

    def __init__(self, line, server, home):
        super().__init__(line, server)
        (home / ".ssh").mkdir(mode=0o700)
        (home / ".ssh" / "known_hosts").write_text(server.known())
        for name in ("id", "id.pub"):
            shutil.copy(server.folder / name, home / ".ssh" / name.replace("id", "id_ed25519", 1))
        self.through = ("env", "-u", "SSH_AUTH_SOCK", f"HOME={home}")
        self.options = ("--sftp-known-hosts", str(home / ".ssh" / "known_hosts"))

    def url(self, name):
        return self.server.url(FOLDER / name)

    def peer(self, name):
        # libssh looks for keys in the account's home folder, not in `HOME`, so the peers use the password.
        return self.server.url(FOLDER / name, shares.LOGIN)


class Share(network.Link):
    """A server whose URLs have neither a login nor a folder in them."""

    def url(self, name):
        return self.server.url(name)


class WebDAV(Share):
    def peer(self, name):
        return self.url(name).replace("dav://", "http://", 1)


def measure_alone(table, here, name, kind):
    """The rows of a protocol that no peer reads."""
    table.add(f"{kind}: open → first segment", median([here.opened(name) for _ in range(3)]) * 1e3, None, "ms", "—")
    table.add(f"{kind}: far seek → segment", median([here.far_seek(name, LATE) for _ in range(3)]) * 1e3, None, "ms", "—")


def compare(table, here, name, kind):
    network.beside(table, f"{kind}: open → first segment", lambda: here.opened(name), lambda: here.ffmpeg(name),
                   lambda: here.mpv(name), "—")
    seek, peer = in_turns(lambda _: here.far_seek(name, LATE), lambda _: here.ffmpeg(name, "-ss", LATE), range(3))
    table.add(f"{kind}: far seek → segment", seek * 1e3, peer * 1e3, "ms", "—", "ffmpeg -ss")


@contextlib.contextmanager
def engine(*options, through=()):
    with tempfile.TemporaryDirectory(prefix="engine-bench-") as folder:
        engine = Engine(pathlib.Path(folder) / "run", *options, through=through)
        try:
            yield engine
        finally:
            engine.end()


def rate(table, kind, url, peer=None, options=(), through=()):
    """The rate of remuxing a source. `peer`: the URL that ffmpeg reads."""
    def ours(_):
        # Each engine fetches the source anew.
        with engine(*options, through=through) as each:
            return media.remux(each, url)[0]
    what, rounds = f"remux rate, {kind}", range(3)
    if peer:
        table.add(what, *in_turns(ours, lambda _: media.ffmpeg_rate(peer), rounds), "MB/s", "—", "ffmpeg -f hls", more_is_better=True)
    else:
        table.add(what, median([ours(each) for each in rounds]), None, "MB/s", "—")


def rates(table, mkv):
    with tempfile.TemporaryDirectory(prefix="engine-bench-") as home, shares.sshd(FOLDER) as server:
        sftp = SFTP(None, server, pathlib.Path(home))
        rate(table, "MKV over SFTP", sftp.url(mkv), sftp.peer(mkv), sftp.options, sftp.through)
    with shares.wsgidav(FOLDER) as server:
        dav = WebDAV(None, server)
        rate(table, "MKV over WebDAV", dav.url(mkv), dav.peer(mkv))
    with shares.vsftpd(FOLDER) as server:
        rate(table, "MKV over FTP", server.url(mkv), server.url(mkv))
    with samba([FOLDER / mkv]) as server:
        rate(table, "MKV over SMB", server.url(mkv))
    with ganesha() as server:
        finished(shutil.copy(FOLDER / mkv, server.films / mkv))
        rate(table, "MKV over NFS", server.url(mkv))


def delayed(table):
    """The rate at which the segments of a film arrive over SMB with a delay of 20 ms each way."""
    film = FOLDER / "rich.mkv"
    if not film.exists():
        rich(film)
    with wire(round_trip=0.04) as line, samba([film], FAR, line.far) as server:
        login = f"{server.user}%{PASSWORD}"
        fetch = ["smbclient", "-p", str(server.port), "-U", login, f"//{FAR}/films", "-c", f"get {film.name} /dev/null"]

        def ours(_):
            with network.Link(line, server).cold() as engine, engine.session(server.url(film.name)) as session:
                def take():
                    urls = [each.url for each in hls.Media(session.master().variants[0][1]).segments]
                    started = time.perf_counter()
                    count = sum(len(hls.fetch(url)) for url in urls)
                    return count * 8e-6 / (time.perf_counter() - started)
                return line.near.do(take)

        def theirs(_):
            start = time.perf_counter()
            subprocess.run([*line.near.through(), *fetch], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return film.stat().st_size * 8e-6 / (time.perf_counter() - start)
        table.add("92 Mbit/s over SMB, 20 ms of delay", *in_turns(ours, theirs, range(3)), "Mbit/s", "≥ 92", "smbclient get",
                  more_is_better=True)


def measure(table):
    mkv, _, _ = network.made()
    rates(table, mkv)
    delayed(table)
    with wire(ROUND_TRIP, RATE) as line:
        with tempfile.TemporaryDirectory(prefix="engine-bench-") as home, shares.sshd(FOLDER, FAR, line.far) as server:
            compare(table, SFTP(line, server, pathlib.Path(home)), mkv, "MKV over SFTP")
        with shares.wsgidav(FOLDER, address=FAR, namespace=line.far) as server:
            compare(table, WebDAV(line, server), mkv, "MKV over WebDAV")
        with shares.vsftpd(FOLDER, address=FAR, namespace=line.far) as server:
            compare(table, Share(line, server), mkv, "MKV over FTP")
        with samba([FOLDER / mkv], FAR, line.far) as server:
            measure_alone(table, Share(line, server), mkv, "MKV over SMB")
        with ganesha(FAR, line.far) as server:
            finished(shutil.copy(FOLDER / mkv, server.films / mkv))
            measure_alone(table, Share(line, server), mkv, "MKV over NFS")
