// SPDX-License-Identifier: Apache-2.0

/// A rule that what was fetched does not keep.
package struct ValidationProblem: Hashable, Sendable {
    /// Where the rule stands, such as `RFC 8216 §4.3.3.1`.
    package var rule: String
    /// The playlist or segment, by its URI.
    package var subject: String
    package var message: String

    package init(_ rule: String, _ subject: String, _ message: String) {
        self.rule = rule
        self.subject = subject
        self.message = message
    }
}
