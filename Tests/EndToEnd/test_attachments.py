# SPDX-License-Identifier: Apache-2.0
"""The lifetime of a frame attachment: what it survives, and what ends it."""

import threading

import grpc
import pytest
from harness.contract import engine_pb2, frames_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.frames import Ended, attached_frames, framemd5, frames_ticket, play
from harness.places import clip

REALTIME = frames_pb2.FRAME_PACE_REALTIME


def test_an_attachment_ends_with_its_session(engine):
    session = engine.load(clip("software/mpeg2.ts"))
    with attached_frames(engine, session.id) as frames:
        session.stop()
        with pytest.raises(Ended) as end:
            while True:
                frames.ask()
                frames.receive()
        assert end.value.reason in (0, None)


def test_an_attachment_survives_a_load_into_its_session(engine):
    with engine.session(clip("software/mpeg2.ts")) as session:
        with attached_frames(engine, session.id) as frames:
            play(engine, session)
            assert next(iter(frames)).format == "yuv420p"
            path = clip("software/prores.mov")
            engine.stub.Load(
                engine_pb2.LoadRequest(source=str(path), session_id=session.id), timeout=PATIENCE)
            play(engine, session)
            seen = [picture for picture in frames if picture.format == "yuv422p10le"]
            assert len(seen) == 150


def test_larger_frames_arrive_in_a_new_ring(engine):
    path = clip("change-size.mkv")
    with engine.session(clip("software/prores.mov")) as session, attached_frames(engine, session.id) as frames:
        engine.stub.Load(engine_pb2.LoadRequest(source=str(path), session_id=session.id), timeout=PATIENCE)
        play(engine, session)
        seen = []
        rings = []
        for picture in frames:
            if picture.format == "yuv420p":
                seen.append(picture.md5())
            if frames.ring not in rings:
                rings.append(frames.ring)
    assert seen == framemd5(path, "-autoscale", "0")
    assert len(rings) == 2


@pytest.mark.long
def test_a_client_that_takes_no_frames_is_detached_and_does_not_block_others(engine):
    with engine.session(clip("software/mpeg2.ts")) as session, attached_frames(engine, session.id) as stuck:
        with attached_frames(engine, session.id, pace=REALTIME) as frames:
            play(engine, session)
            eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_ENDED, "the end")
            assert frames.published > 0
        with pytest.raises(Ended) as end:
            while True:
                stuck.receive()
        assert end.value.reason == 3


def test_attaching_is_refused_while_a_renderer_plays_hls(engine):
    """While a renderer plays the HLS, there is nothing to attach to."""
    with engine.session(clip("h264-aac.mp4")) as session:
        requests = iter([engine_pb2.RenderRequest(attach=engine_pb2.AttachRenderer(session_id=session.id, name="other"))])
        done = threading.Event()

        def ask():
            yield from requests
            done.wait(PATIENCE)

        render = engine.stub.Render(ask())
        next(render)
        with pytest.raises(grpc.RpcError) as refusal:
            frames_ticket(engine, session.id)
        assert refusal.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        done.set()
        render.cancel()
