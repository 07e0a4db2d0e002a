// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Digests
internal import EngineModel

/// Names one version of the resource at a URL, whose bytes the server vouches for with a strong validator (RFC 9110
/// §8.8.1).
struct VersionName: Hashable, Sendable {
    /// 64 hexadecimal digits.
    let text: String

    /// Returns `nil` if the server states no strong validator or no length.
    ///
    /// - Parameter url: with its query.
    init?(of version: ResourceState, at url: String) {
        guard let tag = version.tag, let byteCount = version.byteCount else { return nil }
        let digest: [UInt8]
        do {
            digest = try Digest.sha256(Array("engined version 1\n\(byteCount)\n\(tag)\n\(url)".utf8))
        } catch {
            // Without digests, the bytes are identified by the ends of the source.
            return nil
        }
        text = Hexadecimal.text(digest)
    }

    /// Returns `nil` for a text that is not a name.
    init?(text: String) {
        guard Hexadecimal.bytes(text[...])?.count == 32 else { return nil }
        self.text = text
    }
}
