# SPDX-License-Identifier: Apache-2.0
"""Live HLS sources with several variants: if the window moves, the engine switches between them as the bandwidth of the link
changes, without a gap in picture or audio; if the playlist only grows, players switch."""

import contextlib
import re
import shutil
import subprocess
import time
import urllib.parse

import pytest
from harness import numbered
from harness.bundles import validate
from harness.contract import engine_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import Media, digest, fetch
from harness.live import LADDER, live, package_ladder
from harness.places import ENGINECTL
from harness.watching import Notices

pytestmark = pytest.mark.long

# Bit rates of the link: enough for the low variant only, and enough for both variants.
SLOW, FAST = 1_000_000, 30_000_000
FORMS = [("demuxed", False), ("muxed", True)]


@pytest.fixture(scope="module")
def ladders(tmp_path_factory):
    """Makes each bundle when it is first needed."""
    folder, made = tmp_path_factory.mktemp("ladders"), {}

    def ladder(name):
        if name not in made:
            made[name] = package_ladder(folder / name, has_own_audio=name == "muxed")
        return made[name]
    return ladder


@pytest.fixture
def notices(engine):
    watch = Notices(engine)
    yield watch
    watch.end()


def numbers(data):
    """The numbers of the frames of a file, in order of presentation."""
    grey = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", "pipe:0", "-vf", "scale=320:192:flags=area", "-vsync", "passthrough", "-f",
         "rawvideo", "-pix_fmt", "gray", "pipe:1"], input=data, capture_output=True, check=True).stdout
    size = 320 * 192
    assert grey and len(grey) % size == 0
    return [numbered.read(grey[start:start + size], width=320) for start in range(0, len(grey), size)]


class Viewer:
    """Fetches every segment of a session's video and audio once, as it is announced, like a player."""

    def __init__(self, session):
        self.video, *rest = session.master().playlists()
        self.audio, = rest
        # By track: the bytes of each segment with its init segment, by media sequence number.
        self.found = {self.video: {}, self.audio: {}}
        self.inits, self.breaks = {}, set()

    def advance(self):
        for url, found in self.found.items():
            playlist = Media(url)
            init = None
            # Each segment has the last map before it.
            maps = iter(re.findall(r'#EXT-X-MAP:URI="([^"]*)"|^([^#\s].*)$', playlist.text, re.MULTILINE))
            for number, segment in enumerate(playlist.segments, playlist.sequence):
                for name, uri in maps:
                    if uri:
                        break
                    init = urllib.parse.urljoin(url, name)
                if segment.is_discontinuous and url == self.video:
                    self.breaks.add(number)
                begin = min(found) if found else playlist.sequence + len(playlist.segments) - 4
                if number in found or number < begin:
                    continue
                assert not found or number == max(found) + 1, "no segment leaves the window before it was fetched"
                self.inits.setdefault(init, fetch(init))
                found[number] = self.inits[init] + fetch(segment.url)

    def until(self, condition, what, patience=PATIENCE):
        """Follows the source until `condition` holds; returns its result."""
        end = time.monotonic() + patience
        while True:
            self.advance()
            if result := condition():
                return result
            assert time.monotonic() < end, f"{what}: not within {patience} s"
            time.sleep(0.2)

    def numbers(self):
        """The numbers of all frames, in order of presentation, and the width of each segment's pictures."""
        frames, widths = [], []
        for _, data in sorted(self.found[self.video].items()):
            said = subprocess.run(
                ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width", "-of", "csv=p=0", "-"],
                input=data, capture_output=True, check=True).stdout
            widths.append(int(said.split()[0].strip(b",")))
            frames += numbers(data)
        return frames, widths

    def times(self, url):
        """The presentation times of all packets of a track, in order of decoding, in microseconds."""
        found = []
        for _, data in sorted(self.found[url].items()):
            said = subprocess.run(
                ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", "-"], input=data,
                capture_output=True, check=True).stdout
            found += [round(float(line.strip(b",")) * 1e6) for line in said.split()]
        return found


