// SPDX-License-Identifier: Apache-2.0

/// One HTTP request header field, validated so that it is safe to send.
public struct HTTPHeader: Hashable, Sendable {
    public static let countLimit = 64
    private static let valueLimit = 8192
    /// Fields that the engine and libcurl set themselves. A caller's value would contradict theirs, and a proxy and the
    /// server could then disagree on where the request ends.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "depth", "expect", "if-range", "keep-alive",
        "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    public let name: String
    public let value: String

    /// - Throws: `invalidArgument` unless the name is a token of at most 128 bytes and is not reserved, and the value
    ///   has at most `valueLimit` bytes and no control characters except tabs (RFC 9110 §5.5, §5.6.2). So a value
    ///   cannot inject another header.
    public init(name: String, value: String) throws(EngineError) {
        guard (1...128).contains(name.utf8.count), name.utf8.allSatisfy(Self.isTokenByte) else {
            throw .invalid("http_headers.name", "must be a token of 1 to 128 bytes")
        }
        guard !Self.reserved.contains(name.lowercased()) else {
            throw .invalid("http_headers.name", "cannot be \(name), which the engine controls")
        }
        guard value.utf8.count <= Self.valueLimit, value.utf8.allSatisfy({ $0 == 9 || $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalid(
                "http_headers.value",
                "of \(name) has control characters or more than \(Self.valueLimit) bytes"
            )
        }
        self.name = name
        self.value = value
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension HTTPHeader: CustomStringConvertible {
    /// Without the value, which may be a secret.
    public var description: String { name }
}
