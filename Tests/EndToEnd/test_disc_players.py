# SPDX-License-Identifier: Apache-2.0
"""mpv, Chromium and the SDL player play the main title of a disc to its end, after seeks over each of its joints."""

import json
import socket
import subprocess

import pytest
from harness import bluray, browser, dvd, udf
from harness.contract import engine_pb2, state_pb2
from harness.display import display
from harness.engine import PATIENCE, eventually
from test_sdl_player import player, start, wait_for_phase  # noqa: F401

LENGTH = 6
JOINTS = [LENGTH, 2 * LENGTH]
END = 3 * LENGTH
# How far before and beyond a joint playback is observed.
MARGIN = 0.4

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """A Blu-ray disc whose title has three clips, seamlessly connected and not, and a DVD whose title has three cells, all with
    clocks of their own."""
    folder = tmp_path_factory.mktemp("images")
    disc = bluray.Disc(folder / "bluray")
    pictures = ("testsrc2", "testsrc", "smptebars")
    clips = [disc.add_clip(bluray.encode(
        folder / f"{name}.m2ts", ["-f", "lavfi", "-i", f"{name}=size=320x240:rate=25", "-f", "lavfi", "-i", "sine=440:sample_rate=48000"],
        "-t", str(LENGTH), "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "ac3",
        "-b:a", "192k", "-ac", "2", offset=100 - 30 * number)) for number, name in enumerate(pictures)]
    disc.add_title(clips[0], bluray.Item([clips[1]], connection=5), bluray.Item([clips[2]], connection=1))
    disc.write()
    films = [dvd.film(folder / f"{name}.mpg", name, (440,), seconds=LENGTH) for name in pictures]
    root = dvd.author(folder / "dvd", [[[(film, "0") for film in films]]]).root
    subprocess.run(["genisoimage", "-quiet", "-dvd-video", "-udf", "-o", folder / "dvd.iso", root], check=True)
    return {"bluray": udf.image(folder / "bluray.iso", disc.root), "dvd": folder / "dvd.iso"}


class Mpv:
    """mpv, controlled through its socket."""

    def __init__(self, url, folder):
        self.process = subprocess.Popen(
            ["mpv", "--no-config", "--vo=null", "--ao=null", "--input-terminal=no", "--msg-level=all=warn",
             f"--input-ipc-server={folder / 'mpv'}", url],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.socket = socket.socket(socket.AF_UNIX)
        # The file is there before mpv listens.
        eventually(lambda: self.socket.connect_ex(str(folder / "mpv")) == 0, "mpv")
        self.lines = self.socket.makefile("rw", encoding="utf-8")

    def command(self, *words):
        self.lines.write(json.dumps({"command": words, "request_id": 1}) + "\n")
        self.lines.flush()
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("request_id") == 1:
                return answer
        raise AssertionError("mpv ended")

    def await_event(self, name):
        for line in self.lines:
            if json.loads(line).get("event") == name:
                return
        raise AssertionError(f"mpv ended without {name}")

    def value(self, name):
        return self.command("get_property", name).get("data")

    def time(self):
        return self.value("time-pos") or 0


def test_mpv_plays_over_each_joint(engine, images, tmp_path):
    with engine.session(images["bluray"]) as session:
        mpv = Mpv(session.url, tmp_path)
        try:
            mpv.await_event("playback-restart")
            # In any playlist with MP4 segments, also one that ffmpeg has made, mpv 0.35 ends on a seek while it is reading one.
            eventually(lambda: mpv.value("demuxer-cache-idle"), "mpv to have read ahead")
            # From beyond the last joint back over all of them. mpv may reach the end before this process looks again.
            mpv.command("seek", JOINTS[-1] + MARGIN, "absolute+exact")
            for joint in JOINTS:
                mpv.command("seek", joint - MARGIN, "absolute+exact")
                if joint != JOINTS[-1]:
                    eventually(lambda: joint + MARGIN < mpv.time() < joint + LENGTH, "playback beyond the joint")
            output = mpv.process.communicate(timeout=PATIENCE)[0]
        finally:
            mpv.process.kill()
        assert mpv.process.returncode == 0 and "error" not in output.lower(), output
        state = engine.state(session.id)
        assert not state.HasField("error")


def test_chromium_plays_over_each_joint(engine, images):
    with browser.chromium() as chromium, engine.session(images["bluray"], profile="chromium") as session:
        assert chromium.open(session.url) == "ok"
        assert chromium.value("duration") == pytest.approx(END, abs=0.05)
        for joint in reversed(JOINTS):
            landed = chromium.seek(joint - MARGIN)
            assert landed["error"] is None and abs(landed["landed"] - (joint - MARGIN)) < 0.1, landed
            moved = chromium.advance(2 * MARGIN, start=joint - MARGIN)
            assert moved["error"] is None and not moved["late"], moved
        eventually(lambda: chromium.value("ended"), "the end")
        assert chromium.value("currentTime") == pytest.approx(END, abs=0.1)
        chromium.close()


@pytest.mark.parametrize("kind", ["bluray", "dvd"])
def test_sdl_player_plays_over_each_joint(engine, images, start, kind):  # noqa: F811
    running = start(images[kind])
    state = wait_for_phase(engine, state_pb2.PHASE_PLAYING)

    def seek(seconds):
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=state.session_id, position_us=round(seconds * 1e6)), timeout=PATIENCE)

    # From beyond the last joint back over all of them. The player may reach the end before this process looks again.
    seek(JOINTS[-1] + MARGIN)
    for joint in JOINTS:
        seek(joint - MARGIN)
        if joint != JOINTS[-1]:
            eventually(lambda: engine.state(state.session_id).position.position_us / 1e6 > joint, "playback beyond the joint")
    assert running.end() == (0, "")
