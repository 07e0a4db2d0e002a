# SPDX-License-Identifier: Apache-2.0
"""Films drawn at random: containers, codecs, tracks and muxer flags as ffmpeg can write them. A seed gives the same
command each time.

Three kinds of films are left out: fragments of one frame with an edit list, in which libavformat gives two frames the
same time; times before 0 (`-avoid_negative_ts disabled`), which libavformat cannot write to Matroska and no player
presents; and AAC copied from AVI to AVI, which libavformat then declares as bytes at a constant rate."""

import pathlib
import random
import re
import subprocess

from .engine import PATIENCE

# In seconds. An encoder that takes longer for such a short film has hung.
LIMIT = 2 * PATIENCE
VIDEO = {
    "h264": ["-c:v", "libx264", "-preset", "ultrafast"],
    "hevc": ["-c:v", "libx265", "-preset", "ultrafast"],
    "av1": ["-c:v", "libsvtav1", "-preset", "12"],
    "vp9": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
    "vp8": ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "-8", "-threads", "1"],
    "mpeg2": ["-c:v", "mpeg2video", "-q:v", "5"],
    "mpeg4": ["-c:v", "mpeg4", "-q:v", "5"],
    "mjpeg": ["-c:v", "mjpeg", "-q:v", "5"],
    "theora": ["-c:v", "libtheora"],
    "flv1": ["-c:v", "flv1"],
    "prores": ["-c:v", "prores_ks"],
    "ffv1": ["-c:v", "ffv1"],
}
AUDIO = {
    "aac": ["aac"], "ac3": ["ac3"], "eac3": ["eac3"], "flac": ["flac"], "opus": ["libopus"], "mp3": ["libmp3lame"], "mp2": ["mp2"],
    "vorbis": ["libvorbis"], "alac": ["alac"], "dts": ["dca", "-strict", "-2"], "truehd": ["truehd", "-strict", "-2"],
    "pcm": ["pcm_s16le"], "pcm24": ["pcm_s24le"],
}
# The codecs of each container. Common ones are listed several times, so that they are drawn more often.
HOLDS = {
    "mkv": (["h264"] * 4 + ["hevc"] * 3 + ["av1", "vp9", "vp8", "mpeg2", "mpeg4", "mjpeg", "theora", "prores", "ffv1"],
            ["aac", "ac3", "eac3", "flac", "opus", "mp3", "mp2", "vorbis", "alac", "dts", "truehd", "pcm", "pcm24"], ["srt", "ass"]),
    "mp4": (["h264"] * 4 + ["hevc"] * 2 + ["av1", "vp9", "mpeg4"],
            ["aac", "aac", "ac3", "eac3", "flac", "opus", "mp3", "alac"], ["mov_text"]),
    "mov": (["h264"] * 3 + ["hevc", "prores", "mjpeg", "mpeg4"], ["aac", "alac", "pcm", "pcm24", "ac3", "mp3"], ["mov_text"]),
    "webm": (["vp9", "vp8", "av1"], ["opus", "vorbis"], ["webvtt"]),
    "ts": (["h264"] * 3 + ["hevc", "mpeg2"], ["aac", "ac3", "eac3", "mp2", "mp3", "opus", "dts", "truehd"], []),
    "m2ts": (["h264"] * 2 + ["hevc", "mpeg2"], ["ac3", "eac3", "dts", "truehd"], []),
    "avi": (["h264", "mpeg4", "mjpeg", "mpeg2", "vp8"], ["mp3", "ac3", "aac", "pcm", "mp2"], []),
    "flv": (["h264", "h264", "flv1"], ["aac", "mp3"], []),
    "ogv": (["theora", "vp8"], ["vorbis", "opus", "flac"], []),
}
RATES = ["25", "24000/1001", "30000/1001", "50", "60000/1001", "12.5", "15", "120", "10"]


