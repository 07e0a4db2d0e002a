# SPDX-License-Identifier: Apache-2.0
"""Streams that only Blu-ray discs have, across the joint of two clips, as ffprobe and mediainfo see what is served: TrueHD with
its AC-3 core, DTS-HD, Dolby Atmos, presentation graphics, HDR10+, Dolby Vision of profile 7."""

import shutil
import subprocess

import numpy
import pytest
from harness import bluray, graphics, hls, payloads, sound
from harness import pictures as units
from harness.contract import engine_pb2, media_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.places import SAMPLES
from harness.range import LIGHT, Range, mediainfo
from test_dolby_vision import METADATA, dolby_vision_record, is_end, kind, raw, source, served  # noqa: F401

LENGTH = 4
DTS_HD = SAMPLES / "androidx+media/mkv/sample_with_dts_hd_ma.mkv"
JOC = SAMPLES / "androidx+media/mp4/sample_eac3joc.mp4"
HDR10PLUS = SAMPLES / "quietvoid+hdr10plus_tool/assets/hevc_tests/regular.mkv"
WITHOUT_SAMPLES = "there are no real samples in ../shared/media or $ENGINE_MEDIA"
LOSSLESS = engine_pb2.BRIDGE_MODE_LOSSLESS
VIDEO = ("-c:v", "libx264", "-preset", "ultrafast", "-g", "24", "-pix_fmt", "yuv420p")
AC3_FRAME = 768
# For each clip, when its subtitle is shown and removed.
SHOWN = [(1, 2.5), (0.5, 3)]


def pictures(number):
    return ["-f", "lavfi", "-i", f"{('testsrc2', 'testsrc')[number]}=size=320x240:rate=24"]


def title(root, clips, languages):
    """A disc whose only title consists of these m2ts files."""
    disc = bluray.Disc(root)
    disc.add_title(*[disc.add_clip(clip, languages) for clip in clips])
    return disc.write()


def tracks(session, wanted):
    return [each for each in session.state.media.streams if each.kind == wanted]


def coded(path, stream, form):
    """The bytes of an audio stream as a file of its own."""
    return subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", stream, "-c", "copy", "-f", form, "-"],
                          stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout


