# SPDX-License-Identifier: Apache-2.0
"""Live HLS sources that list parts of segments: the parts are fetched while they are recorded, make the same segments, and bring
playback closer to the live edge."""

import re
import subprocess
import time

import pytest
from harness import hls
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.live import live, package_channel, package_languages
from harness.places import ENGINECTL
from harness.tiers import tiered
from harness.watching import Notices
from test_low_latency import fetch, parts, playlist


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """Ten segments of two seconds, each of which has four parts."""
    return package_channel(tmp_path_factory.mktemp("parts") / "channel", "-hls_time", "2")


def names(source):
    return [name for _, name in list(source.requests)]


def is_whole(source, name, number):
    """Whether an entry was requested as a whole, by the name of a request."""
    return name.startswith(f"{number}-") and name.partition("-")[2] == source.entry(number).uri


@pytest.mark.long
def test_a_playlist_with_parts_is_played_closer_to_its_edge(engine, bundle):
    with live(bundle) as source:
        source.blocks, source.part, source.hints = True, 0.5, "next"
        with source.running():
            # Half of the next segment has been recorded.
            eventually(lambda: source.playlist("live.m3u8").rsplit(b"#EXTINF", 1)[-1].count(b"#EXT-X-PART:") == 2, "two parts")
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
                    lambda: (found := engine.state(session.id)).production.planned_segments == planned + 4 and found, "four segments")
                # Playback has not waited for them.
                assert later.phase == state_pb2.PHASE_PLAYING and abs(later.live.latency_us - state.live.latency_us) < 500_000
                number, requests = source.count - 2, names(source)
                assert [name for name in requests if name.startswith(f"{number}.")] == \
                    [source.part_uri(number, part) for part in range(4)], "each part is fetched once"
                assert not any(is_whole(source, name, number) for name in requests), "its segment is made of them"


FAULTS = {
    "hints": {"hints": "next"},
    "no hints": {},
    "false hints": {"hints": "false"},
    "ranges": {"has_ranges": True},
    "missing parts": {"hints": "next", "lost_parts": {7}},
    "other bytes": {"other_parts": True},
}


@pytest.mark.parametrize("kind", tiered(FAULTS, {"hints"}))
def test_segments_are_the_same_however_they_were_fetched(engine, bundle, kind):
    with engine.session(bundle) as whole:
        expected = {rendition: [hls.digest(segment.url) for segment in hls.Media(rendition_url(whole, rendition)).segments]
                    for rendition in ("video", "audio-1")}
    watch = Notices(engine)
    with live(bundle, count=4) as source:
        source.kind, source.blocks, source.part = "EVENT", True, 0.5
        for name, value in FAULTS[kind].items():
            setattr(source, name, value)
        found = {rendition: {} for rendition in expected}
        with source.running(until=10), engine.session(source.url) as session:
            while len(found["video"]) < 10:
                # As a player does that follows the live edge.
                for rendition, segments in found.items():
                    listed = hls.Media(rendition_url(session, rendition)).segments
                    for number, segment in enumerate(listed):
                        segments.setdefault(number, hls.digest(segment.url))
                time.sleep(0.1)
        requests = names(source)
        # The last segment may be fetched as a whole, because the playlist has ended. Parts that are ranges of their
        # segment's file are requested by the name of that file.
        by_parts = [number for number in range(6, 9) if not any(is_whole(source, name, number)
                                                                and not (source.has_ranges and status == 206)
                                                                for status, name in list(source.requests))]
    watch.end()
    for rendition, segments in found.items():
        assert [segments[number] for number in range(10)] == expected[rendition], rendition
    match kind:
        case "other bytes":
            assert by_parts == [] and watch.codes.count("live.parts_unused") == 1
            assert len({name.partition(".")[0] for name in requests if source.part_of(name)}) == 1, "the first segment with parts"
        case "missing parts":
            assert by_parts == [6, 8]
        case _:
            assert by_parts == [6, 7, 8] and "live.parts_unused" not in watch.codes


