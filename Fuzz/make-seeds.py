# SPDX-License-Identifier: Apache-2.0
"""Makes seeds in Fuzz/Seeds: the first bytes of tiny clips that ffmpeg encodes, and inputs written by hand here.

Run once when a family or the way it reads its input changes, and commit what it writes. Inputs that once broke a
promise lie beside them as `found-*`; this program writes `found-equal-times`, and leaves the others alone.
"""

import json
import pathlib
import re
import struct
import subprocess
import tempfile

import broadcast_seeds
import drawing_seeds
import movie_seeds
import playlist_seeds
import text_seeds

SEEDS = pathlib.Path(__file__).resolve().parent / "Seeds"
PICTURE = ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=5:d=1,format=yuv420p"]
LONGEST = 1600


def sound(channels="stereo", rate=48000):
    return ["-f", "lavfi", "-i", f"sine=r={rate}:d=0.2,aformat=channel_layouts={channels}"]


def run(*arguments):
    return subprocess.run([*map(str, arguments)], check=True, capture_output=True).stdout


def encode(folder, name, *arguments):
    path = folder / name
    run("ffmpeg", "-nostdin", "-v", "error", "-y", "-fflags", "+bitexact", *arguments, "-strict", "-2", path)
    return path


def dump(text):
    """The bytes in ffprobe's hexadecimal dump."""
    return bytes.fromhex("".join(re.findall(r"^[0-9a-f]{8}: ((?:[0-9a-f]{2,4} ?)+) ", text, re.MULTILINE)).replace(" ", ""))


def parts(path, count=2):
    """Codec private data and the first packets."""
    text = run("ffprobe", "-v", "error", "-show_data", "-show_streams", "-show_packets", "-read_intervals", f"%+#{count}",
               path).decode("latin-1")
    packets = [dump(each) for each in re.findall(r"\[PACKET\].*?\[/PACKET\]", text, re.DOTALL)]
    streams = re.findall(r"\[STREAM\].*?\[/STREAM\]", text, re.DOTALL)
    return [dump(streams[0]), *[packet[:LONGEST] for packet in packets[:count]]]


def pieces(values):
    return b"".join(struct.pack(">H", len(value)) + value for value in values)


def write(family, name, data):
    folder = SEEDS / family
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def boxes(data, kinds):
    """The top-level boxes of some kinds, joined."""
    joined, at = b"", 0
    while at + 8 <= len(data):
        size = struct.unpack_from(">I", data, at)[0]
        if data[at + 4:at + 8] in kinds:
            joined += data[at:at + size]
        at += size
    return joined


def units(data):
    """NAL units of a raw stream."""
    return [each.rstrip(b"\0") for each in re.split(b"\0\0\1", data)[1:]]


def video(folder):
    avc = ["-c:v", "libx264", "-preset", "veryfast", "-x264-params", "log-level=none"]
    hevc = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
            "log-level=none:info=0:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
            ":max-cll=1000,400", "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc"]
    for family, options, extension in (("h264", avc, "h264"), ("hevc", hevc, "hevc")):
        write(family, "mp4", pieces(parts(encode(folder, f"{family}.mp4", *PICTURE, *options))))
        write(family, "annexb", pieces(parts(encode(folder, f"raw.{extension}", *PICTURE, *options))))
        write(family, "record", parts(folder / f"{family}.mp4")[0])
        for index, unit in enumerate(units((folder / f"raw.{extension}").read_bytes())[:5]):
            write(family, f"unit-{index}", unit[:LONGEST])
    interlaced = encode(folder, "interlaced.mkv", *PICTURE, *avc, "-flags", "+ildct+ilme", "-aspect", "16:9")
    write("h264", "interlaced", pieces(parts(interlaced)))
    av1 = encode(folder, "av1.mkv", *PICTURE, "-c:v", "libaom-av1", "-cpu-used", "8", "-frames:v", "2")
    write("open", "av1", pieces(parts(av1)))
    write("open", "av1-packet", parts(av1)[1])
    for profile, layout in (("0", "yuv420p"), ("1", "yuv444p"), ("2", "yuv420p10le")):
        vp9 = encode(folder, f"vp9-{profile}.webm", *PICTURE, "-pix_fmt", layout, "-c:v", "libvpx-vp9", "-deadline",
                     "realtime", "-profile:v", profile)
        write("open", f"vp9-{profile}", pieces(parts(vp9)))
        write("open", f"vp9-{profile}-packet", parts(vp9)[1])


