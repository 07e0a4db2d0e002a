// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The description of a file or folder in UDF: a file entry or an extended file entry (ECMA-167 4/14.9 and 4/14.17).
struct UDFFile {
    /// The form of its allocation descriptors, which locate its data.
    private enum Allocation {
        case short
        case long
        case extended
        /// The data is in the entry itself.
        case embedded
    }

    private static let chainLimit = 256

    let byteCount: Int64
    let isFolder: Bool
    private let allocation: Allocation
    private let entry: UDFDescriptor
    /// The range of the allocation descriptors in the entry.
    private let place: Range<Int>
    private let partition: Int
    /// The byte range of the entry in the image.
    private let home: Range<Int64>

    /// - Parameters:
    ///   - ranges: the byte ranges of the block that contains the entry.
    ///   - partition: the partition of that block.
    init(
        at ranges: [Range<Int64>],
        partition: Int,
        _ partitions: UDFPartitions,
        _ image: ImageBytes
    ) throws(EngineError) {
        guard let range = ranges.first,
            let entry = UDFDescriptor(try image.bytes(range, of: "the descriptor of a file")),
            entry.kind == .fileEntry || entry.kind == .extendedFileEntry
        else { throw image.damaged("a file has no descriptor that can be read") }
        home = range
        self.partition = partition
        self.entry = entry
        guard entry.number(at: 20, 2) == 4 else {
            throw image.damaged(
                "a file has a descriptor of strategy \(entry.number(at: 20, 2)), which is not supported"
            )
        }
        isFolder = entry.number(at: 27, 1) == 4
        byteCount = entry.number(at: 56, 8)
        let isExtended = entry.kind == .extendedFileEntry
        let start = (isExtended ? 216 : 176) + entry.number(at: isExtended ? 208 : 168, 4)
        let end = start + entry.number(at: isExtended ? 212 : 172, 4)
        guard byteCount >= 0, end <= Int64(entry.bytes.count) else {
            throw image.damaged("the descriptor of a file is longer than its block")
        }
        place = Int(start)..<Int(end)
        switch entry.number(at: 34, 2) & 7 {
        case 0: allocation = .short
        case 1: allocation = .long
        case 2: allocation = .extended
        default: allocation = .embedded
        }
    }

    /// The byte ranges of its data in the image, up to the end of the image.
    func ranges(_ partitions: UDFPartitions, _ image: ImageBytes) throws(EngineError) -> [Range<Int64>] {
        if allocation == .embedded {
            let start = home.lowerBound + Int64(place.lowerBound)
            return [start..<start + min(byteCount, Int64(place.count))].filter { !$0.isEmpty }
        }
        var ranges: [Range<Int64>] = []
        var rest = byteCount
        try forEachExtent(partitions, image) { extent throws(EngineError) in
            let count = min(extent.byteCount, rest)
            guard extent.kind == .recorded else { throw image.damaged("a file has a part that was not recorded") }
            let size = ImageBytes.sectorByteCount
            let blocks = extent.block..<extent.block + (count + size - 1) / size
            let runs = ByteRuns(try partitions.ranges(of: extent.partition, blocks, in: image))
            for range in runs.part(0..<count) {
                guard ranges.count < ImageEntry.rangeLimit else {
                    throw image.damaged("a file has more than \(ImageEntry.rangeLimit) parts")
                }
                let end = min(range.upperBound, image.byteCount)
                if range.lowerBound < end {
                    if ranges.last?.upperBound == range.lowerBound {
                        ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<end
                    } else {
                        ranges.append(range.lowerBound..<end)
                    }
                }
                // Data beyond the end of the image is missing.
                if end < range.upperBound { return false }
            }
            rest -= count
            return rest > 0
        }
        return ranges
    }

    /// Calls `take` for each extent, in order.
    ///
    /// - Parameter take: returns whether it needs the next one.
    private func forEachExtent(
        _ partitions: UDFPartitions,
        _ image: ImageBytes,
        _ take: (UDFExtent) throws(EngineError) -> Bool
    ) throws(EngineError) {
        var descriptor = entry
        var place = place
        var partition = partition
        for _ in 0..<Self.chainLimit {
            guard let next = try extents(descriptor, place, partition, take) else { return }
            let blocks = next.block..<next.block + 1
            guard let range = try partitions.ranges(of: next.partition, blocks, in: image).first,
                let more = UDFDescriptor(try image.bytes(range, of: "the extents of a file"), .allocationExtent)
            else { throw image.damaged("further extents of a file cannot be read") }
            let end = 24 + more.number(at: 20, 4)
            guard end <= Int64(more.bytes.count) else {
                throw image.damaged("a list of extents is longer than its block")
            }
            descriptor = more
            place = 24..<Int(end)
            partition = next.partition
        }
        throw image.damaged("the extents of a file are in more than \(Self.chainLimit) blocks")
    }

    /// Calls `take` for each extent in one list of allocation descriptors.
    ///
    /// - Returns: the place where the list continues. `nil` if it has ended, or `take` needs no more extents.
    private func extents(
        _ descriptor: UDFDescriptor,
        _ place: Range<Int>,
        _ partition: Int,
        _ take: (UDFExtent) throws(EngineError) -> Bool
    ) throws(EngineError) -> UDFExtent? {
        let step: Int
        switch allocation {
        case .short: step = 8
        case .long: step = 16
        case .extended: step = 20
        case .embedded: return nil
        }
        for start in stride(from: place.lowerBound, through: place.upperBound - step, by: step) {
            let extent =
                switch allocation {
                case .short: UDFExtent(short: descriptor, at: start, partition: partition)
                case .extended: UDFExtent(extended: descriptor, at: start)
                case .long, .embedded: UDFExtent(long: descriptor, at: start)
                }
            if extent.byteCount == 0 { return nil }
            if extent.kind == .continuation { return extent }
            guard try take(extent) else { return nil }
        }
        return nil
    }
}
