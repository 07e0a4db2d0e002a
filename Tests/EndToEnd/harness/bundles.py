# SPDX-License-Identifier: Apache-2.0
"""HLS presentations of a few seconds, made by ffmpeg and by hand."""

import hashlib
import html
import shutil
import struct
import subprocess
import urllib.parse

import grpc
import pytest

from .hls import Media, attributes, digest, fetch
from .places import ENGINECTL, clip

FILM = "h264-aac.mkv"
FORMATS = {
    "ts": [],
    "fmp4": ["-hls_segment_type", "fmp4"],
    "ts-ranges": ["-hls_flags", "single_file"],
    "fmp4-ranges": ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"],
}


def ffmpeg(*arguments, **options):
    return subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, **options)


def package(folder, name, *options, film=FILM, seconds=2, loop=0):
    """Packages a clip as HLS without re-encoding its streams."""
    target = folder / name
    target.mkdir()
    suffix = "m4s" if "fmp4" in options else "ts"
    names = [] if "single_file" in options else ["-hls_segment_filename", f"%03d.{suffix}"]
    ffmpeg(
        "-stream_loop", loop, "-i", clip(film), "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "hls", "-hls_time", seconds,
        "-hls_playlist_type", "vod", *options, *names, "film.m3u8", cwd=target)
    return target / "film.m3u8"


def id3(ticks):
    """The ID3 tag of a packed audio segment (RFC 8216 §3.4): its start in ticks of 90 kHz."""
    frame = b"com.apple.streaming.transportStreamTimestamp\0" + ticks.to_bytes(8, "big")
    body = b"PRIV" + len(frame).to_bytes(4, "big") + b"\0\0" + frame
    return b"ID3\4\0\0" + bytes([0, 0, len(body) >> 7, len(body) & 127]) + body


def adts_frames(data):
    while data:
        length = (data[3] & 3) << 11 | data[4] << 3 | data[5] >> 5
        yield data[:length]
        data = data[length:]


