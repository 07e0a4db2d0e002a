# SPDX-License-Identifier: Apache-2.0
"""HLS presentations as sources: what is served decodes to what the source's own segments decode to, one segment of the
source is one segment that is served, and whatever a server or a playlist does wrong has a type."""

import hashlib
import random
import shutil
import subprocess
import urllib.parse

import grpc
import pytest
from harness import origin
from harness.engine import running_engine, settled
from harness.hls import Media, digest, fetch
from harness.places import ENGINECTL, clip
from harness.contract import stills_pb2
from harness.sidecars import read
from harness.stills import snapshot, source, thumbnail
from harness.tiers import tiered

FILM = "h264-aac.mkv"
FORMATS = {
    "ts": [],
    "fmp4": ["-hls_segment_type", "fmp4"],
    "ts-ranges": ["-hls_flags", "single_file"],
    "fmp4-ranges": ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"],
}
LEAN = {"ts", "fmp4", "fmp4-ranges"}


def ffmpeg(*arguments, **options):
    return subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, **options)


def package(folder, name, *options, film=FILM, seconds=2, loop=0):
    """A bundle of a clip, with its streams as they are."""
    target = folder / name
    target.mkdir()
    suffix = "m4s" if "fmp4" in options else "ts"
    names = [] if "single_file" in options else ["-hls_segment_filename", f"%03d.{suffix}"]
    ffmpeg(
        "-stream_loop", loop, "-i", clip(film), "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "hls", "-hls_time", seconds,
        "-hls_playlist_type", "vod", *options, *names, "film.m3u8", cwd=target)
    return target / "film.m3u8"


def id3(ticks):
    """The tag of a segment of packed audio (RFC 8216 §3.4)."""
    frame = b"com.apple.streaming.transportStreamTimestamp\0" + ticks.to_bytes(8, "big")
    body = b"PRIV" + len(frame).to_bytes(4, "big") + b"\0\0" + frame
    return b"ID3\4\0\0" + bytes([0, 0, len(body) >> 7, len(body) & 127]) + body


def adts_frames(data):
    while data:
        length = (data[3] & 3) << 11 | data[4] << 3 | data[5] >> 5
        yield data[:length]
        data = data[length:]


