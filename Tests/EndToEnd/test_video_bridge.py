# SPDX-License-Identifier: Apache-2.0
"""Video that a player does not decode is encoded: every frame once, at its time, and in the right order."""

import concurrent.futures
import json
import subprocess

import grpc
import pytest
from harness import numbered
from harness.browser import chromium
from harness.contract import engine_pb2, programs_pb2
from harness.engine import PATIENCE, eventually, is_idle
from harness.hls import Media, fetch, request
from harness.places import ENGINECTL
from harness.tiers import tiered
from harness.watching import Notices
from selenium.webdriver.common.by import By

NEVER, NEEDED, ALWAYS = (
    engine_pb2.VIDEO_BRIDGE_NEVER, engine_pb2.VIDEO_BRIDGE_WHEN_NEEDED, engine_pb2.VIDEO_BRIDGE_ALWAYS)
COUNT = 250
# The difficulty of each: open groups of pictures, decode times only, packed pictures, fields, uneven durations.
FILMS = ["mpeg2.ts", "mpeg2.mpg", "mpeg2-noisy.mpg", "mpeg2-fields.ts", "mpeg4.avi", "packed.avi", "mpeg4.mp4", "theora.ogg", "wmv2.asf",
         "mjpeg.avi", "hevc.mp4", "hevc.mkv", "hevc.ts", "h264.mkv", "h264-fields.mkv", "h264-fields.ts", "vp9.webm", "av1.mkv",
         "vfr.mkv", "ntsc.ts"]
LEAN = {"mpeg2.mpg", "packed.avi"}


def served(session, tmp_path, is_audio=False):
    """The video track, or the first one of audio, as one file."""
    master = session.master()
    (_, url), *_ = master.renditions if is_audio else master.variants
    media = Media.complete(url)
    path = tmp_path / ("audio.mp4" if is_audio else "served.mp4")
    path.write_bytes(b"".join(fetch(url) for url in [media.init, *(each.url for each in media.segments)]))
    return path


def shown(path):
    """The number in each frame, with its time in seconds."""
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time", "-of", "json",
         path], capture_output=True, check=True)
    times = [float(each["best_effort_timestamp_time"]) for each in json.loads(done.stdout)["frames"]]
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt",
         "gray", "-"], capture_output=True, check=True).stdout
    size = numbered.WIDTH * numbered.HEIGHT
    numbers = [numbered.read(raw[at:at + size]) for at in range(0, len(raw), size)]
    assert len(times) == len(numbers)
    return times, numbers


