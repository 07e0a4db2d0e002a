// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The bytes of a disc's image, as the parsers of its file system see them.
///
/// Not thread-safe: made for one call of a parser.
package struct ImageBytes {
    package static let sectorByteCount: Int64 = 2048

    /// The name of the image for messages.
    package let path: String
    package let byteCount: Int64
    private let expect: ([Range<Int64>]) -> Void
    private let fetch: (_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8]

    /// - Parameters:
    ///   - expect: announces ranges that will be read, so that an image on a server fetches them together.
    ///   - fetch: reads up to `count` bytes from `offset`; fewer only at the end of the image.
    package init(
        path: String,
        byteCount: Int64,
        expect: @escaping ([Range<Int64>]) -> Void = { _ in },
        fetch: @escaping (_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8]
    ) {
        self.path = path
        self.byteCount = byteCount
        self.expect = expect
        self.fetch = fetch
    }

    /// Announces ranges that will be read, up to the end of the image.
    func willRead(_ ranges: [Range<Int64>]) {
        expect(ranges.map { $0.clamped(to: 0..<byteCount) }.filter { !$0.isEmpty })
    }

    /// - Throws: `sourceNotMedia` if the range is not within the image, and any error of reading it.
    func bytes(_ range: Range<Int64>, of what: String) throws(EngineError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else {
            let place = "\(range.lowerBound) to \(range.upperBound)"
            throw damaged("\(what) lies at bytes \(place), but the image has \(byteCount) bytes")
        }
        let bytes = try fetch(range.lowerBound, range.count)
        guard bytes.count == range.count else { throw damaged("it ends within \(what)") }
        return bytes
    }

    func sectors(_ first: Int64, _ count: Int64 = 1, of what: String) throws(EngineError) -> [UInt8] {
        let size = Self.sectorByteCount
        return try bytes(first * size..<(first + count) * size, of: what)
    }

    func damaged(_ cause: String) -> EngineError {
        EngineError(.sourceNotMedia, "\(path) is a damaged image of a disc", cause: cause)
    }
}

/// A file or a folder of an image.
package struct ImageEntry: Hashable, Sendable {
    package let name: String
    package let isFolder: Bool
    /// The byte ranges of its data in the image. In UDF: those of its file entry, which lists the ranges of the data.
    let ranges: [Range<Int64>]
    /// In UDF, the partition that contains its file entry.
    var partition = 0

    /// The largest size of a folder, in bytes.
    static let folderByteLimit: Int64 = 4 << 20
    /// The largest number of byte ranges of one file.
    static let rangeLimit = 20_000
}

/// The readable entries of a folder of an image.
package struct ImageFolder: Hashable, Sendable {
    /// The reason why entries are missing.
    package enum Loss: Hashable, Sendable {
        /// They are damaged.
        case damaged
        /// The folder has more than `countLimit`.
        case tooMany
    }

    /// The limit of entries in a folder.
    package static let countLimit = 20_000

    package var entries: [ImageEntry] = []
    /// `nil` if all entries are there.
    package var loss: Loss?
}

/// The file system of a disc's image.
package protocol ImageVolume: Sendable {
    /// The name of the disc.
    var name: String { get }
    var root: ImageEntry { get }

    /// Reads the entries of a folder.
    ///
    /// - Throws: `sourceNotMedia` if no part of it can be read, and any error of reading the image.
    func content(of folder: ImageEntry, in image: ImageBytes) throws(EngineError) -> ImageFolder

    /// The byte ranges of a file's data in the image, up to the end of the image.
    func ranges(of file: ImageEntry, in image: ImageBytes) throws(EngineError) -> [Range<Int64>]

    /// The byte ranges that `ranges(of:in:)` and `content(of:in:)` read first. Empty if they read no descriptor.
    func descriptor(of file: ImageEntry) -> [Range<Int64>]
}

extension ImageBytes {
    private static let signatures = ["BEA01", "NSR02", "NSR03", "TEA01", "CD001", "BOOT2", "CDW02"]
    /// The sector at which the descriptors of an image begin (ECMA-119, 7.1.1; ECMA-167 2/8.3).
    package static let firstSector: Int64 = 16
    private static let signatureLimit: Int64 = 48
    /// The sector before which most images have the descriptors of their volumes.
    private static let descriptorEnd: Int64 = 64
    /// The size of the first of the two parts in which the descriptors of partitions are fetched.
    private static let partByteCount: Int64 = 64 << 10

    /// The ranges that are read first to recognise most images. The descriptors of partitions are in two parts, because
    /// the first part alone determines what is read next.
    package static var usualReads: [Range<Int64>] {
        let descriptors = UDFVolume.firstDescriptors
        let middle = descriptors.lowerBound + partByteCount
        return [
            0..<descriptorEnd * sectorByteCount, descriptors.lowerBound..<middle, middle..<descriptors.upperBound,
        ]
    }

    /// Whether the bytes at `firstSector` are those of an image.
    package static func areDescriptors(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 6 && signatures.contains(String(decoding: bytes[1..<6], as: UTF8.self))
    }

    /// The file system, recognised by content; `nil` if it is not an image of a disc.
    ///
    /// Discs with both file systems are read as UDF, which has no limit of 4 GiB, unless the UDF volume is unreadable.
    package func volume() throws(EngineError) -> (any ImageVolume)? {
        if try hasFilmAtStart() { return nil }
        var found: [String] = []
        var sector = Self.firstSector
        while sector < Self.firstSector + Self.signatureLimit, (sector + 1) * Self.sectorByteCount <= byteCount {
            let start = sector * Self.sectorByteCount + 1
            let word = String(decoding: try bytes(start..<start + 5, of: "its recognition area"), as: UTF8.self)
            guard Self.signatures.contains(word) else { break }
            if !found.contains(word) { found.append(word) }
            sector += 1
        }
        // In most images, the descriptors of the volume lie here.
        if !found.isEmpty {
            willRead([Self.firstSector * Self.sectorByteCount..<Self.descriptorEnd * Self.sectorByteCount])
        }
        guard found.contains(where: { $0.hasPrefix("NSR") }) else {
            return found.contains("CD001") ? try ISO9660Volume(self) : nil
        }
        do throws(EngineError) {
            return try UDFVolume(self)
        } catch {
            guard error.code == .sourceNotMedia, found.contains("CD001") else { throw error }
            return try ISO9660Volume(self)
        }
    }
}
