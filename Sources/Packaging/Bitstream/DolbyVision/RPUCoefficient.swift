// SPDX-License-Identifier: Apache-2.0

/// A coefficient of the mapping, in coded form.
package struct RPUCoefficient: Hashable, Sendable {
    /// The integer part. 0 for a floating-point coefficient.
    package var whole: Int
    /// The fraction bits, or all bits of a floating-point coefficient.
    package var fraction: UInt32

    package init(whole: Int, fraction: UInt32) {
        self.whole = whole
        self.fraction = fraction
    }

    /// - Parameter value: 0 or 1.
    init(_ value: Int, _ type: RPUHeader.CoefficientType) {
        switch type {
        case .fixedPoint: self.init(whole: value, fraction: 0)
        case .float: self.init(whole: 0, fraction: Float(value).bitPattern)
        }
    }

    init(_ reader: inout BitReader, _ type: RPUHeader.CoefficientType, isSigned: Bool) throws(PackagingError) {
        switch type {
        case .fixedPoint(let bits):
            whole = isSigned ? try reader.signedExpGolomb() : try reader.unsignedExpGolomb()
            fraction = try reader.bits(bits)
        case .float:
            whole = 0
            fraction = try reader.bits(32)
        }
    }

    func write(to writer: inout BitWriter, _ type: RPUHeader.CoefficientType, isSigned: Bool) {
        switch type {
        case .fixedPoint(let bits):
            if isSigned { writer.signedExpGolomb(whole) } else { writer.unsignedExpGolomb(whole) }
            writer.bits(fraction, bits)
        case .float: writer.bits(fraction, 32)
        }
    }
}
