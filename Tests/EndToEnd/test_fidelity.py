# SPDX-License-Identifier: Apache-2.0
"""The served media equals the file: payloads, presentation times, decoded frames and audio."""

import itertools
import os
import pathlib
import subprocess

import grpc
import pytest
from harness import payloads
from harness.contract import software_pb2
from harness.engine import PATIENCE, served
from harness.hls import Media
from harness.places import ENGINECTL, FIXTURES, SAMPLES
from harness.tiers import tiered

MEDIA = (".mkv", ".mka", ".mp4", ".mov", ".m4a", ".webm", ".ts", ".m2ts", ".avi", ".flv", ".ogg", ".opus", ".mp3", ".flac",
         ".h264", ".hevc", ".aac", ".ac3", ".ivf", ".wav")
REMUXED = {"h264", "hevc", "av1", "vp9", "aac", "ac3", "eac3", "flac", "alac", "opus", "mp3"}
MAX_FRAMES = 1500
# Clips that are cut off in the middle of a packet, for other tests.
TRUNCATED = {"truncated.mkv", "truncated.mp4", "truncated.ts"}
# FFmpeg does not read these correctly itself. test_packagings.py and test_changes.py compare them with the clips that
# they are made from.
COMPARED_ELSEWHERE = {
    "avc-cut-record.mp4",  # Without the parameter sets of the record FFmpeg returns no packet.
    "avc-record-start-coded.mp4",  # The same.
    "avc-lengths-of-1.mp4",  # Units in packets have another length size, so payloads cannot be the same.
    "avc-lengths-of-2.mp4",  # The same.
    "change-entries.mp4",  # FFmpeg keeps the length size of the first entry when the entry changes.
    "change-clock.ts",  # FFmpeg's times step back with the source's clock.
    "change-size.mkv",  # At the joint the source has two audio frames at one time: one is heard a frame later.
    "change-sound.ts",  # FFmpeg resamples the second half of the audio when decoding.
    "subtitled-change.mkv",  # change-size.mkv with subtitles.
}
# The containers that differ most, with streams of different kinds; test_packagings.py has HEVC, AV1, and streams without a container.
LEAN = {"h264-aac.ts", "h264-aac.avi", "vp9-opus.webm", "open-gop.mp4", "audio-alac.m4a", "audio-flac.ogg", "visual-packed.mp4"}
# Small samples with kinds of streams and faults that no fixture has.
CHOSEN = {"sample_h262_mpeg_audio.ts", "bear_vorbis.ogg"}
CHANGED = {
    "regular_start_code_4_muxed_el.hevc",  # Dolby Vision with two layers: test_dolby_vision.py.
    "id3-metadata.ts",  # HE-AAC that no configuration declares is bridged: test_joints.py.
}
# Clips of which nothing can be served: no player decodes their video from fMP4.
DECODED = {"plain-visual.mp4", "visual-packed.mp4"}
# Samples with frames that ffmpeg cannot decode either.
DAMAGED = {"bear-id3.mp3", "main.ts", "sample_with_invalid_nalu.mp4"}
# Samples with a track that is not served although its format could be.
PARTLY_SERVED = {
    "test-no-audio-segment.ts",  # It begins without a packet of its audio.
    "nasa_13013.mp4",  # It has two video tracks: only the selected one is served.
}


def sample_files():
    """The samples that are present, which may be none: unlike with fixtures, no parameter need be in the lean tier."""
    found = sorted(path for path in SAMPLES.rglob("*") if path.suffix in MEDIA and path.name not in CHANGED)
    return [pytest.param(path, marks=() if path.name in CHOSEN else pytest.mark.long) for path in found]


def fixture_files():
    found = sorted(path for path in FIXTURES.glob("*") if path.suffix in MEDIA and path.name not in TRUNCATED | COMPARED_ELSEWHERE)
    assert found, "the fixtures are missing: run scripts/fixtures"
    return found


def playable(found, is_sound=False):
    """The source packets that a player can be given: from the first random access point on, with a time if any packet
    has one. Audio whose clock steps back, at the joint of two recordings, is not heard until it has caught up."""
    start = next((at for at, each in enumerate(found) if each.is_key), len(found))
    is_timed = any(each.time is not None for each in found)
    wanted = [each for each in found[start:] if each.time is not None or not is_timed]
    if not is_sound or not is_timed:
        return wanted
    kept = wanted[:1]
    for each in wanted[1:]:
        if each.time >= kept[-1].time:
            kept.append(each)
    return kept


