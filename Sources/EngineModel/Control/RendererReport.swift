// SPDX-License-Identifier: Apache-2.0

/// What a front-end that plays the session's HLS says of itself.
package struct RendererReport: Hashable, Sendable {
    /// On the session's timeline.
    package var position: MediaTime
    /// At which the playhead moves at this moment; 0 while it stands.
    package var rate: Double
    /// Wants to play and waits for media.
    package var isBuffering: Bool
    package var hasEnded: Bool
    /// The last seek command it has carried out; 0 for none.
    package var seekID: UInt64
    package var buffered: [MediaTimeRange]
    /// Since it attached.
    package var droppedFrames: UInt64
    /// The last command it has carried out. `nil`: it does not say.
    package var lastCommand: UInt64?

    package init(position: MediaTime, rate: Double) {
        self.position = position
        self.rate = rate
        isBuffering = false
        hasEnded = false
        seekID = 0
        buffered = []
        droppedFrames = 0
    }
}
