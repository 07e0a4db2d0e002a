# SPDX-License-Identifier: Apache-2.0
"""Stills show the intended colours, however they are encoded.

Colours are compared in 8-bit codes; 5 % are 12.75 codes. The references are the mathematics of the standards and the
output of ffmpeg's own filters (`zscale`, `tonemap`) for the same file.
"""

import math

import pytest
from harness import light, payloads, pictures, rpu
from harness.contract import stills_pb2
from harness.engine import PATIENCE
from harness.places import SAMPLES
from harness.tiers import tiered

LIMIT = 255 * 0.05
WIDE = "colorprim=bt2020:colormatrix=bt2020nc:transfer="
DISPLAY = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
REFERENCE = ("zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0,"
             "zscale=t=bt709:m=gbr:r=pc,format=gbrp,format=rgb24")


@pytest.fixture
def still(engine, tmp_path):
    """Takes a still. Returns its file, and the reply without the data."""
    def take(path, kind="Thumbnail", at=0, **style):
        style.setdefault("format", stills_pb2.STILL_FORMAT_PNG)
        style.setdefault("max_width", 4096)
        request = getattr(stills_pb2, f"{kind}Request")(
            of=stills_pb2.StillSource(source=str(path)), time_us=at, style=stills_pb2.StillStyle(**style))
        found = getattr(engine.stub, kind)(request, timeout=PATIENCE)
        file = tmp_path / "still"
        file.write_bytes(found.data)
        found.data = b""
        return file, found

    return take


def patch_colours(still, path, count, **style):
    file, found = still(path, **style)
    return light.centres(light.samples(file), count)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("colour")


def pq(path):
    codes = [list(map(light.pq_code, each)) for each in light.SCENE]
    return light.film(path, codes, "zscale=m=2020_ncl:r=tv,format=yuv420p10le",
                      *light.hevc(WIDE + f"smpte2084:max-cll=1000,400:{DISPLAY}"))


@pytest.fixture(scope="module")
def hdr10(folder):
    return pq(folder / "hdr10.mkv")


@pytest.mark.parametrize("kind", tiered(["Thumbnail", "Snapshot"], {"Thumbnail"}))
def test_hdr10_tone_mapping_matches_the_reference(still, hdr10, kind):
    found = patch_colours(still, hdr10, len(light.SCENE), kind=kind, at=600_000)
    reference = light.centres(light.samples(hdr10, REFERENCE), len(light.SCENE))
    assert light.max_difference(found, reference) < LIMIT
    expected = [light.tone_mapped(each) for each in light.SCENE]
    assert light.max_difference(found[:light.PLAIN], expected[:light.PLAIN]) < LIMIT


@pytest.mark.parametrize("name", tiered(["hdr10.mp4", "hdr10.ts"], {"hdr10.ts"}))
def test_other_containers_give_the_same_colours(still, hdr10, folder, name):
    path = folder / name
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(hdr10), "-c", "copy", str(path))
    assert patch_colours(still, path, len(light.SCENE)) == patch_colours(still, hdr10, len(light.SCENE))


def test_a_small_thumbnail_has_the_same_colours(still, hdr10):
    found = patch_colours(still, hdr10, len(light.SCENE), max_width=len(light.SCENE) * 16)
    assert light.max_difference(found, patch_colours(still, hdr10, len(light.SCENE))) < LIMIT


def test_hlg_tone_mapping_matches_the_reference(still, folder):
    codes = [[each] * 3 for each in (0.05, 0.2, 0.38, 0.5, 0.75, 0.9, 1)]
    codes += [[0.6, 0.5, 0.42], [0.45, 0.35, 0.3], [0.68, 0.6, 0.55], [0.5, 0.2, 0.2], [0.2, 0.3, 0.6]]
    codes += [[0.1 + 0.65 * each for each in primary] for primary in light.PRIMARIES]
    path = light.film(folder / "hlg.mkv", codes, "zscale=m=2020_ncl:r=tv,format=yuv420p10le",
                      *light.hevc(WIDE + "arib-std-b67"))
    found = patch_colours(still, path, len(codes))
    # By default, the filter approximates and applies the display's gamma to each component separately.
    exact = REFERENCE.replace("npl=100", "npl=100:agamma=0", 1)
    assert light.max_difference(found, light.centres(light.samples(path, exact), len(codes))) < LIMIT
    expected = [light.tone_mapped(light.hlg_light(each)) for each in codes]
    assert light.max_difference(found, expected) < LIMIT


