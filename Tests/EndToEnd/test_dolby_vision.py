# SPDX-License-Identifier: Apache-2.0
"""Dolby Vision with an enhancement layer, in one track or two, is served as profile 8.1 or plain HDR10.

The sources are made from a real stream that has an enhancement layer: each picture gets metadata of profile 7, for a
minimal and a full layer alternately, and containers are written by mkvmerge and ffmpeg.
"""

import collections
import random

import pytest
from harness import boxes, hls, payloads, rpu
from harness.contract import engine_pb2
from harness.places import SAMPLES
from harness.tiers import tiered
from test_control import Watcher

SAMPLE = SAMPLES / "quietvoid+dovi_tool/assets/hevc_tests/regular_start_code_4_muxed_el.hevc"
KINDS = ["single.hevc", "single.mkv", "single.mp4", "single.ts", "dual.mkv", "dual.mp4", "dual.ts"]
END, METADATA, LAYER = 36, 62, 63

pytestmark = pytest.mark.skipif(not SAMPLE.exists(), reason="there are no real samples in ../shared/media or $ENGINE_MEDIA")


def kind(unit):
    return unit[0] >> 1 & 63


def is_end(unit):
    return kind(unit[2:] if kind(unit) == LAYER else unit) == END


def raw(units):
    return b"".join(b"\0\0\0\1" + unit for unit in units)


