# SPDX-License-Identifier: Apache-2.0
"""Real proxies, tinyproxy and dante, and certificates."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading

from .engine import eventually
from .origin import answers
from .ports import free_port

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


@contextlib.contextmanager
def _running(name, configuration, arguments):
    """Runs a proxy with a configuration file. Yields its port and its folder."""
    with tempfile.TemporaryDirectory(prefix=f"{name}-", ignore_cleanup_errors=True) as folder:
        folder, port = pathlib.Path(folder), free_port()
        file = folder / f"{name}.conf"
        file.write_text(configuration(port, folder))
        process = subprocess.Popen(
            [shutil.which(name, path=PATH), *arguments(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            eventually(lambda: answers(port), f"{name} to listen")
            yield port, folder
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def http_proxy(user="", password=""):
    """tinyproxy, with basic authentication if there is a user. Yields its port and its log."""
    def configuration(port, folder):
        login = f"BasicAuth {user} {password}\n" if user else ""
        return f'Port {port}\nListen 127.0.0.1\nLogFile "{folder}/log"\nLogLevel Connect\nMaxClients 20\n{login}'

    with _running("tinyproxy", configuration, lambda file: ["-d", "-c", file]) as (port, folder):
        yield port, folder / "log"


@contextlib.contextmanager
def socks_proxy():
    """dante. Yields its port and its log."""
    def configuration(port, folder):
        return f"""
            logoutput: {folder}/log
            internal: 127.0.0.1 port = {port}
            external: lo
            clientmethod: none
            socksmethod: none
            client pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 log: connect }}
            socks pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 log: connect }}
        """

    with _running("danted", configuration, lambda file: ["-f", file, "-p", file.with_suffix(".pid")]) as (port, folder):
        yield port, folder / "log"


def _copy(source, sink):
    with contextlib.suppress(OSError):
        while piece := source.recv(1 << 16):
            sink.sendall(piece)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def _tunnel(connection, refusals):
    with connection:
        target = connection.recv(1 << 16).split()[1].decode().rsplit(":", 1)
        if refusals:
            connection.sendall(refusals.pop(0))
            return
        with socket.create_connection((target[0], int(target[1]))) as server:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            threading.Thread(target=_copy, args=(connection, server), daemon=True).start()
            _copy(server, connection)


@contextlib.contextmanager
def failing_tunnel(*refusals):
    """A proxy that gives these answers to the first requests for a tunnel, each of which ends its connection. Yields its port
    and the answers that are left."""
    left = list(refusals)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def accept():
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=_tunnel, args=(listener.accept()[0], left), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1], left
        listener.shutdown(socket.SHUT_RDWR)


def _openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def self_signed(folder, name="own", host="127.0.0.1"):
    """Paths of a self-signed certificate for a host, and of its key."""
    certificate, key = pathlib.Path(folder) / f"{name}.pem", pathlib.Path(folder) / f"{name}-key.pem"
    _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
             certificate, "-days", "1", "-subj", f"/CN={name}", "-addext", f"subjectAltName={_name(host)}")
    return certificate, key


def _name(host):
    return f"IP:{host}" if host[0].isdigit() else f"DNS:{host}"


class Authority:
    """A private certificate authority in a folder."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self.file, self._key = self_signed(folder, name="authority", host="authority.test")

    def certificate(self, host, days=1):
        """Paths of a certificate for a host, and of its key. It has expired if `days` is negative."""
        request, certificate, key = (self._folder / f"{host}{end}" for end in (".csr", ".pem", "-key.pem"))
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
                 request, "-subj", f"/CN={host}", "-addext", f"subjectAltName={_name(host)}")
        _openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self._key, "-CAcreateserial", "-days", str(days),
                 "-copy_extensions", "copy", "-out", certificate)
        return certificate, key
