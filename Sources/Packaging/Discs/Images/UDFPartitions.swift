// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Maps the blocks of a UDF volume's partitions to bytes of its image.
struct UDFPartitions {
    /// A partition, as described in the volume's partition map.
    private enum Partition {
        /// Consecutive blocks from a sector on.
        case physical(start: Int64, count: Int64)
        /// The same, except that packets of `packet` blocks that could not be written are stored elsewhere.
        case sparable(start: Int64, count: Int64, packet: Int64, spared: [SparedPacket])
        /// The blocks of a file.
        case metadata(ByteRuns)
    }

    /// A packet that is stored elsewhere.
    private struct SparedPacket {
        /// Its first block.
        let original: Int64
        /// The first sector of its replacement.
        let sector: Int64
    }

    private static let mapLimit = 8
    private static let spareLimit = 2048
    private static let size = ImageBytes.sectorByteCount

    private var partitions: [Partition] = []

    /// - Parameters:
    ///   - volume: the logical volume descriptor.
    ///   - starts: for each partition number, the first sector of the partition and the number of its sectors.
    init(
        _ volume: UDFDescriptor,
        _ starts: [Int64: (start: Int64, count: Int64)],
        in image: ImageBytes
    ) throws(EngineError) {
        let count = Int(volume.number(at: 268, 4))
        guard count <= Self.mapLimit else { throw image.damaged("it maps \(count) partitions") }
        var place = 440
        for _ in 0..<count {
            let length = Int(volume.number(at: place + 1, 1))
            let kind = volume.number(at: place, 1)
            guard kind == 1 && length == 6 || kind == 2 && length == 64, place + length <= volume.bytes.count else {
                throw image.damaged("its map of partitions has an entry of type \(kind) with \(length) bytes")
            }
            let number = volume.number(at: place + (kind == 1 ? 4 : 38), 2)
            guard let found = starts[number] else { throw image.damaged("it has no partition \(number)") }
            if kind == 1 {
                partitions.append(.physical(start: found.start, count: found.count))
            } else {
                partitions.append(try special(volume, at: place, found, number, starts, image))
            }
            place += length
        }
    }

    /// UDF 2.2.8 to 2.2.10.
    private func special(
        _ volume: UDFDescriptor,
        at place: Int,
        _ found: (start: Int64, count: Int64),
        _ number: Int64,
        _ starts: [Int64: (start: Int64, count: Int64)],
        _ image: ImageBytes
    ) throws(EngineError) -> Partition {
        let word = String(decoding: volume.bytes[place + 5..<place + 28].prefix { $0 != 0 }, as: UTF8.self)
        switch word {
        case "*UDF Sparable Partition":
            let packet = volume.number(at: place + 40, 2)
            guard packet > 0 else { throw image.damaged("its packets have no block") }
            let tables = Int(volume.number(at: place + 42, 1))
            let places = (0..<min(tables, 4)).map { volume.number(at: place + 48 + 4 * $0, 4) }
            let length = volume.number(at: place + 44, 4)
            let spared = try Self.spared(places, length, image)
            return .sparable(start: found.start, count: found.count, packet: packet, spared: spared)
        case "*UDF Metadata Partition":
            // The metadata file lies in the partition that has the same number.
            let base = partitions.firstIndex { partition in
                switch partition {
                case .physical(let start, _), .sparable(let start, _, _, _): start == found.start
                case .metadata: false
                }
            }
            guard let base else { throw image.damaged("the partition of its metadata is not mapped") }
            var failure = image.damaged("the file of its metadata has no descriptor")
            // The metadata file; if it is unreadable, its mirror.
            for offset in [40, 44] {
                do throws(EngineError) {
                    let block = volume.number(at: place + offset, 4)
                    let ranges = try ranges(of: base, block..<block + 1, in: image)
                    let file = try UDFFile(at: ranges, partition: base, self, image)
                    return .metadata(ByteRuns(try file.ranges(self, image)))
                } catch {
                    guard error.code == .sourceNotMedia else { throw error }
                    failure = error
                }
            }
            throw failure
        default: throw image.damaged("it has a partition of the kind \(word), which is not supported")
        }
    }

    /// The entries of the first readable sparing table (UDF 2.2.12), in the order of the packets.
    private static func spared(
        _ places: [Int64],
        _ byteCount: Int64,
        _ image: ImageBytes
    ) throws(EngineError) -> [SparedPacket] {
        let count = min(byteCount, Int64(56 + 8 * spareLimit))
        for place in places where place * size + count <= image.byteCount {
            let bytes = try image.bytes(place * size..<place * size + count, of: "its sparing table")
            guard let table = UDFDescriptor(bytes) else { continue }
            var spared: [Int64: Int64] = [:]
            for entry in 0..<Int(table.number(at: 48, 2)) where 64 + 8 * entry <= bytes.count {
                let original = table.number(at: 56 + 8 * entry, 4)
                // Entries that are unused, or defective themselves, have larger numbers.
                if original < 0xFFFF_FFF0 { spared[original] = table.number(at: 60 + 8 * entry, 4) }
            }
            return spared.sorted { $0.key < $1.key }.map { SparedPacket(original: $0.key, sector: $0.value) }
        }
        throw image.damaged("it has no sparing table that can be read")
    }

    /// The byte ranges in the image of the first `count` bytes of the metadata partition. Empty if there is none.
    func metadata(upTo count: Int64) -> [Range<Int64>] {
        for case .metadata(let runs) in partitions { return runs.part(0..<count) }
        return []
    }

    /// The byte ranges in the image of blocks of a partition.
    func ranges(of partition: Int, _ blocks: Range<Int64>, in image: ImageBytes) throws(EngineError) -> [Range<Int64>] {
        guard partitions.indices.contains(partition) else { throw image.damaged("it has no partition \(partition)") }
        switch partitions[partition] {
        case .physical(let start, let count):
            try require(blocks, within: count, image)
            return [(start + blocks.lowerBound) * Self.size..<(start + blocks.upperBound) * Self.size]
        case .sparable(let start, let count, let packet, let spared):
            try require(blocks, within: count, image)
            return Self.ranges(of: blocks, from: start, packet, spared)
        case .metadata(let runs):
            try require(blocks, within: runs.byteCount / Self.size, image)
            return runs.part(blocks.lowerBound * Self.size..<blocks.upperBound * Self.size)
        }
    }

    private func require(_ blocks: Range<Int64>, within count: Int64, _ image: ImageBytes) throws(EngineError) {
        guard blocks.lowerBound >= 0, blocks.upperBound <= count else {
            let text = "blocks \(blocks.lowerBound) to \(blocks.upperBound) of a partition of \(count) blocks are used"
            throw image.damaged(text)
        }
    }

    private static func ranges(
        of blocks: Range<Int64>,
        from start: Int64,
        _ packet: Int64,
        _ spared: [SparedPacket]
    ) -> [Range<Int64>] {
        // Only spared packets interrupt the run.
        var found: [Range<Int64>] = []
        var next = blocks.lowerBound
        for spare in spared[spared.place { $0.original + packet > blocks.lowerBound }...] {
            guard spare.original < blocks.upperBound else { break }
            let low = max(spare.original, next)
            let high = min(spare.original + packet, blocks.upperBound)
            guard low < high else { continue }
            if next < low { found.append((start + next) * size..<(start + low) * size) }
            found.append((spare.sector + low - spare.original) * size..<(spare.sector + high - spare.original) * size)
            next = high
        }
        if next < blocks.upperBound { found.append((start + next) * size..<(start + blocks.upperBound) * size) }
        return found
    }
}
