// SPDX-License-Identifier: Apache-2.0

internal import Digests

/// The keys of one server in a file of known hosts (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"). Pure.
///
/// libssh2 reads such files too, but stops at a line that it does not understand. If names are hashed, libcurl requests
/// from the server the type of key in the first line, whether or not that line is for this server.
struct KnownHosts {
    private struct Key: Hashable {
        let type: String
        let key: String
    }

    /// The types of keys that libssh2 can verify, the preferred one first.
    private static let types = [
        "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa",
    ]

    private let name: String
    private var keys: [Key] = []

    /// - Parameters:
    ///   - text: the file. Malformed lines and lines for certificate authorities are ignored.
    ///   - host: in lower case; an IPv6 address without brackets.
    init(_ text: String, host: String, port: Int) {
        name = port == 22 ? host : "[\(host)]:\(port)"
        var revoked: Set<Key> = []
        for line in text.split(whereSeparator: \.isNewline) {
            var words = line.split { $0 == " " || $0 == "\t" }[...]
            let marker = words.first.flatMap { $0.hasPrefix("@") ? $0 : nil }
            if marker != nil { words = words.dropFirst() }
            guard words.count >= 3, let names = words.popFirst(), !names.hasPrefix("#"), let type = words.popFirst(),
                let key = words.popFirst(), Self.isName(name, among: names) ?? (marker == "@revoked")
            else { continue }
            let found = Key(type: String(type), key: String(key))
            switch marker {
            case nil: if Self.types.contains(found.type), !keys.contains(found) { keys.append(found) }
            case "@revoked": revoked.insert(found)
            default: break
            }
        }
        keys.removeAll { revoked.contains($0) }
    }

    /// The lines for this server, in a form that libssh2 understands, the preferred type first.
    var lines: String {
        let sorted = Self.types.flatMap { type in keys.filter { $0.type == type } }
        return sorted.map { "\(name) \($0.type) \($0.key)\n" }.joined()
    }

    /// Whether a list of patterns separated by commas, or a hashed name, matches this name. `nil` for a hashed name if
    /// libcrypto refuses SHA-1.
    private static func isName(_ name: String, among patterns: Substring) -> Bool? {
        if patterns.hasPrefix("|1|") {
            let parts = patterns.dropFirst(3).split(separator: "|", omittingEmptySubsequences: false)
            guard parts.count == 2, let salt = Base64.bytes(of: parts[0]), let hash = Base64.bytes(of: parts[1]) else {
                return false
            }
            do { return try Digest.hmac(.sha1, of: Array(name.utf8), key: salt) == hash } catch { return nil }
        }
        var isNamed = false
        for pattern in patterns.lowercased().split(separator: ",") {
            let isNegated = pattern.hasPrefix("!")
            guard matches(Array(name.utf8)[...], Array((isNegated ? pattern.dropFirst() : pattern).utf8)[...]) else {
                continue
            }
            if isNegated { return false }
            isNamed = true
        }
        return isNamed
    }

    /// Whether a pattern with `*` and `?` matches a name. The number of steps is at most the product of both lengths.
    private static func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var (name, pattern) = (name, pattern)
        // The position at which to continue if the text after the last star does not match.
        var retry: (name: ArraySlice<UInt8>, pattern: ArraySlice<UInt8>)?
        while let letter = name.first {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (name, pattern)
            } else if let expected = pattern.first, expected == letter || expected == UInt8(ascii: "?") {
                (name, pattern) = (name.dropFirst(), pattern.dropFirst())
            } else if let last = retry {
                retry = (last.name.dropFirst(), last.pattern)
                (name, pattern) = (last.name.dropFirst(), last.pattern)
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
