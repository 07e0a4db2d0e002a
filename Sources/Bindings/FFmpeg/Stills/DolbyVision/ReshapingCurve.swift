// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// One component's curve, ready to be used often.
enum ReshapingCurve {
    /// The component's own sample is enough: its value for each code of 12 bits.
    case table([Float])
    /// Pieces that look at all three components, and those that do not, by the component's own sample.
    case pieces(pivots: [Float], [Piece])

    enum Piece {
        case polynomial(SIMD4<Float>)
        /// Coefficients of the seven terms, of their squares and of their cubes.
        case regression(constant: Float, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>)
    }

    static let largestCode = 4095

    init(_ curve: DolbyVisionMapping.Curve) {
        let pieces = curve.pieces.map(Piece.init)
        let isOwn = pieces.allSatisfy { if case .polynomial = $0 { true } else { false } }
        self = .pieces(pivots: curve.pivots, pieces)
        guard isOwn else { return }
        let whole = self
        self = .table(
            (0...Self.largestCode).map { code in
                let sample = Float(code) / Float(Self.largestCode)
                return whole.value(sample, code: code, terms: .zero)
            }
        )
    }

    /// From 0 to 1.
    ///
    /// - Parameters:
    ///   - sample: the component's own, from 0 to 1; `code` is the same of 12 bits.
    ///   - terms: of `terms(_:)`.
    func value(_ sample: Float, code: Int, terms: SIMD8<Float>) -> Float {
        switch self {
        case .table(let values): return values[code]
        case .pieces(let pivots, let pieces):
            let inside = min(max(sample, pivots[0]), pivots[pivots.count - 1])
            var index = 0
            while index + 1 < pieces.count, inside >= pivots[index + 1] { index += 1 }
            return min(max(pieces[index].value(inside, terms), 0), 1)
        }
    }

    /// The seven terms of a regression: each component, the products of two, the product of all.
    static func terms(_ samples: SIMD4<Float>) -> SIMD8<Float> {
        let pair = samples.x * samples.y
        return SIMD8(
            samples.x,
            samples.y,
            samples.z,
            pair,
            samples.x * samples.z,
            samples.y * samples.z,
            pair * samples.z,
            0
        )
    }
}

extension ReshapingCurve.Piece {
    init(_ piece: DolbyVisionMapping.Piece) {
        switch piece {
        case .polynomial(let coefficients):
            var vector = SIMD4<Float>.zero
            for (index, value) in coefficients.prefix(3).enumerated() { vector[index] = value }
            self = .polynomial(vector)
        case .regression(let constant, let orders):
            var vectors = [SIMD8<Float>](repeating: .zero, count: 3)
            for (order, terms) in orders.prefix(3).enumerated() {
                for (index, value) in terms.prefix(7).enumerated() { vectors[order][index] = value }
            }
            self = .regression(constant: constant, vectors[0], vectors[1], vectors[2])
        }
    }

    func value(_ sample: Float, _ terms: SIMD8<Float>) -> Float {
        switch self {
        case .polynomial(let coefficients):
            return (coefficients.z * sample + coefficients.y) * sample + coefficients.x
        case .regression(let constant, let first, let second, let third):
            let squares = terms * terms
            return constant + (first * terms + second * squares + third * squares * terms).sum()
        }
    }
}
