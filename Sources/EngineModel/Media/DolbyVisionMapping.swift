// SPDX-License-Identifier: Apache-2.0

/// How the samples of one Dolby Vision picture are mapped to light: the values of its RPU (ETSI GS CCM 001), ready for
/// use.
package struct DolbyVisionMapping: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        /// Coefficients, starting with the constant.
        case polynomial([Float])
        /// Multivariate multiple regression: a constant, then for each order the coefficients of the three components,
        /// of their products by pairs (first and second, first and third, second and third), and of the product of all.
        case regression(constant: Float, orders: [[Float]])
    }

    package struct Curve: Hashable, Sendable {
        /// Ascending, as fractions of the largest code value. There is one more pivot than pieces.
        package var pivots: [Float]
        package var pieces: [Piece]

        package init(pivots: [Float], pieces: [Piece]) {
            self.pivots = pivots
            self.pieces = pieces
        }
    }

    /// Luma, then both chroma components.
    package var curves: [Curve]
    /// The 3 × 3 matrix, row by row, from reshaped samples to L'M'S' on the PQ curve.
    package var toNonlinear: [Float]
    /// Subtracted before that matrix is applied.
    package var offset: [Float]
    /// The 3 × 3 matrix, row by row, from linear light to LMS without crosstalk.
    package var toLMS: [Float]
    /// The peak luminance of the mastering display, as a 12-bit PQ code. 0 if unknown.
    package var sourceMaximumPQ: Int

    package init(
        curves: [Curve],
        toNonlinear: [Float],
        offset: [Float],
        toLMS: [Float],
        sourceMaximumPQ: Int
    ) {
        self.curves = curves
        self.toNonlinear = toNonlinear
        self.offset = offset
        self.toLMS = toLMS
        self.sourceMaximumPQ = sourceMaximumPQ
    }

    /// Larger values are meaningless: samples and results lie between 0 and 1.
    private static let largest: Float = 1_000_000

    /// Whether every part has the right shape and usable values.
    package var isUsable: Bool {
        curves.count == 3 && toNonlinear.count == 9 && offset.count == 3 && toLMS.count == 9
            && curves.allSatisfy(\.isUsable) && Self.areUsable(toNonlinear + offset + toLMS)
    }

    fileprivate static func areUsable(_ values: [Float]) -> Bool { values.allSatisfy { abs($0) <= largest } }
}

extension DolbyVisionMapping.Curve {
    fileprivate var isUsable: Bool {
        let ascends = zip(pivots, pivots.dropFirst()).allSatisfy { $0 <= $1 }
        return pivots.count >= 2 && pieces.count == pivots.count - 1 && ascends && DolbyVisionMapping.areUsable(pivots)
            && pieces.allSatisfy(\.isUsable)
    }
}

extension DolbyVisionMapping.Piece {
    fileprivate var isUsable: Bool {
        switch self {
        case .polynomial(let coefficients):
            (1...3).contains(coefficients.count) && DolbyVisionMapping.areUsable(coefficients)
        case .regression(let constant, let orders):
            (1...3).contains(orders.count) && orders.allSatisfy { $0.count == 7 && DolbyVisionMapping.areUsable($0) }
                && DolbyVisionMapping.areUsable([constant])
        }
    }
}
