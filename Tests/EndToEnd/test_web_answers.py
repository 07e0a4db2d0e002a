# SPDX-License-Identifier: Apache-2.0
"""Every call over HTTP is answered with the JSON that enginectl prints for the same command."""

import base64
import contextlib
import json
import subprocess

import pytest
from harness import graphics, growing, origin
from harness.contract import engine_pb2, web_pb2
from harness.drawing import script
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, FIXTURES, clip
from test_web import Web, printed

# Members that differ between two moments of the same session, or between two sessions.
MOVING = {"revision", "statistics", "production", "buffered", "position", "current_chapter", "recording"}
# A second call adds another one, so of these lists only the shapes are compared.
ADDED = {"AddSubtitles": {"subtitle_tracks"}, "AddFilter": {"filters"}}
# Calls without a command: a renderer is no command, a prewarmed still is not printed, what is recognized is listed by
# `subtitles`, and enginectl writes scripts and attachments as they are.
WITHOUT_VERB = {"Render", "PrewarmStills", "RecognizeSubtitles", "GetScript", "GetAttachment"}
# Calls without a session, with another source, or with an answer of several events, which tests of their own compare.
COMPARED_BELOW = {
    "Load", "Stop", "ListSessions", "Probe", "Watch", "ListHistory", "ClearHistory", "GetSourceCache", "ClearSourceCache", "RefreshSource",
    "SelectProgram", "StopRecording", "GetCues", "DrawSubtitles", "MeasureLoudness", "Thumbnail", "Snapshot", "ContactSheet",
}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="3"/></svg>'


