# SPDX-License-Identifier: Apache-2.0
"""examples/sdl-player as a user sees it: what its window shows, what its keys do, and how it ends."""

import os
import pathlib
import re
import signal
import subprocess

import pytest
from harness.contract import engine_pb2, state_pb2
from harness.display import display
from harness.engine import PATIENCE, eventually
from harness.frames import attached_frames
from harness.places import ROOT, SAMPLES, clip
from harness.tiers import tiered

SANITIZED = "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
# The mean colour difference allowed: SDL does not interpolate chroma, ffmpeg does.
LIKE = 8
CUES = """1
00:00:00,100 --> 00:00:05,900
HELLO <i>WORLD</i>
"""


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    """The player, compiled so that leaks and invalid memory accesses end it with a distinct status."""
    build = tmp_path_factory.mktemp("sdl")
    done = subprocess.run(["make", "-C", ROOT / "examples/sdl-player", f"BUILD={build}", f"CFLAGS={SANITIZED}"],
                          capture_output=True, text=True, timeout=PATIENCE * 20)
    assert done.returncode == 0, done.stdout + done.stderr
    return build / "sdl-player"


@pytest.fixture(scope="module")
def screen():
    with display() as found:
        yield found


@pytest.fixture
def cues(tmp_path):
    path = tmp_path / "cues.srt"
    path.write_text(CUES)
    return path


class Window:
    """The running player, on a screen or without one. Without one, leaks count too, because X's own leaky libraries are not
    loaded."""

    def __init__(self, program, engine, *words, screen=None):
        environment = dict(os.environ, ENGINED_SOCKET=str(engine.socket), SDL_AUDIODRIVER="dummy", SDL_RENDER_DRIVER="software",
                           DBUS_SESSION_BUS_ADDRESS="disabled:")
        if screen:
            environment.update(DISPLAY=screen.name, SDL_VIDEODRIVER="x11", ASAN_OPTIONS="detect_leaks=0")
        else:
            environment.update(SDL_VIDEODRIVER="dummy", ASAN_OPTIONS="detect_leaks=1")
        self.process = subprocess.Popen([program, *map(str, words)], env=environment, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def end(self):
        """Its exit code and its output, once it has exited by itself."""
        try:
            output = self.process.communicate(timeout=PATIENCE * 2)[0]
        finally:
            self.process.kill()
        return self.process.returncode, output


@pytest.fixture
def start(player, engine):
    windows = []

    def started(*words, **keywords):
        windows.append(Window(player, engine, *words, **keywords))
        return windows[-1]

    yield started
    for window in windows:
        window.process.kill()
        window.process.communicate()


def raw(*words):
    return subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *map(str, words), "-pix_fmt", "rgb24", "-f", "rawvideo", "-"],
                          check=True, capture_output=True, timeout=PATIENCE).stdout


def size(path):
    """Width and height of a PNG."""
    data = path.read_bytes()
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def decoded(path, seconds, filters="null"):
    """The frame (at 25 per second) that is shown at that time, as ffmpeg decodes it. Audio may begin a fraction of a
    frame earlier."""
    return raw("-noautorotate", "-i", path, "-vf", f"select=eq(n\\,{int(seconds * 25 + 1e-6)}),{filters}", "-frames:v", "1")


def part(picture, width, left, top, right, bottom):
    return b"".join(picture[(row * width + left) * 3:(row * width + right) * 3] for row in range(top, bottom))


def difference(ours, theirs):
    """The mean difference of the samples."""
    assert len(ours) == len(theirs) > 0
    return sum(abs(a - b) for a, b in zip(ours, theirs)) / len(ours)


def screenshot(start, path, tmp_path, *words, **keywords):
    """The size and the bytes of a screenshot, the time of the frame in it, and the number of cues."""
    file = tmp_path / f"shot-{len(list(tmp_path.iterdir()))}.png"
    code, output = start("--screenshot", file, *words, path, **keywords).end()
    assert code == 0, output
    found = re.fullmatch(r"screenshot of ([0-9.]+) s, (\d+) cues\n", output)
    assert found, output
    return size(file), raw("-i", file), float(found[1]), int(found[2])


@pytest.mark.parametrize("name", tiered(["mpeg4.mkv", "mpeg2.ts", "mjpeg.avi"], {"mpeg4.mkv"}))
def test_the_displayed_frame_matches_ffmpeg(start, screen, tmp_path, name):
    path = clip(f"software/{name}")
    extent, ours, seconds, count = screenshot(start, path, tmp_path, "--at", 2, screen=screen)
    assert extent == (320, 180) and count == 0 and seconds > 1.9
    assert difference(ours, decoded(path, seconds)) < LIKE


