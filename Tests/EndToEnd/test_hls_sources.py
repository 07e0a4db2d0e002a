# SPDX-License-Identifier: Apache-2.0
"""HLS presentations as sources: the served segments decode like the source's own, one for one, and every fault of a
server or a playlist gives a typed error."""

import collections
import concurrent.futures
import contextlib
import itertools
import random
import shutil
import subprocess
import threading
import urllib.parse

import grpc
import pytest
from harness import browser, origin
from harness.bundles import (
    FILM, FORMATS, FRAGMENTED_CUES, concatenate, decoded, digests, encrypt, pack_audio, package, package_audio_renditions,
    package_joined, refusal, served, served_groups, validate, write_fragmented_text, write_text)
from harness.engine import PATIENCE, Session, eventually, running_engine, settled
from harness.hls import Media, digest, fetch, request
from harness.players import mpv
from harness.places import ENGINECTL, clip
from harness.contract import engine_pb2, state_pb2, stills_pb2
from harness.sidecars import headers, read
from harness.stills import snapshot, source, thumbnail
from harness.tiers import tiered


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hls")
    for name, options in FORMATS.items():
        package(folder, name, *options)
    pack_audio(folder)
    package_audio_renditions(folder)
    return folder


@pytest.fixture(scope="module")
def long_bundle(bundles):
    package(bundles, "long", "-t", "120", loop=4)
    return bundles


@pytest.fixture(scope="module")
def server(bundles):
    with origin.nginx(bundles) as server:
        yield server


def session_stills(session):
    return stills_pb2.StillSource(session_id=session.id)


@pytest.mark.parametrize("name", tiered(FORMATS, {"fmp4-ranges"}))
def test_served_media_decodes_like_the_source(engine, server, bundles, name):
    film = concatenate(bundles / name / "film.m3u8")
    with engine.session(f"{server.url}/{name}/film.m3u8") as session:
        master = session.master()
        video, audio = master.variants[0][1], master.renditions[0][1]
        assert decoded(served(video), "v") == decoded(film, "v")
        assert decoded(served(audio), "a") == decoded(film, "a")
        playlist = Media(video)
        assert len(playlist.segments) == 12 and playlist.is_ended and playlist.type == "VOD"
        assert engine.state(session.id).production.plan_origin == "playlist"
        validate(engine, session.url)


@pytest.mark.parametrize("name", tiered([*FORMATS, "languages"], {"languages"}))
def test_local_and_remote_playlists_are_served_alike(engine, server, bundles, name):
    path, url = bundles / name / "film.m3u8", f"{server.url}/{name}/film.m3u8"
    described, remote = engine.probe(path), engine.probe(url)
    remote.source = described.source
    assert remote == described and described.container == "hls"
    with engine.session(path) as here, engine.session(url) as there:
        assert digests(here) == digests(there)


@pytest.mark.parametrize("name", tiered([*FORMATS, "languages", "packed"], {"languages"}))
def test_segments_do_not_depend_on_order_or_process(engine, bundles, name):
    path = bundles / name / "film.m3u8"
    with engine.session(path) as session:
        linear = digests(session)
    with running_engine() as other, other.session(path) as session:
        urls = session.master().everything()
        random.Random(1).shuffle(urls)
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