def shape(value):
    """The names of members, and the kinds of values. Elements of a list are of one shape or of several."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(each), sort_keys=True) for each in value})
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return type(value).__name__
    return "number"


def still(value, moving):
    """The members at any depth that do not change by themselves."""
    if isinstance(value, dict):
        return {name: still(each, moving) for name, each in value.items() if name not in moving}
    return [still(each, moving) for each in value] if isinstance(value, list) else value


def assert_same(ours, theirs, moving=MOVING):
    assert shape(ours) == shape(theirs)
    assert still(ours, moving) == still(theirs, moving)


# What a command prints of the state with which the call is answered.
def state(answer):
    return answer


def tracks(answer):
    streams = [each for each in answer["media"]["streams"] if each["kind"] in ("video", "audio")]
    return {"session": answer["session"], "selected_audio": answer["selected_audio"], "tracks": streams}


def subtitles(answer):
    return {name: answer[name] for name in ("session", "selected_subtitles", "subtitle_tracks")}


def filters(answer):
    return {name: answer[name] for name in ("adjustments", "filters", "overlays")}


def programs(answer):
    media, guide = answer["media"], {each["program"]: each for each in answer["guide"]}
    found = [{**each, "is_played": each["number"] == media["program"], "streams": [media["streams"][place] for place in each["streams"]],
              **{name: guide.get(each["number"], {}).get(name) for name in ("present", "following")}} for each in media["programs"]]
    return {"program": media["program"], "programs": found}


# In this order: each call and its command have the same result when they are made one after the other. {id} stands for the
# filter or the subtitle track that the call has added.
CALLS = [
    ("GetState", {}, ["status"], state), ("Play", {}, ["play"], state), ("Pause", {}, ["pause"], state),
    ("Seek", {"position_us": 2_000_000, "mode": "keyframe", "after": "pause"}, ["seek", "2", "--keyframe", "--pause"], state),
    ("Seek", {"position_us": 10**12}, ["seek", "277777:46:40"], state),
    ("SkipChapter", {"step": "previous"}, ["chapter", "previous"], state), ("SetRate", {"rate": 1.5}, ["rate", "1.5"], state),
    ("SetVolume", {"volume": 0.25}, ["volume", "25%"], state), ("SetMuted", {"muted": True}, ["mute", "on"], state),
    ("SetLooping", {"looping": True}, ["loop", "on"], state),
    ("SetLoopPoints", {"loop_points": {"start_us": 500_000, "end_us": 1_500_000}}, ["ab-loop", "0.5", "1.5"], state),
    ("SetLoopPoints", {}, ["ab-loop", "off"], state), ("StepFrame", {"frames": 1}, ["step", "next"], state),
    ("SetAudioDelay", {"delay_us": -250_000}, ["delay", "audio", "-0.25"], state),
    ("SetSubtitleDelay", {"delay_us": 100_000}, ["delay", "subtitles", "100ms"], state),
    ("SelectPath", {"path": "remux"}, ["path", "remux"], state),
    ("SelectAudio", {"audio": {"languages": {"languages": ["de"]}}}, ["audio", "de"], tracks),
    ("SelectSubtitles", {"subtitles": {"tracks": {"ids": []}}}, ["subtitles", "none"], subtitles),
    ("AddSubtitles", {"file": {"path": "{folder}/more.srt", "language": "fr"}},
     ["subtitles", "add", "{folder}/more.srt", "--language", "fr"], subtitles),
    ("RemoveSubtitles", {"track": "{id}"}, ["subtitles"], subtitles),
    ("SetAdjustments", {"adjustments": {"brightness": {"value": 0.5}}}, ["filters", "adjust", "--brightness", "0.5"], filters),
    ("AddFilter", {"filter": {"name": "gblur", "options": [{"name": "sigma", "value": "2"}]}}, ["filters", "add", "gblur", "sigma=2"], filters),
    ("RemoveFilter", {"filter_id": "{id}"}, ["filters"], filters), ("ClearFilters", {}, ["filters", "clear"], filters),
    ("PutOverlay", {"overlay": {"name": "logo", "svg": SVG, "rectangle": {"x": 0.5, "y": 0.5, "width": 0.25, "height": 0.25}, "z": -3}},
     ["filters", "overlay", "logo", "{folder}/logo.svg", "--at", "0.5,0.5,0.25,0.25", "--z=-3"], filters),
    ("RemoveOverlay", {"name": "logo"}, ["filters"], filters), ("ClearOverlays", {}, ["filters", "overlay-remove"], filters),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A film with two audio tracks, a script, chapters, and a subtitle file beside it."""
    folder = tmp_path_factory.mktemp("answers")
    (folder / "script.ass").write_text(script(
        "0,0:00:00.20,0:00:01.00,Default,,0,0,0,,Plain {\\i1}text", "0,0:00:01.60,0:00:02.60,Sign,,0,0,0,,{\\pos(200,60)}SIGN"))
    (folder / "chapters.txt").write_text(";FFMETADATA1\n" + "".join(
        f"[CHAPTER]\nTIMEBASE=1/1\nSTART={2 * n}\nEND={2 * n + 2}\ntitle=Part {n}\n" for n in range(2)))
    (folder / "more.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nDavantage\n")
    (folder / "logo.svg").write_text(SVG)
    (folder / "bitmaps.sup").write_bytes(graphics.file([
        (1.0, graphics.shown([(20, 10, 40, 12, False)], number=1)), (3.0, graphics.cleared())]))
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=4", "-f", "lavfi", "-i", "sine=d=4",
         "-f", "lavfi", "-i", "sine=880:d=4", "-i", "script.ass", "-i", "chapters.txt", "-map", "0", "-map", "1", "-map", "2", "-map", "3",
         "-map_metadata", "4", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-c:s", "copy",
         "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu", "film.mkv"], check=True, cwd=folder, timeout=PATIENCE)
    return folder


@pytest.fixture
def web(engine):
    web = Web(engine)
    yield web
    engine.stub.CloseWebControl(web_pb2.CloseWebControlRequest(), timeout=PATIENCE)


@pytest.fixture
def session(web, folder):
    with web.engine.session(folder / "film.mkv") as session:
        # With its chapters and tracks, and with all that is measured in the background.
        eventually(lambda: is_settled(web.engine, session.id), "the plan and the first segments")
        yield session


def is_settled(engine, id):
    state = engine.state(id)
    return state.production.plan_complete and state.buffered