def spacing(name):
    """The time of each frame in seconds, from the first."""
    if name == "vfr.mkv":
        return [(2 * (number // 3) * 3 + (number % 3 + 1) * (number % 3) / 2) / 25 for number in range(COUNT)]
    return [number * (1001 / 30000 if name == "ntsc.ts" else 0.04) for number in range(COUNT)]


@pytest.mark.parametrize("name", tiered(FILMS, LEAN))
def test_each_frame_is_served_once_at_its_time(engine, tmp_path, name):
    with engine.session(numbered.film(name), video_bridge=ALWAYS, segment_target_us=1_000_000) as session:
        times, numbers = shown(served(session, tmp_path))
        state = engine.state(session.id)
        stream = next(each for each in state.media.streams if each.video.width)
        assert (stream.route, stream.delivery.sample_entry) == ("bridge", "avc1")
    assert numbers == list(range(COUNT))
    assert times == sorted(times)
    # One packet of the program stream holds dozens of pictures and one time; the demuxer guesses the others.
    exactness = 0.09 if name == "mpeg2.mpg" else 0.0011
    assert [time - times[0] for time in times] == pytest.approx(spacing(name), abs=exactness)


def test_the_options_and_the_player_decide(engine):
    def video(path, **options):
        with engine.session(path, **options) as session:
            return next(each for each in engine.state(session.id).media.streams if each.video.width)

    film = numbered.film("hevc.mp4")
    assert video(film, profile="apple", video_bridge=NEEDED).route == "remux"
    assert video(film, profile="apple", video_bridge=ALWAYS).route == "bridge"
    assert video(numbered.film("mpeg2.ts"), profile="apple").route == "software"
    needed = video(numbered.film("mpeg2.ts"), profile="apple", video_bridge=NEEDED)
    assert needed.route == "bridge" and needed.route_reason.endswith("; decoded and encoded to H.264")
    assert needed.video.width == 192 and needed.codec == "mpeg2video"


CODECS = {"vp9": ("vp09", "vp09.00.21.08"), "av1": ("av01", "av01.0.01M.08")}


@pytest.mark.parametrize("codec", CODECS)
def test_each_frame_is_served_once_at_its_time_in_another_codec(engine, tmp_path, codec):
    film = numbered.film("mpeg2.ts")
    with engine.session(film, video_bridge=ALWAYS, video_bridge_codec=codec, segment_target_us=1_000_000) as session:
        times, numbers = shown(served(session, tmp_path))
        stream = next(each for each in engine.state(session.id).media.streams if each.video.width)
        fields, _ = session.master().variants[0]
    assert (stream.route, stream.delivery.codec, stream.delivery.sample_entry) == ("bridge", codec, CODECS[codec][0])
    assert fields["CODECS"].split(",")[0].startswith(CODECS[codec][1])
    assert stream.route_reason.endswith(f"; decoded and encoded to {codec.upper()}")
    assert numbers == list(range(COUNT))
    assert [time - times[0] for time in times] == pytest.approx(spacing("mpeg2.ts"), abs=0.0011)


def boxes(data, kind):
    """The payloads of the boxes of a kind, wherever they are."""
    at = data.find(kind)
    while at >= 0:
        yield data[at + 4:at - 4 + int.from_bytes(data[at - 4:at])]
        at = data.find(kind, at + 4)


def test_the_init_segment_of_av1_has_the_sequence_header_of_every_segment(engine):
    with engine.session(numbered.film("hevc.mkv"), video_bridge=ALWAYS, video_bridge_codec="av1",
                        segment_target_us=1_000_000) as session:
        media = Media.complete(session.master().variants[0][1])
        record, = boxes(fetch(media.init), b"av1C")
        header = record[4:]
        assert header[0] == 0x0A and header[1] == len(header) - 2
        bodies = [next(boxes(fetch(segment.url), b"mdat")) for segment in media.segments]
    assert len(bodies) > 4 and all(body.startswith(header) for body in bodies)


def test_the_profile_and_the_client_decide_the_codec(engine):
    def delivered(**options):
        with engine.session(numbered.film("mpeg2.ts"), video_bridge=NEEDED, **options) as session:
            stream = next(each for each in engine.state(session.id).media.streams if each.video.width)
            return stream.delivery.codec if stream.route == "bridge" else stream.route

    def player(*formats, **options):
        return engine_pb2.PlayerProfile(formats=[*formats, "mp4a.40.2"], **options)

    assert delivered(profile="chromium") == "h264"
    assert delivered(profile="chromium", video_bridge_codec="av1") == "av1"
    assert delivered(custom_profile=player("av01", "vp09")) == "vp9"
    assert delivered(custom_profile=player("avc1", "av01", video_bridges=["av1", "h264"])) == "av1"
    assert delivered(custom_profile=player("avc1", video_bridges=["av1", "h264"])) == "h264"
    notices = Notices(engine)
    assert delivered(profile="apple", video_bridge_codec="vp9") == "software"
    eventually(lambda: "video.not_bridged" in notices.codes, "the notice")
    notices.end()
    assert notices.texts[notices.codes.index("video.not_bridged")].endswith('profile "apple" does not play vp9')
    with pytest.raises(grpc.RpcError) as refused:
        engine.load(numbered.film("mpeg2.ts"), video_bridge_codec="hevc")
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert 'options.video_bridge_codec has the unknown value "hevc"' in refused.value.details()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Three seconds of 1280x720 at 25 frames per second."""
    path = tmp_path_factory.mktemp("sizes") / "large.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=3", "-c:v", "mpeg2video",
                    "-q:v", "4", "-g", "25", path], check=True)
    return path


def test_a_stated_size_gives_the_same_bytes_in_another_engine_and_after_a_kill(engine, start_engine, large):
    other = start_engine()
    found = []
    for each in (engine, other):
        session = each.load(large, video_bridge=ALWAYS, video_bridge_lines=360, segment_target_us=1_000_000)
        (fields, url), = session.master().variants
        assert fields["RESOLUTION"] == "640x360"
        stream = next(stream for stream in each.state(session.id).media.streams if stream.video.width)
        assert stream.video.height == 720 and stream.route_reason.endswith("; decoded and encoded to H.264 in 640x360")
        media = Media.complete(url)
        found.append([fetch(media.init), *(fetch(segment.url) for segment in media.segments)])
        if each is engine:
            session.stop()
    assert len(found[0]) == 4 and found[0] == found[1]
    other.kill()
    other = start_engine(directory=other.directory)
    eventually(lambda: other.state().production.plan_complete, "the session to be restored")
    assert [fetch(media.init), *(fetch(segment.url) for segment in media.segments)] == found[0]


@pytest.fixture(scope="module")
def demanding(tmp_path_factory):
    """Two seconds of 1920x1080 at 25 frames per second."""
    path = tmp_path_factory.mktemp("speeds") / "demanding.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25:d=2", "-c:v", "mpeg2video",
                    "-q:v", "6", "-g", "25", path], check=True)
    return path


def test_a_machine_that_is_too_slow_encodes_a_smaller_size_from_beginning_to_end(engine, start_engine, demanding, monkeypatch):
    def resolution(session):
        (fields, url), = session.master().variants
        return fields["RESOLUTION"], url

    def everything(url):
        media = Media.complete(url)
        return [fetch(media.init), *(fetch(segment.url) for segment in media.segments)]

    # 14 frames per second of the full size, and 32 of 1280x720.
    monkeypatch.setenv("ENGINED_TEST_PIXELS", str(32 * 1280 * 720))
    slow = start_engine()
    notices = Notices(slow)
    session = slow.load(demanding, video_bridge=ALWAYS, segment_target_us=1_000_000)
    size, url = resolution(session)
    stream = next(each for each in slow.state(session.id).media.streams if each.video.width)
    assert size == "1280x720" and stream.video.height == 1080
    assert stream.route_reason.endswith("; decoded and encoded to H.264 in 1280x720")
    found = everything(url)
    assert len(found) == 3
    eventually(lambda: "video.too_slow" in notices.codes, "the notice")
    notices.end()
    assert notices.codes.count("video.too_slow") == 1
    assert notices.texts[notices.codes.index("video.too_slow")].endswith(
        "this machine encodes 14 frames per second of 1920x1080, and mpeg2video stream 0 has 25; it is encoded in 1280x720 with "
        "preset superfast (video_bridge_lines = 720)")
    slow.kill()
    # The same machine, as if it had nothing else to do.
    monkeypatch.setenv("ENGINED_TEST_PIXELS", str(1000 * 1920 * 1080))
    fast = start_engine(directory=slow.directory)
    eventually(lambda: fast.state().production.plan_complete, "the session to be restored")
    assert everything(url) == found
    notices = Notices(fast)
    for _ in range(2):
        assert resolution(fast.load(demanding, video_bridge=ALWAYS, segment_target_us=1_000_000))[0] == "1920x1080"
    # All notices of the first load come before those of the second.
    eventually(lambda: notices.codes.count("video.bridged") == 2, "the notices")
    notices.end()
    assert "video.too_slow" not in notices.codes
    with engine.session(demanding, video_bridge=ALWAYS, video_bridge_lines=720, segment_target_us=1_000_000) as stated:
        assert everything(resolution(stated)[1]) == found


@pytest.mark.long
def test_a_size_that_was_measured_is_not_stated_after_a_kill_and_another_program_is_measured_again(start_engine, tmp_path, monkeypatch):
    film = tmp_path / "programs.ts"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25:d=2", "-map", "0:v", "-map", "0:v",
                    "-c:v", "mpeg2video", "-q:v", "6", "-g", "25", "-program", "program_num=1:st=0", "-program", "program_num=2:st=1", film],
                   check=True)

    def reason(state):
        found, = (each.route_reason for each in state.media.streams if each.route == "bridge")
        return found.split("; ")[-1]

    monkeypatch.setenv("ENGINED_TEST_PIXELS", str(32 * 1280 * 720))
    slow = start_engine()
    session = slow.load(film, video_bridge=ALWAYS, segment_target_us=1_000_000)
    assert reason(slow.state(session.id)) == "decoded and encoded to H.264 in 1280x720"
    slow.kill()
    monkeypatch.setenv("ENGINED_TEST_PIXELS", str(1000 * 1920 * 1080))
    fast = start_engine(directory=slow.directory)
    eventually(lambda: fast.state(session.id).production.plan_complete, "the session to be restored")
    assert reason(fast.state(session.id)) == "decoded and encoded to H.264 in 1280x720"
    request = engine_pb2.SelectProgramRequest(session_id=session.id, program=programs_pb2.ProgramSelection(number=2))
    assert reason(fast.stub.SelectProgram(request, timeout=PATIENCE).state) == "decoded and encoded to H.264"
    # A size that the client stated is kept.
    stated = fast.load(film, video_bridge=ALWAYS, video_bridge_lines=360, segment_target_us=1_000_000)
    fast.kill()
    again = start_engine(directory=fast.directory)
    eventually(lambda: again.state(stated.id).production.plan_complete, "the other session to be restored")
    request.session_id = stated.id
    assert reason(again.stub.SelectProgram(request, timeout=PATIENCE).state) == "decoded and encoded to H.264 in 640x360"


def test_a_device_encodes_if_there_is_one_and_otherwise_the_processor_as_ever(engine):
    def found(**options):
        with engine.session(numbered.film("mpeg2.ts"), video_bridge=ALWAYS, segment_target_us=1_000_000, **options) as session:
            stream = next(each for each in engine.state(session.id).media.streams if each.video.width)
            media = Media.complete(session.master().variants[0][1])
            return stream.route_reason.split("; ")[-1], [fetch(media.init), *(fetch(segment.url) for segment in media.segments)]

    plain = found()
    assert plain[0] == "decoded and encoded to H.264"
    notices = Notices(engine)
    reason, segments = found(video_bridge_hardware=True)
    eventually(lambda: "video.bridged" in notices.codes, "the notices")
    notices.end()
    if reason == plain[0]:
        assert segments == plain[1]
        assert notices.codes.count("video.no_hardware_encoder") == 1
        text = notices.texts[notices.codes.index("video.no_hardware_encoder")]
        assert "because no device does (VAAPI: " in text and "; NVENC: " in text, text
    else:
        assert reason in (f"{plain[0]} by VAAPI", f"{plain[0]} by NVENC") and "video.no_hardware_encoder" not in notices.codes
        assert len(segments) == len(plain[1])


def test_sizes_are_checked(engine, large):
    for lines in (47, 4321):
        with pytest.raises(grpc.RpcError) as refused:
            engine.load(large, video_bridge_lines=lines)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "video_bridge_lines must be from 48 to 4320 lines" in refused.value.details()


def test_a_stop_ends_encoding(start_engine, tmp_path):
    # One segment, which takes more than a second.
    film = tmp_path / "long.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=50:d=12", "-c:v", "mpeg2video",
                    "-q:v", "4", "-g", "600", film], check=True)
    engine = start_engine()
    session = engine.load(film, video_bridge=ALWAYS, segment_target_us=12_000_000)
    segment, = Media.complete(session.master().variants[0][1]).segments
    opened = engine.cpu_seconds()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asked = pool.submit(request, segment.url)
        eventually(lambda: engine.cpu_seconds() >= opened + 0.2, "the first segment to be encoded")
        session.stop()
        stopped = engine.cpu_seconds()
        # The stop has not waited until the segment was encoded.
        assert asked.result(PATIENCE).status == 410
    eventually(lambda: is_idle(engine.pid), "the engine to be idle")
    # Less than the rest of the segment takes, whatever runs beside the engine.
    assert engine.cpu_seconds() - stopped <= 0.1


@pytest.mark.long
@pytest.mark.parametrize("codec", ["h264", *CODECS])
def test_what_is_served_is_valid(engine, codec):
    for name in ("vp9.webm", "theora.ogg"):
        with engine.session(numbered.film(name), video_bridge=ALWAYS, video_bridge_codec=codec) as session:
            done = subprocess.run([ENGINECTL, "validate", session.url], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.mark.long
@pytest.mark.parametrize("codec", ["h264", *CODECS])
def test_chromium_shows_the_right_picture_of_what_serve_serves(engine, browser, codec):
    film = numbered.film("mpeg2.mpg")
    running = subprocess.Popen(
        [ENGINECTL, "--socket", engine.socket, "serve", "--profile", "chromium", "--video-bridge-codec", codec, film],
        stdout=subprocess.PIPE, text=True)
    try:
        url = running.stdout.readline().strip()
        assert browser.open(url) == "ok"
        for target in (6.02, 1.5):
            landed = browser.seek(target)
            assert landed["landed"] is not None, landed
            browser.driver.execute_script("document.getElementById('v').pause()")

            def agrees():
                element = browser.driver.find_element(By.ID, "v")
                number = numbered.numbers([element.screenshot_as_png])[0]
                return number is not None and abs(number - browser.value("currentTime") * 25) <= 1.5

            eventually(agrees, f"the picture at {target} s")
        browser.close()
    finally:
        running.terminate()
        running.wait(PATIENCE)
