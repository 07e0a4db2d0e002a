// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Puts the times that the segments of one group state on the clock of the whole source, which is that of its first
/// segment. Pure.
package struct ListClock: Hashable, Sendable {
    /// An MPEG-TS clock starts again after so many ticks of 90 kHz (ISO/IEC 13818-1, 2.4.3.7).
    private static let turn: Int64 = 1 << 33

    /// When the group's first segment is presented, as that segment states it.
    package let anchor: MediaTime
    /// Added to the times of the group.
    package let offset: MediaTime
    /// Where the group begins, from the start of the list.
    package let start: MediaTime

    package init(anchor: MediaTime, offset: MediaTime, start: MediaTime) {
        self.anchor = anchor
        self.offset = offset
        self.start = start
    }

    /// When a segment at the start of the list is presented, on the source's clock.
    package var origin: MediaTime { anchor + offset - start }

    /// The clock of the group whose first segment states `anchor`.
    ///
    /// - Parameters:
    ///   - first: the clock of the source's first group; `nil` for that group itself.
    ///   - start: where the group begins, from the start of the list.
    package init(anchor: MediaTime, after first: ListClock?, start: MediaTime) {
        let planned = first.map { $0.anchor + start - $0.start }
        self.init(anchor: anchor, offset: (planned ?? anchor) - anchor, start: start)
    }

    /// How far a segment may lie off the place that the playlist states for it: durations are rounded to seconds.
    ///
    /// - Parameter number: of the segment in its group.
    private static func tolerance(_ number: Int) -> MediaTime { .seconds(2 + Double(number)) }

    /// Added to the times of a segment whose clock starts again although the playlist does not say so. Zero for any other.
    ///
    /// - Parameters:
    ///   - first: the time of its first packet, on the source's clock.
    ///   - number: of the segment in its group.
    ///   - start: where it begins, from the start of the list.
    package func correction(of first: MediaTime, number: Int, near start: MediaTime) -> MediaTime {
        let expected = anchor + offset + start - self.start
        let distance = expected - first
        return distance.microseconds.magnitude > Self.tolerance(number).microseconds.magnitude ? distance : .zero
    }

    /// A time of the group on the source's clock.
    ///
    /// - Parameters:
    ///   - time: in ticks of `base`, as the segment states it.
    ///   - start: where its segment begins, from the start of the list. The time is expected near there.
    ///   - wraps: whether the clock starts again after `turn` ticks.
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