def pack_audio(folder):
    """Segments of 94 AAC frames each, about 2 s, whose clock begins at 10 s."""
    target = folder / "packed"
    target.mkdir()
    ffmpeg("-i", clip(FILM), "-map", "0:a", "-c", "copy", target / "whole.aac")
    frames = list(adts_frames((target / "whole.aac").read_bytes()))
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:3"]
    for number, first in enumerate(range(0, len(frames), 94)):
        piece = frames[first:first + 94]
        (target / f"{number}.aac").write_bytes(id3(900_000 + first * 1920) + b"".join(piece))
        lines += [f"#EXTINF:{len(piece) * 1024 / 48000:.5f},", f"{number}.aac"]
    (target / "film.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))


def speak(folder):
    """Video with two languages of audio beside it, the second with other segments."""
    target = folder / "languages"
    target.mkdir()
    ffmpeg(
        "-i", clip(FILM), "-f", "lavfi", "-t", 24, "-i", "sine=440:r=44100", "-map", "0:v", "-map", "0:a", "-map", "1:a",
        "-c:v", "copy", "-c:a:0", "copy", "-c:a:1", "aac", "-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod",
        "-hls_segment_filename", "%v-%03d.ts", "-master_pl_name", "film.m3u8", "-var_stream_map",
        "v:0,agroup:a a:0,agroup:a,language:en,default:yes a:1,agroup:a,language:fr", "%v.m3u8", cwd=target)


def encrypt(folder):
    """Segments with a key that changes for each, with the number of the segment for an IV, and with an IV."""
    for name, flags, iv in (("keys", ["-hls_flags", "periodic_rekey"], ""), ("numbered", [], ""), ("iv", [], "0" * 31 + "7")):
        target = folder / name
        target.mkdir()
        (target / "key.bin").write_bytes(bytes(range(16)))
        (target / "key.txt").write_text("\n".join(["key.bin", "key.bin", iv]).rstrip() + "\n")
        ffmpeg(
            "-i", clip(FILM), "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "hls", "-hls_time", 2, "-hls_playlist_type",
            "vod", *flags, "-hls_key_info_file", "key.txt", "-hls_segment_filename", "%03d.ts", "film.m3u8", cwd=target)


def write_text(folder, start):
    """Text in segments of 8 s beside the segments of `ts`, whose clock begins at `start` microseconds."""
    target = folder / "text"
    shutil.copytree(folder / "ts", target)
    cues = [
        ["00:01.000 --> 00:02.500\nOne", "00:07.000 --> 00:09.000\nTwo"],
        ["00:07.000 --> 00:09.000\nTwo", "00:12.000 --> 00:13.000\nThree"],
        ["00:20.000 --> 00:22.000\nFour"],
    ]
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:8"]
    for number, each in enumerate(cues):
        head = f"WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:10.000,MPEGTS:{start * 9 // 100 + 900_000}"
        (target / f"{number}.vtt").write_text("\n\n".join([head, *each, ""]))
        lines += ["#EXTINF:8,", f"{number}.vtt"]
    (target / "text.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    (target / "master.m3u8").write_text("\n".join([
        "#EXTM3U",
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Signs",LANGUAGE="fr",FORCED=YES,AUTOSELECT=YES,URI="text.m3u8"',
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Gone",LANGUAGE="de",URI="gone.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=800000,SUBTITLES="s"', "film.m3u8", ""]))


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hls")
    for name, options in FORMATS.items():
        package(folder, name, *options)
    pack_audio(folder)
    speak(folder)
    encrypt(folder)
    return folder


@pytest.fixture(scope="module")
def server(bundles):
    with origin.nginx(bundles) as server:
        yield server


def resources(playlist):
    """The files of a local bundle in order, the init segment first."""
    names = []
    for line in playlist.read_text().splitlines():
        if line.startswith("#EXT-X-MAP:"):
            names.append(line.split('"')[1])
        elif line and not line.startswith("#"):
            names.append(line)
    return [playlist.parent / name for name in dict.fromkeys(names)]


def whole(playlist):
    """All segments of a local bundle as one file."""
    return b"".join(file.read_bytes() for file in resources(playlist))


def decoded(data, stream):
    """Digests of the decoded frames of one stream, or of its samples as a whole."""
    form = ["-f", "framemd5"] if stream == "v" else ["-f", "s16le"]
    made = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-map", f"0:{stream}:0", *form, "-"], input=data, capture_output=True,
        check=True).stdout
    if stream == "a":
        return hashlib.sha256(made).hexdigest(), len(made)
    return [line.rsplit(b",", 1)[1] for line in made.splitlines() if not line.startswith(b"#")]


def served(url):
    """Everything of one media playlist as one file."""
    playlist = Media.complete(url)
    return b"".join(fetch(each) for each in [playlist.init, *(segment.url for segment in playlist.segments)])


def validate(engine, url):
    done = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "validate", url], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def kept(session):
    return stills_pb2.StillSource(session_id=session.id)


def refusal(call):
    with pytest.raises(grpc.RpcError) as failure:
        call()
    return failure.value.details()


@pytest.mark.parametrize("name", tiered(FORMATS, LEAN))
def test_what_is_served_decodes_like_the_segments_of_the_source(engine, server, bundles, name):
    film = whole(bundles / name / "film.m3u8")
    with engine.session(f"{server.url}/{name}/film.m3u8") as session:
        master = session.master()
        video, audio = master.variants[0][1], master.renditions[0][1]
        assert decoded(served(video), "v") == decoded(film, "v")
        assert decoded(served(audio), "a") == decoded(film, "a")
        playlist = Media(video)
        assert len(playlist.segments) == 12 and playlist.is_ended and playlist.type == "VOD"
        assert engine.state(session.id).production.plan_origin == "playlist"
        validate(engine, session.url)


