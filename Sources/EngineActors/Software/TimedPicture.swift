// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// A decoded picture at its place on the session's timeline.
package struct TimedPicture: Sendable {
    package let frame: VideoFrame
    /// When it appears.
    package let time: MediaTime
    /// How long it is shown, above zero: to the next picture, or as the source says of the last one.
    package let duration: MediaTime

    package init(frame: VideoFrame, time: MediaTime, duration: MediaTime) {
        self.frame = frame
        self.time = time
        self.duration = duration
    }

    package var end: MediaTime { time + duration }
}
