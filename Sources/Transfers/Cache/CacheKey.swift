// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import Digests
internal import EngineModel

/// Identifies the content of a source on disk by its path, its length, its first 64 KiB and its last 8 KiB, the version
/// that the server states, and whether the source is fetched by https. The query and the host are not part of the key,
/// so that a newly signed URL finds the same bytes. The path is part of the key, because some servers derive entity
/// tags only from time and length.
package struct CacheKey: Hashable, Sendable {
    /// The number of bytes at the start that are part of the key.
    private static let headByteCount: Int64 = 64 << 10
    /// The number of bytes at the end that are part of the key. A server sends them in its first flight on a new
    /// connection (RFC 6928).
    private static let tailByteCount: Int64 = 8 << 10
    /// Shorter sources are fetched by one request anyway; longer ones would need a table of more than 96 MiB.
    static let byteCounts: ClosedRange<Int64> = 256 << 10...1 << 38

    /// 64 hexadecimal digits: the name of the source's files.
    package let name: String

    /// - Parameters:
    ///   - path: the path of the URL, after redirects.
    ///   - version: the version that the server states, with the length.
    ///   - isSecure: whether the source is fetched by https. Bytes fetched by http are never used for it.
    package init(
        path: [UInt8],
        _ version: ResourceState,
        isSecure: Bool,
        head: [UInt8],
        tail: [UInt8]
    ) throws(Digest.Unavailable) {
        var text: [UInt8] = []
        for part in [
            Array("engined ranges 3".utf8), path, Array("\(version.byteCount ?? -1)".utf8), [isSecure ? 1 : 0],
            Array((version.tag ?? version.weakTag.map { "W/\($0)" } ?? "").utf8), Array((version.modified ?? "").utf8),
            try Digest.sha256(head),
            try Digest.sha256(tail),
        ] {
            // Each part is preceded by its length, so that different lists of parts never have the same text.
            text += Array("\(part.count):".utf8) + part
        }
        name = Hexadecimal.text(try Digest.sha256(text))
    }

    /// Returns `nil` for a text that is not the name of a key.
    init?(name: String) {
        guard Hexadecimal.bytes(name[...])?.count == 32 else { return nil }
        self.name = name
    }

    /// The byte ranges that are part of the key. `nil` for a source that is not kept on disk.
    static func edges(_ byteCount: Int64?) -> [Range<Int64>]? {
        guard let byteCount, byteCounts.contains(byteCount) else { return nil }
        return [0..<headByteCount, byteCount - tailByteCount..<byteCount]
    }
}
