// SPDX-License-Identifier: Apache-2.0

/// Non-linear quantisation of the enhancement layer's residual (`nlq`), with a linear dead zone.
package struct RPUResidual: Hashable, Sendable {
    package struct Component: Hashable, Sendable {
        package var offset: UInt32
        package var maximum: RPUCoefficient
        package var slope: RPUCoefficient
        package var threshold: RPUCoefficient
    }

    package var pivots: [UInt32]
    package var components: [Component] = []

    /// Whether these are the parameters of an enhancement layer that carries no residual (a minimal one, MEL).
    func isMinimal(_ type: RPUHeader.CoefficientType) -> Bool {
        let (zero, one) = (RPUCoefficient(0, type), RPUCoefficient(1, type))
        return components.allSatisfy {
            $0.offset == 0 && $0.maximum == one && $0.slope == zero && $0.threshold == zero
        }
    }

    /// Reads the fields before the partitions.
    init(pivotsOf reader: inout BitReader, bitDepth: Int) throws(PackagingError) {
        guard try reader.bits(3) == 0 else {
            throw PackagingError(.unsupportedFeature, "RPU: unknown residual quantisation")
        }
        pivots = [try reader.bits(bitDepth), try reader.bits(bitDepth)]
    }

    /// Reads the fields after the curves.
    mutating func readComponents(_ reader: inout BitReader, _ header: RPUHeader) throws(PackagingError) {
        for _ in 0..<3 {
            components.append(
                Component(
                    offset: try reader.bits(header.enhancementBitDepth),
                    maximum: try RPUCoefficient(&reader, header.coefficientType, isSigned: false),
                    slope: try RPUCoefficient(&reader, header.coefficientType, isSigned: false),
                    threshold: try RPUCoefficient(&reader, header.coefficientType, isSigned: false)
                )
            )
        }
    }

    func writePivots(to writer: inout BitWriter, bitDepth: Int) {
        writer.bits(0, 3)
        for pivot in pivots { writer.bits(pivot, bitDepth) }
    }

    func writeComponents(to writer: inout BitWriter, _ header: RPUHeader) {
        for component in components {
            writer.bits(component.offset, header.enhancementBitDepth)
            for value in [component.maximum, component.slope, component.threshold] {
                value.write(to: &writer, header.coefficientType, isSigned: false)
            }
        }
    }
}
