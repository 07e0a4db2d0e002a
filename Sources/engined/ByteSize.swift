// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// A count of bytes as people write it: `268435456`, `256M`, `2G`.
struct ByteSize: ExpressibleByArgument, Hashable {
    let count: Int

    init(count: Int) { self.count = count }

    init?(argument: String) {
        let units: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        let shift = argument.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int(shift == nil ? argument[...] : argument.dropLast()), number >= 0 else { return nil }
        let (count, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        guard !overflow else { return nil }
        self.count = count
    }

    var defaultValueDescription: String { count % (1 << 20) == 0 ? "\(count >> 20)M" : "\(count)" }
}
