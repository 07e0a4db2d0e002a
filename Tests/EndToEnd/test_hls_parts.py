# SPDX-License-Identifier: Apache-2.0
"""Live HLS sources that list parts of segments: playback is closer to the live edge."""

import pytest
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.live import live, package_channel


@pytest.mark.long
def test_a_playlist_with_parts_is_played_closer_to_its_edge(engine, tmp_path):
    with live(package_channel(tmp_path / "channel", "-hls_time", "2")) as source:
        source.blocks, source.part = True, 0.5
        with source.running():
            # Half of the next segment has been recorded.
            eventually(lambda: source.playlist("live.m3u8").count(b"#EXT-X-PART:") == 2, "two parts")
            with engine.session(source.url) as session:
                engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
                state = eventually(
                    lambda: (found := engine.state(session.id)).phase == state_pb2.PHASE_PLAYING and found, "playback")
                # Three target durations without parts; with them, one segment, PART-HOLD-BACK, and the time of a fetch.
                assert 3_500_000 <= state.live.target_latency_us < 4_500_000
                state = eventually(
                    lambda: abs((found := engine.state(session.id)).live.latency_us - found.live.target_latency_us) < 500_000
                    and found, "playback at the target latency")
                planned = state.production.planned_segments
                later = eventually(
                    lambda: (found := engine.state(session.id)).production.planned_segments == planned + 3 and found, "three segments")
                # Playback has not waited for them.
                assert later.phase == state_pb2.PHASE_PLAYING and abs(later.live.latency_us - state.live.latency_us) < 500_000
                assert all(name[0] == "l" or name.partition("-")[0].isdigit() for _, name in source.requests), "parts are not fetched"