def answered(web, method, request):
    status, answer = web.call(method, request)
    assert status == 200, (method, answer)
    return answer


def events(web, method, request):
    stream, response = web.follow(method, request)
    with contextlib.closing(response):
        return list(stream)


def filled(value, **words):
    """A request or its arguments with the words in braces replaced."""
    if isinstance(value, dict):
        return {name: filled(each, **words) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, **words) for each in value]
    if value == "{id}":
        return words["id"]
    return value.replace("{folder}", str(words["folder"])) if isinstance(value, str) else value


def test_every_call_is_compared(web):
    document = json.loads(web.request("GET", "/web/openapi.json", token="")[2])
    assert {path[1:] for path in document["paths"]} == {method for method, *_ in CALLS} | COMPARED_BELOW | WITHOUT_VERB


def test_commands(web, session, folder):
    added = None
    for method, request, arguments, view in CALLS:
        request = {"session": session.id, **filled(request, folder=folder, id=added)}
        answer = answered(web, method, request)
        theirs = printed(web.engine, *filled(arguments, folder=folder), "--json", "--session", session.id)
        assert_same(view(answer), theirs, MOVING | ADDED.get(method, set()))
        if method == "AddFilter":
            added = answer["filters"][-1]["id"]
        elif method == "AddSubtitles":
            added = answer["subtitle_tracks"][-1]["id"]
    assert answered(web, "ClearOverlays", {"session": session.id})["overlays"] == []


def test_sessions_and_sources(web, session, folder):
    engine, film = web.engine, str(folder / "film.mkv")
    assert_same(answered(web, "ListSessions", {}), printed(engine, "list", "--json"))
    assert_same(answered(web, "Probe", {"source": film}), printed(engine, "probe", film, "--json"))
    ours = answered(web, "Load", {"source": film})
    theirs = printed(engine, "load", film, "--json")
    own = MOVING | {"session", "url", "storyboard_url", "cover_art_url", "phase", "duration_us", "seekable", "media"}
    assert set(ours) == set(theirs) and still(ours, own) == still(theirs, own)
    for state in (ours, theirs):
        eventually(lambda state=state: is_settled(engine, state["session"]), "the plan and the first segments")
    ours = answered(web, "Stop", {"session": ours["session"]})
    theirs = printed(engine, "stop", "--json", "--session", theirs["session"])
    assert shape(ours) == shape(theirs)
    assert_same(answered(web, "ListHistory", {}), printed(engine, "history", "--json"), {"position_us", "played_unix_us"})
    ours, theirs = answered(web, "ClearHistory", {}), printed(engine, "history", "--clear", "--json")
    assert shape(ours) == shape(theirs)


def test_watching(web, session):
    stream, response = web.follow("Watch", {"session": session.id, "time_interval_us": -1})
    with contextlib.closing(response):
        ours = next(stream)
    command = [ENGINECTL, "--socket", web.engine.socket, "watch", "--json", "--session", session.id]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watcher:
        theirs = next(each for each in map(json.loads, watcher.stdout) if each["event"] != "connected")
        watcher.terminate()
    assert_same(ours, theirs)


@pytest.mark.parametrize("name", ["film.mkv", "bitmaps.sup"])
def test_cues_and_pictures(web, folder, name):
    path = str(folder / name)
    cues = events(web, "GetCues", {"source": path, "number": 0, "raw": True})
    found = [cue for event in cues for cue in event["cues"]]
    assert found and found == printed(web.engine, "cues", path, "--track", "0", "--json")
    assert cues[0]["tracks"] and cues[-1]["progress"] == 1
    request = {"cues": {"source": path, "number": 0}, "width": 640, "height": 360, "frame_rate": 25}
    pictures = [picture for event in events(web, "DrawSubtitles", request) for picture in event["pictures"]]
    command = [ENGINECTL, "--socket", web.engine.socket, "draw", path, "--track", "0", "--size", "640x360", "--fps", "25", "--json"]
    lines = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout.splitlines()
    assert pictures and pictures == [json.loads(line) for line in lines]


