# SPDX-License-Identifier: Apache-2.0
"""The page in Chromium and Firefox plays every real sample whose formats it can play, as its user opens it: frames, seeks,
subtitles and audio tracks are those of the source. Of any other source it says why, and what can be done."""

import contextlib
import re
import subprocess

import grpc
import numpy
import pytest
from harness import origin, stills
from harness.contract import engine_pb2, media_pb2, software_pb2, stills_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ROOT, SAMPLES
from harness.sound_server import sound_server
from harness.web_page import LISTEN, WebPage, chromium, firefox, link

BROWSERS = {"chromium": chromium, "firefox": firefox}
SEEKS = (0.62, 0.13, 0.87, 0.4, 0.05)
# Browsers round times to microseconds, and those of a container may be whole milliseconds.
ROUNDING = 0.0015
# The size in which frames are compared.
WIDTH, HEIGHT = 64, 36
PLAIN = stills_pb2.StillStyle(format=stills_pb2.STILL_FORMAT_PNG)

# What the video shows. `presented`: the time of the frame that was last put on the screen.
SHOWN = """
const video = document.querySelector('video');
if (video.noted === undefined) {
    video.noted = null;
    const note = (_, { mediaTime }) => { video.noted = mediaTime; video.requestVideoFrameCallback(note); };
    video.requestVideoFrameCallback(note);
}
const active = [...video.textTracks].filter(track => track.mode === 'showing').map(track => [...track.activeCues].map(cue => cue.text));
const isDrawn = [...document.querySelectorAll('.drawn')].map(node =>
    node.width > 1 && node.getContext('2d').getImageData(0, 0, node.width, node.height).data.some(each => each > 0));
return { ended: video.ended, frames: video.getVideoPlaybackQuality().totalVideoFrames, presented: video.noted, active, isDrawn };
"""
PICTURE = """
const [width, height] = arguments, video = document.querySelector('video'), canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [width, height];
const context = canvas.getContext('2d');
context.imageSmoothingQuality = 'high';
context.drawImage(video, 0, 0, width, height);
const { data } = context.getImageData(0, 0, width, height);
return Array.from({ length: width * height }, (_, at) => (data[at * 4] * 299 + data[at * 4 + 1] * 587 + data[at * 4 + 2] * 114) / 1000);
"""
# Chooses by its place, because tracks may have the same label.
CHOOSE = """
const [menu, place] = arguments;
document.querySelector(`[title="${menu}"]`).click();
document.querySelectorAll('.menu:not([hidden]) [aria-checked]:not(:disabled)')[place].click();
"""
# What the page advises for each code.
ADVICE = dict(re.findall(r"^    (\w+): '(.+)',$", (ROOT / "Sources/WebPage/Page/strings.js").read_text(), re.MULTILINE))
CANNOT_DECODE = "This browser cannot decode the video. The engine can: run “enginectl play”."


def named(playlist):
    """What a playlist refers to: segments, other playlists, keys."""
    text = playlist.read_text()
    names = re.findall(r'[:,]URI="([^"]*)"', text) + re.findall(r"^(?!#)\S.*$", text, re.MULTILINE)
    return {(playlist.parent / name.strip()).resolve() for name in names}


def sample_sources():
    """Every sample that can be opened by itself, relative to their folder. Not the parts of an HLS presentation."""
    files = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.parent != SAMPLES)
    parts = set().union(*(named(path) for path in files if path.suffix == ".m3u8"))
    return [str(path.relative_to(SAMPLES)) for path in files if path.resolve() not in parts]


def is_served(stream):
    return stream.route in ("remux", "bridge")


def refusal(engine, source, options):
    """Why a source does not play in the page: the code of the error of a load, `software` if only the engine can decode
    its video, or `None` if it plays. From what a probe says."""
    try:
        streams = engine.probe(source, options).streams
    except grpc.RpcError as error:
        return error.details().split(":")[0]
    if any(each.HasField("protection") for each in streams):
        return "source_encrypted"
    if any(each.route == "software" for each in streams):
        return "software"
    return None if any(is_served(each) for each in streams) else "no_playable_stream"


def greys(image):
    """The image of a still in the size in which frames are compared, and in the form of `PICTURE`."""
    raw = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "png_pipe", "-i", "pipe:0", "-vf", f"format=rgb24,scale={WIDTH}:{HEIGHT}:flags=area",
         "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"], input=image, capture_output=True, check=True).stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(-1, 3) @ numpy.array([0.299, 0.587, 0.114])


