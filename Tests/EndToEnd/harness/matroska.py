# SPDX-License-Identifier: Apache-2.0
"""Matroska files whose first track has its blocks stored without their first bytes (ContentCompAlgo 3, RFC 9559
§5.1.4.1.31.6), as mkvmerge wrote them by default for years. It no longer does, and ffmpeg never did."""

import pathlib

SEGMENT, INFO, TRACKS, CLUSTER, CUES = 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675, 0x1C53BB6B
TRACK, NUMBER, CHECKSUM = 0xAE, 0xD7, 0xBF
GROUP, BLOCK, SIMPLE_BLOCK, POSITION, PREVIOUS_SIZE = 0xA0, 0xA1, 0xA3, 0xA7, 0xAB
POINT, POINT_TIME, POINT_PLACES, POINT_TRACK, POINT_CLUSTER = 0xBB, 0xB3, 0xB7, 0xF7, 0xF1


def number(data, at, keeps_marker):
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at:at + length], "big")
    return (value if keeps_marker else value & (1 << 7 * length) - 1), at + length


def children(data):
    """The ID, the content and the position of each element."""
    at = 0
    while at < len(data):
        start = at
        kind, at = number(data, at, True)
        size, at = number(data, at, False)
        yield kind, data[at:at + size], start
        at += size


def element(kind, content):
    return kind.to_bytes((kind.bit_length() + 7) // 8, "big") + (1 << 56 | len(content)).to_bytes(8, "big") + content


def without(data, prefix):
    """A block of the first track without the prefix of its frame; any other block as it is."""
    if data[0] != 0x81:
        return data
    assert data[4:].startswith(prefix), "the frame does not begin with these bytes"
    return data[:4] + data[4 + len(prefix):]


def stored(kind, content, prefix):
    """A child of a cluster, without checksums and positions, which would be wrong."""
    if kind in (CHECKSUM, POSITION, PREVIOUS_SIZE):
        return b""
    if kind == GROUP:
        content = b"".join(element(each, without(block, prefix) if each == BLOCK else block) for each, block, _ in children(content))
    return element(kind, without(content, prefix) if kind == SIMPLE_BLOCK else content)


def remove_headers(source, target, prefix=b"\0"):
    """Writes a file of mkvmerge with its blocks stored without a prefix. Its first track must be number 1."""
    (kind, header, _), *rest = children(pathlib.Path(source).read_bytes())
    segment = next(content for kind, content, _ in rest if kind == SEGMENT)
    parts = list(children(segment))
    settings = element(0x6D80, element(0x6240, element(0x5034, element(0x4254, b"\3") + element(0x4255, prefix))))
    tracks = b""
    for each, content, _ in children(next(content for kind, content, _ in parts if kind == TRACKS)):
        if each == TRACK:
            is_first = (NUMBER, b"\1") in [child[:2] for child in children(content)]
            tracks += element(TRACK, content + settings if is_first else content)
    front = element(INFO, next(content for kind, content, _ in parts if kind == INFO)) + element(TRACKS, tracks)
    clusters = {}
    for each, content, at in parts:
        if each == CLUSTER:
            clusters[at] = element(CLUSTER, b"".join(stored(*child[:2], prefix) for child in children(content)))

    def cues(places):
        points = []
        for _, point, _ in children(next(content for kind, content, _ in parts if kind == CUES)):
            fields = dict(each[:2] for each in children(point))
            place = dict(each[:2] for each in children(fields[POINT_PLACES]))
            cluster = places[int.from_bytes(place[POINT_CLUSTER], "big")].to_bytes(8, "big")
            points.append(element(POINT, element(POINT_TIME, fields[POINT_TIME]) + element(
                POINT_PLACES, element(POINT_TRACK, place[POINT_TRACK]) + element(POINT_CLUSTER, cluster))))
        return element(CUES, b"".join(points))

    at, places = len(front) + len(cues(dict.fromkeys(clusters, 0))), {}
    for old, cluster in clusters.items():
        places[old], at = at, at + len(cluster)
    pathlib.Path(target).write_bytes(
        element(kind, header) + element(SEGMENT, front + cues(places) + b"".join(clusters.values())))