class Recipe:
    """The commands for one film: one that encodes it, and sometimes a second one that cuts the result without
    re-encoding."""

    def __init__(self, seed):
        draw = self.draw = random.Random(seed)
        # Drawn from a separate generator, so that the other properties of a seed do not change.
        self.refreshes = random.Random(f"refresh {seed}").random() < 0.08
        self.container = draw.choice(["mkv"] * 3 + ["mp4"] * 4 + ["mov", "webm", "ts", "ts", "m2ts", "avi", "flv", "ogv"])
        videos, audios, texts = HOLDS[self.container]
        self.seconds = draw.choice([0.5, 2, 4, 7, 11])
        self.video = draw.choice(videos) if draw.random() < 0.9 else None
        max_tracks = 1 if self.container in ("flv", "avi", "ogv") else 4
        self.audio = [draw.choice(audios) for _ in range(draw.choice([0, 1, 1, 1, 2, 3, 4]))][:max_tracks]
        if not self.video and not self.audio:
            self.audio = [draw.choice(audios)]
        self.text = draw.choice(texts) if texts and draw.random() < 0.25 else None

    def inputs(self, subtitle):
        draw, found = self.draw, []
        if self.video:
            size = draw.choice(["160x120", "176x144", "320x180", "322x182", "128x96"])
            source = draw.choice(["testsrc2", "mandelbrot", "smptehdbars"])
            found += ["-f", "lavfi", "-i", f"{source}=size={size}:rate={draw.choice(RATES)},trim=duration={self.seconds}"]
        for place, codec in enumerate(self.audio):
            rate = 48000 if codec in ("opus", "dts", "truehd", "ac3", "eac3") else draw.choice([48000, 44100, 32000])
            length = self.seconds * draw.choice([1, 1, 1, 0.6, 1.3])
            if draw.random() < 0.2:
                found += ["-itsoffset", str(draw.choice([0.5, 0.123, 1.7]))]
            found += ["-f", "lavfi", "-i", f"sine=frequency={300 + 200 * place}:sample_rate={rate}:duration={length}"]
        if self.text:
            found += ["-i", subtitle]
        return found

    def video_options(self):
        draw, codec = self.draw, self.video
        found = list(VIDEO[codec])
        keys = draw.choice([1, 6, 12, 25, 50, 250])
        found += ["-g", str(keys)] if codec not in ("mjpeg", "prores", "ffv1") else []
        depth = "yuv420p10le" if codec in ("h264", "hevc", "av1", "vp9") and draw.random() < 0.15 else "yuv420p"
        found += ["-pix_fmt", {"mjpeg": "yuvj420p", "prores": "yuv422p10le"}.get(codec, depth)]
        if codec == "h264":
            more = [f"bframes={draw.choice([0, 2, 3])}", f"scenecut={draw.choice([0, 40])}"]
            more += draw.sample(["open-gop=1", "b-pyramid=2", "slices=3", "aud=1", "repeat-headers=1",
                                 "nal-hrd=vbr:vbv-maxrate=500:vbv-bufsize=500", "ref=4"], draw.choice([0, 0, 1, 2]))
            if draw.random() < 0.1:
                more += ["tff=1"]
            if self.refreshes:
                more += ["intra-refresh=1"]
            if self.container == "avi":
                # AVI has no presentation times, and ffprobe reports wrong ones for reordered frames.
                more[0] = "bframes=0"
            found += ["-x264-params", ":".join(more)]
        elif codec == "hevc":
            more = ["log-level=none", f"bframes={draw.choice([0, 3, 4])}", f"open-gop={draw.choice([0, 1])}"]
            more += draw.sample(["aud=1", "repeat-headers=1", "hrd=1:vbv-maxrate=500:vbv-bufsize=500", "slices=2", "temporal-layers=1"], draw.choice([0, 1]))
            found += ["-x265-params", ":".join(more)]
        elif codec in ("mpeg2", "mpeg4") and draw.random() < 0.6:
            found += ["-bf", "2"]
        if draw.random() < 0.12:
            # Frames at uneven times.
            found += ["-vf", "select='not(mod(n,7)*mod(n,3))+lt(random(1),0.4)'", "-fps_mode", "vfr"]
        if draw.random() < 0.1:
            found += ["-color_primaries", "bt2020", "-color_trc", draw.choice(["smpte2084", "arib-std-b67"]), "-colorspace", "bt2020nc"]
        return found

    def audio_options(self):
        draw, found = self.draw, []
        for place, codec in enumerate(self.audio):
            found += [f"-c:a:{place}", *AUDIO[codec]]
            channels = draw.choice([1, 2, 2, 6])
            if codec in ("mp3", "mp2", "truehd", "vorbis"):
                channels = min(channels, 2)
            found += [f"-ac:a:{place}", str(channels)]
            if draw.random() < 0.5:
                found += [f"-metadata:s:a:{place}", f"language={draw.choice(['eng', 'ger', 'fre', 'und', 'jpn'])}"]
        return found

    def muxer_options(self):
        draw, found = self.draw, []
        if self.container in ("mp4", "mov"):
            flags = draw.choice([
                "", "", "+faststart", "+frag_keyframe", "+frag_keyframe+empty_moov", "+dash+global_sidx+delay_moov+empty_moov",
                "+frag_keyframe+empty_moov+default_base_moof", "+dash+delay_moov+frag_keyframe",
                "+negative_cts_offsets", "+frag_keyframe+delay_moov+skip_trailer", "+rtphint",
            ])
            found += ["-movflags", flags] if flags else []
            if draw.random() < 0.15:
                found += ["-use_editlist", "0"]
            if draw.random() < 0.15:
                found += ["-brand", "isom"]
            if draw.random() < 0.15:
                found += ["-video_track_timescale", str(draw.choice([600, 1000, 90000, 24000]))]
        elif self.container in ("mkv", "webm"):
            found += draw.choice([[], [], ["-cues_to_front", "1"], ["-reserve_index_space", "4096"], ["-live", "1"], ["-cluster_time_limit", "500"],
                                  ["-write_crc32", "0"], ["-cluster_size_limit", "4000"], ["-default_mode", "infer_no_subs"]])
        elif self.container in ("ts", "m2ts"):
            found += draw.choice([[], [], ["-mpegts_flags", "resend_headers"], ["-mpegts_flags", "initial_discontinuity"], ["-pcr_period", "100"], ["-pat_period", "0.5"],
                                  ["-mpegts_flags", "system_b"], ["-mpegts_start_pid", "0x200"], ["-muxdelay", "0", "-muxpreload", "0"], ["-omit_video_pes_length", "0"]])
        if draw.random() < 0.15:
            found += ["-output_ts_offset", str(draw.choice([10, 3600, 0.02]))]
        return found

    def commands(self, path, subtitle):
        """The commands that write the film to `path`, a path without an extension, each with the path of its output.
        The last output is the film."""
        draw, container = self.draw, self.container
        common = ["ffmpeg", "-hide_banner", "-v", "error", "-nostdin", "-y"]
        first = [*common, *self.inputs(subtitle)]
        count = (1 if self.video else 0) + len(self.audio) + (1 if self.text else 0)
        for place in range(count):
            first += ["-map", str(place)]
        if self.video:
            first += self.video_options()
        first += self.audio_options()
        if self.text:
            first += ["-c:s", self.text]
        first += [*self.muxer_options()]
        muxer = ["-f", "mpegts", "-mpegts_m2ts_mode", "1"] if container == "m2ts" else []
        end = f"{path}.{container}"
        second = draw.choice(["none"] * 6 + ["cut", "cut", "cut-end", "cut off"])
        if container == "avi" and "aac" in self.audio and second.startswith("cut"):
            second = "cut off" if second == "cut off" else "none"
        if second in ("cut", "cut-end"):
            whole = f"{path}.whole.{container}"
            at = round(self.seconds * draw.uniform(0.1, 0.6), 3)
            cut = ["-ss", str(at)] if second == "cut" else []
            length = ["-t", str(round(self.seconds * draw.uniform(0.2, 0.6), 3))] if second == "cut-end" or draw.random() < 0.4 else []
            yield [*first, *muxer, whole], whole
            yield [*common, *cut, "-i", whole, *length, "-map", "0", "-c", "copy", *self.muxer_options(), *muxer, end], end
        else:
            yield [*first, *muxer, end], end
        self.is_cut_off = second == "cut off" and container not in ("mp4", "mov")


