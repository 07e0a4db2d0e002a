// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Converts samples of a Dolby Vision base layer to light with the frame's own metadata: reshaping, the matrix to
/// L'M'S', the PQ curve, and the matrix to BT.2020 (ETSI GS CCM 001; ITU-R BT.2100).
///
/// Display management, i.e. the trims and light levels of the extension blocks, is not applied. The result is
/// absolute luminance, as mastered.
struct DolbyVisionComposer {
    private let first: ReshapingCurve
    private let second: ReshapingCurve
    private let third: ReshapingCurve
    private let needsTerms: Bool
    private let pqTable = PerceptualQuantizer.table
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

        @inline(__always) func times(_ vector: SIMD4<Float>) -> SIMD4<Float> {
            first * vector.x + second * vector.y + third * vector.z
        }
    }

    /// The inverse of the Hunt-Pointer-Estevez LMS matrix, for BT.2020 primaries and D65 white.
    private static let lmsToRGB: [Float] = [
        3.0644188, -2.1659768, 0.1015582,
        -0.6561211, 1.7855412, -0.1294375,
        0.0173632, -0.0472515, 1.0300425,
    ]
    /// The luminance of 1.0, in cd/m².
    static let unit: Float = 100

    /// Returns `nil` if the mapping is not usable.
    init?(_ mapping: DolbyVisionMapping) {
        guard mapping.isUsable else { return nil }
        first = ReshapingCurve(mapping.curves[0])
        second = ReshapingCurve(mapping.curves[1])
        third = ReshapingCurve(mapping.curves[2])
        needsTerms = first.needsTerms || second.needsTerms || third.needsTerms
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

    /// Linear R, G, B with BT.2020 primaries, in units of `unit`. Colours outside the gamut have negative components.
    ///
    /// The input is 12-bit full-range luma and chroma.
    @inline(__always) func light(_ luma: UInt16, _ blueChroma: UInt16, _ redChroma: UInt16) -> SIMD4<Float> {
        let x = min(Int(luma), ReshapingCurve.largestCode)
        let y = min(Int(blueChroma), ReshapingCurve.largestCode)
        let z = min(Int(redChroma), ReshapingCurve.largestCode)
        var terms = SIMD8<Float>.zero
        if needsTerms {
            let scale = 1 / Float(ReshapingCurve.largestCode)
            terms = ReshapingCurve.terms(Float(x) * scale, Float(y) * scale, Float(z) * scale)
        }
        let reshaped = SIMD4(
            first.value(x, terms: terms),
            second.value(y, terms: terms),
            third.value(z, terms: terms),
            0
        )
        let codes = toNonlinear.times(reshaped - offset)
        return toLight.times(
            SIMD4(
                PerceptualQuantizer.tabulated(codes.x, pqTable),
                PerceptualQuantizer.tabulated(codes.y, pqTable),
                PerceptualQuantizer.tabulated(codes.z, pqTable),
                0
            )
        )
    }

    /// Composes one row of a frame.
    func compose(
        _ luma: Span<UInt16>,
        _ blueChroma: Span<UInt16>,
        _ redChroma: Span<UInt16>,
        red: inout MutableSpan<Float>,
        green: inout MutableSpan<Float>,
        blue: inout MutableSpan<Float>
    ) {
        for index in luma.indices {
            let light = light(luma[index], blueChroma[index], redChroma[index])
            red[index] = light.x
            green[index] = light.y
            blue[index] = light.z
        }
    }
}