class Bits:
    """Fields of an RPU in a row."""

    def __init__(self):
        self.text = ""

    def u(self, *fields):
        for value, count in fields:
            self.text += f"{value & (1 << count) - 1:0{count}b}"

    def ue(self, *values):
        for value in values:
            code = f"{value + 1:b}"
            self.text += "0" * (len(code) - 1) + code

    def bytes(self):
        text = self.text + "0" * (-len(self.text) % 8)
        return bytes(int(text[at:at + 8], 2) for at in range(0, len(text), 8))


def metadata(layer, bent=False, blocks=(), previous=None):
    """An RPU without its prefix and its checksum (ETSI GS CCM 001 §5.1); the layer is "none", "minimal" or "full"."""
    bits = Bits()
    bits.u((2, 6), (18, 11), (1, 4), (0, 4), (1, 1), (0, 1), (0, 2))
    bits.ue(23)
    bits.u((1, 2), (0, 1))
    bits.ue(2, 2, 4)
    bits.u((0, 1), (0, 3), *([(0, 1), (1, 1)] if layer == "none" else [(1, 1), (0, 1)]), (1, 1))
    bits.u((0 if previous is None else 1, 1))
    if previous is None:
        mapping(bits, layer, bent)
    else:
        bits.ue(previous)
    bits.ue(0, 0, 1)
    bits.u(*[(9574, 16)] * 9, *[(1 << 24, 32)] * 3, *[(7222, 16)] * 9, (65535, 16), (0, 64), (12, 5), (0, 2), (0, 2),
           (1, 2), (62, 12), (3696, 12), (42, 10))
    bits.ue(len(blocks))
    bits.text += "0" * (-len(bits.text) % 8)
    for level, payload in blocks:
        bits.ue(len(payload))
        bits.u((level, 8), *[(byte, 8) for byte in payload])
    return bits.bytes()


def mapping(bits, layer, bent):
    bits.ue(0, 0, 0)
    for component in range(3):
        inner = [448] if bent and component == 0 else []
        bits.ue(len(inner))
        bits.u((0, 10), *[(value, 10) for value in inner], (1023 - sum(inner), 10))
    if layer != "none":
        bits.u((0, 3), (0, 10), (1023, 10))
    bits.ue(0, 0)
    for component in range(3):
        for _ in range(2 if bent and component == 0 else 1):
            if bent and component == 2:
                bits.ue(1)
                bits.u((0, 2))
                for _ in range(8):
                    bits.ue(1)
                    bits.u((99, 23))
            else:
                bits.ue(0, 0)
                bits.u((0, 1))
                for value in (0, 1):
                    bits.ue(value)
                    bits.u((0, 23))
    for _ in range(3 if layer != "none" else 0):
        bits.u((512 if layer == "full" else 0, 10))
        for whole, fraction in ((1, 0), (0, 0), (0, 0)) if layer == "minimal" else ((0, 9), (1, 2), (0, 7)):
            bits.ue(whole)
            bits.u((fraction, 23))


def dolby_vision():
    blocks = [(1, bytes.fromhex("03e80c3a0a")), (5, bytes(7)), (6, bytes.fromhex("03e8000103e80190"))]
    for layer in ("none", "minimal", "full"):
        write("dolbyvision", layer, metadata(layer, blocks=blocks))
        write("dolbyvision", f"{layer}-bent", metadata(layer, bent=True))
    write("dolbyvision", "repeated", metadata("none", previous=0))
    start = bytes([0, 0, 0, 1])
    packet = start + bytes.fromhex("26018012") + start + bytes.fromhex("7e01820a") + start + bytes.fromhex("7c01190000")
    write("dolbyvision", "packets", pieces([packet, start + bytes.fromhex("4a0180"), packet]))