SUBTITLE = "1\n00:00:00,200 --> 00:00:01,000\nFirst\n\n2\n00:00:01,200 --> 00:00:01,900\nSecond\n"


class Film:
    def __init__(self, path, is_cut_off):
        self.path, self.is_cut_off = path, is_cut_off


class NotMade(Exception):
    """ffmpeg cannot write this film; the text has the reason."""


def write(command):
    """Runs ffmpeg. The film's folder, which differs in each run, is removed from its messages."""
    folder = str(pathlib.Path(command[-1]).parent)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise NotMade(f"ffmpeg has not written it within {LIMIT:g} s") from None
    if done.returncode:
        output = [re.sub(r"^(\[.*?\] ?)+|\[.*?@ 0x\w+\] ?", "", line) for line in done.stderr.replace(folder + "/", "").splitlines()]
        output = [line for line in output if line.strip() and not line.startswith("Error initializing output stream")]
        raise NotMade(f"ffmpeg ended with {done.returncode}: {output[-1] if output else 'no message'}")


def draw(seed, directory):
    """Writes the film of a seed into a directory, and prints the commands."""
    subtitle = directory / "draw.srt"
    subtitle.write_text(SUBTITLE)
    recipe, path = Recipe(seed), None
    for command, path in recipe.commands(directory / f"film-{seed}", str(subtitle)):
        print(*(f"'{each}'" if set(each) & set(" ()*';") else each for each in command))
        write(command)
    if pathlib.Path(path).stat().st_size == 0:
        raise NotMade("ffmpeg has written an empty file")
    if recipe.is_cut_off:
        with open(path, "r+b") as file:
            size = file.seek(0, 2)
            file.truncate(int(size * recipe.draw.uniform(0.6, 0.98)))
        print("(cut off)")
    return Film(pathlib.Path(path), recipe.is_cut_off)