def rendition_url(session, rendition):
    return session.url.replace("master.m3u8", f"{rendition}.m3u8")


@pytest.mark.long
@pytest.mark.parametrize("has_own_audio", [False, True])
def test_parts_are_passed_on_before_their_segment_is_complete(engine, tmp_path, bundle, has_own_audio):
    channel = package_languages(tmp_path / "channel", "-hls_time", "2") if has_own_audio else bundle
    seen = {"video": {}, "audio-1": {}}
    with live(channel) as source:
        source.blocks, source.part, source.hints = True, 0.5, "next"
        with source.running(), engine.session(source.url, low_latency=True) as session:
            text = playlist(session)
            assert re.search(r"^#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,.*PART-HOLD-BACK=1\.5", text, re.MULTILINE)
            # By rendition, because the parts of one may be announced before those of the other.
            announced = {name: set() for name in seen}
            while len(early := set.intersection(*announced.values())) < 4:
                for name, found in seen.items():
                    text = playlist(session, name)
                    numbers = [int(number) for number in re.findall(r"(\d+)\.m4s$", text, re.MULTILINE) if f"{number}.m4s" in text]
                    last = max(int(uri.split("/")[-1].split(".")[0]) for uri in re.findall(rf"^{name}/.*m4s$", text, re.MULTILINE))
                    # A segment is read when it is listed, as players do that do not know parts.
                    fetch(session, f"{name}/{last}.m4s")
                    for number, paths in parts(text).items():
                        if number > last:
                            announced[name].add(number)
                        for path in paths:
                            found.setdefault(number, {}).setdefault(path, fetch(session, path))
                    assert numbers
                time.sleep(0.1)
            eventually(lambda: f"video/{max(early)}.m4s" in playlist(session), "the last of these segments")
            texts = {name: playlist(session, name) for name in seen}
            state = engine.state(session.id)
            assert 1_500_000 <= state.live.target_latency_us < 2_000_000
            for name, found in seen.items():
                for number in early:
                    whole = fetch(session, f"{name}/{number}.m4s")
                    listed = parts(texts[name]).get(number)
                    for path, body in found[number].items():
                        assert fetch(session, path) == body, f"{path} has changed"
                    # The parts of older segments are no longer listed.
                    if listed:
                        assert list(found[number]) == listed[:len(found[number])]
                        assert b"".join(fetch(session, path) for path in listed) == whole
                assert any(parts(texts[name]).get(number) for number in early), "those of the last ones are"
            done = subprocess.run([ENGINECTL, "validate", "--rounded", session.url], capture_output=True, text=True, timeout=PATIENCE)
            assert done.returncode == 0, done.stdout


@pytest.mark.long
def test_a_segment_that_was_announced_in_parts_keeps_them_when_the_source_begins_again(engine, bundle):
    with live(bundle) as source:
        source.blocks, source.part, source.hints = True, 0.5, "next"
        watch = Notices(engine)
        with source.running(), engine.session(source.url, low_latency=True) as session:
            def announced():
                text = playlist(session)
                last = max(int(number) for number in re.findall(r"^video/(\d+)\.m4s$", text, re.MULTILINE))
                fetch(session, f"video/{last}.m4s")
                return parts(text).get(last + 1)

            paths = eventually(announced, "parts of the next segment")
            bodies = {path: fetch(session, path) for path in paths}
            number = int(paths[0].split("/")[-1].split(".")[0])
            source.epoch = source.count
            eventually(lambda: "live.sequence_reset" in watch.codes, "the reset")
            text = eventually(lambda: (text := playlist(session)) and f"video/{number + 1}.m4s" in text and text, "what follows")
            body = fetch(session, f"video/{number}.m4s")
            assert body.startswith(b"".join(bodies.values()))
            lines = text.splitlines()
            following = lines[lines.index(f"video/{number}.m4s"):lines.index(f"video/{number + 1}.m4s")]
            assert "#EXT-X-DISCONTINUITY" in following
        watch.end()
