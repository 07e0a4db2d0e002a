// SPDX-License-Identifier: Apache-2.0

/// The length of one tick, as a fraction of a second. The counterpart of `AVRational` as a time base.
package struct TimeBase: Hashable, Sendable {
    package let numerator: Int64
    package let denominator: Int64

    /// - Precondition: both are positive.
    package init(_ numerator: Int64, _ denominator: Int64) {
        precondition(numerator > 0 && denominator > 0, "a time base is a positive fraction")
        self.numerator = numerator
        self.denominator = denominator
    }

    package static let microseconds = TimeBase(1, 1_000_000)
    package static let nanoseconds = TimeBase(1, 1_000_000_000)

    /// One tick of a clock that runs `ticksPerSecond` times a second.
    package static func hertz(_ ticksPerSecond: Int64) -> TimeBase { TimeBase(1, ticksPerSecond) }

    package enum Rounding: Sendable { case down, nearest, up }

    /// The same instant in ticks of `target`. Exact in 128 bits, saturated to 64 bits (`av_rescale_rnd`).
    package func rescale(_ ticks: Int64, to target: TimeBase, rounding: Rounding = .nearest) -> Int64 {
        if self == target { return ticks }
        let scaled = Int128(ticks) * Int128(numerator) * Int128(target.denominator)
        let unit = Int128(denominator) * Int128(target.numerator)
        let value =
            switch rounding {
            case .down: floorDivide(scaled, unit)
            case .nearest: floorDivide(2 * scaled + unit, 2 * unit)
            case .up: -floorDivide(-scaled, unit)
            }
        return Int64(clamping: value)
    }

    package func microseconds(_ ticks: Int64) -> Int64 { rescale(ticks, to: .microseconds) }

    package func seconds(_ ticks: Int64) -> Double { Double(ticks) * Double(numerator) / Double(denominator) }
}

private func floorDivide(_ dividend: Int128, _ divisor: Int128) -> Int128 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
