# SPDX-License-Identifier: Apache-2.0
"""What works on files works on titles of discs: stills, the storyboard, several sessions on one image, loads into the same session,
the name of the disc for clients and the session bus, and sessions that survive the engine with their title and angle."""

import json
import subprocess

import pytest
from harness import bluray, dvd, hls, origin, stills, udf
from harness.contract import engine_pb2, stills_pb2
from harness.engine import PATIENCE, Session, eventually
from harness.hls import Media
from harness.places import ENGINECTL
from harness.tiers import tiered
from test_crash import listens
from test_mpris import bus, start_bridge  # noqa: F401
from test_trick_play import greys, storyboard

LENGTH = 4
NAME = "Two Clips, Two Angles"


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    return [bluray.encode(
        folder / f"{name}.m2ts", ["-f", "lavfi", "-i", f"{name}=size=320x240:rate=25", "-f", "lavfi", "-i", "sine=440:sample_rate=48000"],
        "-t", str(LENGTH), "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "ac3", "-b:a", "192k",
        "-ac", "2", offset=10) for name in ("testsrc2", "testsrc", "smptebars")]


@pytest.fixture(scope="module")
def image(clips, tmp_path_factory):
    """Title 1 has two clips, title 2 two angles, title 3 is as long as title 1."""
    folder = tmp_path_factory.mktemp("image")
    disc = bluray.Disc(folder / "disc")
    a, b, c = (disc.add_clip(clip) for clip in clips)
    disc.add_title(a, b)
    disc.add_title(bluray.Item([a, c]))
    disc.add_title(b, a)
    disc.write()
    names = disc.data / "META" / "DL"
    names.mkdir(parents=True)
    (names / "bdmt_eng.xml").write_text(f"<disclib><di:name>{NAME}</di:name></disclib>")
    return udf.image(folder / "film.iso", disc.root)


def digests(session):
    master = session.master()
    lists = [Media.complete(url) for url in (master.variants[0][1], master.renditions[0][1])]
    return [hls.digest(each.url) for playlist in lists for each in playlist.segments]


def pixels(data, path):
    path.write_bytes(data)
    return subprocess.check_output(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-pix_fmt", "gray", "-f", "rawvideo", "-"])


# On both sides of the joint in the lean tier.
@pytest.mark.parametrize("seconds, clip", tiered([(0, 0), (3.96, 0), (4, 1), (6.5, 1)], {(3.96, 0), (4, 1)}))
def test_stills_are_the_frames_of_the_clips(engine, image, clips, tmp_path, seconds, clip):
    with engine.session(image, title=1) as session:
        found = stills.snapshot(engine, stills_pb2.StillSource(session_id=session.id), round(seconds * 1e6))
    wanted = subprocess.check_output(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", clips[clip], "-vf", f"select=eq(n\\,{round((seconds - LENGTH * clip) * 25)})", "-frames:v",
         "1", "-pix_fmt", "gray", "-f", "rawvideo", "-"])
    ours = pixels(found.data, tmp_path / "still.png")
    assert len(ours) == len(wanted) and sum(abs(a - b) for a, b in zip(ours, wanted)) / len(wanted) < 4


