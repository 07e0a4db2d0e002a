# SPDX-License-Identifier: Apache-2.0
"""A reader of media playlists with parts (draft-pantos-hls-rfc8216bis), independent of the engine's writer, and the rules
that each of them, and each reload, must fulfil."""

import dataclasses

from . import hls


@dataclasses.dataclass
class Part:
    uri: str
    duration: float
    is_independent: bool


@dataclasses.dataclass
class Entry:
    """A segment, or the one that is arriving, which has no URI and no duration."""
    number: int
    parts: list[Part]
    uri: str | None = None
    duration: float | None = None
    is_discontinuous: bool = False
    date: str | None = None
    map: str | None = None

    @property
    def facts(self):
        """What must stay the same from one load to the next. Old parts may be removed."""
        return self.uri, self.duration, self.is_discontinuous, self.date, self.map


class Playlist:
    """One load of a media playlist. A delta update needs `base`, an earlier load."""

    def __init__(self, text, base=None):
        self.text, lines = text, text.splitlines()
        assert lines[0] == "#EXTM3U", text[:80]
        self.version, self.target, self.sequence, self.skipped, self.is_ended = None, None, 0, 0, False
        self.discontinuity_sequence = 0
        self.control, self.part_target, self.hint, self.reports = {}, None, None, {}
        self.segments, self.tags = [], [line.partition(":")[0] for line in lines]
        entry, current = Entry(0, []), None
        for line in lines[1:]:
            name, _, value = line.partition(":")
            match name:
                case "#EXT-X-VERSION":
                    self.version = int(value)
                case "#EXT-X-TARGETDURATION":
                    self.target = int(value)
                case "#EXT-X-MEDIA-SEQUENCE":
                    self.sequence = int(value)
                case "#EXT-X-DISCONTINUITY-SEQUENCE":
                    self.discontinuity_sequence = int(value)
                case "#EXT-X-SERVER-CONTROL":
                    self.control = hls.attributes(value)
                case "#EXT-X-PART-INF":
                    self.part_target = float(hls.attributes(value)["PART-TARGET"])
                case "#EXT-X-SKIP":
                    self.skipped = int(hls.attributes(value)["SKIPPED-SEGMENTS"])
                    start = self.sequence - base.sequence
                    assert not self.segments and 0 <= start and start + self.skipped <= len(base.segments), f"skips what is unknown: {line}"
                    # Segments that may be skipped are too old to have parts.
                    self.segments = [dataclasses.replace(known, parts=[]) for known in base.segments[start:start + self.skipped]]
                    current = self.segments[-1].map if self.segments else None
                case "#EXT-X-MAP":
                    current = hls.attributes(value)["URI"]
                    assert not entry.parts, "MAP after a part of its segment"
                case "#EXT-X-DISCONTINUITY":
                    entry.is_discontinuous = True
                    assert not entry.parts, "DISCONTINUITY after a part of its segment"
                case "#EXT-X-PROGRAM-DATE-TIME":
                    entry.date = value
                    assert not entry.parts, "PROGRAM-DATE-TIME after a part of its segment"
                case "#EXT-X-PART":
                    found = hls.attributes(value)
                    assert found.get("INDEPENDENT", "YES") == "YES", line
                    entry.parts.append(Part(found["URI"], float(found["DURATION"]), "INDEPENDENT" in found))
                case "#EXTINF":
                    entry.duration = float(value.split(",")[0])
                case "#EXT-X-PRELOAD-HINT":
                    found = hls.attributes(value)
                    assert found["TYPE"] == "PART" and self.hint is None, line
                    self.hint = found["URI"]
                case "#EXT-X-RENDITION-REPORT":
                    found = hls.attributes(value)
                    self.reports[found["URI"]] = int(found["LAST-MSN"]), int(found["LAST-PART"])
                case "#EXT-X-ENDLIST":
                    self.is_ended = True
                case _ if line and not line.startswith("#"):
                    entry.uri, entry.map, entry.number = line, current, self.sequence + len(self.segments)
                    self.segments.append(entry)
                    entry = Entry(0, [])
        self.arriving = Entry(self.sequence + len(self.segments), entry.parts)

    @property
    def duration(self):
        return sum(entry.duration for entry in self.segments)

    @property
    def end(self):
        """The duration of all segments and of the parts after them."""
        return self.duration + sum(part.duration for part in self.arriving.parts)

    @property
    def last(self):
        """The number of the last part's segment, and the number of the part in that segment."""
        entry = self.arriving if self.arriving.parts else self.segments[-1]
        return entry.number, len(entry.parts) - 1

    def parts(self):
        """All listed parts by (number of the segment, number in the segment)."""
        return {(entry.number, index): part for entry in [*self.segments, self.arriving] for index, part in enumerate(entry.parts)}


