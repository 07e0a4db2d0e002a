// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The reshaping curve of one component, prepared for repeated use.
struct ReshapingCurve {
    enum Piece {
        case polynomial(SIMD4<Float>)
        /// Coefficients of the seven terms, of their squares and of their cubes.
        case regression(constant: Float, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>)
    }

    static let largestCode = 4095

    private let pivots: [Float]
    private let pieces: [Piece]
    /// The value for each 12-bit code; empty if the curve also depends on the other components.
    private var table: [Float] = []

    init(_ curve: DolbyVisionMapping.Curve) {
        pivots = curve.pivots
        pieces = curve.pieces.map(Piece.init)
        guard pieces.allSatisfy({ if case .polynomial = $0 { true } else { false } }) else { return }
        table = (0...Self.largestCode).map { calculated(Float($0) / Float(Self.largestCode), terms: .zero) }
    }

    /// Whether `value` depends on the other components.
    var needsTerms: Bool { table.isEmpty }

    /// The curve's value, from 0 to 1.
    ///
    /// - Parameters:
    ///   - code: the component's own code, at most `largestCode`.
    ///   - terms: the result of `terms(_:_:_:)`.
    @inline(__always) func value(_ code: Int, terms: SIMD8<Float>) -> Float {
        table.isEmpty ? calculated(Float(code) / Float(Self.largestCode), terms: terms) : table[code]
    }

    private func calculated(_ sample: Float, terms: SIMD8<Float>) -> Float {
        let inside = min(max(sample, pivots[0]), pivots[pivots.count - 1])
        var index = 0
        while index + 1 < pieces.count, inside >= pivots[index + 1] { index += 1 }
        return min(max(pieces[index].value(inside, terms), 0), 1)
    }

    /// The seven terms of a regression: each component, the product of each pair, and the product of all three.
    @inline(__always) static func terms(_ x: Float, _ y: Float, _ z: Float) -> SIMD8<Float> {
        SIMD8(x, y, z, x * y, x * z, y * z, x * y * z, 0)
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
