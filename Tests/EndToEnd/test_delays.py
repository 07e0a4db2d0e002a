# SPDX-License-Identifier: Apache-2.0
"""Delays, repeated parts and frame steps on each path: what is served, decoded and published."""

import array
import json
import subprocess
import time

import grpc
import pytest
from harness import hls
from harness.contract import engine_pb2, software_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip
from harness.tiers import tiered
from harness.webvtt import Rendition
from test_control import Watcher
from test_crash import assert_journaled, restart
from test_renderer import Renderer

Request = engine_pb2.SessionRequest
FILM = "h264-aac.mkv"


def delay(engine, audio=None, subtitles=None):
    answer = None
    if audio is not None:
        answer = engine.stub.SetAudioDelay(engine_pb2.SetAudioDelayRequest(delay_us=audio * 1000), timeout=PATIENCE)
    if subtitles is not None:
        answer = engine.stub.SetSubtitleDelay(engine_pb2.SetSubtitleDelayRequest(delay_us=subtitles * 1000), timeout=PATIENCE)
    return answer


def playhead(engine):
    """Where playback is now, in microseconds."""
    at = engine.state().position
    return at.position_us + (time.monotonic_ns() - at.monotonic_ns) / 1000 * at.rate


def set_loop_points(engine, start, end):
    points = state_pb2.LoopPoints(start_us=start, end_us=end)
    return engine.stub.SetLoopPoints(engine_pb2.SetLoopPointsRequest(loop_points=points), timeout=PATIENCE)


def packets(url):
    """(presentation time in seconds, digest) of each audio packet."""
    report = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time,data_hash",
                             "-show_data_hash", "MD5", "-of", "json", url], check=True, capture_output=True, text=True, timeout=PATIENCE)
    return [(float(each["pts_time"]), each["data_hash"]) for each in json.loads(report.stdout)["packets"]]


@pytest.mark.parametrize("milliseconds", tiered([250, -250, -4500], {-250}))
def test_a_delayed_audio_rendition_has_the_same_frames_at_shifted_times(engine, milliseconds):
    with engine.session(clip(FILM)) as session:
        plain = session.master()
        answer = delay(engine, audio=milliseconds)
        assert answer.state.audio_delay_us == milliseconds * 1000 and not answer.clamped
        assert answer.state.url == f"{session.url}?audio-delay={milliseconds}&subtitle-delay=0"
        master = hls.Master(answer.state.url)
        assert master.playlists() != plain.playlists()
        assert hls.Master(session.url).playlists() == master.playlists(), "without a query it follows the session"
        [old], [new] = ([url for _, url in each.renditions] for each in (plain, master))
        before, after = packets(old), packets(new)
        kept = [(time + milliseconds / 1000, data) for time, data in before if time + milliseconds / 1000 > -0.03]
        assert len(kept) - len(after) in (0, 1) and len(after) > 100
        for (time, data), (expected, wanted) in zip(after[::-1], kept[::-1], strict=False):
            assert data == wanted and abs(time - expected) < 0.001
        checked = subprocess.run([ENGINECTL, "--socket", str(engine.socket), "validate", answer.state.url],
                                 capture_output=True, text=True, timeout=PATIENCE)
        assert checked.returncode == 0, checked.stdout
        # Announced resources do not change, whatever delay the session is set to.
        again = [hls.digest(each.url) for each in hls.Media.complete(new).segments]
        delay(engine, audio=0)
        assert engine.state().url == session.url and hls.Master(session.url).playlists() == plain.playlists()
        assert [hls.digest(each.url) for each in reversed(hls.Media.complete(new).segments)] == again[::-1]


@pytest.mark.parametrize("path", ["audio-1-later-0.m3u8", "audio-1-later-10001.m3u8", "audio-1-later-020.m3u8", "video-later-20.m3u8",
                                  "audio-1-later-20/init.mp4", "master.m3u8?audio-delay=x", "subtitles-1-earlier-.m3u8"])
def test_unannounced_delays_are_not_found(engine, path):
    with engine.session(clip(FILM)) as session:
        assert hls.request(session.url.replace("master.m3u8", path)).status == 404


