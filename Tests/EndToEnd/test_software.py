# SPDX-License-Identifier: Apache-2.0
"""Films that only the engine can decode are normal sessions, and any session can change its path during playback."""

import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

import grpc
import pytest
from harness import hls, numbered
from harness.contract import engine_pb2, frames_pb2, media_pb2, software_pb2, state_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.frames import attached_frames, framemd5
from harness.places import ENGINECTL, clip
from harness.tiers import tiered
from test_control import Watcher
from test_crash import assert_journaled, now, restart
from test_player import seek
from test_renderer import Renderer, wait_for_phase

Request = engine_pb2.SessionRequest
REMUX, SOFTWARE = software_pb2.PLAYBACK_PATH_REMUX, software_pb2.PLAYBACK_PATH_SOFTWARE
FILMS = ["mpeg2.ts", "mpeg2.mpg", "mpeg2.m2v", "interlaced.ts", "xvid.avi", "mpeg4.mkv", "vp8.webm", "theora.ogv", "wmv2.asf",
         "mjpeg.avi", "prores.mov", "qtrle.mov", "h263.3gp"]
STEERED = ["mpeg2.ts", "mpeg2.mpg", "xvid.avi", "vp8.webm", "theora.ogv", "wmv2.asf"]


def film(name):
    return clip(f"software/{name}")


def select(engine, path, **fields):
    return engine.stub.SelectPath(software_pb2.SelectPathRequest(path=path, **fields), timeout=PATIENCE)


def reach_phase(engine, phase):
    return eventually(lambda: engine.state().phase == phase and engine.state(), state_pb2.Phase.Name(phase))


@pytest.mark.parametrize("name", FILMS)
def test_sources_no_player_supports_become_software_sessions(engine, name):
    with engine.session(film(name)) as session:
        state = session.state
        assert state.path == SOFTWARE and state.route == "software" and state.phase == state_pb2.PHASE_READY
        lead = state.media.streams[0]
        assert lead.route == "software" and lead.route_reason in state.route_reason
        assert not lead.HasField("delivery") and not lead.codec_string
        state = eventually(lambda: engine.state().production.plan_complete and engine.state(), "the plan")
        assert abs(state.duration_us - 6_000_000) < 150_000 and state.seekable[0].end_us == state.duration_us
        probed = engine.probe(film(name))
        assert [(each.route, each.route_reason) for each in probed.streams] == [
            (each.route, each.route_reason) for each in state.media.streams]


@pytest.mark.parametrize(("name", "path"), [("software/sound.wma", SOFTWARE), ("audio.m4a", SOFTWARE), ("h264-aac.mkv", REMUX)])
def test_audio_without_a_bridge_is_decoded_in_software(engine, name, path):
    silent = engine_pb2.PlayerProfile(formats=["avc1"])
    with engine.session(clip(name), custom_profile=silent) as session:
        sound = next(each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO)
        assert sound.route == "software" and "neither" in sound.route_reason
        assert session.state.path == path and session.state.selected_audio.stream_index == sound.index
        # Video that a player can fetch stays on HLS; the audio is heard on the software path.
        if path == REMUX:
            master = session.master()
            assert len(master.variants) == 1 and not master.renditions
        engine.stub.Play(Request())
        reach_phase(engine, state_pb2.PHASE_PLAYING)


