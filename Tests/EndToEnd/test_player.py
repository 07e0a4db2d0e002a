# SPDX-License-Identifier: Apache-2.0
"""The player model over the socket: every command, every phase, and what is published about them."""

import json
import subprocess
import threading
import time

import grpc
import pytest
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import request
from harness.places import ENGINECTL, FIXTURES, clip
from harness.tiers import tiered
from test_control import Watcher
from test_crash import assert_journaled
from test_renderer import enginectl

Request = engine_pb2.SessionRequest
MOVING = (state_pb2.PHASE_PLAYING, state_pb2.PHASE_BUFFERING)


def seek(engine, **fields):
    return engine.stub.Seek(engine_pb2.SeekRequest(**fields), timeout=PATIENCE)


def test_seeks_land_and_publish_their_stages(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        end = seek(engine, place=engine_pb2.SEEK_PLACE_END)
        assert end.state.position.position_us == session.state.duration_us and not end.clamped
        assert seek(engine, place=engine_pb2.SEEK_PLACE_BEGIN).state.position.position_us == 0
        assert seek(engine, position_us=-5).clamped
        keyframe = seek(engine, position_us=9_700_000, mode=engine_pb2.SEEK_MODE_KEYFRAME)
        assert keyframe.state.position.position_us == 8_021_000 and not keyframe.clamped
        exact = seek(engine, position_us=9_700_000, mode=engine_pb2.SEEK_MODE_EXACT)
        assert exact.state.position.position_us == 9_700_000 and exact.seek_id > keyframe.seek_id > 0
        eventually(lambda: engine.state().phase != state_pb2.PHASE_SEEKING, "it landed")
        playing = seek(engine, position_us=3_000_000, after=engine_pb2.AFTER_SEEK_PLAY)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING, "it plays after the seek")
        seek(engine, position_us=4_000_000)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING, "as before")
        seek(engine, position_us=5_000_000, after=engine_pb2.AFTER_SEEK_PAUSE)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PAUSED, "it stands after the seek")

        def stages(number):
            return [event.seek.stage for event in watcher.events
                    if event.WhichOneof("event") == "seek" and event.seek.id == number]
        began_and_landed = [engine_pb2.SEEK_STAGE_BEGAN, engine_pb2.SEEK_STAGE_LANDED]
        eventually(lambda: stages(playing.seek_id) == began_and_landed, "it landed")
        assert stages(exact.seek_id) == began_and_landed
        watcher.cancel()


@pytest.mark.parametrize("name", tiered(["h264-aac.mkv", "h264-aac.mp4", "h264-aac-fragmented.mp4", "h264-aac.ts"], {"h264-aac.ts"}))
def test_a_keyframe_is_found_in_the_middle_of_a_segment(start_engine, name):
    report = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time,flags:format=start_time",
                             "-of", "json", clip(name)], check=True, capture_output=True, text=True)
    described = json.loads(report.stdout)
    start = float(described["format"]["start_time"])
    keyframes = [float(each["pts_time"]) - start for each in described["packets"] if "K" in each["flags"] and "pts_time" in each]
    engine = start_engine()
    # From the index or the scan, then from the cached plan.
    for _ in range(2):
        with engine.session(clip(name)) as session:
            eventually(lambda: engine.state().production.plan_complete, "the plan")
            for wanted in (1.0, 3.9, 6.5, 7.9, 15.0, 23.0):
                expected = max((each for each in keyframes if each <= wanted), default=0)
                reached = seek(engine, position_us=round(wanted * 1e6), mode=engine_pb2.SEEK_MODE_KEYFRAME).state.position.position_us
                assert abs(reached / 1e6 - expected) < 0.05, (wanted, reached, expected)
                again = seek(engine, position_us=reached, mode=engine_pb2.SEEK_MODE_KEYFRAME)
                assert again.state.position.position_us == reached, "a keyframe stays where it is"


def test_audio_only_sources_seek_to_any_position(engine):
    with engine.session(clip("audio.m4a")):
        assert seek(engine, position_us=9_700_000, mode=engine_pb2.SEEK_MODE_KEYFRAME).state.position.position_us == 9_700_000


def test_an_ended_session_restarts_on_seek_or_play(engine):
    with engine.session(clip("h264-aac.mkv"), autoplay=True) as session:
        seek(engine, position_us=session.state.duration_us - 300_000)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_ENDED, "the end")
        assert seek(engine, position_us=1_000_000).state.phase in (state_pb2.PHASE_PAUSED, state_pb2.PHASE_SEEKING)
        seek(engine, place=engine_pb2.SEEK_PLACE_END, after=engine_pb2.AFTER_SEEK_PLAY)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_ENDED, "the end again")
        assert engine.stub.Play(Request()).seek_id > 0, "that is a seek to the start"
        eventually(lambda: engine.state().phase in MOVING and engine.state().position.position_us < 1_000_000, "anew")
        assert engine.stub.Play(Request()).seek_id == 0
        seek(engine, place=engine_pb2.SEEK_PLACE_END, after=engine_pb2.AFTER_SEEK_PAUSE)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PAUSED, "it rests at the end")
        assert engine.stub.Play(Request()).seek_id > 0
        eventually(lambda: engine.state().phase in MOVING and engine.state().position.position_us < 1_000_000, "anew again")


