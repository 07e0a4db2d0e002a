// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

/// The input is taken as each of the files of a Blu-ray disc and of a DVD, and as the sectors of an image.
func exerciseDiscs(_ bytes: [UInt8]) {
    _ = try? BluRayIndex(bytes)
    _ = try? MovieObjects(bytes)
    _ = TransportUnit(bytes, pid: 0x1011)
    _ = VideoUnit(bytes)
    expect(ChapterNames.names(inLibrary: bytes).count <= 999, "a title has at most 999 chapters")
    exerciseText(BluRayText(bytes, pid: 0x1800))
    exerciseImage(bytes)
    if let manager = try? VideoManager(bytes) { expect(manager.titles.count <= 99, "a DVD has at most 99 titles") }
    if let set = try? TitleSet(bytes) { exerciseSet(set) }
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

private func exerciseText(_ text: BluRayText) {
    expect(text.dialogs.count <= 20_000, "text has at most 20,000 dialogs")
    for dialog in text.dialogs {
        expect((0..<1 << 33).contains(dialog.start), "a time has 33 bits")
        expect(dialog.regions.count <= 255 && dialog.regions.allSatisfy { !$0.lines.isEmpty }, "a region has a line")
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

private func exerciseSet(_ set: TitleSet) {
    expect(set.chapters.allSatisfy { $0.count <= 999 }, "a title has at most 999 chapters")
    for chapter in set.chapters.joined() {
        guard let chain = try? set.chain(chapter.chain) else { continue }
        expect(chain.cells.count <= 255, "a chain has at most 255 cells")
        for angle in 1...9 {
            let places = chain.places(angle: angle)
            expect(places == places.sorted() && places.allSatisfy(chain.cells.indices.contains), "cells are in order")
        }
    }
}

/// Each piece of the input becomes a sector of the image: a descriptor with valid checksums.
private func exerciseImage(_ bytes: [UInt8]) {
    let piece = 512
    let count = max(1, bytes.count / piece)
    let size = Int(ImageBytes.sectorByteCount)
    let image = ImageBytes(path: "image", byteCount: 1 << 32) { offset, length in
        let first = Int(offset) / size
        let sectors = (first...(Int(offset) + length) / size).flatMap { number -> [UInt8] in
            let words = [16: "BEA01", 17: "NSR03", 18: "CD001"]
            var sector =
                words[number].map { [1] + Array($0.utf8) }
                ?? Array(bytes.dropFirst(number % count * piece).prefix(piece))
            sector += [UInt8](repeating: 0, count: size - sector.count)
            if words[number] == nil { mend(&sector) }
            return sector
        }
        return Array(sectors[(Int(offset) - first * size)...].prefix(length))
    }
    guard let volume = try? image.volume(), let entries = try? volume.content(of: volume.root, in: image).entries else {
        return
    }
    expect(entries.count <= 20_000, "a folder has at most 20,000 entries")
    for entry in entries.prefix(8) {
        guard let ranges = try? volume.ranges(of: entry, in: image) else { continue }
        expect(ranges.count <= 20_000, "a file has at most 20,000 parts")
        let isInside = ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= image.byteCount }
        expect(isInside, "what is read lies in the image")
    }
}

private func mend(_ sector: inout [UInt8]) {
    let count = min(2032, Int(sector[10]) + Int(sector[11]) << 8)
    let checksum = UDFDescriptor.checksum(sector[16..<16 + count])
    sector[8] = UInt8(checksum & 0xFF)
    sector[9] = UInt8(checksum >> 8)
    sector[4] = 0
    sector[4] = sector[..<16].reduce(0, &+)
}
