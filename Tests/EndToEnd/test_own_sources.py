# SPDX-License-Identifier: Apache-2.0
"""Sources that other programs provide: the examples of docs/sources.md run, and helpers that break the protocol give typed
errors."""

import contextlib
import os
import resource
import subprocess
import sys
import urllib.parse

import grpc
import pytest
from harness import beside
from harness.contract import engine_pb2, http_pb2, sources_pb2
from harness.engine import PATIENCE, Session, eventually, running_engine, settled
from harness.hls import digest
from harness.places import ROOT, clip
from harness.tiers import tiered

FILM = clip("h264-aac.mkv")
INVALID_HELPER = ROOT / "Tests" / "EndToEnd" / "harness" / "invalid_helper.py"
PLAIN_HELPER = ROOT / "Tests" / "EndToEnd" / "harness" / "plain_helper.py"


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


@pytest.fixture(scope="module")
def helped(tmp_path_factory):
    """An engine with two helpers: the example in C for `local://`, and one that violates the protocol for `invalid://`."""
    build = tmp_path_factory.mktemp("c")
    flags = "-g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all"
    subprocess.run(
        ["make", "-C", ROOT / "examples/c", f"BUILD={build}", f"CFLAGS={flags}", f"{build}/source"], check=True,
        capture_output=True)
    with running_engine("--source-helper", f"local={build}/source,invalid={INVALID_HELPER}") as engine:
        yield engine


@pytest.fixture(scope="module")
def local(helped):
    with helped.session(FILM) as session:
        return digests(session)


def failure(engine, url, **limits):
    connection = http_pb2.HttpConnectionOptions(**limits)
    with pytest.raises(grpc.RpcError) as caught:
        engine.stub.Load(engine_pb2.LoadRequest(source=url, http_connection=connection), timeout=PATIENCE)
    return dict(caught.value.trailing_metadata())["engine-error-code"], caught.value.details()


def test_the_example_in_c_is_a_helper(helped, local, tmp_path):
    (tmp_path / "ä b.mkv").symlink_to(FILM)
    for path in (FILM, f"{tmp_path}/%C3%A4%20b.mkv"):
        with helped.session(f"local://any{path}") as session:
            assert digests(session) == local
    assert failure(helped, "local://any/none.mkv")[0] == "source_not_found"
    assert failure(helped, f"local://any{tmp_path}")[0] == "source_not_readable"
    assert failure(helped, f"local://any{tmp_path}/")[0] == "source_not_readable"
    assert failure(helped, f"local://{FILM}")[0] == "invalid_argument"
    assert failure(helped, "unknown://any/none.mkv")[0] == "invalid_argument"


def test_a_helper_lists_the_folder_of_a_film(helped, tmp_path):
    path = beside.put(tmp_path / "a b")
    url = f"local://any{urllib.parse.quote(str(path))}"
    beside.check(helped, lambda **options: helped.load(url, **options))


@pytest.mark.parametrize(("answer", "notice"), tiered([("unknown", False), ("denied", True)], {("denied", True)}))
def test_a_helper_without_folders_is_no_failure(tmp_path, answer, notice):
    """A helper need not know folders; other failures are reported."""
    with running_engine("--source-helper", f"plain={PLAIN_HELPER}") as engine:
        with engine.session(f"plain://{answer}{FILM}") as session:
            eventually(lambda: "plain was asked for a folder" in engine.log.read_text(), "the listing")
            assert not settled(lambda: beside.found(engine.state(session.id)))
            if notice:
                eventually(lambda: "subtitles.folder_unreadable" in engine.log.read_text(), "the notice")
        text = engine.log.read_text()
        assert ("subtitles.folder_unreadable" in text) == notice and ("no folders for you" in text) == notice, text


@contextlib.contextmanager
def registered(engine):
    """The example in Python, which registers the film; yields its URL."""
    # The engine opens its side socket after its socket.
    eventually(lambda: list(engine.directory.glob("*-frames.sock")), "the side socket")
    example = subprocess.Popen(
        [sys.executable, ROOT / "examples/python/source.py", FILM], text=True, stdout=subprocess.PIPE,
        env=dict(os.environ, ENGINED_SOCKET=str(engine.socket)))
    try:
        url = example.stdout.readline().strip()
        assert url.startswith("source://")
        yield url
    finally:
        example.kill()
        example.wait()


def test_the_example_in_python_registers_a_source(helped, local):
    with registered(helped) as url:
        # The second time over the same socket.
        for _ in range(2):
            with helped.session(url) as session:
                assert digests(session) == local


@pytest.mark.long
def test_a_registered_source_ends_with_its_process(helped):
    with registered(helped) as url:
        pass
    assert failure(helped, url)[0] == "source_unreachable"


def test_a_registered_source_needs_its_ticket(helped):
    eventually(lambda: list(helped.directory.glob("*-frames.sock")), "the side socket")
    answer = helped.stub.RegisterSource(sources_pb2.RegisterSourceRequest(), timeout=PATIENCE)
    assert len(answer.ticket) == 16 and answer.url.startswith("source://")
    assert failure(helped, answer.url)[0] == "source_not_found"


VIOLATIONS = {
    "garbage": "source_not_readable", "oversized": "source_not_readable", "version": "source_not_readable",
    "endless": "source_not_readable", "more": "source_not_readable", "stranger": "source_not_readable",
    "twice": "source_not_readable", "flood": "source_not_readable", "fewer": "source_changed",
    "descriptors": "source_not_media", "nothing": "source_not_media",
    "silent": "source_unreachable", "mute": "source_unreachable", "dies": "source_unreachable",
}


@pytest.mark.parametrize("violation", tiered(list(VIOLATIONS), {"garbage", "more"}))
def test_each_violation_of_the_protocol_has_a_typed_error(helped, violation):
    limits = {"silent": {"connect_timeout_us": 100_000}, "mute": {"stall_timeout_us": 400_000}}
    code, text = failure(helped, f"invalid://{violation}/film.mkv", **limits.get(violation, {}))
    # A second answer may arrive after the first has been read as media.
    assert code == VIOLATIONS[violation] or violation in ("twice", "flood") and code == "source_not_media", text
    # The engine still works.
    helped.probe(FILM)


@pytest.mark.long
def test_an_engine_without_descriptors_refuses_a_source(helped, local, tmp_path):
    # A source that no other test has opened: the engine keeps open ones for a while.
    (tmp_path / "film.mkv").symlink_to(FILM)
    url = f"local://any{tmp_path}/film.mkv"
    before = resource.prlimit(helped.pid, resource.RLIMIT_NOFILE)
    # Only standard input, output and error have numbers below the limit, and they stay open.
    resource.prlimit(helped.pid, resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        code, message = failure(helped, url)
        assert code == "resource_exhausted" and "Too many open files" in message
    finally:
        resource.prlimit(helped.pid, resource.RLIMIT_NOFILE, before)
    with helped.session(url) as session:
        assert digests(session) == local