@pytest.mark.parametrize("name", tiered(STEERED, {"mpeg2.ts"}))
def test_all_commands_work_on_the_software_path(engine, name):
    with engine.session(film(name)) as session:
        watcher = Watcher(engine, session_id=session.id)
        engine.stub.Play(Request())
        reach_phase(engine, state_pb2.PHASE_PLAYING)
        engine.stub.Pause(Request())
        stands = reach_phase(engine, state_pb2.PHASE_PAUSED)
        assert stands.position.rate == 0 and 0 <= stands.position.position_us < 6_000_000
        there = seek(engine, position_us=4_000_000)
        assert there.seek_id > 0 and reach_phase(engine, state_pb2.PHASE_PAUSED).position.position_us == 4_000_000
        fast = engine.stub.SetRate(engine_pb2.SetRateRequest(rate=2))
        assert fast.state.position.requested_rate == 2
        engine.stub.Play(Request())
        watcher.wait(lambda each: each.WhichOneof("event") == "delta" and each.delta.state.position.rate == 2, "twice as fast")
        ended = reach_phase(engine, state_pb2.PHASE_ENDED)
        assert ended.position.position_us == ended.duration_us
        # From the end, playback starts over; with looping, it never reaches the end.
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(looping=True))
        engine.stub.Play(Request())
        reach_phase(engine, state_pb2.PHASE_PLAYING)
        seek(engine, position_us=ended.duration_us - 200_000)
        eventually(lambda: engine.state().phase == state_pb2.PHASE_PLAYING and now(engine.state()) < 3, "it goes on at the start")
        phases = [event.delta.state.phase for event in watcher.events
                  if event.WhichOneof("event") == "delta" and state_pb2.STATE_FIELD_PHASE in event.delta.fields]
        assert state_pb2.PHASE_ERROR not in phases and phases.count(state_pb2.PHASE_ENDED) == 1
        stages = [event.seek.stage for event in watcher.events
                  if event.WhichOneof("event") == "seek" and event.seek.id == there.seek_id]
        assert stages == [engine_pb2.SEEK_STAGE_BEGAN, engine_pb2.SEEK_STAGE_LANDED]
        watcher.cancel()


def test_keyframe_seeks_and_storyboards_work_in_software(engine):
    with engine.session(film("vp8.webm")) as session:
        listing = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time,flags", "-of",
                                  "csv=p=0", film("vp8.webm")], check=True, capture_output=True, text=True).stdout
        keys = [float(line.split(",")[0]) for line in listing.splitlines() if "K" in line]
        wanted = 3.7
        reached = seek(engine, position_us=round(wanted * 1e6), mode=engine_pb2.SEEK_MODE_KEYFRAME).state.position.position_us
        assert abs(reached / 1e6 - max(each for each in keys if each <= wanted)) < 0.05
        assert session.state.storyboard_url
        answer = urllib.request.urlopen(session.state.storyboard_url, timeout=PATIENCE)
        assert answer.status == 200 and b"storyboard/0.jpg#xywh=" in answer.read()


def test_fetching_unplayable_video_explains_why(engine):
    with engine.session(film("mpeg2.ts")) as session:
        for name in ("master.m3u8", "video.m3u8", "video/init.mp4", "video/0.m4s", "keyframes.m3u8"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(session.url.replace("master.m3u8", name), timeout=PATIENCE)
            body = refused.value.read().decode()
            assert refused.value.code == 409 and body.startswith("path_conflict") and "mpeg2video" in body, (name, body)
        # The audio alone is served as it would be beside video.
        eventually(lambda: engine.state().production.plan_complete, "the plan")
        sound = hls.Media(session.url.replace("master.m3u8", "audio-1.m3u8"))
        assert sound.segments and all(hls.request(each.url).status == 200 for each in sound.segments)


def test_the_remux_path_and_hls_renderers_are_refused(engine):
    with engine.session(film("xvid.avi")):
        with pytest.raises(grpc.RpcError) as refused:
            select(engine, REMUX)
        assert refused.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert refused.value.details().startswith("path_conflict")
        elsewhere = Renderer(engine)
        eventually(lambda: elsewhere.error is not None, "the renderer to be refused")
        assert elsewhere.error.details().startswith("path_conflict")
        assert select(engine, SOFTWARE).state.path == SOFTWARE
    with pytest.raises(grpc.RpcError) as invalid:
        select(engine, 9)
    assert invalid.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_a_playing_session_changes_its_path(engine):
    with engine.session(clip("h264-aac.mkv"), autoplay=True) as session:
        assert session.state.path == REMUX
        reach_phase(engine, state_pb2.PHASE_PLAYING)
        engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.5))
        front_end = Renderer(engine)
        # A report from before the play command would not count.
        front_end.wait("play")
        front_end.report(position_us=5_000_000, rate=1)
        eventually(lambda: engine.state().renderer.name == "test" and now(engine.state()) >= 5, "the front-end plays")
        # The front-end finds that it cannot decode what it fetches.
        answer = select(engine, SOFTWARE)
        assert answer.state.path == SOFTWARE and not answer.state.HasField("renderer")
        eventually(lambda: front_end.error is not None, "the front-end lost its place")
        assert front_end.error.code() == grpc.StatusCode.CANCELLED
        playing = reach_phase(engine, state_pb2.PHASE_PLAYING)
        assert 5 <= now(playing) < 5 + PATIENCE and playing.volume == 0.5
        # The served media does not change.
        assert hls.request(session.url).status == 200
        before = now(engine.state())
        back = select(engine, software_pb2.PLAYBACK_PATH_UNSPECIFIED)
        assert back.state.path == REMUX
        assert now(reach_phase(engine, state_pb2.PHASE_PLAYING)) >= before
        engine.stub.Pause(Request())
        place = engine.state().position.position_us
        for path in (SOFTWARE, REMUX, SOFTWARE):
            assert select(engine, path).state.path == path
            assert reach_phase(engine, state_pb2.PHASE_PAUSED).position.position_us == place
        again = Renderer(engine, replace=True)
        eventually(lambda: again.error is not None, "the engine plays")
        select(engine, REMUX)
        third = Renderer(engine)
        assert third.wait("load").load.position_us == place
        third.leave()


