// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
@testable import Packaging
import Testing

/// The file systems of images, in each form that discs have, and damaged.
struct ImageVolumeTests {
    private static func content(_ count: Int, seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ seed) }
    }

    private static let files: [(folder: String, name: String, bytes: [UInt8])] =
        [("", "top", content(5, seed: 1)), ("BDMV", "index.bdmv", content(20_000, seed: 2))]
        // A folder of several blocks.
        + (0..<60).map { ("STREAM", "höhe \($0).m2ts", content(300 + 900 * ($0 % 9), seed: $0)) }

    private static func opened(_ bytes: [UInt8]) -> ImageBytes {
        ImageBytes(path: "/film.iso", byteCount: Int64(bytes.count)) { offset, count in
            Array(bytes[Int(offset)...].prefix(count))
        }
    }

    /// Every file, by its path.
    private static func walk(_ bytes: [UInt8]) throws -> [String: [UInt8]]? {
        let image = opened(bytes)
        guard let volume = try image.volume() else { return nil }
        var found: [String: [UInt8]] = [:]
        for entry in try volume.content(of: volume.root, in: image).entries {
            let inner = entry.isFolder ? try volume.content(of: entry, in: image).entries : [entry]
            for file in inner where !file.isFolder {
                let ranges = try volume.ranges(of: file, in: image)
                let path = entry.isFolder ? "\(entry.name)/\(file.name)" : file.name
                found[path] = ranges.flatMap { bytes[Int($0.lowerBound)..<Int($0.upperBound)] }
            }
        }
        return found
    }

    private static var expected: [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: files.map { ($0.folder.isEmpty ? $0.name : "\($0.folder)/\($0.name)", $0.bytes) }
        )
    }

    @Test(arguments: UDFBytes.Partition.allCases, UDFBytes.Allocation.allCases)
    private func filesOfUDFAreFound(_ partition: UDFBytes.Partition, _ allocation: UDFBytes.Allocation) throws {
        var writer = UDFBytes(partition, allocation)
        let bytes = writer.image(Self.files)
        #expect(try Self.walk(bytes) == Self.expected)
        #expect(try Self.opened(bytes).volume()?.name == "FILM")
    }

    @Test
    func otherAnchorsAreReadOnlyIfTheFirstIsDamaged() throws {
        var writer = UDFBytes(.metadata, .short)
        var bytes = writer.image(Self.files)
        bytes += UDFBytes.zeros(2048) + bytes[256 * 2048..<257 * 2048]
        let last = bytes.count / 2048 - 1
        func sectors() throws -> Set<Int> {
            var read: Set<Int> = []
            let image = ImageBytes(path: "/film.iso", byteCount: Int64(bytes.count)) { offset, count in
                read.insert(Int(offset) / 2048)
                return Array(bytes[Int(offset)...].prefix(count))
            }
            _ = try image.volume()
            return read
        }
        let first = try sectors()
        #expect(first.contains(256) && !first.contains(last) && !first.contains(last - 256))
        bytes[256 * 2048] ^= 1
        #expect(try sectors().contains(last))
    }

    @Test(arguments: UDFBytes.Partition.allCases)
    private func readsAreAnnounced(_ partition: UDFBytes.Partition) throws {
        var writer = UDFBytes(partition, .long)
        let bytes = writer.image(Self.files)
        var announced: [Range<Int64>] = []
        var missed: Set<Int> = []
        let image = ImageBytes(path: "/film.iso", byteCount: Int64(bytes.count), expect: { announced += $0 }) {
            offset,
            count in
            if !announced.contains(where: { $0.contains(offset) }) { missed.insert(Int(offset) / 2048) }
            return Array(bytes[Int(offset)...].prefix(count))
        }
        let volume = try #require(try image.volume())
        let top = try volume.content(of: volume.root, in: image).entries
        for folder in top where folder.isFolder { _ = try volume.content(of: folder, in: image) }
        // Only the first bytes and the recognition area are read before it is known that this is an image.
        #expect(missed == [0, 16, 17, 18, 19])
        #expect(announced.allSatisfy { $0.upperBound <= bytes.count })
        // The descriptor of a file is announced by callers.
        let file = try #require(top.first { !$0.isFolder })
        #expect(volume.descriptor(of: file).count == 1)
    }

    @Test(
        "after an empty start, the first descriptors are announced before the image is recognised",
        arguments: [true, false]
    )
    func startIsEmpty(_ isEmpty: Bool) throws {
        var writer = UDFBytes(.physical, .long)
        var bytes = writer.image(Self.files)
        if !isEmpty { bytes[0] = 0xEB }
        var announced: [Range<Int64>] = []
        var known: [Range<Int64>]?
        let image = ImageBytes(path: "/film.iso", byteCount: Int64(bytes.count), expect: { announced += $0 }) {
            offset,
            count in
            if offset >= 16 * 2048, known == nil { known = announced }
            return Array(bytes[Int(offset)...].prefix(count))
        }
        #expect(try image.volume() != nil)
        #expect(known?.contains { $0.contains(256 * 2048) } == isEmpty)
    }

    @Test(arguments: [false, true])
    func filesOfISO9660AreFound(isJoliet: Bool) throws {
        let files = Self.files.filter { !$0.folder.isEmpty }
        // Files of more than 4 GiB have several parts.
        let parts = files.map { file in
            let middle = file.bytes.count / 4096 * 2048
            return (file.folder, file.name, [Array(file.bytes.prefix(middle)), Array(file.bytes[middle...])])
        }
        let bytes = ISO9660Bytes(isJoliet: isJoliet).image(parts)
        #expect(try Self.walk(bytes) == Self.expected.filter { $0.key != "top" })
        #expect(try Self.opened(bytes).volume()?.name == "FILM")
    }

    @Test
    func copyOfTheDescriptorsIsReadWhereTheyAreDamaged() throws {
        var writer = UDFBytes(.physical, .long)
        var bytes = writer.image(Self.files)
        // The anchor at the end leads to the same descriptors.
        bytes += UDFBytes.zeros(2048) + bytes[256 * 2048..<257 * 2048]
        bytes[256 * 2048] ^= 0xFF
        #expect(try Self.walk(bytes) == Self.expected)
    }

    /// The content of the only folder of an image.
    private static func folder(_ bytes: [UInt8]) throws -> ImageFolder {
        let image = opened(bytes)
        let volume = try #require(try image.volume())
        let top = try volume.content(of: volume.root, in: image)
        return try volume.content(of: try #require(top.entries.first), in: image)
    }

    @Test
    func damagedEntryOfAFolderIsSkippedAndSaid() throws {
        var writer = UDFBytes(.physical, .long)
        let files = (0..<60).map { (folder: "STREAM", name: "clip \($0)", bytes: [UInt8($0)]) }
        var bytes = writer.image(files)
        #expect(try Self.folder(bytes).loss == nil)
        let name = Array("clip 7".utf16).flatMap { UDFBytes.wide($0) } + [UInt8(0)]
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
        bytes[place] ^= 1
        let found = try Self.folder(bytes)
        #expect(found.entries.map(\.name) == files.map(\.name).filter { $0 != "clip 7" })
        #expect(found.loss == .damaged)
        // An entry that leads to a block which is not there.
        bytes[place] ^= 1
        let start = place - 39
        bytes[start + 27] = 0x7F
        Self.repair(&bytes, at: start)
        #expect(try Self.folder(bytes) == found)
    }

    @Test
    func damagedRecordOfAFolderIsSaid() throws {
        var bytes = ISO9660Bytes(isJoliet: false).image([("A", "B", [[1]]), ("A", "C", [[2]])])
        #expect(try Self.folder(bytes).loss == nil)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: [3, UInt8(ascii: "C")]) })
        bytes[place] = 200
        #expect(try Self.folder(bytes).entries.map(\.name) == ["B"])
        #expect(try Self.folder(bytes).loss == .damaged)
    }

    @Test
    func entriesBeyondTheLimitAreSaid() throws {
        for (copies, loss) in [(19_999, nil), (20_000, ImageFolder.Loss.tooMany)] {
            var writer = UDFBytes(.physical, .long)
            writer.copies = copies
            let image = Self.opened(writer.image([("", "film", [1])]))
            let volume = try #require(try image.volume())
            let top = try volume.content(of: volume.root, in: image)
            #expect(top.entries.count == 20_000 && top.loss == loss)
        }
    }

    @Test
    func otherFilesAreNoImages() throws {
        #expect(try Self.walk([]) == nil)
        #expect(try Self.walk(UDFBytes.zeros(100_000)) == nil)
        #expect(try Self.walk(Self.content(100_000, seed: 0)) == nil)
    }

    /// Beginnings of films that end within the system area of an image, or are damaged there.
    private static let partsOfFilms: [[UInt8]] = [
        hex("000000186674797069736f6d00000000"), hex("1a45dfa3a3428288"), hex("1a45dfa383428100"),
        // A whole small film: `ftyp` and `mdat`, then a header and a segment.
        hex("00000008667479700000000c6d64617400000000"), hex("1a45dfa3834281001853806781ec"),
        hex("0000000166747970000000000000000f"), hex("0000000466747970"),
        // A segment element of another kind follows the header.
        hex("1a45dfa3834281001f43b67501ffffffffffffff"),
    ]

    @Test(arguments: partsOfFilms)
    func imageWhoseSystemAreaBeginsLikeAFilmIsFound(start: [UInt8]) throws {
        var writer = UDFBytes(.physical, .long)
        var bytes = writer.image(Self.files)
        bytes.replaceSubrange(0..<start.count, with: start)
        #expect(try Self.walk(bytes) == Self.expected)
    }

    @Test(
        arguments: [
            "00000008667479700010000066726565", "0000000866747970000000016d6461740000000000100000",
            "0000000866747970000000006d646174", "1a45dfa3834281001853806701ffffffffffffff",
            "1a45dfa383428100ec8100185380671800000000",
        ]
    )
    func noDiscIsLookedForBehindTheStartOfAFilm(start: String) throws {
        let start = hex(start)
        let image = ImageBytes(path: "/film", byteCount: 1 << 30) { offset, count in
            #expect(offset + Int64(count) <= 64)
            return Array((start + UDFBytes.zeros(100))[Int(offset)...].prefix(count))
        }
        #expect(try image.volume() == nil)
    }

    @Test
    func truncatedImageHasWhatIsLeft() throws {
        var writer = UDFBytes(.physical, .long)
        let bytes = writer.image([("BDMV", "film", Self.content(50_000, seed: 0))])
        let cut = Array(bytes.dropLast(20_480))
        let file = try #require(try Self.walk(cut)?["BDMV/film"])
        #expect(file.count < 50_000 && file.count > 20_000)
        #expect(file.elementsEqual(Self.content(50_000, seed: 0).prefix(file.count)))
    }

    /// Random changes in the structures give an answer within bounds or a typed error, and never a crash.
    @Test
    func damagedImagesAreTyped() throws {
        var random = SplitMix(state: 7)
        var images = [false, true].map { ISO9660Bytes(isJoliet: $0).image([("A", "B", [[1, 2, 3]])]) }
        for partition in UDFBytes.Partition.allCases {
            for allocation in UDFBytes.Allocation.allCases {
                var writer = UDFBytes(partition, allocation)
                images.append(writer.image(Array(Self.files.prefix(5))))
            }
        }
        var found = (typed: 0, read: 0)
        for image in images {
            for round in 0..<30 {
                var bytes = image
                for _ in 0..<1 + round % 4 {
                    // A byte that is not zero belongs to a structure, or to the content of a file, which may be
                    // anything.
                    var place = 0
                    repeat { place = Int.random(in: 0..<image.count, using: &random) } while image[place] == 0
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                    Self.repair(&bytes, at: place / 2048 * 2048)
                }
                if round % 7 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                do {
                    _ = try Self.walk(bytes)
                    found.read += 1
                } catch let error as EngineError {
                    #expect(error.code == .sourceNotMedia, "\(error)")
                    found.typed += 1
                }
            }
        }
        #expect(found.typed > 20 && found.read > 20, "\(found)")
    }

    @Test
    func extentsThatContinueInThemselvesAreRefused() throws {
        var writer = UDFBytes(.physical, .chained)
        var bytes = writer.image(Self.files)
        let lists = stride(from: 0, to: bytes.count, by: 2048).filter { place in
            UDFDescriptor(Array(bytes[place..<place + 2048]), .allocationExtent) != nil
        }
        try #require(!lists.isEmpty)
        for list in lists {
            // The blocks of the partition are counted from this sector.
            let block = list / 2048 - 288
            let itself = UDFBytes.little(2048 | 3 << 30, 4) + UDFBytes.little(block, 4) + UDFBytes.zeros(8)
            bytes.replaceSubrange(list + 20..<list + 40, with: UDFBytes.little(16, 4) + itself)
            Self.repair(&bytes, at: list)
        }
        let error = #expect(throws: EngineError.self) { _ = try Self.walk(bytes) }
        #expect(error?.code == .sourceNotMedia && error?.cause.contains("in more than") == true)
    }

    /// Corrects the checksums of a descriptor, so that its changed content is accepted.
    private static func repair(_ bytes: inout [UInt8], at start: Int) {
        let count = Int(bytes[start + 10]) + Int(bytes[start + 11]) << 8
        guard start >= 32 * 2048, count > 0, 16 + count <= 2048, start + 16 + count <= bytes.count else { return }
        let checksum = UDFDescriptor.checksum(bytes[start + 16..<start + 16 + count])
        bytes.replaceSubrange(start + 8..<start + 10, with: UDFBytes.little(Int(checksum), 2))
        bytes[start + 4] = 0
        bytes[start + 4] = bytes[start..<start + 16].reduce(0, &+)
    }
}