@pytest.mark.long
def test_text_cues_are_drawn_at_their_position(start, tmp_path, cues):
    path = clip("software/mpeg4.mkv")
    extent, ours, seconds, count = screenshot(start, path, tmp_path, "--at", 3, "--subtitles", cues)
    assert extent == (320, 180) and count == 1
    theirs = decoded(path, seconds)
    # One line: in the middle, just above the bottom margin. Nothing else changes.
    line = (100, 155, 220, 173)
    assert difference(part(ours, 320, *line), part(theirs, 320, *line)) > 20
    for around in ((0, 0, 320, 150), (0, 150, 90, 180), (230, 150, 320, 180), (90, 175, 230, 180)):
        assert difference(part(ours, 320, *around), part(theirs, 320, *around)) < LIKE
    text = part(ours, 320, *line)
    pixels = [text[at:at + 3] for at in range(0, len(text), 3)]
    assert pixels.count(b"\xff\xff\xff") > 15 and pixels.count(b"\0\0\0") > 15


@pytest.mark.long
def test_bitmap_cues_are_drawn_where_ffmpeg_draws_them(start, tmp_path):
    path = SAMPLES / "androidx+media/mkv/sample_with_pgs_subtitles.mkv"
    if not path.exists():
        pytest.skip("the sample is not there")
    (width, height), ours, _, count = screenshot(start, path, tmp_path, "--at", 0.5)
    assert count == 1
    bare, laid = (raw("-i", path, "-filter_complex", f"{graph},scale={width}:{height}", "-frames:v", "1")
                  for graph in ("[0:v]null", "[0:s]scale=1080:720[s];[0:v][s]overlay"))
    assert len(ours) == len(bare)
    line = (width * 20 // 100, height * 88 // 100, width * 80 // 100, height * 97 // 100)
    text = part(ours, width, *line)
    # The two scalers differ along the edges of letters.
    assert difference(text, part(laid, width, *line)) < difference(text, part(bare, width, *line)) / 2


SCRIPT = """[Script Info]
ScriptType: v4.00+
PlayResX: 320
PlayResY: 180
[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, BorderStyle, Outline, Shadow, Alignment
Style: Default,DejaVu Sans,20,&H0000FFFF,&H00000000,&H00000000,1,2,0,2
[Events]
Format: Layer, Start, End, Style, Text
Dialogue: 0,0:00:00.00,0:01:00.00,Default,{\\pos(160,100)\\frz30\\blur2}TURNED
Dialogue: 1,0:00:00.00,0:01:00.00,Default,{\\an7\\pos(20,20)\\c&H0000FF&\\p1}m 0 0 l 60 0 60 40 0 40
"""


@pytest.mark.long
def test_the_engine_draws_scripts_for_the_player(start, tmp_path):
    """With `--drawn`, the window shows what ffmpeg draws, and no cue of the player's own."""
    path, script = clip("software/mpeg4.mkv"), tmp_path / "typeset.ass"
    script.write_text(SCRIPT)
    extent, ours, seconds, count = screenshot(start, path, tmp_path, "--at", 3, "--subtitles", script, "--drawn")
    assert extent == (320, 180) and count == 0
    drawn, bare = (decoded(path, seconds, filters) for filters in (f"ass={script}", "null"))
    assert difference(ours, drawn) < LIKE
    for place in ((20, 20, 80, 60), (120, 70, 200, 130)):
        box, same, other = (part(each, 320, *place) for each in (ours, drawn, bare))
        assert difference(box, same) < 2 * LIKE < difference(box, other), place


@pytest.mark.long
def test_aspect_ratio_and_rotation_follow_the_ring(engine, start, tmp_path):
    path = clip("software/turned.mov")
    with engine.session(path) as session, attached_frames(engine, session.id) as frames:
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        turn = next(iter(frames)).rotation
    turning = {0: "null", 90: "transpose=clock", 180: "hflip,vflip", 270: "transpose=cclock"}[turn]
    wide = (180, 427) if turn % 180 else (427, 180)
    extent, ours, seconds, _ = screenshot(start, path, tmp_path, "--at", 1)
    assert extent == wide
    assert difference(ours, decoded(path, seconds, f"{turning},scale={wide[0]}:{wide[1]}")) < LIKE * 2


def wait_for_phase(engine, wanted):
    """The state, once a session is in that phase."""
    def sessions():
        return engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
    return eventually(lambda: next((each for each in sessions() if each.phase == wanted), None), state_pb2.Phase.Name(wanted))


def wait_for_title(screen, window, word):
    """Waits until the player itself shows the state: the effect of a key depends on what it knows."""
    eventually(lambda: f" - {word} " in screen.tool("getwindowname", window), f"{word} in the title")


def repeated(name, folder):
    """A clip twenty times in a row, so that it does not end while a window opens."""
    path = folder / pathlib.Path(name).name
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "19", "-i", clip(name), "-map", "0", "-c", "copy", path],
                   check=True)
    return path


