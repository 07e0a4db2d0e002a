# SPDX-License-Identifier: Apache-2.0
"""Titles of DVDs play their cells in order: frames, audio, chapters, languages, from folders and images."""

import collections
import json
import random
import shutil
import subprocess

import grpc
import pytest
from harness import dvd, graphics, growing, origin, sound, udf
from harness.contract import media_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL
from harness.tiers import tiered

LENGTH = 6
TONES = {"a": (440, 550), "b": (660, 770), "c": (880, 990)}


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """Films whose clocks all begin at the same time, so that the clock jumps back where one film follows another."""
    folder = tmp_path_factory.mktemp("films")
    return {
        "a": dvd.film(folder / "a.mpg", "testsrc2", TONES["a"]),
        "b": dvd.film(folder / "b.mpg", "testsrc", TONES["b"]),
        "c": dvd.film(folder / "c.mpg", "smptebars", TONES["c"], seconds=30),
        "ntsc": dvd.film(folder / "n.mpg", "testsrc2", (440,), norm="ntsc", aspect="16:9"),
    }


@pytest.fixture(scope="module")
def authored(films, tmp_path_factory):
    """The third title is the longest, and alone in its set. A chapter is (title, number of the film, time in the
    film)."""
    root = tmp_path_factory.mktemp("disc") / "dvd"
    a, b, c = films["a"], films["b"], films["c"]
    return dvd.author(root, [[[(a, "0,2,4"), (b, "0,3")], [(b, "0")]], [[(c, "0,10,20")]]], languages=("en", "fr"))


@pytest.fixture(scope="module")
def disc(authored):
    return authored.root


