// SPDX-License-Identifier: Apache-2.0

/// Brightness and colour adjustments for all frames before they are shown. `docs/filters.md` has the formulas.
public struct PictureAdjustments: Hashable, Sendable {
    /// −1 … 1. An offset; 0 changes nothing.
    public var brightness = 0.0
    /// 0 … 4. Relative to mid-grey; 1 changes nothing.
    public var contrast = 1.0
    /// 0 … 4. 0 removes all colour; 1 changes nothing.
    public var saturation = 1.0
    /// 0.1 … 10. Values above 1 brighten the mid-tones; 1 changes nothing.
    public var gamma = 1.0

    public init() {}

    public static let neutral = PictureAdjustments()

    /// The four adjustments by name, in display order.
    public static var names: [(name: String, value: KeyPath<PictureAdjustments, Double>)] {
        [("brightness", \.brightness), ("contrast", \.contrast), ("saturation", \.saturation), ("gamma", \.gamma)]
    }

    /// One of the four adjustments.
    package struct Named: Sendable {
        package let name: String
        package let value: any WritableKeyPath<PictureAdjustments, Double> & Sendable
        package let range: ClosedRange<Double>

        init(
            _ name: String,
            _ value: any WritableKeyPath<PictureAdjustments, Double> & Sendable,
            _ range: ClosedRange<Double>
        ) {
            (self.name, self.value, self.range) = (name, value, range)
        }
    }

    /// The name of each adjustment in the contract, its key path, and its valid range.
    package static let ranges: [Named] = [
        Named("brightness", \.brightness, -1...1),
        Named("contrast", \.contrast, 0...4),
        Named("saturation", \.saturation, 0...4),
        Named("gamma", \.gamma, 0.1...10),
    ]

    /// The same adjustments with every value clamped to its range.
    package var clamped: PictureAdjustments {
        var clamped = self
        for one in Self.ranges {
            clamped[keyPath: one.value] = min(max(self[keyPath: one.value], one.range.lowerBound), one.range.upperBound)
        }
        return clamped
    }
}

/// A change of adjustments. `nil` keeps the current value.
public struct AdjustmentChange: Hashable, Sendable {
    public var brightness: Double?
    public var contrast: Double?
    public var saturation: Double?
    public var gamma: Double?
    /// Whether values that are `nil` become neutral instead.
    public var isReset = false

    public init() {}

    /// The resulting adjustments, and whether any value was clamped.
    ///
    /// - Throws: `invalidArgument` for NaN.
    package func applied(
        to old: PictureAdjustments
    ) throws(EngineError) -> (adjustments: PictureAdjustments, isClamped: Bool) {
        var wanted = isReset ? .neutral : old
        let values = [brightness, contrast, saturation, gamma]
        for (value, one) in zip(values, PictureAdjustments.ranges) {
            guard let value else { continue }
            if value.isNaN { throw .invalid(one.name, "is not a number") }
            wanted[keyPath: one.value] = value
        }
        return (wanted.clamped, wanted.clamped != wanted)
    }
}