def check_samples(found, parts):
    expected = numpy.concatenate([each.samples for each in parts])
    assert found.count == len(expected)
    wrong = sound.differing_samples(found.samples, expected, 0)
    assert len(wrong) == 0, f"{len(wrong)} of {len(expected)} samples differ, the first is {wrong[0]}"


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Clips with TrueHD, AC-3 as a separate stream, and PGS."""
    folder = tmp_path_factory.mktemp("clips")
    made = []
    for number, (start, end) in enumerate(SHOWN):
        sup = folder / f"{number}.sup"
        sup.write_bytes(graphics.file([
            (0, graphics.cleared(canvas=(320, 240))),
            (start, graphics.shown([(30, 40, 60, 20, False)], canvas=(320, 240))), (end, graphics.cleared(1, canvas=(320, 240)))]))
        made.append(bluray.encode(
            folder / f"{number}.m2ts", [
                *pictures(number), "-f", "lavfi", "-i", f"anoisesrc=seed={number}:sample_rate=48000:amplitude=0.3",
                "-f", "lavfi", "-i", f"sine={440 * (1 + number)}:sample_rate=48000", "-i", str(sup)],
            "-t", str(LENGTH), *(each for stream in range(4) for each in ("-map", str(stream))), *VIDEO, "-c:a:0", "truehd", "-strict",
            "-2", "-ac", "2", "-c:a:1", "ac3", "-b:a:1", "192k", "-c:s", "copy", "-streamid", "2:4353", "-streamid", "3:4608",
            offset=10 + 50 * number))
    return made


@pytest.fixture(scope="module")
def disc(clips, tmp_path_factory):
    """A disc of these clips, where the AC-3 stream is the core of the TrueHD stream."""
    folder = tmp_path_factory.mktemp("disc")
    return title(folder / "disc", [bluray.with_core(shutil.copy(clip, folder / clip.name)) for clip in clips], ["eng", "fra"])


def test_core_of_truehd_is_a_track_of_its_own(engine, disc, clips):
    with engine.session(disc, bridge_mode=LOSSLESS) as session:
        assert session.state.production.plan_origin == "index"
        assert [(each.codec, each.route, each.language) for each in tracks(session, media_pb2.STREAM_KIND_AUDIO)] == [
            ("truehd", "bridge", "eng"), ("ac3", "remux", "eng")]
        lossless, core = (sound.saved(url) for _, url in session.master().renditions)
    assert mediainfo(lossless, "Audio")["Format"] == "FLAC" and mediainfo(core, "Audio")["Format"] == "AC-3"
    ours = sound.Sound(lossless)
    assert (ours.codec, ours.rate, ours.channels) == ("flac", 48000, 2)
    check_samples(ours, [sound.Sound(clip) for clip in clips])
    # A frame that begins before the title is left out (docs/discs.md); here, the encoder's first.
    assert coded(core, "0:a", "ac3") == b"".join(coded(clip, "0:i:0x1101", "ac3") for clip in clips)[AC3_FRAME:]


@pytest.mark.long
def test_core_is_served_where_truehd_is_never_requested(engine, disc, clips):
    with engine.session(disc) as session:
        core = sound.saved(session.master().renditions[1][1])
    assert len(coded(core, "0:a", "ac3")) == (2 * LENGTH * 48000 // 1536 - 1) * AC3_FRAME


def test_graphics_are_cues_at_their_times_on_the_title(engine, disc):
    with engine.session(disc) as session:
        assert [(each.codec, each.language) for each in tracks(session, media_pb2.STREAM_KIND_SUBTITLE)] == [("hdmv_pgs_subtitle", "fra")]
    found = [cue for batch in engine.stub.GetCues(subtitles_pb2.GetCuesRequest(source=str(disc)), timeout=PATIENCE) for cue in batch.cues]
    times = [(cue.start_us / 1e6, cue.end_us / 1e6) for cue in found]
    assert times == [pytest.approx((number * LENGTH + start, number * LENGTH + end), abs=0.002)
                     for number, (start, end) in enumerate(SHOWN)]
    for cue in found:
        image = cue.image
        assert (image.canvas_width, image.canvas_height, image.width, image.height) == (320, 240, 60, 20)
        assert (round(image.x * 320), round(image.y * 240)) == (30, 40)


@pytest.mark.long
@pytest.mark.parametrize("channels, depth", [(2, 16), (6, 16), (2, 24), (6, 24)])
def test_lpcm_has_the_samples_of_the_clips(engine, tmp_path, channels, depth):
    source = f"anoisesrc=seed={{}}:sample_rate=48000:amplitude=0.3,aformat=channel_layouts={'stereo' if channels == 2 else '5.1'}"
    # The encoder's frames have 240 or 360 samples; a clip of six seconds has a whole number of either.
    clips = [bluray.encode(
        tmp_path / f"{number}.m2ts", [*pictures(number), "-f", "lavfi", "-i", source.format(number)], "-t", "6", *VIDEO, "-c:a", "pcm_bluray",
        "-sample_fmt", "s16" if depth == 16 else "s32", offset=10 + 50 * number) for number in range(2)]
    disc = title(tmp_path / "disc", clips, ["eng"])
    with engine.session(disc, bridge_mode=LOSSLESS) as session:
        assert session.state.production.plan_origin == "index"
        stream, = tracks(session, media_pb2.STREAM_KIND_AUDIO)
        assert (stream.codec, stream.language, stream.audio.channels) == ("pcm_bluray", "eng", channels)
        path = sound.saved(session.master().renditions[0][1])
    assert (mediainfo(path, "Audio")["Format"], mediainfo(path, "Audio")["BitDepth"]) == ("FLAC", str(depth))
    check_samples(sound.Sound(path), [sound.Sound(clip) for clip in clips])


@pytest.mark.long
def test_eac3_is_served_unchanged(engine, tmp_path):
    clips = [bluray.encode(
        tmp_path / f"{number}.m2ts", [*pictures(number), "-f", "lavfi", "-i", f"sine={440 * (1 + number)}:sample_rate=48000"], "-t", str(LENGTH),
        *VIDEO, "-c:a", "eac3", "-b:a", "448k", "-ac", "6", offset=10 + 50 * number) for number in range(2)]
    disc = title(tmp_path / "disc", clips, ["fra"])
    with engine.session(disc) as session:
        assert session.state.production.plan_origin == "index"
        stream, = tracks(session, media_pb2.STREAM_KIND_AUDIO)
        assert (stream.codec, stream.route, stream.language, stream.audio.channels) == ("eac3", "remux", "fra", 6)
        path = sound.saved(session.master().renditions[0][1])
    assert mediainfo(path, "Audio")["Format"] == "E-AC-3"
    frame = 448_000 // 8 * 1536 // 48_000
    # A frame that begins before the title is left out (docs/discs.md); here, the encoder's first.
    assert coded(path, "0:a", "eac3") == b"".join(coded(clip, "0:a", "eac3") for clip in clips)[frame:]


@pytest.mark.skipif(not JOC.exists(), reason=WITHOUT_SAMPLES)
def test_atmos_is_said_and_served_unchanged(engine, tmp_path):
    # Repeated, as many frames as fit.
    repeated = tmp_path / "repeated.eac3"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "1", "-i", str(JOC), "-map", "0:a", "-c", "copy", "-frames:a",
                 str(LENGTH * 48000 // 1536), str(repeated))
    clips = [bluray.encode(tmp_path / f"{number}.m2ts", [*pictures(number), "-i", str(repeated)], "-t", str(LENGTH), *VIDEO, "-c:a",
                           "copy", offset=10 + 50 * number) for number in range(2)]
    disc = title(tmp_path / "disc", clips, ["eng"])
    probed, = (each for each in engine.probe(disc).streams if each.kind == media_pb2.STREAM_KIND_AUDIO)
    with engine.session(disc) as session:
        assert session.state.production.plan_origin == "index"
        stream, = tracks(session, media_pb2.STREAM_KIND_AUDIO)
        assert (stream.codec, stream.route, stream.language, stream.delivery.codec_string) == ("eac3", "remux", "eng", "ec-3")
        for each in (probed, stream):
            assert each.audio.is_atmos and (each.audio.objects, each.audio.atmos_complexity) == ("dolby_atmos", 16)
        eventually(lambda: [line for line in engine.log.read_text().splitlines() if f"session {session.id}" in line
                            and "carries Dolby Atmos of complexity 16; it is remuxed" in line], "the log to say so")
        attributes, url = session.master().renditions[0]
        assert attributes["CHANNELS"] == "16/JOC"
        path = sound.saved(url)
    assert mediainfo(path, "Audio")["Format"] == "E-AC-3" and "JOC" in mediainfo(path, "Audio")["Format_AdditionalFeatures"]
    assert coded(path, "0:a", "eac3") == b"".join(coded(clip, "0:a", "eac3") for clip in clips)


def test_what_is_not_presented_is_said(engine, clips, tmp_path):
    disc = bluray.Disc(tmp_path / "disc")
    clip = disc.add_clip(clips[0])
    disc.add_title(bluray.Item([clip], texts=("eng", "fra"), secondary_audio=("eng",), secondary_video=("",)), stereoscopic=True)
    disc.add_title(clip)
    disc.write()
    said = ("disc.text_subtitles", "(eng, fra)"), ("disc.secondary_streams", "secondary audio (eng) and picture-in-picture video"), ("disc.base_view", "3D")

    def lines(session):
        return [line for line in engine.log.read_text().splitlines() if f"session {session.id}" in line]

    with engine.session(disc.root, title=1) as session:
        # What the disc has beside its clip makes no difference to what is played.
        assert session.state.production.plan_origin == "index" and session.state.production.plan_complete
        for code, text in said:
            eventually(lambda: [line for line in lines(session) if code in line and text in line], f"the notice {code}")
    with engine.session(disc.root, title=2) as session:
        assert not [line for line in lines(session) if any(code in line for code, _ in said)]


@pytest.mark.long
@pytest.mark.skipif(not DTS_HD.exists(), reason=WITHOUT_SAMPLES)
def test_dts_hd_is_decoded_with_its_extension(engine, tmp_path):
    # Repeated, with times that are not rounded to milliseconds, as many frames as fit.
    repeated = tmp_path / "repeated.dts"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "4", "-i", str(DTS_HD), "-c", "copy", "-frames:a",
                 str(LENGTH * 48000 // 512), str(repeated))
    clips = [bluray.encode(tmp_path / f"{number}.m2ts", [*pictures(number), "-i", str(repeated)], "-t", str(LENGTH), *VIDEO, "-c:a",
                           "copy", offset=10 + 50 * number) for number in range(2)]
    disc = title(tmp_path / "disc", clips, ["deu"])
    with engine.session(disc, bridge_mode=LOSSLESS) as session:
        assert session.state.production.plan_origin == "index"
        stream, = tracks(session, media_pb2.STREAM_KIND_AUDIO)
        assert (stream.codec, stream.profile, stream.language, stream.audio.channels) == ("dts", "DTS-HD MA", "deu", 8)
        assert stream.delivery.codec == "flac"
        path = sound.saved(session.master().renditions[0][1])
    assert mediainfo(path, "Audio")["Format"] == "FLAC" and mediainfo(path, "Audio")["Channels"] == "8"
    check_samples(sound.Sound(path), [sound.Sound(clip) for clip in clips])


@pytest.mark.long
@pytest.mark.parametrize("name", ["single", "dual"])
def test_profile_7_is_served_as_profile_8(engine, source, tmp_path, name):  # noqa: F811
    """The enhancement layer is in the video stream, or in a stream of its own, as on discs."""
    files, expected, plain = source
    # Without ends of sequences, which transport stream readers take for packets, and with exact times.
    whole = [unit for unit in payloads.annex_b_units(files["single.hevc"].read_bytes()) if not is_end(unit)]
    (tmp_path / "single.hevc").write_bytes(raw(whole))
    parts = {"single": [tmp_path / "single.hevc"], "dual": [plain.with_name("base.hevc"), plain.with_name("layer.hevc")]}[name]
    rate = ["--default-duration", "0:24000/1001p"]
    payloads.run("mkvmerge", "-q", "--timestamp-scale", "1000", "-o", str(tmp_path / "exact.mkv"),
                 *(each for part in parts for each in (*rate, str(part))))
    clips = [bluray.encode(tmp_path / f"{number}.m2ts", ["-i", str(tmp_path / "exact.mkv")], "-map", "0:v", "-c", "copy", "-strict", "-2",
                           "-streamid", "1:4117", offset=10 + 50 * number) for number in range(2)]
    disc = title(tmp_path / "disc", clips, [])
    with engine.session(disc) as session:
        assert session.state.production.plan_origin == "index"
        master = session.master()
        units = [unit for sample in served(session) for unit in sample]
        record = dolby_vision_record(hls.fetch(hls.Media.complete(master.variants[0][1]).init))
        path = sound.saved(master.variants[0][1])
    assert (record["profile"], record["compatibility"], record["layer"]) == (8, 1, 0)
    assert [unit for unit in units if kind(unit) == METADATA] == expected * 2
    assert mediainfo(path, "Video")["HDR_Format"].startswith("Dolby Vision")
    assert mediainfo(path, "Video")["HDR_Format_Profile"].startswith("dvhe.08") and Range(path).record["dv_profile"] == 8
    (tmp_path / "out.hevc").write_bytes(raw(units))
    assert payloads.pictures(tmp_path / "out.hevc", 0) == payloads.pictures(plain, 0) * 2


@pytest.mark.long
@pytest.mark.skipif(not HDR10PLUS.exists(), reason=WITHOUT_SAMPLES)
def test_hdr10_plus_passes_with_every_picture(engine, tmp_path):
    def dynamic(path):
        return [unit for unit in units.units(path, units.MESSAGES) if units.HDR10PLUS in unit]

    # With exact times.
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(HDR10PLUS), "-map", "0:v", "-c", "copy", "-bsf:v", "hevc_mp4toannexb",
                 str(tmp_path / "plain.hevc"))
    payloads.run("mkvmerge", "-q", "--timestamp-scale", "1000", "-o", str(tmp_path / "exact.mkv"), "--default-duration", "0:24000/1001p",
                 str(tmp_path / "plain.hevc"))
    clips = [bluray.encode(tmp_path / f"{number}.m2ts", ["-i", str(tmp_path / "exact.mkv")], "-map", "0:v", "-c", "copy",
                           offset=10 + 50 * number) for number in range(2)]
    disc = title(tmp_path / "disc", clips, [])
    with engine.session(disc) as session:
        assert session.state.production.plan_origin == "index"
        stream, = tracks(session, media_pb2.STREAM_KIND_VIDEO)
        assert (stream.route, stream.video.video_format) == ("remux", "HDR10+")
        attributes, url = session.master().variants[0]
        assert attributes["VIDEO-RANGE"] == "PQ" and attributes["CODECS"].startswith("hvc1.2.4.")
        path = sound.saved(url)
    ours, theirs = Range(path), Range(HDR10PLUS)
    assert ours.has_dynamic_metadata and ours.color["color_transfer"] == "smpte2084"
    assert all(ours.light(each) == theirs.light(each) for each in LIGHT)
    assert "SMPTE ST 2094 App 4" in mediainfo(path, "Video")["HDR_Format"]
    expected = dynamic(HDR10PLUS)
    assert len(expected) == len(payloads.packets(HDR10PLUS, 0)) and dynamic(path) == expected * 2
    assert payloads.pictures(path, 0) == payloads.pictures(HDR10PLUS, 0) * 2
