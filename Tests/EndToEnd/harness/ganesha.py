# SPDX-License-Identifier: Apache-2.0
"""An NFS server, nfs-ganesha, on loopback or in a network namespace. It opens files by handle, which requires root."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from .engine import eventually
from .origin import answers
from .ports import free_port


class Ganesha:
    """The folder `films`, exported."""

    def __init__(self, folder, address, namespace):
        self.folder, self.port, self.address, self._namespace = pathlib.Path(folder), free_port(), address, namespace
        self.films = self.folder / "films"
        self.films.mkdir()
        (self.folder / "recovery").mkdir()
        self.configuration = self.folder / "ganesha.conf"
        self.configuration.write_text(f"""
            NFS_CORE_PARAM {{
                Protocols = 4; NFS_Port = {self.port}; Bind_addr = {address}; Enable_NLM = false; Enable_RQUOTA = false;
            }}
            NFSv4 {{ Graceless = true; RecoveryBackend = fs; RecoveryRoot = "{self.folder}/recovery"; }}
            EXPORT {{
                Export_Id = 1; Path = {self.films}; Pseudo = /films; Access_Type = RO; Squash = No_Root_Squash;
                SecType = sys; Protocols = 4; Transports = TCP;
                # Another program than the server writes the files.
                Attr_Expiration_Time = 0; FSAL {{ Name = VFS; }}
            }}""")
        self.start()

    def url(self, path):
        """`path`: below `films`, percent-encoded."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"nfs://{host}:{self.port}/films/{path}"

    def start(self):
        program = shutil.which("ganesha.nfsd", path=os.environ["PATH"] + ":/usr/sbin:/sbin") or "ganesha.nfsd"
        with open(self.folder / "output", "ab") as log:
            self.process = subprocess.Popen(
                [*(self._namespace.through() if self._namespace else []), program, "-F", "-f", self.configuration,
                 "-L", self.folder / "log", "-p", self.folder / "pid"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

        def listens():
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            return self._namespace.do(self._answers) if self._namespace else self._answers()
        eventually(listens, "nfs-ganesha to listen")

    def _answers(self):
        return answers(self.port, self.address)

    def stop(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def ganesha(address="127.0.0.1", namespace=None):
    with tempfile.TemporaryDirectory(prefix="ganesha-", ignore_cleanup_errors=True) as folder:
        server = Ganesha(folder, address, namespace)
        try:
            yield server
        finally:
            server.stop()
