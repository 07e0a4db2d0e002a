// SPDX-License-Identifier: Apache-2.0

/// How the brightness and colours of all pictures are changed before they are shown. `docs/filters.md` has the formulas.
public struct PictureAdjustments: Hashable, Sendable {
    /// −1 … 1. Added; 0 changes nothing.
    public var brightness = 0.0
    /// 0 … 4. Around the middle grey; 1 changes nothing.
    public var contrast = 1.0
    /// 0 … 4. 0 is without colour; 1 changes nothing.
    public var saturation = 1.0
    /// 0.1 … 10. Above 1 is brighter in the middle; 1 changes nothing.
    public var gamma = 1.0

    public init() {}

    public static let neutral = PictureAdjustments()

    /// The four by name, in the order in which they are listed.
    public static var names: [(name: String, value: KeyPath<PictureAdjustments, Double>)] {
        [("brightness", \.brightness), ("contrast", \.contrast), ("saturation", \.saturation), ("gamma", \.gamma)]
    }

    /// One of the four.
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

    /// What an adjustment is called in the contract, where it lies, and what it may be.
    package static let ranges: [Named] = [
        Named("brightness", \.brightness, -1...1),
        Named("contrast", \.contrast, 0...4),
        Named("saturation", \.saturation, 0...4),
        Named("gamma", \.gamma, 0.1...10),
    ]

    /// The same with every value in its range.
    package var clamped: PictureAdjustments {
        var clamped = self
        for one in Self.ranges {
            clamped[keyPath: one.value] = min(max(self[keyPath: one.value], one.range.lowerBound), one.range.upperBound)
        }
        return clamped
    }
}

/// Which adjustments are to be others. What is `nil` stays.
public struct AdjustmentChange: Hashable, Sendable {
    public var brightness: Double?
    public var contrast: Double?
    public var saturation: Double?
    public var gamma: Double?
    /// Whether what is not named becomes neutral.
    public var isReset = false

    public init() {}

    /// What comes of it.
    ///
    /// - Throws: `invalidArgument` for what is not a number.
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
