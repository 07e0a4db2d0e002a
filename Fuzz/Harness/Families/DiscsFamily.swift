// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

/// The input is each of the files of a Blu-ray disc.
func exerciseDiscs(_ bytes: [UInt8]) {
    _ = try? BluRayIndex(bytes)
    _ = try? MovieObjects(bytes)
    _ = TransportUnit(bytes, pid: 0x1011)
    if let playlist = try? BluRayPlaylist(bytes) { exercisePlaylist(playlist) }
    guard let clip = try? ClipInformation(bytes) else { return }
    for entries in clip.entryPoints.values {
        expect(4 * entries.count <= bytes.count, "an entry has four bytes")
        let times = entries.map(\.time)
        for rate in UInt8(0)...8 {
            let found = EntryTimes(rate: rate)?.exact(times, isSampled: { $0 % 3 == 0 }, read: { times[$0] + 7 })
            expect(found.map { $0.count == times.count } ?? true, "each entry has a time")
        }
    }
}

private func exercisePlaylist(_ playlist: BluRayPlaylist) {
    expect(playlist.items.count <= 999, "a playlist has at most 999 items")
    expect(playlist.items.allSatisfy { (1...9).contains($0.clips.count) }, "an item has from 1 to 9 angles")
    expect(playlist.items.flatMap(\.clips).allSatisfy { $0.utf8.count == 5 }, "a clip is named by five digits")
    var start: Int64 = 0
    var stretches: [TitleTimeline.Stretch] = []
    for item in playlist.items {
        let duration = Int64(item.duration) * 2
        stretches.append(.init(position: start, entry: Int64(item.inTime) * 2, start: start, duration: duration))
        start += duration
    }
    guard !stretches.isEmpty else { return }
    let timeline = TitleTimeline(stretches)
    for mark in playlist.marks {
        let place = timeline.stretch(at: Int64(mark.time))
        _ = timeline.stretches[place].placed(Int64(mark.time) * 2)
    }
    let candidate = TitleRanking.Candidate(
        parts: playlist.items.map { .init(clip: $0.clips[0], start: $0.inTime, end: $0.outTime) },
        duration: .seconds(Double(start) / 90_000),
        chapterCount: playlist.marks.count,
        isReferenced: false
    )
    expect(TitleRanking.main(of: [candidate, candidate]) != nil, "a disc with titles has a main one")
}