def test_keys_control_playback(engine, start, screen, cues, tmp_path):
    path = repeated("software/mpeg4.mkv", tmp_path)
    running = start("--keep-open", "--subtitles", cues, path, screen=screen)
    window = screen.window(running.process.pid)
    wait_for_title(screen, window, "playing")
    screen.press("space")
    state = wait_for_phase(engine, state_pb2.PHASE_PAUSED)
    eventually(lambda: re.match(r"mpeg4.mkv - paused \d+ / 12\d s - audio 1/1, subtitles 1/1 - volume 100%$",
                                screen.tool("getwindowname", window)), "the title")
    screen.press("Left")
    eventually(lambda: engine.state().position.position_us == max(0, state.position.position_us - 5_000_000), "5 s less")
    screen.press("Right")
    eventually(lambda: engine.state().position.position_us >= 5_000_000, "5 s more")
    screen.press("s")
    eventually(lambda: not engine.state().selected_subtitles, "no subtitles")
    # The screen shows that frame without a cue.
    place = screen.place(window)
    assert place[2:] == (320, 180)
    wanted = decoded(path, engine.state().position.position_us / 1e6 - 0.023)
    eventually(lambda: difference(screen.grab(place), wanted) < LIKE, "the picture on the screen")
    screen.press("s")
    eventually(lambda: engine.state().selected_subtitles, "subtitles")
    for key, done in (("9", lambda state: abs(state.volume - 0.9) < 0.01), ("0", lambda state: state.volume == 1),
                      ("m", lambda state: state.muted)):
        screen.press(key)
        eventually(lambda: done(engine.state()), key)
    wait_for_title(screen, window, "paused")
    screen.press("space")
    wait_for_phase(engine, state_pb2.PHASE_PLAYING)
    screen.press("q")
    assert running.end() == (0, "")
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions


@pytest.mark.long
def test_a_key_selects_the_next_audio_track(engine, start, screen, tmp_path):
    running = start(repeated("languages.mkv", tmp_path), screen=screen)
    window = screen.window(running.process.pid)
    before = wait_for_phase(engine, state_pb2.PHASE_PLAYING).selected_audio.stream_index
    wait_for_title(screen, window, "playing")
    screen.press("space")
    wait_for_phase(engine, state_pb2.PHASE_PAUSED)
    wait_for_title(screen, window, "paused")
    screen.press("a")
    eventually(lambda: engine.state().selected_audio.stream_index == before + 1, "the other track")
    screen.press("Escape")
    assert running.end() == (0, "")


@pytest.mark.long
def test_the_player_and_its_session_end_with_the_film(engine, start, cues):
    path = clip("software/mpeg2.ts")
    assert start("--subtitles", cues, path).end() == (0, "")
    sessions = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
    assert not any(session.source == str(path) for session in sessions)


def test_the_session_continues_when_the_player_is_killed(engine, start):
    running = start(clip("software/mpeg4.mkv"))
    before = wait_for_phase(engine, state_pb2.PHASE_PLAYING).position.position_us
    running.process.send_signal(signal.SIGKILL)
    assert running.process.wait(PATIENCE) == -signal.SIGKILL
    engine.stub.Seek(engine_pb2.SeekRequest(position_us=5_000_000), timeout=PATIENCE)
    state = wait_for_phase(engine, state_pb2.PHASE_ENDED)
    assert state.position.position_us > before and not state.HasField("error")
    engine.stub.Stop(engine_pb2.SessionRequest(session_id=state.session_id), timeout=PATIENCE)


@pytest.mark.long
def test_the_player_joins_and_leaves_a_session(engine, start, tmp_path):
    file = tmp_path / "shot.png"
    with engine.session(clip("software/mpeg4.mkv")) as session:
        running = start("--session", session.id, "--screenshot", file, "--at", 1)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        code, output = running.end()
        assert code == 0 and output.startswith("screenshot of "), output
        assert size(file) == (320, 180)
        assert engine.state(session.id).phase in (state_pb2.PHASE_PLAYING, state_pb2.PHASE_BUFFERING, state_pb2.PHASE_ENDED)


@pytest.mark.long
def test_the_player_reports_errors(start, tmp_path):
    code, output = start(tmp_path / "missing.mkv").end()
    assert code == 1 and output.startswith("Load failed: NOT_FOUND [source_not_found] "), output
    code, output = start("--screenshot", tmp_path / "shot.png", "--at", "60", clip("software/mpeg4.mkv")).end()
    assert code == 1 and output == "no screenshot: it ended before 60.000 s\n", output
    for words in ((), ("--at", "soon", "film"), ("--session", "", "film"), ("one", "two")):
        code, output = start(*words).end()
        assert code == 64 and output.splitlines()[-1].startswith("usage: sdl-player "), output


@pytest.mark.long
def test_the_player_ends_when_the_engine_is_killed(player, start_engine):
    engine = start_engine()
    running = Window(player, engine, clip("software/mpeg4.mkv"))
    wait_for_phase(engine, state_pb2.PHASE_PLAYING)
    engine.kill()
    code, output = running.end()
    assert code == 1 and "Watch failed: UNAVAILABLE" in output, output
