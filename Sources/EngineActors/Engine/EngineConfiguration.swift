// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What an engine is told when it starts.
package struct EngineConfiguration: Hashable, Sendable {
    /// Bytes that finished segments of all sessions may take together.
    package var cacheBytes = 512 << 20
    package var sessionLimit = 64
    /// Where plans found by scanning are kept; `nil` keeps none.
    package var planDirectory: String?
    /// How sessions behave whose load does not say otherwise.
    package var player = PlayerSettings()

    package init() {}
}
