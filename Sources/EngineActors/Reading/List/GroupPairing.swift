// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// The groups of a leading list with which the groups of another list are paired. Pure.
///
/// A group is paired with the one that begins at the nearest date; without dates, with the one of the same number if both lists
/// have equally many groups; otherwise with the one that begins at the nearest time. Groups of the leading list that continue a
/// clock do not count. EXT-X-DISCONTINUITY-SEQUENCE is not compared, because packagers count it separately for each list.
struct GroupPairing {
    /// Times among which the nearest one is found, by binary search if they are in ascending order.
    private struct Times {
        private let values: [Int64]
        private let areSorted: Bool

        init(_ values: [Int64]) {
            self.values = values
            areSorted = zip(values, values.dropFirst()).allSatisfy { $0 <= $1 }
        }

        /// The index of the value that is nearest to `time`, the first one of several; 0 if there is none.
        func nearest(to time: Int64) -> Int {
            func distance(_ place: Int) -> UInt64 {
                let value = values[place]
                return UInt64(bitPattern: value < time ? time &- value : value &- time)
            }
            guard areSorted else { return values.indices.min { distance($0) < distance($1) } ?? 0 }
            let next = first(atOrAfter: time)
            guard next > 0 else { return 0 }
            return next < values.count && distance(next) < distance(next - 1)
                ? next : first(atOrAfter: values[next - 1])
        }

        private func first(atOrAfter time: Int64) -> Int {
            var (low, high) = (0, values.count)
            while low < high {
                let middle = (low + high) / 2
                if values[middle] < time { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private let groups: [Int]
    private let starts: Times
    /// `nil` unless the dates of all groups are known.
    private let dates: Times?

    /// - Parameter lead: the leading list, which is not empty.
    init(with lead: SegmentList) {
        groups = lead.groups.indices.filter { !lead.continuations.contains($0) }
        let first = groups.map { lead.segments[lead.groups[$0]] }
        let dates = first.compactMap(\.date?.microseconds)
        starts = Times(first.map(\.start.microseconds))
        self.dates = dates.count == groups.count ? Times(dates) : nil
    }

    /// The group of the leading list whose clock a group of another list shares.
    func partner(of group: Int, in list: SegmentList) -> Int {
        let segment = list.segments[list.groups[group]]
        if let dates, let date = segment.date { return groups[dates.nearest(to: date.microseconds)] }
        if list.groups.count == groups.count { return groups[group] }
        return groups[starts.nearest(to: segment.start.microseconds)]
    }

    /// The last group of a list whose partner is not after `group`. `nil` if there is none.
    func last(in list: SegmentList, upTo group: Int) -> Int? {
        list.groups.indices.last { partner(of: $0, in: list) <= group }
    }
}

extension SegmentList {
    /// As `GroupPairing.partner`.
    package func group(of lead: SegmentList, pairedWith group: Int) -> Int {
        GroupPairing(with: lead).partner(of: group, in: self)
    }
}
