// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// The path on which the engine listens. Its name may be any bytes.
package struct SocketPath: Hashable, Sendable {
    package let file: FilePath
    /// Whether the engine owns the directory. If so, it creates a missing directory, and checks the mode and the owner.
    package let ownsDirectory: Bool

    /// `sun_path` holds 108 bytes, one of them the NUL (unix(7)).
    package static let longestPath = 107

    /// - Parameter explicit: the value of `--socket`, in the form of `FilePath.text`. `nil`:
    ///   `$XDG_RUNTIME_DIR/engined/engined.sock`. There is no other fallback.
    package static func resolve(_ explicit: String?) throws(EngineError) -> SocketPath {
        try resolve(explicit, runtimeDirectory: ProcessNames.variable("XDG_RUNTIME_DIR").map { FilePath($0) })
    }

    static func resolve(_ explicit: String?, runtimeDirectory: FilePath?) throws(EngineError) -> SocketPath {
        if let explicit {
            let file = FilePath.isFileURL(explicit) ? FilePath(fileURL: explicit) : FilePath(explicit)
            guard let file, file.isAbsolute else {
                throw EngineError(.invalidArgument, "the socket path \(explicit) is not absolute")
            }
            return try SocketPath(file, ownsDirectory: false)
        }
        guard let runtimeDirectory, runtimeDirectory.isAbsolute else {
            throw EngineError(
                .unavailable,
                "XDG_RUNTIME_DIR is not set, so the socket has no default path; set one with --socket"
            )
        }
        return try SocketPath(runtimeDirectory.appending("engined/engined.sock".utf8), ownsDirectory: true)
    }

    private init(_ file: FilePath, ownsDirectory: Bool) throws(EngineError) {
        guard file.bytes.count <= Self.longestPath else {
            throw EngineError(
                .invalidArgument,
                "the socket path has \(file.bytes.count) bytes, the limit is \(Self.longestPath): \(file)"
            )
        }
        self.file = file
        self.ownsDirectory = ownsDirectory
    }

    /// As in `FilePath.text`.
    package var path: String { file.text }

    package var directory: FilePath { file.folder }

    package var lockPath: FilePath { FilePath(file.withoutSocketSuffix + Array(".lock".utf8)) }

    /// The path of the side socket: `engined-frames.sock` beside `engined.sock`. `nil` if that path is too long, or if
    /// the main socket has no path.
    package static func sidePath(beside file: FilePath) -> FilePath? {
        guard file.isAbsolute else { return nil }
        let side = FilePath(file.withoutSocketSuffix + Array("-frames.sock".utf8))
        return side.bytes.count <= longestPath ? side : nil
    }
}

extension FilePath {
    fileprivate var withoutSocketSuffix: [UInt8] {
        let suffix = Array(".sock".utf8)
        return bytes.suffix(suffix.count).elementsEqual(suffix) ? bytes.dropLast(suffix.count) : bytes
    }
}