@pytest.fixture(scope="module")
def images(disc, tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    for name, options in (("bridge.iso", ("-dvd-video", "-udf", "-V", "METROPOLIS")), ("plain.iso", ("-iso-level", "3"))):
        subprocess.run(["genisoimage", "-quiet", *options, "-o", folder / name, disc], check=True)
    return [folder / "bridge.iso", folder / "plain.iso"]


def listed(source):
    return json.loads(subprocess.check_output([ENGINECTL, "titles", "--json", source], text=True))["titles"]


def test_titles_are_listed(disc, images):
    titles = listed(disc)
    assert [each["name"] for each in titles] == ["VTS_01 1", "VTS_01 2", "VTS_02 1"]
    assert [each["number"] for each in titles if each["main"]] == [3]
    assert [each["chapters"] for each in titles] == [5, 1, 3]
    assert [round(each["duration_us"] / 1e6, 1) for each in titles] == [12, 6, 30]
    assert all(listed(source) == titles for source in (disc / "VIDEO_TS", *images))


def test_title_plays_its_cells_in_order(engine, disc, films, images, tmp_path):
    expected = dvd.pictures(films["a"]) + dvd.pictures(films["b"])
    for source in (disc, images[0]):
        wave = tmp_path / "heard.wav"
        times, digests = dvd.decoded(engine, source, "--title", "1", "--sink", f"wav:{wave}")
        assert digests == expected
        assert times == pytest.approx([number / 25 for number in range(2 * LENGTH * 25)], abs=0.001)
        # Each film has its tone from the start.
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
    # dvdauthor moves chapters to entry points, and reports their times.
    wanted = [(source - 1) * LENGTH + time for title, source, time in authored.chapters[:5]]
    assert len(set(wanted)) == 5 and starts == pytest.approx(wanted, abs=0.001)


@pytest.mark.parametrize("at", tiered([5.96, 6, 11.4], {11.4}))
def test_seek_lands_on_the_frame(engine, disc, films, at):
    expected = dvd.pictures(films["a"]) + dvd.pictures(films["b"])
    times, digests = dvd.decoded(engine, disc, "--title", "1", "--start", str(at))
    assert times[0] == pytest.approx(at, abs=0.001)
    assert digests == expected[round(at * 25):]


@pytest.mark.long
def test_ntsc_has_its_frame_rate_and_aspect_ratio(engine, films, tmp_path):
    root = dvd.author(tmp_path / "dvd", [[[(films["ntsc"], "0")] * 2]], norm="ntsc", aspect="16:9").root
    times, digests = dvd.decoded(engine, root)
    assert digests == dvd.pictures(films["ntsc"]) * 2
    assert times == pytest.approx([number * 1001 / 30000 for number in range(len(times))], abs=0.001)
    with engine.session(root) as session:
        video = next(each.video for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_VIDEO)
        assert (video.frame_rate_num, video.frame_rate_den) == (30000, 1001)
        assert (video.sample_aspect_num, video.sample_aspect_den) == (32, 27)


@pytest.mark.long
def test_the_chosen_angle_is_played(engine, films, tmp_path):
    """The angles are interleaved in the file."""
    root = dvd.author(tmp_path / "dvd", [[[(films["a"], "0"), (films["b"], "")]]]).root
    dvd.interleave(root)
    assert [(each["angles"], round(each["duration_us"] / 1e6)) for each in listed(root)] == [(2, LENGTH)]
    for angle, name in ((1, "a"), (2, "b"), (3, "a")):
        times, digests = dvd.decoded(engine, root, "--angle", str(angle))
        assert digests == dvd.pictures(films[name])
        assert times == pytest.approx([number / 25 for number in range(LENGTH * 25)], abs=0.001)


SHOWN = [(12, 14, (200, 40, 60), 60, 200, 100, 20), (18, 20, (240, 230, 40), 80, 180, 40, 24, "forced"),
         (22, 24.5, (20, 160, 230), 100, 120, 64, 32)]


@pytest.fixture(scope="module")
def subtitled(films, tmp_path_factory):
    """A disc whose first subtitle is in the second film of a title, beyond what is read to open the title."""
    folder = tmp_path_factory.mktemp("subtitled")
    film = dvd.subtitled(folder / "film.mpg", films["c"], SHOWN)
    return dvd.author(folder / "dvd", [[[(films["a"], "0"), (film, "0")]]], subtitles=("fr",)).root


def test_subtitles_have_the_colours_and_times_of_the_disc(engine, subtitled):
    with engine.session(subtitled) as session:
        tracks = [each for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_SUBTITLE]
        assert [(each.codec, each.language) for each in tracks] == [("dvd_subtitle", "fra")]
    request = subtitles_pb2.GetCuesRequest(source=str(subtitled))
    found = [cue for batch in engine.stub.GetCues(request, timeout=PATIENCE) for cue in batch.cues]
    assert len(found) == len(SHOWN)
    for cue, (start, end, color, x, y, width, height, *forced) in zip(found, SHOWN):
        assert cue.forced == bool(forced)
        assert cue.start_us / 1e6 == pytest.approx(LENGTH + start, abs=0.02)
        assert cue.end_us / 1e6 == pytest.approx(LENGTH + end, abs=0.02)
        image = cue.image
        assert (image.width, image.height) == (width, height)
        assert (round(image.x * image.canvas_width), round(image.y * image.canvas_height)) == (x, y)
        pixel = graphics.pixels(image.png, width, height)[:4]
        assert pixel[3] == 255 and all(abs(ours - theirs) <= 3 for ours, theirs in zip(pixel, color)), pixel


def test_image_on_a_server_is_played_like_the_disc(engine, disc, images):
    with origin.nginx(images[0].parent) as server:
        url = f"{server.url}/{images[0].name}"
        with engine.session(url, title=1) as session:
            assert [each.value for each in session.state.metadata if each.key == "title"] == ["METROPOLIS"]
            assert session.state.production.plan_origin == "index" and session.state.production.plan_complete
        assert dvd.decoded(engine, url, "--title", "1") == dvd.decoded(engine, disc, "--title", "1")


def test_image_on_a_server_without_ranges_is_refused(engine, images):
    """Its bytes would be received in their order, which is not that of a title."""
    with growing.plain_server(images[0].parent) as url, pytest.raises(grpc.RpcError) as refused:
        engine.load(f"{url}/{images[0].name}", title=1)
    assert refused.value.details().startswith("source_not_readable") and "ranges" in refused.value.details()


def probe_error(source, *options):
    done = subprocess.run([ENGINECTL, "probe", source, *options], capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr


def test_faulty_discs_give_typed_errors(disc, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(disc, copy)
    data = copy / "VIDEO_TS"
    assert "invalid_argument" in probe_error(copy, "--title", "4")
    # Damaged files have a backup copy.
    (data / "VIDEO_TS.IFO").write_bytes(b"")
    (data / "VTS_02_0.IFO").unlink()
    assert listed(copy) == listed(disc)
    objects = data / "VTS_02_1.VOB"
    content = bytearray(objects.read_bytes())
    for pack in range(0, len(content), 2048):
        if content[pack + 17] == 0xE0 and pack % 8192 == 0:
            content[pack + 20] |= 0x30
    objects.write_bytes(content)
    assert "source_encrypted" in probe_error(copy) and "CSS" in probe_error(copy)
    objects.unlink()
    assert "source_not_found" in probe_error(copy)
    (data / "VTS_02_0.BUP").write_bytes(b"DVDVIDEO-VTS")
    # Other titles are still there, under their numbers.
    assert [each["number"] for each in listed(copy) if each["main"]] == [1]
    assert "source_not_media" in probe_error(copy, "--title", "3")
    (data / "VIDEO_TS.BUP").unlink()
    (data / "VIDEO_TS.IFO").write_bytes(b"DVDVIDEO-VMG")
    assert "no_playable_stream" in probe_error(copy)


@pytest.mark.long
def test_truncated_image_is_played_as_far_as_it_goes(engine, films, images, tmp_path):
    image = tmp_path / "cut.iso"
    shutil.copy(images[0], image)
    with open(image, "r+b") as file:
        file.truncate(image.stat().st_size - films["c"].stat().st_size // 2)
    with engine.session(image) as session:
        assert 10 < session.state.duration_us / 1e6 < 25
        eventually(lambda: f"disc.truncated [engined] session {session.id}" in engine.log.read_text(), "the notice")
    _, digests = dvd.decoded(engine, image)
    whole = dvd.pictures(films["c"])
    # The last picture is incomplete.
    assert 250 < len(digests) < 625 and digests[:-2] == whole[:len(digests) - 2]


@pytest.mark.parametrize("count", tiered([12, 500], {12}))
def test_damaged_images_play_or_give_typed_errors(engine, disc, images, tmp_path, count):
    """Images with changed bytes in the disc's structures, and truncated images. What can be opened is played."""
    shapes = (images[0], udf.image(tmp_path / "metadata.iso", disc))
    chance = random.Random(19)
    before = engine.resident_bytes()
    codes = collections.Counter()
    for number in range(count):
        content = bytearray(shapes[number % 2].read_bytes())
        described = [at for at in range(0, len(content), 2048) if content[at:at + 4] != b"\0\0\1\xba" and any(content[at:at + 2048])]
        for _ in range(1 + number % 5):
            sector = chance.choice(described)
            content[sector + chance.choice((chance.randrange(2048), chance.randrange(300)))] = chance.randrange(256)
        if number % 4 == 3:
            del content[chance.randrange(len(content)):]
        path = tmp_path / "damaged.iso"
        path.write_bytes(content)
        try:
            engine.probe(path)
            codes["played"] += 1
        except grpc.RpcError as error:
            codes[error.details().split(":")[0]] += 1
            continue
        # To the end, or to an error; the time is limited.
        done = subprocess.run([ENGINECTL, "play", "--socket", engine.socket, path, "--realtime=false"], capture_output=True, text=True,
                              timeout=PATIENCE * 2, check=False)
        assert done.returncode in (0, 1) and (done.stdout or done.stderr), done
    assert engine.is_alive() and engine.resident_bytes() - before < 200 << 20
    assert set(codes) <= {"played", "source_not_media", "no_playable_stream", "source_not_found", "source_empty", "source_encrypted",
                          "resource_exhausted"}, codes
    assert codes["played"] and codes["source_not_media"], codes
