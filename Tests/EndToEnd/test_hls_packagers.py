# SPDX-License-Identifier: Apache-2.0
"""HLS presentations of a packager other than ffmpeg, real ones with unusual properties, and two engines on one live
source."""

import re
import shutil
import subprocess

import pytest
from harness import hls, origin
from harness.browser import chromium
from harness.bundles import concatenate, decoded, served, validate
from harness.engine import eventually, running_engine
from harness.hls import digest, fetch
from harness.live import live, package_channel, package_languages
from harness.places import SAMPLES, clip
from harness.players import mpv
from harness.tiers import absent

pytestmark = pytest.mark.long



def sample(name):
    path = SAMPLES / "shaka-project+shaka-player/test/test/assets" / name
    if not path.exists():
        pytest.skip("the samples are not here")
    return path


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """What GStreamer's `hlssink2` makes of a clip."""
    if not shutil.which("gst-launch-1.0") or subprocess.run(["gst-inspect-1.0", "--exists", "hlssink2"]).returncode:
        absent("GStreamer has no hlssink2")
    folder = tmp_path_factory.mktemp("gstreamer")
    # Without limits: the muxer may need more of one stream than fits into the queue of the other.
    queue = ["queue", "max-size-time=0", "max-size-bytes=0", "max-size-buffers=0"]
    subprocess.run(
        ["gst-launch-1.0", "-q", "hlssink2", "name=s", "target-duration=2", "playlist-length=0", "max-files=0",
         f"location={folder}/%05d.ts", f"playlist-location={folder}/film.m3u8", "filesrc", f"location={clip('h264-aac.mkv')}", "!",
         "matroskademux", "name=d", "d.video_0", "!", *queue, "!", "h264parse", "!", "s.video", "d.audio_0", "!", *queue, "!",
         "aacparse", "!", "s.audio"], check=True, stdin=subprocess.DEVNULL)
    return folder


def test_a_bundle_of_gstreamer_decodes_like_its_segments(engine, bundle):
    film = concatenate(bundle / "film.m3u8")
    with origin.nginx(bundle) as server:
        with engine.session(f"{server.url}/film.m3u8", profile="chromium") as session:
            master = session.master()
            assert len(hls.Media.complete(master.variants[0][1]).segments) > 5
            assert decoded(served(master.variants[0][1]), "v") == decoded(film, "v")
            assert decoded(served(master.renditions[0][1]), "a") == decoded(film, "a")
            validate(engine, session.url)
            with chromium() as browser:
                browser.assert_plays_and_seeks(session.url)
            code, said = mpv(session.url)
            assert code == 0 and "error" not in said.lower(), said[-300:]


def test_a_clock_that_restarts_without_a_mark_is_followed(engine):
    """Both segments of the sample are the same file."""
    path = sample("hls-text-no-discontinuity/index.m3u8")
    film = concatenate(path.with_name("av.m3u8"))
    with origin.nginx(path.parent) as server, engine.session(f"{server.url}/{path.name}") as session:
        master = session.master()
        assert decoded(served(master.variants[0][1]), "v") == decoded(film, "v")
        assert decoded(served(master.renditions[0][1]), "a") == decoded(film, "a")


def test_a_presentation_of_keyframes_only_is_served(engine):
    """Each segment of the sample describes 48 frames, and contains the first of them."""
    path = sample("hls-iframe-only/media.m3u8")
    pictures = []
    for name in re.findall(r"^[^#\n]+$", path.read_text(), re.MULTILINE):
        data = path.with_name("media.mp4").read_bytes() + path.with_name(name).read_bytes()
        made = subprocess.run(["ffmpeg", "-v", "quiet", "-i", "-", "-f", "framemd5", "-"], input=data, capture_output=True).stdout
        pictures += [line.rsplit(b",", 1)[1] for line in made.splitlines() if not line.startswith(b"#")]
    with origin.nginx(path.parent) as server, engine.session(f"{server.url}/{path.name}") as session:
        assert len(pictures) == 2 and decoded(served(session.master().variants[0][1]), "v") == pictures


def listed(session):
    """The digest of each listed segment and of its init segment, by playlist and number."""
    found = {}
    for url in session.master().playlists():
        playlist = hls.Media(url)
        found |= {(url.split("/", 4)[4], number): (digest(segment.url), digest(playlist.init))
                  for number, segment in enumerate(playlist.segments, playlist.sequence)}
    return found


@pytest.mark.parametrize("make", [package_channel, package_languages])
def test_two_engines_serve_the_same_segments_of_a_window(engine, make, tmp_path):
    with live(make(tmp_path / "channel")) as source, running_engine() as other:
        with engine.session(source.url) as one, other.session(source.url) as two:
            sessions, found = ((engine, one), (other, two)), [{}, {}]
            for count in range(5, 15):
                source.count = count
                for place, (each, session) in enumerate(sessions):
                    eventually(lambda: each.state(session.id).production.planned_segments >= count - 1, "the window to move")
                    found[place] |= listed(session)
            common = found[0].keys() & found[1].keys()
            assert len({number for _, number in common}) >= 10
            assert {key: found[0][key] for key in common} == {key: found[1][key] for key in common}


def test_segments_in_bursts_do_not_stall_players(engine, tmp_path):
    """The source adds ten segments of one second at a time."""
    with live(package_channel(tmp_path / "channel", seconds=60), window=30, count=30) as source:
        # Players stay so far behind the end that their segments last until the next ten are listed.
        source.lines = ["#EXT-X-SERVER-CONTROL:HOLD-BACK=15"]
        with engine.session(source.url) as session:
            numbers = []
            for count in (40, 50):
                source.count = count
                eventually(lambda: engine.state(session.id).production.planned_segments == count, "ten segments")
                assert engine.state(session.id).live.target_latency_us == 15_000_000
                playlist = hls.Media(session.master().playlists()[0])
                numbers.append((playlist.sequence, len(playlist.segments)))
            assert numbers == [(10, 30), (20, 30)]
            source.ended = True
            eventually(lambda: not engine.state(session.id).growing, "the end")
            code, said = mpv(session.url, "--demuxer-lavf-o=live_start_index=0")
            assert code == 0 and "error" not in said.lower(), said[-300:]


def test_audio_that_vanishes_and_returns(engine, tmp_path):
    """Two segments have no audio, and their program map has no entry for it."""
    film = package_channel(tmp_path / "channel", seconds=12)
    for number in (5, 6):
        path = film.with_name(f"{number:03}.ts")
        silent = path.with_name("silent.ts")
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-i", path, "-map", "0:v", "-c", "copy", "-muxdelay", "0",
                        "-muxpreload", "0", "-f", "mpegts", silent], check=True)
        silent.rename(path)
    pieces = [film.with_name(f"{number:03}.ts").read_bytes() for number in range(12)]
    with engine.session(film) as session:
        video, audio = session.master().playlists()
        assert decoded(served(video), "v") == [frame for piece in pieces for frame in decoded(piece, "v")]
        found = {number for number, segment in enumerate(hls.Media.complete(audio).segments)
                 if starts(fetch(hls.Media(audio).init) + fetch(segment.url))}
        assert found == set(range(12)) - {5, 6}
        times = starts(served(audio))
        # The audio after the gap is where it was in the source.
        later = min(time for time in times if time > 6.5)
        assert abs(later - 7) < 0.1
        code, said = mpv(session.url)
        assert code == 0 and "error" not in said.lower(), said[-300:]


def starts(data):
    """The presentation times of all packets, in seconds."""
    said = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", "-"], input=data,
                          capture_output=True, check=True).stdout.decode()
    return [float(line.rstrip(",")) for line in said.split()]
