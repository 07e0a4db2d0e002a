// SPDX-License-Identifier: Apache-2.0

/// Why a playlist was rejected.
package struct HLSPlaylistError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The first line with text is not `#EXTM3U`, e.g. because the server sent a web page.
        case notPlaylist
        /// A list of titles or stations without any HLS tag.
        case plainM3U
        /// `#EXTM3U` without any tag that makes it a multivariant or a media playlist.
        case empty
        /// Variants and media segments in one playlist (RFC 8216 §4.1).
        case mixed
        /// More than `HLSLimits.bytes`.
        case tooLarge
        /// More than `HLSLimits.derivedBytes` of resolved URLs and values of variables.
        case expandsTooMuch
        case lineTooLong
        case tooManyLines
        case tooManyEntries
        case tooManyAttributes
        case tooManyVariables
        /// The tag lacks a required attribute.
        case missing(attribute: String)
        /// This attribute of the tag cannot be read, and guessing is not safe. If the name is empty, the whole value of
        /// the tag cannot be read.
        case malformed(attribute: String)
        /// The tag appears twice with different values.
        case contradiction
        /// EXT-X-BYTERANGE without an offset, but the entry before it is not a range of the same resource (§4.3.2.2).
        case noOffset
        /// A variable that no EXT-X-DEFINE defines.
        case undefinedVariable(String)
        /// EXT-X-SKIP: the delta update skips entries that the given earlier playlist does not have.
        case skippedTooMuch
    }

    package var reason: Reason
    /// Counted from 1. 0 for the playlist as a whole.
    package var line: Int
    /// The name of the tag, without `#`. Empty if no tag is at fault.
    package var tag: String
    /// The start of the offending text.
    package var found: String

    init(_ reason: Reason, line: Int = 0, tag: String = "", found: String = "") {
        self.reason = reason
        self.line = line
        self.tag = tag
        self.found = HLSNotice.excerpt(found)
    }
}

extension HLSPlaylistError: CustomStringConvertible {
    package var description: String {
        let place = line > 0 ? "line \(line): " : ""
        let subject = tag.isEmpty ? "" : "\(tag) "
        let text = found.isEmpty ? "" : ": \"\(found)\""
        return place + subject + words + text
    }

    private var words: String {
        switch reason {
        case .notPlaylist: "not a playlist, which begins with #EXTM3U"
        case .plainM3U: "a plain M3U list, without any tag of HLS"
        case .empty: "neither variants nor media segments"
        case .mixed: "both variants and media segments"
        case .tooLarge: "more than \(HLSLimits.bytes >> 20) MiB"
        case .expandsTooMuch: "more than \(HLSLimits.derivedBytes >> 20) MiB of URLs and values of variables"
        case .lineTooLong: "longer than \(HLSLimits.lineBytes >> 10) KiB"
        case .tooManyLines: "more than \(HLSLimits.lines) lines"
        case .tooManyEntries: "more than \(HLSLimits.entries) entries"
        case .tooManyAttributes: "more than \(HLSLimits.attributes) attributes"
        case .tooManyVariables: "more than \(HLSLimits.variables) variables"
        case .missing(let attribute): "without \(attribute)"
        case .malformed(let attribute): attribute.isEmpty ? "cannot be read" : "with a malformed \(attribute)"
        case .contradiction: "appears again with another value"
        case .noOffset: "without an offset, and the entry before it is not a range of the same resource"
        case .undefinedVariable(let name): "uses the variable \(name), which is not defined"
        case .skippedTooMuch: "leaves out entries that are not known from before"
        }
    }
}

/// Limits on playlists. A playlist that exceeds one is rejected with an `HLSPlaylistError`.
package enum HLSLimits {
    /// The size of the playlist, after content codings such as gzip are removed.
    package static let bytes = 8 << 20
    package static let lineBytes = 64 << 10
    /// Lines that are neither blank nor comments.
    package static let lines = 1_000_000
    /// For media segments, partial segments, variants, renditions and date ranges: each kind is counted separately.
    package static let entries = 100_000
    /// Attributes of one tag.
    package static let attributes = 128
    package static let variables = 1024
    /// The largest media sequence or discontinuity sequence number, so that sums stay within 63 bits.
    package static let sequence: Int64 = 1 << 60
    /// The total size of resolved URLs and variable values.
    static let derivedBytes = 64 << 20
}
