// SPDX-License-Identifier: Apache-2.0

/// A violation of a rule by a fetched playlist or segment.
package struct ValidationProblem: Hashable, Sendable {
    /// A document that has rules for playlists.
    enum Document: String {
        case standard = "RFC 8216"
        /// The successor, in which low latency and delta updates are described.
        case draft = "draft-pantos-hls-rfc8216bis"
    }

    /// The source of the rule, such as `RFC 8216 §4.3.3.1`.
    package var rule: String
    /// The URI of the playlist or segment.
    package var subject: String
    package var message: String

    package init(_ rule: String, _ subject: String, _ message: String) {
        self.rule = rule
        self.subject = subject
        self.message = message
    }
}
