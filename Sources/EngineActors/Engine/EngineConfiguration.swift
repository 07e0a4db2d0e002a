// SPDX-License-Identifier: Apache-2.0

/// What an engine is told when it starts.
package struct EngineConfiguration: Hashable, Sendable {
    /// Bytes that finished segments of all sessions may take together.
    package var cacheBytes = 512 << 20
    package var sessionLimit = 64
    /// Where plans found by scanning are kept; `nil` keeps none.
    package var planDirectory: String?
    /// What comes before the token in a session's URL, such as `http://127.0.0.1:8080`.
    package var baseURL = ""

    package init() {}
}
