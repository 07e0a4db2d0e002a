# SPDX-License-Identifier: Apache-2.0
"""Images of discs on a server are opened in few round trips."""

import subprocess

import pytest
from harness import bluray, dvd, origin, udf
from harness.tiers import tiered

SECONDS = 30


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


def dvd_image(folder):
    """A bridge disc with two title sets."""
    film = dvd.film(folder / "film.mpg", "testsrc2", (440,), seconds=SECONDS)
    root = dvd.author(folder / "dvd", [[[(film, "0,10,20")]], [[(film, "0")]]]).root
    path = folder / "dvd.iso"
    subprocess.run(["genisoimage", "-quiet", "-dvd-video", "-udf", "-V", "FAR_AWAY", "-o", path, root], check=True)
    return path


# Name -> how to make the image, and the number of round trips until `Load` returns.
IMAGES = {"Blu-ray": (bluray_image, 9), "DVD": (dvd_image, 9)}


@pytest.mark.parametrize("kind", tiered(IMAGES, {"DVD"}))
def test_image_is_opened_in_few_round_trips(fresh_engine, tmp_path, kind):
    make, most = IMAGES[kind]
    units = 2 * SECONDS if kind == "DVD" else 0
    with origin.origin(make(tmp_path)) as film:
        with film.waves(fresh_engine) as waves:
            session = fresh_engine.load(film.url)
            count = len(waves)
        state = session.state
        assert state.production.plan_origin == "index" and state.production.plan_complete
        # Each unit of a short DVD is a request, of which five are sent at a time.
        assert count <= most + -(-units // 5), waves[:count]
        session.stop()
