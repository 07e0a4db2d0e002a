// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension DolbyVisionMapping {
    /// - Returns: `nil` for an RPU without a mapping or matrices of its own, because those of an earlier RPU still
    ///   apply, and for values that cannot be used (`isUsable`).
    package init?(_ rpu: RPU) {
        guard let mapping = rpu.mapping, let signal = rpu.color?.signal else { return nil }
        let type = rpu.header.coefficientType
        let largest = Float((1 << rpu.header.baseBitDepth) - 1)
        self.init(
            curves: mapping.curves.map { Curve($0, type, largest: largest) },
            toNonlinear: signal.toRGB.map { Float($0) / 8192 },
            offset: signal.toRGBOffset.map { Float($0) / 268_435_456 },
            toLMS: signal.toLMS.map { Float($0) / 16384 },
            sourceMaximumPQ: Int(signal.maximumPQ)
        )
        guard isUsable else { return nil }
    }
}

extension DolbyVisionMapping.Curve {
    fileprivate init(_ curve: RPUCurve, _ type: RPUHeader.CoefficientType, largest: Float) {
        var place: UInt32 = 0
        let pivots = curve.pivots.map { distance in
            place &+= distance
            return Float(place) / largest
        }
        let pieces = curve.pieces.map { piece -> DolbyVisionMapping.Piece in
            switch piece {
            case .polynomial(let coefficients): .polynomial(coefficients.map { $0.value(type) })
            case .regression(let constant, let orders):
                .regression(constant: constant.value(type), orders: orders.map { $0.map { $0.value(type) } })
            }
        }
        self.init(pivots: pivots, pieces: pieces)
    }
}

extension RPUCoefficient {
    fileprivate func value(_ type: RPUHeader.CoefficientType) -> Float {
        switch type {
        case .fixedPoint(let bits): Float(Double(whole) + Double(fraction) / Double(UInt64(1) << UInt64(bits)))
        case .float: Float(bitPattern: fraction)
        }
    }
}
