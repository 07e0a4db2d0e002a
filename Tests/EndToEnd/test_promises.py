# SPDX-License-Identifier: Apache-2.0
"""Every system call that opens a file, makes a connection or starts a program, while sources on disk are used in every
way: the engine reads what clients name, listens on loopback, and contacts nobody (docs/threat-model.md)."""

import pathlib
import re
import shutil

import grpc
import pytest
from harness.contract import engine_pb2, frames_pb2, stills_pb2, subtitles_pb2
from harness.engine import PATIENCE
from harness.frames import frames_ticket
from harness.hls import digest
from harness.places import ENGINED, clip

CALLS = "connect,bind,listen,sendto,sendmsg,sendmmsg,open,openat,openat2,execve,execveat,newfstatat,pread64,prctl"
STARTED = re.compile(r"^(\d+) +(\w+)\((.*?)(?: = (-?\d+|\?).*| <unfinished \.\.\.>)$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>(.*) = (-?\d+|\?)")


def calls(trace):
    """The system calls of a trace: thread, name, arguments and result. A call that another thread's call splits into
    two lines is joined."""
    waiting = {}
    for line in trace.read_text().splitlines():
        if again := RESUMED.match(line):
            yield again[1], again[2], waiting.pop((again[1], again[2]), "") + again[3], again[4]
        elif found := STARTED.match(line):
            if found[4] is None:
                waiting[found[1], found[2]] = found[3]
            else:
                yield found[1], found[2], found[3], found[4]


@pytest.fixture
def folder(tmp_path):
    """Sources, and files of the same user beside them that no client names."""
    films = tmp_path / "films"
    films.mkdir()
    for name in ("subtitled.mkv", "h264-aac.mp4", "h264-aac.ts"):
        shutil.copy(clip(name), films)
    (films / "subtitled.en.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nhello\n")
    for number in range(3):
        shutil.copy(clip("h264-aac.ts"), films / f"part{number}.ts")
    (films / "list.m3u8").write_text(
        "#EXTM3U\n#EXT-X-TARGETDURATION:30\n" + "".join(f"#EXTINF:24,\npart{number}.ts\n" for number in range(2)) + "#EXT-X-ENDLIST\n")
    shutil.copy(clip("h264-aac.ts"), tmp_path / "outside.ts")
    (films / "escaping.m3u8").write_text(
        "#EXTM3U\n#EXT-X-TARGETDURATION:30\n#EXTINF:24,\n../outside.ts\n#EXTINF:24,\nhttp://192.0.2.1/film.ts\n#EXT-X-ENDLIST\n")
    (films / "other.en.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nsecret\n")
    (films / "concat.mkv").write_text("ffconcat version 1.0\nfile part2.ts\n")
    return films


def use(engine, source):
    """Fetches all segments of a source, plays it, makes a still, reads all cues, and asks for frames."""
    with engine.session(source) as session:
        for url in session.master().everything():
            digest(url)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        still = stills_pb2.StillSource(session_id=session.id)
        engine.stub.Snapshot(stills_pb2.SnapshotRequest(of=still, time_us=3_000_000), timeout=PATIENCE)
        for track in engine.state(session.id).subtitle_tracks:
            list(engine.stub.GetCues(subtitles_pb2.GetCuesRequest(session_id=session.id, track=track.id), timeout=PATIENCE))
        frames_ticket(engine, session.id, frames_pb2.FRAME_PACE_REALTIME)


def test_only_named_files_are_read_and_nobody_is_contacted(start_engine, tmp_path, folder):
    trace = tmp_path / "trace"
    # -D: the engine keeps its process id; -y: descriptors are shown with their paths.
    engine = start_engine(through=("strace", "-D", "-f", "-qq", "-y", "-s", "300", "-e", "signal=none", "-e", f"trace={CALLS}", "-o", trace))
    named = ["subtitled.mkv", "h264-aac.mp4", "h264-aac.ts", "list.m3u8"]
    for name in named:
        use(engine, folder / name)
        engine.probe(folder / name)
    for name in ("escaping.m3u8", "concat.mkv"):
        with pytest.raises(grpc.RpcError):
            engine.load(folder / name)
    engine.end()

    traced = list(calls(trace))
    # Threads of the engine carry names, those of the cooperative pool do not (docs/concurrency.md, rule 1).
    names = {thread: text.split('"')[1] for thread, name, text, _ in traced if name == "prctl" and text.startswith("PR_SET_NAME")}
    touching = {(name, names.get(thread)) for thread, name, text, _ in traced if name != "execve" and f"{folder}/" in text}
    assert {name for name, _ in touching} >= {"openat", "newfstatat", "pread64"}, touching
    assert all(thread for _, thread in touching), touching
    made = [call[1:] for call in traced]
    opened = {match[1] for name, text, result in made if name.startswith("open") and result != "-1"
              and (match := re.search(r'"((?:[^"\\]|\\.)*)"', text))}
    own = {path for path in opened if path.startswith(str(tmp_path))}
    allowed = {str(folder / name) for name in (*named, "escaping.m3u8", "concat.mkv", "part0.ts", "part1.ts")} | {str(folder)}
    # Names of subtitle files are opened below their folder, whose path is not in the call.
    below = {path for path in opened if not path.startswith("/") and path.endswith((".srt", ".ts", ".mkv", ".m3u8"))}
    assert {str(folder / name) for name in named} <= own and own <= allowed, own - allowed
    assert below <= {"subtitled.en.srt", "part0.ts", "part1.ts", *named}, below

    programs = [text for name, text, result in made if name.startswith("execve") and result == "0"]
    assert [pathlib.Path(re.match(r'(?:\w+, )?"([^"]*)"', text)[1]) for text in programs] == [ENGINED]
    addresses = [(name, text) for name, text, _ in made if "sa_family=" in text]
    contacted = [text for name, text in addresses if name in ("connect", "sendto", "sendmsg", "sendmmsg") and "AF_UNIX" not in text
                 and "AF_NETLINK" not in text]
    assert contacted == []
    bound = [text for name, text in addresses if name == "bind" and "AF_NETLINK" not in text]
    assert any("AF_UNIX" in text for text in bound) and any("AF_INET" in text for text in bound)
    for text in bound:
        assert "AF_UNIX" in text and str(engine.directory) in text or 'inet_addr("127.0.0.1")' in text, text
