// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The file system UDF, revisions 1.02 to 2.60 (ECMA-167 with the rules of OSTA), limited to what video discs use.
package struct UDFVolume: ImageVolume {
    package let name: String
    package let root: ImageEntry
    private let partitions: UDFPartitions

    private static let sequenceLimit: Int64 = 128
    private static let anchor: Int64 = 256
    /// The range of the first anchor and of the sectors that are announced with it, because partitions and their first
    /// descriptors usually begin shortly after it.
    static let firstDescriptors = anchor * ImageBytes.sectorByteCount..<(anchor + 128) * ImageBytes.sectorByteCount
    /// The maximum number of bytes of a metadata partition that are announced. Most descriptors and folders of the disc
    /// lie in these bytes.
    private static let metadataByteCount: Int64 = 256 << 10

    package init(_ image: ImageBytes) throws(EngineError) {
        var failure: EngineError?
        let count = image.byteCount / ImageBytes.sectorByteCount
        image.willRead([Self.firstDescriptors])
        // ECMA-167 3/8.4.2.1. Discs that are not closed have the anchor in sector 512. On a server, each read costs a
        // request, so the others are read only if the first one fails.
        for sector in [Self.anchor, count - 257, count - 1, 512] where sector >= 0 && sector < count {
            let bytes = try image.sectors(sector, of: "its anchor")
            guard let anchor = UDFDescriptor(bytes, .anchor) else { continue }
            // The main sequence of descriptors, and its copy.
            for place in [16, 24] {
                do throws(EngineError) {
                    self = try Self(at: anchor.number(at: place + 4, 4), anchor.number(at: place, 4), image)
                    return
                } catch {
                    guard error.code == .sourceNotMedia else { throw error }
                    failure = failure ?? error
                }
            }
        }
        throw failure ?? image.damaged("it has no anchor volume descriptor")
    }

    private init(at sector: Int64, _ byteCount: Int64, _ image: ImageBytes) throws(EngineError) {
        var volume: UDFDescriptor?
        var starts: [Int64: (start: Int64, count: Int64)] = [:]
        var next = sector
        var end = sector + byteCount / ImageBytes.sectorByteCount
        for _ in 0..<Self.sequenceLimit where next < end {
            let bytes = try image.sectors(next, of: "its volume descriptors")
            next += 1
            guard let descriptor = UDFDescriptor(bytes) else { continue }
            switch descriptor.kind {
            case .partition:
                starts[descriptor.number(at: 22, 2)] = (descriptor.number(at: 188, 4), descriptor.number(at: 192, 4))
            case .logicalVolume:
                // If there are several, the one with the highest number applies.
                if volume.map({ $0.number(at: 16, 4) <= descriptor.number(at: 16, 4) }) ?? true { volume = descriptor }
            case .pointer:
                next = descriptor.number(at: 24, 4)
                end = next + descriptor.number(at: 20, 4) / ImageBytes.sectorByteCount
            case .terminator: end = next
            default: break
            }
        }
        guard let volume else { throw image.damaged("it has no logical volume descriptor") }
        guard volume.number(at: 212, 4) == ImageBytes.sectorByteCount else {
            throw image.damaged("its blocks have \(volume.number(at: 212, 4)) bytes, not \(ImageBytes.sectorByteCount)")
        }
        name = volume.text(at: 84, 128)
        partitions = try UDFPartitions(volume, starts, in: image)
        image.willRead(partitions.metadata(upTo: Self.metadataByteCount))
        let files = volume.long(at: 248)
        let place = try partitions.ranges(of: files.partition, files.block..<files.block + 1, in: image)
        guard let range = place.first,
            let set = UDFDescriptor(try image.bytes(range, of: "its file set descriptor"), .fileSet)
        else { throw image.damaged("it has no file set descriptor") }
        root = try Self.entry("", isFolder: true, set.long(at: 400), partitions, image)
    }

    private static func entry(
        _ name: String,
        isFolder: Bool,
        _ place: UDFExtent,
        _ partitions: UDFPartitions,
        _ image: ImageBytes
    ) throws(EngineError) -> ImageEntry {
        let ranges = try partitions.ranges(of: place.partition, place.block..<place.block + 1, in: image)
        return ImageEntry(name: name, isFolder: isFolder, ranges: ranges, partition: place.partition)
    }

    package func content(of folder: ImageEntry, in image: ImageBytes) throws(EngineError) -> ImageFolder {
        let file = try UDFFile(at: folder.ranges, partition: folder.partition, partitions, image)
        guard file.isFolder else { throw image.damaged("its folder \(folder.name) is a file") }
        guard file.byteCount <= ImageEntry.folderByteLimit else {
            throw image.damaged("its folder \(folder.name) has \(file.byteCount) bytes")
        }
        var bytes: [UInt8] = []
        for range in try file.ranges(partitions, image) {
            bytes += try image.bytes(range, of: "its folder \(folder.name)")
        }
        var found = ImageFolder()
        if Int64(bytes.count) < file.byteCount { found.loss = .damaged }
        var start = 0
        while start < bytes.count {
            guard let (named, end) = Self.identifier(bytes, at: start) else {
                // The length of a damaged entry is unknown. The next entry begins at a multiple of four bytes, and its
                // checksums identify it.
                found.loss = .damaged
                start += 4
                continue
            }
            start = end
            // Skips deleted entries and the entry of the parent folder.
            guard named.flags & 0x0C == 0 else { continue }
            guard found.entries.count < ImageFolder.countLimit else {
                found.loss = .tooMany
                break
            }
            do throws(EngineError) {
                let isFolder = named.flags & 0x02 != 0
                found.entries.append(try Self.entry(named.name, isFolder: isFolder, named.place, partitions, image))
            } catch {
                guard error.code == .sourceNotMedia else { throw error }
                found.loss = .damaged
            }
        }
        return found
    }

    /// Reads an entry of a folder (ECMA-167 4/14.4).
    ///
    /// - Returns: the entry and where the next one begins; `nil` if it is damaged.
    private static func identifier(
        _ bytes: [UInt8],
        at start: Int
    ) -> (named: (name: String, flags: UInt8, place: UDFExtent), end: Int)? {
        guard start + 38 <= bytes.count, UDFDescriptor.isTagged(bytes, at: start, .file) else { return nil }
        let length = Int(bytes[start + 19])
        let skipped = 38 + Int(bytes[start + 36]) + Int(bytes[start + 37]) << 8
        let end = start + (skipped + length + 3) / 4 * 4
        guard end <= bytes.count, let named = UDFDescriptor(Array(bytes[start..<end]), .file) else { return nil }
        let name = UDFDescriptor.text(named.bytes[skipped..<skipped + length])
        return ((name, named.bytes[18], named.long(at: 20)), end)
    }

    package func descriptor(of file: ImageEntry) -> [Range<Int64>] { file.ranges }

    package func ranges(of file: ImageEntry, in image: ImageBytes) throws(EngineError) -> [Range<Int64>] {
        try UDFFile(at: file.ranges, partition: file.partition, partitions, image).ranges(partitions, image)
    }
}
