# SPDX-License-Identifier: Apache-2.0
"""Titles of DVDs are the cells that they were authored of: frames, audio, chapters, languages, from folders and images."""

import json
import shutil
import subprocess

import pytest
from harness import dvd, frames, sound
from harness.contract import media_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL

LENGTH = 6
TONES = {"a": (440, 550), "b": (660, 770), "c": (880, 990)}


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """Their clocks all begin at the same time, so that they jump back where one follows another."""
    folder = tmp_path_factory.mktemp("films")
    return {
        "a": dvd.film(folder / "a.mpg", "testsrc2", TONES["a"]),
        "b": dvd.film(folder / "b.mpg", "testsrc", TONES["b"]),
        "c": dvd.film(folder / "c.mpg", "smptebars", TONES["c"], seconds=30),
        "ntsc": dvd.film(folder / "n.mpg", "testsrc2", (440,), norm="ntsc", aspect="16:9"),
    }


@pytest.fixture(scope="module")
def authored(films, tmp_path_factory):
    """The third title is the longest, and alone in its set. Chapters of the first: its film's number, and the time in that."""
    root = tmp_path_factory.mktemp("disc") / "dvd"
    a, b, c = films["a"], films["b"], films["c"]
    return dvd.author(root, [[[(a, "0,2,4"), (b, "0,3")], [(b, "0")]], [[(c, "0,10,20")]]], languages=("en", "fr"))


@pytest.fixture(scope="module")
def disc(authored):
    return authored.root


@pytest.fixture(scope="module")
def images(disc, tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    for name, options in (("bridge.iso", ("-dvd-video", "-udf")), ("plain.iso", ("-iso-level", "3"))):
        subprocess.run(["genisoimage", "-quiet", *options, "-o", folder / name, disc], check=True)
    return [folder / "bridge.iso", folder / "plain.iso"]


def decoded(engine, source, *options):
    """The times and digests of all frames, as the software path decodes them."""
    done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, source, "--realtime=false", *options], check=True,
                          capture_output=True, text=True, timeout=PATIENCE * 2)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return [float(time) for time, _ in lines], [digest for _, digest in lines]


def listed(source):
    return json.loads(subprocess.check_output([ENGINECTL, "titles", "--json", source], text=True))["titles"]


def test_titles_are_listed(disc, images):
    titles = listed(disc)
    assert [each["name"] for each in titles] == ["VTS_01 1", "VTS_01 2", "VTS_02 1"]
    assert [each["number"] for each in titles if each["main"]] == [3]
    assert [each["chapters"] for each in titles] == [5, 1, 3]
    assert [round(each["duration_us"] / 1e6, 1) for each in titles] == [12, 6, 30]
    assert all(listed(source) == titles for source in (disc / "VIDEO_TS", *images))


def test_title_is_its_cells_in_order(engine, disc, films, images, tmp_path):
    expected = frames.framemd5(films["a"]) + frames.framemd5(films["b"])
    for source in (disc, images[0]):
        wave = tmp_path / "heard.wav"
        times, digests = decoded(engine, source, "--title", "1", "--sink", f"wav:{wave}")
        assert digests == expected
        assert times == pytest.approx([number / 25 for number in range(2 * LENGTH * 25)], abs=0.001)
        # Each film has its tone from its first moment on.
        heard = sound.Sound(wave)
        for place, name in enumerate("ab"):
            for at in (place * LENGTH + 0.1, (place + 1) * LENGTH - 0.4):
                levels = heard.levels(at, (440, 660), seconds=0.3)[0]
                assert levels[place] > 10 * levels[1 - place], (source, at, levels)


def test_plan_comes_from_the_disc(engine, authored, disc):
    with engine.session(disc, title=1) as session:
        state = session.state
        assert state.production.plan_origin == "index" and state.production.plan_complete
        assert abs(state.duration_us - 2 * LENGTH * 1e6) < 1000
        assert [each.selected for each in state.media.titles] == [True, False, False]
        languages = [each.language for each in state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO]
        assert languages == ["eng", "fra"]
        starts = [each.start_us / 1e6 for each in state.media.chapters]
    # dvdauthor lets them begin where a picture can be entered, and says where.
    wanted = [(source - 1) * LENGTH + time for title, source, time in authored.chapters[:5]]
    assert len(set(wanted)) == 5 and starts == pytest.approx(wanted, abs=0.001)


@pytest.mark.parametrize("at", [0.52, 5.96, 6, 6.04, 11.4])
def test_seek_lands_on_the_frame(engine, disc, films, at):
    expected = frames.framemd5(films["a"]) + frames.framemd5(films["b"])
    times, digests = decoded(engine, disc, "--title", "1", "--start", str(at))
    assert times[0] == pytest.approx(at, abs=0.001)
    assert digests == expected[round(at * 25):]


def test_ntsc_has_its_rate_and_its_shape(engine, films, tmp_path):
    root = dvd.author(tmp_path / "dvd", [[[(films["ntsc"], "0")] * 2]], norm="ntsc", aspect="16:9").root
    times, digests = decoded(engine, root)
    assert digests == frames.framemd5(films["ntsc"]) * 2
    assert times == pytest.approx([number * 1001 / 30000 for number in range(len(times))], abs=0.001)
    with engine.session(root) as session:
        video = next(each.video for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_VIDEO)
        assert (video.frame_rate_num, video.frame_rate_den) == (30000, 1001)
        assert (video.sample_aspect_num, video.sample_aspect_den) == (32, 27)


def failure(source, *options):
    done = subprocess.run([ENGINECTL, "probe", source, *options], capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr


def test_what_is_wrong_with_a_disc_is_said(disc, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(disc, copy)
    data = copy / "VIDEO_TS"
    assert "invalid_argument" in failure(copy, "--title", "4")
    # What is damaged has a copy.
    (data / "VIDEO_TS.IFO").write_bytes(b"")
    (data / "VTS_02_0.IFO").unlink()
    assert listed(copy) == listed(disc)
    objects = data / "VTS_02_1.VOB"
    content = bytearray(objects.read_bytes())
    for pack in range(0, len(content), 2048):
        if content[pack + 17] == 0xE0 and pack % 8192 == 0:
            content[pack + 20] |= 0x30
    objects.write_bytes(content)
    assert "source_encrypted" in failure(copy) and "CSS" in failure(copy)
    objects.unlink()
    assert "source_not_found" in failure(copy)
    (data / "VTS_02_0.BUP").write_bytes(b"DVDVIDEO-VTS")
    # Other titles are still there, under their numbers.
    assert [each["number"] for each in listed(copy) if each["main"]] == [1]
    assert "source_not_media" in failure(copy, "--title", "3")
    (data / "VIDEO_TS.BUP").unlink()
    (data / "VIDEO_TS.IFO").write_bytes(b"DVDVIDEO-VMG")
    assert "no_playable_stream" in failure(copy)


def test_image_that_is_cut_off_is_played_as_far_as_it_goes(engine, films, images, tmp_path):
    image = tmp_path / "cut.iso"
    shutil.copy(images[0], image)
    with open(image, "r+b") as file:
        file.truncate(image.stat().st_size - films["c"].stat().st_size // 2)
    with engine.session(image) as session:
        assert 10 < session.state.duration_us / 1e6 < 25
        eventually(lambda: f"disc.truncated [engined] session {session.id}" in engine.log.read_text(), "the notice")
    _, digests = decoded(engine, image)
    whole = frames.framemd5(films["c"])
    # The picture in which it ends is not whole.
    assert 250 < len(digests) < 625 and digests[:-2] == whole[:len(digests) - 2]