def base(units):
    return [unit for unit in units if kind(unit) not in (METADATA, LAYER)]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The files by name, the expected metadata in file order, and the file of the base layer."""
    folder = tmp_path_factory.mktemp("dolby-vision")
    units, expected = [], []
    once = payloads.annex_b_units(SAMPLE.read_bytes())
    # The stream repeated, for more entry points: first with ends of sequences, then without.
    for unit in once * 2 + [unit for unit in once if not is_end(unit)] * 2:
        if kind(unit) == METADATA:
            disc = rpu.Rpu.read(unit).profile7(rpu.FULL if len(expected) % 2 else rpu.MINIMAL)
            unit = disc.unit()
            expected.append(disc.profile8().unit())
        units.append(unit)
    files = {name: folder / name for name in KINDS}
    files["single.hevc"].write_bytes(raw(units))
    (folder / "plain.hevc").write_bytes(raw(base(units)))
    # Without ends of sequences: after one, transport stream readers give a packet of a second track no time.
    (folder / "base.hevc").write_bytes(raw(unit for unit in base(units) if kind(unit) != END))
    layer = [unit[2:] if kind(unit) == LAYER else unit for unit in units if kind(unit) in (METADATA, LAYER)]
    layer = [unit for unit in layer if kind(unit) != END]
    (folder / "layer.hevc").write_bytes(raw(layer))
    rate = ["--default-duration", "0:24000/1001p"]
    payloads.run("mkvmerge", "-q", "-o", str(files["single.mkv"]), *rate, str(files["single.hevc"]))
    payloads.run(
        "mkvmerge", "-q", "-o", str(files["dual.mkv"]), *rate, str(folder / "base.hevc"), *rate, str(folder / "layer.hevc"))
    for name in ("single", "dual"):
        for other in ("mp4", "ts"):
            payloads.run(
                "ffmpeg", "-nostdin", "-v", "quiet", "-i", str(files[f"{name}.mkv"]), "-map", "0:v", "-c", "copy",
                "-strict", "-2", str(files[f"{name}.{other}"]))
    return files, expected, folder / "plain.hevc"


def served(session):
    """The units of every sample of the video."""
    playlist = hls.Media.complete(session.master().playlists()[0])
    segments = [boxes.Fragment(hls.fetch(each.url)) for each in playlist.segments]
    return [payloads.length_prefixed_units(sample.payload) for segment in segments for sample in segment.samples]


def dolby_vision_record(init):
    """The sample entry and the Dolby Vision record of an init segment."""
    place = init.index(b"dvvC") + 4
    record = init[place:place + 24]
    entry = next(code for code in (b"hvc1", b"hev1", b"dvh1", b"dvhe") if code in init)
    value = int.from_bytes(record[2:5], "big")
    return {
        "entry": entry.decode(), "profile": value >> 17, "level": value >> 11 & 63, "rpu": value >> 10 & 1,
        "layer": value >> 9 & 1, "base": value >> 8 & 1, "compatibility": record[4] >> 4,
    }


@pytest.mark.parametrize("name", tiered(KINDS, {"dual.ts"}))
def test_the_enhancement_layer_is_removed_and_metadata_rewritten(engine, source, name):
    files, expected, plain = source
    with engine.session(files[name]) as session:
        assert len(session.master().playlists()) == 1, "the layer counts as a second video"
        samples = served(session)
    found = [unit for sample in samples for unit in sample]
    assert collections.Counter(map(kind, found))[LAYER] == 0
    assert all((unit[0] & 1) << 5 | unit[1] >> 3 == 0 for unit in found), "a unit of a higher layer"
    metadata = [unit for unit in found if kind(unit) == METADATA]
    assert all(rpu.Rpu.read(unit).profile == 8 for unit in set(metadata))
    assert metadata == expected
    lacking = [index for index, sample in enumerate(samples) if METADATA not in map(kind, sample)]
    assert not lacking, [list(map(kind, samples[index])) for index in lacking]
    # mkvmerge removes units that only separate others, so only the pictures are compared.
    pictures = payloads.annex_b_units(plain.read_bytes())
    assert [unit for unit in found if kind(unit) < 32] == [unit for unit in pictures if kind(unit) < 32]
    if name == "single.hevc":
        assert base(found) == pictures


@pytest.mark.parametrize("name", tiered(["single.mkv", "dual.mkv"], {"dual.mkv"}))
def test_the_base_layer_decodes_to_the_same_frames(engine, source, tmp_path, name):
    files, _, plain = source
    with engine.session(files[name]) as session:
        (tmp_path / "out.hevc").write_bytes(raw(unit for sample in served(session) for unit in sample))
    assert payloads.pictures(tmp_path / "out.hevc", 0) == payloads.pictures(plain, 0)


@pytest.mark.parametrize("name", tiered(KINDS, {"dual.mp4"}))
def test_bytes_do_not_depend_on_order_or_process(start_engine, source, name):
    files, _, _ = source
    passes = []
    for order in ("linear", "backwards", "random"):
        engine = start_engine()
        with engine.session(files[name]) as session:
            urls = session.master().everything()
            assert len(urls) >= 3, "too few segments to enter at"
            if order == "backwards":
                urls = urls[::-1]
            elif order == "random":
                random.Random(name).shuffle(urls)
            passes.append({url.split("/", 4)[4]: hls.digest(url) for url in urls})
    assert passes[0] == passes[1] == passes[2]


def test_damaged_metadata_is_dropped(fresh_engine, source, tmp_path):
    files, expected, _ = source
    units, count = [], 0
    for unit in payloads.annex_b_units(files["single.hevc"].read_bytes()):
        if kind(unit) == METADATA:
            count += 1
            # A changed bit in the body, with the old checksum.
            unit = unit[:20] + bytes([unit[20] ^ 0x40]) + unit[21:] if count % 5 == 0 else unit
        units.append(unit)
    (tmp_path / "damaged.hevc").write_bytes(raw(units))
    events = Watcher(fresh_engine, all_sessions=True)
    with fresh_engine.session(tmp_path / "damaged.hevc") as session:
        metadata = [unit for sample in served(session) for unit in sample if kind(unit) == METADATA]
        assert metadata == [unit for index, unit in enumerate(expected) if index % 5 != 4]
        events.wait(lambda event: event.notice.code == "video.rpu_dropped", "the notice")
    events.cancel()
    assert sum(event.notice.code == "video.rpu_dropped" for event in events.events) == 1


@pytest.mark.parametrize("name", tiered(["single.hevc", "single.mkv", "dual.mkv"], {"single.hevc", "dual.mkv"}))
def test_profile_8_is_signalled(engine, source, name):
    files, _, _ = source
    with engine.session(files[name]) as session:
        master = session.master()
        record = dolby_vision_record(hls.fetch(hls.Media.complete(master.playlists()[0]).init))
    assert record == {
        "entry": "hvc1", "profile": 8, "level": 1, "rpu": 1, "layer": 0, "base": 1, "compatibility": 1}
    attributes = master.variants[0][0]
    assert attributes["SUPPLEMENTAL-CODECS"] == "dvh1.08.01/db1p" and attributes["VIDEO-RANGE"] == "PQ"
    assert attributes["CODECS"].startswith("hvc1.2.")


def test_the_enhancement_layer_is_not_listed_as_video(engine, source):
    files, _, _ = source
    with engine.session(files["dual.mkv"]) as session:
        first, second = session.state.media.streams
    assert first.route == "remux" and second.route == "none", (first, second)


@pytest.mark.parametrize("options", [
    {"without_dolby_vision": True}, {"custom_profile": engine_pb2.PlayerProfile(formats=["hvc1"])},
], ids=["not requested", "not supported"])
@pytest.mark.parametrize("name", ["single.mkv", "dual.mkv"])
def test_without_dolby_vision_plain_hdr10_is_served(engine, source, name, options):
    files, _, plain = source
    with engine.session(files[name], **options) as session:
        master = session.master()
        found = [unit for sample in served(session) for unit in sample]
        init = hls.fetch(hls.Media.complete(master.playlists()[0]).init)
    assert not {METADATA, LAYER} & set(map(kind, found))
    assert b"dvvC" not in init and b"dvcC" not in init
    assert "SUPPLEMENTAL-CODECS" not in master.variants[0][0] and master.variants[0][0]["VIDEO-RANGE"] == "PQ"
    pictures = payloads.annex_b_units(plain.read_bytes())
    assert [unit for unit in found if kind(unit) < 32] == [unit for unit in pictures if kind(unit) < 32]


def test_a_declared_enhancement_layer_is_never_played(engine, source, tmp_path):
    """The first of two tracks is only an enhancement layer, as its record declares."""
    files, expected, _ = source
    path = tmp_path / "layer-first.mp4"
    payloads.run(
        "ffmpeg", "-nostdin", "-v", "quiet", "-i", str(files["dual.mkv"]), "-map", "0:1", "-map", "0:0", "-c", "copy",
        "-strict", "-2", str(path))
    data = bytearray(path.read_bytes())
    data[data.index(b"dvcC") + 7] &= 0xFE
    path.write_bytes(data)
    with engine.session(path) as session:
        assert [unit for sample in served(session) for unit in sample if kind(unit) == METADATA] == expected
