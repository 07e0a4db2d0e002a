// SPDX-License-Identifier: Apache-2.0

/// What a front-end that plays the session's HLS says of itself.
public struct RendererReport: Hashable, Sendable {
    /// On the session's timeline.
    public var position: MediaTime
    /// At which the playhead moves at this moment; 0 while it stands.
    public var rate: Double
    /// Wants to play and waits for media.
    public var isBuffering: Bool
    public var hasEnded: Bool
    /// The last seek command it has carried out; 0 for none.
    public var seekID: UInt64
    public var buffered: [MediaTimeRange]
    /// Since it attached.
    public var droppedFrames: UInt64
    /// The last command it has carried out. `nil`: it does not say.
    public var lastCommand: UInt64?

    public init(position: MediaTime, rate: Double) {
        self.position = position
        self.rate = rate
        isBuffering = false
        hasEnded = false
        seekID = 0
        buffered = []
        droppedFrames = 0
    }
}
