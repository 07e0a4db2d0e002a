// SPDX-License-Identifier: Apache-2.0

/// A mistake in a playlist that the reader tolerated.
package struct HLSNotice: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A byte order mark, which RFC 8216 §4.1 forbids.
        case byteOrderMark
        /// Blank lines or spaces before `#EXTM3U`, or text after it on its line.
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
        /// An attribute appears twice; the last value counts.
        case duplicateAttribute
        /// A string without its quotes.
        case unquotedString
        /// An enumerated value or number within quotes.
        case quotedValue
        /// Hexadecimal digits in lower case.
        case lowercaseHex
        /// A tag that applies to the playlist appears again.
        case duplicateTag
        /// A tag that applies to the playlist stands behind its first entry.
        case lateTag
        /// A tag of the other kind of playlist. It is ignored.
        case foreignTag
        /// A tag without a usable value. It is ignored.
        case ignoredTag
        /// EXT-X-TARGETDURATION is missing: the longest entry counts.
        case missingTargetDuration
        /// An entry is longer than EXT-X-TARGETDURATION allows (RFC 8216 §4.3.3.1).
        case longEntry
        /// EXTINF without the comma after its duration.
        case missingComma
        /// EXTINF without a usable duration: the target duration counts.
        case unreadableDuration
        /// EXTINF with something between its number and its comma.
        case textAfterDuration
        /// A URI without EXTINF. It is ignored.
        case missingDuration
        /// EXTINF without a URI. It is ignored.
        case missingURI
        /// Entries after EXT-X-ENDLIST. They count.
        case entryAfterEnd
        /// A date without a time zone: UTC is assumed.
        case missingTimeZone
        /// The date of an entry lies before that of an earlier one.
        case datesRunBackward
        /// A reference to a variable in a playlist without EXT-X-DEFINE. It is taken literally.
        case literalVariable
        /// EXT-X-STREAM-INF without BANDWIDTH.
        case missingBandwidth
        /// A variant refers to a group that no EXT-X-MEDIA declares.
        case missingGroup
        /// EXT-X-DEFINE defines a variable again; the first value counts.
        case variableDefinedAgain
    }

    package var kind: Kind
    /// Counted from 1. 0: the playlist as a whole.
    package var line: Int
    /// The beginning of the text at fault.
    package var found: String

    /// The beginning of a text, on one line and without control characters.
    static func excerpt(_ text: String) -> String {
        let head = text.unicodeScalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }
        return String(head) + (text.unicodeScalars.count > 80 ? "…" : "")
    }
}

/// The mistakes of one playlist.
package struct HLSNotices: Hashable, Sendable {
    /// How many notices of one kind are kept. A packager that makes a mistake makes it in every entry.
    package static let limit = 4

    /// In order, the first ones of each kind.
    package private(set) var list: [HLSNotice] = []
    /// How often each mistake was made.
    package private(set) var counts: [HLSNotice.Kind: Int] = [:]

    mutating func add(_ kind: HLSNotice.Kind, line: Int, _ found: @autoclosure () -> String = "") {
        let count = counts[kind, default: 0] + 1
        counts[kind] = count
        guard count <= Self.limit else { return }
        list.append(HLSNotice(kind: kind, line: line, found: HLSNotice.excerpt(found())))
    }
}
