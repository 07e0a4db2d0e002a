# SPDX-License-Identifier: Apache-2.0
"""Players and analysis tools read the same properties of the video as the source has: playlists, sample entries,
decoder configuration and light levels."""

import json
import pathlib

import pytest
from harness import payloads, pictures
from harness.contract import software_pb2
from harness.engine import eventually
from harness.hls import Media, attributes, fetch
from harness.places import SAMPLES, clip
from harness.tiers import tiered

DOVI = SAMPLES / "quietvoid+dovi_tool/assets/hevc_tests/regular.mkv"
SPARKS = SAMPLES / "joeyparrish+shaka-packager/packager/media/test/data/sparks_dovi_5.mp4"
HDR10PLUS = SAMPLES / "quietvoid+hdr10plus_tool/assets/hevc_tests/regular.mkv"
ANDROID = SAMPLES / "androidx+media/mp4"

# The display that the generated HDR10 clip names, as ffprobe writes it.
DISPLAY = {"red_x": "34000/50000", "red_y": "16000/50000", "green_x": "13250/50000", "green_y": "34500/50000",
           "blue_x": "7500/50000", "blue_y": "3000/50000", "white_point_x": "15635/50000", "white_point_y": "16450/50000",
           "min_luminance": "50/10000", "max_luminance": "10000000/10000"}


def sample(path):
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return path


class Served:
    """The video of a session, read back from its init segment and its first segments."""

    def __init__(self, engine, path, folder):
        with engine.session(path) as session:
            self.state = next(each for each in session.state.media.streams if each.HasField("video"))
            master = session.master()
            self.text = master.text
            self.variant, url = master.variants[0]
            media = Media.complete(url)
            self.file = pathlib.Path(folder) / "served.mp4"
            self.file.write_bytes(fetch(media.init) + b"".join(fetch(each.url) for each in media.segments))
        listing = json.loads(payloads.run("ffprobe", "-v", "error", "-of", "json", "-select_streams", "v:0",
                                          "-show_streams", str(self.file)))
        self.stream = listing["streams"][0]
        self.side = {each["side_data_type"]: each for each in self.stream.get("side_data_list", [])}
        info = json.loads(payloads.run("mediainfo", "--Output=JSON", str(self.file)))
        self.info = next(each for each in info["media"]["track"] if each["@type"] == "Video")

    def record(self):
        found = self.side.get("DOVI configuration record")
        if found is None:
            return None
        return found["dv_profile"], found["dv_bl_signal_compatibility_id"], found["dv_level"]


# File, sample entry, CODECS of the video, SUPPLEMENTAL-CODECS, VIDEO-RANGE, FRAME-RATE, record, format, mediainfo's
# name for it.
ROWS = [
    (lambda: sample(SPARKS), "dvh1", "dvh1.05.01", None, "PQ", "59.940", (5, 0, 1), "Dolby Vision 5", "Dolby Vision"),
    (lambda: sample(DOVI), "hvc1", "hvc1.2.4.H153.90", "dvh1.08.01/db1p", "PQ", "23.976", (8, 1, 1), "Dolby Vision 8.1",
     "Dolby Vision / SMPTE ST 2086"),
    (lambda: sample(ANDROID / "sample_with_color_info.mp4"), "hvc1", "hvc1.2.4.L120.B0", "dvh1.08.04/db4h", "HLG",
     "30.000", (8, 4, 4), "Dolby Vision 8.4", "Dolby Vision"),
    (lambda: sample(HDR10PLUS), "hvc1", "hvc1.2.4.H153.90", None, "PQ", "23.976", None, "HDR10+",
     "SMPTE ST 2086 / SMPTE ST 2094 App 4"),
    (lambda: sample(ANDROID / "hlg10-color-test.mp4"), "hvc1", "hvc1.2.4.L153", None, "HLG", "30.000", None, "HLG", None),
    (lambda: sample(ANDROID / "sample_with_colr_mdcv_and_clli.mp4"), "av01", "av01.0.09M.10.0.110.09.16.09.0", None,
     "PQ", "59.940", None, "HDR10", "SMPTE ST 2086"),
    (lambda: clip("hdr10.mkv"), "hvc1", "hvc1.2.4.L60.90", None, "PQ", "23.976", None, "HDR10", "SMPTE ST 2086"),
    (lambda: clip("hlg.mkv"), "hvc1", "hvc1.2.4.L60.90", None, "HLG", "23.976", None, "HLG", None),
    (lambda: clip("h264-aac.mkv"), "avc1", "avc1.64000C", None, "SDR", "25.000", None, "SDR", None),
]


