# SPDX-License-Identifier: Apache-2.0
"""Stock players read the same cues from the WebVTT renditions as GetCues returns."""

import json
import random
import socket
import subprocess

import pytest
from harness import hls, sidecars, subtitles
from harness.browser import chromium
from harness.contract import engine_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ROOT, clip
from harness.tiers import absent, tiered
from harness.webvtt import Rendition, plain, read

FILMS = ["subtitled.mkv", "subtitled.mp4", "subtitled.webm", "subtitled-streamed.mkv", "subtitled-change.mkv"]


def expected_cues(engine, session, track):
    """Start and end in milliseconds and the text of the cues that GetCues returns, except cues without a duration."""
    cues, _, _ = subtitles.read(engine, session_id=session.id, track=track)
    found = [(round(cue.start_us / 1000), round(cue.end_us / 1000), cue.text.plain) for cue in cues]
    return [cue for cue in found if cue[0] < cue[1]]


def track(url):
    return int(url.rpartition("-")[2].removesuffix(".m3u8"))


@pytest.mark.parametrize("name", FILMS)
def test_every_text_track_is_a_rendition_with_its_cues(engine, name):
    with engine.session(clip(name)) as session:
        master = session.master()
        tracks = [each.index for each in session.state.media.streams if each.codec in ("subrip", "ass", "mov_text", "webvtt")]
        assert sorted(track(url) for _, url in master.subtitles) == tracks and tracks
        assert all(variant["SUBTITLES"] == "subtitles" for variant, _ in master.variants)
        for _, url in master.subtitles:
            wanted = expected_cues(engine, session, track(url))
            assert wanted and Rendition(url).timed_texts() == wanted


@pytest.mark.parametrize("name", FILMS)
def test_a_segment_has_exactly_the_cues_shown_during_it(engine, name):
    with engine.session(clip(name)) as session:
        master = session.master()
        video = hls.Media.complete(master.variants[0][1])
        assert master.subtitles
        for _, url in master.subtitles:
            rendition = Rendition(url)
            cues = rendition.cues()
            # The last segment also has the cues after the end.
            edges = rendition.edges[:-1] + [(rendition.edges[-1][0], float("inf"))]
            for (start, end), found in zip(edges, rendition.segments, strict=True):
                assert found == [cue for cue in cues if cue[0] < end and cue[1] > start]
            shape = [(each.duration, each.is_discontinuous) for each in video.segments]
            assert [(each.duration, each.is_discontinuous) for each in rendition.playlist.segments] == shape
            assert rendition.playlist.target == video.target and rendition.playlist.init is None


def test_renditions_have_the_attributes_of_the_tracks(engine):
    with engine.session(clip("subtitled.mkv")) as session:
        found = {track(url): attributes for attributes, url in session.master().subtitles}
        names = ("NAME", "LANGUAGE", "DEFAULT", "AUTOSELECT", "FORCED")
        assert [tuple(found[number][name] for name in names) for number in (2, 3, 4, 5)] == [
            ("The 'best' words", "en", "YES", "YES", "NO"), ("Signs", "en", "NO", "YES", "YES"),
            ("German", "de", "NO", "YES", "NO"), ("Comments", "en", "NO", "NO", "NO")]
        assert "public.accessibility.describes-music-and-sound" in found[4]["CHARACTERISTICS"].split(",")
        assert all("CHARACTERISTICS" not in found[number] for number in (2, 3, 5))


@pytest.mark.long
def test_selecting_a_track_changes_only_the_default(engine):
    with engine.session(clip("subtitled.mkv")) as session:
        before = {url: hls.digest(url) for url in session.master().everything()}
        engine.stub.SelectSubtitles(engine_pb2.SelectSubtitlesRequest(
            session_id=session.id,
            subtitles=engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=[4]))), timeout=PATIENCE)
        master = session.master()
        assert {track(url): found["DEFAULT"] for found, url in master.subtitles} == {2: "NO", 3: "NO", 4: "YES", 5: "NO"}
        assert {url: hls.digest(url) for url in master.everything()} == before


def test_styles_supported_by_webvtt_are_kept(engine):
    with engine.session(clip("subtitled.mkv")) as session:
        found = {track(url): Rendition(url).cues() for _, url in session.master().subtitles}
        lines = {payload: settings for _, _, settings, payload in found[2]}
        assert lines["<i>Over the end</i> of a segment"] == ""
        assert lines["Above it, <b>at once</b>"] == "line:0"
        assert "Over two ends, with 1 &lt; 2 &amp; 3 &gt; 2" in lines and "Two\nlines" in lines
        sounds = {payload: settings for _, _, settings, payload in found[4]}
        assert "<i>humming</i> in\nthe hall" in sounds
        assert "line:10%,start" in sounds["[rain]"] and "position:10%,line-left" in sounds["[rain]"]


