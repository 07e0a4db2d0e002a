# SPDX-License-Identifier: Apache-2.0
"""Titles of discs are served like the clips that they consist of: frames, audio, chapters, languages, seeks."""

import collections
import json
import random
import shutil
import subprocess

import grpc
import pytest
from harness import bluray, browser, frames, hls, origin, sound, udf
from harness.contract import engine_pb2, media_pb2
from harness.engine import PATIENCE, eventually
from harness.hls import Media
from harness.places import ENGINECTL
from harness.players import mpv
from harness.tiers import tiered

AUDIO = ("-c:a", "ac3", "-b:a", "192k", "-ac", "2")


def pictures(source, rate):
    return ["-f", "lavfi", "-i", f"{source}=size=320x240:rate={rate}"]


def tone(frequency):
    return ["-f", "lavfi", "-i", f"sine={frequency}:sample_rate=48000"]


def encode(path, source, frequency, offset, seconds=8, rate="24000/1001", size=None):
    scale = ("-vf", f"scale={size}") if size else ()
    return bluray.encode(
        path, [*pictures(source, rate), *tone(frequency)], "-t", str(seconds), "-map", "0:v", "-map", "1:a", *scale,
        "-c:v", "libx264", "-preset", "ultrafast", "-g", "24", "-bf", "2", "-pix_fmt", "yuv420p", *AUDIO, offset=offset)


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Clips with unrelated clocks: one begins earlier than another ends, one wraps midway."""
    folder = tmp_path_factory.mktemp("clips")
    return {
        "a": encode(folder / "a.m2ts", "testsrc2", 440, 10),
        "b": encode(folder / "b.m2ts", "testsrc", 880, 3),
        # The clips of angles have the same clock.
        "angle": encode(folder / "n.m2ts", "testsrc", 990, 10),
        "wraps": encode(folder / "w.m2ts", "smptebars", 660, 2**33 / 90000 - 4),
        "long": encode(folder / "l.m2ts", "testsrc2", 550, 1000, seconds=12),
        "wide": encode(folder / "s.m2ts", "testsrc", 770, 500, size="480x240"),
        "pal": encode(folder / "p.m2ts", "testsrc2", 330, 20, rate="25"),
    }


@pytest.fixture(scope="module")
def disc(clips, tmp_path_factory):
    """Title 2 is the main one: three clips with connections of each kind, and chapters."""
    disc = bluray.Disc(tmp_path_factory.mktemp("disc"))
    a, b, wraps = (disc.add_clip(clips[name], ["fra"]) for name in ("a", "b", "wraps"))
    long, wide, pal = (disc.add_clip(clips[name], ["deu"]) for name in ("long", "wide", "pal"))
    disc.add_title(long, chapters=(0, 5))
    disc.add_title(a, bluray.Item([wraps], connection=5), bluray.Item([b], connection=6), chapters=(0, 4, 9.5, 17))
    # A clip of which only a part is played.
    disc.add_title(bluray.Item([long], end=long.start + round(120 * 1001 / 24000 * 45000)), a)
    disc.add_title(bluray.Item([a, disc.add_clip(clips["angle"])]))
    disc.add_title(a, wide)
    disc.add_title(pal, chapters=())
    # A decoy that plays one clip again and again, and a copy of the main title.
    disc.add_title(*[long] * 9)
    disc.add_title(a, bluray.Item([wraps], connection=5), bluray.Item([b], connection=6), chapters=(0, 4, 9.5, 17))
    disc.write(first=1)
    library = disc.data / "META" / "DL"
    library.mkdir(parents=True)
    (library / "bdmt_eng.xml").write_text("<disclib><di:name>Three Clips &amp; a Wrap</di:name></disclib>")
    return disc.root


def served(session):
    """The video and the audio of a session as two files."""
    master = session.master()
    return sound.saved(master.variants[0][1]), sound.saved(master.renditions[0][1])


def times(path):
    listing = subprocess.check_output(
        ["ffprobe", "-v", "error", "-of", "json", "-select_streams", "v", "-show_entries", "packet=pts_time", path])
    return sorted(float(each["pts_time"]) for each in json.loads(listing)["packets"])


def check_frames(video, *sources, rate=24000 / 1001):
    """Checks that the video has every frame of the sources, in order and evenly spaced."""
    assert frames.framemd5(video) == [each for source in sources for each in source]
    found = times(video)
    steps = [later - earlier for earlier, later in zip(found, found[1:])]
    assert min(steps) > 0.99 / rate - 2e-5 and max(steps) < 1.01 / rate + 2e-5, (min(steps), max(steps))


def frame_digests(clip):
    return frames.framemd5(clip)


def test_titles_are_listed(disc):
    listed = subprocess.check_output([ENGINECTL, "titles", "--json", disc], text=True)
    titles = json.loads(listed)["titles"]
    assert [each["name"] for each in titles] == [f"{number:05d}.mpls" for number in range(8)]
    assert [each["number"] for each in titles if each["main"]] == [2]
    assert [each["chapters"] for each in titles] == [2, 4, 1, 1, 1, 0, 1, 4]
    assert [each["angles"] for each in titles] == [1, 1, 1, 2, 1, 1, 1, 1]
    assert [round(each["duration_us"] / 1e6) for each in titles] == [12, 24, 13, 8, 16, 8, 108, 24]
    text = subprocess.check_output([ENGINECTL, "titles", disc / "BDMV"], text=True).splitlines()
    assert len(text) == 8 and text[1].startswith("* 2  0:24.0")
    for form in [], ["--json"]:
        refused = subprocess.run([ENGINECTL, "titles", *form, disc / "BDMV" / "STREAM" / "00000.m2ts"], capture_output=True, text=True)
        assert refused.returncode == 1 and "is not a disc" in refused.stderr and not refused.stdout


def test_main_title_plays_its_clips_in_order(engine, disc, clips):
    with engine.session(disc) as session:
        state = session.state
        assert state.production.plan_origin == "index" and state.production.plan_complete
        assert abs(state.duration_us / 1e6 - 3 * 192 * 1001 / 24000) < 0.01
        assert [each.start_us for each in state.media.chapters] == [0, 4_000_000, 9_500_000, 17_000_000]
        assert [each.selected for each in state.media.titles] == [each == 1 for each in range(8)]
        languages = {each.kind: each.language for each in state.media.streams}
        assert languages[media_pb2.STREAM_KIND_AUDIO] == "fra"
        video, audio = served(session)
        playlist = Media.complete(session.master().variants[0][1])
        assert abs(playlist.duration - state.duration_us / 1e6) < 0.001
        assert not any(each.is_discontinuous for each in playlist.segments)
    check_frames(video, *(frame_digests(clips[name]) for name in ("a", "wraps", "b")))
    # Each clip has its tone from the start, and the audio continues across the joints.
    heard, length = sound.Sound(audio), 192 * 1001 / 24000
    for place, frequency in enumerate((440, 660, 880)):
        for at in (place * length + 0.05, (place + 1) * length - 0.35):
            levels = heard.levels(at, (440, 660, 880), seconds=0.3)[0]
            assert max(range(3), key=lambda each: levels[each]) == place, (at, levels)


def iso9660(path, root, *options):
    subprocess.run(["genisoimage", "-quiet", "-iso-level", "3", *options, "-o", path, root], check=True)
    return path


IMAGES = {
    # As on Blu-ray discs.
    "metadata partition": udf.image,
    # UDF 1.02 beside ISO 9660.
    "bridge": lambda path, root: iso9660(path, root, "-udf", "-J"),
    "Joliet": lambda path, root: iso9660(path, root, "-J"),
    "ISO 9660": iso9660,
}


@pytest.mark.parametrize("kind", tiered(IMAGES, {"metadata partition", "ISO 9660"}))
def test_image_is_served_like_the_folder(engine, disc, tmp_path, kind):
    """Whatever the image's name, every segment has the same bytes as from the folder. Subtitle files beside it are
    found."""
    image = IMAGES[kind](tmp_path / "film.bin", disc)
    (tmp_path / "film.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHello\n")
    fetched = []
    for source in (disc, image):
        with engine.session(source) as session:
            state = session.state
            assert state.production.plan_origin == "index" and state.production.plan_complete
            assert [each.name for each in state.media.titles] == [f"{number:05d}.mpls" for number in range(8)]
            assert [each.number for each in state.media.titles if each.selected] == [2]
            assert [each.value for each in state.metadata if each.key == "title"] == ["Three Clips & a Wrap"]
            assert len([each for each in state.subtitle_tracks if each.found]) == (1 if source == image else 0)
            master = session.master()
            lists = [Media.complete(url) for url in (master.variants[0][1], master.renditions[0][1])]
            fetched.append([hls.digest(each.url) for playlist in lists for each in playlist.segments])
    assert fetched[0] == fetched[1]


@pytest.mark.long
def test_players_play_an_image_across_its_joints(engine, disc, tmp_path):
    image = udf.image(tmp_path / "film.iso", disc)
    with browser.chromium() as chromium, engine.session(image, profile="chromium") as session:
        chromium.assert_plays_and_seeks(session.url)
    with engine.session(image) as session:
        code, output = mpv(session.url)
        assert code == 0 and "error" not in output.lower(), output[-300:]


def test_only_needed_parts_of_an_image_are_fetched(engine, disc, tmp_path):
    """To open an image of more than 40 GiB, the engine fetches less than 16 MiB."""
    image = udf.image(tmp_path / "film.iso", disc, gap=1 << 20)
    assert image.stat().st_size > 40 << 30

    def digests(session):
        assert session.state.production.plan_origin == "index" and session.state.production.plan_complete
        urls = [session.master().variants[0][1], session.master().renditions[0][1]]
        return [hls.digest(each.url) for url in urls for each in Media.complete(url).segments]

    with engine.session(image) as session:
        local = digests(session)
    with origin.nginx(tmp_path) as server:
        with engine.session(f"{server.url}/film.iso") as session:
            opened = server.bytes_sent()
            assert digests(session) == local
            assert [each.number for each in session.state.media.titles if each.main] == [2]
        assert opened < 16 << 20
        with engine.session(f"{server.url}/film.iso", title=1) as session:
            assert [each.number for each in session.state.media.titles if each.selected] == [1]


@pytest.mark.long
def test_truncated_image_is_played_as_far_as_it_goes(engine, disc, clips, tmp_path):
    """The image ends within the second clip of the main title; the clips of other titles are missing."""
    image = udf.image(tmp_path / "film.iso", disc)
    sizes = [each.stat().st_size for each in sorted((disc / "BDMV" / "STREAM").iterdir())]
    with open(image, "r+b") as file:
        file.truncate(image.stat().st_size - sum(sizes[3:]) - sizes[2] // 2)
    with engine.session(image) as session:
        assert [each.number for each in session.state.media.titles if each.selected] == [2]
        assert session.state.production.plan_origin == "index" and session.state.production.plan_complete
        eventually(lambda: f"disc.truncated [engined] session {session.id}" in engine.log.read_text(), "the notice")
        duration = session.state.duration_us / 1e6
        video, _ = served(session)
    shown = round(duration * 24000 / 1001)
    assert 192 + 24 <= shown <= 2 * 192 - 24
    check_frames(video, (frame_digests(clips["a"]) + frame_digests(clips["wraps"]))[:shown])


def test_images_without_disc_video_are_reported(disc, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "text").write_text("nothing")
    image = IMAGES["bridge"](tmp_path / "a.iso", folder)
    done = subprocess.run([ENGINECTL, "probe", image], capture_output=True, text=True)
    assert done.returncode == 1 and "source_not_media" in done.stderr and "without Blu-ray or DVD video" in done.stderr
    # Cut off within the structures of the file system.
    image = udf.image(tmp_path / "b.iso", disc)
    with open(image, "r+b") as file:
        file.truncate((udf.START + 100) * udf.SIZE)
    done = subprocess.run([ENGINECTL, "probe", image], capture_output=True, text=True)
    assert done.returncode == 1 and "source_not_media" in done.stderr and "damaged" in done.stderr


@pytest.mark.long
def test_incomplete_folders_are_reported(engine, clips, tmp_path):
    def notice(session):
        return f"disc.folder_incomplete [engined] session {session.id}" in engine.log.read_text()

    disc = bluray.Disc(tmp_path / "disc")
    disc.add_title(disc.add_clip(clips["a"]))
    disc.write()
    names = disc.data / "META" / "DL"
    names.mkdir(parents=True)
    for number in range(20_001):
        (names / f"{number}.xml").touch()
    with engine.session(disc.root) as session:
        eventually(lambda: notice(session), "the notice")
    shutil.rmtree(names)
    image = udf.image(tmp_path / "film.iso", disc.root)
    content = bytearray(image.read_bytes())
    # Without its clip information, the entry points of the clip are unknown.
    content[content.index("00000.clpi".encode("utf-16-be"))] ^= 1
    image.write_bytes(content)
    with engine.session(image) as session:
        eventually(lambda: notice(session), "the notice")
        assert session.state.production.plan_origin == "scan"


@pytest.mark.parametrize("title, parts", tiered([(1, ["long"]), (5, ["a", "wide"]), (6, ["pal"])], lambda case: case[0] == 5))
def test_other_titles_play_their_clips(engine, disc, clips, title, parts):
    with engine.session(disc, title=title) as session:
        assert session.state.production.plan_origin == "index"
        assert [each.number for each in session.state.media.titles if each.selected] == [title]
        master = session.master()
        if title == 5:
            # The second clip has another size, so another init segment applies to it.
            playlist = Media.complete(master.variants[0][1])
            assert [each.is_discontinuous for each in playlist.segments].count(True) == 1
            return
        video, _ = served(session)
    check_frames(video, *(frame_digests(clips[name]) for name in parts), rate=25 if title == 6 else 24000 / 1001)


@pytest.mark.long
def test_clip_ends_where_the_title_says(engine, disc, clips):
    with engine.session(disc, title=3) as session:
        video, _ = served(session)
        duration = session.state.duration_us / 1e6
    assert abs(duration - (120 + 192) * 1001 / 24000) < 0.001
    check_frames(video, frame_digests(clips["long"])[:120], frame_digests(clips["a"]))


@pytest.mark.long
def test_the_chosen_angle_is_played(engine, disc, clips):
    for angle, name in ((1, "a"), (2, "angle"), (7, "a")):
        with engine.session(disc, title=4, angle=angle) as session:
            video, _ = served(session)
        check_frames(video, frame_digests(clips[name]))


def test_segments_do_not_depend_on_order(engine, start_engine, disc):
    """Segments have the same bytes in any order, across joints, and from another process that has not made earlier
    ones."""
    def digests(session, order):
        url = session.master().variants[0][1]
        segments = Media.complete(url).segments
        return {place: hls.digest(segments[place].url) for place in order(range(len(segments)))}

    with engine.session(disc) as session:
        forwards = digests(session, list)
    with start_engine().session(disc) as session:
        assert digests(session, lambda places: list(reversed(places))) == forwards


def test_chapters_have_the_names_of_the_disc(engine, clips, tmp_path):
    disc = bluray.Disc(tmp_path / "disc")
    disc.add_title(disc.add_clip(clips["a"]), chapters=(0, 2, 4, 6))
    disc.write()
    assert [each.title for each in engine.probe(disc.root).chapters] == [f"Chapter {number + 1}" for number in range(4)]
    library = disc.data / "META" / "TN"
    library.mkdir(parents=True)
    (library / "tnmt_deu_00000.xml").write_text("<chapters><name>Eins</name></chapters>")
    (library / "tnmt_eng_00001.xml").write_text("<chapters><name>Of another title</name></chapters>")
    (library / "tnmt_eng_00000.xml").write_text("<chapters><name>One</name><name/><name>Three &amp; more</name></chapters>")
    for source in disc.root, udf.image(tmp_path / "film.iso", disc.root):
        assert [each.title for each in engine.probe(source).chapters] == ["One", "Chapter 2", "Three & more", "Chapter 4"]


@pytest.mark.long
def test_names_of_a_folder_may_be_in_lower_case(engine, clips, tmp_path):
    disc = bluray.Disc(tmp_path / "disc")
    disc.add_title(disc.add_clip(clips["a"]), chapters=(0, 2))
    disc.write()
    expected = engine.probe(disc.root)
    # The innermost names first.
    for path in sorted(disc.root.rglob("*"), key=lambda each: -len(each.parts)):
        path.rename(path.with_name(path.name.lower()))
    assert sorted(each.name for each in (disc.root / "bdmv").iterdir()) == [
        "backup", "clipinf", "index.bdmv", "movieobject.bdmv", "playlist", "stream"]
    for source in disc.root, disc.root / "bdmv":
        found = engine.probe(source)
        assert (found.titles, found.chapters, found.streams) == (expected.titles, expected.chapters, expected.streams)
    with engine.session(disc.root) as session:
        assert session.state.production.plan_origin == "index"


def test_what_is_no_disc_leaves_playback_alone(engine, disc, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "text").write_text("nothing")
    with engine.session(disc) as session:
        engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
        before = engine.state(session.id)
        for source, code in (folder, "source_not_readable"), (IMAGES["bridge"](tmp_path / "a.iso", folder), "source_not_media"):
            with pytest.raises(grpc.RpcError) as refused:
                engine.load(source)
            assert code in refused.value.details()
        after = engine.state(session.id)
        assert after.media == before.media and not after.HasField("error")
        eventually(lambda: engine.state(session.id).position.position_us > before.position.position_us, "playback to continue")


def test_title_that_ends_before_it_begins_is_skipped(engine, clips, tmp_path):
    """The clock of 32 bits wraps, so such a part would be longer than every film."""
    disc = bluray.Disc(tmp_path / "disc")
    a, long = disc.add_clip(clips["a"]), disc.add_clip(clips["long"])
    disc.add_title(bluray.Item([a], start=a.end, end=a.start))
    disc.add_title(long)
    disc.write()
    with engine.session(disc.root) as session:
        assert [each.name for each in session.state.media.titles] == ["00001.mpls"]
        eventually(lambda: f"disc.title_skipped [engined] session {session.id}" in engine.log.read_text(), "the notice")


@pytest.mark.long
def test_first_of_equal_titles_is_the_main_one(engine, clips, tmp_path):
    disc = bluray.Disc(tmp_path / "twins")
    a, b = disc.add_clip(clips["a"]), disc.add_clip(clips["b"])
    disc.add_title(a)
    disc.add_title(b)
    disc.write()
    done = subprocess.run([ENGINECTL, "probe", disc.root], capture_output=True, text=True, check=True)
    assert "00000.mpls" in done.stdout
    with engine.session(disc.root) as session:
        assert [each.number for each in session.state.media.titles if each.main] == [1]


def encrypt(clip):
    """Changes a clip as AACS does: the first 16 bytes of each 6144 stay as they are, but for two bits that declare the encryption."""
    content = bytearray(clip.read_bytes())
    for unit in range(0, len(content) - 6143, 6144):
        content[unit] |= 0xC0
        content[unit + 16:unit + 6144] = bytes(each ^ 0x5A for each in content[unit + 16:unit + 6144])
    clip.write_bytes(content)


def test_encryption_is_found_wherever_the_title_begins(engine, clips, tmp_path):
    """The title begins at an entry point that is not at the start of an encrypted unit."""
    disc = bluray.Disc(tmp_path / "disc")
    clip = disc.add_clip(clips["a"])
    time, _ = next((time, packet) for time, packet in clip.entries if packet % 32 not in (0, clip.entries[0][1] % 32))
    disc.add_title(bluray.Item([clip], start=time // 2))
    disc.write()
    engine.probe(disc.root)
    encrypt(disc.data / "STREAM" / "00000.m2ts")
    with pytest.raises(grpc.RpcError) as refused:
        engine.probe(disc.root)
    assert refused.value.details().startswith("source_encrypted")


@pytest.mark.long
def test_faulty_discs_give_typed_errors(clips, tmp_path):
    def failure(folder, *options):
        done = subprocess.run([ENGINECTL, "probe", folder, *options], capture_output=True, text=True)
        assert done.returncode == 1
        return done.stderr

    disc = bluray.Disc(tmp_path / "disc")
    (disc.data / "index.bdmv").write_bytes(b"")
    assert "no_playable_stream" in failure(disc.root)
    disc.add_title(disc.add_clip(clips["a"]))
    disc.write()
    assert "invalid_argument" in failure(disc.root, "--title", "2")
    stream = disc.data / "STREAM" / "00000.m2ts"
    encrypt(stream)
    assert "source_encrypted" in failure(disc.root)
    stream.unlink()
    assert "source_not_found" in failure(disc.root)
    assert "source_not_readable" in failure(tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("count", [30, 500])
def test_damaged_images_play_or_give_typed_errors(engine, clips, tmp_path, count):
    """Images with changed bytes in the file system, the playlists, the maps and the index, and truncated images. What can be
    opened is played."""
    disc = bluray.Disc(tmp_path / "disc")
    a, b = disc.add_clip(clips["a"], ["fra"]), disc.add_clip(clips["b"])
    disc.add_title(a, bluray.Item([b], connection=5), chapters=(0, 4))
    disc.add_title(b)
    disc.write()
    whole = udf.image(tmp_path / "film.iso", disc.root).read_bytes()
    described = {at for at in range(0, (udf.START + udf.CONTENT) * udf.SIZE, udf.SIZE) if any(whole[at:at + udf.SIZE])}
    for file in disc.data.rglob("*.*"):
        if file.is_file() and file.suffix != ".m2ts":
            start = whole.index(file.read_bytes()[:udf.SIZE])
            described |= set(range(start, start + file.stat().st_size, udf.SIZE))
    described = sorted(described)
    chance, codes, path = random.Random(19), collections.Counter(), tmp_path / "damaged.iso"
    before = engine.resident_bytes()
    for number in range(count):
        content = bytearray(whole)
        for _ in range(1 + number % 5):
            place = chance.choice(described) + chance.choice((chance.randrange(udf.SIZE), chance.randrange(300)))
            content[place] = chance.randrange(256)
        if number % 4 == 3:
            del content[chance.randrange(len(content)):]
        path.write_bytes(content)
        try:
            with engine.session(path) as session:
                for _, url in session.master().variants:
                    assert len(Media.complete(url).segments) > 0
                    hls.fetch(Media.complete(url).segments[-1].url)
            codes["played"] += 1
        except grpc.RpcError as error:
            codes[error.details().split(":")[0]] += 1
    assert engine.is_alive() and engine.resident_bytes() - before < 200 << 20
    assert set(codes) <= {"played", "source_not_media", "no_playable_stream", "source_not_found", "source_empty", "resource_exhausted"}, codes
    assert codes["played"] and codes["source_not_media"], codes