def test_a_loop_restarts_without_buffering(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert engine.stub.SetLooping(engine_pb2.SetLoopingRequest(looping=True)).state.looping
        seek(engine, position_us=session.state.duration_us - 700_000, after=engine_pb2.AFTER_SEEK_PLAY)
        watcher = Watcher(engine, session_id=session.id, time_interval_us=-1)
        # From here on the session only plays: its phase never changes, and its position jumps once.
        watcher.wait_for_phase(state_pb2.PHASE_PLAYING)
        watcher.wait(lambda each: each.WhichOneof("event") == "delta"
                     and state_pb2.STATE_FIELD_POSITION in each.delta.fields
                     and each.delta.state.position.position_us == 0, "the start")
        after = [each for each in watcher.events if each.WhichOneof("event") == "delta"]
        after = after[next((at for at, each in enumerate(after) if each.delta.state.phase == state_pb2.PHASE_PLAYING), 0):]
        assert all(each.delta.state.phase == state_pb2.PHASE_PLAYING for each in after
                   if state_pb2.STATE_FIELD_PHASE in each.delta.fields)
        assert engine.state().statistics.stalls == 0
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(looping=False))
        watcher.cancel()


def test_settings_are_clamped_and_published_only_when_changed(engine):
    with engine.session(clip("h264-aac.mkv")):
        loud = engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=3))
        assert loud.clamped and loud.state.volume == 1
        half = engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.5))
        assert not half.clamped and half.state.volume == 0.5
        muted = engine.stub.SetMuted(engine_pb2.SetMutedRequest(muted=True))
        assert muted.state.muted and muted.revision > half.revision

        def is_unchanged():
            resting = engine.state().revision
            again = engine.stub.SetMuted(engine_pb2.SetMutedRequest(muted=True))
            assert again.state.muted
            return again.revision == resting

        # Changes of the load may still be published in between.
        eventually(is_unchanged, "a redundant command to change nothing")
        rate = engine.stub.SetRate(engine_pb2.SetRateRequest(rate=-1))
        assert rate.clamped and rate.state.position.requested_rate == 0


def test_enginectl_has_a_verb_for_each_command(engine):
    with engine.session(clip("several.mkv")) as session:
        for arguments in (["volume", "0.5"], ["mute"], ["loop", "on"], ["chapter", "next"], ["seek", "end", "--pause"],
                          ["seek", "--keyframe", "9"], ["mute", "off"], ["rate", "-1"]):
            enginectl(engine, *arguments)
        state = json.loads(enginectl(engine, "status", "--json"))
        assert state["position"]["requested_rate"] == 0
        assert (state["volume"], state["muted"], state["looping"]) == (0.5, False, True)
        assert state["current_chapter"] is not None and state["cover_art_url"] and state["statistics"]["segments_made"] >= 0
        url = enginectl(engine, "load", str(clip("h264-aac.mkv")), "--session", session.id, "--header", "X-Name: value")
        assert url.strip() != session.url and engine.state(session.id).url == url.strip()
        for arguments in (["volume", "nan"], ["rate", "nan"], ["mute", "maybe"], ["seek", "end", "--play", "--pause"], ["chapter"],
                          ["load", "/a", "--header", "no colon"]):
            done = subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True, timeout=PATIENCE)
            assert done.returncode == 64, (arguments, done.stderr)


def test_the_load_sets_the_rate_range(engine):
    with engine.session(clip("h264-aac.mkv"), rate_range=state_pb2.RateRange(min=0.5, max=4)) as session:
        assert (session.state.rate_range.min, session.state.rate_range.max) == (0.5, 4)
        fast = engine.stub.SetRate(engine_pb2.SetRateRequest(rate=4))
        assert not fast.clamped and fast.state.position.requested_rate == 4
        slow = engine.stub.SetRate(engine_pb2.SetRateRequest(rate=0))
        assert slow.clamped and slow.state.position.requested_rate == 0.5


