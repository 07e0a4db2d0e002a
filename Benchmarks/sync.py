# SPDX-License-Identifier: Apache-2.0
"""The time between a flash that a front-end sees and the beep that it hears. There is no peer: the figure is absolute."""

import statistics
import time

from harness.contract import engine_pb2, frames_pb2
from harness.engine import PATIENCE
from harness.frames import attached_frames, attached_sound
from harness.places import clip
from harness.sync import Witness, histogram

SECONDS = 12


def measure(table, engine):
    for rate in (24, 25, 30, 60):
        with engine.session(clip(f"software/sync-{rate}.mkv")) as session, \
                attached_frames(engine, session.id, pace=frames_pb2.FRAME_PACE_REALTIME) as frames, \
                attached_sound(engine, session.id, format=frames_pb2.PCM_FORMAT_F32, layout="stereo",
                               buffer_us=300_000) as sound:
            witness = Witness(frames, sound)
            engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and len(witness.offsets()) < SECONDS:
                witness.look(1)
            witness.close()
            offsets = witness.offsets()
        if not offsets:
            print(f"  {rate} frames a second: the machine had no time", flush=True)
            continue
        print(f"  {rate} frames a second, flash minus beep: {histogram(offsets)}", flush=True)
        table.add(f"flash to beep, {rate} frames a second, mean", statistics.mean(map(abs, offsets)), None, "ms", "≤ 10")
        table.add(f"flash to beep, {rate} frames a second, worst", max(map(abs, offsets)), None, "ms", "≤ 10")
