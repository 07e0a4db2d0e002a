// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Identifies the content of a source on disk: by its length, its first and last 64 KiB, and what the server says about
/// its version. The URL is no part of it, so that one that was signed again finds the same bytes.
package struct CacheKey: Hashable, Sendable {
    /// How many bytes at each end are compared.
    package static let edgeByteCount: Int64 = 64 << 10
    /// Shorter sources are fetched by one request anyway; longer ones would need a table of more than 64 MiB.
    static let byteCounts: ClosedRange<Int64> = 256 << 10...1 << 38

    /// 64 hexadecimal digits: the name of the source's files.
    package let name: String

    /// - Parameters:
    ///   - version: what the server says about the resource, with its length.
    ///   - isSecure: whether the bytes come by https. What comes by http never stands for them.
    package init(_ version: ResourceState, isSecure: Bool, head: [UInt8], tail: [UInt8]) {
        var text: [UInt8] = []
        for part in [
            Array("engined ranges 1".utf8), Array("\(version.byteCount ?? -1)".utf8), [isSecure ? 1 : 0],
            Array((version.tag ?? "").utf8), Array((version.modified ?? "").utf8), ByteDigest.sha256(head),
            ByteDigest.sha256(tail),
        ] {
            // With its length, so that no two lists of parts have the same text.
            text += Array("\(part.count):".utf8) + part
        }
        let digits = Array("0123456789abcdef")
        name = String(ByteDigest.sha256(text).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// `nil` for anything but a name.
    init?(name: String) {
        guard name.utf8.count == 64,
            name.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.name = name
    }

    /// The ranges that a key is made of. `nil` for a source that is not kept on disk.
    static func edges(_ byteCount: Int64?) -> [Range<Int64>]? {
        guard let byteCount, byteCounts.contains(byteCount) else { return nil }
        return [0..<edgeByteCount, byteCount - edgeByteCount..<byteCount]
    }
}
