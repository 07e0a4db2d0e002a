# SPDX-License-Identifier: Apache-2.0
"""FLV films on a server, without a list of keyframes: stills fetch what they need, and equal those of the file on disk."""

import subprocess

from harness import numbered, origin
from harness.engine import settled
from harness.stills import snapshot, source, thumbnail


def test_a_still_of_a_flash_video_on_a_server_fetches_the_media_around_it(fresh_engine, tmp_path):
    path, moment = tmp_path / "film.flv", 433_140_000
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "44", "-i", numbered.film("h264.mkv"), "-f", "lavfi", "-i",
                    "anoisesrc=r=44100", "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "pcm_s16le", "-ac", "2", "-t", "450", path],
                   check=True)
    assert path.stat().st_size > 70 << 20
    with origin.nginx(tmp_path) as films:
        local, remote = [
            [make(fresh_engine, source(place), moment) for make in (snapshot, thumbnail)] for place in (path, f"{films.url}/{path.name}")]
        assert settled(films.bytes_sent, 1) < path.stat().st_size / 4
    assert [(each.data, each.time_us) for each in remote] == [(each.data, each.time_us) for each in local]
    wanted = [moment * 25 // 1_000_000, round(numbered.keyframe(path, moment / 1e6) * 25)]
    assert numbered.numbers([each.data for each in remote]) == [each % 250 for each in wanted]