def played(engine, session):
    variant, = [each for each in engine.state(session.id).media.variants if each.use == "played"]
    return variant


def name(variant):
    return {f"{width}x{height}": name for name, (width, height, _) in LADDER.items()}[f"{variant.width}x{variant.height}"]


@pytest.mark.parametrize("form, is_dated", FORMS)
def test_the_variant_follows_the_bandwidth(engine, ladders, notices, form, is_dated):
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(live(ladders(form), window=30, count=30))
        source.rate = FAST
        if is_dated:
            # Only dates show which segments follow: the numbers of the playlists differ.
            source.date, source.firsts = time.time() - 60, {"low.m3u8": 500}
        session = stack.enter_context(engine.session(source.url))
        viewer = Viewer(session)
        with source.running():
            assert name(played(engine, session)) == "high"
            viewer.until(lambda: len(viewer.found[viewer.video]) >= 10, "ten segments")
            assert name(played(engine, session)) == "high" and "live.variant_changed" not in notices.codes
            source.rate, last = SLOW, max(viewer.found[viewer.video])
            viewer.until(lambda: name(played(engine, session)) == "low", "the low variant")
            # Announced segments keep their variant, and one more may have been announced meanwhile.
            first = viewer.until(lambda: [number for number in viewer.breaks if number > last], "its first segment")[0]
            assert first <= last + 8
            low = played(engine, session)
            assert "too low for variant 1" in low.reason or "variant 1 arrived late" in low.reason
            lines = subprocess.run(
                [ENGINECTL, "--socket", engine.socket, "variants", "--session", session.id], stdin=subprocess.DEVNULL,
                capture_output=True, text=True, check=True).stdout.splitlines()
            assert [line[:3] for line in lines] == ["* 0", "  1"] and lines[0].endswith(low.reason)
            viewer.until(lambda: max(viewer.found[viewer.video]) >= first + 5, "five more segments")
            assert name(played(engine, session)) == "low", "the link carries no more"
            source.rate = FAST
            viewer.until(lambda: name(played(engine, session)) == "high", "the high variant")
            assert "the bandwidth suffices" in played(engine, session).reason
            back = viewer.until(lambda: [number for number in viewer.breaks if number > first], "its first segment")[0]
            viewer.until(lambda: max(viewer.found[viewer.video]) >= back + 3, "three more segments")
            changes = [text for code, text in zip(notices.codes, notices.texts) if code == "live.variant_changed"]
            assert len(changes) == 2 and "bit/s were measured" in changes[1]
            problems = {"live.variant_unusable", "live.segment_lost", "live.segments_missed", "live.sequence_reset"}
            assert not problems & set(notices.codes), notices.texts
        source.ended = True
        eventually(lambda: not engine.state(session.id).growing, "the end")
        viewer.advance()
        validate(engine, session.url)
        check(viewer, first, back)


def check(viewer, first, back):
    """Checks that every frame and all audio are there once. `first`, `back`: the segments with which the variant
    changes."""
    frames, widths = viewer.numbers()
    start = min(viewer.found[viewer.video])
    assert frames == list(range(frames[0], frames[0] + len(frames)))
    changes = [start + place for place in range(1, len(widths)) if widths[place] != widths[place - 1]]
    assert changes == [first, back] and widths[0] == widths[-1] == 640
    pictures = sorted(viewer.times(viewer.video))
    assert {later - earlier for earlier, later in zip(pictures, pictures[1:])} <= {39_999, 40_000, 40_001}
    audio = viewer.times(viewer.audio)
    # 1024 samples at 48 kHz; times are rounded to microseconds.
    steps = {later - earlier for earlier, later in zip(audio, audio[1:])}
    assert steps <= {21_333, 21_334}, steps


