// SPDX-License-Identifier: Apache-2.0

/// A line of a playlist that is neither blank nor a comment.
struct HLSLine {
    enum Content {
        /// - Parameters:
        ///   - name: without `#`, up to the first colon, space or tab.
        ///   - value: what follows that character.
        case tag(name: String, value: ArraySlice<UInt8>)
        case uri(ArraySlice<UInt8>)
    }

    /// The prefix of all tags that only HLS has, that is, all but `EXTM3U` and `EXTINF`.
    static let tagPrefix = "EXT-X-"

    /// Counted from 1.
    let number: Int
    let content: Content
}

/// The lines of a playlist (RFC 8216 §4.1), in order.
struct HLSLines {
    private var rest: ArraySlice<UInt8>
    private var number = 0
    private var meaningful = 0

    /// Reads up to and including the `#EXTM3U` line.
    init(_ bytes: [UInt8], notices: inout HLSNotices) throws(HLSPlaylistError) {
        guard bytes.count <= HLSLimits.bytes else { throw HLSPlaylistError(.tooLarge, found: "\(bytes.count) bytes") }
        rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
            rest = rest.dropFirst(3)
            notices.add(.byteOrderMark, line: 1)
        }
        try takeHeader(&notices)
        if !Self.isUTF8(bytes) { notices.add(.invalidUTF8, line: 0) }
    }

    private mutating func takeHeader(_ notices: inout HLSNotices) throws(HLSPlaylistError) {
        while let line = takeLine(&notices) {
            let text = Self.trimmed(line)
            if text.isEmpty { continue }
            guard text.starts(with: Self.header) else {
                throw HLSPlaylistError(
                    .notPlaylist,
                    line: number,
                    found: String(decoding: text.prefix(400), as: UTF8.self)
                )
            }
            let tail = text.dropFirst(Self.header.count)
            guard tail.isEmpty || tail.first == 0x20 || tail.first == 0x09 || tail.first == UInt8(ascii: ":") else {
                throw HLSPlaylistError(
                    .notPlaylist,
                    line: number,
                    found: String(decoding: text.prefix(400), as: UTF8.self)
                )
            }
            if number > 1 || !tail.isEmpty || text.count != line.count {
                notices.add(.untidyStart, line: number, String(decoding: tail.prefix(400), as: UTF8.self))
            }
            return
        }
        throw HLSPlaylistError(.notPlaylist, found: "no text")
    }

    mutating func next(_ notices: inout HLSNotices) throws(HLSPlaylistError) -> HLSLine? {
        while let line = takeLine(&notices) {
            let text = Self.trimmed(line)
            if text.isEmpty { continue }
            guard line.count <= HLSLimits.lineBytes else {
                throw HLSPlaylistError(
                    .lineTooLong,
                    line: number,
                    found: String(decoding: text.prefix(400), as: UTF8.self)
                )
            }
            let isTag = text.starts(with: Self.tagPrefix)
            if text.first == UInt8(ascii: "#"), !isTag { continue }
            meaningful += 1
            guard meaningful <= HLSLimits.lines else { throw HLSPlaylistError(.tooManyLines, line: number) }
            if text.startIndex != line.startIndex || (!isTag && text.count != line.count) {
                notices.add(.surroundingSpace, line: number, String(decoding: line.prefix(400), as: UTF8.self))
            }
            guard isTag else { return HLSLine(number: number, content: .uri(text)) }
            let body = text.dropFirst()
            let end = body.firstIndex { $0 == UInt8(ascii: ":") || $0 == 0x20 || $0 == 0x09 } ?? body.endIndex
            let name = String(decoding: body[..<end], as: UTF8.self)
            return HLSLine(number: number, content: .tag(name: name, value: Self.trimmed(body[end...].dropFirst())))
        }
        return nil
    }

    /// The next line, which ends before LF, CRLF or CR. `nil` if there is none.
    private mutating func takeLine(_ notices: inout HLSNotices) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        number += 1
        let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[end...]
        if rest.first == 0x0D {
            rest = rest.dropFirst()
            if rest.first != 0x0A {
                notices.add(.strayCarriageReturn, line: number)
                return line
            }
        }
        rest = rest.dropFirst()
        return line
    }

    private static let header = Array("#EXTM3U".utf8)
    private static let tagPrefix = Array("#EXT".utf8)

    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let head = text.drop { $0 <= 0x20 }
        let end = head.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? head.startIndex
        return head[..<end]
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}
