# SPDX-License-Identifier: Apache-2.0
"""Indexes that do not reach the end of their file: finding that out costs no download, and does not read the rest."""

import os
import shutil
import subprocess

import pytest
from harness import origin
from harness.engine import eventually, settled
from harness.hls import Media
from harness.places import clip
from harness.watching import Notices

FILM = "h264-aac.mkv"


def with_short_cues(film):
    """The film with a Void element in the place of all points of its Cues but the first eight."""
    start = film.rindex(b"\x1c\x53\xbb\x6b") + 4
    place = start + 9 - film[start].bit_length()
    end = place + (int.from_bytes(film[start:place]) & (1 << 7 * (place - start)) - 1)
    film = bytearray(film)
    if film[place] == 0xBF:
        # A checksum, which would be wrong.
        film[place] = 0xEC
        place += 2 + (film[place + 1] & 0x7F)
    for _ in range(8):
        assert film[place] == 0xBB
        place += 2 + (film[place + 1] & 0x7F)
    film[place:place + 9] = b"\xec\x01" + (end - place - 9).to_bytes(7)
    return film


def test_an_index_that_ends_early_costs_no_download(fresh_engine, tmp_path):
    """The bytes after its last entry are not fetched to find the end of the film; they are scanned just ahead of playback."""
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


@pytest.mark.long
def test_zeros_after_the_index_are_not_taken_for_media_that_it_lacks(fresh_engine, tmp_path):
    """As a download that reserved too much leaves them: the film opens at once, and is scanned."""
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
