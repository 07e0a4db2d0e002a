// SPDX-License-Identifier: Apache-2.0

/// Restores the times of entry points, whose lowest bits the disc cuts off. Pure.
///
/// The times of pictures are on a grid of fields. A field is longer than the range of the missing bits, so a time
/// without them identifies one field; only the position of the grid is unknown at first. If fields do not fall on whole
/// ticks, times are rounded, but always in the same way: each class of fields that are rounded alike is determined from
/// one picture.
package struct EntryTimes {
    /// The duration of `fields` fields, in ticks of 90 kHz. A single field need not last a whole number of ticks.
    private let period: Int64
    private let fields: Int64

    /// - Parameter rate: the code of a frame rate in a playlist. The result is `nil` if the code is not known.
    package init?(rate: UInt8) {
        // The grid consists of half frames, that is, fields, because frames of film with 3:2 pulldown begin at any
        // field.
        switch rate {
        case 1: (period, fields) = (15_015, 8)
        case 2: (period, fields) = (1875, 1)
        case 3: (period, fields) = (1800, 1)
        case 4: (period, fields) = (3003, 2)
        case 6: (period, fields) = (900, 1)
        case 7: (period, fields) = (3003, 4)
        default: return nil
        }
    }

    /// The exact times of entry points, in ticks of 90 kHz; `nil` if one of them cannot be read or does not lie on the
    /// grid.
    ///
    /// - Parameters:
    ///   - truncated: the times as the disc states them, without their lowest bits; in order, unwrapped.
    ///   - isSampled: whether the entry point with this index is read even if its time is known, to verify the others.
    ///   - read: reads the exact time of the entry point with this index from its packet; `nil` if it cannot be read.
    package func exact<Failure: Error>(
        _ truncated: [Int64],
        isSampled: (Int) -> Bool,
        read: (Int) throws(Failure) -> Int64?
    ) throws(Failure) -> [Int64]? {
        guard !truncated.isEmpty else { return [] }
        guard let anchor = try read(0), isTruncated(anchor, to: truncated[0]) else { return nil }
        /// For each class, the number and the time of one field.
        var known: [Int64: (field: Int64, time: Int64)] = [0: (0, anchor)]
        var times = [anchor]
        for index in truncated.indices.dropFirst() {
            let field = self.field(truncated[index] - anchor)
            let kind = field % fields
            var time = known[kind].map { $0.time + (field - $0.field) / fields * period }
            if time == nil || isSampled(index) {
                guard let found = try read(index), time == nil || time == found else { return nil }
                time = found
                known[kind] = (field, found)
            }
            guard let time, isTruncated(time, to: truncated[index]) else { return nil }
            times.append(time)
        }
        return times
    }

    /// The entry points that `exact` will read, as far as that follows from the times that the disc states.
    package func expectedReads(_ truncated: [Int64], isSampled: (Int) -> Bool) -> [Int] {
        guard let first = truncated.first else { return [] }
        var kinds: Set<Int64> = [0]
        return truncated.indices.filter { index in
            if index == 0 { return true }
            // The missing bits of the first time are not known yet: half of their range stands in for them.
            let kind = field(truncated[index] - first - ClipInformation.precision / 2) % fields
            return kinds.insert(kind).inserted || isSampled(index)
        }
    }

    private func isTruncated(_ time: Int64, to truncated: Int64) -> Bool {
        (0..<ClipInformation.precision).contains(time - truncated)
    }

    /// The number of the field that lies within the range of the missing bits after `distance`. If none does, the
    /// number of the nearest field.
    private func field(_ distance: Int64) -> Int64 {
        let middle = distance + ClipInformation.precision / 2
        return (2 * middle * fields + period) / (2 * period)
    }
}
