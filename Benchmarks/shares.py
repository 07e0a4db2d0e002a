# SPDX-License-Identifier: Apache-2.0
"""Sources on an SFTP server and a WebDAV server behind a slow link, compared with ffmpeg and mpv on the same servers."""

import pathlib
import shutil
import tempfile

import network
from compare import in_turns
from harness import shares
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


class WebDAV(network.Link):
    def url(self, name):
        return self.server.url(name)

    def peer(self, name):
        return self.url(name).replace("dav://", "http://", 1)


def compare(table, here, name, kind):
    network.beside(table, f"{kind}: open → first segment", lambda: here.opened(name), lambda: here.ffmpeg(name),
                   lambda: here.mpv(name), "—")
    seek, peer = in_turns(lambda _: here.far_seek(name, LATE), lambda _: here.ffmpeg(name, "-ss", LATE), range(3))
    table.add(f"{kind}: far seek → segment", seek * 1e3, peer * 1e3, "ms", "—", "ffmpeg -ss")


def measure(table):
    mkv, _, _ = network.made()
    with wire(ROUND_TRIP, RATE) as line:
        with tempfile.TemporaryDirectory(prefix="engine-bench-") as home, shares.sshd(FOLDER, FAR, line.far) as server:
            compare(table, SFTP(line, server, pathlib.Path(home)), mkv, "MKV over SFTP")
        with shares.wsgidav(FOLDER, address=FAR, namespace=line.far) as server:
            compare(table, WebDAV(line, server), mkv, "MKV over WebDAV")
