# SPDX-License-Identifier: Apache-2.0
"""Growing HLS playlists, and those with a sliding window: announced segments stay, and players can follow a live
source."""

import contextlib
import json
import subprocess
import threading
import time

import pytest
from harness import hls, origin
from harness.browser import Following, chromium
from harness.bundles import FORMATS, decoded, package
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import digest, fetch
from harness.live import Broadcast, live, package_breaks, package_channel, package_languages, package_text
from harness.places import ENGINECTL, SAMPLES
from harness.players import mpv
from harness.watching import Notices


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hls")
    for name, options in FORMATS.items():
        package(folder, name, *options)
    return folder


class Channels:
    """Twenty segments of one second in each of the formats, which are packaged when they are first used."""

    def __init__(self, folder):
        self.folder = folder

    def __truediv__(self, name):
        path = self.folder / name
        if name == "languages" and not path.exists():
            package_languages(path)
        elif name in FORMATS and not path.exists():
            package_channel(path, *FORMATS[name])
        return path


@pytest.fixture(scope="module")
def channels(tmp_path_factory):
    return Channels(tmp_path_factory.mktemp("channels"))


def everything(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def announced(session):
    playlist = hls.Media(session.master().playlists()[0])
    return playlist, [digest(segment.url) for segment in playlist.segments]


LONG = [pytest.param(name, marks=pytest.mark.long) for name in ("fmp4", "ts-ranges")]


@pytest.mark.long
@pytest.mark.parametrize("name", ["ts", *LONG])
def test_an_event_playlist_grows_into_the_complete_playlist(engine, bundles, name):
    film = Broadcast(bundles / name / "film.m3u8")
    with engine.session(bundles / name / "film.m3u8") as whole:
        expected, (_, segments) = everything(whole), announced(whole)
    film.publish(3)
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/{name}/live.m3u8") as session:
        state = engine.state(session.id)
        assert state.growing and state.duration_us == -1 and not state.production.plan_complete
        playlist, early = announced(session)
        assert playlist.type == "EVENT" and not playlist.is_ended and early == segments[:3]
        film.publish(6)
        eventually(lambda: engine.state(session.id).production.planned_segments == 6, "the list to grow")
        # An older version, as from a cache, withdraws nothing.
        loads = [path for _, path, _ in server.requests()].count(f"/{name}/live.m3u8")
        film.publish(4)
        eventually(
            lambda: [path for _, path, _ in server.requests()].count(f"/{name}/live.m3u8") > loads + 1, "two more loads")
        playlist, more = announced(session)
        assert not playlist.is_ended and more == segments[:6]
        film.publish(len(film), ends=True)
        state = eventually(lambda: not (found := engine.state(session.id)).growing and found, "the list to end")
        assert state.production.plan_complete and state.seekable[0].end_us == state.duration_us
        assert everything(session) == expected


@pytest.mark.long
def test_a_local_event_playlist_plays_while_it_grows(engine, bundles):
    film = Broadcast(bundles / "ts" / "film.m3u8")
    film.publish(4)
    with engine.session(film.path) as session:
        assert len(hls.Media(session.master().playlists()[0]).segments) == 4
        film.publish(len(film), ends=True)
        code, said = mpv(session.url)
        assert code == 0 and "error" not in said.lower(), said[-300:]
        assert not engine.state(session.id).growing


@pytest.mark.long
def test_the_software_path_waits_at_the_end_of_a_growing_playlist(engine, bundles):
    film = Broadcast(bundles / "ts" / "film.m3u8")
    film.publish(4)

    def playing(url):
        return subprocess.Popen(
            [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", url], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)

    with origin.nginx(bundles) as server:
        frames, _ = playing(f"{server.url}/ts/film.m3u8").communicate()
        player = playing(f"{server.url}/ts/live.m3u8")
        # All listed segments are decoded before more are listed.
        eventually(lambda: any(path == "/ts/003.ts" for _, path, _ in server.requests()[-6:]), "the end to be reached")
        loads = len(server.requests())
        eventually(lambda: len(server.requests()) > loads + 1, "two more loads")
        assert player.poll() is None
        film.publish(len(film), ends=True)
        found, _ = player.communicate()
    pictures = [[line.split("\t")[1] for line in each.splitlines()] for each in (frames, found)]
    assert player.returncode == 0 and len(pictures[0]) > 500 and pictures[1] == pictures[0]


@pytest.fixture
def notices(engine):
    watch = Notices(engine)
    yield watch
    watch.end()


def video(session):
    return hls.Media(session.master().playlists()[0])


def shown(playlist):
    """Digests of the decoded pictures of each listed segment, by its number."""
    return {
        number: decoded(fetch(playlist.init) + fetch(segment.url), "v")
        for number, segment in enumerate(playlist.segments, start=playlist.sequence)}


@pytest.mark.long
@pytest.mark.parametrize("name", ["ts", "languages"])
def test_all_segments_of_a_window_have_their_durations(engine, channels, name):
    with live(channels / name / "film.m3u8", window=15, count=15) as source, engine.session(source.url) as session:
        for url in session.master().playlists():
            durations = [segment.duration for segment in hls.Media(url).segments]
            assert len(durations) >= 14 and all(0.9 < duration < 1.1 for duration in durations), (url, durations)


@pytest.mark.long
def test_ad_breaks_in_the_media_are_reported_once(engine, channels, notices):
    with live(package_breaks(channels / "breaks", channels / "ts")) as source, engine.session(source.url) as session:
        assert len(shown(video(session))) == 5
        source.count = 8
        eventually(lambda: "live.ad_break" in notices.codes, "the ad break")
        assert len(shown(video(session))) >= 3
        found = [text for code, text in zip(notices.codes, notices.texts) if code.startswith("live.ad_break")]
        assert found == ["an ad break of 6.0 s begins at 6.0 s (SCTE 35, event 7)"]


@pytest.mark.parametrize("name", ["ts", LONG[0]])
def test_the_window_moves_and_segments_keep_their_indices(engine, channels, name):
    with live(channels / name / "film.m3u8") as source, engine.session(source.url) as session:
        state = engine.state(session.id)
        assert state.growing and state.duration_us == -1 and state.production.planned_segments == 5
        # Three target durations before the end, where players begin.
        assert state.live.target_latency_us == 3_000_000 and state.live.edge_us == state.seekable[0].end_us
        assert state.seekable[0].start_us == 0 and state.position.position_us == state.live.edge_us - 3_000_000
        assert not state.live.wall_clock_unix_us and not state.live.stalled
        playlist = video(session)
        assert playlist.type is None and not playlist.is_ended and playlist.sequence == 0 and playlist.target == 1
        early = shown(playlist)
        assert early == {number: decoded(source.bytes_of(number), "v") for number in range(5)}
        kept = {segment.url: digest(segment.url) for segment in playlist.segments}
        source.count = 8
        eventually(lambda: engine.state(session.id).production.planned_segments == 8, "the window to move")
        state, playlist = engine.state(session.id), video(session)
        assert playlist.sequence == 3 and len(playlist.segments) == 5 and state.seekable[0].start_us > 2_900_000
        assert {segment.url: digest(segment.url) for segment in playlist.segments[:2]}.items() <= kept.items()
        assert shown(playlist) == {number: decoded(source.bytes_of(number), "v") for number in range(3, 8)}
        # The server no longer has the first segment, but readers that begin later need its streams and its clock.
        source.count = 13
        eventually(lambda: video(session).sequence == 8, "the window to move on")
        assert shown(video(session)) == {number: decoded(source.bytes_of(number), "v") for number in range(8, 13)}
        source.count, source.ended = 15, True
        eventually(lambda: video(session).is_ended, "the end")
        state, playlist = engine.state(session.id), video(session)
        assert playlist.sequence == 10 and len(playlist.segments) == 5 and not state.growing and not state.HasField("live")


def milliseconds(date):
    return date.replace(microsecond=date.microsecond // 1000 * 1000)


def test_wall_clock_and_date_ranges_are_published(engine, channels, notices):
    with live(channels / "ts" / "film.m3u8") as source:
        # The newest segment ends now.
        source.date = time.time() - 5
        with engine.session(source.url) as session:
            state = engine.state(session.id).live
            assert abs(state.wall_clock_unix_us / 1e6 - source.date - 5) < 0.01 and not state.wall_clock_doubtful
            listed = video(session)
            assert [segment.date for segment in listed.segments] == [milliseconds(source.recorded(number)) for number in range(5)]
            source.lines = ['#EXT-X-DATERANGE:ID="break",START-DATE="2026-01-01T00:00:00Z",DURATION=30']
            source.count = 6
            eventually(lambda: "live.date_range" in notices.codes, "the date range to be reported")
        source.date -= 3600
        with engine.session(source.url) as session:
            assert engine.state(session.id).live.wall_clock_doubtful


def test_blocking_playlist_reload_is_used(engine, channels):
    with live(channels / "ts" / "film.m3u8") as source:
        source.blocks = True
        with engine.session(source.url) as session:
            for count in range(5, 9):
                eventually(lambda: source.held == count, "the next segment to be asked for")
                answered = source.loads()
                source.count = count + 1
                eventually(lambda: engine.state(session.id).production.planned_segments == count + 1, "the segment to be announced")
                # The playlist was loaded once, and not without anything new.
                assert source.loads() == answered + 1
            source.ended = True
            eventually(lambda: video(session).is_ended, "the end")


@pytest.mark.long
def test_a_frozen_playlist_is_reported_as_stalled(engine, channels, notices):
    with live(channels / "ts" / "film.m3u8") as source, engine.session(source.url) as session:
        eventually(lambda: "live.ingest_stalled" in notices.codes, "the stall to be reported")
        assert engine.state(session.id).live.stalled
        # The same holds if the server does not even have the playlist.
        source.status, loads = 404, source.loads()
        eventually(lambda: source.loads() > loads + 1, "two loads to fail")
        assert engine.state(session.id).growing and len(video(session).segments) == 5
        source.status, source.count = 200, 7
        eventually(lambda: "live.ingest_resumed" in notices.codes, "the list to go on")
        state = engine.state(session.id)
        assert not state.live.stalled and state.production.planned_segments == 7


def test_playback_behind_the_window_moves_into_it(engine, channels, notices):
    with live(channels / "ts" / "film.m3u8", window=6, count=6) as source:
        with engine.session(source.url) as session:
            here = engine_pb2.SessionRequest(session_id=session.id)
            engine.stub.Pause(here, timeout=PATIENCE)
            for count in (12, 15):
                source.count = count
                eventually(lambda: video(session).sequence == source.count - 6, "the window to move")
            assert engine.state(session.id).position.position_us == 3_000_000 and "live.behind_window" not in notices.codes
            state = engine.stub.Play(here, timeout=PATIENCE).state
            assert state.position.position_us >= state.seekable[0].start_us > 8_900_000
            eventually(lambda: "live.behind_window" in notices.codes, "the notice")
            place = engine.state(session.id).position.position_us
            eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "it plays")
            seek = engine_pb2.SeekRequest(session_id=session.id, place=engine_pb2.SEEK_PLACE_LIVE)
            state = engine.stub.Seek(seek, timeout=PATIENCE).state
            assert state.position.position_us == state.live.edge_us - 3_000_000 > place


@pytest.mark.long
def test_sequence_resets_and_missed_segments_are_discontinuities(engine, channels, notices):
    with live(channels / "ts" / "film.m3u8") as source, engine.session(source.url) as session:
        before = shown(video(session))
        source.epoch, source.count = 5, 8
        eventually(lambda: "live.sequence_reset" in notices.codes, "the reset to be reported")
        playlist = eventually(lambda: (found := video(session)).sequence + len(found.segments) == 8 and found, "the new segments")
        assert [segment.is_discontinuous for segment in playlist.segments][-3:] == [True, False, False]
        later = shown(playlist)
        assert later[7] == decoded(source.bytes_of(7), "v") and all(later[number] == before[number] for number in later if number < 5)
        source.count = 18
        eventually(lambda: "live.segments_missed" in notices.codes, "what was missed to be reported")
        playlist = eventually(lambda: (found := video(session)).sequence == 8 and found, "the window")
        assert shown(playlist)[8] == decoded(source.bytes_of(13), "v")


@pytest.mark.long
def test_lost_segments_are_skipped_and_late_ones_awaited(engine, channels, notices):
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(live(channels / "ts" / "film.m3u8"))
        # Playback begins with segment 2: the engine fetches no earlier segment by itself.
        source.gone = {1, 4}
        session = stack.enter_context(engine.session(source.url))
        playlist = video(session)
        late = threading.Timer(1, source.gone.discard, [4])
        late.start()
        assert decoded(fetch(playlist.init) + fetch(playlist.segments[4].url), "v") == decoded(source.bytes_of(4), "v")
        lost = fetch(playlist.segments[1].url)
        assert len(lost) < 300, "there are no samples in it"
        eventually(lambda: "live.segment_lost" in notices.codes, "the loss to be reported")
        source.gone = set()
        assert fetch(playlist.segments[1].url) == lost, "what was served stays"
        late.join()


def test_no_segment_index_is_reused_after_a_kill(start_engine, channels):
    engine = start_engine()
    with live(channels / "ts" / "film.m3u8") as source:
        session = engine.load(source.url)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        source.count = 8
        before = eventually(lambda: (found := video(session)).sequence == 3 and found, "the window to move")
        ended = engine.state(session.id).seekable[0].end_us
        engine.kill()
        source.count = 12
        engine = start_engine(directory=engine.directory)
        eventually(lambda: engine.state(session.id).live.edge_us, "the session to be restored")
        after, state = video(session), engine.state(session.id)
        assert after.sequence >= before.sequence + 5 and after.target == before.target
        assert not {segment.url for segment in before.segments} & {segment.url for segment in after.segments}
        assert shown(after) == {
            number: decoded(source.bytes_of(7 + place), "v")
            for place, number in enumerate(range(after.sequence, after.sequence + 5))}
        assert state.seekable[0].start_us >= ended
        assert state.position.position_us >= state.live.edge_us - state.live.target_latency_us, "it begins at the live edge"


@pytest.mark.long
def test_enginectl_shows_and_seeks_to_the_live_edge(engine, channels):
    def said(*arguments):
        return subprocess.run(
            [ENGINECTL, "--socket", engine.socket, *arguments], stdin=subprocess.DEVNULL, check=True, capture_output=True,
            text=True).stdout

    with live(channels / "ts" / "film.m3u8") as source, engine.session(source.url) as session:
        for count in (8, 12):
            source.count = count
            eventually(lambda: video(session).sequence == count - 5, "the window to move")
        assert said("validate", "--rounded", session.url).endswith("no problems\n")
    with live(channels / "ts" / "film.m3u8") as source, engine.session(source.url) as session:
        text = said("status", "--session", session.id)
        assert "/ live, " in text and "0:00–0:05 can be played, begins 3 s behind" in text
        state = json.loads(said("status", "--json", "--session", session.id))
        assert state["live"]["edge_us"] == state["seekable"][0]["end_us"] and state["live"]["wall_clock_unix_us"] is None
        said("seek", "begin", "--session", session.id)
        state = json.loads(said("seek", "live", "--json", "--session", session.id))
        assert state["position"]["position_us"] == state["live"]["edge_us"] - 3_000_000


@pytest.mark.long
def test_a_live_source_plays_in_mpv_and_on_the_software_path(engine, channels):
    with live(channels / "ts" / "film.m3u8") as source, source.running(until=14), engine.session(source.url) as session:
        code, said = mpv(session.url)
        assert code == 0 and "error" not in said.lower(), said[-300:]
    with live(channels / "ts" / "film.m3u8") as source, source.running(until=9):
        player = subprocess.run(
            [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", source.url], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE)
        frames = [line.split("\t")[1] for line in player.stdout.splitlines()]
        # Without a gap, from three seconds before the end of the first load, which may list later segments.
        whole = [picture.decode().strip() for number in range(2, 9) for picture in decoded(source.bytes_of(number), "v")]
        assert player.returncode == 0 and len(frames) >= 75 and frames == whole[-len(frames):]


@pytest.mark.long
@pytest.mark.parametrize("name", ["ts", "fmp4"])
def test_chromium_follows_a_live_source(engine, channels, name):
    with live(channels / name / "film.m3u8") as source, source.running(), engine.session(source.url) as session:
        with chromium(Following) as browser:
            assert browser.open(session.url) == "ok"
            found = browser.advance(5)
            assert found["time"] >= found["from"] + 5 and not found["error"], found
            assert not [event for event in browser.events() if event not in ("waiting", "stalled")], browser.events()


PACKAGED = ["androidx+media/hls/cea608/sd-hls.m3u8", "androidx+media/cmaf/multi-segment/stream_1.m3u8",
            "shaka-project+shaka-player/test/test/assets/hls-chapters/media.m3u8"]


@pytest.mark.long
@pytest.mark.parametrize("name", PACKAGED)
def test_bundles_of_packagers_play_as_live_sources(engine, name):
    if not (SAMPLES / name).exists():
        pytest.skip("the samples are not here")
    with live(SAMPLES / name) as source:
        # The segments are longer, but waiting for their real durations would take too long.
        source.target = 1
        with engine.session(source.url) as session:
            found = shown(video(session))
            for count in (6, 7, 8, 9):
                source.count = count
                eventually(lambda: engine.state(session.id).production.planned_segments == count, "the window to move")
                found |= shown(video(session))
            assert found == {number: decoded(source.bytes_of(number), "v") for number in range(9)}


def starts(session, number):
    """The start of a segment's media on each track, in seconds."""
    found = []
    for url in session.master().playlists():
        playlist = hls.Media(url)
        data = fetch(playlist.init) + fetch(playlist.segments[number - playlist.sequence].url)
        said = subprocess.run(
            ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", "-"], input=data, check=True,
            capture_output=True).stdout.decode()
        found.append(min(float(line.rstrip(",")) for line in said.split()))
    return found


@pytest.mark.long
def test_live_audio_renditions_stay_in_sync(engine, channels):
    with live(channels / "languages" / "film.m3u8") as source:
        # The media sequences of the playlists are unrelated, and the playlist of one language is updated later.
        source.firsts = {"1.m3u8": 40, "2.m3u8": 900}
        source.date = time.time() - 5
        source.lags = {"2.m3u8": 1}
        with engine.session(source.url) as session:
            # Announced segments have all of their audio, which may end a frame before the video of the same number.
            for count in (5, 8, 11):
                source.count = count
                eventually(lambda: engine.state(session.id).production.planned_segments >= count - 2, "all lists to go on")
                state = engine.state(session.id)
                assert state.live.edge_us == state.seekable[0].end_us and state.production.planned_segments < count
                for number in range(count - 5, count - 2):
                    video_start, *sounds = starts(session, number)
                    assert abs(video_start - number) < 0.05 and all(abs(start - number) < 0.05 for start in sounds)
            # The edge is that of the announced segments, not of those that the source lists.
            assert state.live.edge_us / 1e6 == pytest.approx(state.production.planned_segments, abs=0.05)
            assert state.live.wall_clock_unix_us / 1e6 == pytest.approx(source.date + state.live.edge_us / 1e6, abs=0.01)
            # Audio begins up to a frame behind the video, and was recorded as much later.
            pictures, *sounds = [hls.Media(url) for url in session.master().playlists()]
            for number in range(2, len(pictures.segments) - 1):
                first = pictures.segments[number].date
                assert first == milliseconds(source.recorded(pictures.sequence + number))
                assert all(0 <= (sound.segments[number].date - first).total_seconds() < 0.05 for sound in sounds)
            source.ended = True
            eventually(lambda: not engine.state(session.id).growing, "the end")
            assert {hls.Media(url).is_ended for url in session.master().playlists()} == {True}


@pytest.mark.long
def test_a_failing_live_rendition_is_reported_by_name(engine, channels, notices):
    with live(channels / "languages" / "film.m3u8") as source, engine.session(source.url) as session:
        source.failing = {"1.m3u8"}
        source.count = 8
        eventually(lambda: "live.ingest_stalled" in notices.codes, "the stall to be reported")
        assert "the playlist of the audio" in notices.texts[notices.codes.index("live.ingest_stalled")]
        source.count, source.failing = 10, set()
        eventually(lambda: engine.state(session.id).production.planned_segments >= 9, "all lists to go on")
        eventually(lambda: "live.ingest_resumed" in notices.codes, "the end of the stall to be reported")
        assert not {"live.segments_missed", "live.segment_lost", "live.sequence_reset"} & set(notices.codes)


@pytest.mark.long
def test_an_event_with_renditions_grows_into_the_complete_presentation(engine, channels):
    with engine.session(channels / "languages" / "film.m3u8") as whole:
        expected = everything(whole)
    with live(channels / "languages" / "film.m3u8") as source:
        source.kind = "EVENT"
        with engine.session(source.url) as session:
            assert [hls.Media(url).type for url in session.master().playlists()] == ["EVENT"] * 3
            source.count, source.ended = 20, True
            eventually(lambda: not engine.state(session.id).growing, "the end")
            assert everything(session) == expected


@pytest.mark.long
def test_live_subtitles_are_served_without_delaying_video(engine, channels, tmp_path):
    begin = engine.probe(channels / "ts" / "film.m3u8").start_us

    def text(session, numbers):
        (_, url), = session.master().subtitles
        segments = {segment.url.rpartition("/")[2]: segment.url for segment in hls.Media(url).segments}
        found = [fetch(segments[f"{number}.vtt"]).decode() for number in numbers]
        return [[k for k in range(7) if f"cue {k}\n" in each] for each in found]

    def shown(numbers):
        return [[k for k in range(7) if 3 * k + 1.5 > number and 3 * k + 0.5 < number + 1] for number in numbers]

    with live(package_text(tmp_path / "text", channels / "ts", begin)) as source:
        # The media sequences of the playlists are unrelated.
        source.firsts, source.lags = {"text.m3u8": 77}, {"text.m3u8": 1}
        with engine.session(source.url) as session:
            assert text(session, range(3)) == shown(range(3))
            source.count = 9
            eventually(lambda: engine.state(session.id).production.planned_segments == 9, "the video to go on")
            assert text(session, range(4, 7)) == shown(range(4, 7))
            # Missing subtitles do not delay the video forever.
            source.failing = {"text.m3u8"}
            source.count = 14
            eventually(lambda: engine.state(session.id).production.planned_segments == 14, "the video to go on alone")
            assert text(session, [9]) == [[]]
            source.failing, source.count = set(), 16
            eventually(lambda: engine.state(session.id).production.planned_segments == 16, "everything to go on")
            assert text(session, [13, 14]) == shown([13, 14])


@pytest.mark.long
def test_mpv_plays_a_live_presentation(engine, channels):
    with live(channels / "languages" / "film.m3u8") as source, source.running(until=12), engine.session(source.url) as session:
        code, said = mpv(session.url, "--alang=fr")
        assert code == 0 and "error" not in said.lower(), said[-300:]