def test_the_path_survives_a_kill(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    other = engine.load(film("theora.ogv"))
    select(engine, SOFTWARE, session_id=session.id)
    seek(engine, session_id=session.id, position_us=3_000_000)
    eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PAUSED, "it landed")
    assert_journaled(engine, session, other)
    engine = restart(start_engine, engine)
    for each in (session, other):
        eventually(lambda each=each: engine.state(each.id).path == SOFTWARE, "the path as it was")
    assert engine.state(session.id).position.position_us == 3_000_000


@pytest.mark.long
def test_a_hundred_loads_leak_nothing(fresh_engine):
    engine = fresh_engine

    def once(name):
        with engine.session(film(name), autoplay=True) as session:
            assert session.state.path == SOFTWARE
    for name in STEERED:
        once(name)
    before = *settled(engine.resource_counts), engine.own_bytes()
    for number in range(100):
        once(STEERED[number % len(STEERED)])
    eventually(lambda: engine.descriptors() <= before[0], f"descriptors to be {before[0]} again")
    eventually(lambda: engine.threads() <= before[1] + 1, f"threads to be {before[1]} again: {engine.thread_names()}")
    assert engine.own_bytes() < before[2] + (24 << 20)


@pytest.mark.parametrize(("name", "profile", "path"), [
    ("fields.mkv", "chromium", SOFTWARE), ("fields.mkv", "everything", REMUX), ("declared.mkv", "chromium", REMUX),
    ("hi10.mkv", "apple", SOFTWARE), ("hi10.mkv", "everything", REMUX)])
def test_interlacing_and_bit_depth_decide_the_path(engine, name, profile, path):
    with engine.session(film(name), profile=profile) as session:
        video = session.state.media.streams[0]
        assert session.state.path == path and video.route == ("remux" if path == REMUX else "software"), video.route_reason
        assert video.video.interlaced == (name == "fields.mkv")


# test_frames_in_place.py compares the frames of the other films.
@pytest.mark.parametrize("name", tiered(["mpeg2.m2v", "interlaced.ts", "qtrle.mov", "hi10.mkv"], {"mpeg2.m2v", "qtrle.mov"}))
def test_enginectl_lists_the_same_frames_as_ffmpeg(engine, name):
    ours = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, film(name), "--sink", "null", "--realtime=false"],
                          check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    lines = [line.split("\t") for line in ours.splitlines()]
    oracle = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", film(name), "-map", "0:v:0", "-fps_mode", "passthrough", "-f",
                             "framemd5", "-"], check=True, capture_output=True, text=True).stdout
    assert [digest for _, digest in lines] == [
        line.split(",")[-1].strip() for line in oracle.splitlines() if not line.startswith("#")]
    times = [float(each) for each, _ in lines]
    assert times == sorted(set(times)) and 0 <= times[0] < 0.1