def test_chapters_are_skipped_and_the_current_one_is_published(engine):
    with engine.session(clip("several.mkv")) as session:
        chapters = session.state.media.chapters
        assert len(chapters) >= 2 and session.state.current_chapter.index == 0

        def skip(step):
            return engine.stub.SkipChapter(engine_pb2.SkipChapterRequest(step=step)).state
        second = skip(engine_pb2.CHAPTER_STEP_NEXT)
        assert second.position.position_us == chapters[1].start_us and second.current_chapter.index == 1
        assert skip(engine_pb2.CHAPTER_STEP_PREVIOUS).position.position_us == chapters[0].start_us
        seek(engine, position_us=chapters[1].start_us + 3_500_000)
        assert skip(engine_pb2.CHAPTER_STEP_PREVIOUS).position.position_us == chapters[1].start_us
        # When the playhead reaches a chapter, the chapter is published without a command.
        watcher = Watcher(engine, session_id=session.id, time_interval_us=-1, fields=[state_pb2.STATE_FIELD_CHAPTER])
        seek(engine, position_us=chapters[1].start_us - 400_000, after=engine_pb2.AFTER_SEEK_PLAY)
        watcher.wait(lambda each: each.WhichOneof("event") == "delta" and each.delta.state.current_chapter.index == 1
                     and each is not watcher.events[0], "the second chapter")
        watcher.cancel()


@pytest.mark.parametrize("name, kind", [("cover.mp4", "image/png"), ("several.mkv", "image/png"), ("audio.mp3", "image/png")])
def test_cover_art_and_tags_are_published(engine, name, kind):
    with engine.session(clip(name)) as session:
        url = session.state.cover_art_url
        assert url.startswith(session.url.rsplit("/", 1)[0] + "/")
        answer = request(url)
        assert answer.status == 200 and answer.headers["content-type"] == kind
        assert answer.body == (FIXTURES / "cover.png").read_bytes()
        assert [(each.key, each.value) for each in session.state.metadata] == [
            (each.key, each.value) for each in session.state.media.tags]
    assert request(url).status == 404


def test_a_source_without_a_cover_has_no_cover_url(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert session.state.cover_art_url == ""
        assert request(session.url.replace("master.m3u8", "cover")).status == 404


def test_statistics_are_published_at_most_once_a_second(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        began = time.monotonic()
        watcher = Watcher(engine, session_id=session.id, time_interval_us=-1, fields=[state_pb2.STATE_FIELD_STATISTICS])
        base = session.url.rsplit("/", 1)[0]
        for index in range(5):
            assert request(f"{base}/video/{index}.m4s").status == 200
            assert request(f"{base}/video/{index}.m4s").status == 200
        eventually(lambda: engine.state().statistics.segments_served == 10, "ten served segments")
        found = engine.state().statistics
        assert found.segments_made >= 5 and found.cache_hits >= 5 and found.bytes_read > 100_000
        assert found.production_speed > 0 and found.resident_bytes > 1 << 20

        def changes():
            return [each for each in list(watcher.events) if each.WhichOneof("event") == "delta"]

        def is_published_again():
            assert request(f"{base}/video/0.m4s").status == 200
            return len(changes()) >= 3

        # Statistics change constantly, and are published once a second.
        eventually(is_published_again, "three changes")
        assert len(changes()) <= time.monotonic() - began + 1
        watcher.cancel()


def test_batches_merge_the_events_of_an_interval(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id, batch_interval_us=1_000_000)
        first = watcher.wait(lambda each: True, "a batch")
        assert first.batch.events[0].WhichOneof("event") == "snapshot"
        begin = time.monotonic()
        for _ in range(20):
            engine.stub.Play(Request())
            engine.stub.Pause(Request())
        engine.stub.Play(Request())
        eventually(lambda: len(watcher.events) >= 4, "three batches more")
        assert time.monotonic() - begin > 1.5
        assert set(watcher.kinds()) == {"batch"}
        for event in watcher.events:
            kinds = [each.WhichOneof("event") for each in event.batch.events]
            assert kinds.count("delta") <= 1 and kinds.count("time") <= 1
        watcher.cancel()


def test_a_load_replaces_the_source_of_a_session(engine):
    session = engine.load(clip("h264-aac.mkv"))
    engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.25))
    watcher = Watcher(engine, session_id=session.id)
    watcher.wait(lambda _: True, "a snapshot")
    again = engine.stub.Load(engine_pb2.LoadRequest(
        source=str(clip("h264-aac.mp4")), session_id=session.id, start_position_us=2_000_000))
    assert again.session_id == session.id and again.url != session.url
    assert again.state.source.endswith("h264-aac.mp4") and again.state.volume == 0.25
    assert again.state.position.position_us == 2_000_000 and again.state.phase == state_pb2.PHASE_READY
    assert request(session.url).status == 404 and request(again.url).status == 200
    revisions = [each.revision for each in watcher.events if each.WhichOneof("event") in ("snapshot", "delta")]
    assert revisions == sorted(revisions) and "closed" not in watcher.kinds()
    # A load also replaces a source that has ended.
    seek(engine, session_id=session.id, place=engine_pb2.SEEK_PLACE_END, after=engine_pb2.AFTER_SEEK_PLAY)
    eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_ENDED, "the end")
    third = engine.stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), session_id=session.id))
    assert third.state.phase == state_pb2.PHASE_READY and third.state.position.position_us == 0
    # A failed load leaves a session that reports the error, and that can be loaded again.
    with pytest.raises(grpc.RpcError) as caught:
        engine.stub.Load(engine_pb2.LoadRequest(source="/nowhere.mkv", session_id=session.id))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
    failed = engine.state(session.id)
    assert failed.phase == state_pb2.PHASE_ERROR and failed.error.code == "source_not_found"
    assert request(third.url).status == 404
    assert engine.stub.Play(Request(session_id=session.id)).state.phase == state_pb2.PHASE_ERROR
    last = engine.stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), session_id=session.id))
    assert last.state.phase == state_pb2.PHASE_READY and not last.state.HasField("error")
    engine.stub.Stop(Request(session_id=session.id))
    watcher.thread.join(PATIENCE)
    assert watcher.kinds()[-1] == "closed" and watcher.error is None