def test_opening_and_seeking_fetch_only_nearby_segments(engine, long_bundle):
    """The engine reads ahead only after the segments that the player has requested."""
    with origin.nginx(long_bundle) as server, engine.session(f"{server.url}/long/film.m3u8") as session:
        def numbers():
            return [int(path.rsplit("/", 1)[1][:3]) for _, path, _ in server.requests() if path.endswith(".ts")]

        settled(numbers)
        playlist = Media(session.master().variants[0][1])
        assert len(playlist.segments) == 60
        fetch(playlist.segments[40].url)
        fetch(Media(session.master().renditions[0][1]).segments[40].url)
        # The server's log may be late.
        eventually(lambda: 40 in numbers(), "the segment in the log")
        found = settled(numbers)
        sought = [number for number in found if number >= 20]
        # The head of the second segment, which tells whether segments begin with keyframes, is requested before the rest.
        others = [number for number in found if number != 1]
        assert sorted(others) == sorted(set(others)) and found.count(1) <= 2, "each segment once"
        requested = [(path, *map(int, span.split("=")[1].split(" ")[0].split("-")))
                     for _, path, span in server.requests() if path.endswith(".ts")]
        for one, other in itertools.combinations(requested, 2):
            assert one[0] != other[0] or one[2] < other[1] or other[2] < one[1], "each byte once"
        assert sorted(sought) == list(range(40, 40 + len(sought))), "none behind the read-ahead"


def test_separate_audio_is_served_with_its_languages(engine, bundles):
    folder = bundles / "languages"
    with engine.session(folder / "film.m3u8") as session:
        master = session.master()
        assert decoded(served(master.variants[0][1]), "v") == decoded(concatenate(folder / "0.m3u8"), "v")
        tracks = [(found["LANGUAGE"], found["DEFAULT"]) for found, _ in master.renditions]
        assert tracks == [("en", "YES"), ("fr", "NO")]
        for (_, url), name in zip(master.renditions, ("1.m3u8", "2.m3u8")):
            assert decoded(served(url), "a") == decoded(concatenate(folder / name), "a")
        validate(engine, session.url)


def sizes(data):
    made = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=size", "-of", "csv=p=0", "-"], input=data,
        capture_output=True, check=True).stdout
    return [int(line.strip(b",")) for line in made.split()]


@pytest.mark.long
def test_separate_audio_is_aligned_by_program_date_time(engine, bundles):
    folder = shutil.copytree(bundles / "languages", bundles / "dates")
    for number, second in (("0", 8), ("1", 0), ("2", 0)):
        lines = (folder / f"{number}.m3u8").read_text().splitlines()
        first = lines.index(next(line for line in lines if line.startswith("#EXTINF")))
        # The video lacks its first four segments.
        rest = lines[first + (8 if number == "0" else 0):]
        date = f"#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:{second:02}.000Z"
        (folder / f"{number}.m3u8").write_text("\n".join([*lines[:first], date, *rest, ""]))
    with engine.session(folder / "film.m3u8") as session:
        master = session.master()
        assert decoded(served(master.variants[0][1]), "v") == decoded(concatenate(folder / "0.m3u8"), "v")
        # Without ADTS headers.
        own, found = [size - 7 for size in sizes(concatenate(folder / "1.m3u8"))], sizes(served(master.renditions[0][1]))
        begin = 8 * 48000 // 1024
        assert any(own[first:first + len(found)] == found for first in range(begin - 4, begin + 5)) and len(found) > 700
        validate(engine, session.url)


def test_rendition_playlists_are_opened_in_parallel(engine, bundles):
    """The server answers requests for the playlists of two languages only once both have arrived, and those for their first
    segments in the same way."""
    together = {name: threading.Barrier(2, timeout=PATIENCE) for name in ("m3u8", "ts")}
    asked = []

    def respond(handler, request):
        name = request.path.strip("/")
        asked.append(name)
        if name in ("1.m3u8", "2.m3u8", "1-000.ts", "2-000.ts"):
            try:
                together[name.rpartition(".")[2]].wait()
            except threading.BrokenBarrierError:
                return handler.answer(404)
        return handler.answer(200, {}, (bundles / "languages" / name).read_bytes())

    with origin.origin(bundles / "languages" / "film.m3u8") as film:
        film.respond = respond
        media = engine.probe(f"{film.base}/film.m3u8")
    assert [stream.language for stream in media.streams[1:]] == ["en", "fr"]
    assert len(asked) == len(set(asked)), "nothing is fetched twice"

