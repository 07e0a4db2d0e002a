// SPDX-License-Identifier: Apache-2.0

/// The reshaping of one colour component: a function for each interval between two pivots.
package struct RPUCurve: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        /// A polynomial of first or second order: its coefficients, starting with the constant.
        case polynomial([RPUCoefficient])
        /// Multivariate multiple regression (MMR): a constant, and seven coefficients for each of one to three orders.
        case regression(constant: RPUCoefficient, orders: [[RPUCoefficient]])
    }

    /// As in the bitstream: the first is a sample value, each later one the distance from the pivot before it.
    package var pivots: [UInt32]
    /// One piece per interval: one fewer than the pivots.
    package var pieces: [Piece] = []

    private static let crossTerms = 7

    /// The curve that leaves every sample unchanged.
    static func identity(bitDepth: Int, _ type: RPUHeader.CoefficientType) -> RPUCurve {
        RPUCurve(
            pivots: [0, 1 << UInt32(bitDepth) - 1],
            pieces: [.polynomial([RPUCoefficient(0, type), RPUCoefficient(1, type)])]
        )
    }

    init(pivots: [UInt32], pieces: [Piece]) {
        self.pivots = pivots
        self.pieces = pieces
    }

    /// Reads the pivots only. The pieces come later in the bitstream: `readPieces`.
    init(pivotsOf reader: inout BitReader, bitDepth: Int) throws(PackagingError) {
        let count = 2 + (try reader.unsignedExpGolomb(atMost: 7, "num_pivots_minus2"))
        pivots = []
        for _ in 0..<count { pivots.append(try reader.bits(bitDepth)) }
    }

    mutating func readPieces(
        _ reader: inout BitReader,
        _ type: RPUHeader.CoefficientType
    ) throws(PackagingError) {
        for _ in 1..<pivots.count {
            let method = try reader.unsignedExpGolomb(atMost: 1, "mapping_idc")
            pieces.append(method == 0 ? try Self.polynomial(&reader, type) : try Self.regression(&reader, type))
        }
    }

    private static func polynomial(
        _ reader: inout BitReader,
        _ type: RPUHeader.CoefficientType
    ) throws(PackagingError) -> Piece {
        let order = 1 + (try reader.unsignedExpGolomb(atMost: 1, "poly_order_minus1"))
        if order == 1, try reader.flag() {
            throw PackagingError(.unsupportedFeature, "RPU: linear interpolation is not supported")
        }
        var coefficients: [RPUCoefficient] = []
        for _ in 0...order { coefficients.append(try RPUCoefficient(&reader, type, isSigned: true)) }
        return .polynomial(coefficients)
    }

    private static func regression(
        _ reader: inout BitReader,
        _ type: RPUHeader.CoefficientType
    ) throws(PackagingError) -> Piece {
        let count = 1 + (try reader.int(2))
        guard count <= 3 else { throw PackagingError(.malformed, "RPU: the regression order is above 3") }
        let constant = try RPUCoefficient(&reader, type, isSigned: true)
        var orders: [[RPUCoefficient]] = []
        for _ in 0..<count {
            var terms: [RPUCoefficient] = []
            for _ in 0..<crossTerms { terms.append(try RPUCoefficient(&reader, type, isSigned: true)) }
            orders.append(terms)
        }
        return .regression(constant: constant, orders: orders)
    }

    func writePivots(to writer: inout BitWriter, bitDepth: Int) {
        writer.unsignedExpGolomb(pivots.count - 2)
        for pivot in pivots { writer.bits(pivot, bitDepth) }
    }

    func writePieces(to writer: inout BitWriter, _ type: RPUHeader.CoefficientType) {
        for piece in pieces {
            switch piece {
            case .polynomial(let coefficients):
                writer.unsignedExpGolomb(0)
                writer.unsignedExpGolomb(coefficients.count - 2)
                if coefficients.count == 2 { writer.flag(false) }
                for coefficient in coefficients { coefficient.write(to: &writer, type, isSigned: true) }
            case .regression(let constant, let orders):
                writer.unsignedExpGolomb(1)
                writer.bits(UInt32(orders.count - 1), 2)
                constant.write(to: &writer, type, isSigned: true)
                for term in orders.joined() { term.write(to: &writer, type, isSigned: true) }
            }
        }
    }
}
