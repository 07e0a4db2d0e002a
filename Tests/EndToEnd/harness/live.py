# SPDX-License-Identifier: Apache-2.0
"""A live origin: serves any bundle as a playlist with a sliding window, which a test or the clock advances. Tests can
add faults. Also makes bundles for it, and publishes a bundle in a folder step by step."""

import contextlib
import datetime
import http.server
import random
import re
import shutil
import subprocess
import threading
import time
import urllib.parse

from . import numbered, transport
from .hls import attributes

SECONDS = 20


class Broadcast:
    """A complete bundle whose playlist is published step by step, as a live packager does."""

    def __init__(self, playlist, kind="EVENT"):
        self.path = playlist.with_name("live.m3u8")
        lines = playlist.read_text().splitlines()
        first = next(place for place, line in enumerate(lines) if line.startswith("#EXTINF"))
        self._head = [line for line in lines[:first] if "PLAYLIST-TYPE" not in line]
        self._head += [f"#EXT-X-PLAYLIST-TYPE:{kind}"] if kind else []
        self._entries = [[]]
        for line in lines[first:-1]:
            self._entries[-1].append(line)
            if not line.startswith("#"):
                self._entries.append([])
        self._entries.pop()

    def __len__(self):
        return len(self._entries)

    def publish(self, count, ends=False):
        lines = [*self._head, *(line for entry in self._entries[:count] for line in entry)]
        made = self.path.with_suffix(".new")
        made.write_text("\n".join([*lines, *(["#EXT-X-ENDLIST"] if ends else []), ""]))
        made.rename(self.path)


def package_channel(folder, *options, seconds=SECONDS, rate=25, source="testsrc2=s=320x180:r=25"):
    """A bundle of segments of one second, each of which begins with a keyframe."""
    folder.mkdir()
    suffix = "m4s" if "fmp4" in options else "ts"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"{source}:d={seconds}", "-f", "lavfi", "-i", f"sine=440:d={seconds}",
         "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-g", str(rate), "-keyint_min", str(rate),
         "-sc_threshold", "0", "-c:a", "aac", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", *options,
         "-hls_segment_filename", f"%03d.{suffix}", "film.m3u8"], cwd=folder, check=True)
    return folder / "film.m3u8"


def package_languages(folder, *options, seconds=SECONDS):
    """Like `package_channel`, with video and two languages of audio as separate playlists."""
    folder.mkdir()
    sound = [f"sine={tone}:d={seconds}:r=48000" for tone in (330, 660)]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=320x180:r=25:d={seconds}", "-f", "lavfi", "-i", sound[0], "-f",
         "lavfi", "-i", sound[1], "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset",
         "ultrafast", "-g", "25", "-keyint_min", "25", "-sc_threshold", "0", "-c:a", "aac", "-f", "hls", "-hls_time", "1",
         "-hls_playlist_type", "vod", *options, "-master_pl_name", "film.m3u8", "-hls_segment_filename", "%v-%03d.ts",
         "-var_stream_map", "v:0,agroup:a a:0,agroup:a,language:en,default:yes a:1,agroup:a,language:fr", "%v.m3u8"],
        cwd=folder, check=True)
    return folder / "film.m3u8"


# The variants of `package_ladder`: width, height, and the bit rate of the video in kbit/s.
LADDER = {"low": (320, 192, 300), "high": (640, 384, 1500)}