@pytest.mark.parametrize("sound, start, count", [([], 0, 50), (["-f", "lavfi", "-i", "sine=duration=0.5"], 1, 25)],
                         ids=["none", "over before the start"])
def test_a_wave_file_that_gets_no_audio_does_not_hold_back_the_frames(engine, tmp_path, sound, start, count):
    path = tmp_path / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=2", *sound,
                    "-c:v", "mpeg4", "-c:a", "pcm_s16le", path], check=True)
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, path, "--realtime=false", "--start", str(start),
                           "--sink", f"wav:{tmp_path / 'heard.wav'}"], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, count), done.stderr


def test_audio_only_sources_end_at_their_end(engine):
    for name in ("audio.m4a", "software/sound.wma"):
        done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, clip(name), "--sink", "null", "--realtime=false"],
                              check=True, capture_output=True, text=True, timeout=PATIENCE)
        last = re.search(r"ended at (\S+) / (\S+)", done.stderr)
        assert not done.stdout and last and last[1] == last[2] != "0:00", done.stderr
    # A frame sink does not end a film without video.
    with engine.session(clip("audio.m4a")) as session, attached_frames(engine, session.id, pace=frames_pb2.FRAME_PACE_REALTIME):
        select(engine, SOFTWARE)
        engine.stub.Play(Request())
        reach_phase(engine, state_pb2.PHASE_PLAYING)
        eventually(lambda: 0.5 < now(engine.state()) < 20, "the clock to run")
        assert engine.state().phase == state_pb2.PHASE_PLAYING


def test_avi_frames_have_the_times_of_their_chunks(engine):
    # libxvid packs B pictures and returns nothing for the first chunks: ffmpeg's own times of these are up to 0.12 s
    # off.
    path = film("xvid.avi")
    listing = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=dts_time", "-of", "csv=p=0",
                              path], check=True, capture_output=True, text=True).stdout
    chunks = [float(line.strip(",")) for line in listing.split()]
    ours = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, path, "--sink", "null", "--realtime=false"],
                          check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    times = [float(line.split("\t")[0]) for line in ours.splitlines()]
    assert times == pytest.approx(chunks, abs=0.001) and times[1] - times[0] > 0.1


@pytest.mark.long
def test_field_pairs_of_an_elementary_stream_are_timed_as_frames(engine):
    path = numbered.film("fields.h264")
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, path, "--sink", "null", "--realtime=false"],
                          check=True, capture_output=True, text=True, timeout=PATIENCE)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [digest for _, digest in lines] == framemd5(path)
    assert [float(each) for each, _ in lines] == pytest.approx([number / 25 for number in range(250)], abs=0.001)
    assert "ended at 0:10 / 0:10" in done.stderr
    with engine.session(path, profile="everything") as session:
        state = eventually(lambda: engine.state().production.plan_complete and engine.state(), "the plan")
        assert state.path == REMUX and abs(state.duration_us - 10_000_000) <= 1000
        media = hls.Media(session.url.replace("master.m3u8", "video.m3u8"))
        assert abs(sum(each.duration for each in media.segments) - 10) < 0.01


@pytest.mark.parametrize(("how", "count"), tiered([("off", 1), ("frame", 1), ("field", 2)], lambda case: case[0] == "field"))
def test_fields_are_deinterlaced(engine, how, count):
    def listing(how):
        done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, film("interlaced.ts"), "--sink", "null", "--realtime=false",
                               "--deinterlace", how], check=True, capture_output=True, text=True, timeout=PATIENCE)
        return [line.split("\t")[1] for line in done.stdout.splitlines()]
    plain, made = listing("off"), listing(how)
    assert abs(len(made) - count * len(plain)) <= 1
    assert (made == plain) == (how == "off")


