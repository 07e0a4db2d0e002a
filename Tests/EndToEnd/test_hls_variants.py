# SPDX-License-Identifier: Apache-2.0
"""The variants of HLS sources: which one is played, how the others are described, and how players get them."""

import http.server
import json
import shutil
import subprocess
import threading

import pytest
from harness import browser, origin
from harness.bundles import RUNGS, concatenate, decoded, package_variants, served, validate
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually, running_engine, settled
from harness.hls import Master, Media, digest, fetch, request
from harness.places import ENGINECTL, clip
from harness.players import gstreamer_switches, mpv, vlc
from harness.tiers import absent, tiered

NAMES = list(RUNGS)
BANDWIDTHS = [470_800, 1_130_800, 2_890_800]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    return package_variants(tmp_path_factory.mktemp("variants"))


def ctl(engine, *arguments, code=0):
    done = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def load_options(**choice):
    return engine_pb2.LoadOptions(variants=engine_pb2.VariantSelection(**choice))


@pytest.mark.parametrize("choice, rung, reason", [
    ({}, "high", "the highest bandwidth that the player can play"),
    ({"max_height": 720}, "high", "the highest bandwidth within the caps that the player can play"),
    ({"max_height": 719}, "mid", "the highest bandwidth within the caps that the player can play"),
    ({"max_bandwidth": 1_130_799}, "low", "the highest bandwidth within the caps that the player can play"),
    ({"max_height": 100}, "low", "the lowest one, because none is within the caps"),
    ({"index": 0}, "low", "chosen by its number"),
    ({"bandwidth": 1_130_800}, "mid", "chosen by its bandwidth"),
    ({"name": "low"}, "low", "chosen by its name"),
])
def test_the_requested_variant_is_played(engine, ladder, choice, rung, reason):
    media = engine.probe(ladder, load_options(**choice))
    assert [(each.index, each.name, each.bandwidth) for each in media.variants] == list(zip(range(3), NAMES, BANDWIDTHS))
    played, = [each for each in media.variants if each.use == "played"]
    assert (played.name, played.reason) == (rung, reason)
    assert (played.width, played.height) == RUNGS[rung][:2] == (media.streams[0].video.width, media.streams[0].video.height)


@pytest.mark.long
def test_the_chosen_variant_is_served_listed_and_restored_after_a_kill(start_engine, ladder):
    engine = start_engine()
    video = Master(ctl(engine, "load", "--max-height", 480, ladder).strip()).variants[0][1]
    lines = ctl(engine, "variants").splitlines()
    assert [line[:9] for line in lines] == ["  0  low ", "* 1  mid ", "  2  high"]
    assert "640x360" in lines[1] and "1.13 Mb/s" in lines[1] and "avc1.42c01e,mp4a.40.2" in lines[1]
    assert lines[2].endswith(": its 720 lines are above the cap")
    listed = json.loads(ctl(engine, "variants", "--json"))["variants"]
    assert listed == json.loads(ctl(engine, "status", "--json"))["media"]["variants"]
    own = decoded(concatenate(ladder.parent / "mid.m3u8"), "v")
    assert decoded(served(video), "v") == own
    engine.kill()
    engine = start_engine(directory=engine.directory)
    eventually(lambda: engine.state().production.plan_complete, "the session to be restored")
    assert decoded(served(video), "v") == own


def test_an_unknown_variant_is_refused_with_the_available_ones(engine, ladder):
    output = ctl(engine, "variants", "--variant", "4k", ladder, code=1)
    assert "invalid_argument" in output and "has no variant with the name 4k, only 0 low (470800 bit/s), 1 mid" in output
    assert ctl(engine, "variants", ladder.parent / "low.m3u8") == ""


@pytest.fixture(scope="module", params=tiered(["muxed", "demuxed"], {"muxed"}))
def presentation(request, ladder, tmp_path_factory):
    """The ladder with muxed audio, and with a separate audio rendition."""
    if request.param == "muxed":
        return ladder
    return package_variants(tmp_path_factory.mktemp("demuxed"), has_own_audio=False)


def segment_start(playlist, index):
    """The presentation time of a segment's first picture."""
    data = b"".join(fetch(url) for url in (playlist.init, playlist.segments[index].url))
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", "-"], input=data,
        capture_output=True, check=True).stdout.split()
    return min(float(time.strip(b",")) for time in found)


