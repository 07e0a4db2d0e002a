# SPDX-License-Identifier: Apache-2.0
"""Filters, adjustments and overlays are set, reported and kept; invalid ones are rejected with the field's name, and a
filter that fails is removed."""

import json
import subprocess

import grpc
import pytest
from harness.contract import engine_pb2, filters_pb2, frames_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.frames import attached_frames, framemd5
from harness.places import ENGINECTL, clip

ASS = r"{\p1\c&H0000FF&}m 0 0 l 640 0 640 180 0 180"
INVALID = grpc.StatusCode.INVALID_ARGUMENT
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="5" cy="5" r="4" fill="red"/></svg>'


def adjust(engine, reset=False, **values):
    wanted = {name: filters_pb2.AdjustmentValue(value=value) for name, value in values.items()}
    request = filters_pb2.SetAdjustmentsRequest(adjustments=filters_pb2.PictureAdjustments(**wanted), reset=reset)
    return engine.stub.SetAdjustments(request, timeout=PATIENCE)


def picture_filter(name, **options):
    pairs = [filters_pb2.FilterOption(name=option, value=str(value)) for option, value in options.items()]
    return filters_pb2.PictureFilter(name=name, options=pairs)


def add(engine, name, **options):
    request = filters_pb2.AddFilterRequest(filter=picture_filter(name, **options))
    return engine.stub.AddFilter(request, timeout=PATIENCE)


def put(engine, name="logo", svg=SVG, z=0, ass=None, size=(0, 0), **rectangle):
    place = filters_pb2.OverlayRectangle(**rectangle) if rectangle else None
    overlay = filters_pb2.Overlay(name=name, rectangle=place, z=z, **({"svg": svg} if ass is None else {
        "ass": ass, "ass_width": size[0], "ass_height": size[1]}))
    return engine.stub.PutOverlay(filters_pb2.PutOverlayRequest(overlay=overlay), timeout=PATIENCE)


def refusal(call):
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value.code(), dict(caught.value.trailing_metadata()).get("engine-error-field", "")


def values(state):
    return [each.value for each in (state.adjustments.brightness, state.adjustments.contrast, state.adjustments.saturation,
                                    state.adjustments.gamma)]


def test_adjustments_are_clamped_and_reported(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert values(engine.state(session.id)) == [0, 1, 1, 1]
        answer = adjust(engine, brightness=-0.25, contrast=9)
        assert answer.clamped and values(answer.state) == [-0.25, 4, 1, 1]
        assert values(adjust(engine, gamma=2).state) == [-0.25, 4, 1, 2]
        assert values(adjust(engine, reset=True, saturation=0).state) == [0, 1, 0, 1]
        assert refusal(lambda: adjust(engine, gamma=float("nan"))) == (INVALID, "adjustments.gamma")
        assert values(engine.state(session.id)) == [0, 1, 0, 1]


def test_filters_are_added_removed_and_cleared(engine):
    with engine.session(clip("h264-aac.mkv")) as session:
        watch = engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id, fields=[state_pb2.STATE_FIELD_FILTERS]))
        next(watch)
        first, second = add(engine, "gblur", sigma="2.50"), add(engine, "hflip")
        assert (first.added_filter, second.added_filter) == (1, 2)
        assert [(each.filter_id, each.filter.name) for each in second.state.filters] == [(1, "gblur"), (2, "hflip")]
        assert second.state.filters[0].filter.options[0].value == "2.5"
        seen = next(event.delta.state for event in watch if event.WhichOneof("event") == "delta" and len(event.delta.state.filters) == 2)
        assert seen.filters == second.state.filters
        watch.cancel()
        gone = engine.stub.RemoveFilter(filters_pb2.RemoveFilterRequest(filter_id=1), timeout=PATIENCE)
        assert [each.filter_id for each in gone.state.filters] == [2]
        assert refusal(lambda: engine.stub.RemoveFilter(filters_pb2.RemoveFilterRequest(filter_id=1), timeout=PATIENCE)) == (
            INVALID, "filter_id")
        adjust(engine, contrast=2)
        cleared = engine.stub.ClearFilters(engine_pb2.SessionRequest(), timeout=PATIENCE).state
        assert not cleared.filters and values(cleared)[1] == 2
        assert add(engine, "vflip").added_filter == 3
        for _ in range(15):
            add(engine, "vflip")
        assert refusal(lambda: add(engine, "vflip"))[0] == grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(("name", "options", "field"), [
    ("movie", {"filename": "/etc/passwd"}, "filter.name"), ("gblur,movie=/etc/passwd", {}, "filter.name"),
    ("gblur", {"radius": 2}, "filter.options[radius]"), ("gblur", {"sigma": "2:planes=1"}, "filter.options[sigma]"),
    ("gblur", {"sigma": "PI"}, "filter.options[sigma]"), ("crop", {"w": 10}, "filter.options[h]"), ("hflip", {"x": 1}, "filter.options"),
])
def test_an_invalid_filter_is_refused_by_field_name(engine, name, options, field):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert refusal(lambda: add(engine, name, **options)) == (INVALID, field)
        assert not engine.state(session.id).filters