@pytest.mark.long
def test_enginectl_plays_in_real_time_and_shows_its_position(engine):
    begun = time.monotonic()
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, film("vp8.webm"), "--sink", "null"], check=True,
                          capture_output=True, text=True, timeout=PATIENCE)
    assert time.monotonic() - begun > 5.5 and not done.stdout
    assert "playing at 0:00" in done.stderr and "ended at 0:06 / 0:06" in done.stderr
    wrong = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, film("vp8.webm"), "--sink", "device:", "--realtime=false"],
                           capture_output=True, text=True, timeout=PATIENCE)
    assert wrong.returncode == 64 and "requires --sink" in wrong.stderr
    absent = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, film("vp8.webm"), "--sink", "device:nowhere"],
                            capture_output=True, text=True, timeout=PATIENCE)
    assert absent.returncode == 1 and "unavailable" in absent.stderr
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions


def test_enginectl_fails_when_nothing_can_be_decoded(engine):
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, film("../avc-cut-record.mp4"), "--sink", "null", "--realtime=false"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and not done.stdout and "no_playable_stream" in done.stderr
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions


@pytest.mark.parametrize("name", tiered(["mpeg2.ts", "xvid.avi", "vp8.webm"], {"vp8.webm"}))
def test_a_film_that_is_overwritten_while_it_plays_ends_with_an_error(engine, tmp_path, name):
    path = tmp_path / name
    shutil.copy(film(name), path)
    player = subprocess.Popen([ENGINECTL, "play", "--socket", engine.socket, path, "--sink", "null"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    listed = engine_pb2.ListSessionsRequest()
    eventually(lambda: any(state.phase == state_pb2.PHASE_PLAYING for state in engine.stub.ListSessions(listed).sessions), "playback")
    with open(path, "r+b") as file:
        file.write(clip("h264-aac.mkv").read_bytes())
    output, problem = player.communicate(timeout=PATIENCE)
    assert player.returncode == 1 and not output and "source_changed" in problem, problem


def test_an_undecodable_source_ends_with_an_error(engine, tmp_path):
    # A player would get the video unchecked: only decoding shows that its keyframes are noise.
    path = tmp_path / "noise.webm"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", clip("vp9-opus.webm"), "-t", "6", "-map", "0:v", "-c", "copy",
                    "-bsf:v", "noise=amount=if(eq(mod(n\\,50)\\,0)\\,3\\,0)", path], check=True, stdin=subprocess.DEVNULL)
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, path, "--sink", "null", "--realtime=false"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "no_playable_stream" in done.stderr and not done.stdout
    with engine.session(path) as session, attached_frames(engine, session.id):
        engine.stub.Play(Request(session_id=session.id), timeout=PATIENCE)
        wait_for_phase(engine, session, state_pb2.PHASE_ERROR)
        eventually(lambda: engine.state(session.id).statistics.decode_errors > 0, "the errors to be counted")


def test_enginectl_selects_the_path(engine):
    def path(*words):
        return subprocess.run([ENGINECTL, "path", "--socket", engine.socket, *words], check=True, capture_output=True, text=True,
                              timeout=PATIENCE).stdout.rstrip()
    remux = 'remux  h264 stream 0: remuxed into fMP4; aac stream 1: profile "everything" plays aac: remuxed'
    with engine.session(clip("h264-aac.mkv")):
        assert [path(), path("software"), path(), path("auto")] == [remux, "software", "software", remux]
    with engine.session(clip("software/mpeg2.mpg")):
        assert path() == "software  mpeg2video stream 0: mpeg2video cannot be carried in fMP4 without re-encoding"


def test_undecodable_video_beside_audio_is_ignored(engine, tmp_path):
    whole = clip("h264-aac.mkv").read_bytes()
    assert whole.count(b"V_MPEG4/ISO/AVC") == 1
    path = tmp_path / "unknown-video.mkv"
    path.write_bytes(whole.replace(b"V_MPEG4/ISO/AVC", b"V_MPEG4/ISO/XYZ"))
    with engine.session(path) as session:
        kinds = {each.kind: each for each in session.state.media.streams}
        assert session.state.path == REMUX
        assert kinds[media_pb2.STREAM_KIND_VIDEO].route == "none"
        assert "no decoder" in kinds[media_pb2.STREAM_KIND_VIDEO].route_reason
        assert kinds[media_pb2.STREAM_KIND_AUDIO].route == "remux"
        wait_for_phase(engine, session, state_pb2.PHASE_READY)