@pytest.mark.parametrize("name", tiered([*FORMATS, "languages"], LEAN | {"languages"}))
def test_a_local_playlist_is_served_like_the_same_one_on_a_server(engine, server, bundles, name):
    path, url = bundles / name / "film.m3u8", f"{server.url}/{name}/film.m3u8"
    described, remote = engine.probe(path), engine.probe(url)
    remote.source = described.source
    assert remote == described and described.container == "hls"
    with engine.session(path) as here, engine.session(url) as there:
        assert digests(here) == digests(there)


@pytest.mark.parametrize("name", tiered([*FORMATS, "languages", "packed"], LEAN | {"languages"}))
def test_order_and_process_change_nothing(engine, bundles, name):
    path = bundles / name / "film.m3u8"
    with engine.session(path) as session:
        linear = digests(session)
    with running_engine() as other, other.session(path) as session:
        urls = session.master().everything()
        random.Random(1).shuffle(urls)
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


def test_opening_and_a_far_seek_cost_what_is_played_from_there(engine, bundles):
    """What is read ahead of a player lies behind what it has requested."""
    package(bundles, "long", "-t", "120", loop=4)
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/long/film.m3u8") as session:
        def numbers():
            return [int(path.rsplit("/", 1)[1][:3]) for _, path, _ in server.requests() if path.endswith(".ts")]

        opened = settled(numbers)
        assert opened == sorted(set(opened)) and opened[-1] < 20, "each segment once, none behind the read-ahead"
        playlist = Media(session.master().variants[0][1])
        assert len(playlist.segments) == 60
        fetch(playlist.segments[40].url)
        fetch(Media(session.master().renditions[0][1]).segments[40].url)
        sought = settled(numbers)[len(opened):]
        assert sought == list(range(40, 40 + len(sought)))


def test_audio_beside_the_video_is_served_whole_with_its_names(engine, bundles):
    folder = bundles / "languages"
    with engine.session(folder / "film.m3u8") as session:
        master = session.master()
        assert decoded(served(master.variants[0][1]), "v") == decoded(whole(folder / "0.m3u8"), "v")
        tracks = [(found["LANGUAGE"], found["DEFAULT"]) for found, _ in master.renditions]
        assert tracks == [("en", "YES"), ("fr", "NO")]
        for (_, url), name in zip(master.renditions, ("1.m3u8", "2.m3u8")):
            assert decoded(served(url), "a") == decoded(whole(folder / name), "a")
        validate(engine, session.url)


def test_packed_audio_is_where_its_tags_say(engine, bundles):
    folder = bundles / "packed"
    with engine.session(folder / "film.m3u8") as session:
        url = session.master().variants[0][1]
        assert decoded(served(url), "a") == decoded((folder / "whole.aac").read_bytes(), "a")
        validate(engine, session.url)


