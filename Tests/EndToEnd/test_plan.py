# SPDX-License-Identifier: Apache-2.0
"""Playlists are correct from the first response on, and never retract anything."""

import subprocess

import pytest
from harness.boxes import Fragment, Init
from harness.contract import stills_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import Media, fetch
from harness.places import ENGINECTL, clip
from harness.tiers import tiered

INDEXED = ["h264-aac.mkv", "h264-aac.mp4", "h264-aac-moov-last.mp4", "vp9-opus.webm", "av1-opus.mkv", "hevc-eac3.mkv",
           "hevc-eac3.mp4", "open-gop.mkv", "open-gop.mp4", "b-pyramid.mp4", "vfr.mp4", "vfr.mkv", "several.mkv"]
SCANNED = ["h264-aac.ts", "h264-aac.flv", "raw.h264", "raw.aac", "audio-flac.ogg", "audio.opus", "nonzero-start.ts",
           "hevc-eac3.ts", "truncated.ts"]


@pytest.mark.parametrize("name", INDEXED)
def test_an_index_gives_a_complete_playlist_at_once(engine, name):
    with engine.session(clip(name)) as session:
        for url in session.master().playlists():
            first = Media(url)
            assert first.is_ended and first.type == "VOD"
        assert session.state.production.plan_complete
        assert session.state.production.plan_origin == "index"
        text = first.text
        for segment in first.segments:
            fetch(segment.url)
        assert Media(url).text == text


def playlist_versions(url):
    """Every version of a playlist up to the last. Checks that each keeps what the version before it announced."""
    seen = list(Media.versions(url))
    for earlier, later in zip(seen, seen[1:]):
        assert earlier.type == ("VOD" if earlier.is_ended else "EVENT")
        assert later.target == earlier.target and later.init == earlier.init
        before = [(each.url, each.duration) for each in earlier.segments]
        after = [(each.url, each.duration) for each in later.segments]
        assert after[:len(before)] == before
    assert seen[-1].type == "VOD"
    return seen


def test_a_growing_playlist_never_changes_announced_segments(start_engine, tmp_path):
    # Long enough that the scan is still running when the playlists appear, on any machine.
    for copies in (50, 200, 800):
        film = tmp_path / f"{copies}.ts"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", str(copies - 1), "-i", clip("h264-aac.ts"), "-map", "0",
                        "-c", "copy", film], check=True)
        with start_engine().session(film) as session:
            lengths = {len(each.segments) for each in playlist_versions(session.master().playlists()[0])}
        film.unlink()
        if len(lengths) > 1:
            return
    pytest.fail("no playlist has grown")


@pytest.mark.parametrize("name", tiered(SCANNED, {"h264-aac.ts", "audio.opus", "raw.h264", "truncated.ts"}))
def test_a_scanned_playlist_ends_without_changing_announced_segments(fresh_engine, name):
    with fresh_engine.session(clip(name)) as session:
        for url in session.master().playlists():
            playlist_versions(url)
        state = eventually(
            lambda: (state := fresh_engine.state(session.id)).production.plan_complete and state, "the scan to end")
        assert state.production.plan_origin == "scan" and state.production.scan_progress == 1


def test_matroska_without_cues_is_scanned_and_seekable(fresh_engine, tmp_path):
    path, whole = tmp_path / "live.mkv", tmp_path / "whole.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "29", "-i", clip("h264-aac.mkv"), "-c", "copy", whole],
                   check=True)
    with open(path, "wb") as file:
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", whole, "-c", "copy", "-f", "matroska", "-"], stdout=file, check=True)

    def read():
        counts = dict(line.split(": ") for line in open(f"/proc/{fresh_engine.process.pid}/io"))
        return int(counts["rchar"])

    def still(source):
        request = stills_pb2.SnapshotRequest(of=stills_pb2.StillSource(source=str(source)), time_us=200_000_000)
        return fresh_engine.stub.Snapshot(request)

    before = read()
    found = still(path)
    assert read() - before < path.stat().st_size / 2, "the file was read up to the picture"
    assert (found.time_us, found.data) == (still(whole).time_us, still(whole).data)
    with fresh_engine.session(path) as session:
        assert session.state.production.plan_origin == "scan"
        Media.complete(session.master().variants[0][1])
        grown = fresh_engine.state(session.id)
    with fresh_engine.session(whole) as session:
        assert session.state.production.plan_origin == "index"
        assert abs(session.state.duration_us - grown.duration_us) < 5000
        assert session.state.production.planned_segments == grown.production.planned_segments