def exponential_entities():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE svg [<!ENTITY l0 "ha">{entities}]><svg xmlns="http://www.w3.org/2000/svg"><text>&l9;</text></svg>'


HOSTILE = {
    "file reference": SVG.replace("<circle", '<image href="file:///etc/passwd" width="9" height="9"/><circle'),
    "server reference": SVG.replace("<circle", '<image xlink:href="http://127.0.0.1:9/x.png" width="9" height="9"/><circle'),
    "external pattern": SVG.replace('"red"', '"url(file:///tmp/x.svg#p)"'),
    "exponential entities": exponential_entities(),
    "not a document": "hello", "truncated document": "<svg", "too many tags": "<svg>" + "<g/>" * 5000 + "</svg>",
    "too long": SVG + " " * (64 << 10),
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_an_unsafe_svg_drawing_is_refused(engine, attack):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert refusal(lambda: put(engine, svg=HOSTILE[attack])) == (INVALID, "overlay.svg")
        assert not engine.state(session.id).overlays and engine.is_alive()


@pytest.mark.parametrize(("drawing", "size", "field"), [
    ("hello", (0, 0), "overlay.ass"), (r"{\p1\blur3}m 0 0 l 9 0 9 9", (0, 0), "overlay.ass"),
    ("m 0 0 l 9 0 9 9", (0, 9), "overlay.ass_width"), ("m 0 0 l 9 0 9 9 " + "1 1 " * 20000, (0, 0), "overlay.ass"),
])
def test_an_invalid_ass_drawing_is_refused(engine, drawing, size, field):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert refusal(lambda: put(engine, ass=drawing, size=size)) == (INVALID, field)
        assert not engine.state(session.id).overlays


def test_an_overlay_is_either_svg_or_ass(engine):
    both = filters_pb2.Overlay(name="both", svg=SVG, ass="m 0 0 l 9 0 9 9")
    with engine.session(clip("h264-aac.mkv")):
        assert refusal(lambda: engine.stub.PutOverlay(filters_pb2.PutOverlayRequest(overlay=both), timeout=PATIENCE)) == (
            INVALID, "overlay.ass")


def test_overlays_are_put_replaced_and_removed(engine):
    with engine.session(clip("h264-aac.mkv")):
        put(engine, "low", z=-5)
        put(engine, "high", z=7, x=0.5, y=0, width=0.5, height=0.25)
        state = put(engine, "middle").state
        assert [each.name for each in state.overlays] == ["low", "middle", "high"]
        assert state.overlays[2].rectangle.x == 0.5 and state.overlays[0].rectangle.width == 1
        assert [each.name for each in put(engine, "low", z=9).state.overlays] == ["middle", "high", "low"]
        gone = engine.stub.RemoveOverlay(filters_pb2.RemoveOverlayRequest(name="high"), timeout=PATIENCE).state
        assert [each.name for each in gone.overlays] == ["middle", "low"]
        assert refusal(lambda: put(engine, x=0.5, y=0, width=0.6, height=1)) == (INVALID, "overlay.rectangle.width")
        assert not engine.stub.ClearOverlays(engine_pb2.SessionRequest(), timeout=PATIENCE).state.overlays


def test_filters_survive_a_kill_and_a_new_source(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    adjust(engine, brightness=0.125, gamma=2)
    add(engine, "hflip")
    add(engine, "gblur", sigma=3)
    engine.stub.RemoveFilter(filters_pb2.RemoveFilterRequest(filter_id=1), timeout=PATIENCE)
    put(engine, "arrow", ass=ASS, size=(640, 360))
    before = put(engine, "logo", z=3, x=0.5, y=0.5, width=0.25, height=0.25).state
    request = engine_pb2.LoadRequest(source=str(clip("h264-aac.mp4")), session_id=session.id)
    other = engine.stub.Load(request, timeout=PATIENCE).state
    assert (other.adjustments, other.filters, other.overlays) == (before.adjustments, before.filters, before.overlays)
    engine.process.kill()
    engine.process.wait()
    again = start_engine(directory=engine.directory)
    state = eventually(lambda: again.state(session.id), "the session")
    assert (state.adjustments, state.filters, state.overlays) == (before.adjustments, before.filters, before.overlays)
    assert add(again, "vflip").added_filter == 3


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy", "-t", "3", path], check=True)
    return path


def shown(engine, session):
    """The MD5 of every frame that a front-end receives."""
    with attached_frames(engine, session.id) as frames:
        engine.stub.Play(engine_pb2.SessionRequest(), timeout=PATIENCE)
        return [picture.md5() for picture in frames]


def test_filtered_frames_match_ffmpeg(engine, film):
    with engine.session(film) as session:
        add(engine, "hflip")
        add(engine, "gblur", sigma=2)
        assert shown(engine, session) == framemd5(film, "-vf", "hflip,gblur=sigma=2")


def test_a_paused_frame_is_redrawn_after_each_change(engine, film):
    """Each change by itself gives another frame at the same time; undoing all changes restores the first frame."""
    position = 1_500_000

    def change(frames, act, before):
        act()
        return seen(frames, lambda picture: picture.sequence > before[0] and picture.md5() != before[1])

    def seen(frames, is_right):
        def look():
            frames.ask()
            picture = frames.newest(position)
            is_there = picture and picture.time_us <= position < picture.time_us + picture.duration_us
            return is_there and is_right(picture) and (picture.sequence, picture.md5())
        return eventually(look, "the picture")

    with engine.session(film) as session, attached_frames(engine, session.id, pace=frames_pb2.FRAME_PACE_REALTIME) as frames:
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=position), timeout=PATIENCE)
        plain = seen(frames, lambda picture: True)
        brighter = change(frames, lambda: adjust(engine, brightness=0.2), plain)
        mirrored = change(frames, lambda: add(engine, "hflip"), brighter)
        drawn = change(frames, lambda: put(engine, ass=ASS, size=(640, 360)), mirrored)
        gone = change(frames, lambda: engine.stub.ClearOverlays(engine_pb2.SessionRequest(), timeout=PATIENCE), drawn)
        assert gone[1] == mirrored[1]
        engine.stub.ClearFilters(engine_pb2.SessionRequest(), timeout=PATIENCE)
        adjust(engine, reset=True)
        seen(frames, lambda picture: picture.sequence > gone[0] and picture.md5() == plain[1])
        assert engine.state(session.id).position.position_us == position


