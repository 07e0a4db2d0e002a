# SPDX-License-Identifier: Apache-2.0
"""The reference client: its verbs, its exit codes, and how it behaves in a pipe."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading

import pytest
from harness.enginectl import ctl, environment, offline  # noqa: F401, fixtures
from harness.engine import PATIENCE, Engine, eventually
from harness.hls import request
from harness.places import ENGINECTL, PROGRAMS, ROOT, clip
from harness.tiers import tiered

VERBS = ["probe", "serve", "load", "play", "pause", "seek", "rate", "stop", "status", "list", "watch", "validate", "web"]


def test_a_session_is_controlled_from_load_to_stop(ctl):
    url = re.search(r"http://\S+/master\.m3u8", ctl("load", clip("h264-aac.mkv")))[0]
    assert request(url).status == 200
    ctl("play")
    ctl("seek", "12")
    ctl("pause")
    status = ctl("status")
    assert "paused" in status.lower() and ("0:12" in status or "12." in status), status
    ctl("rate", "1.5")
    assert "h264-aac.mkv" in ctl("list")
    ctl("stop")
    assert request(url).status == 404


@pytest.mark.parametrize("name", tiered(
    ["h264-aac.mkv", "hevc-eac3.mkv", "vp9-opus.webm", "several.mkv", "cover.mp4", "audio.mp3"], {"several.mkv", "cover.mp4"}))
def test_probe_agrees_with_ffprobe(ctl, name):
    described = json.loads(ctl("probe", "--json", clip(name)))
    theirs = json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_chapters", "-show_format", clip(name)],
        capture_output=True, text=True, check=True).stdout)
    ours = described["streams"]
    assert [each["codec"] for each in ours] == [each.get("codec_name", "none") for each in theirs["streams"]]
    assert len(described.get("chapters", [])) == len(theirs["chapters"])
    for one, other in zip(ours, theirs["streams"]):
        if other["codec_type"] == "audio":
            assert one["audio"]["channels"] == other["channels"]
        assert (one.get("language") or "und") == other.get("tags", {}).get("language", "und")


def test_a_probe_is_shown_in_words(ctl):
    text = ctl("probe", clip("several.mkv"))
    for word in ("h264", "320x180", "eng", "deu", "Deutsch", "First", "Second", "cover", "font"):
        assert word.lower() in text.lower(), (word, text)


def test_probe_works_without_a_running_engine(offline):
    assert "h264" in offline("probe", clip("h264-aac.mkv")).stdout
    failed = subprocess.run(
        [ENGINECTL, "probe", "/nowhere.mkv"], env=environment(offline.directory), capture_output=True, text=True, timeout=PATIENCE)
    assert failed.returncode not in (0, 64) and "/nowhere.mkv" in failed.stderr and not failed.stdout


def test_passwords_leave_the_command_line(ctl):
    """Other users can read command lines in the list of processes."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://me:hunter2@127.0.0.1:{mute.getsockname()[1]}/a.mkv"
        process = subprocess.Popen(
            [ENGINECTL, "probe", "--user", "you:hunter2", "--header=Cookie: hunter2", url], env=ctl.setting, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            mute.settimeout(PATIENCE)
            # The password itself is sent.
            connection = mute.accept()[0]
            assert b"Authorization: Basic" in connection.recv(4096)
            shown = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
            assert b"http://me:*******@127.0.0.1:" in shown and b"hunter2" not in shown, shown
            connection.close()
        finally:
            process.kill()
            process.wait()


@pytest.mark.parametrize("name", tiered(
    ["h264-aac.mkv", "h264-aac.ts", "hevc-eac3.mkv", "vp9-opus.webm", "av1-opus.mkv", "open-gop.mkv", "b-pyramid.mp4", "vfr.mkv",
     "several.mkv", "audio.flac", "nonzero-start.ts", "vp9-opus-laced.mkv", "clock-wrap.ts", "sound-hole.mp4", "sound-short.mp4"],
    {"several.mkv"}))
def test_validate_finds_no_faults(offline, name):
    report = offline("validate", clip(name)).stdout
    assert report.strip(), "no report"


def test_validate_takes_a_url_and_exits_2_on_faults(ctl, tmp_path):
    import functools
    import http.server
    import threading

    url = re.search(r"http://\S+/master\.m3u8", ctl("load", clip("h264-aac.mkv")))[0]
    ctl("validate", url)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    (tmp_path / "master.m3u8").write_text(
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n")
    (tmp_path / "media.m3u8").write_text(
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:9,\none.m4s\n#EXT-X-ENDLIST\n")
    (tmp_path / "init.mp4").write_bytes(b"not mp4 at all")
    (tmp_path / "one.m4s").write_bytes(bytes(100))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    report = ctl("validate", f"http://127.0.0.1:{server.server_address[1]}/master.m3u8", expect=2)
    server.shutdown()
    assert "TARGETDURATION" in report, report


def test_serve_prints_the_url_and_ends_on_interrupt(offline):
    process = subprocess.Popen([ENGINECTL, "serve", clip("h264-aac.mkv")], env=environment(offline.directory),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\S+/master\.m3u8", url), url
        assert request(url).status == 200
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode in (0, 130) and not rest.strip(), (process.returncode, rest)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_an_engine_ends_with_the_command_that_started_it(offline):
    process = subprocess.Popen([ENGINECTL, "serve", clip("h264-aac.mkv")], env=environment(offline.directory),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)

    def refuses():
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", int(address[1]))) != 0

    eventually(refuses, "the end of the engine")


def test_watch_writes_json_lines_into_a_pipe(ctl):
    ctl("load", clip("h264-aac.mkv"))
    process = subprocess.Popen(
        [ENGINECTL, "watch"], env=ctl.setting,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        first = json.loads(process.stdout.readline())
        assert first
        ctl("play")
        lines = [json.loads(process.stdout.readline()) for _ in range(5)]
        assert all(isinstance(each, dict) for each in lines)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode in (0, 130)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.mark.long
def test_watch_survives_an_engine_restart(start_engine):
    first = start_engine()
    process = subprocess.Popen(
        [ENGINECTL, "watch", "--json"], env=dict(environment(first.directory), ENGINED_SOCKET=str(first.socket)),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        session = first.load(clip("h264-aac.mkv"))
        lines = []
        threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True).start()
        eventually(lambda: any(session.id in line for line in lines), "the session")
        first.end()
        second = Engine(first.directory)
        try:
            again = second.load(clip("vp9-opus.webm"))
            eventually(lambda: any("vp9-opus.webm" in line for line in lines), "the new session")
            assert process.poll() is None
            again.stop()
        finally:
            second.end()
    finally:
        process.kill()
        process.wait()


@pytest.mark.long
def test_load_sets_the_player_options(ctl):
    options = ["--rate-range", "0.5:8", "--timeout", "ready=0.2", "--timeout", "buffering=0", "--request-id", "one"]
    first = ctl("load", *options, clip("h264-aac.mkv"))
    assert ctl("load", "--request-id", "one", clip("h264-aac.mkv")) == first
    ctl("rate", "8")
    assert ctl.engine.state().position.requested_rate == 8
    eventually(lambda: "ready has lasted 0.2 s" in ctl.engine.log.read_text(), "the notice")
    for wrong in (["--timeout", "ready"], ["--timeout", "idle=3"], ["--timeout", "ready=-1"], ["--rate-range", "2:1"]):
        ctl("load", *wrong, clip("h264-aac.mkv"), expect=64)
    ctl("stop")


def test_usage_errors_exit_64_with_usage(offline):
    for arguments in (["fly"], ["seek"], ["load"], ["seek", "soon"], ["--no-such-flag"], ["rate", "fast"]):
        done = offline(*arguments, expect=64)
        assert "usage" in done.stderr.lower(), done.stderr
    assert '"abc" is not a time. Examples: 90, 12:03, +10, 50%, begin, live' in offline("seek", "abc", expect=64).stderr


def test_help_lists_every_verb_and_completions_exist(offline):
    shown = offline("--help").stdout
    for verb in VERBS:
        assert verb in shown
        assert offline(verb, "--help").stdout
    for shell in ("bash", "zsh", "fish"):
        assert "enginectl" in offline("--generate-completion-script", shell).stdout


def test_bash_completes_profiles_and_sessions(ctl):
    for _ in range(2):
        ctl("load", clip("h264-aac.mkv"))
    script = ctl.engine.directory / "completion.bash"
    script.write_text(ctl("--generate-completion-script", "bash"))
    for line, offered in (("load --profile ", "everything apple chromium chromecast"), ("play a.mkv --profile chr", "chromium chromecast"),
                          ("status --session ", "1 2"), ("load a.mkv --session ", "1 2")):
        words = ["enginectl", *line.split(" ")]
        typed = f'source {script}; COMP_WORDS=("$@"); COMP_CWORD={len(words) - 1}; COMP_LINE="$*"; COMP_POINT=${{#COMP_LINE}}; ' \
                '_enginectl enginectl "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; echo "${COMPREPLY[*]}"'
        done = subprocess.run(["bash", "-c", typed, "bash", *words], capture_output=True, text=True, timeout=PATIENCE, env=ctl.setting)
        assert set(offered.split()) <= set(done.stdout.split()), (line, done)


def commands_of(program):
    """Every verb with its subcommand, as enginectl describes itself: (words, names of options)."""
    found = {}

    def visit(command, words):
        below = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
        for each in below:
            visit(each, (*words, each["commandName"]))
        if not below:
            found[words] = {name["name"] for argument in command.get("arguments", []) for name in argument.get("names", [])}

    visit(json.loads(program("--experimental-dump-help").stdout)["command"], ())
    return found


def test_the_documents_list_the_verbs_and_options(offline):
    commands = commands_of(offline)
    for words, options in commands.items():
        assert words == ("watch",) or "json" in options, f"{words} has no --json"
    page = (ROOT / "docs/enginectl.md").read_text()
    options = set().union(*commands.values())
    # `-h` and `-o` are the short names of `--help` and `--output`; the page has `--no-decode` for `--decode`.
    unnamed = {"h", "o", "output", "decode", "version"}
    assert set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", page)) - {"generate-completion-script"} == options - unnamed
    named = set()
    for row in re.findall(r"^\| (`.*?`) \|", page.replace("\\|", "¦"), re.MULTILINE):
        verbs = set()
        for span in re.findall(r"`([^`]+)`", row):
            verb = max((words for words in commands if tuple(span.split()[:len(words)]) == words), key=len, default=None)
            verbs |= {verb or next((words for words in commands if words[0] == span.split()[0]), None)}
        if None in verbs:
            continue
        named |= {words[0] for words in verbs}
        for option in re.findall(r"--([a-z][a-z-]*)", row):
            assert any(option in commands[words] for words in commands if words[0] in {verb[0] for verb in verbs}), (row, option)
    assert named == {words[0] for words in commands}
    manual = (ROOT / "packaging/man/enginectl.1").read_text()
    lines = re.findall(r"^.*\bFl .*$", manual, re.MULTILINE)
    documented = {word.lstrip("-") for line in lines for word in re.findall(r"(?<=\s)-[a-z][a-z-]+", line)}
    assert documented <= options | {"version", "help"}, documented - options
    assert {words[0] for words in commands} <= set(re.findall(r"[a-z-]+", manual))


def starting(text):
    """The verbs that a text lists as starting an engine."""
    plain = " ".join(text.replace("`", "").split())
    return set(re.split(r", | and ", re.search(r"\. ([^.]*) start (?:a temporary|an) engine if none is running", plain)[1]))


def test_the_documents_agree_on_the_verbs_that_start_an_engine(offline):
    shown = starting(offline("--help").stdout)
    assert starting((ROOT / "docs/enginectl.md").read_text()) == shown
    manual = re.sub(r"^\.(Cm|Pa) ", "", (ROOT / "packaging/man/enginectl.1").read_text(), flags=re.MULTILINE)
    assert starting(manual.replace("Ar file", "FILE").replace(" ,", ",")) == shown


@pytest.mark.long
def test_the_verbs_that_start_an_engine_are_those_listed(offline):
    commands = commands_of(offline)
    verbs = {verb.split()[0] for verb in starting(offline("--help").stdout)}
    for words, options in commands.items():
        arguments = [*words, "/nowhere.mkv"]
        arguments += ["--at", "1"] * ("at" in options) + ["-o", "-"] * ("output" in options)
        done = subprocess.run([ENGINECTL, *arguments], env=environment(offline.directory), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)
        # 64: the verb takes no file; 69: it needs an engine that runs.
        started = done.returncode not in (64, 69) and words != ("channels",)
        assert started == (words[0] in verbs), (words, done)


def members(page, heading):
    """The members that a bullet of the JSON section lists first."""
    bullet = re.search(rf"^- \*\*[^\n]*{re.escape(heading)}.*?(?=^- |\Z)", page, re.MULTILINE | re.DOTALL)[0]
    return [span.split() for span in re.findall(r"`([^`]+)`", bullet.split(":", 1)[1])]


def test_the_documents_list_the_json_members(ctl, tmp_path):
    page = (ROOT / "docs/enginectl.md").read_text().split("## JSON")[1].split("## What validate checks")[0]
    film = clip("several.mkv")
    words = set(re.findall(r"\w+", page))

    def keys(value):
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    ctl("load", film)
    ctl("filters", "add", "gblur", "sigma=2")
    drawing, picture = tmp_path / "box.svg", tmp_path / "a.png"
    drawing.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')
    ctl("filters", "overlay", "box", drawing)
    outputs = {
        "`status`": ctl("status", "--json"), "`probe`": ctl("probe", film, "--json"), "`list`": ctl("list", "--json"),
        "`tracks`": ctl("tracks", "--json"), "`subtitles`": ctl("subtitles", "--json"), "`filters`": ctl("filters", "--json"),
        "`validate`": ctl("validate", clip("h264-aac.mkv"), "--json"),
        "`thumbnail`": ctl("snapshot", film, "--at", "2", "-o", picture, "--json"),
        "a cue": ctl("cues", film, "--json"), "clamped": ctl("pause", "--json"),
        "of a frame": ctl("play", clip("h264-aac.mkv"), "--start", "23", "--realtime=false", "--json").splitlines()[0],
    }
    outputs = {name: json.loads(text) for name, text in outputs.items()}
    for name, value in outputs.items():
        assert keys(value) <= words, (name, keys(value) - words)
    state = outputs["`status`"]
    assert set(outputs["clamped"]) == set(state) | {"clamped"}
    assert set(members(page, "`status`")[0]) == set(state) | {"error"}
    for part in ("position", "production", "statistics"):
        listed = next(after for before, after in zip(members(page, "`status`"), members(page, "`status`")[1:]) if before == [part])
        assert set(listed) == set(state[part]), part
    for name in ("`probe`", "`validate`"):
        listed = set().union(*members(page, name))
        assert set(outputs[name]) <= listed, name


def test_all_programs_report_the_same_version():
    shown = [subprocess.run([PROGRAMS / name, "--version"], capture_output=True, text=True, check=True).stdout.split()
             for name in ("engined", "enginectl", "engined-mpris")]
    assert [name for name, _ in shown] == ["engined", "enginectl", "engined-mpris"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", shown[0][1]) and len({version for _, version in shown}) == 1


PRINTING = [
    ["list"], ["status", "--json"], ["tracks"], ["pause"], ["watch", "--json"], ["cues", "several.mkv"], ["probe", "h264-aac.mkv"],
    ["snapshot", "h264-aac.mkv", "--at", "2", "-o", "-"],
    ["contact-sheet", "h264-aac.mkv", "--columns", "2", "--rows", "1", "-o", "-"],
    ["--help"], ["--version"], ["--generate-completion-script", "bash"],
]


# State, a stream, text, binary data and help.
SOME = [PRINTING[place] for place in (1, 4, 5, 7, 9)]


@pytest.mark.parametrize("commands", tiered([SOME, PRINTING], [SOME]), ids=["some", "all"])
def test_a_command_exits_0_only_if_all_output_is_written(ctl, commands):
    ctl("load", clip("several.mkv"))

    def run(arguments, output):
        arguments = [str(clip(each)) if each.endswith(".mkv") else each for each in arguments]
        return subprocess.run([ENGINECTL, *arguments], env=ctl.setting, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                              text=True, timeout=PATIENCE)

    for arguments in commands:
        with open("/dev/full", "w") as full:
            done = run(arguments, full)
        assert (done.returncode, done.stderr) == (1, "enginectl: cannot write to standard output: No space left on device\n"), arguments
        reader, writer = os.pipe()
        os.close(reader)
        done = run(arguments, writer)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, ""), (arguments, done)
    done = subprocess.run(f"exec {ENGINECTL} status >&-", shell=True, env=ctl.setting, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "Bad file descriptor" in done.stderr, done


def test_a_command_s_own_engine_exits_when_the_pipe_closes(offline):
    # The fixture checks that no process is left behind.
    taken = subprocess.run(f"{ENGINECTL} contact-sheet {clip('h264-aac.mkv')} -o - | head -c 1", shell=True,
                           env=environment(offline.directory), capture_output=True, timeout=PATIENCE)
    assert len(taken.stdout) == 1 and not taken.stderr, taken
    eventually(lambda: not subprocess.run(["pgrep", "-f", offline.directory], capture_output=True).stdout, "its end")


@pytest.mark.long
def test_a_command_times_out_on_an_unresponsive_socket(offline):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{offline.directory}/mute.sock")
    listener.listen(8)
    with listener:
        done = offline("--socket", f"{offline.directory}/mute.sock", "status", expect=69)
        assert "has not answered for 5 s" in done.stderr, done.stderr


@pytest.mark.long
def test_no_url_is_printed_for_an_unplayable_source(ctl):
    film = clip("software/mpeg2.mpg")
    for arguments, end in ((["load", film], None), (["serve", "--video-bridge", "never", film], signal.SIGINT)):
        process = subprocess.Popen([ENGINECTL, *arguments], env=ctl.setting, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        assert re.fullmatch(rf"enginectl: no player takes this \(.*mpeg2video.*\): enginectl play {film}, or .* session \d+\n", line), line
        if end:
            process.send_signal(end)
        rest, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, rest) == (0, "")
    assert "http" not in ctl("status")
    ctl("validate", film, expect=1)


@pytest.mark.long
def test_names_like_options_and_long_directories_are_accepted(offline, tmp_path):
    (tmp_path / "-dash.mkv").symlink_to(clip("h264-aac.mkv"))
    refused = offline("probe", "-dash.mkv", expect=64, cwd=tmp_path)
    assert "./-dash.mkv" in refused.stderr and not refused.stdout
    for arguments in (["./-dash.mkv"], ["--", "-dash.mkv"]):
        assert "h264" in offline("probe", *arguments, cwd=tmp_path).stdout
    place = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(25):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
        os.symlink(clip("h264-aac.mkv"), "film.mkv")
        assert "h264" in offline("probe", "film.mkv").stdout
        offline("snapshot", "film.mkv", "--at", "2", "-o", "film.jpg")
        assert os.path.getsize("film.jpg") > 1000
    finally:
        os.chdir(place)


@pytest.mark.long
def test_the_socket_option_is_accepted_before_and_after_the_verb(offline, start_engine):
    engine = start_engine()
    engine.load(clip("h264-aac.mkv"))
    for arguments in (["--socket", engine.socket, "status"], ["status", "--socket", engine.socket]):
        assert "h264-aac.mkv" in offline(*map(str, arguments)).stdout
    assert "the limit is 107" in offline("probe", "--socket", "/run/" + "d" * 120, clip("h264-aac.mkv"), expect=69).stderr
