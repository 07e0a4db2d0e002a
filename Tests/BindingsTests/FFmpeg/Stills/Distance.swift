// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How far two lists of colours are apart at most. Infinite when they are not as long as each other.
enum Distance {
    /// In codes of 8 bits.
    static func codes(_ one: [[Double]], _ other: [[Double]]) -> Double {
        guard one.count == other.count else { return .infinity }
        return zip(one.joined(), other.joined()).map { abs($0 - $1) }.max() ?? .infinity
    }

    /// As light on a display of BT.1886 whose white is 1: codes near black, of which there are many for little light, count
    /// for what they are.
    static func light(_ one: [[Double]], _ other: [[Double]]) -> Double {
        func light(_ colors: [[Double]]) -> [[Double]] { colors.map { $0.map { pow($0 / 255, 2.4) } } }
        return codes(light(one), light(other))
    }
}
