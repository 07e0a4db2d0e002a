# SPDX-License-Identifier: Apache-2.0
"""Packets as FFmpeg reads them, and the conversions that docs/hls.md allows.

Times come from ffprobe, payloads from a copy into FFmpeg's raw muxer: neither changes any packet, unlike `-f framemd5`,
which shifts and rounds.
"""

import hashlib
import json
import pathlib
import subprocess
import tempfile

from .engine import PATIENCE

# A program that takes this long hangs.
LIMIT = 2 * PATIENCE
NAL_CODECS = ("h264", "hevc")


class Packet:
    def __init__(self, time, duration, is_key, is_discarded, payload, trimmed=0):
        self.time, self.duration = time, duration
        self.is_key, self.is_discarded, self.payload = is_key, is_discarded, payload
        # The number of samples at the end that decoders discard.
        self.trimmed = trimmed


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=LIMIT, check=True).stdout


def codecs(source):
    """The codecs of the video streams that have packets, otherwise of such audio streams; empty if FFmpeg cannot open
    the file."""
    done = subprocess.run(
        ["ffprobe", "-v", "quiet", "-of", "json", "-count_packets", "-show_entries",
         "stream=codec_name,codec_type,nb_read_packets:stream_disposition=attached_pic", str(source)],
        capture_output=True, timeout=LIMIT)
    if done.returncode != 0:
        return set()
    found = [each for each in json.loads(done.stdout).get("streams", [])
             if int(each.get("nb_read_packets", 0)) > 0 and not each.get("disposition", {}).get("attached_pic")]
    for kind in ("video", "audio"):
        if chosen := {each.get("codec_name") for each in found if each.get("codec_type") == kind}:
            return chosen
    return set()


ENTRIES = "packet=stream_index,pts_time,dts_time,duration_time,size,flags:packet_side_data=discard_padding"
COPY = ("-c", "copy", "-copyinkf", "-f", "data")
PICTURES = ("-fps_mode", "passthrough", "-f", "framemd5")
SAMPLES = ("-c:a", "pcm_s32le", "-f", "s32le")


def packets(source, index):
    """The packets of one stream in file order. Packets of a raw stream have no time."""
    listing = json.loads(run(
        "ffprobe", "-v", "quiet", "-of", "json", "-show_entries", ENTRIES, "-select_streams", str(index), str(source)))
    data = run("ffmpeg", "-nostdin", "-v", "quiet", "-copyts", "-i", str(source), "-map", f"0:{index}", *COPY, "-")
    return listed(listing["packets"], data)


def listed(listing, data):
    assert len(data) == sum(int(each["size"]) for each in listing), "FFmpeg's copy is not what ffprobe lists"
    found, at = [], 0
    for each in listing:
        size = int(each["size"])
        payload = data[at:at + size]
        at += size
        # A source may omit the presentation time if it equals the decode time.
        time = each.get("pts_time", each.get("dts_time"))
        found.append(Packet(
            None if time is None else float(time), float(each.get("duration_time", 0)),
            "K" in each["flags"], "D" in each["flags"], payload,
            max((int(data.get("discard_padding", 0)) for data in each.get("side_data_list", [])), default=0)))
    return found


def opus_length(payload):
    """The samples of an Opus packet at 48 kHz (RFC 6716 §3.1, §3.2)."""
    configuration, count = payload[0] >> 3, (1, 2, 2, payload[1] & 63 if len(payload) > 1 else 0)[payload[0] & 3]
    lengths = (480, 960, 1920, 2880) if configuration < 12 else (480, 960) * 2 if configuration < 16 else (120, 240, 480, 960)
    return count * lengths[configuration & 3]


def edit_list_shift(source, index):
    """How many seconds too early FFmpeg presents a track. If an edit list begins between two frames, FFmpeg shifts the
    track so that the later frame is at 0 (`mov_fix_index`); with `-advanced_editlist 0` it does not."""
    def first(*options):
        listing = run("ffprobe", "-v", "quiet", *options, "-of", "json", "-show_entries", "packet=pts_time,pos",
                      "-select_streams", str(index), str(source))
        return {each["pos"]: float(each["pts_time"]) for each in json.loads(listing)["packets"] if "pts_time" in each}

    moved, unmoved = first(), first("-advanced_editlist", "0")
    found = {round(unmoved[pos] - time, 3) for pos, time in moved.items() if pos in unmoved}
    return found.pop() if len(found) == 1 else 0


def annex_b_units(payload):
    """The units of an access unit with start codes (ITU-T H.264, annex B)."""
    units, start = [], payload.find(b"\x00\x00\x01")
    while start >= 0:
        following = payload.find(b"\x00\x00\x01", start + 3)
        units.append(payload[start + 3:following if following >= 0 else len(payload)].rstrip(b"\x00"))
        start = following
    return units