@pytest.mark.long
def test_players_are_offered_every_variant_unchanged(engine, presentation):
    folder, is_muxed = presentation.parent, not (presentation.parent / "sound.m3u8").exists()
    with engine.session(presentation) as session:
        master = session.master()
        found = [(fields["RESOLUTION"], fields["AUDIO"]) for fields, _ in master.variants]
        audio = ["audio", "audio-1", "audio-0"] if is_muxed else ["audio"] * 3
        assert found == list(zip(["1280x720", "640x360", "320x180"], audio))
        lists = [Media(url) for _, url in master.variants]
        for index in range(6):
            assert len({segment_start(each, index) for each in lists}) == 1, "a player can switch at every segment"
        rates = [int(fields["BANDWIDTH"]) for fields, _ in master.variants]
        assert rates == sorted(rates, reverse=True) and all(own >= of for own, of in zip(rates, BANDWIDTHS[::-1]))
        validate(engine, session.url)
        for (fields, url), rung in zip(master.variants, NAMES[::-1]):
            whole_rung = concatenate(folder / f"{rung}.m3u8")
            assert decoded(served(url), "v") == decoded(whole_rung, "v")
            own = [uri for rendition, uri in master.renditions if rendition["GROUP-ID"] == fields["AUDIO"]]
            assert len(own) == 1
            assert decoded(served(own[0]), "a") == decoded(whole_rung if is_muxed else concatenate(folder / "sound.m3u8"), "a")
        assert [each.use for each in engine.state(session.id).media.variants] == ["offered", "offered", "played"]
        linear = {url.split("/", 4)[4]: digest(url) for url in master.everything()}
    with running_engine() as other, other.session(presentation) as session:
        urls = session.master().everything()[::-1]
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


def test_no_variant_is_offered_beside_encoded_video(engine, ladder):
    with engine.session(ladder, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS) as session:
        assert [each.use for each in engine.state(session.id).media.variants] == ["unused", "unused", "played"]
        assert len(session.master().variants) == 1


def test_a_variant_is_fetched_only_when_requested(engine, ladder):
    with origin.nginx(ladder.parent) as server, engine.session(f"{server.url}/film.m3u8") as session:
        def names():
            return [path.strip("/") for _, path, _ in server.requests()]

        opened = settled(names)
        assert opened[:2] == ["film.m3u8", "high.m3u8"] and not any("low" in name or "mid" in name for name in opened)
        low = session.master().variants[2][1]
        playlist = Media(low)
        fetch(playlist.segments[3].url)
        # The server's log may be late.
        eventually(lambda: "low-003.ts" in names(), "the segment in the log")
        asked = [name for name in settled(names) if name.startswith("low")]
        # The playlist; the first segment, for the streams; the second one, for whether it begins with a keyframe; and
        # then those played.
        assert asked[:4] == ["low.m3u8", "low-000.ts", "low-001.ts", "low-003.ts"] and len(asked) == len(set(asked))
        assert request(low.replace("variant-0", "variant-7")).status == 404


def test_a_missing_variant_fails_alone_and_is_retried(engine, ladder, tmp_path):
    folder = shutil.copytree(ladder.parent, tmp_path / "ladder")
    (folder / "low.m3u8").rename(folder / "away")
    with engine.session(folder / "film.m3u8") as session:
        low = session.master().variants[2][1]
        reply = request(low)
        assert reply.status == 500 and b"source_not_found" in reply.body and b"low.m3u8" in reply.body
        (folder / "away").rename(folder / "low.m3u8")
        assert len(Media(low).segments) == 6


def test_a_variant_on_a_slow_server_delays_no_other_session(engine, ladder):
    asked, released = threading.Event(), threading.Event()

    class Slow(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=ladder.parent)

        def do_GET(self):
            if "low" in self.path:
                asked.set()
                released.wait()
            super().do_GET()

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            with engine.session(f"http://127.0.0.1:{server.server_port}/film.m3u8") as session:
                low = threading.Thread(target=request, args=[session.master().variants[2][1]])
                low.start()
                assert asked.wait(PATIENCE)
                # Both calls fail if they take longer than PATIENCE.
                with engine.session(clip("h264-aac.mkv")):
                    assert low.is_alive()
                released.set()
                low.join()
        finally:
            released.set()
            server.shutdown()


def test_players_play_and_select_variants(engine, presentation):
    with browser.chromium() as chromium, engine.session(presentation, profile="chromium") as session:
        chromium.assert_plays_and_seeks(session.url)
    with engine.session(presentation) as session:
        for options in ([], ["--hls-bitrate=min"], ["--hls-bitrate=1200000"]):
            code, output = mpv(session.url, *options)
            assert code == 0 and "error" not in output.lower(), output[-300:]


@pytest.mark.long
def test_gstreamer_switches_variants_without_a_gap(engine, ladder):
    with engine.session(ladder) as session:
        widths = gstreamer_switches(session.url, 2, 1_500_000)
    place = widths.index(640)
    assert set(widths[:place]) == {1280} and set(widths[place:]) == {640} and len(widths) == 300


@pytest.mark.long
def test_vlc_plays_the_presentation(engine, ladder, tmp_path):
    if subprocess.run(["/usr/bin/python3", "-c", "import ctypes; ctypes.CDLL('libvlc.so.5')"], stdin=subprocess.DEVNULL,
                      capture_output=True).returncode:
        absent("VLC is not here")
    with engine.session(ladder) as session:
        code, output = vlc(session.url, tmp_path / "heard.raw", 4)
    assert code == 0, output
    assert (tmp_path / "heard.raw").stat().st_size >= 3 * 48000 * 4
