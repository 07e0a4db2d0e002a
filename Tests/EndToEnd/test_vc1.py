# SPDX-License-Identifier: Apache-2.0
"""VC-1 and WMV3 are decoded in every container: each frame at its time, after seeks, in stills and with audio. The
reason why no player receives them is reported."""

import random
import re
import subprocess
import urllib.error
import urllib.request

import grpc
import pytest
from harness import numbered
from harness.contract import engine_pb2, frames_pb2, media_pb2, software_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.frames import attached_frames, attached_sound, framemd5, play, samples
from harness.places import ENGINECTL, FIXTURES
from harness.stills import snapshot, source, thumbnail
from harness.tiers import absent, tiered
from test_frames import REALTIME, seek, wait_for_frame
from test_hostile_software import receive_all_frames
from test_sound_ring import Player

COUNT, GROUP = 250, 24
OFF = software_pb2.DEINTERLACING_OFF
# Frames show their number; field pairs consist of I pictures only.
ADVANCED = [f"advanced.{kind}" for kind in ("mkv", "ts", "m2ts", "asf", "mp4", "avi", "vc1")]
MAIN = [f"main.{kind}" for kind in ("mkv", "asf", "avi")] + ["sound.wmv"]
FIELDS = [f"fields.{kind}" for kind in ("mkv", "ts", "mp4", "vc1")]
NUMBERED = ADVANCED + MAIN + FIELDS
REAL = [f"real.{kind}" for kind in ("mkv", "ts", "asf", "avi", "mp4", "vc1")]
CUT = [f"cut.{kind}" for kind in ("mkv", "asf", "avi")]


def film(name):
    folder = FIXTURES / "vc1"
    reason = folder / "real-absent.txt"
    if name.startswith(("real", "cut")) and reason.exists():
        absent(f"the source packages with real pictures could not be fetched: {reason.read_text().strip()}")
    path = folder / name
    assert path.exists(), f"{name} is missing: run scripts/fixtures-vc1"
    return path


def greys(path):
    """The luma of each frame as ffmpeg decodes it."""
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "rawvideo",
         "-pix_fmt", "gray", "-"], stdin=subprocess.DEVNULL, capture_output=True).stdout
    return [raw[at:at + 192 * 96] for at in range(0, len(raw), 192 * 96)]


def number(picture):
    """The number shown in a frame of the ring, read from its first plane."""
    return numbered.read(b"".join(bytes(row) for row in picture.rows())[:192 * 96])


@pytest.mark.parametrize("name", tiered(["advanced.vc1", "fields.vc1", "main.mkv"], {"main.mkv"}))
def test_the_fixtures_are_valid(name):
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "warning", "-err_detect", "explode", "-i", film(name), "-f", "null", "-"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert not re.search("overconsumption|invalid|error", done.stderr, re.IGNORECASE)
    assert [numbered.read(each) for each in greys(film(name))] == list(range(COUNT))


@pytest.mark.parametrize("name", tiered(NUMBERED + REAL, {"advanced.ts", "main.asf", "fields.mp4"}))
def test_every_frame_and_time_matches_ffmpeg(engine, name):
    path = film(name)
    with engine.session(path, deinterlacing=OFF) as session, attached_frames(engine, session.id) as frames:
        play(engine, session)
        seen = [(picture.md5(), picture.time_us, picture.duration_us) for picture in frames]
        assert frames.dropped == 0 and engine.state(session.id).statistics.decode_errors == 0
        assert abs(engine.state(session.id).duration_us - 10_000_000) <= 80_000
    assert [digest for digest, _, _ in seen] == framemd5(path)
    first = seen[0][1]
    assert first < 100_000
    # ffmpeg does not give the frames of elementary streams their times either; each is shown for one frame duration.
    assert [round((at - first) / 40_000, 3) for _, at, _ in seen] == pytest.approx(list(range(COUNT)), abs=0.03)
    assert all(abs(length - 40_000) <= 1000 for _, _, length in seen[:-1]) and 19_000 < seen[-1][2] < 41_000


@pytest.mark.parametrize("name", tiered(NUMBERED + REAL + CUT, {"real.mkv"}))
def test_enginectl_lists_the_same_frames_as_ffmpeg(engine, name):
    path = film(name)
    ours = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, path, "--sink", "null", "--realtime=false"],
                          check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    lines = [line.split("\t") for line in ours.splitlines()]
    assert [digest for _, digest in lines] == framemd5(path)
    times = [float(each) for each, _ in lines]
    assert times == sorted(set(times)) and 0 <= times[0] < 0.1
    if not name.startswith("cut"):
        assert [each - times[0] for each in times] == pytest.approx([n / 25 for n in range(COUNT)], abs=0.0011)


@pytest.mark.parametrize("name", tiered(NUMBERED, {"advanced.mkv", "main.avi"}))
def test_a_seek_shows_the_frame_at_its_target(engine, name):
    draw = random.Random(name)
    with engine.session(film(name), deinterlacing=OFF) as session:
        with attached_frames(engine, session.id, pace=REALTIME) as frames:
            shown = wait_for_frame(frames, None, lambda each: True)
            begin = shown.time_us
            for wanted in [draw.randrange(COUNT) for _ in range(8)] + [0, COUNT - 1]:
                moment = begin + wanted * 40_000 + 10_000
                seek(engine, session, moment / 1e6)
                shown = wait_for_frame(frames, shown, lambda each: each.time_us <= moment < each.time_us + each.duration_us)
                assert number(shown) == wanted, (wanted, shown.time_us)
    # Playback continues after a seek without a gap.
    with engine.session(film(name), deinterlacing=OFF) as session, attached_frames(engine, session.id) as frames:
        seek(engine, session, begin / 1e6 + 4.02)
        eventually(lambda: engine.state(session.id).position.position_us > 4_000_000, "the seek to be over")
        play(engine, session)
        numbers = [number(picture) for picture in frames]
    assert numbers[numbers.index(100):] == list(range(100, COUNT))