def test_storyboard_shows_both_clips(engine, image, clips, tmp_path):
    with engine.session(image, title=1) as session:
        cells = storyboard(session)
        sheets = {sheet: greys(hls.fetch(sheet)) for sheet in {sheet for _, _, sheet, _ in cells}}
    assert cells[0][0] == 0 and cells[-1][1] == 2 * LENGTH * 1000
    assert all(end == start for (_, end, _, _), (start, _, _, _) in zip(cells, cells[1:]))
    # A keyframe each second, of one clip and then of the other.
    assert {start // 1000 // LENGTH for start, _, _, _ in cells} == {0, 1}
    for start, _, sheet, (left, top, width, height) in cells:
        sheet_width, _, pixels = sheets[sheet]
        ours = [pixels[y * sheet_width + left:y * sheet_width + left + width] for y in range(top, top + height)]
        place, rest = divmod(start / 1000, LENGTH)
        wanted = subprocess.check_output(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", clips[int(place)], "-vf",
             f"select=eq(n\\,{round(rest * 25)}),scale={width}:{height}:flags=area", "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "-"])
        difference = sum(abs(a - b) for a, b in zip(b"".join(ours), wanted)) / len(wanted)
        assert len(wanted) == width * height and difference < 12, (start, difference)


def test_another_title_is_loaded_into_the_same_session(engine, image):
    with engine.session(image, title=1) as session:
        first = digests(session)
        request = engine_pb2.LoadRequest(session_id=session.id, source=str(image), options=engine_pb2.LoadOptions(title=3))
        again = Session(engine, engine.stub.Load(request, timeout=PATIENCE))
        assert again.id == session.id
        assert [each.number for each in again.state.media.titles if each.selected] == [3]
        with engine.session(image, title=3) as other:
            assert digests(again) == digests(other) != first
        # Playback of the next title begins at its start.
        seek = engine_pb2.SeekRequest(session_id=session.id, position_us=round(1.5 * LENGTH * 1e6))
        engine.stub.Seek(seek, timeout=PATIENCE)
        request = engine_pb2.LoadRequest(session_id=session.id, source=str(image), options=engine_pb2.LoadOptions(title=2, angle=2))
        state = Session(engine, engine.stub.Load(request, timeout=PATIENCE)).state
        assert [each.number for each in state.media.titles if each.selected] == [2]
        assert state.duration_us == LENGTH * 1e6 and state.position.position_us == 0


def test_watch_has_the_name_of_the_disc(engine, image):
    with engine.session(image, title=1) as session:
        process = subprocess.Popen([ENGINECTL, "watch", "--json", "--socket", engine.socket, "--session", session.id], stdout=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, text=True)
        try:
            first = json.loads(process.stdout.readline())
        finally:
            process.kill()
            process.communicate()
        text = json.dumps(first)
        assert f'{{"key": "title", "value": "{NAME}"}}' in text and '"number": 3' in text, text


def test_session_bus_has_the_name_of_the_disc(engine, image, start_bridge):  # noqa: F811
    _, player = start_bridge(engine.socket)
    with engine.session(image, title=1):
        player.wait_until("CanPlay", True)
        assert player.get("Metadata")["xesam:title"] == NAME


def test_sessions_on_one_image_play_different_titles(engine, image):
    with engine.session(image, title=1) as one, engine.session(image, title=3) as other, engine.session(image, title=1) as same:
        found = [digests(each) for each in (one, other, same)]
        assert found[0] == found[2] != found[1]
        listed = {each.session_id: each for each in engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions}
        for session, number in ((one, 1), (other, 3), (same, 1)):
            assert [each.number for each in listed[session.id].media.titles if each.selected] == [number]


def test_guess_is_said(engine, image):
    """The longest titles are equally long."""
    with engine.session(image) as session:
        eventually(lambda: f"disc.title_guessed [engined] session {session.id}" in engine.log.read_text(), "the notice")
    with engine.session(image, title=3) as session:
        assert f"disc.title_guessed [engined] session {session.id}" not in engine.log.read_text()


def test_status_lists_the_titles(engine, image):
    with engine.session(image, title=2) as session:
        done = subprocess.check_output([ENGINECTL, "status", "--socket", engine.socket, "--json", "--session", session.id], text=True)
        titles = json.loads(done)["media"]["titles"]
        assert [(each["number"], each.get("selected", False)) for each in titles] == [(1, False), (2, True), (3, False)]


@pytest.mark.parametrize("options", tiered([{"title": 3}, {"title": 2, "angle": 2}], lambda case: "angle" in case), ids=["title", "angle"])
def test_title_and_angle_survive_a_kill(start_engine, image, options):
    engine = start_engine()
    session = engine.load(image, **options)
    before = digests(session)
    engine.kill()
    engine = start_engine(directory=engine.directory)
    eventually(lambda: listens(session.url), "the port to be taken again")
    assert digests(session) == before
    state = engine.state(session.id)
    assert [each.number for each in state.media.titles if each.selected] == [options["title"]]


def test_title_of_a_dvd_survives_a_kill(start_engine, tmp_path):
    films = [dvd.film(tmp_path / f"{name}.mpg", name, (440,), seconds=LENGTH + number) for number, name in enumerate(("testsrc2", "testsrc"))]
    root = dvd.author(tmp_path / "dvd", [[[(films[0], "0")], [(films[1], "0")]]]).root
    engine = start_engine()
    session = engine.load(root, title=1)
    engine.kill()
    engine = start_engine(directory=engine.directory)
    state = eventually(lambda: (found := engine.state(session.id)).media.titles and found, "the session")
    assert [each.number for each in state.media.titles if each.selected] == [1]
    assert state.duration_us / 1e6 == pytest.approx(LENGTH, abs=0.05)


def test_title_and_angle_of_a_dvd_on_a_server_survive_a_kill(start_engine, tmp_path):
    """The image is on a server, and its main title is not the one that is loaded."""
    films = [dvd.film(tmp_path / f"{number}.mpg", name, (440,), seconds=seconds)
             for number, (name, seconds) in enumerate((("testsrc2", LENGTH), ("testsrc", LENGTH), ("smptebars", 3 * LENGTH)))]
    root = dvd.author(tmp_path / "dvd", [[[(films[0], "0"), (films[1], "")]], [[(films[2], "0")]]]).root
    dvd.interleave(root)
    image = udf.image(tmp_path / "film.iso", root)

    def still(engine, session):
        return stills.snapshot(engine, stills_pb2.StillSource(session_id=session.id), 1_000_000).data

    def selected(engine, session):
        return [each.number for each in engine.state(session.id).media.titles if each.selected]

    with origin.origin(image) as film:
        engine = start_engine()
        with engine.session(film.url) as session:
            assert selected(engine, session) == [2]
        with engine.session(film.url, title=1) as session:
            other = still(engine, session)
        session = engine.load(film.url, start=2.5, title=1, angle=2)
        before, picture = session.state, still(engine, session)
        assert picture != other and before.duration_us / 1e6 == pytest.approx(LENGTH, abs=0.05)
        engine.kill()
        count = len(film.requests)
        engine = start_engine(directory=engine.directory)
        state = eventually(lambda: (found := engine.state(session.id)).media.titles and found, "the session")
        assert selected(engine, session) == [1] and state.position.position_us == before.position.position_us == 2_500_000
        assert state.duration_us == before.duration_us and list(state.media.streams) == list(before.media.streams)
        assert still(engine, session) == picture
        # The new process has read the image from the server.
        assert len(film.requests) > count
