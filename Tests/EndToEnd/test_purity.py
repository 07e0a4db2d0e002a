# SPDX-License-Identifier: Apache-2.0
"""A segment is a pure function of the source and the options: its bytes do not depend on order, history or process."""

import concurrent.futures
import contextlib
import functools
import os
import random
import subprocess

import pytest
from harness.contract import engine_pb2
from harness.engine import PATIENCE, Session, running_engine
from harness.hls import Media, digest, fetch
from harness.numbered import film
from harness.places import SAMPLES, clip
from harness.tiers import tiered

KINDS = [
    "h264-aac.mkv", "h264-aac.mp4", "h264-aac-fragmented.mp4", "h264-aac.ts", "h264-aac.flv", "h264-aac.avi",
    "vp9-opus.webm", "av1-opus.mkv", "hevc-eac3.mkv", "hevc-eac3.ts", "open-gop.mkv", "open-gop.mp4", "b-pyramid.mkv",
    "b-pyramid.mp4", "vfr.mkv", "vfr.mp4", "nonzero-start.ts", "nonzero-start.mkv", "several.mkv", "raw.h264", "raw.aac",
    "audio.mp3", "audio.flac", "audio-flac.ogg", "audio.opus",
]


# Bridged audio, chosen by what makes its source or codec difficult: preroll, odd frame lengths, a rounded clock, a
# layout change, no index.
BRIDGED = [
    "pcm_s24le.mkv", "pcm_f32be.mov", "pcm_bluray.m2ts", "pcm.wav", "truehd.mkv", "mlp-stereo.mkv", "dts.mkv",
    "dts-stereo.ts", "mp2.ts", "vorbis.mkv", "vorbis.ogg", "latm.ts", "wmav2.mkv", "changing-dts.ts", "changing-rate.ts",
]
LOSSLESS = {"bridge_mode": engine_pb2.BRIDGE_MODE_LOSSLESS}
SOURCES = {name: (name, {}) for name in KINDS}
SOURCES |= {f"surround {name}": (f"formats/{name}", {}) for name in BRIDGED}
SOURCES |= {f"lossless {name}": (f"formats/{name}", LOSSLESS) for name in BRIDGED}
SOURCES |= {f"chromium {name}": (f"formats/{name}", {"profile": "chromium"}) for name in ("ac3.ts", "eac3.mkv", "dts.mkv")}
# Video that is encoded: open groups of pictures, decode times only, fields, a codec that is remuxed unless told otherwise.
ENCODED = {"video_bridge": engine_pb2.VIDEO_BRIDGE_ALWAYS, "segment_target_us": 1_000_000}
SOURCES |= {f"encoded {name}": (film(name), ENCODED) for name in
            ("mpeg2.mpg", "mpeg2-fields.ts", "packed.avi", "hevc.mkv", "hevc.ts", "vfr.mkv", "theora.ogg")}
# The other encoders; the noise makes segments that are too large at first.
SOURCES |= {f"encoded to {codec} {name}": (film(name), ENCODED | {"video_bridge_codec": codec}) for codec in ("vp9", "av1")
            for name in ("mpeg2-noisy.mpg", "hevc.mkv", "vfr.mkv")}
SOURCES |= {f"encoded with a ladder {name}": (film(name), {"ladder": [48], "segment_target_us": 1_000_000}) for name in
            ("h264.mkv", "h264.ts")}
# Dolby Vision with a second layer becomes profile 8.1, or HDR10.
CONVERTED = sorted(SAMPLES.glob("quietvoid+dovi_tool/assets/hevc_tests/*el*.hevc"))
for path in CONVERTED:
    SOURCES[f"profile 7 {path.name}"] = (path, {})
    SOURCES[f"base of {path.name}"] = (path, {"without_dolby_vision": True})
# Audio that filters with a memory change before it is encoded.
NIGHT = {"sound": engine_pb2.SoundTreatment(night_mode=True, dialogue_db=6), "segment_target_us": 1_000_000}
SOURCES |= {f"night {name}": (f"formats/{name}", NIGHT) for name in
            ("pcm_s24le.mkv", "dts.mkv", "vorbis.ogg", "latm.ts", "changing-rate.ts")}


def opened(engine, name):
    path, options = SOURCES[name]
    return engine.session(clip(path) if isinstance(path, str) else path, **options)


def digests(urls):
    """Digests by the part of the URL after the token, so that engines can be compared."""
    return {url.split("/", 4)[4]: digest(url) for url in urls}


def everything(session):
    return session.master().everything()


@pytest.fixture(scope="module")
def linear(engine):
    """The digests of a linear pass over a source. All passes use the same engine."""
    @functools.cache
    def passed(name):
        with opened(engine, name) as session:
            return digests(everything(session))
    return passed


ORDERS = ["random", "backwards", "parallel", "after seeks", "tiny cache"]


@pytest.fixture(scope="module")
def engine_of():
    """One process for each order, with its own cache folder."""
    with contextlib.ExitStack() as stack:
        @functools.cache
        def started(order):
            return stack.enter_context(running_engine(*(["--cache-bytes", "1M"] if order == "tiny cache" else [])))

        yield started


CROSSED = [(name, order) for name in SOURCES for order in ORDERS]