def package_ladder(folder, has_own_audio, seconds=120):
    """A bundle of two variants with segments of one second. The top left corner of each frame shows its number
    (`numbered`); noise fills the rest, so that segments have the size that the bit rate says. Audio is muxed into each
    variant, or is a separate rendition."""
    folder.mkdir()
    maps, options = [], []
    for number, (name, (_, _, rate)) in enumerate(LADDER.items()):
        maps += ["-map", f"[{name}]"]
        options += [f"-b:v:{number}", f"{rate}k", f"-maxrate:v:{number}", f"{rate}k", f"-bufsize:v:{number}", f"{rate}k"]
    scale = "".join(f";[{name}s]scale={width}:{height}:flags=neighbor[{name}]" for name, (width, height, _) in LADDER.items())
    maps += ["-map", "1:a"] * (len(LADDER) if has_own_audio else 1)
    streams = [f"v:{number}," + (f"a:{number}" if has_own_audio else "agroup:sound") + f",name:{name}"
               for number, name in enumerate(LADDER)]
    streams += [] if has_own_audio else ["a:0,agroup:sound,language:en,default:yes,name:sound"]
    packager = subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pixel_format", "gray", "-video_size", "320x192", "-framerate",
         "25", "-i", "pipe:0", "-f", "lavfi", "-i", f"sine=440:d={seconds}:r=48000", "-filter_complex",
         f"[0:v]split={len(LADDER)}" + "".join(f"[{name}s]" for name in LADDER) + scale, *maps, *options, "-c:v", "libx264",
         "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25", "-keyint_min", "25", "-sc_threshold", "0", "-c:a", "aac", "-b:a",
         "64k", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-master_pl_name", "film.m3u8",
         "-hls_segment_filename", "%v-%03d.ts", "-var_stream_map", " ".join(streams), "%v.m3u8"],
        cwd=folder, stdin=subprocess.PIPE)
    with packager.stdin:
        for number in range(seconds * 25):
            packager.stdin.write(numbered_picture(number))
    assert packager.wait() == 0
    return folder / "film.m3u8"


def numbered_picture(number, width=320, height=192):
    """A grey picture with a number in its corner, and noise beside and below it."""
    bits = [255 if number >> bit & 1 else 0 for bit in range(numbered.BITS - 1, -1, -1)]
    upper = b"".join(bytes([value]) * 16 for value in bits)
    lower = bytes(255 - value for value in upper)
    # Always the same: with some noise, the number cannot be read from the variant of the lowest bit rate.
    noise = random.Random(number).randbytes(width * height)
    lines = [(upper if line < numbered.HEIGHT // 2 else lower) + noise[line * width + len(upper):(line + 1) * width]
             for line in range(numbered.HEIGHT)]
    return b"".join(lines) + noise[numbered.HEIGHT * width:]


def package_text(folder, channel, start):
    """The segments of a channel, whose clock begins at `start` microseconds, with text: from second 3k + 0.5 on, "cue
    k" is shown for a second, half of it in the next segment."""
    shutil.copytree(channel, folder)
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1"]
    for number in range(SECONDS):
        head = f"WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:{start * 9 // 100}"
        cues = [f"00:{3 * k:02}.500 --> 00:{3 * k + 1:02}.500\ncue {k}" for k in range(SECONDS) if number - 1 <= 3 * k <= number]
        (folder / f"{number}.vtt").write_text("\n\n".join([head, *cues, ""]))
        lines += ["#EXTINF:1,", f"{number}.vtt"]
    (folder / "text.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    (folder / "master.m3u8").write_text("\n".join([
        "#EXTM3U", '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Text",LANGUAGE="en",URI="text.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=800000,SUBTITLES="s"', "film.m3u8", ""]))
    return folder / "master.m3u8"


def package_breaks(folder, channel):
    """The segments of a channel with SCTE 35 messages: segments 2 and 3 each announce the same ad break of 6 s, which
    begins four seconds after the start of segment 2."""
    shutil.copytree(channel, folder)
    paths = sorted(folder.glob("*.ts"))
    packet = next(packet for packet in (paths[2].read_bytes()[at:at + 188] for at in range(0, 188 * 50, 188))
                  if packet[1] & 0x40 and packet[transport.payload_at(packet) + 3] & 0xF0 == 0xE0)
    ticks = transport.ticks_at(packet, transport.payload_at(packet) + 9)
    message = transport.splice_insert(7, True, ticks + 4 * 90_000, 6 * 90_000)
    for number, path in enumerate(paths):
        units = [(ticks + (number - 2) * 90_000, message)] if number in (2, 3) else []
        transport.with_stream(path, path, b"\x05\x04CUEI", units, sections=0x86)
    return folder / "film.m3u8"


