// SPDX-License-Identifier: Apache-2.0

/// A mistake in a playlist that the reader tolerated.
package struct HLSNotice: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A byte order mark, which RFC 8216 §4.1 forbids.
        case byteOrderMark
        /// Blank lines or spaces before `#EXTM3U`, or text after it on the same line.
        case untidyStart
        /// Lines end in CR alone.
        case strayCarriageReturn
        /// Spaces before or after the text of a line.
        case surroundingSpace
        case invalidUTF8
        /// Spaces between the parts of an attribute list.
        case spaceInAttributes
        /// Part of an attribute list cannot be read.
        case malformedAttributes
        /// An attribute appears twice. The last value is used.
        case duplicateAttribute
        /// A string without its quotes.
        case unquotedString
        /// An enumerated value or number within quotes.
        case quotedValue
        /// Hexadecimal digits in lower case.
        case lowercaseHex
        /// A tag that applies to the whole playlist appears again.
        case duplicateTag
        /// A tag that applies to the whole playlist comes after its first entry.
        case lateTag
        /// A tag of the other kind of playlist. It is ignored.
        case foreignTag
        /// A tag without a usable value. It is ignored.
        case ignoredTag
        /// EXT-X-TARGETDURATION is missing. The longest entry's duration is used.
        case missingTargetDuration
        /// An entry is longer than EXT-X-TARGETDURATION allows (RFC 8216 §4.3.3.1).
        case longEntry
        /// EXTINF without the comma after its duration.
        case missingComma
        /// EXTINF without a usable duration. The target duration is used.
        case unreadableDuration
        /// EXTINF with text between the duration and the comma.
        case textAfterDuration
        /// A URI without EXTINF, or without EXT-X-STREAM-INF in a multivariant playlist. It is ignored.
        case missingDuration
        /// EXTINF or EXT-X-STREAM-INF without a URI. It is ignored.
        case missingURI
        /// Entries after EXT-X-ENDLIST. They are kept.
        case entryAfterEnd
        /// A date without a time zone. UTC is assumed.
        case missingTimeZone
        /// The declared date of an entry is more than a second before the end of the previous entry.
        case datesRunBackward
        /// A reference to a variable before any EXT-X-DEFINE. It is taken literally.
        case literalVariable
        /// EXT-X-STREAM-INF or EXT-X-I-FRAME-STREAM-INF without BANDWIDTH, or with 0.
        case missingBandwidth
        /// A variant refers to a group that no EXT-X-MEDIA declares.
        case missingGroup
        /// EXT-X-DEFINE defines a variable again with the same value.
        case variableDefinedAgain
    }

    package var kind: Kind
    /// Counted from 1. 0 for the playlist as a whole.
    package var line: Int
    /// The start of the offending text.
    package var found: String

    /// The start of `text`, with control characters replaced by spaces.
    static func excerpt(_ text: String) -> String {
        let head = text.unicodeScalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }
        return String(head) + (text.unicodeScalars.count > 80 ? "…" : "")
    }
}

/// The mistakes of one playlist.
package struct HLSNotices: Hashable, Sendable {
    /// The largest number of notices kept of each kind. A packager that makes a mistake makes it in every entry.
    package static let limit = 4

    /// The first notices of each kind, in order.
    package private(set) var list: [HLSNotice] = []
    /// The number of mistakes of each kind, including those without a notice.
    package private(set) var counts: [HLSNotice.Kind: Int] = [:]

    mutating func add(_ kind: HLSNotice.Kind, line: Int, _ found: @autoclosure () -> String = "") {
        let count = counts[kind, default: 0] + 1
        counts[kind] = count
        guard count <= Self.limit else { return }
        list.append(HLSNotice(kind: kind, line: line, found: HLSNotice.excerpt(found())))
    }
}
