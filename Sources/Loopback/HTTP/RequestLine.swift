// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// A request line whose method or version the decoder does not know, and how it is refused.
struct RequestLine {
    /// The status of the response, which says whether the line is invalid or only not supported.
    let refusal: HTTPResponseStatus
    let reason: String

    /// - Parameter head: the head of the request.
    init(_ head: ByteBuffer) {
        let line = head.readableBytesView.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        if parts.count != 3 || parts[0].isEmpty || !parts[0].allSatisfy(Self.isTokenByte) || !Self.isVersion(parts[2]) {
            // RFC 9112 §3
            (refusal, reason) = (.badRequest, "not a valid HTTP/1.1 request")
        } else if !parts[2].elementsEqual("HTTP/1.1".utf8), !parts[2].elementsEqual("HTTP/1.0".utf8) {
            // RFC 9110 §15.6.6
            (refusal, reason) = (.httpVersionNotSupported, "the version must be HTTP/1.1 or HTTP/1.0")
        } else {
            // RFC 9110 §15.6.2
            (refusal, reason) = (.notImplemented, "the method is unknown")
        }
    }

    /// `HTTP/` and two digits with a dot between them (RFC 9112 §2.3).
    private static func isVersion(_ text: ByteBufferView) -> Bool {
        let name = Array("HTTP/".utf8)
        guard text.count == name.count + 3, text.starts(with: name) else { return false }
        let number = Array(text.dropFirst(name.count))
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return digits.contains(number[0]) && number[1] == UInt8(ascii: ".") && digits.contains(number[2])
    }

    /// RFC 9110 §5.6.2
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
