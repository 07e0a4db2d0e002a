# SPDX-License-Identifier: Apache-2.0
"""File names are bytes: names that are not UTF-8 are opened, written, reported and restored like any other."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.parse

import pytest
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import Master, fetch
from harness.places import ENGINECTL, ENGINED, clip
from harness.sidecars import FRENCH, expected, read, shown, srt
from harness.tiers import tiered

# Latin-1, a lone surrogate, and a name with every permitted byte.
NAMES = [b"Am\xe9lie.mkv", b"\xed\xa0\x80.mkv", b"".join(bytes([n]) for n in range(1, 256) if n != ord("/"))[:250] + b".mkv"]


def url(path):
    return "file://" + urllib.parse.quote_from_bytes(path)


@pytest.fixture
def folder(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9 & 100%")
    os.mkdir(path)
    return path


@pytest.fixture
def ctl(engine, folder):
    def run(*arguments, expect=0):
        done = subprocess.run([ENGINECTL, *arguments], env={**os.environ, "ENGINED_SOCKET": str(engine.socket)}, cwd=folder,
                              capture_output=True, timeout=PATIENCE)
        assert done.returncode == expect, done.stderr
        return done.stdout.decode()
    return run


def unquoted(text):
    """The bytes of a name that the engine reported."""
    return urllib.parse.unquote_to_bytes(text.removeprefix("file://")) if text.startswith("file://") else text.encode()


@pytest.mark.parametrize("name", tiered(NAMES, NAMES[2:]), ids=["latin-1", "surrogate", "every byte"])
def test_every_verb_accepts_any_file_name(engine, ctl, folder, name):
    path = os.path.join(folder, name)
    shutil.copy(clip("h264-aac.mkv"), path)
    for argument in (b"./" + name, path, url(path).encode()):
        assert unquoted(json.loads(ctl("probe", "--json", b"--", argument))["source"]) == path
        ctl("load", b"--", argument)
        sessions = json.loads(ctl("list", "--json"))["sessions"]
        assert [unquoted(each["source"]) for each in sessions] == [path]
        # The name that the engine reports can be passed in turn.
        assert unquoted(json.loads(ctl("probe", "--json", sessions[0]["source"]))["source"]) == path
        assert ctl("status").isprintable() is False and "state     ready" in ctl("status")
        ctl("stop")
    before = set(os.listdir(folder))
    for verb, out in [("snapshot", name[:100] + b".png"), ("thumbnail", b"\xff.jpg"), ("contact-sheet", b"\xfe.jpg")]:
        when = [] if verb == "contact-sheet" else ["--at", "1"]
        reported = json.loads(ctl(verb, *when, "--json", "-o", b"./" + out, b"--", b"./" + name))
        assert unquoted(reported["file"]) == os.path.join(folder, out)
        assert os.path.getsize(os.path.join(folder, out)) == reported["byte_count"]
        before.add(out)
    assert set(os.listdir(folder)) == before
    with open(os.path.join(folder, name[:-4] + b".srt"), "wb") as file:
        file.write(srt(FRENCH).encode())
    assert FRENCH[1] in ctl("cues", b"./" + name[:-4] + b".srt")
    ctl("load", b"./" + name)
    # The subtitle file is found by its name,
    tracks = engine.state().subtitle_tracks
    assert [unquoted(track.path) for track in tracks] == [os.path.join(folder, name[:-4] + b".srt")]
    assert shown(read(engine, session_id=engine.state().session_id, track=tracks[0].id)[1]) == expected(FRENCH)
    # and it can be added by a request.
    ctl("subtitles", "add", b"./" + name[:-4] + b".srt")
    assert len(engine.state().subtitle_tracks) == 2
    ctl("stop")


def test_audio_is_written_to_any_file_name(engine, ctl, folder):
    shutil.copy(clip("h264-aac.mkv"), os.path.join(folder, b"\xe9.mkv"))
    ctl("play", "--realtime=false", "--sink", b"wav:./\xff.wav", b"./\xe9.mkv")
    assert os.path.getsize(os.path.join(folder, b"\xff.wav")) > 100_000


def test_drawings_channel_lists_and_playlists_may_have_any_name(engine, ctl, folder):
    with open(os.path.join(folder, b"\xff.srt"), "wb") as file:
        file.write(srt(FRENCH).encode())
    drawn = ctl("draw", b"./\xff.srt", "--size", "640x360", "-o", b"out/\xfe", "--json").splitlines()
    images = os.listdir(os.path.join(folder, b"out", b"\xfe"))
    assert len(images) == sum(len(json.loads(line)["images"]) for line in drawn) > 0
    assert sorted(os.listdir(folder)) == [b"out", b"\xff.srt"]
    with open(os.path.join(folder, b"list\xfe.m3u"), "wb") as file:
        file.write(b"#EXTM3U\n#EXTINF:-1,One\nfilm #1.ts\n")
    for argument in (b"list\xfe.m3u", url(os.path.join(folder, b"list\xfe.m3u")).encode()):
        [channel] = json.loads(ctl("channels", "--json", argument))["channels"]
        assert unquoted(channel["url"]) == os.path.join(folder, b"film #1.ts")


def test_a_presentation_in_a_folder_of_any_name_is_validated(engine, ctl, folder):
    with engine.session(clip("h264-aac.mkv")) as session:
        base = session.url.rpartition("/")[0]
        master = Master(session.url)
        for address in [session.url, *master.playlists(), *(url for _, url in master.keyframes), *master.everything()]:
            path = os.path.join(folder, os.fsencode(address.removeprefix(base + "/")))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(fetch(address))
        report = json.loads(ctl("validate", "--json", b"./master.m3u8"))
    assert report["valid"] and len(report["playlists"]) == len(master.playlists()) + len(master.keyframes)


def test_arguments_other_than_file_names_must_be_utf_8(ctl):
    for arguments in ([b"status", b"--session", b"\xff"], [b"load", b"--request-id", b"\xff", b"x"], [b"audio", b"\xff"],
                      [b"subtitles", b"\xff"], [b"load", b"--header", b"X: \xff", b"x"], [b"\xff"]):
        ctl(*arguments, expect=64)


@pytest.mark.parametrize("source", ["file:///%", "file:///%0", "file:///%+1", "file:///a%00b", "file://elsewhere/a", "file:a", "file:///" + "%41" * 32769])
def test_invalid_file_urls_are_refused(engine, source):
    import grpc
    with pytest.raises(grpc.RpcError) as failure:
        engine.load(source)
    assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_a_killed_engine_opens_the_same_file_again(start_engine, folder):
    path = os.path.join(folder, b"Am\xe9lie.mkv")
    shutil.copy(clip("h264-aac.mkv"), path)
    with open(os.path.join(folder, b"Am\xe9lie.fr.srt"), "wb") as file:
        file.write(srt(FRENCH).encode())
    engine = start_engine()
    session = engine.load(url(path))
    assert session.state.source == url(path)
    engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=2_000_000), timeout=PATIENCE)
    eventually(lambda: engine.has_journaled("Am%E9lie.fr.srt"), "the journal")
    engine.process.send_signal(signal.SIGKILL)
    engine.process.wait()
    engine = start_engine(directory=engine.directory)
    state = eventually(lambda: (state := engine.state(session.id)) and state.subtitle_tracks and state, "the session to be open again")
    assert state.source == url(path) and not state.error.code
    assert [unquoted(track.path) for track in state.subtitle_tracks] == [os.path.join(folder, b"Am\xe9lie.fr.srt")]
    assert Master(state.url).variants


def test_a_source_in_a_deep_folder_stays_open_after_the_command(engine, ctl, tmp_path):
    place = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(25):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
        shutil.copy(clip("h264-aac.mkv"), "film.mkv")
        with open("film.de.srt", "wb") as file:
            file.write(srt(FRENCH).encode())
        setting = {**os.environ, "ENGINED_SOCKET": str(engine.socket)}
        subprocess.run([ENGINECTL, "load", "film.mkv"], check=True, env=setting, capture_output=True)
    finally:
        os.chdir(place)
    state = engine.state()
    assert len(state.source) > 5000 and state.source.endswith("/film.mkv")
    assert [track.language for track in state.subtitle_tracks] == ["de"]
    assert "h264" in ctl("tracks")
    ctl("stop")


@pytest.mark.long
def test_sockets_and_settings_files_may_have_any_name():
    # Not pytest's own folder: the path of a socket may have at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="engine-") as home:
        folder = os.path.join(os.fsencode(home), b"caf\xe9")
        os.mkdir(folder)
        listed, named = os.path.join(folder, b"listed\xff.sock"), os.path.join(folder, b"named\xff.sock")
        settings = os.path.join(folder, b"\xfe.conf")
        with open(settings, "wb") as file:
            file.write(b"socket = " + listed + b"\njournal = off\nhistory = off\n")
        engines = [subprocess.Popen([ENGINED, "--config", settings], stderr=subprocess.DEVNULL),
                   subprocess.Popen([ENGINED, "--config", settings, "--socket", named], stderr=subprocess.DEVNULL)]
        try:
            for socket in (listed, named):
                def ctl(*arguments, **variables):
                    done = subprocess.run([ENGINECTL, *arguments], capture_output=True, timeout=PATIENCE, cwd=folder,
                                          env={**os.environb, **{os.fsencode(name): value for name, value in variables.items()}})
                    return done.returncode
                eventually(lambda: os.path.exists(socket), "the socket")
                eventually(lambda: ctl("--socket", socket, "list") == 0, "an answer")
                assert ctl("list", "--socket", os.path.basename(socket)) == 0
                assert ctl("list", ENGINED_SOCKET=socket) == 0
                assert ctl("list", "--socket", url(socket)) == 0
                assert ctl("list", "--socket", socket + b"\xff") == 69
            absent = subprocess.run([ENGINED, "--config", settings + b"\xff"], capture_output=True, timeout=PATIENCE)
            assert absent.returncode == 64 and url(settings + b"\xff").encode() in absent.stderr
        finally:
            for each in engines:
                each.terminate()
            assert [each.wait(PATIENCE) for each in engines] == [0, 0]
        assert sorted(os.listdir(folder)) == sorted([b"\xfe.conf", b"listed\xff.lock", b"named\xff.lock"])
