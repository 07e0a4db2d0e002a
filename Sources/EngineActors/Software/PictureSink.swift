// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// What became of a picture that a sink was given.
package enum Reception: Hashable, Sendable {
    case taken
    /// It lies where the sink wants it: nothing was copied.
    case takenInPlace
    /// It came too late, or there was no room for it.
    case dropped
    /// The sink is over; nothing more need be given to it.
    case gone
}

/// Somebody who shows pictures. They come in order of presentation, a little before they are due.
///
/// Generations count flushes: a seek begins a new one, and what belongs to an older one is never shown after that. The last
/// picture that was shown stays until the new generation's first is there.
package protocol PictureSink: AnyObject, Sendable {
    /// Whether it shows pictures as time passes. One that does not takes every picture, at its own pace, and the playhead
    /// follows it.
    var isRealTime: Bool { get }
    /// Where it would have pictures put by the decoder, as long as nobody else wants them otherwise.
    var pictureMemory: (any PictureMemory)? { get }
    /// Suspends while there is no room: in real time until the picture is due at the latest, else for as long as it takes.
    func take(_ picture: TimedPicture, generation: UInt64) async -> Reception
    /// Only pictures of `generation` are shown from here on. Wakes whoever waits in `take`. Returns at once.
    func flush(to generation: UInt64)
    /// Whether others play the same and want to go on: who keeps no time must not hold them up for ever. Returns at once.
    func setAwaited(_ isAwaited: Bool)
    /// Where the playhead is and how it moves. Returns at once.
    func follow(_ anchor: PositionAnchor, generation: UInt64)
    /// No picture follows in this generation.
    func finish(generation: UInt64)
}

extension PictureSink {
    package var pictureMemory: (any PictureMemory)? { nil }

    package func setAwaited(_ isAwaited: Bool) {}
}