def in_bt709(matrix):
    return [[max(each, 0) ** (1 / 2.4) for each in light.times(matrix, [c ** 2.4 for c in patch])]
            for patch in light.STANDARD]


X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-g", "12"]
STANDARD = {
    "709": (light.STANDARD, "zscale=m=709:r=tv,format=yuv420p", ["bt709", "bt709", "bt709", "tv"]),
    "full range": (light.STANDARD, "zscale=m=709:r=pc,format=yuv420p", ["bt709", "bt709", "bt709", "pc"]),
    "10 bits": (light.STANDARD, "zscale=m=709:r=tv,format=yuv420p10le", ["bt709", "bt709", "bt709", "tv"]),
    "4:2:2, full": (light.STANDARD, "zscale=m=709:r=pc,format=yuv422p10le", ["bt709", "bt709", "bt709", "pc"]),
    "4:4:4": (light.STANDARD, "zscale=m=709:r=tv,format=yuv444p", ["bt709", "bt709", "bt709", "tv"]),
    "601": (light.STANDARD, "zscale=m=170m:r=tv,format=yuv420p", ["bt709", "bt709", "smpte170m", "tv"]),
    "untagged, small": (light.STANDARD, "zscale=m=170m:r=tv,format=yuv420p", []),
    "untagged, large": (light.STANDARD * 2, "zscale=m=709:r=tv,format=yuv420p", []),
    "2020": (in_bt709(light.WIDE), "zscale=m=2020_ncl:r=tv,format=yuv420p10le", ["bt2020", "bt2020-10", "bt2020nc", "tv"]),
}


