# SPDX-License-Identifier: Apache-2.0
"""ffprobe and mediainfo read the same in our init and media segments as in the source: dynamic range, Dolby Vision,
objects."""

import os

import pytest
from harness import boxes, hls, sound
from harness.engine import served
from harness.places import FIXTURES, SAMPLES
from harness.range import LIGHT, Range, mediainfo
from harness.tiers import tiered

VIDEO = (".mkv", ".mp4", ".mov", ".ts", ".m2ts", ".hevc", ".webm")
AUDIO = (".mkv", ".mka", ".mp4", ".m4a", ".ts", ".ec3", ".eac3")


def samples(kinds):
    return sorted(path for path in SAMPLES.rglob("*") if path.suffix in kinds) if SAMPLES.is_dir() else []


def names(path):
    return os.path.relpath(path, SAMPLES if path.is_relative_to(SAMPLES) else FIXTURES)


def synthesised():
    return [FIXTURES / "formats" / name for name in ("hdr10.mkv", "hdr10.mp4", "hdr10.ts", "hlg.mkv", "hlg.ts")]


# The samples with high dynamic range, and those with joint object coding.
HIGH = [
    "androidx+media/mp4/hlg10-color-test.mp4",
    "androidx+media/mp4/sample_with_color_info.mp4",
    "androidx+media/mp4/sample_with_colr_mdcv_and_clli.mp4",
    "joeyparrish+shaka-packager/packager/media/test/data/sparks_dovi_5.mp4",
    "quietvoid+dovi_tool/assets/hevc_tests/regular.mkv",
    "quietvoid+dovi_tool/assets/hevc_tests/regular_start_code_4_muxed_el.hevc",
    "quietvoid+hdr10plus_tool/assets/hevc_tests/regular.mkv",
]
# HDR10+ and Dolby Vision 8.1, each in the lean tier; test_video_formats.py has the other formats.
LEAN = {HIGH[4], HIGH[6]}
OBJECTS = ["androidx+media/mp4/sample_eac3joc.mp4"]


def known(listed):
    return [path for path in (SAMPLES / name for name in listed) if path.exists()]


@pytest.mark.long
def test_the_lists_of_samples_are_complete():
    found = [path for path in samples(VIDEO) if (source := Range.of(path)) and source.is_high]
    assert found == known(HIGH)
    assert [path for path in samples(AUDIO) if has_objects(objects(path))] == known(OBJECTS)


@pytest.mark.parametrize("path", tiered(synthesised() + known(HIGH), lambda path: path.name == "hdr10.ts" or names(path) in LEAN), ids=names)
def test_dynamic_range_reads_back(engine, path):
    source = Range(path)
    with engine.session(path) as session:
        master = session.master()
        attributes, url = master.variants[0]
        file = sound.saved(url, 0)
        video = served(session.state.media)[0].video
        try:
            ours, reported = Range(file), mediainfo(file, "Video")
        finally:
            file.unlink()
        wanted = expected_record(source, video)
        assert (ours.record or None) == wanted
        check_colour(source, ours, attributes, wanted)
        check_entry(ours, attributes, wanted)
        for kind in LIGHT:
            assert ours.declared[kind] == source.light(kind), kind
            assert ours.shown[kind] == source.shown[kind], f"{kind} in the pictures"
        assert ours.has_dynamic_metadata == source.has_dynamic_metadata
        check_mediainfo(reported, mediainfo(path, "Video"), source, wanted)


def expected_record(source, video):
    """Declared records stay; a second layer is removed, which turns profile 7 into profile 8.1; a record is added if
    only the video has metadata."""
    if source.record and source.record["dv_profile"] != 7:
        return source.record
    if source.record or source.has_metadata or "Dolby Vision" in video.video_format:
        level = source.record["dv_level"] if source.record else video.dolby_vision.level
        return dict(dv_profile=8, dv_level=level, rpu_present_flag=1, el_present_flag=0, bl_present_flag=1,
                    dv_bl_signal_compatibility_id=1)
    return None


