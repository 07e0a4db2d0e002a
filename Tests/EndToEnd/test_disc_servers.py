# SPDX-License-Identifier: Apache-2.0
"""Images of discs on a server are opened in few round trips."""

import subprocess

import pytest
from harness import bluray, dvd, origin, stills, udf
from harness.contract import engine_pb2, stills_pb2
from harness.engine import eventually
from harness.tiers import tiered

SECONDS = 30
LONG = 120


def bluray_image(folder):
    """Two clips, several titles, a name; in a metadata partition, as on Blu-ray discs."""
    disc = bluray.Disc(folder / "disc")
    clips = [disc.add_clip(bluray.encode(
        folder / f"{number}.m2ts", ["-f", "lavfi", "-i", f"{source}=size=640x360:rate=24", "-f", "lavfi", "-i", "sine=440:sample_rate=48000"],
        "-t", str(SECONDS), "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "3M", "-g", "24", "-pix_fmt", "yuv420p", "-c:a", "ac3", "-b:a",
        "192k", "-ac", "2", offset=10 + 50 * number), ["eng"]) for number, source in enumerate(("testsrc2", "testsrc"))]
    disc.add_title(*clips, chapters=(0, 10, 35))
    for clip in clips:
        disc.add_title(clip)
    disc.write()
    names = disc.data / "META" / "DL"
    names.mkdir(parents=True)
    (names / "bdmt_eng.xml").write_text("<disclib><di:name>Far Away</di:name></disclib>")
    return udf.image(folder / "film.iso", disc.root, largest=64 << 20)


def dvd_image(folder, seconds=SECONDS):
    """A bridge disc with two title sets."""
    film = dvd.film(folder / "film.mpg", "testsrc2", (440,), seconds=seconds)
    root = dvd.author(folder / "dvd", [[[(film, "0,10,20")]], [[(film, "0")]]]).root
    path = folder / "dvd.iso"
    subprocess.run(["genisoimage", "-quiet", "-dvd-video", "-udf", "-V", "FAR_AWAY", "-o", path, root], check=True)
    return path


# Name -> how to make the image, and the number of round trips until `Load` returns.
IMAGES = {"Blu-ray": (bluray_image, 7), "DVD": (dvd_image, 6)}


@pytest.mark.parametrize("kind", tiered(IMAGES, {"DVD"}))
@pytest.mark.parametrize("name, saved", [("film.mkv", 0), ("film.iso", 1)])
def test_image_is_opened_in_few_round_trips(fresh_engine, tmp_path, kind, name, saved):
    """If the name is usual for images, the descriptors of the file system are requested at once."""
    make, most = IMAGES[kind]
    with origin.origin(make(tmp_path)) as film:
        with film.waves(fresh_engine) as waves:
            session = fresh_engine.load(f"{film.base}/{name}")
            count = len(waves)
        state = session.state
        assert state.production.plan_origin == "index" and state.production.plan_complete
        assert count <= most - saved, waves[:count]
        session.stop()


@pytest.fixture(scope="module")
def long_dvd(tmp_path_factory):
    return dvd_image(tmp_path_factory.mktemp("long"), LONG)


def test_plan_of_a_dvd_grows_while_it_is_played(fresh_engine, long_dvd):
    """Opening a title waits only for the beginning of its plan. The complete plan is that of the local disc. Stills and
    playback can begin anywhere before the plan is complete."""
    engine, image, at = fresh_engine, long_dvd, 110.04

    def still(session):
        return stills.snapshot(engine, stills_pb2.StillSource(session_id=session.id), round(at * 1e6)).data

    with engine.session(image, title=1) as session:
        local, picture = session.state, still(session)
        assert local.production.plan_complete
    with origin.origin(image) as film:
        with film.waves(engine) as waves:
            session = engine.load(film.url, title=1)
            assert len(waves) <= IMAGES["DVD"][1], waves
            state = session.state
            assert state.production.plan_origin == "index" and not state.production.plan_complete
            assert 0 < state.production.planned_segments < local.production.planned_segments
            assert state.duration_us == local.duration_us and state.seekable[0].end_us < state.duration_us
            assert [each.start_us for each in state.media.chapters] == [each.start_us for each in local.media.chapters]
            # Two round trips for the units, the others for the media; the plan grows meanwhile.
            count = len(waves)
            assert still(session) == picture
            assert len(waves) - count <= 5 and not engine.state(session.id).production.plan_complete
        eventually(lambda: engine.state(session.id).production.plan_complete, "the plan")
        state = engine.state(session.id)
        assert state.production.planned_segments == local.production.planned_segments
        assert state.seekable[0].end_us == state.duration_us
        session.stop()
    with origin.origin(image) as film:
        ours = dvd.decoded(engine, film.url, "--title", "1", "--start", str(at))
        assert ours == dvd.decoded(engine, image, "--title", "1", "--start", str(at)) and len(ours[0]) == 249
        # Most of the media before the start was not fetched.
        assert sum(last - first + 1 for first, last in (each.range for each in film.requests)) < image.stat().st_size / 2


def test_players_can_begin_where_playback_begins(fresh_engine, long_dvd):
    """If video is served, a load waits until the plan has reached the start position, and no longer."""
    with origin.origin(long_dvd) as film, film.waves(fresh_engine):
        session = fresh_engine.load(film.url, start=60, title=1, video_bridge=engine_pb2.VIDEO_BRIDGE_ALWAYS)
        state = session.state
        assert state.route == "bridge" and not state.production.plan_complete
        assert 60e6 < state.seekable[0].end_us < state.duration_us and state.position.position_us == 60e6
