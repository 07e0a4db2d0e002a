# SPDX-License-Identifier: Apache-2.0
"""engined as a daemon: settings, structured logs, a service manager, inherited sockets, metrics."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request

import grpc
import pytest

from harness.contract import engine_pb2, engine_pb2_grpc, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINED, ROOT, clip
from harness.tiers import tiered


@pytest.fixture
def tmp_path():
    """Not pytest's own folder: the path of a socket may have at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="engine-") as directory:
        yield pathlib.Path(directory)


def start(tmp_path, *arguments, environment=None, **options):
    """A bare process that logs to a file."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("ENGINED_")}
    variables.update(XDG_RUNTIME_DIR=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"),
                     XDG_CONFIG_HOME=str(tmp_path / "config"), HOME=str(tmp_path), **(environment or {}))
    log = open(tmp_path / "log", "ab")
    return subprocess.Popen([ENGINED, *arguments], env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)


def read_log(tmp_path):
    return (tmp_path / "log").read_text()


def end(process):
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0


def test_the_environment_overrides_the_file_and_flags_override_both(tmp_path):
    (tmp_path / "config" / "engined").mkdir(parents=True)
    (tmp_path / "config" / "engined" / "engined.conf").write_text("log-format = json\nlog-level = critical\n")
    environment = {"ENGINED_LOG_LEVEL": "error", "ENGINED_SOCKET": str(tmp_path / "by-environment.sock")}
    process = start(tmp_path, "--log-level", "info", environment=environment)
    lines = eventually(lambda: [line for line in read_log(tmp_path).splitlines() if "ready" in line], "the ready line")
    ready = json.loads(lines[0])
    assert ready["socket"] == str(tmp_path / "by-environment.sock")
    assert ready["level"] == "info" and ready["part"] == "engined"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", ready["time"])
    end(process)
    assert all(json.loads(line)["message"] for line in read_log(tmp_path).splitlines())


# In the lean tier, one for each place where a setting can be.
@pytest.mark.parametrize("arguments, environment, words", tiered([
    (("--http-port", "70000"), {}, "--http-port: the port must be 0"),
    ((), {"ENGINED_CACHE_BYTES": "12"}, "ENGINED_CACHE_BYTES: the cache size must be 1M or more"),
    (("--config", "{tmp}/absent.conf"), {}, "absent.conf: cannot be read"),
    (("--timeout-buffering", "-1"), {}, "--timeout-buffering"),
    (("--timeout-buffering", "soon"), {}, "--timeout-buffering: the time-out must be 0"),
    (("--rate-range", "2:4"), {}, "--rate-range: the rates must be MIN:MAX"),
    ((), {"ENGINED_TIMEOUT_SEEKING": "1e9"}, "ENGINED_TIMEOUT_SEEKING: the time-out must be 0"),
    (("--config", "{tmp}/bad.conf"), {}, "bad.conf:2: unknown key \"colour\"; known keys are socket, http-port"),
], lambda case: case[2].startswith(("--http-port", "ENGINED_CACHE_BYTES", "bad.conf"))))
def test_an_invalid_setting_is_refused_with_its_location(tmp_path, arguments, environment, words):
    (tmp_path / "bad.conf").write_text("http-port = 0\ncolour = red\n")
    process = start(tmp_path, *(text.replace("{tmp}", str(tmp_path)) for text in arguments), environment=environment)
    assert process.wait(PATIENCE) == 64
    assert words in read_log(tmp_path)


def test_player_settings_come_from_the_file_the_environment_and_flags(tmp_path):
    (tmp_path / "engined.conf").write_text("timeout-ready = 0.2\nrate-range = 0.5:4\n")
    options = dict(environment={"ENGINED_TIMEOUT_READY": "0", "ENGINED_CONFIG": str(tmp_path / "engined.conf")})
    for count, arguments in enumerate([["--timeout-ready", "0.3", "--rate-range", "1:3"], []], 1):
        process = start(tmp_path, *arguments, **options)
        with grpc.insecure_channel(f"unix:{tmp_path}/engined/engined.sock") as channel:
            stub = engine_pb2_grpc.EngineStub(channel)
            load = engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")))
            session = stub.Load(load, timeout=PATIENCE, wait_for_ready=True).session_id
            answer = stub.SetRate(engine_pb2.SetRateRequest(rate=16), timeout=PATIENCE)
            assert answer.clamped and answer.state.position.requested_rate == (3 if arguments else 4)
            if not arguments:
                # Any limit that the settings gave the first session would be over before this one.
                load.options.timeouts.add(phase=state_pb2.PHASE_READY, timeout_us=300_000)
                stub.Load(load, timeout=PATIENCE)
            eventually(lambda: read_log(tmp_path).count("ready has lasted 0.3 s") == count, "the notice")
            assert read_log(tmp_path).count("has lasted") == count
            stub.Stop(engine_pb2.SessionRequest(session_id=session), timeout=PATIENCE)
        end(process)


def test_every_setting_has_a_flag_and_is_in_the_manual_and_the_sample_file(tmp_path):
    process = start(tmp_path, "--config", str(tmp_path / "none"))
    assert process.wait(PATIENCE) == 64
    (tmp_path / "odd.conf").write_text("odd = 1\n")
    process = start(tmp_path, "--config", str(tmp_path / "odd.conf"))
    assert process.wait(PATIENCE) == 64
    keys = re.search(r'unknown key "odd"; known keys are (.*)', read_log(tmp_path))[1].split(", ")
    assert {"socket", "journal", "rate-range", "timeout-opening", "timeout-seeking"} <= set(keys)
    help_text = subprocess.run([ENGINED, "--help"], capture_output=True, text=True, check=True).stdout
    manual = (ROOT / "packaging/man/engined.1").read_text()
    sample = (ROOT / "packaging/engined.conf").read_text()
    for key in keys:
        assert f"--{key} " in help_text and f"-{key} " in manual and f"#{key} = " in sample, key
        assert "ENGINED_" + key.upper().replace("-", "_") in manual, key


@pytest.mark.parametrize("is_abstract", [False, True])
def test_the_service_manager_is_notified_of_ready_watchdog_and_stopping(tmp_path, is_abstract):
    name = f"@engined-test-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind("\0" + name[1:] if is_abstract else name)
    manager.settimeout(PATIENCE)
    process = start(tmp_path, environment={"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000"})
    heard = manager.recv(4096).decode()
    assert "READY=1" in heard and "STATUS=serving at http://127.0.0.1:" in heard
    beats = [manager.recv(4096).decode() for _ in range(3)]
    assert all("WATCHDOG=1" in beat and "STATUS=0 sessions" in beat for beat in beats)
    process.send_signal(signal.SIGTERM)
    eventually(lambda: "STOPPING=1" in manager.recv(4096).decode(), "STOPPING")
    assert process.wait(PATIENCE) == 0


def pass_on(listeners, names):
    """Does what systemd does between fork and exec: passes descriptors from 3 on, and sets variables that name the new
    process."""
    program = f"""
