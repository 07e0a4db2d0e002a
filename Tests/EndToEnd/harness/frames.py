# SPDX-License-Identifier: Apache-2.0
"""Attaches to frames and audio with the reader of examples/python/frames.py, and decodes the same file with ffmpeg."""

import contextlib
import subprocess
import sys

from .contract import engine_pb2, frames_pb2
from .engine import PATIENCE
from .places import ROOT

sys.path.insert(0, str(ROOT / "examples" / "python"))
from frames import Ended, Frames, Sound  # noqa: E402, F401


def play(engine, session):
    engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)


def frames_ticket(engine, session="", pace=frames_pb2.FRAME_PACE_EVERY_FRAME, **wishes):
    request = frames_pb2.AttachFramesRequest(session_id=session, pace=pace, **wishes)
    return engine.stub.AttachFrames(request, timeout=PATIENCE)


@contextlib.contextmanager
def attached_frames(engine, session="", **wishes):
    answer = frames_ticket(engine, session, **wishes)
    frames = Frames(answer.ticket, answer.socket_path, PATIENCE)
    try:
        yield frames
    finally:
        frames.close()


@contextlib.contextmanager
def attached_sound(engine, session="", **wishes):
    answer = engine.stub.AttachAudio(frames_pb2.AttachAudioRequest(session_id=session, **wishes), timeout=PATIENCE)
    sound = Sound(answer.ticket, answer.socket_path, PATIENCE)
    try:
        yield sound
    finally:
        sound.close()


def framemd5(path, *options):
    """The MD5 of each frame as ffmpeg decodes it. Frame threads are off: they race in libavcodec's VP3 family, which
    then decodes a wrong frame in about one of a hundred runs on a busy machine."""
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-thread_type", "slice", "-i", path, "-map", "0:v:0", *options, "-fps_mode", "passthrough",
         "-f", "framemd5", "-"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE * 2)
    return [line.split(",")[-1].strip() for line in done.stdout.splitlines() if line and line[0] != "#"]


def samples(path, codec, *options):
    """The samples of the first audio track as ffmpeg decodes it."""
    return subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:a:0", *options, "-c:a", codec, "-f",
         codec.removeprefix("pcm_"), "-"], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE * 2).stdout
