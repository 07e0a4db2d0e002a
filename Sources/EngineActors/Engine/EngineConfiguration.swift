// SPDX-License-Identifier: Apache-2.0

/// What an engine is told when it starts.
package struct EngineConfiguration: Hashable, Sendable {
    /// Bytes that finished segments of all sessions may take together.
    package var cacheBytes = 512 << 20
    package var sessionLimit = 64
    /// Where plans found by scanning are kept; `nil` keeps none.
    package var planDirectory: String?

    package init() {}
}