def pack_audio(folder):
    """Segments of 94 AAC frames each, about 2 s, whose clock begins at 10 s."""
    target = folder / "packed"
    target.mkdir()
    ffmpeg("-i", clip(FILM), "-map", "0:a", "-c", "copy", target / "whole.aac")
    frames = list(adts_frames((target / "whole.aac").read_bytes()))
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:3"]
    for number, first in enumerate(range(0, len(frames), 94)):
        piece = frames[first:first + 94]
        (target / f"{number}.aac").write_bytes(id3(900_000 + first * 1920) + b"".join(piece))
        lines += [f"#EXTINF:{len(piece) * 1024 / 48000:.5f},", f"{number}.aac"]
    (target / "film.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))


def package_audio_renditions(folder):
    """Video with two separate audio renditions; the second has other segment boundaries."""
    target = folder / "languages"
    target.mkdir()
    ffmpeg(
        "-i", clip(FILM), "-f", "lavfi", "-t", 24, "-i", "sine=440:r=44100", "-map", "0:v", "-map", "0:a", "-map", "1:a",
        "-c:v", "copy", "-c:a:0", "copy", "-c:a:1", "aac", "-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod",
        "-hls_segment_filename", "%v-%03d.ts", "-master_pl_name", "film.m3u8", "-var_stream_map",
        "v:0,agroup:a a:0,agroup:a,language:en,default:yes a:1,agroup:a,language:fr", "%v.m3u8", cwd=target)


def encrypt(folder):
    """Encrypted bundles with one key: `keys`, for which ffmpeg reads the key again for each segment; `numbered`, with
    the segment's number as IV; and `iv`, with an explicit IV."""
    for name, flags, iv in (("keys", ["-hls_flags", "periodic_rekey"], ""), ("numbered", [], ""), ("iv", [], "0" * 31 + "7")):
        target = folder / name
        target.mkdir()
        (target / "key.bin").write_bytes(bytes(range(16)))
        (target / "key.txt").write_text("\n".join(["key.bin", "key.bin", iv]).rstrip() + "\n")
        ffmpeg(
            "-i", clip(FILM), "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "hls", "-hls_time", 2, "-hls_playlist_type",
            "vod", *flags, "-hls_key_info_file", "key.txt", "-hls_segment_filename", "%03d.ts", "film.m3u8", cwd=target)


def rotate_keys(folder):
    """The bundle `ts` with another key for every three segments, of which the third three are in the clear: `rotated`."""
    target = folder / "rotated"
    target.mkdir()
    names = [path.name for path in sorted((folder / "ts").glob("*.ts"))]
    lines = (folder / "ts" / "film.m3u8").read_text().splitlines()
    for number, name in enumerate(names):
        period, place = number // 3, lines.index(name)
        key = bytes([period]) * 16
        if number % 3 == 0:
            (target / f"{period}.key").write_bytes(key)
            method = "METHOD=NONE" if period == 2 else f'METHOD=AES-128,URI="{period}.key"'
            # Before the duration of the segment.
            lines.insert(place - 1, f"#EXT-X-KEY:{method}")
        if period == 2:
            shutil.copy(folder / "ts" / name, target)
            continue
        # Without a stated IV, it is the number of the segment (RFC 8216 §5.2).
        subprocess.run(["openssl", "enc", "-aes-128-cbc", "-K", key.hex(), "-iv", f"{number:032x}", "-in", folder / "ts" / name,
                        "-out", target / name], check=True)
    (target / "film.m3u8").write_text("\n".join(lines) + "\n")


def write_text(folder, start):
    """Writes WebVTT segments of 8 s, with blocks that are no cues, for the bundle `ts`, whose clock begins at `start`
    microseconds."""
    target = folder / "text"
    shutil.copytree(folder / "ts", target)
    cues = [
        ["00:01.000 --> 00:02.500\nOne", "00:07.000 --> 00:09.000\nTwo"],
        ["00:07.000 --> 00:09.000\nTwo", "00:12.000 --> 00:13.000\nThree"],
        ["00:20.000 --> 00:22.000\nFour"],
    ]
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:8"]
    for number, each in enumerate(cues):
        head = f"WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:10.000,MPEGTS:{start * 9 // 100 + 900_000}"
        blocks = ["STYLE\n::cue { color: red }", each[0], "NOTE aside", "REGION\nid:fred\nwidth:40%", *each[1:]]
        (target / f"{number}.vtt").write_text("\n\n".join([head, *blocks, ""]))
        lines += ["#EXTINF:8,", f"{number}.vtt"]
    (target / "text.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    (target / "master.m3u8").write_text("\n".join([
        "#EXTM3U",
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Signs",LANGUAGE="fr",FORCED=YES,AUTOSELECT=YES,URI="text.m3u8"',
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Gone",LANGUAGE="de",URI="gone.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=800000,SUBTITLES="s"', "film.m3u8", ""]))


# The cues of `write_fragmented_text`: text, start and end in milliseconds.
FRAGMENTED_CUES = [("One & two", 1000, 2500), ("Three", 7000, 9000), ("Four\nFive", 12_000, 13_000), ("Six", 20_000, 22_000)]


def box(kind, *content):
    content = b"".join(content)
    return struct.pack(">I4s", 8 + len(content), kind.encode()) + content


def text_init(entry):
    """The init segment of a text track with a timescale of 1000 (ISO/IEC 14496-12, 14496-30)."""
    tables = [box("stts", bytes(8)), box("stsc", bytes(8)), box("stsz", bytes(12)), box("stco", bytes(8))]
    description = box("stsd", struct.pack(">II", 0, 1), box(entry, bytes(6), b"\0\1", b"http://www.w3.org/ns/ttml\0\0\0"))
    media = box("mdia", box("mdhd", struct.pack(">IIIIIHH", 0, 0, 0, 1000, 0, 0x55C4, 0)),
                box("hdlr", bytes(8), b"subt", bytes(13)), box("minf", box("sthd", bytes(4)), box("stbl", description, *tables)))
    return box("ftyp", b"iso6\0\0\0\0iso6cmfc") + box(
        "moov", box("mvhd", struct.pack(">IIIII", 0, 0, 0, 1000, 0), bytes(80)),
        box("trak", box("tkhd", struct.pack(">IIII", 7, 0, 0, 1), bytes(68)), media),
        box("mvex", box("trex", struct.pack(">IIIIII", 0, 1, 1, 0, 0, 0))))


def text_segment(start, samples):
    """A media segment; samples are (duration in milliseconds, bytes)."""
    def moof(offset):
        run = b"".join(struct.pack(">II", duration, len(data)) for duration, data in samples)
        return box("moof", box("mfhd", struct.pack(">II", 0, 1)), box(
            "traf", box("tfhd", struct.pack(">II", 0x020000, 1)), box("tfdt", struct.pack(">IQ", 1 << 24, start)),
            box("trun", struct.pack(">III", 0x301, len(samples), offset), run)))
    return box("styp", b"msdh\0\0\0\0msdh") + moof(len(moof(0)) + 8) + box("mdat", *(data for _, data in samples))


def ttml(cues):
    """A document in the text profile of IMSC, with every cue at the top in yellow italics; times in milliseconds."""
    def paragraph(text, start, end):
        lines = "<br/>".join(html.escape(line) for line in text.split("\n"))
        return f'<p xml:id="c{start}" begin="{start}ms" end="{end / 1000}s"><span style="loud">{lines}</span></p>'
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="fr">
  <head>
    <styling><style xml:id="loud" tts:color="#ffff00" tts:fontStyle="italic"/></styling>
    <layout><region xml:id="top" tts:origin="10% 5%" tts:extent="80% 20%" tts:displayAlign="before" tts:textAlign="center"/></layout>
  </head>
  <body region="top"><div>{"".join(paragraph(*cue) for cue in cues)}</div></body>
</tt>""".encode()


def write_fragmented_text(folder, form, start, name=None):
    """Writes segments of 8 s with `FRAGMENTED_CUES` as `stpp` (IMSC) or `wvtt` (WebVTT) beside the bundle `ts`, whose clock
    begins at `start` microseconds."""
    target = folder / (name or form)
    shutil.copytree(folder / "ts", target)
    (target / "init.mp4").write_bytes(text_init(form))
    begin = start // 1000
    lines = ["#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-TARGETDURATION:8", '#EXT-X-MAP:URI="init.mp4"']
    for number in range(3):
        low, high = number * 8000, number * 8000 + 8000
        shown = [cue for cue in FRAGMENTED_CUES if cue[1] < high and cue[2] > low]
        if form == "stpp":
            samples = [(8000, ttml([(text, begin + first, begin + last) for text, first, last in shown]))]
        else:
            edges = sorted({low, high, *(edge for _, *times in shown for edge in times if low < edge < high)})
            samples = []
            for first, last in zip(edges, edges[1:]):
                cues = [text for text, since, until in shown if since <= first and until >= last]
                samples.append((last - first, b"".join(box("vttc", box("sttg", b"line:0"), box("payl", html.escape(text).encode()))
                                                       for text in cues) or box("vtte")))
        (target / f"{number}.m4s").write_bytes(text_segment(begin + low, samples))
        lines += ["#EXTINF:8,", f"{number}.m4s"]
    (target / "text.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    (target / "master.m3u8").write_text("\n".join([
        "#EXTM3U", '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="French",LANGUAGE="fr",URI="text.m3u8"',
        f'#EXT-X-STREAM-INF:BANDWIDTH=800000,SUBTITLES="s",CODECS="avc1.640028,mp4a.40.2,{form}"', "film.m3u8", ""]))


def concatenate(playlist):
    """All resources of a local bundle in order, the init segment first, as one file. The ID3 tags of packed audio
    (RFC 8216 §3.4) are left out: ffmpeg would decode them as audio between two segments."""
    found, span, end = [], None, 0
    for line in playlist.read_text().splitlines():
        if line.startswith("#EXT-X-MAP:"):
            fields = attributes(line.partition(":")[2])
            found.append((fields["URI"], fields.get("BYTERANGE")))
        elif line.startswith("#EXT-X-BYTERANGE:"):
            span = line.partition(":")[2]
        elif line and not line.startswith("#"):
            found.append((line, span))
            span = None
    pieces = []
    for name, span in found:
        data = (playlist.parent / name).read_bytes()
        if span:
            length, _, start = span.partition("@")
            start = int(start) if start else end
            end = start + int(length)
            data = data[start:end]
        if data[:3] == b"ID3":
            size = data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9]
            data = data[10 + size:]
        pieces.append(data)
    return b"".join(pieces)


def encoding(codec, distance):
    """Options that encode video with a keyframe every `distance` frames, all of which can be decoded alone."""
    return {
        "h264": ["-c:v", "libx264", "-preset", "ultrafast", "-g", distance],
        "hevc": ["-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
                 f"keyint={distance}:min-keyint={distance}:scenecut=0:open-gop=0:bframes=3:b-adapt=0:log-level=none"],
        "vp9": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", 8, "-g", distance],
        "av1": ["-c:v", "libsvtav1", "-preset", 12, "-g", distance],
        "mpeg2": ["-c:v", "mpeg2video", "-b:v", "4M", "-g", distance],
    }[codec] + ["-pix_fmt", "yuv420p"]


def package_joined(
        folder, form, name="joined", film=("-c", "copy"), sound=("-c:a", "aac", "-ac", 1), tone="sine=330:r=44100:d=4", picture="h264"):
    """Two segments of a clip, two of a clip with another size and frame rate, and two more of the first clip; the clock
    jumps between them. `film`: options that encode the first clip. `sound`: those for the audio of the other clip,
    whose source is `tone`; `picture`: the codec of its video. Returns the master playlist, and the segments of each part
    as one file."""
    target = folder / f"{name}-{form}"
    target.mkdir()
    suffix = "m4s" if form == "fmp4" else "ts"
    common = ["-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod", *FORMATS[form]]
    for name, options in {
        "film": ["-i", clip(FILM), "-t", 8, "-map", "0:v", "-map", "0:a", *film],
        "break": ["-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30:duration=4", "-f", "lavfi", "-i", tone,
                  *encoding(picture, 60), *sound],
    }.items():
        names = ["-hls_segment_filename", f"{name}-%d.{suffix}"]
        names += ["-hls_fmp4_init_filename", f"{name}.mp4"] if form == "fmp4" else []
        ffmpeg(*options, *common, *names, f"{name}.m3u8", cwd=target)
    groups = [["film-0", "film-1"], ["break-0", "break-1"], ["film-2", "film-3"]]
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:2", "#EXT-X-INDEPENDENT-SEGMENTS"]
    files = []
    for number, group in enumerate(groups):
        lines += ["#EXT-X-DISCONTINUITY"] if number else []
        init = [f"{group[0].split('-')[0]}.mp4"] if form == "fmp4" else []
        lines += [f'#EXT-X-MAP:URI="{name}"' for name in init]
        for name in group:
            lines += ["#EXTINF:2.0,", f"{name}.{suffix}"]
        files.append(b"".join((target / name).read_bytes() for name in [*init, *(f"{each}.{suffix}" for each in group)]))
    (target / "media.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    (target / "film.m3u8").write_text("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=4000000\nmedia.m3u8\n")
    return target / "film.m3u8", files


RUNGS = {"low": (320, 180, 300), "mid": (640, 360, 900), "high": (1280, 720, 2500)}


def package_variants(folder, has_own_audio=True, seconds=12):
    """A film in three sizes with the same keyframes, the smallest first. Audio is muxed into each size, or is a
    separate rendition."""
    target = folder / "ladder"
    target.mkdir()
    split = f"[0:v]split={len(RUNGS)}" + "".join(f"[{rung}]" for rung in RUNGS)
    scale = ";".join(f"[{rung}]scale={width}:{height}[{rung}v]" for rung, (width, height, _) in RUNGS.items())
    options = []
    for number, (rung, (_, _, rate)) in enumerate(RUNGS.items()):
        options += ["-map", f"[{rung}v]", f"-b:v:{number}", f"{rate}k", f"-maxrate:v:{number}", f"{rate}k", f"-bufsize:v:{number}", f"{rate}k"]
    options += ["-map", "0:a"] * (len(RUNGS) if has_own_audio else 1)
    streams = [f"v:{number},a:{number},name:{rung}" for number, rung in enumerate(RUNGS)]
    if not has_own_audio:
        streams = [f"v:{number},agroup:sound,name:{rung}" for number, rung in enumerate(RUNGS)]
        streams.append("a:0,agroup:sound,language:en,default:yes,name:sound")
    ffmpeg(
        "-i", clip(FILM), "-t", seconds, "-filter_complex", f"{split};{scale}", *options, "-c:v", "libx264", "-preset",
        "ultrafast", "-pix_fmt", "yuv420p", "-g", 48, "-keyint_min", 48, "-sc_threshold", 0, "-c:a", "aac", "-b:a", "128k", "-f", "hls", "-hls_time", 2,
        "-hls_playlist_type", "vod", "-master_pl_name", "film.m3u8", "-hls_segment_filename", "%v-%03d.ts", "-var_stream_map",
        " ".join(streams), "%v.m3u8", cwd=target)
    path = target / "film.m3u8"
    lines = path.read_text().splitlines()
    names = iter(RUNGS)
    path.write_text("".join(
        f'{line},NAME="{next(names, "sound")}"\n' if line.startswith("#EXT-X-STREAM-INF") else f"{line}\n" for line in lines))
    return path


_decoded = {}


def decoded(data, stream):
    """The digest of each decoded frame of the video stream, or the digest and the size of all samples of the audio
    stream. The same bytes are decoded once."""
    key = hashlib.sha256(data).digest(), stream
    if key not in _decoded:
        _decoded[key] = _decode(data, stream)
    return _decoded[key]


def _decode(data, stream):
    form = ["-f", "framemd5"] if stream == "v" else ["-f", "s16le"]
    made = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-map", f"0:{stream}:0", *form, "-"], input=data, capture_output=True,
        check=True).stdout
    if stream == "a":
        return hashlib.sha256(made).hexdigest(), len(made)
    return [line.rsplit(b",", 1)[1] for line in made.splitlines() if not line.startswith(b"#")]


def served(url):
    """All resources of one media playlist as one file."""
    playlist = Media.complete(url)
    return b"".join(fetch(each) for each in [playlist.init, *(segment.url for segment in playlist.segments)])


def served_groups(url):
    """The served segments between two discontinuities as one file each, with their init segment."""
    groups, init = [[]], None
    for line in fetch(url).decode().splitlines():
        if line.startswith("#EXT-X-DISCONTINUITY"):
            groups.append([])
        elif line.startswith("#EXT-X-MAP:"):
            init = urllib.parse.urljoin(url, line.split('"')[1])
            groups[-1].append(init)
        elif line and not line.startswith("#"):
            groups[-1].append(urllib.parse.urljoin(url, line))
    return [b"".join(fetch(each) for each in group) for group in groups]


def validate(engine, url):
    """Validates a presentation made from an HLS source, whose durations are rounded by its packager."""
    done = subprocess.run(
        [ENGINECTL, "--socket", engine.socket, "validate", "--rounded", url], stdin=subprocess.DEVNULL, capture_output=True,
        text=True)
    assert done.returncode == 0, done.stdout


def digests(session):
    """Digests of all served resources, by the path below the session."""
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def refusal(call):
    """The error code and the message of a call that fails."""
    with pytest.raises(grpc.RpcError) as failure:
        call()
    return failure.value.details()