def without_hidden(found, start, is_sound):
    """The source packets without those that an edit list hides and nothing needs: pictures after the last one that is shown, or
    before the keyframe at which decoding for an edit begins; and hidden audio after the first packet that is heard."""
    shown = [at for at, each in enumerate(found) if not each.is_discarded]
    if not shown or len(shown) == len(found):
        return found
    kept = found[:shown[0]]
    run = []
    for at, each in enumerate(found[shown[0]:shown[-1] + 1], shown[0]):
        if is_sound:
            kept += [] if each.is_discarded else [each]
            continue
        group = list(itertools.takewhile(lambda other: not other.is_key, found[at + 1:]))
        if each.is_key and all(other.is_discarded or other.time > each.time for other in group):
            run = []
        if each.is_discarded:
            run.append(each)
        else:
            kept += [*run, each]
            run = []
    entry = next((at for at in reversed(range(shown[0] + 1)) if found[at].is_key and found[at].time <= start), 0)
    return kept if is_sound else kept[entry:]


def before_start(found):
    """How many pictures of a film in fragments its edit list hides and nothing needs. ffprobe does not mark them; it gives them
    times before 0."""
    if any(each.is_discarded or each.time is None for each in found):
        return 0
    return next((at for at in reversed(range(len(found))) if found[at].is_key and found[at].time <= 0), 0)


def is_unservable(path, reason):
    """True. Fails if ffprobe finds a track in the file that could be served unchanged."""
    missed = payloads.codecs(path) & REMUXED
    assert not missed, f"{reason}, but the file has {missed}"
    return True


def without_last(pictures, packets):
    """The decoded pictures without that of the last packet. Where a file was cut off, it is incomplete, and decoders fill in the
    rest in different ways. No other picture depends on it."""
    place = len(pictures) - 1 - sum(each.time > packets[-1].time for each in packets if each.time is not None)
    return [each for at, each in enumerate(pictures) if at != place]


def compare(engine, path, is_cut_off=False):
    """Whether a file must be served unchanged depends on what ffprobe finds in it; otherwise it is decoded, bridged or
    rejected. Returns whether players are served."""
    try:
        session = engine.load(path)
    except grpc.RpcError as error:
        code = error.details().split(":")[0]
        if code == "source_encrypted":
            content = pathlib.Path(path).read_bytes()
            assert b"encv" in content or b"enca" in content, error.details()
            return False
        assert code in ("source_not_media", "no_playable_stream"), error.details()
        return not is_unservable(path, error.details())
    try:
        if session.state.path == software_pb2.PLAYBACK_PATH_SOFTWARE:
            assert any(each.route == "software" for each in session.state.media.streams)
            return not is_unservable(path, "it is decoded by the engine")
        tracks = served(session.state.media)
        master = session.master()
        # The name of a playlist identifies its track: video.m3u8, audio-1.m3u8, in the order of the tracks.
        urls = {url.rsplit("/", 1)[1].removesuffix(".m3u8"): url for url in master.playlists()}
        names = ["video" if track.HasField("video") else f"audio-{place}" for place, track in enumerate(tracks)]
        assert sorted(urls) == sorted(names), master.text
        # Bridged audio is compared in test_audio_matrix.py.
        remuxed = [(track, urls[name]) for track, name in zip(tracks, names) if track.route == "remux"]
        left = [track for track in session.state.media.streams if track.codec in REMUXED and track.route != "remux"]
        # A transport stream announces the AC-3 core of TrueHD even if there is none, and a film that was cut may have nothing of
        # a track, or only packets that need those before the cut.
        left = [track for track in left if payloads.decodes(path, track.index)]
        assert not left or path.name in PARTLY_SERVED, left
        if not remuxed:
            return is_unservable(path, "no track is served unchanged")

        # One start for the whole file: the engine's time 0. This also checks that audio and video stay in sync.
        start = session.state.media.start_us / 1e6
        kinds = {track.index: "video" if track.HasField("video") else "audio" for track, _ in remuxed}
        # Every payload is compared; of a long film, a minute of decoded frames is enough.
        max_frames = MAX_FRAMES if session.state.media.duration_us > 80_000_000 else None
        source = payloads.streams(path, kinds, max_frames)
        for track, url in remuxed:
            Media.complete(url)
            theirs, expected_content = source[track.index]
            if track.codec == "opus":
                # Packets after the end of the stream are not heard.
                theirs = [each for each in theirs if not each.trimmed or each.trimmed < payloads.opus_length(each.payload)]
            if path.suffix in (".mp4", ".mov") and track.HasField("video"):
                left_out = before_start(theirs)
                theirs, expected_content = theirs[left_out:], expected_content[left_out:]
            if is_cut_off and track.HasField("video") and theirs[-1].time is not None:
                expected_content = without_last(expected_content, theirs)
            # The last frame of a truncated file is incomplete and cannot be served.
            found = theirs
            theirs = without_hidden(found, start, track.HasField("audio"))
            is_joined = track.HasField("audio") and len(found) > len(theirs) and not found[-1].is_discarded
            if track.codec == "aac" and theirs and payloads.is_cut_adts(theirs[-1].payload):
                theirs = theirs[:-1]
            ours, content = payloads.streams(url, {0: kinds[track.index]}, max_frames)[0]
            name = f"{track.codec} #{track.index}"
            if len(ours) > len(theirs) and any(each.is_discarded for each in found):
                # If presentation begins within a picture, FFmpeg hides that picture and begins with the next one.
                shift = payloads.edit_list_shift(path, track.index)
                theirs = without_hidden(found, start - shift, track.HasField("audio"))
            wanted = playable(theirs, track.HasField("audio"))
            assert (ours or not wanted) and all(each.time is not None for each in ours), name
            if not wanted:
                continue
            kept = payloads.canonical(track.codec, [each.payload for each in ours])
            expected = payloads.canonical(track.codec, [each.payload for each in wanted])
            assert len(kept) == len(expected), f"{name}: {len(kept)} packets, the source has {len(expected)}"
            wrong = [at for at, (one, other) in enumerate(zip(kept, expected)) if one != other]
            assert not wrong, f"{name}: {len(wrong)} payloads differ, the first at {wrong[0]}"

            late = differing_times(ours, wanted, start, name)
            if late and path.suffix in (".mp4", ".mov"):
                late = differing_times(ours, wanted, start - payloads.edit_list_shift(path, track.index), name)
            assert not late, f"{name}: {len(late)} times differ (packet, ours, source): {late[:5]}"
            # Overlapping audio decodes differently for each frame that is left out.
            if len(wanted) == len(playable(theirs)) and not is_joined:
                compare_decoded(track, content, expected_content, name, theirs, is_cut_off)
        return True
    finally:
        session.stop()


