// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The largest difference between two lists of colours. Infinite if their lengths differ.
enum Distance {
    /// In 8-bit codes.
    static func codes(_ one: [[Double]], _ other: [[Double]]) -> Double {
        guard one.count == other.count else { return .infinity }
        return zip(one.joined(), other.joined()).map { abs($0 - $1) }.max() ?? .infinity
    }

    /// As light on a BT.1886 display with a white of 1. This weights codes near black by their visibility: many codes
    /// cover little light there.
    static func light(_ one: [[Double]], _ other: [[Double]]) -> Double {
        func light(_ colors: [[Double]]) -> [[Double]] { colors.map { $0.map { pow($0 / 255, 2.4) } } }
        return codes(light(one), light(other))
    }
}