@pytest.mark.parametrize("name", tiered(FILMS, {"subtitled-streamed.mkv"}))
def test_segments_do_not_depend_on_order_or_process(engine, start_engine, name):
    """Both where playback also reads the packets, and where nothing else is read."""
    with engine.session(clip(name)) as session:
        urls = session.master().everything()
        linear = {url.split("/", 4)[4]: hls.digest(url) for url in urls}
    other = start_engine("--cache-bytes", "1M")
    with other.session(clip(name), subtitles=engine_pb2.SubtitleSelection(
            tracks=engine_pb2.SubtitleTrackList(ids=[2]))) as session:
        other.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        urls = session.master().everything()
        random.Random(name).shuffle(urls)
        assert {url.split("/", 4)[4]: hls.digest(url) for url in urls} == linear
    with other.session(clip(name)) as session:
        last = [url for url in session.master().everything() if url.endswith(".vtt")][-1]
        assert hls.digest(last) == linear[last.split("/", 4)[4]]


def test_only_existing_segments_are_served_as_text(engine):
    with engine.session(clip("subtitled.mkv")) as session:
        base = session.url.removesuffix("master.m3u8")
        reply = hls.request(base + "subtitles-2/0.vtt")
        assert reply.status == 200 and reply.headers["content-type"] == "text/vtt"
        again = hls.request(base + "subtitles-2/0.vtt", headers={"If-None-Match": reply.headers["etag"]})
        assert again.status == 304 and not again.body
        for path in ("subtitles-1.m3u8", "subtitles-1/0.vtt", "subtitles-2/6.vtt", "subtitles-2/00.vtt", "subtitles-2/0.m4s",
                     "subtitles-.m3u8", "subtitles-2/-1.vtt", "subtitles-100000.m3u8"):
            assert hls.request(base + path).status == 404, path


@pytest.mark.parametrize("name", tiered(FILMS, {"subtitled-streamed.mkv"}))
def test_the_validator_checks_subtitle_renditions(engine, name):
    report = json.loads(subtitles.enginectl("validate", clip(name), "--json", engine=engine).stdout)
    assert report["valid"]
    with engine.session(clip(name)) as session:
        wanted = {f"subtitles-{track(url)}.m3u8": len(expected_cues(engine, session, track(url)))
                  for _, url in session.master().subtitles}
    assert {each["uri"]: each["cues"] for each in report["playlists"] if each["uri"] in wanted} == wanted


