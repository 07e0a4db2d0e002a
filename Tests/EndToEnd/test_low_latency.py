# SPDX-License-Identifier: Apache-2.0
"""Low-latency HLS: segments of a live transport stream are listed in parts while they arrive, every part stays as it was
announced, and a segment is the concatenation of its parts."""

import collections
import fractions
import re
import subprocess
import threading
import time

import pytest
from harness import hls, numbered
from harness.channels import channel, offset_at
from harness.engine import PATIENCE, eventually
from harness.live import numbered_picture
from harness.places import ENGINECTL, clip
from harness.tiers import tiered
from harness.watching import Notices
from harness.web_page import WebPage, chromium, firefox, link, shown_number
from test_live_transport import without

PART = 0.4
SECONDS = 20
# By how much audio may be behind the pictures in the stream.
SKEW = 0.3


def encode(path, *audio, rate="25", seconds=SECONDS):
    """A transport stream of numbered pictures with a keyframe every two seconds, and with one frame of audio in each PES
    packet."""
    group = str(round(2 * float(fractions.Fraction(rate))))
    packager = subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pixel_format", "gray", "-video_size", "320x192", "-framerate", rate, "-i",
         "pipe:0", "-f", "lavfi", "-i", f"sine=440:d={seconds}:r=48000", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
         "-b:v", "1M", "-g", group, "-keyint_min", group, "-sc_threshold", "0", "-bf", "2", *audio, "-pes_payload_size", "1", "-f", "mpegts",
         str(path)], stdin=subprocess.PIPE)
    with packager.stdin:
        for number in range(seconds * 25):
            packager.stdin.write(numbered_picture(number))
    assert packager.wait() == 0
    return path.read_bytes()


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return encode(tmp_path_factory.mktemp("parts") / "channel.ts", "-c:a", "aac")


def playlist(session, name="video", query=""):
    return hls.fetch(session.url.replace("master.m3u8", f"{name}.m3u8{query}")).decode()


def parts(text):
    """The paths of the listed parts, by segment."""
    found = collections.defaultdict(list)
    for uri in re.findall(r'#EXT-X-PART:.*URI="([^"]+)"', text):
        found[int(uri.split("/")[-1].split(".")[0])].append(uri)
    return found


def fetch(session, path):
    return hls.fetch(session.url.replace("master.m3u8", path))


def status_of(session, path):
    return hls.request(session.url.replace("master.m3u8", path)).status


def end(text):
    """How much of the timeline a playlist lists, in seconds."""
    whole = sum(float(length) for length in re.findall(r"#EXTINF:([\d.]+)", text))
    last = text.rsplit("#EXTINF", 1)[-1]
    return whole + sum(float(length) for length in re.findall(r"#EXT-X-PART:DURATION=([\d.]+)", last))


KINDS = {
    "copied": ("25", ("-c:a", "aac"), {}),
    "bridged": ("25", ("-c:a", "ac3", "-b:a", "192k"), {"profile": "chromium"}),
    # Segments are 2.002 s long, and frames do not fit into parts.
    "NTSC": ("30000/1001", ("-c:a", "aac", "-ar", "44100"), {}),
}


