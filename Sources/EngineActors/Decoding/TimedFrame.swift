// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// A decoded frame at its position on the session's timeline.
package struct TimedFrame: Sendable {
    package let frame: VideoFrame
    /// The time at which the frame appears.
    package let time: MediaTime
    /// How long the frame is shown, above zero: until the next frame. For the last frame: the duration that the source
    /// gives, otherwise one frame at the source's frame rate, or 40 ms if the rate is unknown.
    package let duration: MediaTime
    /// The clockwise rotation in degrees that the container asks for on display.
    package private(set) var rotation = 0
    /// The sample aspect ratio given by the container.
    package private(set) var aspect: Ratio?

    package init(frame: VideoFrame, time: MediaTime, duration: MediaTime) {
        self.frame = frame
        self.time = time
        self.duration = duration
    }

    package var end: MediaTime { time + duration }

    /// The same frame with the container's rotation and sample aspect ratio.
    func seen(turnedBy rotation: Int, aspect: Ratio?) -> TimedFrame {
        var copy = self
        copy.rotation = rotation
        copy.aspect = aspect
        return copy
    }
}
