// SPDX-License-Identifier: Apache-2.0

@testable import Packaging

/// Writes images with the file system UDF, in each of the forms that discs have.
struct UDFBytes {
    enum Partition: CaseIterable { case physical, metadata, sparable }
    enum Allocation: CaseIterable { case short, long, extended, embedded, chained }

    var partition = Partition.physical
    var allocation = Allocation.long
    /// The number of additional entries for the first file in the root.
    var copies = 0

    private static let size = 2048
    private static let start = 288
    private static let spared = (packet: 16, original: 208, sector: 1200)
    /// The number of blocks in each of the two runs of the metadata partition, and the sectors where the runs begin.
    private static let run = 100
    private static let runs = (1000, start + 8)
    private var sectors: [Int: [UInt8]] = [:]
    /// The next free block for descriptors and folders, and for the content of files.
    private var next = (structure: 4, content: 200)

    init(_ partition: Partition, _ allocation: Allocation) {
        self.partition = partition
        // A short extent lies in the partition of its descriptor, and no file's content lies in a metadata partition.
        self.allocation = partition == .metadata && allocation == .short ? .long : allocation
    }

    /// - Parameter files: `folder` is a folder below the root, or empty for the root itself.
    mutating func image(_ files: [(folder: String, name: String, bytes: [UInt8])], volume: String = "FILM") -> [UInt8] {
        for (sector, word) in [(16, "BEA01"), (17, "NSR03"), (18, "TEA01")] {
            sectors[sector] = [0] + Array(word.utf8) + [1]
        }
        var top: [(String, Bool, Int)] = []
        // A folder with many entries is long.
        if copies > 0 { next.content = 1000 }
        for folder in Set(files.map(\.folder)).sorted() {
            let entries = files.filter { $0.folder == folder }.map { ($0.name, false, file($0.bytes)) }
            if folder.isEmpty { top += entries } else { top.append((folder, true, directory(entries))) }
        }
        top += top.prefix(1).flatMap { first in (0..<copies).map { ("\($0)", first.1, first.2) } }
        let root = directory(top)
        let reference = partition == .metadata ? 1 : 0
        let set = Self.tagged(256, Self.zeros(384) + Self.long(2048, root, reference) + Self.zeros(96))
        write(set, structure: 0)
        if partition == .metadata {
            // Blocks for structures lie in two runs, the second before the first.
            let size = Self.run * Self.size
            let extents = Self.short(size, Self.runs.0 - Self.start) + Self.short(size, Self.runs.1 - Self.start)
            sectors[Self.start] = Self.fileEntry(kind: 250, byteCount: 2 * size, allocation: 0, extents)
        }
        describe(volume, reference)
        let end = sectors.keys.max() ?? 0
        return (0...end).flatMap { sector in
            let bytes = sectors[sector] ?? []
            return bytes + Self.zeros(Self.size - bytes.count)
        }
    }

    private mutating func describe(_ volume: String, _ reference: Int) {
        var partitionBytes = Self.zeros(6) + Self.little(0, 2) + Self.zeros(164)
        partitionBytes += Self.little(Self.start, 4) + Self.little(2000, 4) + Self.zeros(100)
        sectors[32] = Self.tagged(5, partitionBytes)
        let label = [8] + Array(volume.utf8)
        var logical = Self.zeros(68) + label + Self.zeros(127 - label.count) + [UInt8(label.count)]
        logical += Self.little(2048, 4) + Self.zeros(32) + Self.long(2048, 0, reference)
        var maps: [UInt8] = partition == .sparable ? [] : [1, 6, 1, 0, 0, 0]
        if partition == .metadata {
            maps += Self.map("*UDF Metadata Partition") + Self.little(0, 4) + Self.little(1, 4) + Self.zeros(16)
        }
        if partition == .sparable {
            maps += Self.map("*UDF Sparable Partition") + Self.little(Self.spared.packet, 2) + [1, 0]
            maps += Self.little(2048, 4) + Self.little(280, 4) + Self.zeros(12)
            let entries = Self.little(Self.spared.original, 4) + Self.little(Self.spared.sector, 4)
            sectors[280] = Self.tagged(0, Self.zeros(32) + Self.little(1, 2) + Self.zeros(6) + entries)
        }
        let count = partition == .metadata ? 2 : 1
        logical += Self.little(maps.count, 4) + Self.little(count, 4) + Self.zeros(168) + maps
        sectors[33] = Self.tagged(6, logical)
        sectors[34] = Self.tagged(8, Self.zeros(496))
        sectors[256] = Self.tagged(2, Self.little(16 * 2048, 4) + Self.little(32, 4) + Self.zeros(488))
    }

    // MARK: Files

