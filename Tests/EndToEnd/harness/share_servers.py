# SPDX-License-Identifier: Apache-2.0
"""The same folder on each kind of file server. Each function starts a server and an engine that may log in to it, and
yields the engine, the folder on the server, and a function from a path in the folder to its URL."""

import contextlib
import shutil
import urllib.parse

from .engine import running_engine
from .ganesha import ganesha
from .places import ROOT
from .samba import samba
from .shares import LOGIN, sshd, vsftpd, wsgidav

PLAIN_HELPER = ROOT / "Tests" / "EndToEnd" / "harness" / "plain_helper.py"


@contextlib.contextmanager
def on_sftp(folder, place, *options):
    with sshd(folder) as server:
        known = place / "known_hosts"
        known.write_text(server.known())
        with running_engine("--sftp-known-hosts", str(known), *options) as engine:
            yield engine, folder, lambda path: server.url(folder / path, LOGIN)


@contextlib.contextmanager
def on_ftp(folder, place, *options):
    with vsftpd(folder.parent) as server, running_engine(*options) as engine:
        yield engine, folder, lambda path: server.url(f"{folder.name}/{path}")


@contextlib.contextmanager
def on_webdav(folder, place, *options):
    with wsgidav(folder.parent, {"me": "secret"}) as server, running_engine(*options) as engine:
        yield engine, folder, lambda path: server.url(f"{folder.name}/{path}", "me:secret")


@contextlib.contextmanager
def on_smb(folder, place, *options):
    with samba([]) as share, running_engine(*options) as engine:
        copy = shutil.copytree(folder, share.files / "a b")
        yield engine, copy, lambda path: share.url(f"a%20b/{path}")


@contextlib.contextmanager
def on_nfs(folder, place, *options):
    with ganesha() as server, running_engine(*options) as engine:
        copy = shutil.copytree(folder, server.films / "a b")
        # The argument applies to everything that the playlist names.
        yield engine, copy, lambda path: server.url(f"a%20b/{path}?uid=0")


@contextlib.contextmanager
def on_a_helper(folder, place, *options):
    with running_engine("--source-helper", f"plain={PLAIN_HELPER}", *options) as engine:
        yield engine, folder, lambda path: f"plain://any{urllib.parse.quote(str(folder))}/{path}"


SERVERS = {"sftp": on_sftp, "ftp": on_ftp, "webdav": on_webdav, "smb": on_smb, "nfs": on_nfs, "helper": on_a_helper}