def audio(folder):
    for name, options in {
        "aac.m4a": [*sound(), "-c:a", "aac"],
        "aac71.m4a": [*sound("7.1"), "-c:a", "aac"],
        "adts.aac": [*sound(), "-c:a", "aac"],
        "pce.aac": [*sound("6.1"), "-c:a", "aac"],
        "ac3.ac3": [*sound("5.1"), "-c:a", "ac3"],
        "eac3.mp4": [*sound("5.1"), "-c:a", "eac3"],
        "flac.flac": [*sound(), "-c:a", "flac"],
        "alac.m4a": [*sound(), "-c:a", "alac"],
        "opus.webm": [*sound("5.1"), "-c:a", "libopus"],
        "mp3.mp3": [*sound(rate=44100), "-c:a", "libmp3lame"],
        "mp2.mp2": [*sound(), "-c:a", "mp2"],
        "dts.dts": [*sound("5.1"), "-c:a", "dca"],
        "truehd.thd": [*sound("5.1"), "-c:a", "truehd"],
        "mlp.mlp": [*sound(), "-c:a", "mlp"],
        "vorbis.ogg": [*sound(), "-c:a", "libvorbis"],
    }.items():
        found = parts(encode(folder, name, *options))
        write("audio", name, pieces(found))
        write("audio", f"{name}-packet", found[1])
    latm = encode(folder, "latm.ts", *sound(), "-c:a", "aac", "-mpegts_flags", "latm")
    write("audio", "latm", pieces(parts(latm)))


def containers(folder):
    fragments = ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"]
    whole = encode(folder, "whole.mp4", *PICTURE, *sound(), "-c:v", "libx264", "-bf", "2", "-c:a", "aac").read_bytes()
    write("containers", "movie", boxes(whole, {b"moov"}))
    parted = encode(folder, "parted.mp4", *PICTURE, "-c:v", "libx264", "-bf", "2", *fragments).read_bytes()
    init, media = boxes(parted, {b"ftyp", b"moov"}), boxes(parted, {b"moof", b"mdat"})
    write("containers", "segment", pieces([init, media]))
    matroska = encode(folder, "small.mkv", *PICTURE, "-c:v", "libx264").read_bytes()
    lines = folder / "lines.srt"
    lines.write_text("1\n00:00:00,000 --> 00:00:40,000\nlong\n")
    write("containers", "cues", encode(folder, "cues.mkv", "-i", lines, "-c:s", "srt").read_bytes()[:LONGEST])
    write("containers", "cluster", matroska[matroska.index(bytes.fromhex("1f43b675")):][:LONGEST])


SCRIPT = """[Script Info]
PlayResX: 640
PlayResY: 360
[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Alignment
Style: Default,Sans,36,&H00FFFFFF,-1,8
[Events]
Format: Layer, Start, End, Style, Text
"""


def subtitles():
    events = [
        r"{\an7\pos(10,20)\b1\i1\c&H0000FF&\fnSerif\fs+2}look{\rDefault}back\Nline", r"{\t(0,9,\fs40)\iclip(1,2,3,4)}x{\p1}m 0 0",
        r"{comment}a\hb{\move(1,2,3,4)}", "1,0,Sign,Name,1,2,3,fx,a,b,c",
    ]
    write("subtitles", "script", pieces([SCRIPT.encode(), *[event.encode() for event in events]]))
    legacy = "[Script Info]\r\nPlayResX: 1280\r\n[V4 Styles]\r\nFormat: Name, PrimaryColour, Alignment\r\nStyle: *Default,16777215,6\r\n"
    write("subtitles", "legacy", pieces([legacy.encode(), b"0,0,*Default,,0,0,0,,a\x1ab", b"\xff\xfe{\\b9"]))


def filters():
    for name, *options in [("gblur", "sigma", "2.5", "steps", "3"), ("crop", "w", "64", "h", "48", "exact", "true"),
                           ("drawbox", "x", "1", "y", "1", "w", "9", "h", "9", "color", "#FF8000"), ("vignette", "mode", "backward")]:
        write("filters", name, pieces([text.encode() for text in (name, *options)]))
    svg = ('<?xml version="1.0" encoding="UTF-8"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" preserveAspectRatio="none">'
           '<rect id="r" width="9" height="9" fill="url(#g)" style="fill: URL( \'#g\' )"/><use xlink:href = "#r"/></svg>')
    write("filters", "drawing", svg.encode())
    write("filters", "ass", b"{\\an7\\pos(10,5)\\p2\\1c&H0080FF&\\1a&H40&\\3c&HFF&\\3a&H00&\\bord2.5}m 0 0 l 100 0 100 50 b 90 60 60 70 0 50{\\p0}\n"
          b"m 20 20 s 60 20 60 50 20 50 p 10 30 c n 5 5 l -7 .5")
    write("filters", "outside", svg.replace("#r", "file:///etc/passwd").encode())