class Entry:
    """One segment of a bundle, with the tags that apply to it."""

    def __init__(self, uri, duration, span, init, key, is_discontinuous):
        self.uri, self.duration, self.span, self.init, self.key = uri, duration, span, init, key
        self.is_discontinuous = is_discontinuous


def entries(playlist):
    found, duration, span, end, init, key, is_discontinuous = [], None, None, 0, None, None, False
    for line in playlist.read_text().splitlines():
        name, _, value = line.partition(":")
        match name:
            case "#EXTINF":
                duration = float(value.split(",")[0])
            case "#EXT-X-BYTERANGE":
                length, _, start = value.partition("@")
                start = int(start) if start else end
                end = start + int(length)
                span = f"{length}@{start}"
            case "#EXT-X-MAP":
                init = value
            case "#EXT-X-KEY":
                key = value
            case "#EXT-X-DISCONTINUITY":
                is_discontinuous = True
            case _ if line and not line.startswith("#"):
                found.append(Entry(line, duration, span, init, key, is_discontinuous))
                duration, span, is_discontinuous = None, None, False
    return found


class LiveOrigin:
    """Lists `window` entries of a bundle, the last of which has the number `count - 1`. After the bundle's end it
    starts again, with a discontinuity. The name of each entry contains its number. If the bundle has a master playlist,
    all its media playlists are served.

    Tests change these properties, which apply from the next request on: `count`; `epoch`, the entry at which the
    server restarts; `first`, the media sequence number of that entry; `status` of playlists (200); `failing`, the
    names of playlists that fail with 503; `gone`, the numbers of missing entries; `kind`, the type of playlists
    (`None`: no type); `ended`; `date`, when entry 0 was recorded (`None`: no dates); `lines`, added to the head of
    playlists; `rate`, the bits per second of the link that all segments share (`None`: no limit); `part`, the
    target duration of parts in seconds (`None`: no parts; those of the next segment are listed while `running`);
    `frozen`, the `count` of playlists (`None`: `count`); `hints`, the next part that playlists announce ("next",
    "false": one that never comes, `None`); `has_ranges`, whether parts are ranges of the file of their segment;
    `lost_parts`, the entries without their second part; `other_parts`, whether parts have other bytes than
    segments; `is_away`, whether all connections are closed without a response; and, by the name of a playlist,
    `lags`, the number of entries that the playlist is behind, and `firsts`, its own `first`."""

    def __init__(self, playlist, window=5, count=5, host="127.0.0.1"):
        self.folder, self.master = playlist.parent, None
        self.lists = {"live.m3u8": entries(playlist)}
        if not self.lists["live.m3u8"][0].duration:
            self.master = playlist.read_text()
            names = [*re.findall(r'URI="([^"]*)"', self.master), *re.findall(r"^[^#\n].*$", self.master, re.MULTILINE)]
            self.lists = {name: entries(self.folder / name) for name in names}
        self.lead = list(self.lists)[-1]
        self.entries = self.lists[self.lead]
        self.window, self.count, self.first, self.epoch = window, count, 0, 0
        self.status, self.gone, self.kind, self.ended, self.date, self.lines = 200, set(), None, False, None, []
        self.lags, self.firsts, self.failing = {}, {}, set()
        self.rate, self.link, self.due = None, threading.Lock(), 0
        self.frozen, self.is_away = None, False
        # `begun`: when the recording of the next segment began (`time.monotonic`).
        self.part, self.begun = None, None
        self.hints, self.has_ranges, self.lost_parts, self.other_parts = None, False, set(), False
        # Whether a blocking request for a playlist waits until the segment or the part that it names is listed; and the
        # media sequence number that the last such request named.
        self.blocks, self.held, self.closed = False, None, False
        self.target = max(round(entry.duration) for entry in self.entries)
        self.requests, self.changed = [], threading.Condition()
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://{host}:{self.server.server_port}/live.m3u8"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.closed = True
        self.server.shutdown()
        self.server.server_close()

    # Lists of the bundle

    def entry(self, number, name=None):
        listed = self.lists[name or self.lead]
        return listed[number % len(listed)]

    def is_break(self, number, name=None):
        listed = self.lists[name or self.lead]
        return number > 0 and (number % len(listed) == 0 or listed[number % len(listed)].is_discontinuous)

    def playlist(self, name):
        # At the end, a playlist may have more entries than the leading one.
        is_over = self.ended and self.count == len(self.entries)
        count = len(self.lists[name]) if is_over else (self.frozen or self.count) - (0 if self.ended else self.lags.get(name, 0))
        begin = max(self.epoch, 0 if self.kind == "EVENT" else count - self.window)
        sequence = begin - self.epoch + self.firsts.get(name, self.first)
        breaks = sum(self.is_break(number, name) for number in range(self.epoch, begin + 1))
        lines = ["#EXTM3U", "#EXT-X-VERSION:7", f"#EXT-X-TARGETDURATION:{self.target}", f"#EXT-X-MEDIA-SEQUENCE:{sequence}", *self.lines]
        control = [*(["CAN-BLOCK-RELOAD=YES"] if self.blocks else []), *([f"PART-HOLD-BACK={3 * self.part}"] if self.part else [])]
        lines += [f"#EXT-X-SERVER-CONTROL:{','.join(control)}"] if control else []
        lines += [f"#EXT-X-PART-INF:PART-TARGET={self.part}"] if self.part else []
        lines += [f"#EXT-X-DISCONTINUITY-SEQUENCE:{breaks}"] if breaks else []
        lines += [f"#EXT-X-PLAYLIST-TYPE:{self.kind}"] if self.kind else []
        init = key = None
        for number in range(begin, count):
            entry = self.entry(number, name)
            if self.is_break(number, name) and number > begin:
                lines.append("#EXT-X-DISCONTINUITY")
            if entry.init != init:
                lines.append(f"#EXT-X-MAP:{entry.init}")
            if entry.key != key:
                lines.append(f"#EXT-X-KEY:{entry.key or 'METHOD=NONE'}")
            init, key = entry.init, entry.key
            if self.date is not None:
                lines.append("#EXT-X-PROGRAM-DATE-TIME:" + self.recorded(number).isoformat(timespec="milliseconds"))
            lines += self.parts(number, name) if self.part and number >= count - 3 else []
            lines.append(f"#EXTINF:{entry.duration:.6f},")
            lines += [f"#EXT-X-BYTERANGE:{entry.span}"] if entry.span else []
            lines.append(f"{number}-{entry.uri}")
        if self.part and self.begun and not self.ended:
            lines += self.upcoming(count, name)
        return "\n".join([*lines, *(["#EXT-X-ENDLIST"] if self.ended else []), ""]).encode()

    # Parts

    def part_count(self, number, name=None):
        return max(1, round(self.entry(number, name).duration / self.part))

    def ready(self, number, name=None):
        """How many parts of an entry have been recorded. The last one is listed together with the entry."""
        if number < self.count:
            return self.part_count(number, name)
        if number > self.count or self.begun is None:
            return 0
        return min(int((time.monotonic() - self.begun) / self.part), self.part_count(number, name) - 1)

    def part_uri(self, number, part, name=None):
        return f"{number}.{part}-{self.entry(number, name).uri}"

    def part_span(self, number, part, name=None):
        """The offsets of a part's first byte and of the byte after the part, in the file of its entry. Parts of a
        transport stream consist of whole packets."""
        uri, count = self.entry(number, name).uri, self.part_count(number, name)
        size, unit = (self.folder / uri).stat().st_size, 188 if uri.endswith(".ts") else 1
        first, end = (size // unit * each // count * unit for each in (part, part + 1))
        return first, size if part + 1 == count else end

    def parts(self, number, name):
        """The lines of the recorded parts of an entry."""
        lines = []
        length = self.entry(number, name).duration / self.part_count(number, name)
        for part in range(self.ready(number, name)):
            uri, span = self.part_uri(number, part, name), ""
            if self.has_ranges:
                first, end = self.part_span(number, part, name)
                uri, span = f"{number}-{self.entry(number, name).uri}", f',BYTERANGE="{end - first}@{first}"'
            lines.append(f'#EXT-X-PART:DURATION={length:.5f},URI="{uri}"{span}' + (",INDEPENDENT=YES" if part == 0 else ""))
        return lines

    def upcoming(self, count, name):
        """The lines of the entry that is being recorded, the hint, and the reports about the other playlists."""
        lines = self.parts(count, name)
        done = len(lines) == self.part_count(count, name)
        following = self.part_uri(count + 1, 0, name) if done else self.part_uri(count, len(lines), name)
        if self.hints and not self.has_ranges:
            uri = following if self.hints == "next" else f"{count + 9}.0-never"
            lines.append(f'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="{uri}"')
        for other in self.lists:
            if other != name:
                ready = self.ready(count, other)
                number, part = (count, ready - 1) if ready else (count - 1, self.part_count(count - 1, other) - 1)
                lines.append(f'#EXT-X-RENDITION-REPORT:URI="{other}",LAST-MSN={number - self.epoch + self.firsts.get(other, self.first)},'
                             f"LAST-PART={part}")
        return lines

    def part_of(self, name):
        """The number of the entry, the number of the part, and the name of the file in the name of a part. `None` for
        another name, or if there are no parts."""
        found = re.fullmatch(r"(\d+)\.(\d+)-(.+)", name)
        return (int(found[1]), int(found[2]), found[3]) if found and self.part else None

    def list_of(self, number, uri):
        """The playlist that has an entry with this file. `None`: there is none."""
        return next((name for name in self.lists if self.entry(number, name).uri == uri), None)

    def part_bytes(self, number, part, uri):
        """`None` if the part is missing or has not been recorded yet."""
        name = self.list_of(number, uri)
        if name is None or part >= self.ready(number, name) or (part == 1 and number in self.lost_parts):
            return None
        first, end = self.part_span(number, part, name)
        data = (self.folder / uri).read_bytes()[first:end]
        return bytes(reversed(data)) if self.other_parts else data

    def recorded_range(self, number, uri, span):
        """The response to a request for a range of the file of an entry that is being recorded."""
        first, _, last = span.partition("=")[2].partition("-")
        name = self.list_of(number, uri)
        ready = self.ready(number, name) if name else 0
        length = self.part_span(number, ready - 1, name)[1] if ready else 0
        if not last or int(last) >= length:
            return 416, b"not yet"
        data = (self.folder / uri).read_bytes()[int(first):int(last) + 1]
        return 206, data, ("Content-Range", f"bytes {first}-{last}/{length}")

    def recorded(self, number):
        """The recording time of an entry's start."""
        length = sum(self.entry(each).duration for each in range(number))
        return datetime.datetime.fromtimestamp(self.date + length, datetime.UTC)

    def bytes_of(self, number):
        """A segment as a file that can be decoded."""
        entry = self.entry(number)
        data = (self.folder / entry.uri).read_bytes()
        if entry.span:
            length, _, start = entry.span.partition("@")
            data = data[int(start):int(start) + int(length)]
        head = (self.folder / attributes(entry.init)["URI"]).read_bytes() if entry.init else b""
        return head + data

    # Requests

    def answer(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        name = url.path.lstrip("/")
        self.hold(urllib.parse.parse_qs(url.query), name)
        if self.is_away:
            handler.close_connection = True
            return
        status, body, *fields = self.response(name, handler.headers.get("Range"))
        with self.changed:
            self.requests.append((status, name))
            self.changed.notify_all()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for field, value in fields:
            handler.send_header(field, value)
        handler.end_headers()
        with contextlib.suppress(OSError):
            if name in self.lists or name == "live.m3u8":
                handler.wfile.write(body)
            else:
                self.send(handler.wfile, body)

    def send(self, output, body):
        """Sends a segment at `rate`, which may change meanwhile."""
        while body and not self.closed and not self.is_away:
            # A hundredth of a second at a time.
            count = max(1000, self.rate // 800) if self.rate else len(body)
            if self.rate:
                with self.link:
                    self.due = max(self.due, time.monotonic()) + 8 * min(count, len(body)) / self.rate
                    due = self.due
                time.sleep(max(0, due - time.monotonic()))
            output.write(body[:count])
            body = body[count:]

    def hold(self, query, name):
        """Waits until the playlist lists the segment or the part that a blocking request names, or has ended. A request
        for an announced part waits until the part is there, for at most ten seconds."""
        wanted, part = (int(query.get(field, ["-1"])[0]) for field in ("_HLS_msn", "_HLS_part"))
        if self.blocks and wanted >= 0:
            self.held = wanted
            number = wanted + self.epoch - self.firsts.get(name, self.first)
            while self.count <= number and not (part >= 0 and self.part and self.ready(number, name) > part) \
                    and not self.ended and not self.closed:
                time.sleep(0.02)
        announced, due = self.part_of(name) if self.hints else None, time.monotonic() + 10
        while announced and self.ready(*announced[:1], self.list_of(announced[0], announced[2])) <= announced[1] \
                and not self.closed and time.monotonic() < due:
            time.sleep(0.02)

    def response(self, name, span):
        if name == "live.m3u8" and self.master:
            return 200, self.master.encode()
        if name in self.failing:
            return 503, b"not now"
        if name in self.lists:
            return (200, self.playlist(name)) if self.status == 200 else (self.status, b"no playlist")
        if part := self.part_of(name):
            data = self.part_bytes(*part)
            return (404, b"no such part") if data is None else (200, data)
        number, _, uri = name.partition("-")
        if self.has_ranges and number.isdigit() and span and int(number) >= self.count:
            return self.recorded_range(int(number), uri, span)
        if number.isdigit():
            # A server keeps a segment for one more window after it has left the playlist.
            if int(number) in self.gone or int(number) < self.count - 2 * self.window and self.kind != "EVENT":
                return 404, b"gone"
            name = uri
        path = self.folder / name
        if not path.is_file():
            return 404, b"nothing"
        data = path.read_bytes()
        if not span:
            return 200, data
        first, _, last = span.partition("=")[2].partition("-")
        first, last = int(first), min(int(last or len(data)), len(data) - 1)
        return 206, data[first:last + 1], ("Content-Range", f"bytes {first}-{last}/{len(data)}")

    # Time

    def loads(self):
        """How often the leading playlist has been requested."""
        return sum(name == self.lead for _, name in list(self.requests))

    @contextlib.contextmanager
    def running(self, until=None):
        """Adds entries in real time, by their durations. The playlist ends at `until` entries."""
        stop = threading.Event()

        def run():
            due = self.begun = time.monotonic()
            while not stop.is_set():
                due += self.entry(self.count).duration
                if stop.wait(max(0, due - time.monotonic())):
                    return
                self.count, self.begun = self.count + 1, due
                if self.count == until:
                    self.ended = True
                    return
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


@contextlib.contextmanager
def live(playlist, **options):
    origin = LiveOrigin(playlist, **options)
    try:
        yield origin
    finally:
        origin.close()
