// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The colour math of the standards in double precision, independent of the libraries and tables under test.
enum ReferenceLight {
    /// ITU-R BT.2087: linear BT.709 to BT.2020.
    static let wideFromStandard = [
        [0.6274039, 0.3292830, 0.0433131], [0.0690973, 0.9195404, 0.0113623], [0.0163914, 0.0880133, 0.8955953],
    ]
    /// Linear BT.709 to P3 with D65 white (SMPTE EG 432-1).
    static let cinemaFromStandard = [
        [0.8224622, 0.1775380, 0], [0.0331942, 0.9668058, 0], [0.0170826, 0.0723974, 0.9105199],
    ]
    /// BT.709 R'G'B' to the same colours in other primaries, with the same transfer function.
    static func codes(_ patch: [Double], _ matrix: [[Double]]) -> [Double] {
        times(matrix, patch.map { pow($0, 2.4) }).map { pow(max($0, 0), 1 / 2.4) }
    }

    static let standardFromWide = inverse(wideFromStandard)

    static func times(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in zip(row, vector).map(*).reduce(0, +) }
    }

    static func inverse(_ m: [[Double]]) -> [[Double]] {
        func minor(_ r: Int, _ c: Int) -> Double {
            let (a, b) = ((r + 1) % 3, (r + 2) % 3)
            let (x, y) = ((c + 1) % 3, (c + 2) % 3)
            return m[a][x] * m[b][y] - m[a][y] * m[b][x]
        }
        let determinant = (0..<3).map { m[0][$0] * minor(0, $0) }.reduce(0, +)
        return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }

    /// SMPTE ST 2084: cd/m² to a code from 0 to 1.
    static func pqCode(_ light: Double) -> Double {
        let power = pow(max(light, 0) / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    static func pqLight(_ code: Double) -> Double {
        let power = pow(code, 1 / 78.84375)
        return 10_000 * pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    }

    /// ITU-R BT.2100 HLG: codes to cd/m² on a display of 1000 cd/m², system gamma 1.2.
    static func hlgLight(_ codes: [Double]) -> [Double] {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        let scene = codes.map { $0 <= 0.5 ? $0 * $0 / 3 : (exp(($0 - c) / a) + b) / 12 }
        let luminance = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2]
        return scene.map { 1000 * pow(luminance, 0.2) * $0 }
    }

    /// BT.2020 light in cd/m² to 8-bit BT.709 codes: the Hable curve, applied to the brightest component.
    static func toned(_ wide: [Double], peak: Double) -> [Double] {
        func hable(_ x: Double) -> Double {
            (x * (0.15 * x + 0.05) + 0.004) / (x * (0.15 * x + 0.50) + 0.06) - 0.02 / 0.30
        }
        let light = times(standardFromWide, wide.map { $0 / 100 })
        let brightest = max(light.max() ?? 0, 1e-6)
        let factor = hable(brightest) / hable(peak / 100) / brightest
        return light.map { 255 * pow(min(max($0 * factor, 0), 1), 1 / 2.4) }
    }

    /// BT.709 R'G'B': greys, skin tones, primaries.
    static let standardScene: [[Double]] =
        [0.06, 0.2, 0.4, 0.5, 0.75, 1].map { [$0, $0, $0] }
        + [[0.78, 0.57, 0.44], [0.55, 0.37, 0.27], [0.35, 0.21, 0.14]]
        + [[0.9, 0.1, 0.1], [0.1, 0.8, 0.15], [0.1, 0.15, 0.9]]

    /// Greys from shadow to highlight, skin tones, and BT.709 primaries, as BT.2020 light in cd/m².
    static let scene: [[Double]] = {
        let greys = [0.5, 5, 18, 58, 100, 203, 400, 800, 1000].map { [$0, $0, $0] }
        let skins: [[Double]] = [[0.78, 0.57, 0.44], [0.55, 0.37, 0.27], [0.35, 0.21, 0.14], [0.92, 0.76, 0.66]]
        let primaries: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
        let colours = skins.map { $0.map { pow($0, 2.4) * 203 } } + primaries.map { $0.map { $0 * 100 } }
        return greys + colours.map { times(wideFromStandard, $0) }
    }()
}