def captions():
    data = b"\x42\xff\xfc\x94\x20\xfd\x80\x80\xff"
    message = b"\xb5\x00\x31GA94\x03" + data
    unit = bytes([6, 4, len(message)]) + message + b"\x80"
    write("captions", "pictures", pieces([
        b"", b"\0\0\1" + unit, b"\0\0\0" + bytes([len(unit)]) + unit, b"\0\0\1\x4e\1" + unit[1:],
        b"\0\0\1\xb2" + message[3:], b"\xfc\x94\x20\xfc\xc1\xc2\xfc\x1c\x20\xfd\x01\x83\xfd\x8f\x9d",
    ]))
    codes = bytes.fromhex("98 38 46 69 72 1f 09 97 00 00 5c 00 90 05 c0 91 31 00 00 92 01 04 41 e9 10 25 18 ac 00 0d 42 8d 0a 8a 01 8f")
    body = bytes([0x20 | len(codes[:30])]) + codes[:30] + b"\0"
    packed = bytes([0xFF, len(body) // 2 + 1 | 0x40, body[0]]) + b"".join(
        b"\xfe" + body[at:at + 2] for at in range(1, len(body) - 1, 2))
    write("captions", "services", pieces([packed, b"\xff\xc2\x21\xfe\x41\0", codes[:30], codes[-8:], b"\xff\x02\xe1\xfe\x3f\x41"]))
    association = bytes.fromhex("00 00b00d 0001c10000 0001e100 00000000")
    table = bytes.fromhex("00 02b01b 0001c10000 e1b0f000 02e1b0f009 8607c1656e67c13fff 00000000")
    tables = b"".join(
        (bytes([0x47, 0x40 | pid >> 8, pid & 255, 0x10]) + body).ljust(188, b"\xff") for pid, body in
        ((0, association), (0x100, table), (0x1B0, b"")))
    write("captions", "tables", pieces([tables]))
    head = bytes.fromhex("00000100 0008 000001b5 8ffff380 80 000001b2")
    packet = bytes.fromhex("9669003f43000071000000007 2e2ff0221fe4142740000 00".replace(" ", ""))
    write("captions", "others", pieces([
        head + b"CC\x01\xf8\x83\xff\x94\x20\xff\x80\x80\xfe\xc1\x42", head + bytes.fromhex("0381084b290480"),
        struct.pack(">I", len(packet) + 8) + b"ccdp" + packet]))
    composition = bytes.fromhex("16 0013 0140 00b4 10 0000 80 00 00 01 0000 00 00 0014 000a")
    item = bytes.fromhex("15 000f 0000 00 c0 000008 0002 0001 01 02 00 00")
    write("captions", "graphics", pieces([composition + item, composition, item, bytes.fromhex("800000"),
                                          bytes.fromhex("0005 0009 10"), bytes.fromhex("1088 2901")]))


def wire():
    string = lambda number, text: bytes([number << 3 | 2, len(text)]) + text  # noqa: E731
    options = bytes([1 << 3, 0x80, 0x92, 0xF4, 0x01, 2 << 3, 1])
    load = string(1, b"/film.mkv") + bytes([2 << 3, 5]) + string(3, options)
    for name, data in {
        "load": load, "framed": struct.pack(">BI", 0, len(load)) + load, "session": string(1, b"s1") + bytes([2 << 3, 9]),
        "nested": string(2, string(1, string(2, load))), "timeout": b"100m", "percent": b"a%20b%C3%BC",
        "range": b"bytes=10-99", "host": b"[::1]:8080", "target": b"http://127.0.0.1:80/token/v/1.m4s?x",
        "head": b"GET /token/master.m3u8 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.0\r\n\r\n",
    }.items():
        write("wire", name, data)


def responses():
    for name, text in {
        "part": "206\nContent-Range: bytes 4096-8191/1000000\nContent-Length: 4096\nETag: \"a\"\n",
        "redirects": (
            "302\nLocation: https://cdn.example/b.mkv?x=1\n\n307\nLocation: //user:p@[::1]:81/c\n\n200\nConten"
            "t-Length: 1000000\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\n"),
        "refused": "503\nRetry-After: 120\nSun, 06 Nov 1994 08:49:37 GMT\n\n416\nContent-Range: bytes */1000000\n",
        "addresses": (
            "206\nContent-Range: bytes 0-4095/*\nContent-Encoding: gzip\nTransfer-Encoding: chunked\n169.25"
            "4.169.254\n::ffff:127.0.0.1\n64:ff9b::7f00:1\nfe80::1%eth0\nhttp://[::1]:8080/x?y#z\n"),
    }.items():
        write("responses", name, text.encode())
    members = ["/films/a%20b/", "/films/a%20b/film.srt", "http://h/films/a%20b/%C3%BC%FC.ass", "/films/a%20b/..%2Fx", "/films/a%20b/Subs"]
    write("responses", "multistatus", (
        '<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">' + "".join(
            f"<D:response><D:href>{member}</D:href><D:propstat><D:prop><D:resourcetype>"
            f"{'' if '.' in member else '<D:collection/>'}</D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
            for member in members) + "</D:multistatus>").encode())
    write("responses", "names", b"film.mkv\r\nfilm.srt\n..\n/etc/passwd\n\0film.de.ass\0\xfcber.srt\0")


def requests():
    """A renderer's report, and requests for cues of a range, for a ring, a filter, a subtitle file and an overlay."""
    string = lambda number, text: bytes([number << 3 | 2, len(text)]) + text  # noqa: E731
    double = lambda number, value: bytes([number << 3 | 1]) + struct.pack("<d", value)  # noqa: E731
    for name, data in {
        "cues": string(1, b"s1") + bytes([3 << 3, 1, 4 << 3, 2, 5 << 3, 1]), "ring": string(1, b"s1") + bytes([16, 4, 24, 0, 40, 6]),
        "report": string(2, bytes([8, 100]) + double(2, 1.0)), "filter": string(1, b"s1") + string(2, string(1, b"gblur")),
        "sidecar": string(1, b"s1") + string(2, string(1, b"/a.srt") + string(2, b"UTF-8")),
        "overlay": string(1, b"s1") + string(2, string(1, b"a") + string(2, b"<svg/>")),
    }.items():
        write("wire", name, data)


def journal():
    """The slots of players after a crash, a session as it is kept, and the file of an older engine."""
    mask = 2**64 - 1

    def checksum(*words):
        total = 0xCBF29CE484222325
        for word in words:
            total = (total ^ word) * 0x9E3779B97F4A7C15 & mask
            total ^= total >> 29
        return total

    def history(activity, crashes, now):
        word = activity << 44 | crashes << 40 | now
        return word | checksum(word, 0, 0, 0, 1) >> 48 << 48

    def player(stamp, seconds, rate, volume, flags):
        words = [seconds * 1_000_000, *(struct.unpack("<Q", struct.pack("<d", each))[0] for each in (rate, volume)), flags]
        return [stamp, *words, checksum(stamp, *words)]

    header = [0x31305945414C5047, 0, 1 << 32 | 11, 0, 0, 0, 0, 0]
    slot = [0x1234, history(1, 1, 1_795_000_000), *player(5, 60, 1.5, 0.25, 5), *player(4, 59, 1.0, 1.0, 8)]
    words = header + slot + [0] * (16 - len(slot)) + [0x5678, history(2, 0, 0), *player(6, 1, 1.0, 1.0, 4)]
    write("journal", "slots", struct.pack(f"<{len(words)}Q", *words))
    profile = {"name": "everything", "formats": [], "dolbyVision": [], "bitDepths": {}, "fullChroma": True, "interlaced": True,
               "maximumChannels": 8, "stereoBridges": ["aac"], "surroundBridges": ["eac3"]}
    entry = {"id": "1", "token": 40 * "a", "source": "/a.mkv", "startPosition": 0, "position": 7_000_000, "rate": 1.5, "isPlaying": True,
             "revision": 9, "announcedSegments": 3, "sealedTargetDuration": 6, "rest": "paused", "audio": {"stream": 1},
             "options": {"segmentTarget": 4_000_000, "autoplay": False, "profile": profile, "bridgeMode": "surround", "dolbyVision": True,
                         "timeouts": [{"phase": "buffering", "microseconds": 5}], "rateRange": [0.5, 2], "subtitleTracks": [2]},
             "sidecars": [{"path": "/a.srt", "firstTrack": 100000, "trackCount": 1}],
             "pictures": {"brightness": 0.1, "contrast": 1, "saturation": 1, "gamma": 1, "nextFilter": 3,
                          "filters": [{"id": 2, "name": "hflip", "options": []}],
                          "overlays": [{"name": "a", "svg": "<svg/>", "rectangle": [0, 0, 1, 1], "z": 1}]}}
    write("journal", "entry", json.dumps(entry).encode())
    write("journal", "older", json.dumps({"version": 1, "httpPort": 8080, "sessions": [entry]}).encode())


def numbers():
    """Inputs of the families that read numbers, with every kind of number; RPUs; ring headers; a socket's message."""
    plain = bytes(range(0, 256, 5)) * 3
    wild = b"".join(bytes([kind, 0x55, 0xAA, 0x01]) for kind in range(64))
    for family in ("times", "rings", "stills"):
        for name, data in {"plain": plain, "wild": wild, "zero": bytes(64), "ones": b"\xff" * 200}.items():
            write(family, name, data)
    blocks = [(1, bytes.fromhex("03e80c3a0a"))]
    for layer in ("none", "full"):
        write("stills", f"rpu-{layer}", metadata(layer, bent=True, blocks=blocks))
    header = struct.pack("<IIIIQQQQ", 0x4D524645, 1, 3, 4096, 4096, 16384, 4096, 53248).ljust(256, b"\0")
    slot = struct.pack("<QQqqqqIIII", 1, 1, 0, 40000, 0, 1, 1, 25, 16, 16) + b"yuv420p".ljust(32, b"\0")
    slot += struct.pack("<II", 1, 0) + struct.pack("<QIIII", 16384, 16, 16, 16, 0)
    write("rings", "frames", header + slot)
    sound = struct.pack("<IIIIIIQQQQ", 0x4D435045, 1, 1, 2, 48000, 8, 3, 69632, 64, 73728).ljust(256, b"\0")
    write("rings", "sound", sound + struct.pack("<QQQQqI", 1, 1, 0, 64, 0, 1))
    write("rings", "message", struct.pack("<IIQ", 1, 1, 53248))


TINY = ["-f", "lavfi", "-i", "testsrc2=s=16x16:r=10:d=0.4", "-f", "lavfi", "-i", "sine=r=8000:d=0.4"]


def films(folder):
    """Small sources: one for each container and codec that is read in its own way. Those of up to 8192 bytes are kept,
    cut to 4096 bytes."""
    for name, *options in [
        ("mpeg2.ts", "-c:v", "mpeg2video", "-bf", "1", "-c:a", "mp2", "-ar", "16000", "-b:a", "8k"),
        ("mpeg1.mpg", "-r", "25", "-c:v", "mpeg1video", "-bf", "1", "-an", "-packetsize", "512"),
        ("visual.mp4", "-c:v", "mpeg4", "-bf", "1", "-c:a", "aac"),
        ("vp8.webm", "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus", "-b:a", "6k"),
        ("vp9.mkv", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-c:a", "pcm_s16le"),
        ("theora.mkv", "-c:v", "libtheora", "-an"), ("motion.mov", "-pix_fmt", "yuvj420p", "-c:v", "mjpeg", "-q:v", "31", "-an"),
        ("flash.flv", "-c:v", "flv1", "-c:a", "pcm_alaw", "-ar", "8000"), ("asf.wmv", "-c:v", "wmv2", "-an"),
        ("fields.mkv", "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-c:a", "ac3", "-ar", "32000", "-b:a", "32k"),
        ("lossless.mkv", "-c:v", "ffv1", "-c:a", "flac"), ("deep.mkv", "-pix_fmt", "yuv420p10le", "-c:v", "libx264", "-an"),
        ("runs.mov", "-c:v", "qtrle", "-an"), ("h263.mkv", "-s", "128x96", "-c:v", "h263", "-an"), ("av1.mkv", "-c:v", "libaom-av1",
         "-cpu-used", "8", "-an"), ("still.mkv", "-frames:v", "1", "-c:v", "png", "-c:a", "adpcm_ms"),
    ]:
        data = encode(folder, f"film-{name}", *TINY, *options).read_bytes()
        if len(data) <= 8192:
            write("films", name, data[:4096])


def tracks(folder):
    """Sources that have only subtitles; and subtitle files, each after the byte that states its kind."""
    text = "1\n00:00:00,100 --> 00:00:00,300\n<i>a</i>\n\n2\n00:00:00,300 --> 00:00:00,400\nb\n"
    lines = folder / "tracks.srt"
    lines.write_text(text)
    for name, codec in {"subrip.mkv": "srt", "script.mkv": "ass", "web.mkv": "webvtt", "timed.mp4": "mov_text"}.items():
        write("tracks", name, encode(folder, f"track-{name}", "-i", lines, "-c:s", codec).read_bytes()[:4096])
    pictures = folder / "tracks.sup"
    pictures.write_bytes(graphics())
    for name, codec in {"graphics.mkv": "copy", "digital.ts": "dvbsub", "disc.mkv": "dvdsub"}.items():
        write("tracks", name, encode(folder, f"track-{name}", "-i", pictures, "-c:s", codec).read_bytes()[:4096])
    script = SCRIPT + "Dialogue: 0,0:00:00.10,0:00:00.30,Default,{\\b1}a\\Nb\n"
    web = "WEBVTT\n\n00:00.100 --> 00:00.300 line:0\n<b>a</b>\n"
    for kind, (name, data) in enumerate([
        ("srt", text.encode()), ("ass", script.encode()), ("ssa", script.replace("V4+", "V4").encode()), ("vtt", web.encode()),
        ("sup", graphics()), ("idx", vobsub()), ("sub", b"{1}{25}one\n{30}{50}{y:i}two|three\n"), ("txt", "\ufeff".encode("utf-16")
         + text.encode("utf-16-le")),
    ]):
        write("tracks", f"file-{name}", bytes([kind]) + data)


def graphics():
    """A display set with one picture, and one without pictures (PGS)."""
    def segment(kind, content, time=9000):
        return b"PG" + struct.pack(">IIBH", time, 0, kind, len(content)) + content

    item = bytes.fromhex("0000 00 00 0014 000a")
    window = segment(0x17, bytes.fromhex("01 00 0014 000a 0008 0002"))
    palette = segment(0x14, bytes.fromhex("0000 01 eb8080ff"))
    picture = segment(0x15, bytes.fromhex("0000 00 c0 00000e 0008 0002 008801 0000 008801 0000"))
    shown = segment(0x16, bytes.fromhex("0140 00b4 10 0000 80 00 00 01") + item)
    cleared = segment(0x16, bytes.fromhex("0140 00b4 10 0001 00 00 00 00"), 27000)
    return shown + window + palette + picture + segment(0x80, b"") + cleared + segment(0x80, b"", 27000)


def vobsub():
    """An index, and a pack with one picture of two lines."""
    index = "# VobSub index file, v7\nsize: 16x16\npalette: 000000, ffffff\nid: en, index: 0\ntimestamp: 00:00:00:100, filepos: 000000000\n"
    control = bytes.fromhex("0000 0000 01 03 0011 04 00ff 05 000003 000001 06 0004 0005 ff".replace(" ", ""))
    lines = bytes.fromhex("5555")
    size = 4 + len(lines) + len(control)
    unit = struct.pack(">HH", size, 4 + len(lines)) + lines + control
    stream = bytes.fromhex("000001bd") + struct.pack(">H", 9 + len(unit)) + bytes.fromhex("8080052100010001 20".replace(" ", "")) + unit
    pack = bytes.fromhex("000001ba 44000400040100 0003f8".replace(" ", "")) + stream
    return pieces([index.encode(), pack])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        video(folder)
        audio(folder)
        containers(folder)
        films(folder)
        tracks(folder)
    movie_seeds.movies(write)
    dolby_vision()
    playlist_seeds.texts(write)
    playlist_seeds.presentations(write, pieces)
    broadcast_seeds.tables(write, pieces)
    subtitles()
    text_seeds.documents(write)
    captions()
    filters()
    wire()
    responses()
    requests()
    numbers()
    journal()
    drawing_seeds.messages(write)


if __name__ == "__main__":
    main()
