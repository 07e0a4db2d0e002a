// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Resolves the name of a local file, as a client gives it, and opens the file.
package enum SourceFile {
    /// Opens the file or block device that `source` names: an absolute path, or a `file:` URL of this host. Blocks the
    /// calling thread: only for actors with a thread of their own.
    package static func open(_ source: String) throws(EngineError) -> RegularFile {
        let path = try path(of: source)
        let file: RegularFile
        do throws(RegularFile.OpenError) {
            file = try RegularFile(path, allowsDevices: true)
        } catch {
            throw EngineError(error, path: path)
        }
        guard file.byteCount > 0 else { throw EngineError(.sourceEmpty, "\(path) is empty") }
        return file
    }

    /// The path that `source` names, if it is a folder; otherwise `nil`.
    static func folder(_ source: String) throws(EngineError) -> FilePath? {
        let path = try path(of: source)
        return Directory.exists(path) ? path : nil
    }

    /// The path that an absolute path or a percent-encoded `file:` URL names. A URL can name any file; a path, only a
    /// file whose path is UTF-8.
    package static func path(of source: String) throws(EngineError) -> FilePath {
        guard !source.isEmpty else { throw .invalid("source", "is empty") }
        guard !source.utf8.contains(0) else { throw .invalid("source", "contains a NUL byte") }
        guard source.utf8.count <= FilePath.textLimit else {
            throw .invalid("source", "is longer than \(FilePath.textLimit) bytes")
        }
        let path: FilePath
        if source.hasPrefix("/") {
            path = FilePath(source)
        } else if FilePath.isFileURL(source) {
            guard let named = FilePath(fileURL: source), !named.bytes.contains(0) else {
                throw .invalid(
                    "source",
                    "\(ShownURL.text(of: source)) is not a file: URL of this host with an absolute path"
                )
            }
            path = named
        } else {
            let scheme = source.prefix { $0 != ":" && $0 != "/" }
            let isURL = source.dropFirst(scheme.count).hasPrefix("://")
            if FeedAddress.isOne(source) {
                throw .invalid("source", "\(scheme): names a stream that is sent to the engine, and not a file")
            }
            if ServerScheme(ofBrokenURL: source) != nil {
                throw .invalid("source", "a URL of this kind begins with \(scheme)://")
            }
            throw EngineError(
                .invalidArgument,
                isURL
                    ? "\(scheme):// sources are not supported: no helper reads them, and the engine itself reads only files, HTTP, "
                        + "SFTP and FTP servers, udp:, rtp: and pipe:"
                    : "source must be an absolute path or a URL, not \(ShownURL.text(of: source))",
                field: "source"
            )
        }
        guard path.bytes.count <= FilePath.byteLimit else {
            throw .invalid("source", "names a path of more than \(FilePath.byteLimit) bytes")
        }
        return path
    }
}
