// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Resolves the name of a local file, as a client gives it, and opens the file.
package enum SourceFile {
    /// Opens the file that `source` names: an absolute path, or a `file:` URL of this host. Blocks: for actors with a
    /// thread of their own.
    package static func open(_ source: String) throws(EngineError) -> RegularFile {
        let path = try path(of: source)
        let file: RegularFile
        do throws(RegularFile.OpenError) {
            file = try RegularFile(path: path)
        } catch {
            throw EngineError(error, path: path)
        }
        guard file.byteCount > 0 else { throw EngineError(.sourceEmpty, "\(path) is empty") }
        return file
    }

    /// The path behind a path or a `file:` URL (RFC 8089), percent-decoding included.
    package static func path(of source: String) throws(EngineError) -> String {
        guard !source.isEmpty else { throw .invalid("source", "is empty") }
        guard !source.utf8.contains(0) else { throw .invalid("source", "contains a NUL byte") }
        guard source.utf8.count <= 4096 else { throw .invalid("source", "is longer than 4096 bytes") }
        if source.hasPrefix("/") { return source }
        guard source.lowercased().hasPrefix("file:") else {
            let scheme = source.prefix { $0 != ":" && $0 != "/" }
            let isURL = source.dropFirst(scheme.count).hasPrefix("://")
            throw EngineError(
                .invalidArgument,
                isURL
                    ? "\(scheme):// sources are not supported, only files and HTTP servers"
                    : "source must be an absolute path or a file:, http: or https: URL, not \(source)",
                field: "source"
            )
        }
        var rest = source.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host == "localhost" else {
                throw EngineError(.invalidArgument, "\(source) names a file on another host", field: "source")
            }
            rest = rest.dropFirst(host.count)
        }
        guard rest.hasPrefix("/"), let path = percentDecoded(rest), !path.utf8.contains(0) else {
            throw .invalid("source", "\(source) is not a file: URL with an absolute path")
        }
        return path
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension EngineError {
    init(_ error: RegularFile.OpenError, path: String) {
        switch error {
        case .failed(let errno) where errno.isNotFound:
            self.init(.sourceNotFound, "\(path) does not exist", cause: "\(errno)")
        case .failed(let errno) where errno.isPermissionDenied:
            self.init(.sourceAccessDenied, "permission to read \(path) was denied", cause: "\(errno)")
        case .failed(let errno):
            self.init(.sourceReadFailed, "\(path) could not be opened", cause: "\(errno)")
        case .notRegular(let kind):
            self.init(.sourceNotReadable, "\(path) is \(kind), not a file")
        }
    }

    /// - Parameter failed: the error's code if it is neither an interruption nor a failure of the source.
    package init(_ error: FFmpegError, _ failed: Code, _ message: String) {
        if error.isInterruption {
            self.init(.cancelled, "\(message): interrupted", cause: "\(error)")
        } else if let source = error.source {
            self = source
        } else {
            self.init(failed, message, cause: "\(error)")
        }
    }
}

extension FFmpegError {
    /// Throws unless the error is about the bytes themselves: what a damaged source causes, a caller can pass over; an
    /// interruption or an unreadable source it cannot.
    package func mustBeBad(_ doing: String) throws(EngineError) {
        if isInterruption || source != nil { throw EngineError(self, .sourceReadFailed, doing) }
    }
}
