# SPDX-License-Identifier: Apache-2.0
"""systemd's own tools, if installed: socket activation, and the verification of the units."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request

import grpc
import pytest
from harness.contract import engine_pb2, engine_pb2_grpc
from harness.engine import PATIENCE, eventually, is_idle
from harness.places import ENGINED, ROOT, clip
from harness.tiers import absent

UNITS = ROOT / "packaging" / "systemd"


@pytest.fixture(autouse=True)
def require_tools():
    for tool in ("systemd-socket-activate", "systemd-analyze"):
        if not shutil.which(tool):
            absent(f"{tool} is not installed")


@pytest.fixture
def home():
    """Not pytest's own folder: the path of a socket may have at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="engine-") as directory:
        yield pathlib.Path(directory)


def environment(home, **more):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("ENGINED_")}
    return dict(variables, XDG_RUNTIME_DIR=str(home), XDG_CACHE_HOME=str(home / "cache"),
                XDG_CONFIG_HOME=str(home / "config"), XDG_STATE_HOME=str(home / "state"), HOME=str(home), **more)


@pytest.fixture
def activator(home):
    """`systemd-socket-activate` in front of the engine, with a service manager that listens."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(home / "notify"))
    manager.settimeout(PATIENCE)
    with open(home / "log", "wb") as log:
        process = subprocess.Popen(
            ["systemd-socket-activate", "--listen", home / "engined.sock", "--fdname=control", "--setenv=NOTIFY_SOCKET",
             "--setenv=XDG_RUNTIME_DIR", "--setenv=XDG_CACHE_HOME", "--setenv=XDG_STATE_HOME", "--setenv=HOME",
             "--setenv=WATCHDOG_USEC", ENGINED],
            env=environment(home, NOTIFY_SOCKET=str(home / "notify"), WATCHDOG_USEC="1000000"),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    eventually(lambda: (home / "engined.sock").is_socket(), "the activator to listen")
    yield process, manager
    if process.poll() is None:
        process.kill()
        process.wait()


def test_the_first_connection_starts_the_engine_and_is_served(home, activator):
    process, manager = activator
    eventually(lambda: is_idle(process.pid), "the activator to wait")
    # Nothing has connected yet: the process is still the activator.
    assert b"systemd-socket" in pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
    with grpc.insecure_channel(f"unix:{home / 'engined.sock'}") as channel:
        stub = engine_pb2_grpc.EngineStub(channel)
        reply = stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv"))), timeout=PATIENCE)
        assert urllib.request.urlopen(reply.url, timeout=PATIENCE).status == 200
    assert b"engined" in pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")[0]
    heard = ""
    while "WATCHDOG=1" not in heard:
        heard += manager.recv(4096).decode() + "\n"
    assert heard.index("READY=1") < heard.index("WATCHDOG=1") and "STATUS=serving at http://127.0.0.1:" in heard
    process.send_signal(signal.SIGTERM)
    eventually(lambda: "STOPPING=1" in manager.recv(4096).decode(), "STOPPING")
    assert process.wait(PATIENCE) == 0
    assert (home / "engined.sock").is_socket(), "the name belongs to the manager"


@pytest.fixture
def units(home):
    """The units as installed, including two instances of the system unit: of root, and of the user that the package creates."""
    for source in UNITS.iterdir():
        text = source.read_text().replace("@bindir@", str(ENGINED.parent))
        name = source.name.removesuffix(".in")
        (home / name).write_text(text)
        for user in ("root", "engined"):
            (home / name.replace("@.", f"@{user}.")).write_text(text)
    return home


def exposure(unit):
    """The number that `systemd-analyze security` prints, from 0 to 10."""
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", unit], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stdout[-500:] + done.stderr
    return float(found[1])


@pytest.mark.parametrize("unit, most", [
    # The tool assumes that a unit without User= runs as root, even one of a user's own service manager; that adds 0.4.
    ("engined.service", 1.6), ("engined@.service", 1.2), ("engined@engined.service", 1.2), ("engined-mpris.service", 1.1)])
def test_units_have_low_security_exposure(units, unit, most):
    # Access to the network, including netlink, accounts for more than half of the exposure.
    assert exposure(units / unit) <= most


def test_the_rating_counts_root(units):
    # Otherwise the low ratings of the others would say nothing about the user.
    assert exposure(units / "engined@root.service") > 1.5
    assert "u engined " in (ROOT / "debian" / "engined.sysusers").read_text(), "the user of engined@engined.service"


def test_the_unit_of_a_session_has_low_exposure_as_the_user_that_it_runs_as(units):
    path = units / "engined.service"
    path.write_text(path.read_text().replace("[Service]\n", "[Service]\nUser=person\n", 1))
    assert exposure(path) <= 1.2


@pytest.mark.parametrize("scope, names", [
    ("--user", ["engined.service", "engined.socket", "engined-mpris.service"]),
    ("--system", ["engined@root.service", "engined@root.socket"])])
def test_units_pass_systemd_verification(units, scope, names):
    done = subprocess.run(["systemd-analyze", scope, "--man=no", "--recursive-errors=no", "verify", *(units / name for name in names)],
                          env=environment(units), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_faults_in_a_unit_are_detected(units):
    path = units / "engined@root.service"
    path.write_text(path.read_text().replace("ProtectSystem=strict", "ProtectSystems=strict"))
    done = subprocess.run(["systemd-analyze", "--man=no", "--recursive-errors=no", "verify", path], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert "ProtectSystems" in done.stderr
