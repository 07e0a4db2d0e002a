# SPDX-License-Identifier: Apache-2.0
"""Video of DVDs: films with pulldown, stills, captions, and the sample aspect ratio."""

import subprocess

import pytest
from harness import captions, dvd, sound
from harness.contract import media_pb2
from harness.engine import eventually
from harness.tiers import tiered
from test_caption_cues import CC1, FIRST, TEXTS, cues, shown

LENGTH = 6
FILM = "24000/1001"
# A film's pictures a second, and the number of those in LENGTH seconds.
COUNT = 144
# Fifteen rows of macroblocks, for which libavcodec's decoder begins anew where film and video meet.
SMALL = ("-s", "352x240")


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    return {
        "film": dvd.pulldown(dvd.film(folder / "film.mpg", "testsrc2", (440,), norm="ntsc", rate=FILM)),
        "video": dvd.film(folder / "video.mpg", "testsrc", (550,), norm="ntsc"),
        "small film": dvd.pulldown(dvd.film(folder / "small-film.mpg", "testsrc2", (440,), norm="ntsc", rate=FILM, video=SMALL)),
        "small video": dvd.film(folder / "small-video.mpg", "testsrc", (550,), norm="ntsc", video=SMALL),
        "a": dvd.film(folder / "a.mpg", "testsrc2", (440,)),
        "b": dvd.film(folder / "b.mpg", "testsrc", (550,)),
    }


def video_stream(session):
    return next(each.video for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_VIDEO)


def film_times(count):
    return [dvd.film_time(number) / 90000 for number in range(count)]


def test_film_with_pulldown_keeps_its_rate_and_times(engine, films, tmp_path):
    root = dvd.author(tmp_path / "dvd", [[[(films["film"], "0,2,4")] * 2]], norm="ntsc").root
    expected = dvd.pictures(films["film"]) * 2
    assert len(expected) == 2 * COUNT
    with engine.session(root) as session:
        state, video = session.state, video_stream(session)
        assert state.production.plan_origin == "index" and state.production.plan_complete
        assert (video.frame_rate_num, video.frame_rate_den) == (24000, 1001)
        assert state.duration_us / 1e6 == pytest.approx(2 * COUNT * 1001 / 24000, abs=0.001)
    times, digests = dvd.decoded(engine, root)
    assert digests == expected
    assert times == pytest.approx(film_times(2 * COUNT), abs=0.001)
    # Between two keyframes, and just after the joint.
    for number in (37, COUNT - 1, COUNT + 3):
        found, digests = dvd.decoded(engine, root, "--start", str(times[number] + 0.002))
        assert found[0] == pytest.approx(times[number], abs=0.001) and digests == expected[number:]


@pytest.mark.parametrize("size", ["", "small "])
def test_film_and_video_cells_play_in_sequence(engine, films, tmp_path, size):
    film, video = films[f"{size}film"], films[f"{size}video"]
    root = dvd.author(tmp_path / "dvd", [[[(film, "0"), (video, "0"), (film, "0")]]], norm="ntsc").root
    times, digests = dvd.decoded(engine, root)
    film, video = dvd.pictures(film), dvd.pictures(video)
    assert digests == film + video + film
    start, step = COUNT * 1001 / 24000, 1001 / 30000
    expected = film_times(COUNT) + [start + number * step for number in range(len(video))]
    expected += [start + len(video) * step + time for time in film_times(COUNT)]
    assert times == pytest.approx(expected, abs=0.001)


def test_stills_last_as_long_as_the_disc_says(engine, films, tmp_path):
    """The last frame of the first cell stays for three seconds, that of the title until the viewer continues."""
    root = dvd.author(tmp_path / "dvd", [[[(films["a"], "0,2", 3), (films["b"], "0")]]], pause="inf").root
    wave = tmp_path / "heard.wav"
    times, digests = dvd.decoded(engine, root, "--sink", f"wav:{wave}")
    assert digests == dvd.pictures(films["a"]) + dvd.pictures(films["b"])
    step = [number / 25 for number in range(LENGTH * 25)]
    assert times == pytest.approx(step + [LENGTH + 3 + time for time in step], abs=0.001)
    # The still is silent; each cell has its tone.
    heard = sound.Sound(wave)
    levels = [heard.levels(at, (440, 550), seconds=0.3)[0] for at in (5.5, 7.5, 9.2)]
    assert levels[0][0] > 10 * levels[0][1] and levels[2][1] > 10 * levels[2][0] and max(levels[1]) < levels[0][0] / 100
    with engine.session(root) as session:
        assert session.state.duration_us / 1e6 == pytest.approx(2 * LENGTH + 3 + 10, abs=0.001)
        chapters = [each.start_us / 1e6 for each in session.state.media.chapters]
        assert len(chapters) == 3 and chapters[2] == pytest.approx(LENGTH + 3, abs=0.001)
        eventually(lambda: f"disc.still_shortened [engined] session {session.id}" in engine.log.read_text(), "the notice")
    # A seek into the still shows its picture.
    found, digests = dvd.decoded(engine, root, "--start", "7.5")
    assert found[0] == pytest.approx(LENGTH - 0.04, abs=0.001) and digests[0] == dvd.pictures(films["a"])[-1]


@pytest.mark.parametrize("norm, size, aspect, display, ratio", tiered([
    ("pal", "720x576", "4:3", "", (16, 15)), ("pal", "720x576", "16:9", 'widescreen="nopanscan"', (64, 45)),
    ("ntsc", "720x480", "4:3", "", (8, 9)), ("ntsc", "720x480", "16:9", 'widescreen="noletterbox"', (32, 27)),
    ("ntsc", "352x240", "4:3", "", (10, 11)),
], lambda case: case[4] == (64, 45)))
def test_sample_aspect_ratio_follows_the_disc(engine, tmp_path, norm, size, aspect, display, ratio):
    """Whole pictures are shown, even where a display of 4:3 would show only a part of them."""
    film = dvd.film(tmp_path / "film.mpg", "testsrc2", (440,), seconds=2, norm=norm, aspect=aspect,
                    video=("-s", size, "-seq_disp_ext", "always"))
    if display:
        dvd.with_pan_scan(film, 540)
    root = dvd.author(tmp_path / "dvd", [[[(film, "0")]]], norm=norm, aspect=aspect, display=display).root
    with engine.session(root) as session:
        video = video_stream(session)
        assert (video.sample_aspect_num, video.sample_aspect_den) == ratio


def test_captions_in_user_data_are_cues_of_the_title(engine, tmp_path):
    """Each of the two cells of the title has the same captions."""
    captions.film_of_user_data(tmp_path, 10, FIRST, "disc")
    film = tmp_path / "film.mpg"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-fflags", "+genpts", "-i", tmp_path / "disc.m2v", "-f", "lavfi", "-i", "sine=440:sample_rate=48000",
         "-t", "10", "-map", "0:v", "-map", "1:a", "-c:v", "copy", *dvd.AC3, "-f", "dvd", film], check=True)
    root = dvd.author(tmp_path / "dvd", [[[(film, "0"), (film, "0")]]]).root
    with engine.session(root) as session:
        assert session.state.production.plan_origin == "index"
        assert session.state.duration_us / 1e6 == pytest.approx(20, abs=0.05)
    found = cues(engine, source=str(root), track=CC1)
    assert [shown(each) for each in found] == TEXTS * 2
    starts = [each.start_us / 1e6 for each in found]
    count = len(TEXTS)
    assert starts == sorted(starts)
    assert [later - earlier for earlier, later in zip(starts, starts[count:])] == pytest.approx([10] * count, abs=0.05)
