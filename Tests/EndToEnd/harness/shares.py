# SPDX-License-Identifier: Apache-2.0
"""File servers: OpenSSH, vsftpd, wsgidav, and the object store of moto. Each runs until the end of its `with` block, on
loopback or (except for moto) in a network namespace. OpenSSH and vsftpd have an account in files that are mounted over
/etc/passwd and /etc/shadow for the server alone, which needs root."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import pytest

from .engine import eventually
from .origin import answers
from .ports import free_port

USER, PASSWORD = "film", "s3cret-word"
LOGIN = f"{USER}:{PASSWORD}"
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="a server that checks passwords needs root")


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


class Server:
    """A program that can be ended, with all its connections, and started again on the same port."""

    def __init__(self, name, folder, isolated, address, namespace):
        self.name, self.folder, self.address, self.port = name, pathlib.Path(folder), address, free_port()
        self.command, self._isolated, self._namespace = [], isolated, namespace
        self._log = self.folder / "log"
        self._process = None

    def start(self):
        words = [str(word) for word in self.command]
        words[0] = shutil.which(words[0], path=PATH) or words[0]
        if self._isolated:
            mounts = "".join(f"mount --bind '{self.folder}/{name}' /etc/{name}; " for name in ("passwd", "shadow"))
            # The process namespace ends all connections with the server.
            words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", mounts + '"$@"; exit $?', "sh", *words]
        words = [*(self._namespace.through() if self._namespace else []), *words]
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

        def listens():
            assert self._process.poll() is None, self.log()[-2000:]
            return self._answers()
        eventually(listens, f"{self.name} to listen")

    def stop(self):
        self._process.kill()
        self._process.wait()
        eventually(lambda: not self._answers(), f"{self.name} to end")

    def _answers(self):
        def ask():
            return answers(self.port, self.address)
        return self._namespace.do(ask) if self._namespace else ask()

    def log(self):
        return self._log.read_text(errors="replace")

    def count(self, text):
        return self.log().count(text)


@contextlib.contextmanager
def _server(name, command, isolated=True, address="127.0.0.1", namespace=None):
    """`command(server)` writes the configuration and returns the command line."""
    with tempfile.TemporaryDirectory(prefix=f"{name}-", ignore_cleanup_errors=True) as folder:
        server = Server(name, folder, isolated, address, namespace)
        server.command = command(server)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _account(folder, home):
    hashed = run("openssl", "passwd", "-6", PASSWORD).strip()
    (folder / "passwd").write_text(pathlib.Path("/etc/passwd").read_text() + f"{USER}:x:0:0::{home}:/bin/sh\n")
    (folder / "shadow").write_text(pathlib.Path("/etc/shadow").read_text() + f"{USER}:{hashed}:19000:0:99999:7:::\n")
    (folder / "shadow").chmod(0o600)


def key(path, kind="ed25519", passphrase=""):
    """Makes a private key, and its public key beside it."""
    run("ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", path)
    return pathlib.Path(path)


def public(key):
    return pathlib.Path(f"{key}.pub").read_text()


def fingerprint(key):
    return run("ssh-keygen", "-l", "-f", f"{key}.pub").split()[1]


@contextlib.contextmanager
def sshd(root, address="127.0.0.1", namespace=None):
    """SFTP. `server.folder` has the host's key `host` and the user's key `id`."""
    def command(server):
        folder = server.folder
        _account(folder, root)
        key(folder / "host")
        key(folder / "id")
        (folder / "authorized").write_text(public(folder / "id"))
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        (folder / "conf").write_text(f"""
            Port {server.port}
            ListenAddress {address}
            HostKey {folder}/host
            AuthorizedKeysFile {folder}/authorized
            PidFile none
            StrictModes no
            UsePAM no
            PermitRootLogin yes
            PasswordAuthentication yes
            Subsystem sftp internal-sftp
            LogLevel VERBOSE
        """)
        return ["sshd", "-D", "-e", "-f", folder / "conf"]

    with _server("sshd", command, address=address, namespace=namespace) as server:
        server.logins = lambda: server.count("Accepted publickey ") + server.count("Accepted password ")
        server.known = lambda: f"[{address}]:{server.port} {public(server.folder / 'host')}"
        server.url = lambda path, login=USER: f"sftp://{login}@{address}:{server.port}{urllib.parse.quote(str(path))}"
        yield server


@contextlib.contextmanager
def vsftpd(root, tls=None, certificate=None, address="127.0.0.1", namespace=None):
    """FTP below `root`. `tls`: `implicit` for ftps:, `explicit` for ftpes:, with a certificate and its key in one file."""
    def command(server):
        folder = server.folder
        _account(folder, root)
        (folder / "empty").mkdir()
        lines = {
            "listen": "YES", "listen_address": address, "listen_port": server.port, "background": "NO",
            "anonymous_enable": "NO", "local_enable": "YES", "local_root": root, "write_enable": "NO",
            "seccomp_sandbox": "NO", "secure_chroot_dir": folder / "empty", "pam_service_name": "vsftpd",
            "log_ftp_protocol": "YES", "xferlog_enable": "YES", "xferlog_std_format": "NO", "vsftpd_log_file": folder / "ftp.log",
            "delay_failed_login": "0",
        }
        if tls:
            lines |= {"ssl_enable": "YES", "rsa_cert_file": certificate, "implicit_ssl": "YES" if tls == "implicit" else "NO",
                      "require_ssl_reuse": "YES"}
        (folder / "conf").write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
        return ["vsftpd", folder / "conf"]

    scheme = {None: "ftp", "implicit": "ftps", "explicit": "ftpes"}[tls]
    with _server("vsftpd", command, address=address, namespace=namespace) as server:
        log = server.folder / "ftp.log"
        server.log = lambda: log.read_text(errors="replace") if log.exists() else ""
        server.url = lambda path, login=LOGIN: f"{scheme}://{login}@{address}:{server.port}/{urllib.parse.quote(path)}"
        yield server


WSGIDAV = """
import json, sys
from cheroot import wsgi
from wsgidav.wsgidav_app import WsgiDAVApp
root, port, users = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
application = WsgiDAVApp({
    "provider_mapping": {"/": {"root": root, "readonly": True}}, "simple_dc": {"user_mapping": {"*": users or True}},
    "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False}, "verbose": 3,
    "logging": {"enable": True}})
