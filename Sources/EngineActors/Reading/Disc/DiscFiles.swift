// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The files of a disc. Names are compared without regard to case, because some systems change it when they copy discs.
///
/// Thread-safety: safe. Reads block.
protocol DiscFiles: Sendable {
    /// The name of the disc for messages.
    var path: String { get }

    /// The name of the disc's volume; empty for a folder.
    var label: String { get }

    /// The path of the image; `nil` for a folder, and for an image on a server.
    var fileName: FilePath? { get }

    /// Notices about entries that are missing from the folders read so far.
    var notices: [Notice] { get }

    /// The names in a folder; empty if there is no such folder.
    ///
    /// - Parameter folder: the names of the folders on the path from the top of the disc.
    func names(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [String]

    /// The location of a file's bytes; `nil` if there is no such file.
    func file(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile?

    /// Prepares for reads of files: the parts of an image on a server that hold them are fetched together. Files that
    /// do not exist are ignored.
    ///
    /// - Parameter byteCount: how much of each file will be read. If 0, only its location.
    func expect(_ names: [[String]], upTo byteCount: Int64, _ interrupt: InterruptFlag) throws(EngineError)
}

extension DiscFiles {
    func expect(_ names: [[String]], upTo byteCount: Int64, _ interrupt: InterruptFlag) throws(EngineError) {}

    /// Parses a file, or a copy of it if it is missing, damaged or unreadable.
    ///
    /// - Parameter names: the paths of the file and of its copies.
    /// - Returns: if none of them can be parsed, the failure of the last one that could be read, or `truncated` if none
    ///   exists.
    /// - Throws: `sourceReadFailed` if none of those that exist can be read.
    func parsed<Value>(
        _ names: [[String]],
        limit: Int,
        _ interrupt: InterruptFlag,
        _ parse: ([UInt8]) throws(PackagingError) -> Value
    ) throws(EngineError) -> Result<Value, PackagingError> {
        var failure: PackagingError?
        var unreadable: EngineError?
        for name in names {
            guard let file = try file(name, interrupt) else { continue }
            guard file.byteCount <= Int64(limit) else {
                failure = PackagingError(.limitExceeded, "it has \(file.byteCount) bytes, the limit is \(limit)")
                continue
            }
            let bytes: [UInt8]
            do throws(EngineError) {
                bytes = try file.bytes(limit: limit, name: name.joined(separator: "/"), interrupt)
            } catch {
                guard error.code == .sourceReadFailed else { throw error }
                unreadable = error
                continue
            }
            do throws(PackagingError) { return .success(try parse(bytes)) } catch { failure = error }
        }
        if failure == nil, let unreadable { throw unreadable }
        return .failure(failure ?? PackagingError(.truncated, "\(names[0].joined(separator: "/")) is missing"))
    }
}

/// The location of the bytes of a file on a disc.
struct DiscFile {
    /// A range of bytes of a source.
    struct Piece {
        let source: any ByteSource
        let range: Range<Int64>

        var byteCount: Int64 { range.upperBound - range.lowerBound }
    }

    let pieces: [Piece]
    private let runs: ByteRuns

    init(pieces: [Piece]) {
        self.pieces = pieces
        runs = ByteRuns(pieces.map(\.range))
    }

    var byteCount: Int64 { runs.byteCount }

    /// The pieces of a part of the file. The part is clamped to the length of the file.
    func pieces(of range: Range<Int64>) -> [Piece] {
        zip(runs.places(of: range), runs.part(range)).map { Piece(source: pieces[$0].source, range: $1) }
    }

    /// The sources that the file's pieces come from.
    var sources: [ObjectIdentifier: any ByteSource] {
        Dictionary(pieces.map { (ObjectIdentifier($0.source), $0.source) }) { first, _ in first }
    }

    /// - Throws: `sourceNotMedia` if the file is longer than `limit` bytes.
    func bytes(limit: Int, name: String, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        guard byteCount <= Int64(limit) else {
            throw EngineError(.sourceNotMedia, "\(name) has \(byteCount) bytes, the limit is \(limit)")
        }
        var bytes: [UInt8] = []
        for piece in pieces {
            bytes += try piece.source.cursor(interrupt).read(at: piece.range.lowerBound, count: Int(piece.byteCount))
        }
        return bytes
    }
}

/// Reads parts of a file on a disc.
///
/// Not thread-safe: owned by one thread.
struct DiscFileReader {
    let file: DiscFile
    let isRemote: Bool
    private let cursors: [ObjectIdentifier: any ByteCursor]

    init(_ file: DiscFile, _ interrupt: InterruptFlag) {
        self.file = file
        isRemote = file.pieces.contains { $0.source.isRemote }
        cursors = file.sources.mapValues { $0.cursor(interrupt) }
    }

    /// Reads a range of the file. Returns fewer bytes if the file ends earlier.
    func read(_ range: Range<Int64>) throws(EngineError) -> [UInt8] {
        let pieces = file.pieces(of: range)
        if pieces.count == 1, let cursor = cursors[ObjectIdentifier(pieces[0].source)] {
            return try cursor.read(at: pieces[0].range.lowerBound, count: Int(pieces[0].byteCount))
        }
        var bytes: [UInt8] = []
        for piece in pieces {
            guard let cursor = cursors[ObjectIdentifier(piece.source)] else { continue }
            bytes += try cursor.read(at: piece.range.lowerBound, count: Int(piece.byteCount))
        }
        return bytes
    }

    /// As `ByteCursor.expect(_:)`.
    func expect(_ ranges: [Range<Int64>]) {
        let wanted = Dictionary(grouping: ranges.flatMap(file.pieces(of:))) { ObjectIdentifier($0.source) }
        for (id, cursor) in cursors { cursor.expect((wanted[id] ?? []).map(\.range)) }
    }
}

/// The files below a local folder.
final class FolderFiles: DiscFiles {
    /// The maximum number of names read from one folder. Folders of discs have far fewer.
    private static let nameLimit = 20_000

    private let folder: FilePath
    /// The names in each folder read so far, by the folder's path in lower case, and the folders with more names than
    /// the limit.
    private let listed = Locked<(names: [String: [String]], incomplete: Set<String>)>(([:], []))
    let path: String

    var label: String { "" }

    var fileName: FilePath? { nil }

    var notices: [Notice] {
        listed.withLock { $0.incomplete }.sorted().map {
            .incompleteFolder($0, of: path, "has more than \(Self.nameLimit) entries; the others are ignored")
        }
    }

    /// - Parameters:
    ///   - folder: the top of the disc.
    ///   - path: as `DiscFiles.path`.
    init(_ folder: FilePath, path: String) {
        self.folder = folder
        self.path = path
    }

    func names(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [String] {
        let key = folder.joined(separator: "/").lowercased()
        if let known = listed.withLock({ $0.names[key] }) { return known }
        let found = try list(folder, interrupt)
        listed.withLock {
            $0.names[key] = found.names
            if !found.isComplete { $0.incomplete.insert(key) }
        }
        return found.names
    }

    private func list(
        _ names: [String],
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> (names: [String], isComplete: Bool) {
        guard let real = try realNames(names, interrupt) else { return ([], true) }
        let path = folder.appending(real.joined(separator: "/").utf8)
        var found: [String] = []
        do throws(Errno) {
            var directory = try Directory(path)
            while let entry = try directory.next() {
                guard found.count < Self.nameLimit else { return (found.sorted(), false) }
                if let name = String(validating: entry.name, as: UTF8.self) { found.append(name) }
            }
        } catch {
            guard error.isNotFound else {
                throw EngineError(.sourceReadFailed, "\(path) could not be listed", cause: "\(error)")
            }
        }
        return (found.sorted(), true)
    }

    /// The names with the case that they have in the file system. `nil` if one of them does not exist.
    private func realNames(_ names: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [String]? {
        var real: [String] = []
        for name in names {
            let wanted = name.lowercased()
            guard let found = try self.names(in: real, interrupt).first(where: { $0.lowercased() == wanted }) else {
                return nil
            }
            real.append(found)
        }
        return real
    }

    func file(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile? {
        guard let real = try realNames(name, interrupt) else { return nil }
        let bytes = Array(real.joined(separator: "/").utf8)
        do throws(RegularFile.OpenError) {
            let file = try RegularFile(bytes, foundBeneath: folder)
            return DiscFile(pieces: [.init(source: file, range: 0..<file.byteCount)])
        } catch {
            throw EngineError(error, path: folder.appending(bytes))
        }
    }
}

extension Notice {
    /// - Parameter loss: what is missing.
    static func incompleteFolder(_ folder: String, of path: String, _ loss: String) -> Notice {
        let name = folder.isEmpty ? "the top folder" : "the folder \(folder)"
        return Notice(.warning, "disc.folder_incomplete", "\(name) of \(path) \(loss)")
    }
}
