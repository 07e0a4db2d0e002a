# SPDX-License-Identifier: Apache-2.0
"""The dynamic range of a video and the objects of an audio track, as ffprobe and mediainfo report them."""

import fractions
import json
import subprocess

from .payloads import LIMIT, run

RECORD = ("dv_profile", "dv_level", "rpu_present_flag", "el_present_flag", "bl_present_flag", "dv_bl_signal_compatibility_id")
LIGHT = {
    "Mastering display metadata": (
        "red_x", "red_y", "green_x", "green_y", "blue_x", "blue_y", "white_point_x", "white_point_y", "min_luminance",
        "max_luminance"),
    "Content light level metadata": ("max_content", "max_average"),
}


class Range:
    """The declarations of a file about its first video track. Side data of the container (`declared`) is kept apart
    from that of the first frame (`shown`)."""

    def __init__(self, path):
        facts = json.loads(run(
            "ffprobe", "-v", "quiet", "-of", "json", "-select_streams", "V:0", "-read_intervals", "%+#3", "-show_streams",
            "-show_frames", str(path)))
        self.stream = next(iter(facts["streams"]), {})
        self.tag, self.codec = self.stream.get("codec_tag_string"), self.stream.get("codec_name")
        names = ("color_primaries", "color_transfer", "color_space", "color_range")
        self.color = {name: self.stream[name] for name in names if self.stream.get(name, "unknown") != "unknown"}
        declared = self.stream.get("side_data_list", [])
        pictures = [each for frame in facts["frames"][:1] for each in frame.get("side_data_list", [])]
        self.record = next(
            ({name: each[name] for name in RECORD} for each in declared if each["side_data_type"].startswith("DOVI")), None)
        self.declared = {kind: light(declared, kind) for kind in LIGHT}
        self.shown = {kind: light(pictures, kind) for kind in LIGHT}
        self.has_metadata = any("Dolby Vision" in each["side_data_type"] for each in pictures)
        self.has_dynamic_metadata = any("2094-40" in each["side_data_type"] for each in pictures)

    @classmethod
    def of(cls, path):
        """`None` if FFmpeg finds no media, as in a segment without its init segment."""
        try:
            return cls(path)
        except subprocess.CalledProcessError:
            return None

    @property
    def is_high(self):
        transfer = self.color.get("color_transfer")
        return self.record is not None or self.has_metadata or transfer in ("smpte2084", "arib-std-b67")

    def light(self, kind):
        return self.declared[kind] or self.shown[kind]


def light(found, kind):
    for each in found:
        if each["side_data_type"] == kind and all(name in each for name in LIGHT[kind]):
            return {name: fractions.Fraction(str(each[name])) for name in LIGHT[kind]}
    return None


def mediainfo(path, kind):
    """The first track of a kind, as mediainfo describes it; empty if there is none."""
    done = subprocess.run(["mediainfo", "--Output=JSON", str(path)], capture_output=True, timeout=LIMIT, check=True)
    tracks = json.loads(done.stdout)["media"]["track"]
    return next((each for each in tracks if each["@type"] == kind), {})
