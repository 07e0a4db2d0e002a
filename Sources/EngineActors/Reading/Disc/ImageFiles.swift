// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The files in an image of a disc. The engine parses UDF and ISO 9660 itself, so nothing is mounted or copied.
final class ImageFiles: DiscFiles {
    /// The maximum number of files whose reads are requested ahead at a time.
    private static let expectedFiles = 512

    private let source: any ByteSource
    private let reads: ImageReads
    private let volume: any ImageVolume
    /// The folders that have been listed, by their paths in lower case.
    private let listed = Locked<[String: ImageFolder]>([:])

    /// - Returns: `nil` if the source is not a disc image.
    /// - Throws: `sourceNotMedia` if the image is damaged, `sourceNotReadable` if it is growing, or the error of reading
    ///   the source.
    init?(_ source: any ByteSource, _ interrupt: InterruptFlag) throws(EngineError) {
        guard source.growth == nil else {
            try Self.requireNoImage(source, interrupt)
            return nil
        }
        let reads = ImageReads(source, interrupt)
        guard let volume = try reads.image(interrupt).volume() else { return nil }
        (self.source, self.reads, self.volume) = (source, reads, volume)
    }

    /// A growing source is received once, in the order of its bytes, which is not the order of a title. If it were not
    /// refused, all titles of a DVD's image would be played as one film.
    ///
    /// - Throws: `sourceNotReadable` if a growing source is an image. Only the system area of an image begins with
    ///   zeros, so nothing else is awaited here.
    private static func requireNoImage(_ source: any ByteSource, _ interrupt: InterruptFlag) throws(EngineError) {
        let cursor = source.cursor(interrupt)
        let head = try cursor.read(at: 0, count: 8)
        guard head.count == 8, head.allSatisfy({ $0 == 0 }) else { return }
        let start = ImageBytes.firstSector * ImageBytes.sectorByteCount
        guard ImageBytes.areDescriptors(try cursor.read(at: start, count: 6)) else { return }
        throw EngineError(
            .sourceNotReadable,
            "\(source.path) is the image of a disc, and its server does not support ranges",
            cause: "the parts of a title cannot be read in their order"
        )
    }

    var path: String { source.path }

    var label: String { volume.name }

    var fileName: FilePath? { source.fileName }

    var notices: [Notice] {
        let incomplete = listed.withLock { $0.filter { $0.value.loss != nil } }
        return incomplete.sorted { $0.key < $1.key }.map { folder, content in
            let loss =
                switch content.loss {
                case .tooMany: "has more than \(ImageFolder.countLimit) entries; only these are used"
                case .damaged, nil: "has damaged entries, which are ignored"
                }
            return .incompleteFolder(folder, of: path, loss)
        }
    }

    func names(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [String] {
        try entries(in: folder, interrupt).map(\.name).sorted()
    }

    func file(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile? {
        guard let entry = try entry(name, interrupt), !entry.isFolder else { return nil }
        let ranges = try volume.ranges(of: entry, in: reads.image(interrupt))
        return DiscFile(pieces: ranges.map { .init(source: source, range: $0) })
    }

    func expect(_ names: [[String]], upTo byteCount: Int64, _ interrupt: InterruptFlag) throws(EngineError) {
        guard source.isRemote else { return }
        var files: [ImageEntry] = []
        for name in names.prefix(Self.expectedFiles) {
            if let file = try entry(name, interrupt), !file.isFolder { files.append(file) }
        }
        reads.expect(files.flatMap(volume.descriptor))
        guard byteCount > 0 else { return }
        let image = reads.image(interrupt)
        var wanted: [Range<Int64>] = []
        for file in files {
            do throws(EngineError) {
                let runs = ByteRuns(try volume.ranges(of: file, in: image))
                wanted += runs.part(0..<min(byteCount, runs.byteCount))
            } catch {
                // The file is damaged, which is reported when it is read.
                guard error.code == .sourceNotMedia else { throw error }
            }
        }
        reads.expect(wanted)
    }

    private func entries(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [ImageEntry] {
        let key = folder.joined(separator: "/").lowercased()
        if let known = listed.withLock({ $0[key] }) { return known.entries }
        guard let entry = try entry(folder, interrupt), entry.isFolder else { return [] }
        let found = try volume.content(of: entry, in: reads.image(interrupt))
        listed.withLock { $0[key] = found }
        return found.entries
    }

    private func entry(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> ImageEntry? {
        guard let last = name.last?.lowercased() else { return volume.root }
        return try entries(in: Array(name.dropLast()), interrupt).first { $0.name.lowercased() == last }
    }
}

/// The reads of an image's file system. For an image on a server, expected reads are requested together, because
/// otherwise each would cost a round trip.
///
/// Thread-safety: safe. Reads block.
private final class ImageReads: Sendable {
    /// Reads that were not expected are extended to whole blocks of this size, and to no more, because the next read is
    /// often elsewhere.
    private static let windowByteCount: Int64 = 64 << 10
    /// The maximum number of bytes that are requested ahead for one image.
    private static let byteLimit: Int64 = 4 << 20

    private let source: any ByteSource
    /// Requests reads ahead. Kept because the source fetches expected ranges only while the cursor that expects them
    /// exists. `nil` for a local image.
    private let ahead: (any ByteCursor)?
    private let announced = Locked(AnnouncedRanges(limit: byteLimit))

    init(_ source: any ByteSource, _ interrupt: InterruptFlag) {
        self.source = source
        ahead = source.isRemote ? source.cursor(interrupt) : nil
    }

    /// Requests ranges that will be read.
    func expect(_ ranges: [Range<Int64>]) {
        guard let ahead else { return }
        announced.withLock { if $0.insert(ranges) { ahead.expect($0.parts) } }
    }

    func image(_ interrupt: InterruptFlag) -> ImageBytes {
        let cursor = source.cursor(interrupt)
        return ImageBytes(path: source.path, byteCount: source.byteCount, expect: expect) {
            offset,
            count throws(EngineError) in
            if self.ahead != nil, self.announced.withLock({ !$0.contains(offset) }) {
                cursor.expect([self.window(around: offset, count)])
            }
            return try cursor.read(at: offset, count: count)
        }
    }

    private func window(around offset: Int64, _ count: Int) -> Range<Int64> {
        let size = Self.windowByteCount
        let end = (offset + Int64(count) + size - 1) / size * size
        return offset / size * size..<min(end, source.byteCount)
    }
}