def test_a_scanned_plan_is_cached(start_engine, tmp_path):
    cache = tmp_path / "cache"
    first = start_engine(cache_home=cache)
    with first.session(clip("h264-aac.ts")) as session:
        texts = [Media.complete(url).text for url in session.master().playlists()]
    first.end()
    assert any(path.is_file() for path in cache.rglob("*")), "nothing was kept"
    second = start_engine(cache_home=cache)
    with second.session(clip("h264-aac.ts")) as session:
        assert session.state.production.plan_origin == "cache" and session.state.production.plan_complete
        assert [Media(url).text for url in session.master().playlists()] == texts


def test_a_damaged_plan_cache_is_ignored(start_engine, tmp_path):
    cache = tmp_path / "cache"
    first = start_engine(cache_home=cache)
    with first.session(clip("h264-aac.ts")) as session:
        texts = [Media.complete(url).text for url in session.master().playlists()]
    first.end()
    for path in cache.rglob("*"):
        if path.is_file():
            data = bytearray(path.read_bytes())
            path.write_bytes(data[:len(data) // 2])
    second = start_engine(cache_home=cache)
    with second.session(clip("h264-aac.ts")) as session:
        assert [Media.complete(url).text for url in session.master().playlists()] == texts


@pytest.mark.parametrize("name", tiered(
    [*INDEXED, *SCANNED, "h264-aac-fragmented.mp4", "h264-aac.avi", "nonzero-start.mkv"],
    {"h264-aac.mkv", "open-gop.mp4", "vp9-opus.webm", "vfr.mkv", "h264-aac.ts", "raw.h264", "audio-flac.ogg", "h264-aac-fragmented.mp4", "h264-aac.avi"}))
def test_playlists_and_segments_agree(engine, name):
    with engine.session(clip(name)) as session:
        master = session.master()
        durations = []
        for url in master.playlists():
            playlist = Media.complete(url)
            assert playlist.version >= 6 and playlist.segments and playlist.init
            assert playlist.target == max(int(each.duration + 0.5) for each in playlist.segments)
            init = Init(fetch(playlist.init))
            assert init.kinds == ["ftyp", "moov"] and len(init.edits) <= 1
            tick = 1 / init.timescale
            fragments = [Fragment(fetch(each.url)) for each in playlist.segments]
            is_video = url == master.variants[0][1] and "RESOLUTION" in master.variants[0][0]
            shift = init.edits[0] if init.edits else 0
            boundary, frame = 0.0, max(each.duration for each in fragments[0].samples) * tick
            for index, (entry, fragment) in enumerate(zip(playlist.segments, fragments)):
                assert fragment.kinds == ["styp", "moof", "mdat"]
                assert all(sample.payload for sample in fragment.samples)
                presented = [(each.decode_time + each.offset - shift) * tick for each in fragment.samples]
                assert len(set(presented)) == len(presented), "two samples at one time"
                if index + 1 < len(fragments):
                    assert fragment.end_time == fragments[index + 1].decode_time, f"a hole after segment {index}"
                if index > 0 and is_video:
                    # A segment begins where the playlist entries before it end, with its random access point.
                    assert abs(presented[0] - boundary) < 0.001 + tick, (index, presented[0], boundary)
                elif index > 0:
                    assert -0.001 < presented[0] - boundary < frame + 0.001, (index, presented[0], boundary)
                if is_video:
                    assert fragment.samples[0].is_sync
                boundary += entry.duration
                # Leading pictures, and frames across a boundary, shift the actual ends of a segment by less than two
                # frames.
                real = max(presented) + fragment.samples[-1].duration * tick - (presented[0] if index else 0)
                assert abs(real - entry.duration) < 2 * frame + 0.001, (index, real, entry.duration)
            durations.append(playlist.duration)
        state = engine.state(session.id)
        assert abs(max(durations) - state.duration_us / 1e6) < 0.05, (durations, state.duration_us)


@pytest.mark.parametrize("name", ["h264-aac.mkv", "hevc-eac3.mkv", "av1-opus.mkv", "vp9-opus.webm", "audio.flac"])
def test_the_master_playlist_describes_the_media(engine, name):
    with engine.session(clip(name)) as session:
        master = session.master()
        attributes, url = master.variants[0]
        expected = {
            "h264-aac.mkv": "avc1.64000", "hevc-eac3.mkv": "hvc1.1.", "av1-opus.mkv": "av01.0.", "vp9-opus.webm": "vp09.00.",
            "audio.flac": "fLaC",
        }[name]
        assert attributes["CODECS"].startswith(expected), attributes
        audio = {"h264-aac.mkv": "mp4a.40.2", "hevc-eac3.mkv": "ec-3", "audio.flac": "fLaC"}.get(name, "Opus")
        assert attributes["CODECS"].split(",")[-1] == audio
        if name != "audio.flac":
            assert attributes["RESOLUTION"] == "320x180" and float(attributes["FRAME-RATE"]) == 25
            assert attributes["AUDIO"] == master.renditions[0][0]["GROUP-ID"]
        sizes = [(len(fetch(each.url)), each.duration) for each in Media.complete(url).segments]
        for _, rendition in master.renditions[:1]:
            sizes = [(size + len(fetch(each.url)), duration)
                     for (size, duration), each in zip(sizes, Media.complete(rendition).segments)]
        peak = max(size * 8 / duration for size, duration in sizes if duration > 1)
        assert 0.9 * peak < int(attributes["BANDWIDTH"]) < 2 * peak, (peak, attributes)
        assert int(attributes["AVERAGE-BANDWIDTH"]) <= int(attributes["BANDWIDTH"])


def test_a_single_frame_has_a_plausible_duration(engine):
    """libavformat states a duration of one tick. With that, the segment would have gigabits per second."""
    with engine.session(clip("one-picture.ts")) as session:
        attributes, url = session.master().variants[0]
        assert [each.duration for each in Media.complete(url).segments] == [0.04]
        attributes, _ = session.master().variants[0]
        assert int(attributes["AVERAGE-BANDWIDTH"]) <= int(attributes["BANDWIDTH"]) < 10_000_000
        checked = subprocess.run([ENGINECTL, "validate", session.url], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=PATIENCE)
        assert checked.returncode == 0, checked.stdout


def test_the_segment_target_is_respected(engine):
    with engine.session(clip("h264-aac.mkv"), segment_target_us=8_000_000) as session:
        playlist = Media(session.master().variants[0][1])
        assert all(7.9 < each.duration < 10.1 for each in playlist.segments[:-1]), playlist.text


def cues(data):
    """The positions where the Cues element begins, where its payload begins and where it ends."""
    start = data.rindex(bytes.fromhex("1c53bb6b"))
    length = 9 - data[start + 4].bit_length()
    size = int.from_bytes(data[start + 4:start + 4 + length], "big") & ((1 << 7 * length) - 1)
    return start, start + 4 + length, start + 4 + length + size


def without_cues(data):
    """Replaces Cues with a Void element."""
    start, _, end = cues(data)
    data[start:start + 9] = b"\xec" + (1 << 56 | end - start - 9).to_bytes(8, "big")


def with_shifted_cues(data):
    """Makes cluster positions (F1) point into the middle of clusters."""
    _, at, end = cues(data)
    while (at := data.find(b"\xf1", at, end)) >= 0:
        if 0x81 <= data[at + 1] <= 0x84:
            data[at + 1 + (data[at + 1] & 0x0F)] ^= 0x5A
        at += 1


def with_cues_of_the_head_only(data):
    """Replaces everything after the first cue points with Void."""
    _, at, end = cues(data)
    for _ in range(3):
        at = data.index(b"\xbb", at) + 1
    at -= 1
    data[at:at + 9] = b"\xec" + (1 << 56 | end - at - 9).to_bytes(8, "big")


# test_matroska_without_cues_is_scanned_and_seekable has no index at all.
@pytest.mark.parametrize("damage", tiered(
    [without_cues, with_shifted_cues, with_cues_of_the_head_only], {with_shifted_cues, with_cues_of_the_head_only}))
def test_a_damaged_index_does_not_make_a_wrong_plan(engine, tmp_path, damage):
    data = bytearray(clip("h264-aac.mkv").read_bytes())
    damage(data)
    path = tmp_path / "spoilt.mkv"
    path.write_bytes(data)
    with engine.session(path) as session:
        playlist = Media.complete(session.master().variants[0][1])
        fragments = [Fragment(fetch(segment.url)) for segment in playlist.segments]
        assert all(fragment.samples[0].is_sync for fragment in fragments)
        assert sum(len(fragment.samples) for fragment in fragments) == 600
        # Sparse cues are correct but few: they make long segments. Wrong ones are rejected.
        assert len(fragments) == 6 or damage is with_cues_of_the_head_only
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", session.url, "-f", "null", "-"],
                       check=True, timeout=PATIENCE)