@pytest.mark.parametrize("name", tiered(STANDARD, {"4:2:2, full", "601"}))
def test_standard_dynamic_range_keeps_its_colours(still, folder, name):
    patches, filters, tags = STANDARD[name]
    options = [each for pair in zip(("-color_primaries", "-color_trc", "-colorspace", "-color_range"), tags) for each in pair]
    path = light.film(folder / "standard.mp4", patches, filters, *X264, *options)
    found = patch_colours(still, path, len(patches))
    expected = [[255 * each for each in patch] for patch in light.STANDARD] * (len(patches) // len(light.STANDARD))
    assert light.max_difference(found, expected) < 5


@pytest.mark.parametrize("form", tiered(["JPEG", "WEBP"], {"JPEG"}))
def test_lossy_formats_keep_the_colours(still, folder, form):
    path = light.film(folder / "standard.mp4", *STANDARD["709"][:2], *X264)
    found = patch_colours(still, path, len(light.STANDARD), format=getattr(stills_pb2, f"STILL_FORMAT_{form}"))
    reference = patch_colours(still, path, len(light.STANDARD))
    assert light.max_difference(found, reference) < LIMIT


def test_hdr_stills_are_16_bit_pq_and_tagged(still, hdr10):
    file, _ = still(hdr10, range=stills_pb2.STILL_RANGE_KEEP)
    data = file.read_bytes()
    assert data[24] == 16 and data[37:45] == b"cICP" + bytes([9, 16, 0, 1])
    found = light.centres(light.samples(file), len(light.SCENE))
    expected = [[255 * light.pq_code(each) for each in patch] for patch in light.SCENE]
    assert light.max_difference(found, expected) < 3


# Dolby Vision's own colours.

def number(value, denominator=23):
    """A signed number of an RPU: its integer part as an Exp-Golomb code, and the fraction."""
    whole = math.floor(value)
    return (2 * whole - 1 if whole > 0 else -2 * whole), round((value - whole) * (1 << denominator)) % (1 << denominator)


def unit(curves, pivots):
    numbers = [[(order, [number(each) for each in values]) for order, values in curve] for curve in curves]
    tail = rpu.Bits()
    for value, width in zip((65535, 0, 0, 0, 12, 2, 0, 1, 62, 3079, 42), (16, 16, 16, 32, 5, 2, 2, 2, 12, 12, 10)):
        tail.put(value, width)
    tail.put_ue(0)
    color = [0, 0, 0, *light.NONLINEAR, 0, 1 << 27, 1 << 27, *light.MIXED, tail.text]
    return rpu.Rpu((18, 0, 0), 23, 1, [2, 2, 4], 0, 1, ([0, 0, 0], pivots, [0, 0], numbers), None, color, b"").unit()


def unreshaped(signal):
    return signal


def inverse_polynomials(signal):
    """The inverse of the polynomials below."""
    luma, p, t = signal
    first, second = 256 / 1023, 512 / 1023
    if luma < 0.5 * first:
        code = luma / 0.5
    elif luma < 0.5 * first + second ** 2 - first ** 2:
        code = math.sqrt(luma - 0.5 * first + first ** 2)
    else:
        code = second + (luma - 0.5 * first - second ** 2 + first ** 2) / 1.25
    return [code, (p - 0.2) / 0.6, (t - 0.1) / 0.8]


def inverse_regressions(signal):
    """The inverse of the regressions below."""
    luma, p, t = signal
    return [luma, (p - 0.1 + 0.05 * luma ** 2) / (0.7 + 0.2 * luma), (t - 0.05 - 0.06 * luma ** 3) / (0.8 + 0.1 * luma)]


LINE = (0, [0, 1])
FIRST, SECOND = 256 / 1023, 512 / 1023
RESHAPINGS = {
    "none": (unreshaped, unit([[LINE]] * 3, [[0, 1023]] * 3)),
    "polynomials": (inverse_polynomials, unit(
        [[(0, [0, 0.5]), (0, [0.5 * FIRST - FIRST ** 2, 0, 1]),
          (0, [0.5 * FIRST - FIRST ** 2 + SECOND ** 2 - 1.25 * SECOND, 1.25])], [(0, [0.2, 0.6])], [(0, [0.1, 0.8])]],
        [[0, 256, 256, 511], [0, 1023], [0, 1023]])),
    "regressions": (inverse_regressions, unit(
        [[LINE], [(2, [0.1, 0, 0.7, 0, 0.2, 0, 0, 0, -0.05, 0, 0, 0, 0, 0, 0])],
         [(3, [0.05, 0, 0, 0.8, 0, 0.1, 0, 0] + [0] * 7 + [0.06, 0, 0, 0, 0, 0, 0])]], [[0, 1023]] * 3)),
}


def codes(path, reshape, *encoding):
    """A film whose samples are profile 5 signals, reshaped by the inverse of the metadata that is added later."""
    patches = [reshape(light.ipt(each)) for each in light.SCENE]
    filters = "setparams=colorspace=bt709:range=pc,zscale=r=pc,format=yuv420p10le,setparams=colorspace=unknown"
    return light.film(path, patches, filters, *encoding, planes=(0, 1, 2), form="yuv444p16le")


def with_metadata(raw, metadata):
    """Appends the metadata to each slice: each picture has only one."""
    out = bytearray()
    for each in payloads.annex_b_units(raw.read_bytes()):
        out += b"\0\0\0\1" + each
        if each[0] >> 1 & 63 < 32:
            out += b"\0\0\0\1" + metadata
    raw.write_bytes(out)
    return raw


def check_colours(still, path, sibling, kind="Thumbnail"):
    found = patch_colours(still, path, len(light.SCENE), kind=kind, at=300_000)
    expected = [light.tone_mapped(each) for each in light.SCENE]
    assert light.max_difference(found[:light.PLAIN], expected[:light.PLAIN]) < LIMIT
    # Saturated colours are compared as light: near black, a small difference in light is many codes.
    for a, b in zip(found, patch_colours(still, sibling, len(light.SCENE))):
        assert all(abs((x / 255) ** 2.4 - (y / 255) ** 2.4) < 0.03 for x, y in zip(a, b)), (a, b)


@pytest.mark.parametrize("name, kind", tiered(
    [(name, kind) for name in RESHAPINGS for kind in ("Thumbnail", "Snapshot")], {("regressions", "Snapshot")}))
def test_dolby_vision_5_matches_its_hdr10_version(still, hdr10, folder, name, kind):
    reshape, metadata = RESHAPINGS[name]
    raw = codes(folder / "five.hevc", reshape, *light.hevc("range=full:repeat-headers=1"))
    with_metadata(raw, metadata)
    path = folder / "five.mkv"
    payloads.run("mkvmerge", "-q", "-o", str(path), "--default-duration", "0:25p", str(raw))
    assert "dovi" in payloads.run("ffprobe", "-v", "error", "-show_streams", str(path)).decode().lower()
    check_colours(still, path, hdr10, kind)


@pytest.mark.long
@pytest.mark.parametrize("name", RESHAPINGS)
def test_dolby_vision_av1_matches_its_hdr10_version(still, hdr10, folder, name):
    reshape, metadata = RESHAPINGS[name]
    source = codes(folder / "ten.mkv", reshape, "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "0", "-aom-params",
                   "lossless=1", "-g", "12", "-color_range", "pc")
    path = pictures.av1_with_record(source, 0, folder, metadata=pictures.wrap_rpu(rpu.unescape(metadata)[3:]))
    check_colours(still, path, hdr10, "Snapshot")


@pytest.mark.long
def test_dolby_vision_without_metadata_is_refused(still, folder):
    source = codes(folder / "bare.mkv", unreshaped, "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "20", "-g", "12")
    path = pictures.av1_with_record(source, 0, folder)
    with pytest.raises(Exception, match="Dolby Vision without metadata"):
        still(path)


def sample(name):
    """The real sample of a name, wherever it lies."""
    found = (path for path in SAMPLES.rglob(name.rpartition("/")[2]) if str(path).endswith(name))
    return next(found, None) or pytest.skip(f"{name} is not in ../shared/media or $ENGINE_MEDIA")


def test_a_real_profile_5_sample_has_neutral_colours(still):
    file, found = still(sample("sparks_dovi_5.mp4"), max_width=320)
    data = light.samples(file)
    red, green, blue = (sum(data[c::3]) / len(data[c::3]) for c in range(3))
    assert found.width == 320
    assert abs(green - (red + blue) / 2) < 0.15 * max(red, green, blue), (red, green, blue)


REAL = {
    # HDR10+, Dolby Vision 8.1 and 8.4: their base layers are HDR10 and HLG.
    "hdr10plus_tool/assets/hevc_tests/regular.mkv": "", "dovi_tool/assets/hevc_tests/regular.mkv": "",
    "media/mp4/sample_with_color_info.mp4": ":agamma=0", "media/mp4/hlg10-color-test.mp4": ":agamma=0",
}


@pytest.mark.long
@pytest.mark.parametrize("name", REAL)
def test_real_hdr_samples_match_the_reference(still, name):
    path = sample(name)
    file, _ = still(path, kind="Snapshot")
    ours = light.samples(file)
    theirs = light.samples(path, REFERENCE.replace("npl=100", "npl=100" + REAL[name], 1))
    assert len(ours) == len(theirs)
    far = [abs(a - b) for a, b in zip(ours, theirs)]
    assert sum(far) / len(far) < LIMIT / 2 and sum(each > LIMIT for each in far) < len(far) / 50


# Shape.

def corners(file):
    """The colours near the corners: upper left, upper right, lower left, lower right."""
    size = payloads.run("ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", str(file))
    width, height = map(int, size.decode().strip().split(",")[:2])
    data = light.samples(file)
    places = [(x, y) for y in (height // 5, height - height // 5) for x in (width // 5, width - width // 5)]
    return (width, height), [tuple(round(c / 255) for c in data[(y * width + x) * 3:][:3]) for x, y in places]


RED, GREEN, BLUE, WHITE = (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)


@pytest.fixture(scope="module")
def quarters(folder):
    """Red, green, blue and white quarters, surrounded by a black border of a tenth of the size."""
    path = folder / "quarters.mp4"
    payloads.run(
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-filter_complex",
        "color=red:s=128x72:r=25[a];color=lime:s=128x72:r=25[b];color=blue:s=128x72:r=25[c];color=white:s=128x72:r=25[d];"
        "[a][b]hstack[e];[c][d]hstack[f];[e][f]vstack,pad=320:180:32:18:black,format=yuv420p", "-t", "2", *X264, str(path))
    return path


@pytest.mark.parametrize("turn, size, expected", tiered([
    (0, (320, 180), [RED, GREEN, BLUE, WHITE]), (90, (180, 320), [BLUE, RED, WHITE, GREEN]),
    (180, (320, 180), [WHITE, BLUE, GREEN, RED]), (270, (180, 320), [GREEN, WHITE, RED, BLUE])], lambda case: case[0] == 90))
def test_rotation_is_applied(still, quarters, folder, turn, size, expected):
    path = folder / "turned.mp4"
    # The angle in this option has the opposite sign.
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(quarters), "-c", "copy", "-metadata:s:v:0",
                 f"rotate={(360 - turn) % 360}", str(path))
    assert corners(still(path)[0]) == (size, expected)


@pytest.mark.long
def test_stills_have_square_pixels(still, quarters, folder):
    path = folder / "wide.mkv"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(quarters), "-vf", "scale=160:180,setsar=2/1",
                 *X264, str(path))
    (width, height), found = corners(still(path)[0])
    assert abs(width / height - 320 / 180) < 0.02
    assert found == [RED, GREEN, BLUE, WHITE]


@pytest.mark.long
def test_cropping_is_applied(still, quarters, tmp_path):
    path = tmp_path / "cut.mkv"
    payloads.run("mkvmerge", "-q", "-o", str(path), "--cropping", "0:32,18,32,18", str(quarters))
    file, found = still(path)
    assert (found.width, found.height) == (256, 144)
    data = light.samples(file)
    edges = [data[:256 * 3], data[-256 * 3:]] + [data[row * 256 * 3:][:3] for row in range(144)]
    assert all(max(edge[at:at + 3]) > 60 for edge in edges for at in range(0, len(edge), 3)), "black is left at an edge"


@pytest.mark.parametrize("range_, form, cut", tiered([
    (range_, form, cut) for range_ in ("tv", "pc") for form, cut in (
        ("yuv420p", 0), ("yuv420p", 1), ("yuv422p", 0), ("yuv420p10le", 0), ("yuv410p", 0), ("yuv411p", 3))],
    {("tv", "yuv411p", 3)}))
def test_odd_sizes_are_supported(still, folder, form, cut, range_):
    """Libraries that count chroma samples by twos or fours do not handle these sizes."""
    path = folder / f"odd-{form}-{range_}.mkv"
    codec = ["ffv1"] if "41" in form else ["libvpx-vp9", "-cpu-used", "8", "-lossless", "1"]
    payloads.run(
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "color=0x3366cc:s=321x181:r=25,format=gbrp", "-vf",
        f"zscale=m=709:r={range_},format=yuv444p,scale=in_range={range_}:out_range={range_},format={form}", "-t", "1", "-c:v",
        *codec, "-colorspace", "bt709", "-color_range", range_, str(path))
    if cut:
        whole, path = path, path.with_suffix(".cut.mkv")
        payloads.run("mkvmerge", "-q", "-o", str(path), "--cropping", f"0:{cut},0,0,0", str(whole))
    jpeg = stills_pb2.STILL_FORMAT_JPEG
    for look in ({}, {"max_width": 101}, {"format": jpeg, "quality": 80}, {"format": jpeg, "quality": 95}):
        file, found = still(path, kind="Snapshot", **look)
        assert found.width == look.get("max_width", 321 - cut)
        data = light.samples(file)
        for place in (0, len(data) // 6 * 3, len(data) - 3):
            assert all(abs(a - b) <= 5 for a, b in zip(data[place:place + 3], (0x33, 0x66, 0xCC))), (look, tuple(data[place:place + 3]))


def combed_pixels(data, width, height):
    """The number of pixels that differ strongly from those above and below, in the same direction."""
    found = 0
    for row in range(1, height - 1):
        above, here, below = (data[at * width * 3:(at + 1) * width * 3:3] for at in (row - 1, row, row + 1))
        found += sum((a - b) * (c - b) > 900 for a, b, c in zip(above, here, below))
    return found


@pytest.mark.long
@pytest.mark.parametrize("first", ["tff", "bff"])
def test_stills_of_interlaced_video_have_no_combing(still, folder, first):
    path = folder / f"{first}.ts"
    payloads.run(
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
        f"color=gray:s=320x192:r=50[a];color=white:s=60x192:r=50[b];[a][b]overlay=x='mod(n*12,320)',"
        f"tinterlace=mode={'interleave_top' if first == 'tff' else 'interleave_bottom'},format=yuv420p", "-t", "2",
        "-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ilme+ildct", "-top", str(int(first == "tff")), "-g", "12", str(path))
    woven = combed_pixels(light.samples(path), 320, 192)
    assert woven > 500, "the film has no comb to begin with"
    file, found = still(path, kind="Snapshot", at=520_000)
    assert (found.width, found.height) == (320, 192)
    assert combed_pixels(light.samples(file), 320, 192) < woven / 50


def test_hdr_stills_cannot_be_jpeg(still, hdr10):
    with pytest.raises(Exception, match="16 bits|PNG|jpeg"):
        still(hdr10, format=stills_pb2.STILL_FORMAT_JPEG, range=stills_pb2.STILL_RANGE_KEEP)