wsgi.Server((sys.argv[4], port), application).safe_start()
"""


@contextlib.contextmanager
def wsgidav(root, users=None, address="127.0.0.1", namespace=None):
    """WebDAV, with basic authentication if there are users."""
    def command(server):
        words = {name: {"password": password} for name, password in (users or {}).items()}
        return [sys.executable, "-c", WSGIDAV, root, server.port, json.dumps(words), address]

    with _server("wsgidav", command, False, address, namespace) as server:
        server.url = lambda path, login="": (
            f"dav://{login}{'@' if login else ''}{address}:{server.port}/{urllib.parse.quote(path)}")
        yield server


# moto does not look at signatures. Like S3, this refuses a URL that has expired, in either form.
STORE = """
import calendar, sys, time, urllib.parse
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
store = DomainDispatcherApplication(create_backend_app)
def application(environ, start):
    given = dict(urllib.parse.parse_qsl(environ.get("QUERY_STRING", "")))
    end = float(given.get("Expires", "inf"))
    if "X-Amz-Date" in given:
        end = calendar.timegm(time.strptime(given["X-Amz-Date"], "%Y%m%dT%H%M%SZ")) + int(given["X-Amz-Expires"])
    if time.time() < end:
        return store(environ, start)
    start("403 Forbidden", [("Content-Type", "application/xml")])
    return [b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"]
run_simple("127.0.0.1", int(sys.argv[1]), application, threaded=True)
"""


@contextlib.contextmanager
def object_store(files):
    """A bucket of moto with these files. `server.presigned(name, seconds, version)` is the URL of one, with a signature of
    version `s3` or `s3v4`."""
    def command(server):
        return [sys.executable, "-c", STORE, server.port]

    with _server("moto", command, isolated=False) as server:
        import boto3
        import botocore.config
        clients = {version: boto3.client(
            "s3", endpoint_url=f"http://127.0.0.1:{server.port}", region_name="us-east-1", aws_access_key_id="key",
            aws_secret_access_key="secret", config=botocore.config.Config(signature_version=version)) for version in ("s3", "s3v4")}
        clients["s3v4"].create_bucket(Bucket="films")
        for file in files:
            clients["s3v4"].upload_file(str(file), "films", pathlib.Path(file).name)
        server.presigned = lambda name, seconds=600, version="s3": clients[version].generate_presigned_url(
            "get_object", Params={"Bucket": "films", "Key": name}, ExpiresIn=seconds)
        yield server