@pytest.mark.parametrize("milliseconds", tiered([700, -2600, 90_000], {-2600}))
def test_a_delayed_subtitle_rendition_has_the_same_cues_at_shifted_times(engine, milliseconds):
    with engine.session(clip("subtitled.mkv")) as session:
        plain = session.master()
        state = delay(engine, subtitles=milliseconds).state
        end = state.duration_us // 1000
        for (_, old), (_, new) in zip(plain.subtitles, hls.Master(state.url).subtitles, strict=True):
            assert old != new
            moved = [(max(0, start + milliseconds), stop + milliseconds, text) for start, stop, text in Rendition(old).timed_texts()]
            assert Rendition(new).timed_texts() == [each for each in moved if each[1] > 0 and each[0] < end]


def test_a_renderer_reloads_the_delayed_presentation_at_the_playhead(engine):
    with engine.session(clip(FILM)) as session:
        renderer = Renderer(engine, session.id)
        first = renderer.wait("load")
        engine.stub.Play(Request())
        renderer.wait("play")
        renderer.report(position_us=3_000_000, rate=0)
        eventually(lambda: engine.state().position.position_us == 3_000_000, "the report")
        url = delay(engine, audio=100, subtitles=-100).state.url
        load = eventually(lambda: [each for each in renderer.commands if each.WhichOneof("command") == "load"
                                   and each.load.url == url], "the delayed presentation")[0]
        assert load.number > first.number and load.load.position_us == 3_000_000
        renderer.wait("play", after=load.number)
        renderer.leave()


def test_a_subtitle_delay_shifts_cue_events_but_not_cue_times(engine):
    def appeared(milliseconds):
        with engine.session(clip("subtitled.mkv")) as session:
            watcher = Watcher(engine, session_id=session.id)
            tracks = engine_pb2.SubtitleTrackList(ids=[session.state.subtitle_tracks[0].id])
            engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(subtitles=engine_pb2.SubtitleSelection(tracks=tracks)))
            delay(engine, subtitles=milliseconds)
            engine.stub.Play(Request())
            event = watcher.wait(lambda each: each.WhichOneof("event") == "cue", "a cue")
            watcher.cancel()
            return event.cue
    plain, late = appeared(0), appeared(400)
    assert (late.cue.start_us, late.cue.end_us) == (plain.cue.start_us, plain.cue.end_us)
    assert late.time_us == plain.time_us + 400_000


def played(engine, path, milliseconds):
    """The samples that the engine plays into a file, from the start to the end."""
    with engine.session(clip(FILM)):
        delay(engine, audio=milliseconds)
        engine.stub.SetSoundOutput(software_pb2.SetSoundOutputRequest(kind=software_pb2.SOUND_OUTPUT_KIND_FILE, name=str(path)))
        engine.stub.Play(Request())
        eventually(lambda: engine.state().phase == state_pb2.PHASE_ENDED, "the end")
    return subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "s16le", "-"], check=True, capture_output=True,
                          timeout=PATIENCE).stdout


@pytest.mark.parametrize("milliseconds", tiered([500, -500], {500}))
def test_an_audio_delay_shifts_the_samples_of_the_software_path(engine, tmp_path, milliseconds):
    plain, moved = played(engine, tmp_path / "plain.wav", 0), played(engine, tmp_path / "moved.wav", milliseconds)
    rate = json.loads(subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=sample_rate,channels", "-of", "json",
                                      tmp_path / "plain.wav"], check=True, capture_output=True, text=True).stdout)["streams"][0]
    size = int(rate["sample_rate"]) // 2 * rate["channels"] * 2
    late, early = (moved, plain) if milliseconds > 0 else (plain, moved)
    # The first frame of a decoder that begins midway is incomplete, and later frames are rounded differently.
    skipped, length = size // 5, min(len(late) - size, len(early)) - size // 5
    assert length > 10 * size and any(early[:length])
    ours, theirs = (array.array("h", each) for each in (late[size + skipped:size + length], early[skipped:length]))
    assert max(abs(one - other) for one, other in zip(ours, theirs, strict=True)) <= 4 < max(theirs)
    if milliseconds > 0:
        assert not any(moved[:size])


def test_setting_a_delay_during_playback_keeps_the_playhead(engine):
    with engine.session(clip(FILM)):
        engine.stub.SetSoundOutput(software_pb2.SetSoundOutputRequest(kind=software_pb2.SOUND_OUTPUT_KIND_NULL))
        engine.stub.Play(Request())
        eventually(lambda: engine.state().position.rate == 1 and playhead(engine) > 1_000_000, "playback")
        for milliseconds in (300, -300, 0):
            # The position is known exactly only while playback is paused: a busy machine may be late while it plays.
            before = engine.stub.Pause(Request()).state.position.position_us
            engine.stub.Play(Request())
            assert delay(engine, audio=milliseconds).state.audio_delay_us == milliseconds * 1000
            eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING, "playback")
            assert engine.stub.Pause(Request()).state.position.position_us >= before > 0
            engine.stub.Play(Request())