def validate(engine, path, *options):
    """Expects `enginectl validate` to find nothing wrong with what is served of a file."""
    done = subprocess.run(
        [ENGINECTL, "validate", *options, "--socket", str(engine.socket), path], capture_output=True, text=True,
        timeout=10 * PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


def differing_times(ours, wanted, start, name):
    if wanted[0].time is None:
        # A raw stream has no timestamps: its frames are shown one by one, each once, at an even pace.
        shown = sorted(each.time for each in ours)
        steps = [later - earlier for earlier, later in zip(shown, shown[1:])]
        assert max(steps) - min(steps) < 0.0015, f"{name}: uneven, {min(steps)} to {max(steps)}"
        return []
    # Hidden pictures after the first one that is shown have no time of their own.
    first = next((at for at, each in enumerate(wanted) if not each.is_discarded), len(wanted))
    pairs = [(at, one, other) for at, (one, other) in enumerate(zip(ours, wanted))
             if not other.is_discarded or at < first and other.time < wanted[first].time]
    times = sorted(other.time for _, _, other in pairs)
    steps = [later - earlier for earlier, later in zip(times, times[1:]) if later > earlier]
    tolerance = (sorted(steps)[len(steps) // 2] if steps else 0.04) / 2
    return [
        (at, round(one.time, 4), round(other.time - start, 4))
        for at, one, other in pairs if abs(one.time - (other.time - start)) > tolerance
    ]


def compare_decoded(track, content, expected, name, theirs, is_cut_off=False):
    if track.HasField("video"):
        # FFmpeg hides frames that an edit list cuts; here those that others need are served, before time 0 or for an
        # instant.
        hidden = sum(each.is_discarded for each in theirs) + is_cut_off
        assert len(content) - len(expected) in range(hidden + 1), f"{name}: {len(content)} pictures for {len(expected)}"
        served = iter(content)
        assert all(picture in served for picture in expected), f"{name}: pictures differ"
    else:
        # An edit list may cut at either end of the source; the part between is the same, sample by sample.
        frame = 4 * max(track.audio.channels, 1)
        # Some of what it cuts at the start is served, for decoders that need it.
        hidden = sum(each.duration or 0 for each in theirs if each.is_discarded)
        slack = (8192 + round(hidden * track.audio.sample_rate)) * frame
        assert abs(len(content) - len(expected)) <= slack, f"{name}: {len(content)} bytes of sound for {len(expected)}"
        shorter, longer = sorted((content, expected), key=len)
        middle = shorter[min(slack, len(shorter) // 4) // frame * frame:][:max(len(shorter) - 2 * slack, len(shorter) // 2)]
        assert middle in longer, f"{name}: sound differs"


@pytest.mark.parametrize("path", tiered(fixture_files(), lambda path: path.name in LEAN), ids=lambda path: path.name)
def test_clips_are_served_unchanged(engine, path):
    assert compare(engine, path) == (path.name not in DECODED)


@pytest.mark.skipif(not sample_files(), reason="there are no real samples in ../shared/media or $ENGINE_MEDIA")
@pytest.mark.parametrize("path", sample_files(), ids=lambda path: os.path.relpath(path, SAMPLES))
def test_samples_are_served_unchanged(engine, path):
    if compare(engine, path) and path.name not in DAMAGED:
        validate(engine, path, "--decode")
