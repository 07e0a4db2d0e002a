// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The file system ISO 9660 (ECMA-119), with the long names of Joliet if the volume has them.
package struct ISO9660Volume: ImageVolume {
    package let name: String
    package let root: ImageEntry
    private let isJoliet: Bool

    private static let firstDescriptor: Int64 = 16
    private static let descriptorLimit: Int64 = 32
    private static let escapes: [[UInt8]] = ["%/@", "%/C", "%/E"].map { Array($0.utf8) }

    package init(_ image: ImageBytes) throws(EngineError) {
        var primary: [UInt8]?
        var joliet: [UInt8]?
        for sector in Self.firstDescriptor..<Self.firstDescriptor + Self.descriptorLimit {
            let bytes = try image.sectors(sector, of: "its volume descriptors")
            // A disc that also has UDF has other descriptors after these.
            guard bytes[1..<6].elementsEqual("CD001".utf8), bytes[0] != 255 else { break }
            if bytes[0] == 1 { primary = primary ?? bytes }
            // ECMA-119, 8.5.6: the escape sequences that declare names in UCS-2.
            if bytes[0] == 2, Self.escapes.contains(where: { bytes[88...].starts(with: $0) }) { joliet = bytes }
        }
        guard let descriptor = joliet ?? primary else { throw image.damaged("it has no primary volume descriptor") }
        let blockByteCount = Int64(descriptor[128]) | Int64(descriptor[129]) << 8
        guard blockByteCount == ImageBytes.sectorByteCount else {
            throw image.damaged("its blocks have \(blockByteCount) bytes, not \(ImageBytes.sectorByteCount)")
        }
        isJoliet = joliet != nil
        name = Self.text(Array(descriptor[40..<72]), isJoliet: isJoliet)
        guard let record = Record(Array(descriptor[156..<190])) else { throw image.damaged("it has no root folder") }
        root = ImageEntry(name: "", isFolder: true, ranges: [record.range])
    }

    package func content(of folder: ImageEntry, in image: ImageBytes) throws(EngineError) -> ImageFolder {
        var found = ImageFolder()
        guard let range = folder.ranges.first else { return found }
        guard range.count <= ImageEntry.folderByteLimit else {
            throw image.damaged("its folder \(folder.name) has \(range.count) bytes")
        }
        let bytes = try image.bytes(range, of: "its folder \(folder.name)")
        var parts: [Range<Int64>] = []
        var start = 0
        while start < bytes.count {
            let length = Int(bytes[start])
            // Records do not cross sectors: a zero marks the unused rest of a sector.
            guard length > 0, let record = Record(Array(bytes[start...].prefix(length))) else {
                if length > 0 { found.loss = .damaged }
                start = (start / Int(ImageBytes.sectorByteCount) + 1) * Int(ImageBytes.sectorByteCount)
                continue
            }
            start += length
            parts.append(record.range)
            guard parts.count <= ImageEntry.rangeLimit else {
                throw image.damaged("a file of its folder \(folder.name) has more than \(ImageEntry.rangeLimit) parts")
            }
            // A file of more than 4 GiB has several records.
            if record.continues { continue }
            // The folder itself, and the one above it.
            if record.name != [0], record.name != [1] {
                guard found.entries.count < ImageFolder.countLimit else {
                    found.loss = .tooMany
                    break
                }
                let name = Self.text(record.name, isJoliet: isJoliet)
                found.entries.append(ImageEntry(name: Self.trimmed(name), isFolder: record.isFolder, ranges: parts))
            }
            parts = []
        }
        return found
    }

    package func ranges(of file: ImageEntry, in image: ImageBytes) throws(EngineError) -> [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        for range in file.ranges {
            let end = min(range.upperBound, image.byteCount)
            if range.lowerBound < end { ranges.append(range.lowerBound..<end) }
            if end < range.upperBound { break }
        }
        return ranges
    }

    /// The folder states where the data is.
    package func descriptor(of file: ImageEntry) -> [Range<Int64>] { [] }

    private static func text(_ bytes: [UInt8], isJoliet: Bool) -> String {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let text = isJoliet ? String(decoding: units, as: UTF16.self) : String(decoding: bytes, as: UTF8.self)
        var trimmed = text[...]
        while trimmed.last == " " || trimmed.last == "\0" { trimmed.removeLast() }
        return String(trimmed)
    }

    /// The name without its version, and without the final dot if it has no extension.
    private static func trimmed(_ name: String) -> String {
        let base = name.prefix { $0 != ";" }
        return String(base.hasSuffix(".") ? base.dropLast() : base)
    }

    /// A directory record (ECMA-119, 9.1).
    private struct Record {
        let range: Range<Int64>
        let isFolder: Bool
        /// Whether the next record is of the same file.
        let continues: Bool
        let name: [UInt8]

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 34, 33 + Int(bytes[32]) <= bytes.count else { return nil }
            func number(at place: Int) -> Int64 {
                (0..<4).reduce(0) { $0 | Int64(bytes[place + $1]) << Int64(8 * $1) }
            }
            let start = (number(at: 2) + Int64(bytes[1])) * ImageBytes.sectorByteCount
            range = start..<start + number(at: 10)
            isFolder = bytes[25] & 0x02 != 0
            continues = bytes[25] & 0x80 != 0
            name = Array(bytes[33..<33 + Int(bytes[32])])
        }
    }
}