@pytest.mark.long
def test_packed_audio_is_placed_by_its_timestamps(engine, bundles):
    folder = bundles / "packed"
    with engine.session(folder / "film.m3u8") as session:
        url = session.master().variants[0][1]
        assert decoded(served(url), "a") == decoded((folder / "whole.aac").read_bytes(), "a")
        validate(engine, session.url)


def decoded_by_engine(engine, path, *options):
    """The digests of the frames that the software path decodes."""
    done = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", *options, path], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True)
    return [line.split("\t")[1].strip().encode() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", tiered(["ts", "fmp4", "languages"], {"fmp4"}))
def test_the_software_path_decodes_every_frame(engine, bundles, name):
    path = bundles / name / "film.m3u8"
    own = [each.strip() for each in decoded(concatenate(bundles / "ts" / "film.m3u8"), "v")]
    assert decoded_by_engine(engine, path) == own
    # A seek lands on the picture shown at its target, and all following pictures are decoded.
    sought = decoded_by_engine(engine, path, "--start", "13.5")
    assert sought == own[-len(sought):] and 262 <= len(sought) <= 264


@pytest.mark.long
@pytest.mark.parametrize("form", ["ts", "fmp4"])
def test_clock_and_size_changes_become_discontinuities(engine, bundles, form):
    path, files = package_joined(bundles, form)
    with engine.session(path) as session:
        master = session.master()
        found = served_groups(master.variants[0][1])
        assert [decoded(group, "v") for group in found] == [decoded(file, "v") for file in files]
        found = served_groups(master.renditions[0][1])
        assert [decoded(group, "a") for group in found] == [decoded(file, "a") for file in files]
        validate(engine, session.url)
        linear = digests(session)
    with running_engine() as other, other.session(path) as session:
        urls = session.master().everything()[::-1]
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


@pytest.mark.long
def test_gaps_and_missing_variants_are_skipped(engine, bundles):
    shutil.copytree(bundles / "ts", bundles / "gap")
    path = bundles / "gap" / "film.m3u8"
    path.write_text(path.read_text().replace("#EXTINF:2.000000,\n005.ts", "#EXT-X-GAP\n#EXTINF:2.000000,\n005.ts"))
    (bundles / "gap" / "005.ts").unlink()
    (bundles / "gap" / "master.m3u8").write_text(
        '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9000000,CODECS="vvc1.1.L51"\nvvc.m3u8\n'
        "#EXT-X-STREAM-INF:BANDWIDTH=8000000\ngone.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=800000\nfilm.m3u8\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=80000\nless.m3u8\n")
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/gap/master.m3u8") as session:
        files = [bundles / "ts" / f"{number:03}.ts" for number in range(12) if number != 5]
        own = [each for file in files for each in decoded(file.read_bytes(), "v")]
        assert decoded(served(session.master().variants[0][1]), "v") == own
        paths = [path for _, path, _ in server.requests()]
        assert paths[:3] == ["/gap/master.m3u8", "/gap/gone.m3u8", "/gap/film.m3u8"]
        assert "/gap/005.ts" not in paths
        (_, keyframes), = session.master().keyframes
        assert [b"trun" in fetch(each.url) for each in Media(keyframes).segments] == [number != 5 for number in range(12)]
        # The other variants of the master playlist are missing, which validation would report.
        with engine.session(f"{server.url}/gap/film.m3u8") as alone:
            validate(engine, alone.url)


@pytest.mark.long
def test_players_play_and_seek(engine, server, bundles):
    encrypt(bundles)
    with browser.chromium() as chromium:
        for name in ("ts", "fmp4", "keys", "languages"):
            with engine.session(f"{server.url}/{name}/film.m3u8", profile="chromium") as session:
                chromium.assert_plays_and_seeks(session.url)
    with engine.session(f"{server.url}/ts/film.m3u8") as session:
        code, output = mpv(session.url)
        assert code == 0 and "error" not in output.lower(), output[-300:]


def test_subtitle_playlists_become_cues(engine, bundles):
    # Cues of a source that is not loaded are on its own clock.
    begin = engine.probe(bundles / "ts" / "film.m3u8").start_us
    write_text(bundles, begin)
    path = bundles / "text" / "master.m3u8"
    times = [("One", 1_000_000, 2_500_000), ("Two", 7_000_000, 9_000_000), ("Three", 12_000_000, 13_000_000),
             ("Four", 20_000_000, 22_000_000)]
    with origin.nginx(bundles) as server:
        _, found = read(engine, source=f"{server.url}/text/master.m3u8")
        assert [(cue.text.plain, cue.start_us - begin, cue.end_us - begin) for cue in found] == times
        fetched = {path for _, path, _ in server.requests() if path.endswith(".ts")}
        assert len(fetched) <= 2, "text is read without the video beside it"
    with engine.session(path) as session:
        (properties, url), = session.master().subtitles
        assert (properties["LANGUAGE"], properties["NAME"], properties["FORCED"]) == ("fr", "Signs", "YES")
        assert "Two" in fetch(Media(url).segments[4].url).decode()
        validate(engine, session.url)


@pytest.mark.long
@pytest.mark.parametrize("form", ["stpp", "wvtt"])
def test_text_in_fragmented_mp4_becomes_cues(engine, bundles, form):
    begin = engine.probe(bundles / "ts" / "film.m3u8").start_us
    write_fragmented_text(bundles, form, begin)
    path = bundles / form / "master.m3u8"
    with origin.nginx(bundles) as server:
        tracks, found = read(engine, source=f"{server.url}/{form}/master.m3u8")
        assert [track.language for track in tracks] == ["fr"]
        shown = [(cue.text.plain, cue.start_us - begin, cue.end_us - begin) for cue in found]
        if form == "wvtt":
            # Each segment has its part of a cue.
            assert [(text, end) for text, _, end in shown[1:2]] == [(text, start) for text, start, _ in shown[2:3]]
            shown[1:3] = [(shown[1][0], shown[1][1], shown[2][2])]
        assert [text for text, _, _ in shown] == [text for text, _, _ in FRAGMENTED_CUES]
        for (_, *times), (_, *expected) in zip(shown, FRAGMENTED_CUES):
            # SubRip and WebVTT have milliseconds; the clock of the bundle begins within one.
            assert all(abs(time / 1000 - wanted) <= 1 for time, wanted in zip(times, expected)), shown
        if form == "stpp":
            assert all(cue.text.alignment == 8 and cue.text.runs[0].italic and cue.text.runs[0].color == "#ffff00" for cue in found)
        fetched = {path for _, path, _ in server.requests() if path.endswith(".ts")}
        assert len(fetched) <= 2, "text is read without the video beside it"
    with engine.session(path) as session:
        (properties, url), = session.master().subtitles
        assert properties["LANGUAGE"] == "fr"
        assert "One &amp; two" in fetch(Media(url).segments[0].url).decode()
        validate(engine, session.url)


@pytest.mark.long
def test_a_damaged_text_document_costs_only_the_text(engine, bundles):
    begin = engine.probe(bundles / "ts" / "film.m3u8").start_us
    write_fragmented_text(bundles, "stpp", begin, "damaged")
    damaged = bundles / "damaged" / "1.m4s"
    damaged.write_bytes(damaged.read_bytes().replace(b"</p>", b"</q>"))
    path = bundles / "damaged" / "master.m3u8"
    refused = refusal(lambda: read(engine, source=str(path)))
    assert "segment 1" in refused and "is not text" in refused and "line 7" in refused, refused
    with engine.session(path) as session:
        assert decoded(served(session.master().variants[0][1]), "v") == decoded(concatenate(bundles / "ts" / "film.m3u8"), "v")


@pytest.mark.parametrize("name", tiered(FORMATS, {"ts"}))
def test_stills_match_those_of_the_file(engine, server, bundles, name):
    url = f"{server.url}/{name}/film.m3u8"
    for moment in (0, 13_500_000, 23_900_000):
        assert snapshot(engine, source(url), moment).data == snapshot(engine, source(clip(FILM)), moment).data
    assert thumbnail(engine, source(url), 13_500_000).data == thumbnail(engine, source(clip(FILM)), 13_500_000).data


def test_web_pages_and_invalid_playlists_give_typed_errors(engine, bundles):
    folder = bundles / "wrong"
    folder.mkdir()
    (folder / "page.m3u8").write_text("\n<!DOCTYPE html><html><body>Please log in.</body></html>")
    (folder / "plain.m3u8").write_text("#EXTM3U\n#EXTINF:-1,Radio\nhttp://127.0.0.1:1/radio\n")
    (folder / "file.m3u8").write_text("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n")
    (folder / "up.m3u8").write_text(
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n../ts/000.ts\n#EXT-X-ENDLIST\n")
    with origin.nginx(bundles) as server:
        page = refusal(lambda: engine.probe(f"{server.url}/wrong/page.m3u8"))
        assert page.startswith("source_not_media") and "is a web page" in page
        plain = refusal(lambda: engine.probe(f"{server.url}/wrong/plain.m3u8"))
        assert plain.startswith("source_not_media") and "M3U list of channels" in plain
        named = refusal(lambda: engine.probe(f"{server.url}/wrong/file.m3u8"))
        assert named.startswith("source_not_readable") and "the scheme file" in named
        assert "/wrong/" not in "".join(path for _, path, _ in server.requests() if "passwd" in path)
    outside = refusal(lambda: engine.probe(folder / "up.m3u8"))
    assert outside.startswith("source_not_readable") and "outside the folder" in outside


def test_an_oversized_playlist_is_refused(engine, tmp_path):
    """100 MB, of which the engine fetches little more than its limit of 8 MiB."""
    (tmp_path / "big.m3u8").write_bytes(b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + b"#EXTINF:4,\na.ts\n" * 6_500_000)
    with origin.nginx(tmp_path) as server:
        with pytest.raises(grpc.RpcError) as failure:
            engine.load(f"{server.url}/big.m3u8")
        assert failure.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "has more than 8 MiB" in failure.value.details()
        assert server.bytes_sent() < 32 << 20


def test_a_missing_segment_fails_alone_with_its_name(engine, bundles):
    shutil.copytree(bundles / "ts", bundles / "holes")
    (bundles / "holes" / "005.ts").unlink()
    (bundles / "holes" / "006.ts").write_text("<html>gone</html>")
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/holes/film.m3u8") as session:
        playlist = Media(session.master().variants[0][1])
        fetch(playlist.segments[4].url)
        fetch(playlist.segments[7].url)
        for number, words in ((5, ["status 404", "/holes/005.ts"]), (6, ["/holes/006.ts", "is not media", "<html>gone"])):
            failure = refusal(lambda: snapshot(engine, session_stills(session), number * 2_000_000 + 500_000))
            assert all(word in failure for word in words), failure


class SignedBundle:
    """Serves files only to requests with the current signature and key, and signs the URLs in playlists."""

    def __init__(self, folder, film):
        self.folder, self.signature = folder, "1"
        self.silent = set()
        self.film = film
        film.respond = self.respond

    def respond(self, handler, request):
        path, _, query = request.path.partition("?")
        if query != f"sig={self.signature}" or request.headers.get("x-key") != self.signature:
            return handler.answer(403)
        data = (self.folder / path.lstrip("/")).read_bytes()
        if path.endswith(".m3u8"):
            lines = data.decode().splitlines()
            data = "\n".join(line if line.startswith("#") else f"{line}?{query}" for line in lines).encode()
        if path in self.silent:
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.flush()
            self.film.released.wait(PATIENCE)
            return handler.wfile.write(data)
        return handler.answer(200, {}, data)


@contextlib.contextmanager
def signed(engine, bundles):
    """A session of a bundle whose URLs are signed."""
    with origin.origin(bundles / "ts" / "film.m3u8") as film:
        bundle = SignedBundle(bundles, film)
        load = engine_pb2.LoadRequest(source=f"{film.base}/long/film.m3u8?sig=1", http_headers=headers(X_Key="1"))
        session = Session(engine, engine.stub.Load(load, timeout=PATIENCE))
        try:
            yield bundle, session
        finally:
            session.stop()


def test_a_refresh_replaces_the_signature_of_every_request(fresh_engine, long_bundle):
    with signed(fresh_engine, long_bundle) as (bundle, session):
        playlist = Media(session.master().variants[0][1])
        url = playlist.segments[40].url
        fetch(playlist.segments[0].url)
        bundle.signature = "2"
        reply = request(url)
        assert reply.status == 500 and b"source_refused" in reply.body and b"sig" not in reply.body
        assert b"segment 40 of" in reply.body and b"/long/040.ts" in reply.body
        refresh = engine_pb2.RefreshSourceRequest(
            session_id=session.id, url=f"{bundle.film.base}/long/film.m3u8?sig=2", http_headers=headers(X_Key="2"))
        fresh_engine.stub.RefreshSource(refresh, timeout=PATIENCE)
        with fresh_engine.session(long_bundle / "long" / "film.m3u8") as here:
            assert digest(url) == digest(Media(here.master().variants[0][1]).segments[40].url)


@pytest.mark.long
def test_a_stalled_segment_is_reported_until_it_arrives(fresh_engine, long_bundle):
    with signed(fresh_engine, long_bundle) as (bundle, session):
        url = Media(session.master().variants[0][1]).segments[50].url
        bundle.silent.add("/long/050.ts")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            segment = pool.submit(fetch, url)
            eventually(lambda: fresh_engine.state(session.id).source_wait == "silent", "the wait to be reported")
            bundle.film.released.set()
            assert segment.result(PATIENCE)
        eventually(lambda: fresh_engine.state(session.id).source_wait == "", "the end of the wait to be reported")


def test_a_presentation_that_has_delivered_outlasts_an_outage(fresh_engine, long_bundle):
    is_away = threading.Event()

    def respond(handler, request):
        if is_away.is_set():
            return handler.drop()
        return handler.answer(200, {}, (long_bundle / request.path.lstrip("/")).read_bytes())

    with origin.origin(long_bundle / "long" / "film.m3u8") as film, concurrent.futures.ThreadPoolExecutor() as pool:
        film.respond = respond
        with fresh_engine.session(f"{film.base}/long/film.m3u8") as session:
            url = Media(session.master().variants[0][1]).segments[40].url
            is_away.set()
            segment = pool.submit(request, url)
            fresh_engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=81_000_000), timeout=PATIENCE)
            fresh_engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
            eventually(lambda: fresh_engine.state(session.id).source_wait == "retrying", "the wait to be reported")
            # A source that has never delivered gets four attempts.
            attempts = lambda: max(collections.Counter(sent.path for sent in list(film.requests)).values())
            eventually(lambda: segment.done() or attempts() > 4, "the fifth attempt")
            assert not segment.done() and fresh_engine.state(session.id).phase == state_pb2.PHASE_SEEKING
            is_away.clear()
            assert segment.result(PATIENCE).status == 200
            eventually(lambda: fresh_engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "it plays")
            eventually(lambda: fresh_engine.state(session.id).source_wait == "", "the end of the wait to be reported")


@pytest.mark.long
def test_urls_serve_the_same_segments_after_a_kill(start_engine, bundles):
    engine = start_engine()
    with origin.nginx(bundles) as server:
        session = engine.load(f"{server.url}/languages/film.m3u8")
        before = digests(session)
        engine.kill()
        engine = start_engine(directory=engine.directory)
        session.engine = engine
        eventually(lambda: engine.state(session.id).production.plan_complete, "the session to be restored")
        assert digests(session) == before
