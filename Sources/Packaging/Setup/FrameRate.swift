// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Standard frame rates. Containers round rates: timestamps in milliseconds turn 23.976 into 23.98 or 24.
package enum FrameRate {
    private static let usual = [
        Ratio(10, 1), Ratio(12, 1), Ratio(25, 2), Ratio(15_000, 1001), Ratio(15, 1), Ratio(20, 1),
        Ratio(24_000, 1001), Ratio(24, 1), Ratio(25, 1), Ratio(30_000, 1001), Ratio(30, 1), Ratio(48_000, 1001),
        Ratio(48, 1), Ratio(50, 1), Ratio(60_000, 1001), Ratio(60, 1), Ratio(100, 1), Ratio(120_000, 1001),
        Ratio(120, 1), Ratio(144, 1), Ratio(240, 1),
    ]
    /// The closest standard rates, such as 23.976 and 24, differ by a thousandth. A rate that differs more than this
    /// from each of them is non-standard.
    private static let tolerance = 0.001

    /// The nearest standard rate if it is within a thousandth of `rate`, otherwise `rate` itself.
    package static func snapped(_ rate: Ratio) -> Ratio {
        func distance(_ other: Ratio) -> Double { abs(rate.value - other.value) / other.value }
        guard rate.numerator > 0, rate.denominator > 0,
            let nearest = usual.min(by: { distance($0) < distance($1) }), distance(nearest) < tolerance
        else { return rate }
        return nearest
    }
}
