// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Converts the times in the segments of one group to the clock of the whole source, which is the clock of its first
/// segment. Pure.
package struct ListClock: Hashable, Sendable {
    /// An MPEG-TS clock wraps after this many ticks of 90 kHz (ISO/IEC 13818-1, 2.4.3.7).
    private static let turn: Int64 = 1 << 33

    /// When the group's first segment is presented, on the group's own clock.
    package let anchor: MediaTime
    /// The offset to add to the times of the group.
    package let offset: MediaTime
    /// The start of the group, relative to the start of the list.
    package let start: MediaTime

    package init(anchor: MediaTime, offset: MediaTime, start: MediaTime) {
        self.anchor = anchor
        self.offset = offset
        self.start = start
    }

    /// When a segment at the start of the list is presented, on the source's clock.
    package var origin: MediaTime { anchor + offset - start }

    /// - Parameters:
    ///   - anchor: when the group's first segment is presented, on the group's own clock.
    ///   - first: the clock of the source's first group; `nil` for that group itself.
    ///   - start: where the group begins, counted from the start of the list.
    package init(anchor: MediaTime, after first: ListClock?, start: MediaTime) {
        let planned = first.map { $0.anchor + start - $0.start }
        self.init(anchor: anchor, offset: (planned ?? anchor) - anchor, start: start)
    }

    /// This clock with the offset of `other` plus whole turns of the clock, if the times of the group continue those of
    /// the group with that clock.
    ///
    /// - Parameter number: the number of segments between the starts of the two groups.
    /// - Returns: `nil` if the times do not continue.
    package func continuing(_ other: ListClock, number: Int) -> ListClock? {
        let turn = MediaTime(Self.turn, in: TimeBase(1, 90_000))
        let distance = (offset - other.offset).microseconds
        let turns = Int64((Double(distance) / Double(turn.microseconds)).rounded())
        let rest = distance - turns * turn.microseconds
        guard rest.magnitude <= Self.tolerance(number).microseconds.magnitude else { return nil }
        let offset = other.offset + MediaTime(Self.turn * turns, in: TimeBase(1, 90_000))
        return ListClock(anchor: anchor, offset: offset, start: start)
    }

    /// The limit of the difference between a segment's time and the one that the playlist implies: durations in
    /// playlists may be rounded to seconds.
    ///
    /// - Parameters:
    ///   - number: the number of the segment in its group.
    ///   - isExact: whether the playlist states durations more precisely.
    static func tolerance(_ number: Int, isExact: Bool = false) -> MediaTime {
        .seconds(2 + Double(number) * (isExact ? 0.01 : 1))
    }

    /// By how much a segment is earlier than the playlist implies, if inexact durations do not explain that: its clock
    /// restarts although the playlist declares no discontinuity, or the playlist states wrong durations. Zero for any
    /// other segment.
    ///
    /// - Parameters:
    ///   - first: the time of its first packet, on the source's clock.
    ///   - number: the number of the segment in its group.
    ///   - start: the start of the segment, relative to the start of the list.
    ///   - isExact: as for `tolerance`.
    package func deviation(
        of first: MediaTime,
        number: Int,
        near start: MediaTime,
        isExact: Bool = false
    ) -> MediaTime {
        let distance = planned(start) - first
        let tolerance = Self.tolerance(number, isExact: isExact)
        return distance.microseconds.magnitude > tolerance.microseconds.magnitude ? distance : .zero
    }

    /// When a segment of the group is presented on the source's clock, according to the playlist.
    ///
    /// - Parameter start: the start of the segment, relative to the start of the list.
    func planned(_ start: MediaTime) -> MediaTime { anchor + offset + start - self.start }

    /// Converts a time of the group to the source's clock.
    ///
    /// - Parameters:
    ///   - time: the time in the segment, in ticks of `base`.
    ///   - start: where the segment begins, counted from the start of the list. The result is expected near there.
    ///   - wraps: whether the clock wraps after `turn` ticks.
    ///   - target: the time base of the result.
    package func placed(
        _ time: Int64,
        in base: TimeBase,
        near start: MediaTime,
        wraps: Bool,
        target: TimeBase
    ) -> Int64 {
        var time = time
        if wraps {
            let expected = (anchor + start - self.start).ticks(in: base)
            let turn = TimeBase(1, 90_000).rescale(Self.turn, to: base)
            let distance = expected &- time &+ turn / 2
            let turns = distance >= 0 ? distance / turn : -((turn - 1 - distance) / turn)
            time = time &+ turns &* turn
        }
        return base.rescale(time, to: target) &+ offset.ticks(in: target)
    }
}