@pytest.mark.parametrize("name", tiered(FILMS, {"subtitled-change.mkv"}))
def test_ffmpeg_reads_a_rendition(engine, name):
    """FFmpeg 5.1 ignores subtitles in a master playlist, but reads their own playlist."""
    with engine.session(clip(name)) as session:
        renditions = session.master().subtitles
        assert renditions
        for _, url in renditions:
            output = subprocess.run(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", url, "-map", "0:s:0", "-c:s", "text", "-f", "srt", "-"],
                check=True, capture_output=True, timeout=PATIENCE, text=True).stdout
            found = [(start // 1000, end // 1000, text) for start, end, text in subtitles.blocks(output)]
            assert found == expected_cues(engine, session, track(url))


@pytest.mark.long
def test_gstreamer_shows_the_default_rendition(engine):
    with engine.session(clip("subtitled.mkv")) as session:
        script = ROOT / "Tests" / "EndToEnd" / "harness" / "gstreamer_subtitles.py"
        found = json.loads(subprocess.run(
            ["/usr/bin/python3", script, session.url], check=True, capture_output=True, timeout=PATIENCE).stdout)
        if "missing" in found:
            absent(f"GStreamer has no {found['missing']} here")
        assert not found["trouble"]
        # GStreamer counts from the first video frame, and escapes escaped text again. It shows a cue that crosses a
        # segment boundary once for each segment.
        video = session.master().variants[0][1]
        first = json.loads(subprocess.run(
            ["ffprobe", "-v", "error", "-show_entries", "stream=start_time", "-of", "json", video], check=True,
            capture_output=True, timeout=PATIENCE).stdout)["streams"][0]["start_time"]
        shown = {(round((start + float(first)) * 1000), round((start + length + float(first)) * 1000), plain(plain(text)))
                 for start, length, text in found["shown"]}
        assert sorted(shown) == sorted(expected_cues(engine, session, 2))


class Mpv:
    """mpv without a window, paused; its JSON IPC reports what it shows."""

    def __init__(self, folder, *arguments):
        path = folder / "mpv.sock"
        self.log = folder / "mpv.log"
        self.process = subprocess.Popen(
            ["mpv", "--no-config", "--vo=null", "--ao=null", "--pause", "--keep-open=yes", f"--input-ipc-server={path}",
             f"--log-file={self.log}", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        eventually(lambda: self.socket.connect_ex(str(path)) == 0, "mpv to listen")
        self.lines = self.socket.makefile()
        self.number = 0

    def ask(self, *command):
        self.number += 1
        self.socket.sendall(json.dumps({"command": command, "request_id": self.number}).encode() + b"\n")
        while True:
            reply = json.loads(self.lines.readline())
            if reply.get("request_id") == self.number and "error" in reply:
                return reply

    def has_read_all(self, sources):
        """Whether it has reached the end of this many of its sources."""
        return self.log.read_text(errors="replace").count("EOF reached") >= sources

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


def test_mpv_shows_cues_at_their_times(engine, tmp_path):
    """mpv reads with FFmpeg, which ignores subtitles in a master playlist: it gets their playlist separately."""
    with engine.session(clip("subtitled.mkv")) as session:
        url = next(url for _, url in session.master().subtitles if track(url) == 2)
        wanted = expected_cues(engine, session, 2)
        player = Mpv(tmp_path, f"--sub-file={url}", "--sid=1", session.url)
        try:
            # FFmpeg's reader returns no more cues after a seek in a subtitle playlist; mpv seeks within what it has
            # read.
            eventually(lambda: player.has_read_all(2), "mpv to read the film and the rendition")
            for moment in (1000, 4000, 5000, 10_000, 13_800, 18_000, 22_000):
                on = [text for start, end, text in wanted if start <= moment < end]
                player.ask("seek", moment / 1000, "absolute", "exact")

                def shows(moment=moment, on=on):
                    place = player.ask("get_property", "time-pos").get("data")
                    text = player.ask("get_property", "sub-text").get("data") or ""
                    is_there = place is not None and abs(place - moment / 1000) < 0.1
                    # FFmpeg's reader gives mpv a cue with every segment that contains it.
                    return is_there and set(text.split("\n")) == set("\n".join(on).split("\n"))

                eventually(shows, f"mpv to show {on} at {moment} ms")
        finally:
            player.end()


TRACKS = """
const [urls, done] = arguments, video = document.createElement('video');
video.crossOrigin = 'anonymous';
document.body.append(video);
const loaded = urls.map(url => new Promise(resolve => {
    const track = document.createElement('track');
    track.onload = () => resolve([...track.track.cues].map(cue => [cue.startTime, cue.endTime, cue.getCueAsHTML().textContent]));
    track.onerror = () => resolve('error ' + url);
    track.src = url;
    video.append(track);
    track.track.mode = 'hidden';
}));
Promise.all(loaded).then(done);
"""


@pytest.mark.long
def test_chromium_reads_the_same_cues(engine):
    """Chromium's own HLS player ignores subtitle renditions; web pages pass them to it segment by segment."""
    with chromium() as browser, engine.session(clip("subtitled.mkv")) as session:
        browser.driver.get(browser.page)
        renditions = session.master().subtitles
        assert renditions
        for _, url in renditions:
            segments = [segment.url for segment in hls.Media.complete(url).segments]
            found = browser.driver.execute_async_script(TRACKS, segments)
            assert [len(each) for each in found] == [len(read(hls.fetch(each).decode())[1]) for each in segments]
            cues = dict.fromkeys(
                (round(start * 1000), round(end * 1000), text) for each in found for start, end, text in each)
            assert list(cues) == expected_cues(engine, session, track(url))
        # The master playlist with subtitles still plays.
        assert browser.open(session.url) == "ok"
        assert browser.advance(1)["error"] is None


def test_an_added_sidecar_becomes_a_rendition(engine, tmp_path):
    """The master playlist lists the rendition; what was announced before stays the same, byte for byte, and players
    continue."""
    beside = tmp_path / "beside.srt"
    beside.write_text("1\n00:00:02,000 --> 00:00:05,000\nBeside\n\n2\n00:00:22,000 --> 00:00:23,000\nthe film\n")
    with engine.session(clip("subtitled.mkv")) as session:
        before, text = session.master(), session.master().text
        digests = {url: hls.digest(url) for url in before.everything()}
        sidecars.add(engine, beside, session.id)
        after = session.master()
        (attributes, url), = [each for each in after.subtitles if each[1] not in [url for _, url in before.subtitles]]
        assert attributes["DEFAULT"] == "NO" and track(url) >= 100_000 and after.text != text
        rendition = Rendition(url)
        assert rendition.timed_texts() == [(2000, 5000, "Beside"), (22_000, 23_000, "the film")] == expected_cues(engine, session, track(url))
        assert [len(each) for each in rendition.segments] == [1, 1, 0, 0, 0, 1]
        assert {url: hls.digest(url) for url in digests} == digests
        engine.stub.RemoveSubtitles(subtitles_pb2.RemoveSubtitlesRequest(session_id=session.id, track=track(url)), timeout=PATIENCE)
        assert session.master().text == text and hls.request(url).status == 404
