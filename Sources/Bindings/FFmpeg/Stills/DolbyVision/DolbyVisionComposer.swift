// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Turns samples of a Dolby Vision base layer into light, by the picture's own metadata: reshaping, the matrix to L'M'S',
/// the PQ curve, the matrix to BT.2020 (ETSI GS CCM 001; ITU-R BT.2100).
///
/// What a picture's display management would do (the trims and light levels of its extension blocks) is not done: what
/// comes out is the master, in absolute light.
struct DolbyVisionComposer {
    private let curves: [ReshapingCurve]
    private let offset: SIMD4<Float>
    private let toNonlinear: Columns
    private let toLight: Columns

    /// A 3 × 3 matrix by columns.
    private struct Columns {
        var first: SIMD4<Float>
        var second: SIMD4<Float>
        var third: SIMD4<Float>

        init(rows: [Float]) {
            first = SIMD4(rows[0], rows[3], rows[6], 0)
            second = SIMD4(rows[1], rows[4], rows[7], 0)
            third = SIMD4(rows[2], rows[5], rows[8], 0)
        }

        func times(_ vector: SIMD4<Float>) -> SIMD4<Float> {
            first * vector.x + second * vector.y + third * vector.z
        }
    }

    /// The inverse of the LMS of Hunt, Pointer and Estevez for primaries of BT.2020 and a white of D65.
    private static let lmsToRGB: [Float] = [
        3.0644188, -2.1659768, 0.1015582,
        -0.6561211, 1.7855412, -0.1294375,
        0.0173632, -0.0472515, 1.0300425,
    ]
    /// cd/m² that stand for 1.
    static let unit: Float = 100

    /// `nil` for a mapping with parts missing.
    init?(_ mapping: DolbyVisionMapping) {
        guard mapping.isUsable else { return nil }
        curves = mapping.curves.map(ReshapingCurve.init)
        offset = SIMD4(mapping.offset[0], mapping.offset[1], mapping.offset[2], 0)
        toNonlinear = Columns(rows: mapping.toNonlinear)
        let scale = PerceptualQuantizer.peak / Self.unit
        var rows: [Float] = []
        for row in 0..<3 {
            for column in 0..<3 {
                let sum = (0..<3).map { Self.lmsToRGB[row * 3 + $0] * mapping.toLMS[$0 * 3 + column] }.reduce(0, +)
                rows.append(sum * scale)
            }
        }
        toLight = Columns(rows: rows)
    }

    /// Linear R, G, B with primaries of BT.2020, in units of `unit`. Colours outside the gamut have negative parts.
    ///
    /// - Parameter codes: luma and both chroma samples of 12 bits in full range.
    func light(_ codes: SIMD4<UInt16>) -> SIMD4<Float> {
        let limited = SIMD4<Float>(codes).clamped(
            lowerBound: .zero,
            upperBound: SIMD4(repeating: Float(ReshapingCurve.largestCode))
        )
        let samples = limited / Float(ReshapingCurve.largestCode)
        let terms = ReshapingCurve.terms(samples)
        var reshaped = SIMD4<Float>.zero
        for index in 0..<3 {
            reshaped[index] = curves[index].value(samples[index], code: Int(limited[index]), terms: terms)
        }
        return toLight.times(PerceptualQuantizer.tabulated(toNonlinear.times(reshaped - offset)))
    }

    /// One row of a picture.
    func compose(
        _ luma: Span<UInt16>,
        _ blueChroma: Span<UInt16>,
        _ redChroma: Span<UInt16>,
        red: inout MutableSpan<Float>,
        green: inout MutableSpan<Float>,
        blue: inout MutableSpan<Float>
    ) {
        for index in luma.indices {
            let light = light(SIMD4(luma[index], blueChroma[index], redChroma[index], 0))
            red[index] = light.x
            green[index] = light.y
            blue[index] = light.z
        }
    }
}