def is_lean(case):
    """Whether a short run has the case: every other source in one order (every fourth, if its audio is bridged, because
    test_joints.py has each decoder), and each order with several sources. Lossless audio is left out, because it differs only in its
    encoder; of encoded video, of another profile and of night mode, one source is enough;
    test_dolby_vision.py has Dolby Vision."""
    if case[0].startswith(("encoded", "chromium", "night", "base")) and case[0] not in (
            "encoded mpeg2.mpg", "encoded to vp9 hevc.mkv", "encoded to av1 hevc.mkv", "chromium ac3.ts", "night latm.ts"):
        return False
    place = CROSSED.index(case)
    source, order = divmod(place, len(ORDERS))
    if source % (4 if case[0].startswith("surround") else 2) and not case[0].startswith(("encoded", "chromium")):
        return False
    return source % len(ORDERS) == order and not case[0].startswith("lossless")


@pytest.mark.parametrize("name, order", tiered(CROSSED, is_lean))
def test_bytes_do_not_depend_on_order_or_process(engine_of, linear, name, order):
    with opened(engine_of(order), name) as session:
        urls = everything(session)
        match order:
            case "random" | "tiny cache":
                random.Random(name).shuffle(urls)
                found = digests(urls)
            case "backwards":
                found = digests(reversed(urls))
            case "parallel":
                random.Random(name).shuffle(urls)
                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    found = dict(zip((url.split("/", 4)[4] for url in urls), pool.map(digest, urls)))
            case "after seeks":
                for url in random.Random(name).choices(urls, k=12):
                    digest(url)
                found = digests(urls)
    assert found and found == linear(name)


def test_two_sessions_of_one_file_serve_the_same_bytes(engine, linear):
    with engine.session(clip("h264-aac.mkv")) as first, engine.session(clip("h264-aac.mkv")) as second:
        assert first.url != second.url
        assert digests(everything(first)) == digests(everything(second)) == linear("h264-aac.mkv")


ALONE = {"night latm.ts", "surround vorbis.ogg", "lossless truehd.mkv"}


@pytest.mark.parametrize("name", tiered([name for name in SOURCES if name not in KINDS], ALONE))
def test_a_segment_made_alone_has_the_same_bytes(start_engine, linear, name):
    """Requests the last audio segment first, in an engine that has made nothing else from this source."""
    engine = start_engine()
    with opened(engine, name) as session:
        url = everything(session)[-1]
        assert digests([url]) == {key: linear(name)[key] for key in digests([url])}


@contextlib.contextmanager
def one_core():
    """Processes that are started meanwhile run on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


several_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is only one core")


@pytest.mark.long
@several_cores
def test_encoded_video_does_not_depend_on_the_number_of_cores(start_engine, linear):
    with one_core():
        engine = start_engine()
    for name in [name for name in SOURCES if name.startswith("encoded")]:
        with opened(engine, name) as session:
            assert digests(everything(session)) == linear(name), name


@pytest.mark.long
@several_cores
@pytest.mark.parametrize("codec", ["h264", "vp9", "av1"])
def test_video_of_several_tiles_does_not_depend_on_the_number_of_cores(engine, start_engine, tmp_path, codec):
    """Pictures that are wide enough for each encoder to use its threads."""
    film = tmp_path / "wide.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=3,noise=alls=8:allf=t", "-c:v",
                    "mpeg2video", "-q:v", "3", "-bf", "2", "-g", "25", film], check=True)
    with one_core():
        other = start_engine()
    found = []
    for each in (engine, other):
        with each.session(film, video_bridge_codec=codec, **ENCODED) as session:
            found.append(digests(everything(session)))
    assert len(found[0]) >= 4 and found[0] == found[1]


@several_cores
def test_video_that_exceeds_its_bit_rate_at_first_depends_on_neither_order_nor_cores(engine, start_engine, tmp_path):
    noise = tmp_path / "noise.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=gray:s=640x360:r=25:d=3,noise=alls=60:allf=t",
                    "-c:v", "mpeg2video", "-q:v", "2", "-g", "25", noise], check=True)
    with engine.session(noise, **ENCODED) as session:
        segments = Media.complete(session.master().variants[0][1]).segments
        # 3.7 Mbit/s, a buffer of one second, and boxes. Noise takes 20 Mbit/s.
        assert len(segments) == 3 and all(len(fetch(each.url)) * 8 <= 7_400_000 for each in segments)
        expected = digests(everything(session))
    with one_core():
        other = start_engine()
    with other.session(noise, **ENCODED) as session:
        assert digests(reversed(everything(session))) == expected


@pytest.mark.skipif(not CONVERTED, reason="there is no Dolby Vision sample in ../shared/media or $ENGINE_MEDIA")
def test_dolby_vision_bytes_depend_on_the_options(linear):
    for path in CONVERTED:
        assert linear(f"profile 7 {path.name}") != linear(f"base of {path.name}")


def test_a_start_position_does_not_change_the_bytes(engine, linear):
    reply = engine.stub.Load(engine_pb2.LoadRequest(
        source=str(clip("h264-aac.mkv")), start_position_us=17_000_000), timeout=PATIENCE)
    session = Session(engine, reply)
    try:
        assert digests(reversed(everything(session))) == linear("h264-aac.mkv")
    finally:
        session.stop()