def length_prefixed_units(payload):
    """The units of an access unit with four-byte lengths; `None` if it is malformed."""
    units, at = [], 0
    while at < len(payload):
        if at + 4 > len(payload):
            return None
        length = int.from_bytes(payload[at:at + 4], "big")
        if length == 0 or at + 4 + length > len(payload):
            return None
        units.append(payload[at + 4:at + 4 + length].rstrip(b"\x00"))
        at += 4 + length
    return units


def without_adts(payload):
    if len(payload) >= 7 and payload[0] == 0xFF and payload[1] & 0xF6 == 0xF0:
        return payload[7 if payload[1] & 1 else 9:]
    return payload


def is_cut_adts(payload):
    """Whether an ADTS frame is shorter than its header declares (ISO/IEC 13818-7 §6.2)."""
    return (len(payload) >= 7 and payload[0] == 0xFF and payload[1] & 0xF6 == 0xF0
            and (payload[3] & 3) << 11 | payload[4] << 3 | payload[5] >> 5) > len(payload)


def without_temporal_delimiter(payload):
    """AV1: a temporal unit without its OBU of type 2 (AV1-ISOBMFF §2.4)."""
    if len(payload) >= 2 and payload[0] >> 3 & 0x0F == 2 and payload[1] == 0:
        return payload[2:]
    return payload


def canonical(codec, payloads):
    """Digests that match on both sides of a documented conversion, and only then.

    The framing of units is decided for the whole stream: a start code may look like the length of a packet.
    """
    if codec in NAL_CODECS:
        split = length_prefixed_units if all(length_prefixed_units(each) for each in payloads) else annex_b_units
        joined = [b"".join(len(unit).to_bytes(4, "big") + unit for unit in split(each)) for each in payloads]
    elif codec == "aac":
        joined = map(without_adts, payloads)
    elif codec == "av1":
        joined = map(without_temporal_delimiter, payloads)
    else:
        joined = payloads
    return [hashlib.md5(each).hexdigest() for each in joined]


def streams(source, kinds, max_frames=None):
    """By index, the packets of the streams in `kinds` and their decoded form: for "video" as `pictures` returns (at
    most `max_frames`), for "audio" as `samples` returns. Uses only two processes, because starting one usually costs more
    than its work."""
    listing = json.loads(run("ffprobe", "-v", "quiet", "-of", "json", "-show_entries", ENTRIES, str(source)))["packets"]
    own = {index: [each for each in listing if each["stream_index"] == index] for index in kinds}
    with tempfile.TemporaryDirectory(prefix="engine-") as folder:
        copied, decoded = ({index: pathlib.Path(folder, f"{index}.{kind}") for index in kinds} for kind in ("data", "decoded"))
        outputs = []
        for index, kind in kinds.items():
            outputs += ["-map", f"0:{index}", *COPY, str(copied[index]), "-map", f"0:{index}"]
            limit = ["-frames:v", str(max_frames)] if max_frames and kind == "video" else []
            outputs += [*(PICTURES if kind == "video" else SAMPLES), *limit, str(decoded[index])]
        run("ffmpeg", "-nostdin", "-v", "quiet", "-threads", "1", "-autorotate", "0", "-copyts", "-i", str(source), *outputs)
        return {index: (listed(own[index], copied[index].read_bytes()),
                        digests(decoded[index].read_text()) if kind == "video" else decoded[index].read_bytes())
                for index, kind in kinds.items()}


def decodes(source, index):
    """Whether FFmpeg decodes anything of a stream."""
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "quiet", "-i", str(source), "-map", f"0:{index}", "-f", "framemd5", "-"],
                          capture_output=True, timeout=LIMIT)
    return any(line and not line.startswith(b"#") for line in done.stdout.splitlines())


def has_undecodable_video(source):
    """Whether the first video stream has packets, but FFmpeg decodes none of them."""
    found = run("ffprobe", "-v", "quiet", "-select_streams", "V:0", "-show_entries", "packet=size", "-of", "csv=p=0", str(source))
    return bool(found.strip()) and not decodes(source, "V:0")


def digests(text):
    return [line.rpartition(",")[2].strip() for line in text.splitlines() if line and not line.startswith("#")]


def pictures(source, index):
    """A digest of every decoded frame."""
    return digests(run(
        "ffmpeg", "-nostdin", "-v", "quiet", "-threads", "1", "-autorotate", "0", "-copyts", "-i", str(source),
        "-map", f"0:{index}", *PICTURES, "-").decode())


def samples(source, index):
    """The decoded audio of a stream as 32-bit samples, undithered and not resampled in time."""
    return run("ffmpeg", "-nostdin", "-v", "quiet", "-i", str(source), "-map", f"0:{index}", *SAMPLES, "-")
