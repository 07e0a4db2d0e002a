// SPDX-License-Identifier: Apache-2.0

/// `data:` URLs (RFC 2397). Pure.
package enum DataURL {
    private static let scheme = "data:"

    package static func isOne(_ url: String) -> Bool { url.prefix(scheme.count).lowercased() == scheme }

    /// `nil` if the URL is malformed.
    package static func bytes(of url: String) -> [UInt8]? {
        guard isOne(url), let comma = url.firstIndex(of: ",") else { return nil }
        guard let data = unescaped(url[url.index(after: comma)...].utf8) else { return nil }
        return url[..<comma].lowercased().hasSuffix(";base64")
            ? Base64.bytes(String(decoding: data, as: UTF8.self)) : data
    }

    /// Decodes percent escapes. `nil` if one is malformed.
    private static func unescaped(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.first != "+", let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