def test_a_selected_variant_is_kept(engine, ladders, notices):
    selection = engine_pb2.VariantSelection(index=0)
    with live(ladders("muxed"), window=30, count=30) as source, engine.session(source.url, variants=selection) as session:
        source.date, viewer = time.time() - 20, Viewer(session)
        with source.running():
            viewer.until(lambda: len(viewer.found[viewer.video]) >= 15, "fifteen segments")
        variants = engine.state(session.id).media.variants
        assert [(each.use, each.reason) for each in variants] == [
            ("played", "chosen by its number"), ("unused", "another one was chosen")]
        assert "live.variant_changed" not in notices.codes


def test_a_variant_that_cannot_follow_is_reported(engine, ladders, notices):
    with live(ladders("muxed"), window=30, count=30) as source, engine.session(source.url) as session:
        # Without dates, only equal numbers would show what follows.
        source.firsts, source.rate = {"low.m3u8": 500}, FAST
        viewer = Viewer(session)
        with source.running():
            viewer.until(lambda: len(viewer.found[viewer.video]) >= 8, "eight segments")
            source.rate = SLOW
            eventually(lambda: viewer.advance() or "live.variant_unusable" in notices.codes, "the notice")
            text = notices.texts[notices.codes.index("live.variant_unusable")]
            assert "neither dates nor media sequence numbers" in text and name(played(engine, session)) == "high"


def videos(session):
    """The video playlists of all variants."""
    return [Media(url) for _, url in session.master().variants]


def generous(master, target):
    """A copy of a presentation whose stated bandwidths hold for each of its segments. Those that ffmpeg states hold for
    the whole."""
    copy = shutil.copytree(master.parent, target / "generous") / master.name
    copy.write_text(re.sub(r"BANDWIDTH=(\d+)", lambda found: f"BANDWIDTH={int(found[1]) * 5 // 4}", copy.read_text()))
    return copy


def listed(session):
    """The digests of all segments that are listed, and of their init segments."""
    found = [Media(url) for url in session.master().playlists()]
    urls = [url for each in found for url in (each.init, *(segment.url for segment in each.segments))]
    return {url.split("/", 4)[4]: digest(url) for url in urls}


@pytest.mark.parametrize("form", ["demuxed", "muxed"])
def test_players_switch_between_the_variants_of_a_playlist_that_grows(start_engine, ladders, tmp_path, form):
    engine = start_engine()
    with live(generous(ladders(form), tmp_path), count=6) as source:
        source.kind = "EVENT"
        session = engine.load(source.url)
        assert [each.use for each in engine.state(session.id).media.variants] == ["offered", "played"]
        assert [fields["RESOLUTION"] for fields, _ in session.master().variants] == ["640x384", "320x192"]
        for each in videos(session):
            assert (each.type, each.is_ended, each.target) == ("EVENT", False, 1) and len(each.segments) >= 5
        # What is listed is there, although the source lists nothing new; also of a variant whose playlist lags.
        early = listed(session)
        source.lags, source.count = {"low.m3u8": 2}, 10
        eventually(lambda: all(len(each.segments) >= count for each, count in zip(videos(session), (9, 8))), "both variants to grow")
        assert len(videos(session)[1].segments) == 8
        middle, source.lags = listed(session), {}
        eventually(lambda: min(len(each.segments) for each in videos(session)) >= 9, "the variant to catch up")
        later = listed(session)
        assert early.items() <= middle.items() <= later.items() and len(later) > len(early), "listed segments do not change"
        engine.kill()
        engine = start_engine(directory=engine.directory)
        eventually(lambda: engine.state(session.id).production.planned_segments >= 9, "the session to be restored")
        assert later.items() <= listed(session).items(), "the same segments after a crash"
        source.count, source.ended = 12, True
        eventually(lambda: all(each.is_ended for each in videos(session)), "the end of both variants")
        assert not engine.state(session.id).growing
        for each in videos(session):
            frames = [numbers(fetch(each.init) + fetch(segment.url)) for segment in each.segments]
            assert each.type == "VOD" and frames == [list(range(25 * place, 25 * place + 25)) for place in range(12)]
        validate(engine, session.url)
