# SPDX-License-Identifier: Apache-2.0
"""A flash and its beep coincide in a front-end that shows frames and plays audio."""

import contextlib
import random
import statistics

import pytest
from harness.contract import engine_pb2, frames_pb2
from harness.engine import PATIENCE, eventually
from harness.frames import attached_frames, attached_sound
from harness.places import clip
from harness.sync import Witness, histogram

LIMIT_MS = 10


@contextlib.contextmanager
def playing_session(engine, rate):
    with engine.session(clip(f"software/sync-{rate}.mkv")) as session, \
            attached_frames(engine, session.id, pace=frames_pb2.FRAME_PACE_REALTIME, slots=32) as frames, \
            attached_sound(engine, session.id, format=frames_pb2.PCM_FORMAT_F32, layout="stereo",
                           buffer_us=300_000) as sound:
        witness = Witness(frames, sound)
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=session.id, looping=True), timeout=PATIENCE)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        try:
            yield session, witness
        finally:
            witness.close()


def assert_in_sync(witness, count, what):
    """Waits until there are `count` pairs and their median distance is within the limit: on a busy machine, single
    pairs may be off."""
    def is_in_sync():
        witness.look(0.5)
        offsets = witness.offsets()
        return len(offsets) >= count and statistics.median(map(abs, offsets)) <= LIMIT_MS

    try:
        eventually(is_in_sync, what)
    finally:
        print(f"{what}: {histogram(witness.offsets())}")


@pytest.mark.parametrize("rate", [25, *(pytest.param(each, marks=pytest.mark.long) for each in (24, 30, 60))])
def test_audio_and_video_are_in_sync_at_every_frame_rate(engine, rate):
    with playing_session(engine, rate) as (_, witness):
        assert_in_sync(witness, 3, f"{rate} pictures a second")


@pytest.mark.long
def test_audio_and_video_are_in_sync_after_fifty_seeks(engine):
    draw = random.Random(6)
    with playing_session(engine, 25) as (session, witness):
        for _ in range(50):
            engine.stub.Seek(engine_pb2.SeekRequest(
                session_id=session.id, position_us=int(draw.uniform(0, 20) * 1e6)), timeout=PATIENCE)
            witness.look(0.05)
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=5_500_000), timeout=PATIENCE)
        witness.look(0.5)
        witness.reset()
        assert_in_sync(witness, 3, "after 50 seeks")


@pytest.mark.long
def test_audio_and_video_are_in_sync_after_a_pause_and_a_rate_change(engine):
    with playing_session(engine, 30) as (session, witness):
        request = engine_pb2.SessionRequest(session_id=session.id)
        witness.look(0.5)
        engine.stub.Pause(request, timeout=PATIENCE)
        witness.look(0.5)
        engine.stub.Play(request, timeout=PATIENCE)
        engine.stub.SetRate(engine_pb2.SetRateRequest(session_id=session.id, rate=1.5), timeout=PATIENCE)
        witness.look(1)
        engine.stub.SetRate(engine_pb2.SetRateRequest(session_id=session.id, rate=1), timeout=PATIENCE)
        witness.look(1)
        witness.reset()
        assert_in_sync(witness, 3, "after a pause and another rate")