@pytest.mark.parametrize("software", tiered([False, True], {False}))
def test_a_part_repeats_until_its_loop_points_are_cleared(engine, software):
    with engine.session(clip(FILM)) as session:
        watcher = Watcher(engine, session_id=session.id)
        if software:
            engine.stub.SetSoundOutput(software_pb2.SetSoundOutputRequest(kind=software_pb2.SOUND_OUTPUT_KIND_NULL))
        assert set_loop_points(engine, 2_000_000, 2_400_000).state.loop_points.end_us == 2_400_000
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=2_100_000, after=engine_pb2.AFTER_SEEK_PLAY))

        def loop_restarts():
            if software:
                return [each for each in watcher.events if each.WhichOneof("event") == "seek" and each.seek.target_us == 2_000_000
                        and each.seek.stage == engine_pb2.SEEK_STAGE_BEGAN]
            return [each for each in watcher.events if each.WhichOneof("event") == "delta"
                    and each.delta.state.position.position_us == 2_000_000 and each.delta.state.position.rate == 1]
        eventually(lambda: len(loop_restarts()) >= 3, "three turns")
        engine.stub.SetLoopPoints(engine_pb2.SetLoopPointsRequest())
        assert not engine.state().HasField("loop_points")
        eventually(lambda: playhead(engine) > 2_500_000, "playback past the end of the part")
        assert engine.stub.Pause(Request()).state.position.position_us > 2_500_000
        watcher.cancel()


def test_a_renderer_seeks_to_the_start_of_the_repeated_part(engine):
    with engine.session(clip(FILM)) as session:
        renderer = Renderer(engine, session.id)
        renderer.wait("load")
        set_loop_points(engine, 1_000_000, 3_000_000)
        engine.stub.Play(Request())
        play = renderer.wait("play")
        renderer.report(position_us=2_800_000, rate=1)
        # The renderer never reports that it has reached the end of the part.
        seek = renderer.wait("seek", after=play.number)
        assert seek.seek.position_us == 1_000_000 and engine.state().phase == state_pb2.PHASE_SEEKING
        renderer.report(position_us=1_000_000, rate=1, seek_id=seek.seek.id)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING, "playback")
        renderer.leave()


@pytest.mark.parametrize(("start", "end"), [(-1, 5), (5, 4), (0, 99_999), (0, -1), (2**62, 0)])
def test_invalid_loop_points_are_refused(engine, start, end):
    with engine.session(clip(FILM)), pytest.raises(grpc.RpcError) as refused:
        set_loop_points(engine, start, end)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT and "loop_points." in refused.value.details()


def frames(name, start):
    """The times of the frames in microseconds on the session's timeline, which starts at `start` on the source's clock."""
    report = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                             clip(name)], check=True, capture_output=True, text=True)
    return sorted(round(float(line.strip(",")) * 1_000_000) - start for line in report.stdout.split())


@pytest.mark.parametrize("name", tiered([FILM, "h264-aac.mp4", "h264-aac.ts"], {"h264-aac.ts"}))
@pytest.mark.parametrize("software", tiered([False, True], {False}))
def test_steps_move_by_single_frames_in_both_directions(engine, name, software):
    def step(count):
        answer = engine.stub.StepFrame(engine_pb2.StepFrameRequest(frames=count), timeout=PATIENCE)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PAUSED, "the frame")
        return answer.state.position.position_us, answer.clamped

    def assert_near(answer, index, clamped=False):
        assert abs(answer[0] - times[index]) <= 1 and answer[1] == clamped, (answer, times[index])

    with engine.session(clip(name)) as session:
        times = frames(name, session.state.media.start_us)
        eventually(lambda: engine.state().production.plan_complete, "the plan")
        if software:
            engine.stub.SelectPath(software_pb2.SelectPathRequest(path=software_pb2.PLAYBACK_PATH_SOFTWARE))
        for index in (1, 2, 3):
            assert_near(step(1), index)
        assert_near(step(-1), 2)
        # Across the start of a segment, and back.
        edge = next(index for index, time in enumerate(times) if time > 4_000_000)
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=times[edge - 30] + 7000))
        assert_near(step(60), edge + 30)
        assert_near(step(-60), edge - 30)
        assert_near(step(-100), max(0, edge - 130), clamped=edge < 130)
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=times[-2]))
        assert_near(step(5), -1, clamped=True)
        engine.stub.Seek(engine_pb2.SeekRequest(place=engine_pb2.SEEK_PLACE_BEGIN))
        assert_near(step(-1), 0, clamped=True)


