// SPDX-License-Identifier: Apache-2.0

/// The status of a front-end that plays the session's HLS, as the front-end reports it.
public struct RendererReport: Hashable, Sendable {
    /// On the session's timeline.
    public var position: MediaTime
    /// The current speed of the playhead; 0 while it does not move.
    public var rate: Double
    /// The renderer is set to play and is waiting for media.
    public var isBuffering: Bool
    public var hasEnded: Bool
    /// The last seek command that the renderer has carried out; 0 for none.
    public var seekID: UInt64
    public var buffered: [MediaTimeRange]
    /// Since the renderer attached.
    public var droppedFrames: UInt64
    /// The last command that the renderer has carried out. `nil`: not reported.
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
