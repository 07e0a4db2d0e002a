// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Glibc

/// The path on which the engine listens.
package struct SocketPath: Hashable, Sendable {
    package let path: String
    /// Whether the engine owns the directory: it is created if missing, and its mode and owner are checked.
    package let ownsDirectory: Bool

    /// `sun_path` holds 108 bytes, one of them the NUL (unix(7)).
    package static let longestPath = 107

    /// - Parameter explicit: the value of `--socket`. `nil`: `$XDG_RUNTIME_DIR/engined/engined.sock`. There is no other
    ///   fallback.
    package static func resolve(_ explicit: String?) throws(EngineError) -> SocketPath {
        try resolve(explicit, runtimeDirectory: unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) })
    }

    static func resolve(_ explicit: String?, runtimeDirectory: String?) throws(EngineError) -> SocketPath {
        if let explicit {
            guard explicit.first == "/" else {
                throw EngineError(.invalidArgument, "the socket path \(explicit) is not absolute")
            }
            return try SocketPath(path: explicit, ownsDirectory: false)
        }
        guard let runtimeDirectory, runtimeDirectory.first == "/" else {
            throw EngineError(
                .unavailable,
                "XDG_RUNTIME_DIR is not set, so the socket has no default path; set one with --socket"
            )
        }
        return try SocketPath(path: "\(runtimeDirectory)/engined/engined.sock", ownsDirectory: true)
    }

    private init(path: String, ownsDirectory: Bool) throws(EngineError) {
        guard path.utf8.count <= Self.longestPath else {
            throw EngineError(
                .invalidArgument,
                "the socket path has \(path.utf8.count) bytes, the limit is \(Self.longestPath): \(path)"
            )
        }
        self.path = path
        self.ownsDirectory = ownsDirectory
    }

    package var directory: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    package var lockPath: String { (path.hasSuffix(".sock") ? String(path.dropLast(5)) : path) + ".lock" }
}
