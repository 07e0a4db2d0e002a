# SPDX-License-Identifier: Apache-2.0
"""The first programs of docs/clients, built and run as their readers would, against an engine."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest
from harness.engine import PATIENCE, eventually
from harness.examples import swift_programs
from harness.places import PROGRAMS, ROOT, clip
from harness.session_bus import SessionBus
from harness.sound_server import sound_server

PAGES = ROOT / "docs" / "clients"
# Pages without a program that can be run, and the sentence with which each page states this.
UNTESTED = {
    "c.md": "`test_examples.py` builds and runs `watch`",
    "node.md": "No test runs this snippet: Debian does not have the package `@grpc/grpc-js`.",
    "rust.md": "No test runs this snippet: Debian does not have the crate `tonic`.",
}


def blocks(page, language):
    """The fenced blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (PAGES / page).read_text(), re.M | re.S)


@contextlib.contextmanager
def running(words, directory, environment):
    """A program in its own process group, and a function that returns what it has printed."""
    log = pathlib.Path(directory) / f"{re.sub('[^a-z]', '', pathlib.Path(words[-1]).name)}.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(
            words, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    try:
        yield process, lambda: log.read_text(errors="replace")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)


def wait(process, text, pattern, seconds=PATIENCE):
    """Waits until the output of a program matches. Fails if the program ends before that."""
    def look():
        has_ended = process.poll() is not None
        found = re.search(pattern, text())
        assert found or not has_ended, f"no {pattern} in\n{text()}"
        return found
    return eventually(look, pattern, seconds)


URL = r"(?m)^http://127\.0\.0\.1:\d+/\S+/master\.m3u8$"
# A program that follows the session after loading the film prints each event in the notation of its language.
CASES = [
    pytest.param("python.md", "python", "player.py", r"(?s)master\.m3u8.*session_id", id="python"),
    pytest.param("cpp.md", "cpp", "player.cc", URL, marks=pytest.mark.long, id="cpp"),
    pytest.param("go.md", "go", "player.go", URL, marks=pytest.mark.long, id="go"),
]


@pytest.mark.parametrize("page, language, file, expected", CASES)
def test_the_program_of_a_page_builds_with_its_commands_and_loads_a_film(engine, tmp_path, page, language, file, expected):
    (program,), (commands,) = blocks(page, language), blocks(page, "sh")
    assert "/films/a.mkv" in program
    (tmp_path / "Proto").symlink_to(ROOT / "Proto")
    (tmp_path / file).write_text(program.replace("/films/a.mkv", str(clip("h264-aac.mkv"))))
    # The modules of the tests are installed already.
    commands = "\n".join(line for line in commands.splitlines() if not line.startswith("pip install "))
    (tmp_path / "commands").write_text(commands)
    environment = dict(
        os.environ, ENGINED_SOCKET=str(engine.socket), PATH=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
        PYTHONUNBUFFERED="1", GOCACHE=str(tmp_path / "cache"), GOFLAGS="", HOME=str(tmp_path))
    with running(["bash", "-eu", "commands"], tmp_path, environment) as (process, text):
        # Compiling may take long.
        wait(process, text, URL, PATIENCE * 10)
        wait(process, text, expected)


@pytest.mark.long
def test_the_swift_program_is_that_of_the_example_and_follows_the_engine(engine, tmp_path):
    (program,) = blocks("swift.md", "swift")
    source = ROOT / "examples/swift/Sources/first/main.swift"
    assert source.read_text() == "// SPDX-License-Identifier: Apache-2.0\n\n" + program
    environment = dict(os.environ, ENGINED_SOCKET=str(engine.socket))
    words = ["stdbuf", "-oL", swift_programs() / "first", clip("h264-aac.mkv")]
    with running(words, tmp_path, environment) as (process, text):
        wait(process, text, URL)
        wait(process, text, r"(?s)master\.m3u8\n.+\n")


@pytest.fixture
def shell(start_engine, tmp_path):
    """The commands of the page for the shell, each as words, and the environment of its reader."""
    engine, bus = start_engine(), SessionBus()
    films = {"~/film.mkv": clip("subtitled.mkv"), "~/film.mpg": clip("software/mpeg2.mpg")}
    for name, film in films.items():
        shutil.copy(film, tmp_path / pathlib.Path(name).name)
    commands = [line.partition(" #")[0].split() for line in blocks("shell.md", "sh")[0].splitlines()]
    with sound_server() as sound:
        yield commands, dict(
            os.environ, HOME=str(tmp_path), ENGINED_SOCKET=str(engine.socket), DBUS_SESSION_BUS_ADDRESS=bus.address,
            PULSE_SERVER=sound.address)
    bus.end()


# The output of the commands that do not end by themselves; the others exit with 0.
LASTING = {"serve": URL, "watch": r"session", "play": r"\S", "engined-mpris": None}


def test_the_commands_for_the_shell_run_one_after_another(shell, tmp_path):
    commands, environment = shell
    ended = []
    with contextlib.ExitStack() as stack:
        for words in commands:
            name = pathlib.Path(words[0]).name
            verb = words[1] if len(words) > 1 else name
            assert words[0] == f".build/release/{name}"
            # The film of the fixtures is shorter than that of the page.
            rest = [word.replace("~/", f"{tmp_path}/").replace("1:02:03", "0:03") for word in words[1:]]
            program = [PROGRAMS / name, *rest]
            if verb in LASTING:
                process, text = stack.enter_context(running(["stdbuf", "-oL", *program], tmp_path, environment))
                if LASTING[verb]:
                    wait(process, text, LASTING[verb])
                continue
            done = subprocess.run(
                program, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
            assert done.returncode == 0, (words, done.stdout[-800:], done.stderr[-800:])
            ended.append(verb)
    assert ended == ["seek", "probe", "cues", "snapshot", "validate"]
    assert (tmp_path / "still.jpg").read_bytes().startswith(b"\xff\xd8")


def test_every_page_is_run_or_says_why_not():
    run = {case.values[0] for case in CASES} | {"shell.md", "swift.md"}
    assert {page.name for page in PAGES.glob("*.md")} == run | set(UNTESTED)
    for page, words in UNTESTED.items():
        assert words in (PAGES / page).read_text(), page
    for page in run:
        assert "`test_client_pages.py`" in (PAGES / page).read_text(), page
