# SPDX-License-Identifier: Apache-2.0
"""Reads and builds NAL units and OBUs of coded pictures, independently of the engine's own parsers."""

import pathlib
import struct

from . import payloads

# NAL unit types of HEVC.
MESSAGES, METADATA = 39, 62
# Country, provider, oriented code and application of SMPTE ST 2094-40.
HDR10PLUS = bytes.fromhex("b5003c000104")


def units(path, kind):
    """The NAL units of one type in an HEVC file, in file order."""
    raw = payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:v:0", "-c", "copy",
                       "-bsf:v", "hevc_mp4toannexb", "-f", "hevc", "-")
    return [unit for unit in payloads.annex_b_units(raw) if unit and unit[0] >> 1 & 63 == kind]


def without_early_metadata(source, count, folder):
    """An HEVC file whose first `count` pictures have no dynamic metadata."""
    raw = payloads.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(source), "-map", "0:v:0", "-c", "copy",
                       "-bsf:v", "hevc_mp4toannexb", "-f", "hevc", "-")
    out, pictures = bytearray(), 0
    for unit in payloads.annex_b_units(raw):
        kind = unit[0] >> 1 & 63
        # The first slice of a picture.
        pictures += kind < 32 and unit[2] >> 7
        if pictures > count or kind != MESSAGES or HDR10PLUS not in unit:
            out += b"\0\0\0\1" + unit
    elementary, matroska = folder / "late.hevc", folder / "late.mkv"
    elementary.write_bytes(out)
    payloads.run("mkvmerge", "-q", "-o", str(matroska), "--default-duration", "0:24000/1001p", str(elementary))
    return matroska


def dolby_vision(profile, source, folder):
    """A raw HEVC stream, encoded by x265 with the metadata of `source`."""
    metadata = folder / "rpu.bin"
    metadata.write_bytes(b"".join(b"\0\0\0\1" + unit[2:] for unit in units(source, METADATA)))
    frames, raw = folder / "frames.y4m", folder / f"clip-{profile}.hevc"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=24000/1001",
                 "-frames:v", "48", "-pix_fmt", "yuv420p10le", "-f", "yuv4mpegpipe", "-strict", "-1", str(frames))
    light = ["--master-display", "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)",
             "--max-cll", "1000,400", "--colorprim", "bt2020", "--transfer", "smpte2084", "--colormatrix", "bt2020nc"]
    payloads.run("x265", "--log-level", "none", "--y4m", str(frames), "--output-depth", "10", "--preset", "ultrafast",
                 "--keyint", "24", "--repeat-headers", "--vbv-bufsize", "5000", "--vbv-maxrate", "5000",
                 "--dolby-vision-profile", profile, "--dolby-vision-rpu", str(metadata),
                 *(light if profile != "5" else []), "-o", str(raw))
    frames.unlink()
    return raw


def leb128(value):
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes(found + bytes([value]))


def wrap_rpu(metadata):
    """An RPU without its prefix, in the container in which AV1 carries it (ETSI TS 103 420, annex H)."""
    text = "00" "110" "11111" "00110" "1" "00001" "0" "00001"
    count = len(metadata)
    text += f"{(count >> 8) - 1:08b}1{count & 255:08b}0" if count > 255 else f"{count:08b}0"
    text += "".join(f"{byte:08b}" for byte in metadata)
    text += "00000" "01" "00" "00000000"
    text += "1" * (-len(text) % 8)
    return bytes(int(text[at:at + 8], 2) for at in range(0, len(text), 8))


def av1_with_record(source, compatibility, folder, has_metadata=True, metadata=b"\x37\xcd\x08"):
    """AV1 in fragmented MP4 with a Dolby Vision record and, with `has_metadata`, a metadata unit after every temporal
    delimiter."""
    ivf, marked, mp4 = folder / "clip.ivf", folder / "marked.ivf", folder / f"clip-{compatibility}.mp4"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(source), "-map", "0:v", "-c", "copy", str(ivf))
    data = ivf.read_bytes()
    out, at = bytearray(data[:32]), 32
    message = bytes.fromhex("04 b5003b 00000800") + metadata + b"\x80"
    unit = b"\x2a" + leb128(len(message)) + message if has_metadata else b""
    while at < len(data):
        size, time = struct.unpack_from("<IQ", data, at)
        frame = data[at + 12:at + 12 + size]
        assert frame[:2] == b"\x12\x00", "a temporal unit starts with its delimiter"
        frame = frame[:2] + unit + frame[2:]
        out += struct.pack("<IQ", len(frame), time) + frame
        at += 12 + size
    marked.write_bytes(out)
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(marked), "-c", "copy", "-strict", "-2",
                 "-movflags", "+frag_keyframe+empty_moov+default_base_moof", str(mp4))
    # Profile 10, level 1, metadata and base layer present.
    record = bytes([1, 0]) + struct.pack(">H", 10 << 9 | 1 << 3 | 5) + bytes([compatibility << 4]) + bytes(19)
    mp4.write_bytes(with_entry_box(mp4.read_bytes(), struct.pack(">I4s", 8 + len(record), b"dvvC") + record))
    return mp4


def with_entry(source, target, name):
    """The MP4 file with another name for its first sample entry."""
    data = bytearray(pathlib.Path(source).read_bytes())
    # Version, number of entries, size of the first.
    place = data.index(b"stsd", data.index(b"moov")) + 16
    data[place:place + 4] = name
    target.write_bytes(data)
    return target


def with_entry_box(data, box):
    """The file with a box appended to its first sample entry. The file must not contain absolute byte offsets."""
    path = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd")
    data, start, end = bytearray(data), 0, len(data)
    ends = []
    for kind in path:
        while True:
            size, found = struct.unpack_from(">I4s", data, start)
            if found == kind:
                break
            start += size
            assert start < end, f"no {kind}"
        ends.append(start)
        start, end = start + 8, start + size
    entry = start + 8
    ends.append(entry)
    size = struct.unpack_from(">I", data, entry)[0]
    data[entry + size:entry + size] = box
    for place in ends:
        struct.pack_into(">I", data, place, struct.unpack_from(">I", data, place)[0] + len(box))
    return bytes(data)


def with_captions(source, folder):
    """A raw H.264 stream in which every picture carries a pair of CEA-608 bytes of the first field."""
    message = bytes.fromhex("06 04 0e b50031 47413934 03 41ff fc9420 ff 80")
    out, seen = bytearray(), False
    for unit in payloads.annex_b_units(source.read_bytes()):
        kind = unit[0] & 31
        # The message comes before the first slice of each picture.
        if kind in (1, 5) and unit[1] & 0x80:
            out += b"\0\0\0\1" + message
            seen = True
        out += b"\0\0\0\1" + unit
    assert seen
    path = folder / "captions.h264"
    path.write_bytes(out)
    return path


def with_clean_aperture(source, size, offset, folder, *options):
    """An MP4 file that shows an area of `size`, whose centre is `offset` half pixels from the centre of the video."""
    plain, path = folder / "whole.mp4", folder / "cut.mp4"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(source), "-map", "0:v:0", "-t", "2", "-c", "copy",
                 *options, "-movflags", "frag_keyframe+empty_moov+default_base_moof", str(plain))
    fields = struct.pack(">IiIiiiii", 40, 0, size[0], 1, size[1], 1, offset[0], 2)
    box = fields[:4] + b"clap" + fields[8:] + struct.pack(">ii", offset[1], 2)
    path.write_bytes(with_entry_box(plain.read_bytes(), box))
    return path