def is_alike(one, other):
    """Whether two pictures are the same but for their tone: browsers map HDR to the screen in their own ways."""
    if min(one.std(), other.std()) < 3:
        return abs(one - other).mean() < 12
    return numpy.corrcoef(one, other)[0, 1] > 0.97


def words(text):
    return re.sub(r"<[^>]*>|\{[^}]*\}|\s|&\w+;", "", text)


class Viewer:
    """A person at the page in a browser, who opens one source after the other."""

    def __init__(self, engine, name, browser):
        self.engine, self.name, self.page, self.session = engine, name, WebPage(browser.driver), None
        self.is_refused = False
        self.page.driver.get(link(engine))
        self.page.driver.execute_script(LISTEN)
        self.is_empty()

    def is_empty(self):
        self.page.until(lambda look: look["title"] == "Nothing is loaded" and look["menus"] == ["Speed"], "no session")

    @property
    def state(self):
        return self.engine.state(self.session)

    def shown(self):
        return self.page.driver.execute_script(SHOWN)

    def appears(self):
        """Waits for the session that the page has loaded, and for its first frame."""
        self.session = eventually(self.sessions, "the page to load the source")[0].session_id
        self.page.until(lambda look: look["ready"] >= 2 and not look["seeking"] and not look["message"], "the first frame")

    def sessions(self):
        return self.engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions

    def leaves(self):
        """Ends all sessions, and checks that neither the page nor the browser has complained."""
        for each in self.sessions():
            self.engine.stub.Stop(engine_pb2.SessionRequest(session_id=each.session_id), timeout=PATIENCE)
        self.session = None
        self.is_empty()
        complaints = self.page.driver.execute_script("return complaints.splice(0)")
        # Chromium's console has a line for each refused request. A page that is refused a load shows why.
        console = [each for each in self.page.console() if not (self.is_refused and "/web/api/Load " in each)]
        self.is_refused = False
        assert (complaints, console) == ([], [])

    def call(self, method):
        getattr(self.engine.stub, method)(engine_pb2.SessionRequest(session_id=self.session), timeout=PATIENCE)

    def pause(self):
        self.call("Pause")
        self.page.until(lambda look: look["paused"], "the pause")

    def seek(self, target):
        request = engine_pb2.SeekRequest(session_id=self.session, position_us=round(target * 1e6))
        self.engine.stub.Seek(request, timeout=PATIENCE)
        look = self.page.until(lambda look: abs(look["time"] - target) < 0.1 and not look["seeking"] and look["ready"] >= 2,
                               f"the seek to {target} s to land")
        assert look["error"] is None and not look["message"], look
        return look["time"]

    def plays(self, start=0.0):
        """Plays from a time on, for 0.3 s or to the end. Returns how many frames were decoded."""
        self.pause()
        self.seek(start)
        before = self.shown()["frames"]
        self.call("Play")
        shown = eventually(lambda: (found := self.shown()) and (found["ended"] or self.page.look()["time"] > start + 0.3) and found,
                           lambda: f"the page to play, on {self.page.look()}")
        self.pause()
        return shown["frames"] - before

    def select(self, menu, place):
        self.page.driver.execute_script(CHOOSE, menu, place)


@pytest.fixture(scope="module")
def server():
    with origin.nginx(SAMPLES) as server:
        yield server


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request, engine):
    with contextlib.ExitStack() as stack:
        # Firefox does not play audio without video if it has no device to play to.
        options = {"environment": stack.enter_context(sound_server()).environment} if request.param == "firefox" else {}
        yield Viewer(engine, request.param, stack.enter_context(BROWSERS[request.param](**options)))


@pytest.fixture
def viewer(browser):
    yield browser
    browser.leaves()


