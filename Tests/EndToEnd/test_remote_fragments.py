# SPDX-License-Identifier: Apache-2.0
"""MP4 films in fragments on a server, without an index: load, probe and stills fetch what they need, and everything equals
what the engine makes of the file on disk."""

import subprocess

import pytest
from harness import hls, origin
from harness.engine import settled
from harness.hls import digest
from harness.places import clip
from harness.stills import source, thumbnail

KINDS = ["", "+skip_trailer", "+dash", "+frag_every_frame"]
MOMENTS = [3_000_000, 1_111_000_000]


@pytest.fixture(scope="module", params=KINDS)
def film(request, tmp_path_factory):
    """A film of 32 minutes and 80 MB."""
    path = tmp_path_factory.mktemp("films") / "film.mp4"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "79", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
         "-movflags", f"+frag_keyframe+empty_moov+default_base_moof{request.param}", path], check=True)
    assert path.stat().st_size > 70 << 20
    return path


def ends(film):
    """The times of the last packets of video and audio, in seconds."""
    output = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "packet=stream_index,pts_time", "-of", "csv=p=0", film],
        check=True, capture_output=True, text=True).stdout
    packets = [line.split(",")[:2] for line in output.split()]
    return [max(float(time) for place, time in packets if place == stream) for stream in "01"]


def segments(session):
    return [each.url for each in hls.Media(session.master().variants[0][1]).segments]


@pytest.mark.long
def test_a_probe_fetches_the_ends(fresh_engine, film):
    with origin.nginx(film.parent) as server:
        remote = fresh_engine.probe(f"{server.url}/{film.name}")
        assert settled(server.bytes_sent, 1) < 8 << 20
    local = fresh_engine.probe(str(film))
    assert remote.duration_us == local.duration_us
    # Not those of the file on disk: with `+dash`, libavformat states the duration of audio without its last fragment.
    for stream, end in zip(remote.streams, ends(film), strict=True):
        assert abs(stream.duration_us - end * 1e6) < 100_000


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_still_fetches_the_media_around_it(fresh_engine, film, moment):
    with origin.nginx(film.parent) as server:
        still = thumbnail(fresh_engine, source(f"{server.url}/{film.name}"), moment)
        assert settled(server.bytes_sent, 1) < 16 << 20
    assert still.data == thumbnail(fresh_engine, source(film), moment).data


@pytest.mark.long
def test_a_load_does_not_wait_for_all_fragments(fresh_engine, film):
    with origin.nginx(film.parent) as server, fresh_engine.session(f"{server.url}/{film.name}") as session:
        assert segments(session)
        # The scan stays 32 MiB ahead of playback.
        assert settled(server.bytes_sent, 2) < 60 << 20


@pytest.mark.long
def test_segments_equal_those_of_the_file(fresh_engine, film):
    with fresh_engine.session(film) as local:
        wanted = [digest(each.url) for each in hls.Media.complete(local.master().variants[0][1]).segments]
    with origin.nginx(film.parent) as server, fresh_engine.session(f"{server.url}/{film.name}") as session:
        found = []
        for media in hls.Media.versions(session.master().variants[0][1]):
            found += [digest(each.url) for each in media.segments[len(found):]]
        assert found == wanted
        assert server.bytes_sent() < film.stat().st_size * 1.2


@pytest.mark.long
def test_segments_in_any_order_equal_those_of_the_file(fresh_engine, film):
    """Each segment is made without the segments before it."""
    with fresh_engine.session(film) as local:
        urls = [each.url for each in hls.Media.complete(local.master().variants[0][1]).segments]
        places = [len(urls) * 9 // 10, len(urls) // 3, len(urls) // 2, 1]
        wanted = [digest(urls[place]) for place in places]
    with origin.nginx(film.parent) as server, fresh_engine.session(f"{server.url}/{film.name}") as session:
        for media in hls.Media.versions(session.master().variants[0][1]):
            # Requests for the last segment make the scan continue.
            digest(media.segments[-1].url)
        urls = segments(session)
        assert [digest(urls[place]) for place in places] == wanted
