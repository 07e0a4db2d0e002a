# SPDX-License-Identifier: Apache-2.0
"""A share of samba's smbd, on loopback or in a network namespace, for the user that runs the tests."""

import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

from .engine import eventually
from .growing import finished
from .origin import answers
from .ports import free_port

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
PASSWORD = "p4ssw0rd & m=ore"
# The password, percent-encoded.
QUOTED = "p4ssw0rd%20%26%20m%3Dore"


class Samba:
    """The shares `films`, for the user, and `open`, for guests as well; both have the same files."""

    def __init__(self, folder, options, address, namespace):
        self.folder, self.address, self._namespace = pathlib.Path(folder), address, namespace
        self.port = free_port()
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self.files = self.folder / "files"
        self.files.mkdir()
        for name in ("private", "lock", "state", "cache", "pid", "ncalrpc"):
            (self.folder / name).mkdir()
        self.configuration = self.folder / "smb.conf"
        self.configuration.write_text("\n".join([
            "[global]", "server role = standalone server", f"interfaces = {address}/24", "bind interfaces only = yes",
            f"smb ports = {self.port}", "disable netbios = yes", "load printers = no", "disable spoolss = yes",
            f"private dir = {self.folder}/private", f"lock directory = {self.folder}/lock",
            f"state directory = {self.folder}/state", f"cache directory = {self.folder}/cache",
            f"pid directory = {self.folder}/pid", f"ncalrpc dir = {self.folder}/ncalrpc",
            f"passdb backend = tdbsam:{self.folder}/private/passdb.tdb", f"log file = {self.folder}/log",
            "log level = 1", "map to guest = Bad User", f"guest account = {self.user}",
            *[f"{name} = {value}" for name, value in options.items()],
            "[films]", f"path = {self.files}", "read only = yes", f"valid users = {self.user}",
            "[open]", f"path = {self.files}", "read only = yes", "guest ok = yes", ""]))
        subprocess.run(
            [shutil.which("smbpasswd", path=PATH) or "smbpasswd", "-c", self.configuration, "-s", "-a", self.user],
            input=f"{PASSWORD}\n{PASSWORD}\n", text=True, check=True, stdout=subprocess.DEVNULL)
        self.process = None
        self.start()

    def add(self, path):
        target = self.files / pathlib.Path(path).name
        shutil.copy(path, target)
        target.chmod(0o644)
        finished(target)

    def url(self, name, share="films", login=None):
        login = f"{self.user}:{QUOTED}@" if login is None else login
        return f"smb://{login}{self.address}:{self.port}/{share}/{name}"

    def start(self):
        log = open(self.folder / "output", "ab")
        program = shutil.which("smbd", path=PATH) or "smbd"
        self.process = subprocess.Popen(
            [*(self._namespace.through() if self._namespace else []), program, "--foreground", "--no-process-group",
             f"--configfile={self.configuration}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        log.close()

        def listens():
            assert self.process.poll() is None, (self.folder / "output").read_text()[-2000:]
            return self._namespace.do(self._answers) if self._namespace else self._answers()
        eventually(listens, "smbd to listen")

    def _answers(self):
        return answers(self.port, self.address)

    def stop(self):
        """Ends the server with its connections."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()


@contextlib.contextmanager
def samba(files, address="127.0.0.1", namespace=None, **options):
    """`options`: lines of smb.conf, with underscores for spaces."""
    with tempfile.TemporaryDirectory(prefix="samba-", ignore_cleanup_errors=True) as folder:
        pathlib.Path(folder).chmod(0o755)
        share = Samba(folder, {name.replace("_", " "): value for name, value in options.items()}, address, namespace)
        try:
            for file in files:
                share.add(file)
            yield share
        finally:
            share.stop()