def decoded_by_engine(engine, path, *options):
    """The digests of the frames that the software path decodes."""
    done = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "play", "--realtime=false", *options, path], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True)
    return [line.split("\t")[1].strip().encode() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", ["ts", "fmp4", "languages"])
def test_the_software_path_decodes_every_picture(engine, bundles, name):
    path = bundles / name / "film.m3u8"
    own = [each.strip() for each in decoded(whole(bundles / "ts" / "film.m3u8"), "v")]
    assert decoded_by_engine(engine, path) == own
    # A seek lands on the picture that is shown then, and goes on through all that follow.
    sought = decoded_by_engine(engine, path, "--start", "13.5")
    assert sought == own[-len(sought):] and 262 <= len(sought) <= 264


def join(folder, form):
    """Segments of a film, of another size and rate, and of the film again, whose clocks start anew."""
    target = folder / f"joined-{form}"
    target.mkdir()
    suffix = "m4s" if form == "fmp4" else "ts"
    common = ["-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod", *FORMATS[form]]
    for name, options in {
        "film": ["-i", clip(FILM), "-t", 8, "-map", "0:v", "-map", "0:a", "-c", "copy"],
        "break": ["-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30:duration=4", "-f", "lavfi", "-i",
                  "sine=330:r=48000:d=4", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", 60,
                  "-c:a", "aac", "-ac", 1],
    }.items():
        names = ["-hls_segment_filename", f"{name}-%d.{suffix}"]
        names += ["-hls_fmp4_init_filename", f"{name}.mp4"] if form == "fmp4" else []
        ffmpeg(*options, *common, *names, f"{name}.m3u8", cwd=target)
    groups = [["film-0", "film-1"], ["break-0", "break-1"], ["film-2", "film-3"]]
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:2", "#EXT-X-INDEPENDENT-SEGMENTS"]
    files = []
    for number, group in enumerate(groups):
        lines += ["#EXT-X-DISCONTINUITY"] if number else []
        init = [f"{group[0].split('-')[0]}.mp4"] if form == "fmp4" else []
        lines += [f'#EXT-X-MAP:URI="{name}"' for name in init]
        for name in group:
            lines += ["#EXTINF:2.0,", f"{name}.{suffix}"]
        files.append(b"".join((target / name).read_bytes() for name in [*init, *(f"{each}.{suffix}" for each in group)]))
    (target / "media.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    (target / "film.m3u8").write_text("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=4000000\nmedia.m3u8\n")
    return target / "film.m3u8", files


def served_groups(url):
    """What is served between discontinuities, each with its init segment."""
    groups, init = [[]], None
    for line in fetch(url).decode().splitlines():
        if line.startswith("#EXT-X-DISCONTINUITY"):
            groups.append([])
        elif line.startswith("#EXT-X-MAP:"):
            init = urllib.parse.urljoin(url, line.split('"')[1])
            groups[-1].append(init)
        elif line and not line.startswith("#"):
            groups[-1].append(urllib.parse.urljoin(url, line))
    return [b"".join(fetch(each) for each in group) for group in groups]


@pytest.mark.parametrize("form", ["ts", "fmp4"])
def test_segments_of_other_clocks_and_sizes_follow_each_other(engine, bundles, form):
    path, files = join(bundles, form)
    with engine.session(path) as session:
        master = session.master()
        found = served_groups(master.variants[0][1])
        assert [decoded(group, "v") for group in found] == [decoded(file, "v") for file in files]
        found = served_groups(master.renditions[0][1])
        assert [decoded(group, "a") for group in found] == [decoded(file, "a") for file in files]
        validate(engine, session.url)
        linear = digests(session)
    with running_engine() as other, other.session(path) as session:
        urls = session.master().everything()[::-1]
        assert {url.split("/", 4)[4]: digest(url) for url in urls} == linear


@pytest.mark.parametrize("name", ["keys", "numbered", "iv"])
def test_encrypted_segments_are_decrypted(engine, server, bundles, name):
    with engine.session(bundles / "ts" / "film.m3u8") as plain, engine.session(f"{server.url}/{name}/film.m3u8") as session:
        assert digests(session) == digests(plain)


def test_a_wrong_key_and_other_systems_are_named(engine, bundles):
    shutil.copytree(bundles / "iv", bundles / "wrong-key")
    (bundles / "wrong-key" / "key.bin").write_bytes(bytes(16))
    wrong = refusal(lambda: engine.probe(bundles / "wrong-key" / "film.m3u8"))
    assert wrong.startswith("segment_failed") and "key.bin" in wrong and "no valid padding" in wrong
    (bundles / "wrong-key" / "key.bin").unlink()
    missing = refusal(lambda: engine.probe(bundles / "wrong-key" / "film.m3u8"))
    assert missing.startswith("source_not_found") and "its key cannot be fetched" in missing
    (bundles / "wrong-key" / "drm.m3u8").write_text(
        '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1",'
        'KEYFORMAT="com.apple.streamingkeydelivery"\n#EXTINF:2,\n000.ts\n#EXT-X-ENDLIST\n')
    system = refusal(lambda: engine.probe(bundles / "wrong-key" / "drm.m3u8"))
    assert system.startswith("source_encrypted") and "FairPlay" in system


def test_text_beside_the_video_becomes_cues(engine, bundles):
    # Cues of a source that is not loaded are on its own clock.
    begin = engine.probe(bundles / "ts" / "film.m3u8").start_us
    write_text(bundles, begin)
    path = bundles / "text" / "master.m3u8"
    times = [("One", 1_000_000, 2_500_000), ("Two", 7_000_000, 9_000_000), ("Three", 12_000_000, 13_000_000),
             ("Four", 20_000_000, 22_000_000)]
    with origin.nginx(bundles) as server:
        _, found = read(engine, source=f"{server.url}/text/master.m3u8")
        assert [(cue.text.plain, cue.start_us - begin, cue.end_us - begin) for cue in found] == times
        fetched = {path for _, path, _ in server.requests() if path.endswith(".ts")}
        assert len(fetched) <= 2, "text is read without the video beside it"
    with engine.session(path) as session:
        (properties, url), = session.master().subtitles
        assert (properties["LANGUAGE"], properties["NAME"], properties["FORCED"]) == ("fr", "Signs", "YES")
        assert "Two" in fetch(Media(url).segments[4].url).decode()
        validate(engine, session.url)


@pytest.mark.parametrize("name", tiered(FORMATS, LEAN))
def test_stills_are_those_of_the_film(engine, server, bundles, name):
    url = f"{server.url}/{name}/film.m3u8"
    for moment in (0, 13_500_000, 23_900_000):
        assert snapshot(engine, source(url), moment).data == snapshot(engine, source(clip(FILM)), moment).data
    assert thumbnail(engine, source(url), 13_500_000).data == thumbnail(engine, source(clip(FILM)), 13_500_000).data


def test_a_page_and_a_broken_playlist_are_no_media(engine, bundles):
    folder = bundles / "wrong"
    folder.mkdir()
    (folder / "page.m3u8").write_text("\n<!DOCTYPE html><html><body>Please log in.</body></html>")
    (folder / "plain.m3u8").write_text("#EXTM3U\n#EXTINF:-1,Radio\nhttp://127.0.0.1:1/radio\n")
    (folder / "file.m3u8").write_text("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n")
    (folder / "up.m3u8").write_text(
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n../ts/000.ts\n#EXT-X-ENDLIST\n")
    with origin.nginx(bundles) as server:
        page = refusal(lambda: engine.probe(f"{server.url}/wrong/page.m3u8"))
        assert page.startswith("source_not_media") and "is a web page" in page
        plain = refusal(lambda: engine.probe(f"{server.url}/wrong/plain.m3u8"))
        assert plain.startswith("source_not_media") and "plain M3U" in plain
        named = refusal(lambda: engine.probe(f"{server.url}/wrong/file.m3u8"))
        assert named.startswith("source_not_readable") and "the scheme file" in named
        assert "/wrong/" not in "".join(path for _, path, _ in server.requests() if "passwd" in path)
    outside = refusal(lambda: engine.probe(folder / "up.m3u8"))
    assert outside.startswith("source_not_readable") and "outside the folder" in outside


def test_a_missing_segment_fails_by_itself_and_is_named(engine, bundles):
    shutil.copytree(bundles / "ts", bundles / "holes")
    (bundles / "holes" / "005.ts").unlink()
    (bundles / "holes" / "006.ts").write_text("<html>gone</html>")
    with origin.nginx(bundles) as server, engine.session(f"{server.url}/holes/film.m3u8") as session:
        playlist = Media(session.master().variants[0][1])
        fetch(playlist.segments[4].url)
        fetch(playlist.segments[7].url)
        for number, words in ((5, ["status 404", "/holes/005.ts"]), (6, ["/holes/006.ts", "is not media", "<html>gone"])):
            failure = refusal(lambda: snapshot(engine, kept(session), number * 2_000_000 + 500_000))
            assert all(word in failure for word in words), failure
