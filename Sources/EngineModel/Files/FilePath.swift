// SPDX-License-Identifier: Apache-2.0

/// A path as the kernel takes it: bytes without NUL, in any encoding or none.
///
/// `text` is its form in the contract, in JSON and in messages: the path itself if it is UTF-8, otherwise a `file:` URL
/// with percent escapes. Both forms convert back to the same bytes.
public struct FilePath: Hashable, Sendable {
    /// The size limit of a path, in bytes.
    package static let byteLimit = 32 << 10
    /// The size limit of a path's text form, in bytes: a URL with every byte escaped as three characters.
    package static let textLimit = "file://".utf8.count + 3 * byteLimit

    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(_ path: String) { bytes = Array(path.utf8) }

    /// The path of a `file:` URL of this host (RFC 8089).
    ///
    /// - Returns: `nil` if the text is not a `file:` URL with an absolute path, or has an escape that is not two
    ///   hexadecimal digits.
    package init?(fileURL text: String) {
        guard Self.isFileURL(text) else { return nil }
        var rest = text.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else { return nil }
            rest = rest.dropFirst(host.count)
        }
        guard rest.utf8.first == UInt8(ascii: "/"), let bytes = PercentEscapes.decoded(rest.utf8) else { return nil }
        self.bytes = bytes
    }

    /// A path in either form of `text`.
    ///
    /// - Returns: `nil` for a `file:` URL that names no file of this host.
    package init?(text: String) {
        guard Self.isFileURL(text) else {
            self.init(text)
            return
        }
        self.init(fileURL: text)
    }

    package static func isFileURL(_ text: String) -> Bool { text.lowercased().hasPrefix("file:") }

    /// The path as C takes it, with its NUL.
    package var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

    public var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

    /// The path if it is UTF-8, otherwise a `file:` URL. A relative path that is not UTF-8 has no URL; its invalid
    /// bytes become U+FFFD.
    public var text: String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return isAbsolute ? fileURL : String(decoding: bytes, as: UTF8.self)
    }

    /// The `file:` URL of an absolute path, in ASCII.
    public var fileURL: String { "file://" + PercentEscapes.text(of: bytes, keeping: Self.isPlain) }

    /// The last component.
    public var name: [UInt8] { Array(bytes[(lastSlash.map { $0 + 1 } ?? 0)...]) }

    /// Everything before the last component. Empty for a relative name without a slash.
    public var folder: FilePath {
        guard let lastSlash else { return FilePath([]) }
        return FilePath(Array(bytes[..<max(lastSlash, 1)]))
    }

    /// The file with a relative name below this folder.
    public func appending(_ name: some Sequence<UInt8>) -> FilePath {
        let separator = bytes.isEmpty || bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return FilePath(bytes + separator + name)
    }

    private var lastSlash: Int? { bytes.lastIndex(of: UInt8(ascii: "/")) }

    /// Whether a byte of a path needs no escape in a URL (RFC 3986 §3.3).
    private static func isPlain(_ byte: UInt8) -> Bool {
        PercentEscapes.isUnreserved(byte) || "/!$&'()*+,;=:@".utf8.contains(byte)
    }
}

extension FilePath: CustomStringConvertible {
    public var description: String { text }
}
