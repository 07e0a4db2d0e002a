// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging
internal import Reading

/// The location of a subtitle file.
package enum SidecarLocation: Hashable, Sendable {
    /// An absolute path.
    case file(FilePath)
    /// A file that was found below the source's folder, by its path relative to that folder. Other users may be able to
    /// create links there, so not every link is followed.
    case found([UInt8], beneath: FilePath)
    /// A file that a client has named, on a server or to be read by a helper.
    case server(ServerAddress)
    /// A file that was found in the folder of a source on a server, by its name there.
    ///
    /// - `shown`: its URL without credentials.
    case served(name: [UInt8], shown: String)

    /// - Throws: `invalidArgument` for a string that is neither an absolute path nor a supported URL, and for a found
    ///   file that is not below its folder.
    init(_ record: SidecarRecord) throws(EngineError) {
        guard let foundBeneath = record.foundBeneath else {
            try self.init(record.sidecar.path)
            return
        }
        if SourceOpener.isURL(foundBeneath) {
            self = try Self.served(record.sidecar.path, beneath: foundBeneath)
            return
        }
        let (path, folder) = (try SourceFile.path(of: record.sidecar.path), try SourceFile.path(of: foundBeneath))
        let start = folder.appending([]).bytes
        guard path.bytes.starts(with: start), path.bytes.count > start.count else {
            throw EngineError(.invalidArgument, "\(path) is not below \(folder)", field: "path")
        }
        self = .found(Array(path.bytes[start.count...]), beneath: folder)
    }

    private static func served(_ url: String, beneath folder: String) throws(EngineError) -> SidecarLocation {
        let name = url.dropFirst(folder.count)
        guard folder.hasSuffix("/"), url.hasPrefix(folder), !name.isEmpty, !name.contains("/"),
            let bytes = PercentEscapes.decoded(name.utf8), !bytes.contains(UInt8(ascii: "/"))
        else {
            throw EngineError(
                .invalidArgument,
                "\(SourceOpener.shown(url)) is not directly below \(SourceOpener.shown(folder))",
                field: "path"
            )
        }
        return .served(name: bytes, shown: url)
    }

    /// - Throws: `invalidArgument` for a string that is neither an absolute path nor a supported URL.
    init(_ path: String) throws(EngineError) {
        if SourceOpener.namesServer(path), let address = ServerAddress(path) {
            self = .server(address)
            return
        }
        do throws(EngineError) {
            self = .file(try SourceFile.path(of: path))
        } catch {
            let message = "\(SourceOpener.shown(path)) is neither an absolute path nor the URL of a file or of a server"
            throw EngineError(.invalidArgument, message, field: "path")
        }
    }

    /// The last path component, in the encoding of `ByteText`.
    var name: String {
        switch self {
        case .file(let path): ByteText.text(of: path.name)
        case .found(let name, _): ByteText.text(of: FilePath(name).name)
        case .server(let address): address.name
        case .served(let name, _): ByteText.text(of: name)
        }
    }

    /// The location as shown in messages and to clients, without the user and password of a URL.
    var shown: String {
        switch self {
        case .file(let path): path.text
        case .found(let name, let folder): folder.appending(name).text
        case .server(let address): address.shown
        case .served(_, let shown): shown
        }
    }

    /// Whether the engine found the file beside the source.
    var isFound: Bool {
        switch self {
        case .found, .served: true
        case .file, .server: false
        }
    }

    /// Opens a local file, which must not be empty. Blocks.
    func open() throws(EngineError) -> RegularFile {
        switch self {
        case .server, .served: preconditionFailure("a file on a server is fetched, not opened")
        case .file(let path): try Self.opened(path) { () throws(RegularFile.OpenError) in try RegularFile(path) }
        case .found(let name, let folder):
            try Self.opened(folder.appending(name)) { () throws(RegularFile.OpenError) in
                try RegularFile(name, foundBeneath: folder)
            }
        }
    }

    private static func opened(
        _ path: FilePath,
        by open: () throws(RegularFile.OpenError) -> RegularFile
    ) throws(EngineError) -> RegularFile {
        let file: RegularFile
        do throws(RegularFile.OpenError) { file = try open() } catch { throw EngineError(error, path: path) }
        guard file.byteCount > 0 else { throw EngineError(.sourceEmpty, "\(path) is empty") }
        return file
    }

    /// The location of a VobSub index's bitmaps: the same name with `.sub`. `nil` if the name does not end with `.idx`.
    var pictures: SidecarLocation? {
        for (index, pictures) in [(".idx", ".sub"), (".IDX", ".SUB"), (".Idx", ".Sub")] {
            switch self {
            case .file(let path):
                if let other = Self.replacing(index, by: pictures, in: path.bytes) { return .file(FilePath(other)) }
            case .found(let name, let folder):
                if let other = Self.replacing(index, by: pictures, in: name) { return .found(other, beneath: folder) }
            case .server(let address):
                if let other = address.replacingExtension(index, by: pictures) { return .server(other) }
            case .served(let name, let shown):
                if let other = Self.replacing(index, by: pictures, in: name), shown.hasSuffix(index) {
                    return .served(name: other, shown: shown.dropLast(index.count) + pictures)
                }
            }
        }
        return nil
    }

    private static func replacing(_ index: String, by pictures: String, in name: [UInt8]) -> [UInt8]? {
        name.suffix(index.utf8.count).elementsEqual(index.utf8) ? name.dropLast(index.utf8.count) + pictures.utf8 : nil
    }
}
