// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension BroadcastTables.Clock {
    /// A clock that was stated more than this much earlier or later, in 90 kHz ticks, says nothing about a position.
    /// Senders state it at least every 30 s.
    private static let reach: Int64 = 3600 * 90_000

    /// When media was broadcast, in microseconds since 1970.
    ///
    /// - Parameters:
    ///   - time: the time of the media in `plan`, in ticks.
    ///   - stream: the PID of the leading track.
    /// - Returns: `nil` if the stream has not stated the time of day near the media.
    package func time(of time: Int64, in plan: SegmentPlan, leading stream: Int) -> Int64? {
        guard let unit = unitTimes[stream] else { return nil }
        let jump = plan.jumps.last { $0.position <= position }
        let base = TimeBase.hertz(90_000)
        let stated = unit &+ plan.timeBase.rescale(jump?.offset ?? 0, to: base)
        let distance = TransportPacket.distance(from: stated, to: plan.timeBase.rescale(time, to: base))
        guard distance.magnitude <= Self.reach.magnitude else { return nil }
        return self.time + MediaTime(distance, in: base).microseconds
    }
}