    private mutating func file(_ bytes: [UInt8]) -> Int {
        let place = claim(structure: 1)
        if allocation == .embedded, bytes.count < 1500 {
            write(Self.fileEntry(kind: 5, byteCount: bytes.count, allocation: 3, bytes), structure: place)
            return place
        }
        // Every third block begins another extent, with a gap before it.
        let blocks = stride(from: 0, to: bytes.count, by: Self.size).map { Array(bytes[$0...].prefix(Self.size)) }
        var extents: [[UInt8]] = []
        for group in stride(from: 0, to: blocks.count, by: 3) {
            let part = Array(blocks[group...].prefix(3))
            for (number, block) in part.enumerated() { sectors[sector(ofContent: next.content + number)] = block }
            extents.append(extent(part.reduce(0) { $0 + $1.count }, next.content))
            next.content += part.count + 1
        }
        var first = extents.flatMap { $0 }
        if allocation == .chained {
            let more = claim(structure: 1)
            let rest = extents.dropFirst().flatMap { $0 }
            write(Self.tagged(258, Self.zeros(4) + Self.little(rest.count, 4) + rest), structure: more)
            first = extents[0] + Self.long(2048 | 3 << 30, more, partition == .metadata ? 1 : 0)
        }
        let code = allocation == .short ? 0 : allocation == .extended ? 2 : 1
        write(Self.fileEntry(kind: 5, byteCount: bytes.count, allocation: code, first), structure: place)
        return place
    }

    private func extent(_ count: Int, _ block: Int) -> [UInt8] {
        switch allocation {
        case .short: Self.short(count, block)
        case .extended:
            Self.little(count, 4) + Self.little(count, 4) + Self.little(count, 4) + Self.little(block, 4)
                + Self.zeros(4)
        case .long, .embedded, .chained: Self.long(count, block, 0)
        }
    }

    private mutating func directory(_ entries: [(name: String, isFolder: Bool, place: Int)]) -> Int {
        let place = claim(structure: 1)
        let reference = partition == .metadata ? 1 : 0
        var bytes = Self.identifier([], flags: 0x0A, place, reference)
        // A deleted file, which readers must skip.
        bytes += Self.identifier([8] + Array("DELETED".utf8), flags: 0x04, place, reference)
        for entry in entries {
            let name: [UInt8] = [16] + entry.name.utf16.flatMap { Self.wide($0) }
            bytes += Self.identifier(name, flags: entry.isFolder ? 2 : 0, entry.place, reference)
        }
        let count = (bytes.count + Self.size - 1) / Self.size
        let content = claim(structure: count)
        for block in 0..<count {
            write(Array(bytes[(block * Self.size)...].prefix(Self.size)), structure: content + block)
        }
        let extents = Self.short(bytes.count, content)
        write(Self.fileEntry(kind: 4, byteCount: bytes.count, allocation: 0, extents), structure: place)
        return place
    }

    // MARK: Places

    private mutating func claim(structure count: Int) -> Int {
        defer { next.structure += count }
        return next.structure
    }

    private mutating func write(_ bytes: [UInt8], structure block: Int) {
        switch partition {
        case .physical, .sparable: sectors[Self.start + block] = bytes
        case .metadata: sectors[block < Self.run ? Self.runs.0 + block : Self.runs.1 + block - Self.run] = bytes
        }
    }

    private func sector(ofContent block: Int) -> Int {
        let spared = Self.spared
        let isSpared = spared.original..<spared.original + spared.packet ~= block
        return partition == .sparable && isSpared ? spared.sector + block - spared.original : Self.start + block
    }

    // MARK: Fields

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    static func wide(_ unit: UInt16) -> [UInt8] { [UInt8(unit >> 8), UInt8(unit & 0xFF)] }

    private static func short(_ count: Int, _ block: Int) -> [UInt8] { little(count, 4) + little(block, 4) }

    private static func long(_ count: Int, _ block: Int, _ partition: Int) -> [UInt8] {
        short(count, block) + little(partition, 2) + zeros(6)
    }

    private static func map(_ word: String) -> [UInt8] {
        [2, 64, 0, 0, 0] + Array(word.utf8) + zeros(23 - word.utf8.count) + zeros(8) + little(1, 2) + little(0, 2)
    }

    private static func tagged(_ kind: Int, _ body: [UInt8]) -> [UInt8] {
        let checksum = UDFDescriptor.checksum(body)
        var tag = little(kind, 2) + [3, 0, 0, 0, 0, 0] + little(Int(checksum), 2) + little(body.count, 2) + zeros(4)
        tag[4] = tag.reduce(0, &+)
        return tag + body
    }

    private static func fileEntry(kind: UInt8, byteCount: Int, allocation: Int, _ content: [UInt8]) -> [UInt8] {
        var body = zeros(4) + little(4, 2) + zeros(2) + little(1, 2) + [0, kind] + zeros(6) + little(allocation, 2)
        body += zeros(20) + little(byteCount, 8) + zeros(104) + little(0, 4) + little(content.count, 4)
        return tagged(261, body + content)
    }

    private static func identifier(_ name: [UInt8], flags: UInt8, _ place: Int, _ partition: Int) -> [UInt8] {
        let body = little(1, 2) + [flags, UInt8(name.count)] + long(2048, place, partition) + little(0, 2) + name
        return tagged(257, body + zeros((4 - (16 + body.count) % 4) % 4))
    }
}