# The lean tier has each pixel format once.
@pytest.mark.parametrize("row", [
    pytest.param(row, marks=pytest.mark.long if row[7] in [each[7] for each in ROWS[:place]] else []) for place, row in enumerate(ROWS)
], ids=lambda row: f"{row[7]}-{row[1]}")
def test_formats_read_back_as_in_the_source(engine, row, tmp_path):
    find, entry, codecs, supplemental, video_range, rate, record, name, words = row
    served = Served(engine, find(), tmp_path)
    assert served.stream["codec_tag_string"] == entry
    found = served.variant["CODECS"].split(",")[0]
    assert found == codecs
    assert served.state.codec_string == found
    assert served.variant.get("SUPPLEMENTAL-CODECS") == supplemental
    assert served.variant["VIDEO-RANGE"] == video_range
    assert served.variant["FRAME-RATE"] == rate
    assert served.record() == record
    assert served.state.video.video_format == name
    assert served.info.get("HDR_Format", "").startswith(words or ""), served.info.get("HDR_Format")
    assert bool(served.info.get("HDR_Format")) == bool(words)


@pytest.mark.parametrize("name", tiered(["hdr10.mkv", "hdr10.mp4", "hdr10.ts"], {"hdr10.ts"}))
def test_hdr10_metadata_is_read_from_the_bitstream(engine, name, tmp_path):
    served = Served(engine, clip(name), tmp_path)
    display = served.side["Mastering display metadata"]
    assert {key: display[key] for key in DISPLAY} == DISPLAY
    light = served.side["Content light level metadata"]
    assert (light["max_content"], light["max_average"]) == (1000, 400)
    assert served.info["MasteringDisplay_ColorPrimaries"] == "Display P3"
    assert served.info["MasteringDisplay_Luminance"] == "min: 0.0050 cd/m2, max: 1000 cd/m2"
    assert served.info["MaxCLL"] == "1000 cd/m2" and served.info["MaxFALL"] == "400 cd/m2"
    assert (served.stream["color_primaries"], served.stream["color_transfer"], served.stream["color_space"]) == (
        "bt2020", "smpte2084", "bt2020nc")


@pytest.mark.parametrize("source", tiered([HDR10PLUS, DOVI, SPARKS], {HDR10PLUS}), ids=["hdr10plus", "dovi-8.1", "dovi-5"])
def test_frame_metadata_passes_bit_exactly(engine, source, tmp_path):
    path = sample(source)
    served = Served(engine, path, tmp_path)

    def found(file):
        """Dynamic metadata is an SEI message, Dolby Vision a separate unit; each picture has one."""
        dynamic = [unit for unit in pictures.units(file, pictures.MESSAGES) if pictures.HDR10PLUS in unit]
        return dynamic, pictures.units(file, pictures.METADATA)

    ours = found(served.file)
    assert ours == found(path)
    assert len(payloads.packets(path, 0)) in (len(ours[0]), len(ours[1]))


def test_late_dynamic_metadata_changes_the_format(engine, tmp_path):
    path = pictures.without_early_metadata(sample(HDR10PLUS), 20, tmp_path)

    def formats(session):
        stream = engine.state(session.id).media.streams[0]
        return stream.video.video_format

    # A session makes its first segment without a request, so its first state may already know.
    assert engine.probe(path).streams[0].video.video_format == "HDR10"
    with engine.session(path) as session:
        for each in Media.complete(session.master().variants[0][1]).segments:
            fetch(each.url)
        eventually(lambda: formats(session) == "HDR10+", "the format to change")


@pytest.mark.long
@pytest.mark.parametrize("profile, source", [("5", SPARKS), ("8.1", DOVI)])
def test_dolby_vision_written_by_x265_is_recognized(engine, profile, source, tmp_path):
    """In an elementary stream without a record, and in Matroska with one."""
    raw = pictures.dolby_vision(profile, sample(source), tmp_path)
    matroska = tmp_path / "clip.mkv"
    payloads.run("mkvmerge", "-q", "-o", str(matroska), "--default-duration", "0:24000/1001p", str(raw))
    for path in (raw, matroska):
        served = Served(engine, path, tmp_path)
        assert served.state.video.video_format == f"Dolby Vision {profile}", path.name
        number, _, compatibility = profile.partition(".")
        assert served.record() == (int(number), int(compatibility or 0), 1)
        assert served.stream["codec_tag_string"] == ("dvh1" if profile == "5" else "hvc1")
        assert served.variant["VIDEO-RANGE"] == "PQ"


