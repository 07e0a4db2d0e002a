# SPDX-License-Identifier: Apache-2.0
"""Packets as FFmpeg reads them, and the conversions that docs/hls.md allows.

Times come from ffprobe, payloads from a copy into FFmpeg's raw muxer: neither changes anything on the way, unlike
`-f framemd5`, which shifts and rounds.
"""

import hashlib
import json
import subprocess

LIMIT = 120
NAL_CODECS = ("h264", "hevc")


class Packet:
    def __init__(self, time, duration, is_key, is_discarded, payload):
        self.time, self.duration = time, duration
        self.is_key, self.is_discarded, self.payload = is_key, is_discarded, payload


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=LIMIT, check=True).stdout


def streams(source):
    text = run("ffprobe", "-v", "quiet", "-of", "json", "-show_streams", "-show_format", str(source))
    return json.loads(text)


def packets(source, index):
    """The packets of one stream in the order of the file, without those that have no time."""
    listing = json.loads(run(
        "ffprobe", "-v", "quiet", "-of", "json", "-show_entries", "packet=pts_time,dts_time,duration_time,size,flags",
        "-select_streams", str(index), str(source)))["packets"]
    data = run(
        "ffmpeg", "-nostdin", "-v", "quiet", "-copyts", "-i", str(source), "-map", f"0:{index}", "-c", "copy", "-copyinkf",
        "-f", "data", "-")
    assert len(data) == sum(int(each["size"]) for each in listing), "FFmpeg's copy is not what ffprobe lists"
    found, at = [], 0
    for each in listing:
        size = int(each["size"])
        payload = data[at:at + size]
        at += size
        # A source may leave out the presentation time where it equals the decode time.
        time = each.get("pts_time", each.get("dts_time"))
        found.append(Packet(
            None if time is None else float(time), float(each.get("duration_time", 0)),
            "K" in each["flags"], "D" in each["flags"], payload))
    return found


def nal_units(payload):
    """The units of an access unit, from start codes or from four-byte lengths."""
    if (units := length_prefixed(payload)) is not None:
        return units
    units, start = [], payload.find(b"\x00\x00\x01")
    while start >= 0:
        following = payload.find(b"\x00\x00\x01", start + 3)
        units.append(payload[start + 3:following if following >= 0 else len(payload)].rstrip(b"\x00"))
        start = following
    return units


def length_prefixed(payload):
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


def without_temporal_delimiter(payload):
    """AV1: a temporal unit without its OBU of type 2 (AV1-ISOBMFF §2.4)."""
    if len(payload) >= 2 and payload[0] >> 3 & 0x0F == 2 and payload[1] == 0:
        return payload[2:]
    return payload


def canonical(codec, payload):
    """A digest that is the same on both sides of a documented conversion, and only then."""
    if codec in NAL_CODECS:
        joined = b"".join(len(unit).to_bytes(4, "big") + unit for unit in nal_units(payload))
    elif codec == "aac":
        joined = without_adts(payload)
    elif codec == "av1":
        joined = without_temporal_delimiter(payload)
    else:
        joined = payload
    return hashlib.md5(joined).hexdigest()


def pictures(source, index):
    """A digest of every decoded picture."""
    text = run(
        "ffmpeg", "-nostdin", "-v", "quiet", "-threads", "2", "-autorotate", "0", "-copyts", "-i", str(source),
        "-map", f"0:{index}", "-fps_mode", "passthrough", "-f", "framemd5", "-").decode()
    return [line.rpartition(",")[2].strip() for line in text.splitlines() if line and not line.startswith("#")]


def samples(source, index):
    """The decoded sound of a stream as 32-bit samples, undithered and not resampled in time."""
    return run(
        "ffmpeg", "-nostdin", "-v", "quiet", "-i", str(source), "-map", f"0:{index}", "-c:a", "pcm_s32le", "-f", "s32le", "-")
