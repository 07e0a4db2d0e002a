// SPDX-License-Identifier: Apache-2.0

/// The version of the source protocol (docs/sources.md) that this package speaks.
package let sourceProtocolVersion: UInt32 = 1

/// A message from the engine to a source.
package enum SourceRequest: Hashable, Sendable {
    /// The first message. It carries the descriptor of the memory for data.
    case open(OpenRequest)
    /// Requests the state of the opened source.
    case state(id: UInt32)
    /// Requests `count` bytes from `offset`, which the source writes to the memory at `position`.
    case read(id: UInt32, offset: Int64, count: Int, position: Int)
    /// The engine does not need the request with this id any more. The source must still answer it.
    case cancel(id: UInt32)
}

/// The source to open, and the limits for reading it.
///
/// Parses its URL itself, because helpers link no other module of the engine.
package struct OpenRequest: Hashable, Sendable {
    /// Without user name and password. If its path ends in a slash, it names a folder, whose bytes are the names of the
    /// files in it, each followed by a NUL.
    package var url: String
    /// Empty if there is none.
    package var user = ""
    package var password = ""
    /// The length of the memory for data, in bytes.
    package var memoryByteCount = 0
    /// The maximum number of bytes of one read.
    package var longestRead = 0
    /// The maximum number of unanswered requests.
    package var mostRequests = 0
    /// The time limit for answering `open`, and for the responses of a server, in milliseconds.
    package var timeoutMilliseconds = 10_000

    package init(url: String) { self.url = url }

    /// The URL for messages: without user name and password, query and fragment.
    package var shownURL: String {
        let text = url.prefix { $0 != "?" && $0 != "#" }
        guard let start = text.firstRange(of: "://")?.upperBound else { return String(text) }
        let authority = text[start...].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { text.index(after: $0) } ?? start
        return String(text[..<start] + text[host...])
    }

    /// The host of the server, without its port and the brackets around an IPv6 address.
    package var host: String {
        let text = shownURL
        guard let start = text.firstRange(of: "://")?.upperBound else { return "" }
        let authority = text[start...].prefix { $0 != "/" }
        guard authority.hasPrefix("[") else { return String(authority.prefix { $0 != ":" }) }
        return String(authority.dropFirst().prefix { $0 != "]" })
    }

    /// The bytes of the path, without percent escapes. `nil` if an escape is not two hexadecimal digits, or the URL has
    /// no `://`.
    package var path: [UInt8]? {
        let text = shownURL
        let place = text.utf8[...]
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        var rest = place[start...].drop { $0 != UInt8(ascii: "/") }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // A sign is no digit, though `UInt8` reads it.
            guard rest.count >= 2, let digits = String(rest.prefix(2)), digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

extension SourceRequest {
    private enum Kind: UInt32 {
        case open = 1, state = 2, read = 3, cancel = 4
    }

    package var bytes: [UInt8] {
        var writer = SourceWriter()
        switch self {
        case .open(let open):
            writer.add(Kind.open.rawValue, 0, sourceProtocolVersion)
            writer.add(UInt32(open.memoryByteCount), UInt32(open.longestRead), UInt32(open.mostRequests))
            writer.add(UInt32(open.timeoutMilliseconds), 0)
            for text in [open.url, open.user, open.password] { writer.add(text) }
        case .state(let id): writer.add(Kind.state.rawValue, id)
        case .read(let id, let offset, let count, let position):
            writer.add(Kind.read.rawValue, id)
            writer.add(offset)
            writer.add(UInt32(count), UInt32(position))
        case .cancel(let id): writer.add(Kind.cancel.rawValue, id)
        }
        return writer.bytes
    }

    package init(_ bytes: [UInt8]) throws(SourceViolation) {
        var reader = SourceReader(bytes)
        let (kind, id) = (try reader.number(), try reader.number())
        switch Kind(rawValue: kind) {
        case .open:
            let version = try reader.number()
            guard version >= sourceProtocolVersion else { throw .version(version) }
            let (memory, longest) = (Int(try reader.number()), Int(try reader.number()))
            let (most, timeout) = (Int(try reader.number()), Int(try reader.number()))
            _ = try reader.number()
            var open = OpenRequest(url: try reader.text())
            (open.user, open.password) = (try reader.text(), try reader.text())
            (open.memoryByteCount, open.longestRead, open.mostRequests) = (memory, longest, most)
            open.timeoutMilliseconds = timeout
            self = .open(open)
        case .state: self = .state(id: id)
        case .read:
            let offset = try reader.long()
            guard offset >= 0 else { throw .malformed }
            self = .read(id: id, offset: offset, count: Int(try reader.number()), position: Int(try reader.number()))
        case .cancel: self = .cancel(id: id)
        case nil: throw .kind(kind)
        }
        try reader.end()
    }
}
