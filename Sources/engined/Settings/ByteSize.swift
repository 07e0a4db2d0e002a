// SPDX-License-Identifier: Apache-2.0

/// A byte count in human notation: `268435456`, `256M`, `2G`.
struct ByteSize: Hashable {
    let count: Int

    init(count: Int) { self.count = count }

    /// Returns `nil` for any other text, and for sizes that do not fit into 63 bits.
    init?(_ text: String) {
        let units: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        let shift = text.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int(shift == nil ? text[...] : text.dropLast()), number >= 0 else { return nil }
        let (count, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        guard !overflow else { return nil }
        self.count = count
    }
}