def watch(viewer):
    """Plays and seeks in what the page shows, and compares each frame with a snapshot of its time."""
    state = eventually(lambda: (found := viewer.state).duration_us > 0 and found, "the duration")
    duration = state.duration_us / 1e6
    has_video = any(each.kind == media_pb2.STREAM_KIND_VIDEO and is_served(each) for each in state.media.streams)
    frames = viewer.plays()
    assert frames > 0 or not has_video
    of = stills_pb2.StillSource(session_id=viewer.session)
    for part in SEEKS:
        target = round(duration * part, 6)
        still = stills.snapshot(viewer.engine, of, round(target * 1e6), PLAIN) if has_video else None
        landed = viewer.seek(target)
        # Before the first frame, the playhead may be moved to it.
        frame = still.duration_us / 1e6 if still else 0
        assert abs(landed - target) <= ROUNDING + frame, (target, landed)
        if still:
            time, picture = still.time_us / 1e6, greys(still.data)
            # Firefox reports the time of the playhead instead of the frame's.
            last = time + (frame if viewer.name == "firefox" else 0)
            eventually(lambda: time - ROUNDING <= viewer.shown()["presented"] <= last + ROUNDING,
                       lambda: f"the frame of {time} s after a seek to {target}, not {viewer.shown()}")
            eventually(lambda: is_alike(numpy.array(viewer.page.driver.execute_script(PICTURE, WIDTH, HEIGHT)), picture),
                       f"the picture of {time} s after a seek to {target}")
    viewer.seek(0)


def hear(viewer):
    """Chooses each audio track."""
    streams = [each for each in viewer.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO and is_served(each)]
    for place, stream in enumerate(streams):
        if len(streams) > 1:
            viewer.select("Audio", place)
        eventually(lambda: viewer.state.selected_audio.stream_index == stream.index, f"track {place} to be selected")
        viewer.plays()


def read(viewer):
    """Chooses each subtitle track, and waits for one of its cues on the screen."""
    tracks = viewer.state.subtitle_tracks
    origin = viewer.state.media.start_us
    for place, track in enumerate(tracks):
        request = subtitles_pb2.GetCuesRequest(session_id=viewer.session, track=track.id)
        cues = [cue for batch in viewer.engine.stub.GetCues(request, timeout=PATIENCE) for cue in batch.cues]
        within = [each for each in cues if 0 <= each.start_us - origin < viewer.state.duration_us - 100_000
                  and (not track.text or words(each.text.plain))]
        if not within:
            continue
        cue = within[0]
        if list(viewer.state.selected_subtitles) != [track.id]:
            viewer.select("Subtitles", 0)
            eventually(lambda: not viewer.state.selected_subtitles, "no subtitles to be selected")
            viewer.select("Subtitles", place + 1)
            eventually(lambda: list(viewer.state.selected_subtitles) == [track.id], f"track {track.id} to be selected")
        end = min(cue.end_us if cue.end_us > 0 else cue.start_us + 1_000_000, viewer.state.duration_us + origin)
        viewer.seek(((cue.start_us + end) / 2 - origin) / 1e6)
        if track.text and track.codec != "ass":
            eventually(lambda: any(words(cue.text.plain) in words("".join(each)) for each in viewer.shown()["active"]),
                       lambda: f"the text {cue.text.plain} on the screen, not {viewer.shown()}")
        else:
            eventually(lambda: any(viewer.shown()["isDrawn"]), f"the picture of the cue at {cue.start_us}")


def enjoy(viewer):
    watch(viewer)
    hear(viewer)
    read(viewer)
    look = viewer.page.look()
    assert look["error"] is None and not look["message"], look


@pytest.mark.long
@pytest.mark.skipif(not sample_sources(), reason="there are no real samples in ../shared/media or $ENGINE_MEDIA")
@pytest.mark.parametrize("name", sample_sources())
def test_a_sample_is_played_or_the_page_says_why_not(viewer, server, name):
    source = f"{server.url}/{name}" if name.endswith(".m3u8") else str(SAMPLES / name)
    options = engine_pb2.LoadOptions(profile=viewer.name)
    code = refusal(viewer.engine, source, options)
    viewer.page.load(source)
    if code is None:
        viewer.appears()
        return enjoy(viewer)
    if code != "software":
        viewer.is_refused = True
        look = viewer.page.until(lambda look: look["message"].startswith("It did not work: ") and look["message"].endswith(ADVICE[code]),
                                 f"the reason, {code}")
        assert look["ready"] == 0
        return None
    look = viewer.page.until(lambda look: look["message"] == CANNOT_DECODE, "the reason, that only the engine can decode it")
    assert look["ready"] == 0
    # Another client has the video encoded.
    options.video_bridge = engine_pb2.VIDEO_BRIDGE_WHEN_NEEDED
    if refusal(viewer.engine, source, options) is not None:
        return None
    session = eventually(viewer.sessions, "the session")[0]
    assert session.path == software_pb2.PLAYBACK_PATH_SOFTWARE
    viewer.engine.stub.Load(engine_pb2.LoadRequest(source=source, session_id=session.session_id, options=options), timeout=PATIENCE)
    viewer.appears()
    return enjoy(viewer)
