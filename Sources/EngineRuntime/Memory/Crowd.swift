// SPDX-License-Identifier: Apache-2.0

/// Decides when the memory that many clients have used is returned to the system: when most of them are gone. malloc keeps the small
/// blocks of each for later ones. Pure.
package struct Crowd: Sendable {
    /// A smaller crowd leaves too little memory.
    private static let least = 256
    /// Most are gone when one in so many is left.
    private static let share = 8

    private var peak = 0

    package init() {}

    /// Notes how many clients there are.
    ///
    /// - Returns: whether to call `returnFreeMemory`.
    package mutating func changed(to count: Int) -> Bool {
        peak = max(peak, count)
        guard peak >= Self.least, count <= peak / Self.share else { return false }
        peak = count
        return true
    }
}