def test_steps_without_segments_follow_the_frame_rate(engine):
    with engine.session(clip("software/mpeg2.ts")):
        for count in (1, 2, 3):
            answer = engine.stub.StepFrame(engine_pb2.StepFrameRequest(frames=1), timeout=PATIENCE)
            video = engine.state().media.streams[0].video
            frame = 1_000_000 * video.frame_rate_den / video.frame_rate_num
            assert abs(answer.state.position.position_us - count * frame) < 2
            eventually(lambda: engine.state().phase == state_pb2.PHASE_PAUSED, "the frame")


def test_a_step_needs_video(engine):
    with engine.session(clip("audio.m4a")), pytest.raises(grpc.RpcError) as refused:
        engine.stub.StepFrame(engine_pb2.StepFrameRequest(frames=1))
    assert refused.value.code() == grpc.StatusCode.NOT_FOUND


def test_delays_and_loop_points_survive_a_kill(start_engine):
    engine = start_engine()
    session = engine.load(clip(FILM))
    url = delay(engine, audio=120, subtitles=-340).state.url
    set_loop_points(engine, 1_000_000, 3_000_000)
    assert_journaled(engine, session)
    engine = restart(start_engine, engine)
    state = engine.state()
    assert (state.audio_delay_us, state.subtitle_delay_us, state.url) == (120_000, -340_000, url)
    assert state.loop_points == state_pb2.LoopPoints(start_us=1_000_000, end_us=3_000_000)
    assert [each for each in hls.Master(url).playlists() if "audio-1-later-120" in each]


@pytest.mark.long
def test_enginectl_sets_and_shows_delays_and_loop_points(engine):
    def ctl(*arguments, expect=0):
        done = subprocess.run([ENGINECTL, "--socket", str(engine.socket), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE)
        assert done.returncode == expect, (arguments, done.stdout, done.stderr)
        return done.stdout
    with engine.session(clip(FILM)) as session:
        assert json.loads(ctl("delay", "audio", "-0.25", "--json"))["audio_delay_us"] == -250_000
        assert json.loads(ctl("delay", "--by", "audio", "100ms", "--json"))["audio_delay_us"] == -150_000
        assert json.loads(ctl("delay", "subtitles", "1.5", "--json"))["subtitle_delay_us"] == 1_500_000
        assert json.loads(ctl("ab-loop", "0:01", "3.5", "--json"))["loop_points"] == {"start_us": 1_000_000, "end_us": 3_500_000}
        status = ctl("status")
        assert "audio -150 ms, subtitles +1500 ms" in status and "0:01–0:03" in status, status
        length = session.state.media.duration_us
        clamped = json.loads(ctl("ab-loop", "0:01", "1:00:00", "--json"))
        assert clamped["clamped"] and clamped["loop_points"] == {"start_us": 1_000_000, "end_us": length}
        ctl("ab-loop", "50:00", "1:00:00", expect=1)
        assert json.loads(ctl("status", "--json"))["loop_points"] == clamped["loop_points"]
        assert json.loads(ctl("ab-loop", "off", "--json"))["loop_points"] is None
        # As for every program, `--` precedes arguments that look like options.
        assert json.loads(ctl("delay", "subtitles", "--json", "--", "-500ms"))["subtitle_delay_us"] == -500_000
        ctl("seek", "2")
        assert json.loads(ctl("seek", "--json", "--", "-0.5"))["position"]["position_us"] == 1_500_000
        ctl("seek", "begin")
        ctl("volume", "50%")
        assert json.loads(ctl("volume", "--json", "--", "-5"))["volume"] == 0.45
        for chapter in "next", "3":
            ctl("chapter", chapter, expect=1)
        assert json.loads(ctl("step", "next", "--count", "3", "--json"))["position"]["position_us"] == frames(FILM, session.state.media.start_us)[3]
        ctl("ab-loop", "3", "1", expect=64)
        ctl("delay", "audio", "soon", expect=64)
        ctl("step", "--count", "0", expect=64)