@pytest.mark.parametrize("name", tiered(NUMBERED, {"main.asf"}))
def test_stills_are_the_frames_at_their_times(engine, name):
    path, draw = film(name), random.Random(name)
    begin = snapshot(engine, source(path), 0).time_us
    moments = [begin + n * 40_000 + step for n in [0, COUNT - 1, *draw.sample(range(COUNT), 9)] for step in (1_000, 38_000)]
    found = [snapshot(engine, source(path), each) for each in moments]
    assert numbered.numbers([each.data for each in found]) == [(each - begin) // 40_000 for each in moments]
    small = [thumbnail(engine, source(path), each) for each in moments]
    group = 1 if name in FIELDS else GROUP
    assert numbered.numbers([each.data for each in small]) == [(each - begin) // 40_000 // group * group for each in moments]


@pytest.mark.parametrize("name", tiered(["advanced.ts", "advanced.mkv", "main.asf", "fields.mkv"], {"advanced.ts", "main.asf"}))
def test_keyframe_seeks_land_on_random_access_points(engine, name):
    with engine.session(film(name)) as session:
        eventually(lambda: engine.state(session.id).production.plan_complete, "the plan")
        answer = engine.stub.Seek(engine_pb2.SeekRequest(
            session_id=session.id, position_us=5_500_000, mode=engine_pb2.SEEK_MODE_KEYFRAME), timeout=PATIENCE)
        wanted = 5_500_000 if name in FIELDS else 120 * 40_000
        assert abs(answer.state.position.position_us - wanted) <= 80_000


@pytest.mark.parametrize(("name", "rate", "count"), tiered([("fields.ts", "off", 1), ("fields.ts", "frame", 1), ("fields.mkv", "field", 2)], lambda case: case[1] == "field"))
def test_fields_are_deinterlaced(engine, name, rate, count):
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, film(name), "--sink", "null", "--realtime=false",
                           "--deinterlace", rate], check=True, capture_output=True, text=True, timeout=PATIENCE)
    found = [line.split("\t")[1] for line in done.stdout.splitlines()]
    assert abs(len(found) - count * COUNT) <= 1
    assert (found == framemd5(film(name))) == (rate == "off")


@pytest.mark.long
def test_windows_media_plays_with_audio(engine):
    path = film("sound.wmv")
    with engine.session(path) as session, attached_sound(engine, session.id, format=frames_pb2.PCM_FORMAT_F32) as sound:
        kinds = {each.kind: each for each in session.state.media.streams}
        assert kinds[media_pb2.STREAM_KIND_VIDEO].codec == "wmv3" and kinds[media_pb2.STREAM_KIND_AUDIO].codec == "wmav2"
        assert session.state.path == software_pb2.PLAYBACK_PATH_SOFTWARE
        play(engine, session)
        player = Player(sound, 3)
        player.until(lambda: sound.has_ended and (sound.consumed == sound.written or not sound.is_running))
        player.heard += sound.take_samples()
    expected, heard = samples(path, "pcm_f32le"), bytes(player.heard)
    frames = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "frame=pts_time", "-of", "csv=p=0", path],
                            capture_output=True, text=True, check=True).stdout
    # The decoder returns nothing for its first packets.
    at = heard.find(expected[:4096])
    assert at / 4 / 48000 == pytest.approx(float(frames.splitlines()[0]), abs=0.001) and not any(heard[:at])
    assert len(expected) > 9 * 48000 * 4 and heard[at:at + len(expected)] == expected


@pytest.mark.parametrize(("name", "codec", "profile"), tiered([
    (name, codec, profile) for name, codec in (
        ("advanced.ts", "vc1"), ("advanced.mkv", "vc1"), ("advanced.mp4", "vc1"), ("advanced.asf", "vc1"), ("fields.mkv", "vc1"),
        ("main.asf", "wmv3"), ("main.mkv", "wmv3")) for profile in ("", "chromium", "apple", "everything")],
    lambda case: case[0] in ("advanced.ts", "main.asf") or case[2] == "everything"))
def test_players_are_refused_with_the_reason(engine, name, codec, profile):
    with engine.session(film(name), profile=profile) as session:
        state = session.state
        lead = state.media.streams[0]
        assert state.path == software_pb2.PLAYBACK_PATH_SOFTWARE and state.route == "software"
        assert lead.codec == codec and lead.route == "software" and codec in lead.route_reason
        assert lead.route_reason in state.route_reason
        assert (lead.video.width, lead.video.height) == (192, 96)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(session.url, timeout=PATIENCE)
        body = refused.value.read().decode()
        assert refused.value.code == 409 and body.startswith("path_conflict") and codec in body
        with pytest.raises(grpc.RpcError) as refused:
            engine.stub.SelectPath(software_pb2.SelectPathRequest(
                session_id=session.id, path=software_pb2.PLAYBACK_PATH_REMUX), timeout=PATIENCE)
        assert refused.value.details().startswith("path_conflict")


@pytest.mark.parametrize("name", tiered(CUT, {"cut.mkv"}))
def test_truncated_frames_are_concealed_and_counted(engine, name):
    with engine.session(film(name)) as session, attached_frames(engine, session.id) as frames:
        count = receive_all_frames(engine, session, frames)
        assert engine.state(session.id).phase == state_pb2.PHASE_ENDED and count == len(framemd5(film(name)))
        # Two of every five packets return nothing at all.
        eventually(lambda: engine.state(session.id).statistics.decode_errors >= 100, "the errors to be counted")