def test_loudness(web, folder):
    film = str(folder / "film.mkv")
    steps = events(web, "MeasureLoudness", {"source": film})
    last = {name: value for name, value in steps[-1].items() if name != "progress"}
    assert last == printed(web.engine, "loudness", film, "--json")


def test_stills(web, folder, tmp_path):
    film = str(folder / "film.mkv")
    for method, verb in [("Thumbnail", "thumbnail"), ("Snapshot", "snapshot")]:
        ours = answered(web, method, {"of": {"source": film}, "time_us": 1_000_000, "style": {"format": "png"}})
        theirs = printed(web.engine, verb, film, "--at", "1", "-o", str(tmp_path / "still.png"), "--json")
        compare_stills(ours, theirs)
    *_, last = events(web, "ContactSheet", {"of": {"source": film}, "columns": 2, "rows": 1, "cell_width": 64, "style": {"format": "png"}})
    theirs = printed(web.engine, "contact-sheet", film, "--columns", "2", "--rows", "1", "--cell-width", "64",
                     "-o", str(tmp_path / "sheet.png"), "--json")
    compare_stills(last["sheet"], theirs)


def compare_stills(ours, theirs):
    """Over HTTP the image itself is in the answer; enginectl names the file that it wrote."""
    with open(theirs.pop("file"), "rb") as file:
        assert base64.b64decode(ours.pop("data")) == file.read()
    assert ours == theirs


def test_recordings(start_engine, tmp_path):
    source = tmp_path / "growing.ts"
    # A recording of a source that grows runs until it is stopped.
    web = Web(start_engine("--recording-timeout", "3600"))
    with growing.recording(source, clip("h264-aac.ts").read_bytes(), 0.6), web.engine.session(source) as session:
        for stop in (lambda: answered(web, "StopRecording", {"session": session.id})["recording"],
                     lambda: printed(web.engine, "record", "stop", "--json", "--session", session.id)):
            path = tmp_path / f"{len(list(tmp_path.iterdir()))}.mp4"
            request = engine_pb2.StartRecordingRequest(session_id=session.id, path=str(path))
            web.engine.stub.StartRecording(request, timeout=PATIENCE)
            stopped = stop()
            assert stopped["path"] == str(path)
            assert_same(stopped, answered(web, "GetState", {"session": session.id})["recording"], set())
            assert stopped == printed(web.engine, "record", "--json", "--session", session.id)


def test_programs(web, multiplex):
    with web.engine.session(multiplex) as session:
        ours = answered(web, "SelectProgram", {"session": session.id, "program": {"number": 7}})
        theirs = printed(web.engine, "programs", "--select", "7", "--json", "--session", session.id)
        assert_same(programs(ours), theirs)


@pytest.fixture(scope="module")
def multiplex(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "two.ts"
    inputs = [word for each in ("testsrc=s=320x180:d=4", "testsrc2=s=160x90:d=4") for word in ("-f", "lavfi", "-i", each)]
    subprocess.run(
        ["ffmpeg", "-v", "error", *inputs, "-map", "0", "-map", "1", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p",
         "-program", "program_num=3:title=a:st=0", "-program", "program_num=7:title=b:st=1", "-f", "mpegts", path], check=True, timeout=PATIENCE)
    return path


def test_sources_on_servers(web):
    with origin.nginx(FIXTURES) as server, web.engine.session(f"{server.url}/h264-aac.mkv") as session:
        eventually(lambda: is_settled(web.engine, session.id), "the plan and the first segments")
        ours = answered(web, "RefreshSource", {"session": session.id, "url": session.state.source})
        assert_same(ours, printed(web.engine, "refresh", session.state.source, "--json", "--session", session.id))
        assert_same(answered(web, "GetSourceCache", {}), printed(web.engine, "cache", "--json"), {"last_use_unix_us"})
    ours, theirs = answered(web, "ClearSourceCache", {}), printed(web.engine, "cache", "clear", "--json")
    assert shape(ours) == shape(theirs)