def check(playlist, was_asked_to_skip=False):
    """The rules for one load: §4.4.3.7, §4.4.3.8, §4.4.4.9, §4.4.5.2, §4.4.5.3."""
    for tag in ("#EXT-X-VERSION", "#EXT-X-TARGETDURATION", "#EXT-X-SERVER-CONTROL", "#EXT-X-PART-INF", "#EXT-X-MEDIA-SEQUENCE"):
        assert playlist.tags.count(tag) == 1, f"{tag}: {playlist.text[:500]}"
    assert playlist.tags.count("#EXT-X-SKIP") == (1 if playlist.skipped else 0) and (was_asked_to_skip or not playlist.skipped)
    assert playlist.version >= (9 if playlist.skipped else 6), playlist.version
    control, target = playlist.control, playlist.part_target
    assert control["CAN-BLOCK-RELOAD"] == "YES" and float(control["PART-HOLD-BACK"]) >= 3 * target - 1e-6
    assert float(control["CAN-SKIP-UNTIL"]) >= 6 * playlist.target
    if playlist.skipped:
        listed = sum(entry.duration for entry in playlist.segments[playlist.skipped:])
        assert listed >= float(control["CAN-SKIP-UNTIL"]) - 1e-3, f"only {listed} s are listed"
    for entry in playlist.segments:
        assert round(entry.duration) <= playlist.target, entry
        if entry.parts:
            whole = sum(part.duration for part in entry.parts)
            assert abs(whole - entry.duration) < 1e-5 * len(entry.parts), f"parts of {whole} s in a segment of {entry.duration} s"
    for entry in [*playlist.segments, playlist.arriving]:
        for index, part in enumerate(entry.parts):
            assert 0 < part.duration <= target + 1e-6, part
            is_final = entry.uri is not None and index == len(entry.parts) - 1
            assert part.is_independent or is_final or part.duration >= 0.85 * target - 1e-6, (part, target)
    # Only segments that begin at most three target durations before the end still have parts (§6.2.2).
    place = playlist.duration
    for entry in reversed(playlist.segments):
        place -= entry.duration
        assert not entry.parts or playlist.duration - place <= 3 * playlist.target + 1e-6, f"parts of {entry.number} are still listed"
    if playlist.is_ended:
        assert playlist.hint is None
    else:
        assert all(entry.parts for entry in playlist.segments[-1:]), f"segment {playlist.segments[-1].number} has no parts"
        assert playlist.hint and playlist.hint not in {part.uri for part in playlist.parts().values()}


def check_reload(before, after):
    """The rules for a later load of the same playlist: what was announced stays (§6.2.1), and the hint came true (§4.4.5.3)."""
    assert (after.target, after.part_target, after.control) == (before.target, before.part_target, before.control)
    assert after.sequence >= before.sequence and after.last >= before.last
    old = {entry.number: entry for entry in before.segments}
    for place, entry in enumerate(after.segments):
        if entry.number in old and place > 0:
            assert entry.facts == old[entry.number].facts, "an announced segment has changed"
    then, now = before.parts(), after.parts()
    for key in then.keys() & now.keys():
        assert then[key] == now[key], f"{then[key]} has become {now[key]}"
    for key in then.keys() - now.keys():
        assert key[0] < after.arriving.number, f"{then[key]} of the arriving segment has disappeared"
    # The hinted part exists as soon as its segment has more parts than before.
    number, part = before.arriving.number, len(before.arriving.parts)
    found = next((entry for entry in [*after.segments, after.arriving] if entry.number == number), None)
    if found and found.parts and (found.uri or len(found.parts) > part):
        assert (number, part) in now and now[number, part].uri == before.hint, (before.hint, found)
