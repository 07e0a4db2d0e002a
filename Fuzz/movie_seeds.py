# SPDX-License-Identifier: Apache-2.0
"""Seeds of the family `containers` that ffmpeg does not write, or not as small; see make-seeds.py."""

import struct


def movies(write):
    """A movie with an edit list of 64 bits; movies in fragments."""
    write("containers", "edits", long_edits())
    times = range(0, 5000, 1000)
    write("containers", "fragments", fragmented_movie(times, False))
    write("containers", "fragments-list", fragmented_movie(times, True))
    # Equal times and no sync samples.
    write("containers", "found-equal-times", fragmented_movie([5000] * 4, False, has_syncs=False))


def box(name, *contents):
    content = b"".join(contents)
    return struct.pack(">I4s", 8 + len(content), name) + content


def words(*values):
    return struct.pack(f">{len(values)}I", *values)


def fragmented_movie(times, has_list, has_syncs=True):
    """A movie of video and audio with a fragment at each of these times. With `has_syncs`, every other fragment begins
    with sync samples. With `has_list`, an index of all fragments precedes them, and a list of sync samples follows."""
    tracks = b"".join(
        box(b"trak", box(b"tkhd", words(3, 0, 0, number), bytes(68)), box(
            b"mdia", box(b"mdhd", words(0, 0, 0, 1000, 0, 0)), box(b"hdlr", bytes(8), kind, bytes(13)),
            box(b"minf", box(b"stbl", box(b"stsz", words(0, 0, 0))))))
        for number, kind in ((1, b"vide"), (2, b"soun")))
    extends = box(b"mvex", *[box(b"trex", words(0, number, 1, 0, 0, 0)) for number in (1, 2)])
    head = box(b"ftyp", b"isom", words(512), b"isom") + box(b"moov", box(b"mvhd", bytes(100)), tracks, extends)
    fragments = []
    for number, time in enumerate(times):
        sync = 0x2000000 if has_syncs and number % 2 == 0 else 0x1010000
        parts = b"".join(
            box(b"traf", box(b"tfhd", words(0x20000, track)), box(b"tfdt", struct.pack(">IQ", 1 << 24, time)), box(
                b"trun", words(0xF01, count, 0), *[words(1000 // count, 1, flags, 0) for flags in (sync, 0x1010000)[:count]]))
            for track, count in ((1, 2), (2, 1)))
        fragments.append(box(b"moof", box(b"mfhd", words(0, number + 1)), parts) + box(b"mdat", bytes(3)))
    sizes = [len(each) for each in fragments]
    if has_list:
        head += box(b"sidx", words(0, 1, 1000, 0, 0, len(sizes)), *[words(size, 1000, 0) for size in sizes])
    data = head + b"".join(fragments)
    if not has_list:
        return data
    entries = [struct.pack(">QQ3B", time, len(head) + sum(sizes[:number]), 1, 1, 1) for number, time in enumerate(times)]
    lists = [box(b"tfra", words(1 << 24, track, 0, len(own)), *own) for track, own in ((1, entries[::2]), (2, entries))]
    size = sum(map(len, lists)) + 24
    return data + box(b"mfra", *lists, box(b"mfro", words(0, size)))


def long_edits():
    """A movie whose clocks and edit list have 64 bits, which ffmpeg writes for films of many hours only."""
    clock = struct.pack(">B3xQQIQ", 1, 0, 0, 1000, 1 << 33)
    edits = struct.pack(">B3xIQqI", 1, 1, 1 << 33, 40, 1 << 16)
    offsets = struct.pack(">4xIIIIi", 2, 249, 0, 1, -512)
    table = box(b"minf", box(b"stbl", box(b"ctts", offsets)))
    track = box(b"trak", box(b"edts", box(b"elst", edits)), box(b"mdia", box(b"mdhd", clock), table))
    return box(b"moov", box(b"mvhd", clock), track)
