// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Parses the lines of an HTTP response's head as libcurl passes them on. Informational (1xx) heads and trailers are
/// dropped. Pure.
struct ResponseHeadParser {
    enum Progress: Hashable {
        case more
        /// The head is complete; all later lines are dropped.
        case complete(ResponseHead)
        case tooLong
    }

    private enum State {
        case expected
        case coming(status: Int, fields: [ResponseHead.Field], byteCount: Int)
        case over
    }

    /// Limits of a response head.
    static let fieldLimit = 256
    static let byteLimit = 64 << 10

    private var state = State.expected

    /// - Parameter count: the length of the line as it was received.
    mutating func take(_ line: String, byteCount count: Int) -> Progress {
        if case .over = state { return .more }
        let text = line.trimmed
        if text.isEmpty { return end() }
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            state = .coming(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, fields: [], byteCount: 0)
            return .more
        }
        guard case .coming(let status, var fields, var byteCount) = state else { return .more }
        byteCount += count
        guard byteCount <= Self.byteLimit, fields.count < Self.fieldLimit else { return .tooLong }
        if let colon = text.firstIndex(of: ":") {
            fields.append(ResponseHead.Field(text[..<colon].trimmed, text[text.index(after: colon)...].trimmed))
        }
        state = .coming(status: status, fields: fields, byteCount: byteCount)
        return .more
    }

    /// The text of a line: UTF-8, or else ISO 8859-1, as HTTP once prescribed (RFC 9110 §5.5). In a `Location` field
    /// that is not UTF-8, bytes above 0x7F are percent-encoded instead, because servers expect the bytes of a URL
    /// unchanged.
    static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let isURL = String(decoding: bytes.prefix(9), as: UTF8.self).lowercased() == "location:"
        return bytes.map { byte in
            isURL && byte >= 0x80 ? "%\(Hexadecimal.text([byte]))" : String(UnicodeScalar(byte))
        }.joined()
    }

    private mutating func end() -> Progress {
        guard case .coming(let status, let fields, _) = state, !(100..<200).contains(status) else { return .more }
        state = .over
        return .complete(ResponseHead(status: status, fields: fields))
    }
}

extension StringProtocol {
    /// Without leading and trailing spaces, tabs and line ends (RFC 9110 §5.6.3).
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in [" ", "\t", "\r", "\n", "\r\n"].contains(character) }
        var rest = Substring(self).drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}
