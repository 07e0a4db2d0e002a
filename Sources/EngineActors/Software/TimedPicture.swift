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
    /// By how many degrees the container says that it is turned clockwise before it is seen.
    package private(set) var rotation = 0
    /// Of a pixel, as the container says.
    package private(set) var aspect: Ratio?

    package init(frame: VideoFrame, time: MediaTime, duration: MediaTime) {
        self.frame = frame
        self.time = time
        self.duration = duration
    }

    package var end: MediaTime { time + duration }

    /// The same picture, seen as the container says.
    func seen(turnedBy rotation: Int, aspect: Ratio?) -> TimedPicture {
        var picture = self
        picture.rotation = rotation
        picture.aspect = aspect
        return picture
    }
}
