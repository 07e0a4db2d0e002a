// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// How a session's player behaves.
package struct PlayerSettings: Hashable, Sendable {
    package var rateRange: ClosedRange<Double> = 0...2
    /// How long a phase may last before it is reported as stuck; a phase that is not in it may last for ever.
    package var timeouts: [Phase.Name: Duration] = Self.defaultTimeouts

    package init() {}

    private static let defaultTimeouts = Dictionary(
        uniqueKeysWithValues: Phase.Name.allCases.compactMap { name in name.defaultTimeout.map { (name, $0) } }
    )
}
