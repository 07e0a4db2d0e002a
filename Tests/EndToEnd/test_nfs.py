# SPDX-License-Identifier: Apache-2.0
"""Films on an NFS server, read by the helper program, are served like the same files on disk."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import grpc
import pytest
from harness import beside
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import digest
from harness.origin import answers
from harness.ports import free_port
from harness.places import clip
from harness.tiers import tiered

FILMS = ["h264-aac.mkv", "h264-aac-moov-last.mp4"]
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="nfs-ganesha opens files by handles, which only root may")


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def failure(engine, url):
    with pytest.raises(grpc.RpcError) as caught:
        engine.stub.Load(engine_pb2.LoadRequest(source=url), timeout=PATIENCE)
    return dict(caught.value.trailing_metadata())["engine-error-code"]


class Ganesha:
    def __init__(self, folder):
        self.folder, self.port = pathlib.Path(folder), free_port()
        (self.folder / "films" / "a b").mkdir(parents=True)
        (self.folder / "recovery").mkdir()
        for name in FILMS:
            shutil.copy(clip(name), self.folder / "films" / "a b" / name)
        beside.put(self.folder / "films" / "a b" / "c")
        self.configuration = self.folder / "ganesha.conf"
        self.configuration.write_text(f"""
            NFS_CORE_PARAM {{
                Protocols = 4; NFS_Port = {self.port}; Bind_addr = 127.0.0.1; Enable_NLM = false; Enable_RQUOTA = false;
            }}
            NFSv4 {{ Graceless = true; RecoveryBackend = fs; RecoveryRoot = "{self.folder}/recovery"; }}
            EXPORT {{
                Export_Id = 1; Path = {self.folder}/films; Pseudo = /films; Access_Type = RO; Squash = No_Root_Squash;
                SecType = sys; Protocols = 4; Transports = TCP; FSAL {{ Name = VFS; }}
            }}""")
        self.start()

    def url(self, name):
        return f"nfs://127.0.0.1:{self.port}/films/a%20b/{name}"

    def start(self):
        program = shutil.which("ganesha.nfsd", path=os.environ["PATH"] + ":/usr/sbin:/sbin") or "ganesha.nfsd"
        with open(self.folder / "output", "ab") as log:
            self.process = subprocess.Popen(
                [program, "-F", "-f", self.configuration, "-L", self.folder / "log", "-p", self.folder / "pid"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

        def listens():
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            return answers(self.port)
        eventually(listens, "nfs-ganesha to listen")

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def server():
    with tempfile.TemporaryDirectory(prefix="ganesha-", ignore_cleanup_errors=True) as folder:
        ganesha = Ganesha(folder)
        try:
            yield ganesha
        finally:
            ganesha.stop()


@pytest.mark.parametrize("name", tiered(FILMS, {"h264-aac.mkv"}))
def test_films_on_a_server_equal_the_files(fresh_engine, server, name):
    with fresh_engine.session(clip(name)) as file, fresh_engine.session(server.url(name)) as session:
        assert digests(session) == digests(file)


def test_subtitles_beside_a_film_on_a_server_are_found(fresh_engine, server):
    url = server.url(f"c/{beside.QUOTED}")
    beside.check(fresh_engine, lambda **options: fresh_engine.load(url, **options))


def test_what_cannot_be_read_has_a_type(fresh_engine, server):
    assert failure(fresh_engine, server.url("none.mkv")) == "source_not_found"
    assert failure(fresh_engine, f"nfs://127.0.0.1:{server.port}/none/film.mkv") == "source_not_found"
    assert failure(fresh_engine, f"nfs://127.0.0.1:{server.port}/films/a%20b") == "source_not_readable"


@pytest.mark.long
def test_a_server_that_is_away_has_a_type(fresh_engine):
    assert failure(fresh_engine, f"nfs://127.0.0.1:{free_port()}/films/film.mkv") == "source_unreachable"


def test_a_helper_that_is_killed_is_started_again(fresh_engine, server):
    with fresh_engine.session(clip(FILMS[0])) as file, fresh_engine.session(
            server.url(FILMS[0]), find_subtitles=beside.OFF) as session:
        found = subprocess.run(
            ["ps", "--ppid", str(fresh_engine.pid), "-o", "pid="], stdout=subprocess.PIPE, text=True, check=True)
        os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
        assert digests(session) == digests(file)