def test_a_failing_filter_is_removed_and_reported(engine, film):
    with engine.session(film) as session:
        watch = engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id, time_interval_us=-1))
        next(watch)
        add(engine, "vflip")
        add(engine, "crop", w=8000, h=8000)
        assert shown(engine, session) == framemd5(film, "-vf", "vflip")
        message = next(event.notice.message for event in watch
                       if event.WhichOneof("event") == "notice" and event.notice.code == "filters.failed")
        watch.cancel()
        assert "filter 2, crop" in message
        assert [each.filter.name for each in engine.state(session.id).filters] == ["vflip"]


def test_the_bounds_of_an_overlay_are_reported(engine, film):
    with engine.session(film) as session:
        put(engine, "logo", x=0.5, y=0.5, width=0.5, height=0.5)
        assert not engine.state(session.id).overlays[0].HasField("bounds")
        assert shown(engine, session) != framemd5(film)
        state = eventually(lambda: (found := engine.state(session.id)).overlays[0].HasField("bounds") and found, "the bounds")
        video = next(each.video for each in state.media.streams if each.HasField("video"))
        bounds = state.overlays[0].bounds
        assert (bounds.x, bounds.y, bounds.picture_width, bounds.picture_height) == (
            video.width // 2, video.height // 2, video.width, video.height)


def test_enginectl_shows_and_changes_filters(engine, tmp_path):
    def run(*arguments):
        done = subprocess.run([ENGINECTL, "filters", *arguments, "--socket", engine.socket, "--json"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)
        return done.returncode, done.stdout and json.loads(done.stdout), done.stderr

    drawing = tmp_path / "logo.svg"
    drawing.write_text(SVG)
    with engine.session(clip("h264-aac.mkv")):
        assert run("adjust", "--brightness", "0.5")[1]["adjustments"] == {"brightness": 0.5, "contrast": 1, "saturation": 1, "gamma": 1}
        assert run("add", "gblur", "sigma=2")[1]["filters"] == [
            {"id": 1, "name": "gblur", "options": [{"name": "sigma", "value": "2"}]}]
        arrow = tmp_path / "arrow.txt"
        arrow.write_text(ASS)
        assert [each["name"] for each in run("overlay", "arrow", arrow, "--ass", "--ass-size", "640x360")[1]["overlays"]] == ["arrow"]
        assert run("overlay", "arrow", arrow)[0] == 1 and run("overlay", "arrow", arrow, "--ass-size", "640x360")[0] == 64
        status, _, error = run("overlay", "arrow", tmp_path / "nothing")
        assert status == 1 and error.startswith("enginectl: ") and "is not readable as text" in error
        run("overlay-remove", "arrow")
        overlays = run("overlay", "logo", drawing, "--at", "0.5,0,0.5,0.25", "--z", "2")[1]["overlays"]
        assert overlays == [{"name": "logo", "rectangle": {"x": 0.5, "y": 0, "width": 0.5, "height": 0.25}, "z": 2, "bounds": None}]
        status, _, error = run("add", "gblur", "sigma=x")
        assert status == 1 and 'sigma must be a number 0 … 200, not "x"' in error
        run("remove", "1")
        assert run("show")[1]["filters"] == []
        assert run("overlay-remove")[1]["overlays"] == []
