// SPDX-License-Identifier: Apache-2.0

/// The live edge of a source that is played while it is made.
public struct LiveState: Hashable, Sendable {
    /// The end of the media that can be played so far, on the timeline.
    public var edge: MediaTime
    /// The time of CLOCK_MONOTONIC, in nanoseconds, at which the media at the edge arrived.
    public var monotonicNanoseconds: Int64
    /// How far the playhead was behind the edge when this was published.
    public var latency: MediaTime
    /// The latency with which playback begins, and with which it continues after a seek to the live edge.
    public var targetLatency: MediaTime
    /// The time at which the media at the edge was recorded, in microseconds since 1970. `nil`: the source states none.
    public var wallClock: Int64?
    /// How far local time is ahead of UTC where the source is broadcast, in seconds. 0 if the source does not state it.
    public var utcOffset = 0
    /// Whether `wallClock` differs from the clock of this machine by more than a minute.
    public var isWallClockDoubtful = false
    /// Whether no media has arrived for longer than the source promises.
    public var isStalled = false

    public init(edge: MediaTime, monotonicNanoseconds: Int64, latency: MediaTime, targetLatency: MediaTime) {
        self.edge = edge
        self.monotonicNanoseconds = monotonicNanoseconds
        self.latency = latency
        self.targetLatency = targetLatency
    }

    /// How far a playhead is behind the edge, which advances in real time.
    public func latency(of position: MediaTime, at monotonicNanoseconds: Int64) -> MediaTime {
        let passed = MediaTime(microseconds: (monotonicNanoseconds &- self.monotonicNanoseconds) / 1000)
        return edge + passed - position
    }
}
