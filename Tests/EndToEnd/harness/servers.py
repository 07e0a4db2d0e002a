# SPDX-License-Identifier: Apache-2.0
"""Origins other than nginx (apache2, lighttpd, aiohttp and nghttpd), which serve copies of files, and a cache (squid).
Each runs on loopback and yields its URL."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .engine import eventually
from .origin import answers
from .ports import free_port

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


@contextlib.contextmanager
def _running(name, files, command):
    """Runs a server of copies of `files`, which every user may read. `command(folder, port)` writes the configuration
    and returns the command line."""
    with tempfile.TemporaryDirectory(prefix=f"{name}-", ignore_cleanup_errors=True) as folder:
        folder, port = pathlib.Path(folder), free_port()
        (folder / "films").mkdir()
        for file in files:
            shutil.copy(file, folder / "films")
            (folder / "films" / pathlib.Path(file).name).chmod(0o644)
        (folder / "films").chmod(0o755)
        # Some servers switch to another user.
        folder.chmod(0o777)
        log = open(folder / "output", "wb")
        program, *arguments = command(folder, port)
        process = subprocess.Popen(
            [shutil.which(program, path=PATH) or program, *arguments], stdout=log, stderr=log, start_new_session=True)
        try:
            def listens():
                assert process.poll() is None, (folder / "output").read_text()[-2000:]
                return answers(port)
            eventually(listens, f"{name} to listen")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()
            log.close()


def apache2(files):
    def command(folder, port):
        modules = "/usr/lib/apache2/modules"
        (folder / "conf").write_text(f"""
            LoadModule mpm_event_module {modules}/mod_mpm_event.so
            LoadModule authz_core_module {modules}/mod_authz_core.so
            ServerRoot {folder}
            ServerName localhost
            Listen 127.0.0.1:{port}
            PidFile {folder}/pid
            ErrorLog {folder}/error
            DefaultRuntimeDir {folder}
            {"User www-data" if os.geteuid() == 0 else ""}
            {"Group www-data" if os.geteuid() == 0 else ""}
            DocumentRoot {folder}/films
            <Directory {folder}/films>
                Require all granted
            </Directory>
        """)
        return ["apache2", "-f", folder / "conf", "-DFOREGROUND"]
    return _running("apache2", files, command)


def lighttpd(files):
    def command(folder, port):
        (folder / "conf").write_text(f"""
            server.document-root = "{folder}/films"
            server.bind = "127.0.0.1"
            server.port = {port}
            server.errorlog = "{folder}/error"
            mimetype.assign = ("" => "application/octet-stream")
        """)
        return ["lighttpd", "-D", "-f", folder / "conf"]
    return _running("lighttpd", files, command)


AIOHTTP = """
import sys
from aiohttp import web
application = web.Application()
application.router.add_static("/", sys.argv[1])
web.run_app(application, host="127.0.0.1", port=int(sys.argv[2]), print=None)
"""


def aiohttp(files):
    return _running("aiohttp", files, lambda folder, port: [sys.executable, "-c", AIOHTTP, folder / "films", str(port)])


def nghttpd(files):
    """Speaks only HTTP/2, without TLS."""
    def command(folder, port):
        return ["nghttpd", "--no-tls", "-a", "127.0.0.1", "-d", folder / "films", str(port)]
    return _running("nghttpd", files, command)


def squid(origin_port=None):
    """A forward proxy; with `origin_port`, a reverse proxy in front of that origin."""
    def command(folder, port):
        mode = "" if origin_port is None else " accel defaultsite=localhost no-vhost"
        peer = "" if origin_port is None else (
            f"cache_peer 127.0.0.1 parent {origin_port} 0 no-query no-digest originserver name=origin\n")
        (folder / "conf").write_text(f"""
http_port 127.0.0.1:{port}{mode}
{peer}http_access allow all
cache_mem 64 MB
maximum_object_size_in_memory 32 MB
pid_filename {folder}/pid
cache_log {folder}/cache.log
access_log stdio:{folder}/access.log
coredump_dir {folder}
visible_hostname localhost
pinger_enable off
shutdown_lifetime 0 seconds
""")
        return ["squid", "-N", "-f", folder / "conf"]
    return _running("squid", [], command)
