# SPDX-License-Identifier: Apache-2.0
"""Indexes that do not reach the end of their file: finding that out costs no download, and does not read the rest."""

import os
import shutil
import struct
import subprocess

import pytest
from harness import origin
from harness.engine import eventually, settled
from harness.hls import Media
from harness.places import clip
from harness.watching import Notices

FILM = "h264-aac.mkv"


def with_short_cues(film):
    """The film whose Cues have only the first eight points: a Void element replaces the others."""
    start = film.rindex(b"\x1c\x53\xbb\x6b") + 4
    place = start + 9 - film[start].bit_length()
    end = place + (int.from_bytes(film[start:place]) & (1 << 7 * (place - start)) - 1)
    film = bytearray(film)
    if film[place] == 0xBF:
        # A checksum, which would no longer be right, becomes a Void element.
        film[place] = 0xEC
        place += 2 + (film[place + 1] & 0x7F)
    for _ in range(8):
        assert film[place] == 0xBB
        place += 2 + (film[place + 1] & 0x7F)
    film[place:place + 9] = b"\xec\x01" + (end - place - 9).to_bytes(7)
    return film


def test_an_index_that_ends_early_costs_no_download(fresh_engine, tmp_path):
    """The bytes after the last entry of the index are not fetched to find the end of the film; they are scanned just
    ahead of playback."""
    film = tmp_path / "film.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "150", "-i", clip(FILM), "-map", "0", "-c", "copy", film], check=True)
    film.write_bytes(with_short_cues(film.read_bytes()))
    assert film.stat().st_size > 100 << 20
    notices = Notices(fresh_engine)
    with origin.nginx(tmp_path) as server, fresh_engine.session(f"{server.url}/film.mkv") as session:
        def fetched():
            return fresh_engine.state(session.id).statistics.http_bytes
        assert settled(fetched, 2) < film.stat().st_size * 0.6
        eventually(lambda: "plan.index_rejected" in notices.codes, "the notice")
    notices.end()


def separated(film):
    """The AVI film with all its pictures before all its sound, and an index in that order."""
    movie = film.index(b"movi", 12)
    index = film.index(b"idx1", movie)
    entries = [struct.unpack_from("<4sIII", film, index + 8 + 16 * place) for place in range(int.from_bytes(film[index + 4:index + 8], "little") // 16)]
    chunks, list_of_chunks = bytearray(), bytearray()
    for kind in sorted({entry[0] for entry in entries}):
        for name, flags, offset, count in entries:
            if name == kind:
                list_of_chunks += struct.pack("<4sIII", name, flags, 4 + len(chunks), count)
                chunks += film[movie + offset:movie + offset + 8 + count + count % 2]
    body = film[8:movie - 8] + b"LIST" + struct.pack("<I", 4 + len(chunks)) + b"movi" + chunks
    body += b"idx1" + struct.pack("<I", len(list_of_chunks)) + list_of_chunks
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.mark.long
def test_the_index_of_a_film_that_is_not_interleaved_is_complete(fresh_engine, tmp_path):
    """Megabytes of sound follow the last keyframe, but the index lists them."""
    film = tmp_path / "film.avi"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.avi"), "-f", "lavfi", "-i", "anoisesrc=r=48000:a=0.2:d=120",
         "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "pcm_s16le", "-ac", "2", film], check=True)
    film.write_bytes(separated(film.read_bytes()))
    with origin.nginx(tmp_path) as server, fresh_engine.session(film) as local, fresh_engine.session(f"{server.url}/film.avi") as remote:
        plans = [fresh_engine.state(session.id).production for session in (local, remote)]
        assert [(plan.plan_origin, plan.plan_complete) for plan in plans] == [(plans[0].plan_origin, True)] * 2
        assert plans[0].plan_origin == "index"
        assert fresh_engine.state(remote.id).statistics.http_bytes < film.stat().st_size * 0.6


@pytest.mark.long
def test_zeros_after_the_index_are_not_taken_for_media_that_it_lacks(fresh_engine, tmp_path):
    """A download that reserved too much leaves such zeros. The film opens at once, and is scanned."""
    film = shutil.copy(clip(FILM), tmp_path)
    def durations(session):
        return [segment.duration for segment in Media.complete(session.master().variants[0][1]).segments]

    with fresh_engine.session(film) as session:
        expected = durations(session)
    os.truncate(film, os.path.getsize(film) + (256 << 20))
    notices = Notices(fresh_engine)
    with fresh_engine.session(film) as session:
        eventually(lambda: "plan.index_rejected" in notices.codes, "the notice")
        assert durations(session) == expected
    notices.end()