def test_a_superseded_load_is_cancelled(engine):
    session = engine.load(clip("h264-aac.mkv"))
    outcomes = []

    def load():
        try:
            engine.stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.ts")), session_id=session.id))
            outcomes.append(grpc.StatusCode.OK)
        except grpc.RpcError as error:
            outcomes.append(error.code())
    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert set(outcomes) <= {grpc.StatusCode.OK, grpc.StatusCode.CANCELLED} and grpc.StatusCode.OK in outcomes
    assert engine.state(session.id).phase == state_pb2.PHASE_READY
    engine.stub.Stop(Request(session_id=session.id))


def test_a_repeated_request_id_returns_the_same_reply(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        move = dict(session_id=session.id, position_us=1_000_000, relative=True)
        first = seek(engine, request_id="a", **move)
        again = seek(engine, request_id="a", **move)
        assert first == again and first.state.position.position_us == 1_000_000
        assert seek(engine, request_id="b", **move).state.position.position_us == 2_000_000
        # In another session, the same id belongs to another request.
        with engine.session(clip("h264-aac.mkv")) as other:
            assert seek(engine, request_id="a", session_id=other.id, position_us=7_000_000).state.session_id == other.id
        for number in range(256):
            engine.stub.SetMuted(engine_pb2.SetMutedRequest(session_id=session.id, request_id=f"n{number}"))
        assert seek(engine, request_id="a", **move).state.position.position_us == 3_000_000
    load = engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), request_id="once")
    answers = [engine.stub.Load.future(load) for _ in range(4)]
    ids = {each.result(PATIENCE).session_id for each in answers}
    assert len(ids) == 1 and len(engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions) == 1
    stop = Request(session_id=ids.pop(), request_id="stop")
    assert engine.stub.Stop(stop) == engine.stub.Stop(stop)


def test_a_phase_timeout_is_reported_and_does_not_block(start_engine):
    engine = start_engine()
    with engine.session(clip("h264-aac.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        watcher.wait(lambda _: True, "a snapshot")
        options = engine_pb2.LoadOptions(timeouts=[engine_pb2.PhaseTimeout(phase=state_pb2.PHASE_READY, timeout_us=300_000)])
        engine.stub.Load(engine_pb2.LoadRequest(
            session_id=session.id, source=str(clip("h264-aac.mkv")), options=options), timeout=PATIENCE)
        timeout = watcher.wait(lambda each: each.WhichOneof("event") == "notice", "a notice")
        assert timeout.notice.code == "player.timeout" and timeout.notice.severity == state_pb2.SEVERITY_WARNING
        assert "ready" in timeout.notice.message and "0.3 s" in timeout.notice.message
        assert engine.state().phase == state_pb2.PHASE_READY
        engine.stub.Play(Request())
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING, "it plays all the same")
        watcher.cancel()


def test_player_settings_survive_a_kill(start_engine, tmp_path):
    first = start_engine(directory=tmp_path)
    session = first.load(clip("h264-aac.mkv"), rate_range=state_pb2.RateRange(min=1, max=8))
    first.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.125))
    first.stub.SetMuted(engine_pb2.SetMutedRequest(muted=True))
    first.stub.SetLooping(engine_pb2.SetLoopingRequest(looping=True))
    first.stub.SetRate(engine_pb2.SetRateRequest(rate=8))
    assert_journaled(first, session)
    first.kill()
    second = start_engine(directory=tmp_path)
    state = eventually(lambda: (found := second.state(session.id)).phase == state_pb2.PHASE_READY and found, "it is back")
    assert (state.volume, state.muted, state.looping) == (0.125, True, True)
    assert state.position.requested_rate == 8
    second.stub.Stop(Request(session_id=session.id))
