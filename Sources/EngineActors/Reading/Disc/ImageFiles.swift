// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The files in an image of a disc. The engine parses UDF and ISO 9660 itself, so nothing is mounted or copied.
final class ImageFiles: DiscFiles {
    /// The number of bytes that are fetched from a server around each read of the file system: less than what a server
    /// would be asked for otherwise, because the next read is often elsewhere.
    private static let windowByteCount: Int64 = 64 << 10

    private let source: any ByteSource
    private let volume: any ImageVolume
    /// The folders that have been listed, by their paths in lower case.
    private let listed = Locked<[String: ImageFolder]>([:])

    /// - Returns: `nil` if the content of the source is not the image of a disc.
    /// - Throws: `sourceNotMedia` if the image is damaged, or the error of reading the source.
    init?(_ source: any ByteSource, _ interrupt: InterruptFlag) throws(EngineError) {
        self.source = source
        guard source.growth == nil, let volume = try Self.image(source, interrupt).volume() else { return nil }
        self.volume = volume
    }

    var path: String { source.path }

    var label: String { volume.name }

    var fileName: FilePath? { source.fileName }

    var notices: [Notice] {
        let incomplete = listed.withLock { $0.filter { $0.value.loss != nil } }
        return incomplete.sorted { $0.key < $1.key }.map { folder, content in
            let loss =
                switch content.loss {
                case .tooMany: "has more than \(ImageFolder.countLimit) entries; the others are ignored"
                case .damaged, nil: "has damaged entries, which are ignored"
                }
            return .incompleteFolder(folder, of: path, loss)
        }
    }

    private static func image(_ source: any ByteSource, _ interrupt: InterruptFlag) -> ImageBytes {
        let cursor = source.cursor(interrupt)
        return ImageBytes(path: source.path, byteCount: source.byteCount) { offset, count throws(EngineError) in
            if source.isRemote { cursor.expect([window(around: offset, count, of: source)]) }
            return try cursor.read(at: offset, count: count)
        }
    }

    private static func window(around offset: Int64, _ count: Int, of source: any ByteSource) -> Range<Int64> {
        let end = (offset + Int64(count) + windowByteCount - 1) / windowByteCount * windowByteCount
        return offset / windowByteCount * windowByteCount..<min(end, source.byteCount)
    }

    func names(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [String] {
        try entries(in: folder, interrupt).map(\.name).sorted()
    }

    func file(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile? {
        guard let entry = try entry(name, interrupt), !entry.isFolder else { return nil }
        let ranges = try volume.ranges(of: entry, in: Self.image(source, interrupt))
        return DiscFile(pieces: ranges.map { .init(source: source, range: $0) })
    }

    private func entries(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [ImageEntry] {
        let key = folder.joined(separator: "/").lowercased()
        if let known = listed.withLock({ $0[key] }) { return known.entries }
        guard let entry = try entry(folder, interrupt), entry.isFolder else { return [] }
        let found = try volume.content(of: entry, in: Self.image(source, interrupt))
        listed.withLock { $0[key] = found }
        return found.entries
    }

    private func entry(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> ImageEntry? {
        guard let last = name.last?.lowercased() else { return volume.root }
        return try entries(in: Array(name.dropLast()), interrupt).first { $0.name.lowercased() == last }
    }
}
