// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The PQ curve of SMPTE ST 2084.
enum PerceptualQuantizer {
    /// The luminance of the largest code, in cd/m².
    static let peak: Float = 10_000

    private static let m1: Float = 2610.0 / 16384
    private static let m2: Float = 2523.0 / 4096 * 128
    private static let c1: Float = 3424.0 / 4096
    private static let c2: Float = 2413.0 / 4096 * 32
    private static let c3: Float = 2392.0 / 4096 * 32

    /// The luminance for a code from 0 to 1, as a fraction of `peak`.
    static func light(_ code: Float) -> Float {
        let power = powf(min(max(code, 0), 1), 1 / m2)
        return powf(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    private static let steps: Float = 8192
    /// The luminance at equal steps of the code, plus one extra entry for interpolation at the end.
    static let table: [Float] = (0...Int(steps) + 1).map { light(Float($0) / steps) }

    /// `light`, linearly interpolated from `table`. The code must be finite.
    @inline(__always) static func tabulated(_ code: Float, _ table: [Float]) -> Float {
        let place = min(max(code, 0), 1) * steps
        let index = Int(place)
        let low = table[index]
        return low + (table[index + 1] - low) * (place - Float(index))
    }
}