import os, sys
for place, descriptor in enumerate({[listener.fileno() for listener in listeners]}, 100):
    os.dup2(descriptor, place)
for place in range({len(listeners)}):
    os.dup2(100 + place, 3 + place, inheritable=True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="{len(listeners)}", LISTEN_FDNAMES="{names}")
os.execv(sys.argv[1], sys.argv[1:])
"""
    return ["python3", "-c", program]


@pytest.mark.parametrize(("address", "is_network"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_inherited_sockets_are_served_and_not_removed(tmp_path, address, is_network):
    control, http = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)
    path = tmp_path / "passed.sock"
    control.bind(str(path))
    http.bind((address, 0))
    for listener in (control, http):
        listener.listen(16)
    environment = dict(os.environ, XDG_RUNTIME_DIR=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"), HOME=str(tmp_path))
    with open(tmp_path / "log", "ab") as log:
        process = subprocess.Popen(
            [*pass_on([control, http], "control:http"), ENGINED], env=environment, stdout=log, stderr=log,
            pass_fds=[control.fileno(), http.fileno()])
    with grpc.insecure_channel(f"unix:{path}") as channel:
        stub = engine_pb2_grpc.EngineStub(channel)
        stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE, wait_for_ready=True)
    port = http.getsockname()[1]
    metrics = f"http://127.0.0.1:{port}/metrics"
    assert urllib.request.urlopen(metrics, timeout=PATIENCE).status == 200
    # Players on other machines name one of the addresses of this machine.
    request = urllib.request.Request(metrics, headers={"Host": f"192.0.2.7:{port}"})
    with contextlib.nullcontext() if is_network else pytest.raises(urllib.error.HTTPError):
        assert urllib.request.urlopen(request, timeout=PATIENCE).status == 200
    end(process)
    assert path.is_socket(), "the name belongs to the manager"


def test_an_inherited_descriptor_that_does_not_listen_is_refused(tmp_path):
    with open(tmp_path / "file", "w") as file:
        environment = dict(os.environ, XDG_RUNTIME_DIR=str(tmp_path), HOME=str(tmp_path))
        with open(tmp_path / "log", "ab") as log:
            process = subprocess.Popen([*pass_on([file], "control"), ENGINED], env=environment, stdout=log, stderr=log,
                                       pass_fds=[file.fileno()])
        assert process.wait(PATIENCE) == 64
    assert "descriptor 3 is not a listening Unix socket" in read_log(tmp_path)


def test_metrics_count_without_revealing_names(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        urllib.request.urlopen(session.url, timeout=PATIENCE).read()
        base = session.url.split("/")[2]
        answer = urllib.request.urlopen(f"http://{base}/metrics", timeout=PATIENCE)
        text = answer.read().decode()
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert "Access-Control-Allow-Origin" not in answer.headers
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        assert values['engined_sessions{phase="ready"}'] == "1"
        assert int(values["engined_http_requests_total"]) >= 2
        assert int(values["engined_control_connections"]) >= 1
        assert int(values["engined_resident_memory_bytes"]) > 1 << 20
        assert "h264" not in text
        for method, body, status in (("POST", None, "405"), ("POST", b"x", "405"), ("DELETE", None, "405"), ("GET", b"x", "413")):
            odd = urllib.request.Request(f"http://{base}/metrics", body, method=method)
            with pytest.raises(urllib.error.HTTPError, match=status) as caught:
                urllib.request.urlopen(odd, timeout=PATIENCE)
            assert status != "405" or caught.value.headers["Allow"] == "GET, HEAD"
        rebound = urllib.request.Request(f"http://{base}/metrics", headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(rebound, timeout=PATIENCE)