def check_colour(source, ours, attributes, record):
    assert {name: ours.color.get(name) for name in source.color} == source.color
    ranges = {"smpte2084": "PQ", "arib-std-b67": "HLG"}
    # The pictures of profile 5 do not signal their colour, and ffprobe believes them; the transfer function is always
    # PQ.
    transfer = "smpte2084" if record and record["dv_profile"] == 5 else source.color["color_transfer"]
    assert attributes["VIDEO-RANGE"] == ranges.get(transfer, "SDR")


def check_entry(ours, attributes, record):
    """Dolby Vision Streams within the HTTP Live Streaming Format, §2 and §3."""
    codec = attributes["CODECS"].split(",")[0]
    assert codec.startswith(ours.tag + "."), (codec, ours.tag)
    more = attributes.get("SUPPLEMENTAL-CODECS")
    if not record:
        assert more is None and ours.tag in ("hvc1", "av01", "vp09", "avc1")
        return
    level = f"{record['dv_level']:02d}"
    if record["dv_profile"] == 5:
        assert (ours.tag, codec, more) == ("dvh1", f"dvh1.05.{level}", None)
        return
    brand = {1: "db1p", 2: "db2g", 4: "db4h"}[record["dv_bl_signal_compatibility_id"]]
    entry = {8: "dvh1", 10: "dav1", 9: "dva1"}[record["dv_profile"]]
    assert more == f"{entry}.{record['dv_profile']:02d}.{level}/{brand}"


def check_mediainfo(ours, theirs, source, record):
    if record:
        assert "Dolby Vision" in ours["HDR_Format"], ours.get("HDR_Format")
        profile = ours["HDR_Format_Profile"].split(" / ")[0]
        assert profile.endswith(f".{record['dv_profile']:02d}"), profile
        assert int(ours["HDR_Format_Level"].split(" / ")[0]) == record["dv_level"]
    colour = ("colour_primaries", "transfer_characteristics", "matrix_coefficients")
    if record and record["dv_profile"] == 5:
        assert [ours[name] for name in colour] == ["BT.2020", "PQ", "BT.2020 non-constant"]
        return
    same = [*colour, "MasteringDisplay_ColorPrimaries", "MasteringDisplay_Luminance", "MaxCLL", "MaxFALL"]
    # A stream that signals a second transfer function, as HLG does, shows it after the first.
    differing = {
        name: (theirs[name], ours.get(name)) for name in same
        if name in theirs and ours.get(name, "").split(" / ")[0] != theirs[name].split(" / ")[0]
    }
    assert not differing


def objects(path):
    """The report of mediainfo on joint object coding."""
    reported = mediainfo(path, "Audio")
    return {name: reported.get(name) for name in ("Format", "Format_AdditionalFeatures", "Channels", "ChannelLayout", "SamplingRate")}


def has_objects(reported):
    return "JOC" in (reported["Format_AdditionalFeatures"] or "")


@pytest.mark.parametrize("path", known(OBJECTS), ids=names)
def test_audio_objects_read_back(engine, path):
    theirs = objects(path)
    assert has_objects(theirs)
    with engine.session(path) as session:
        audio = next(each for each in served(session.state.media) if each.codec == "eac3")
        assert audio.route == "remux" and audio.audio.is_atmos and audio.audio.atmos_complexity > 0
        master = session.master()
        attributes, url = (master.renditions or master.variants)[0]
        if master.renditions:
            assert attributes["CHANNELS"] == f"{audio.audio.atmos_complexity}/JOC"
        file = sound.saved(url, 0)
        try:
            assert objects(file) == theirs
        finally:
            file.unlink()
        # EC3SpecificBox ends in flag_ec3_extension_type_a and complexity_index_type_a (ETSI TS 103 420 §C.3).
        init = hls.fetch(hls.Media(url).init)
        at = init.index(b"dec3")
        box = init[at + 4:at - 4 + int.from_bytes(init[at - 4:at], "big")]
        assert box[-2] & 1 and box[-1] == audio.audio.atmos_complexity and boxes.top(init) == ["ftyp", "moov"]