@pytest.mark.parametrize("kind", tiered(KINDS, {"copied"}))
def test_parts_never_change_and_make_up_their_segment(engine, tmp_path, stream, kind):
    rate, encoder, options = KINDS[kind]
    data = stream if kind == "copied" else encode(tmp_path / "other.ts", *encoder, rate=rate)
    seen = {"video": {}, "audio-1": {}}
    # The samples that encoding the parts of audio needs arrive a little later.
    behind = SKEW + 0.5 if kind == "bridged" else SKEW
    with channel(data, offset_at(data, 4 + behind)) as source, engine.session(source.url, low_latency=True, **options) as session:
        for step in range(11, 31):
            source.send(offset_at(data, step * PART + behind))
            for name in seen:
                text = eventually(lambda: (text := playlist(session, name)) and end(text) >= step * PART - 0.03 and text,
                                  lambda: f"{name} up to {step * PART:.1f} s: {playlist(session, name)[-900:]}")
                for number, paths in parts(text).items():
                    for path in paths:
                        seen[name].setdefault(number, {}).setdefault(path, fetch(session, path))
        source.send(offset_at(data, 16))
        eventually(lambda: playlist(session).count("#EXTINF") >= 6, "the segments up to 12 s")
        done = subprocess.run([ENGINECTL, "validate", session.url], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout
        for name, segments in seen.items():
            text = playlist(session, name)
            for number in range(1, 6):
                paths = parts(text)[number]
                assert len(paths) == 5 and list(segments[number]) == paths[:len(segments[number])]
                assert len(segments[number]) >= 4, "parts are listed while their segment arrives"
                for path, early in segments[number].items():
                    assert fetch(session, path) == early, f"{path} has changed"
                assert b"".join(fetch(session, path) for path in paths) == fetch(session, f"{name}/{number}.m4s")
            lengths = re.findall(r"#EXTINF:([\d.]+)|#EXT-X-PART:DURATION=([\d.]+)", text)
            target = float(re.search(r"PART-TARGET=([\d.]+)", text)[1])
            assert max(float(part) for _, part in lengths if part) <= target <= 0.54
            of_parts = 0
            for whole, part in lengths[:lengths.index(next(each for each in reversed(lengths) if each[0])) + 1]:
                of_parts = of_parts + float(part) if part else of_parts
                if whole:
                    assert of_parts == pytest.approx(float(whole), abs=1e-5), "parts are as long as their segment"
                    of_parts = 0


def packets(session, folder, name, count):
    """A digest of each packet of the first segments, with its times."""
    path = folder / "segments.mp4"
    path.write_bytes(b"".join(fetch(session, f"{name}/{part}") for part in ["init.mp4", *(f"{number}.m4s" for number in range(count))]))
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0", "-c", "copy", "-f", "framemd5", "-"],
                          check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert not done.stderr
    return done.stdout


def test_the_media_is_that_of_the_finished_file(engine, stream, tmp_path):
    path = tmp_path / "file.ts"
    path.write_bytes(stream)
    with channel(stream, offset_at(stream, 12.5)) as source, engine.session(source.url, low_latency=True) as session:
        eventually(lambda: playlist(session).count("#EXTINF") >= 6, "the segments up to 12 s")
        with engine.session(path, segment_target_us=2_000_000) as whole:
            for name in ("video", "audio-1"):
                assert packets(session, tmp_path, name, 6) == packets(whole, tmp_path, name, 6), name


def test_requests_wait_for_what_comes_next(engine, stream):
    with channel(stream, offset_at(stream, 6.5 + SKEW)) as source, engine.session(source.url, low_latency=True) as session:
        text = eventually(lambda: (text := playlist(session)) and len(parts(text)[3]) == 1 and text, "the first part of segment 3")
        assert "CAN-BLOCK-RELOAD=YES" in text and '#EXT-X-RENDITION-REPORT:URI="audio-1.m3u8",LAST-MSN=3,LAST-PART=0' in text
        hint = re.search(r'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="([^"]+)"', text)[1]
        assert hint == "video/3.1.m4s"
        # Requests for parts that are already listed are answered at once.
        assert playlist(session, query="?_HLS_msn=2") == playlist(session, query="?_HLS_msn=3&_HLS_part=0") == text
        answers = {}

        def ask(path):
            answers[path] = fetch(session, path)

        wanted = ["video.m3u8?_HLS_msn=3&_HLS_part=1", "audio-1.m3u8?_HLS_msn=3&_HLS_part=1", hint, "audio-1/3.1.m4s",
                  "video.m3u8?_HLS_msn=3"]
        threads = [threading.Thread(target=ask, args=[path]) for path in wanted]
        for thread in threads:
            thread.start()
        # The engine answers others meanwhile.
        for _ in range(20):
            assert playlist(session) == text
            time.sleep(0.01)
        assert not answers
        source.send(offset_at(stream, 6.9 + SKEW))
        eventually(lambda: len(answers) == 4, lambda: f"the second part: {list(answers)}")
        assert [len(parts(answers[path].decode())[3]) for path in wanted[:2]] == [2, 2]
        source.send(offset_at(stream, 9))
        for thread in threads:
            thread.join(PATIENCE)
        assert answers[hint] == fetch(session, hint)
        assert answers["video.m3u8?_HLS_msn=3"].count(b"#EXTINF") == 4
        for query, status in (("?_HLS_msn=99", 400), ("?_HLS_part=1", 400), ("?_HLS_msn=x", 400)):
            assert status_of(session, f"video.m3u8{query}") == status, query
        for path in ("video/2.5.m4s", "video/2.99.m4s"):
            assert status_of(session, path) == 404, path


@pytest.mark.long
def test_a_track_that_vanishes_delays_the_rest(engine, stream):
    data = without(stream, 0x101, offset_at(stream, 5))
    with channel(data, offset_at(data, 6)) as source, engine.session(source.url, low_latency=True) as session:
        eventually(lambda: playlist(session).count("#EXTINF") == 2, "the segments with both tracks")
        source.send(offset_at(data, 18))
        # The pictures continue four seconds behind.
        eventually(lambda: playlist(session).count("#EXTINF") >= 6, "the segments up to 12 s")
        for path in ("video/4.0.m4s", "video/5.4.m4s", "audio-1/4.0.m4s", "video/5.m4s"):
            fetch(session, path)


def test_a_wait_ends_with_the_session(engine, stream):
    with channel(stream, offset_at(stream, 6.5 + SKEW)) as source:
        session = engine.load(source.url, low_latency=True)
        eventually(lambda: len(parts(playlist(session))[3]) == 1, "the first part of segment 3")
        codes = []

        def ask(path):
            codes.append(status_of(session, path))

        threads = [threading.Thread(target=ask, args=[path]) for path in ("video.m3u8?_HLS_msn=3&_HLS_part=1", "video/3.1.m4s")]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        session.stop()
        for thread in threads:
            thread.join(PATIENCE)
        assert codes == [410, 410]


def test_without_the_option_or_a_live_stream_nothing_has_parts(engine, stream):
    with channel(stream, offset_at(stream, 8)) as source, engine.session(source.url) as session:
        assert "PART" not in playlist(session) and "PART" not in playlist(session, query="?_HLS_msn=99&_HLS_part=0")
    watch = Notices(engine)
    with engine.session(clip("h264-aac.mkv")) as plain:
        text = playlist(plain)
    with engine.session(clip("h264-aac.mkv"), low_latency=True) as session:
        assert playlist(session) == text
        eventually(lambda: "live.no_low_latency" in watch.codes, "the notice")
    watch.end()


def test_a_player_that_knows_no_parts_plays(engine, stream, tmp_path):
    with channel(stream, len(stream), ends=True) as source, engine.session(source.url, low_latency=True) as session:
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-live_start_index", "0", "-i", session.url, "-t", "12", "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "rawvideo",
             "-pix_fmt", "gray", "-"], check=True, capture_output=True, timeout=PATIENCE)
        assert not done.stderr, done.stderr
        size = 320 * 192
        shown = [numbered.read(done.stdout[at:at + size], width=320) for at in range(0, len(done.stdout), size)]
        assert shown == list(range(len(shown))) and len(shown) >= 11.9 * 25, shown


BROWSERS = {"chromium": chromium, "firefox": firefox}


@pytest.mark.long
@pytest.mark.parametrize("browser", tiered(BROWSERS, {"chromium"}))
def test_the_page_shows_a_segment_that_is_still_arriving(start_engine, stream, browser):
    engine = start_engine()
    with channel(stream, offset_at(stream, 7.3 + SKEW)) as source, BROWSERS[browser]() as browser:
        engine.load(source.url, low_latency=True)
        page = WebPage(browser.driver)
        page.open(link(engine))
        page.press("k")
        # Segment 3 begins at 6 s, and 1.3 s of it have arrived. Browsers stop a few frames before the end of what they have.
        eventually(lambda: (shown_number(page) or 0) >= 6.8 * 25, lambda: f"the newest part, on {page.look()}")
        assert shown_number(page) <= 7.3 * 25
        source.send(offset_at(stream, 11.7 + SKEW))
        eventually(lambda: (shown_number(page) or 0) >= 11.2 * 25, lambda: f"what came since, on {page.look()}")
        look = page.look()
        assert look["error"] is None and look["complaints"] == [] and len(look["ranges"]) == 1, look