@pytest.mark.parametrize(
    "compatibility, entry, codecs, supplemental",
    tiered([(0, "dav1", "dav1.10.01", None), (1, "av01", "av01.0.00M.10.0.110.09.16.09.0", "dav1.10.01/db1p"),
            (6, "av01", "av01.0.00M.10.0.110.09.16.09.0", "dav1.10.01/db1p")], lambda case: case[0] == 1))
def test_dolby_vision_in_av1_is_signalled(engine, compatibility, entry, codecs, supplemental, tmp_path):
    path = pictures.av1_with_record(clip("av1-pq.mkv"), compatibility, tmp_path)
    served = Served(engine, path, tmp_path)
    assert served.variant["CODECS"] == codecs
    assert served.variant.get("SUPPLEMENTAL-CODECS") == supplemental
    assert served.variant["VIDEO-RANGE"] == "PQ"
    assert served.stream["codec_tag_string"] == entry
    assert served.record() == (10, 1 if compatibility == 6 else compatibility, 1)


@pytest.mark.parametrize("compatibility, entry, codecs", tiered(
    [(0, "dav1", "dav1.10.01"), (1, "av01", "av01.0.00M.10.0.110.09.16.09.0")], lambda case: case[0] == 0))
def test_dolby_vision_sample_entries_in_av1(engine, compatibility, entry, codecs, tmp_path):
    """`dav1`, which FFmpeg 5.1 does not know, is read like `av01`."""
    path = pictures.av1_with_record(clip("av1-pq.mkv"), compatibility, tmp_path)
    renamed = pictures.with_entry(path, tmp_path / "dav1.mp4", b"dav1")
    served = Served(engine, renamed, tmp_path)
    assert (served.variant["CODECS"], served.stream["codec_tag_string"]) == (codecs, entry)
    assert served.record() == (10, compatibility, 1)


@pytest.mark.parametrize("name", tiered([b"dvh1", b"dvhe"], {b"dvhe"}))
def test_dolby_vision_sample_entries_in_hevc(engine, name, tmp_path):
    """The record decides what is signalled, whatever the entry is called."""
    served = Served(engine, pictures.with_entry(sample(SPARKS), tmp_path / "renamed.mp4", name), tmp_path)
    assert (served.variant["CODECS"], served.record()) == ("dvh1.05.01", (5, 0, 1))


@pytest.mark.parametrize("name", tiered([b"dva1", b"dvav"], {b"dva1"}))
def test_dolby_vision_sample_entries_in_avc(engine, name, tmp_path):
    path = tmp_path / "avc.mp4"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(clip("h264-aac.mkv")), "-c", "copy", "-an", "-t", "5", str(path))
    served = Served(engine, pictures.with_entry(path, tmp_path / "renamed.mp4", name), tmp_path)
    assert served.variant["CODECS"].startswith("avc1.") and served.stream["codec_tag_string"] == "avc1"


def test_a_dolby_vision_record_without_metadata_is_ignored(engine, tmp_path):
    path = pictures.av1_with_record(clip("av1-pq.mkv"), 1, tmp_path, has_metadata=False)
    served = Served(engine, path, tmp_path)
    assert served.state.video.video_format == "HDR10"
    assert served.record() is None
    assert "SUPPLEMENTAL-CODECS" not in served.variant


def test_embedded_captions_are_signalled(engine, tmp_path):
    path = pictures.with_captions(clip("raw.h264"), tmp_path)
    served = Served(engine, path, tmp_path)
    group = served.variant["CLOSED-CAPTIONS"]
    lines = [attributes(line) for line in served.text.splitlines() if "TYPE=CLOSED-CAPTIONS" in line]
    assert [(line["GROUP-ID"], line["INSTREAM-ID"]) for line in lines] == [(group, "CC1")]
    assert Served(engine, clip("raw.h264"), tmp_path).variant["CLOSED-CAPTIONS"] == "NONE"


@pytest.mark.parametrize("name", tiered(["hdr10.mkv", "hlg.mkv"], {"hdr10.mkv"}))
def test_frames_decode_as_in_the_source(engine, name, tmp_path):
    served = Served(engine, clip(name), tmp_path)

    def frames(path):
        listing = payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:v", "-f", "framehash", "-")
        return [line.split(b",")[-1] for line in listing.splitlines() if not line.startswith(b"#")]

    ours = frames(served.file)
    assert len(ours) == 96 and ours == frames(clip(name))


def test_an_unsupported_codec_is_reported(engine):
    with engine.session(clip("hdr10.mkv"), profile="chromium") as session:
        assert session.state.path == software_pb2.PLAYBACK_PATH_SOFTWARE
        assert session.state.route == "software" and 'profile "chromium" does not support hvc1' in session.state.route_reason
        assert session.state.video_format == session.state.source_video_format == "HDR10"
