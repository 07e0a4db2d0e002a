// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An exponentially weighted mean over time: a value counts half as much after each half-life. Pure.
package struct DecayingMean: Hashable, Sendable {
    private let halfLife: Double
    private var sum = 0.0
    private var weight = 0.0

    /// - Parameter halfLife: in seconds.
    package init(halfLife: Double) { self.halfLife = halfLife }

    /// - Parameter seconds: how long the value held.
    package mutating func add(_ value: Double, seconds: Double) {
        let kept = pow(0.5, seconds / halfLife)
        sum = sum * kept + value * (1 - kept)
        weight = weight * kept + (1 - kept)
    }

    /// Divided by the weight, so that the mean is not biased toward 0 at the start. `nil` without values.
    package var value: Double? { weight > 0 ? sum / weight : nil }
}
