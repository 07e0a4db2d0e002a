// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Somebody who takes sound: a device, a file, another process, or nobody who keeps time all the same.
///
/// What it says of what is heard is the playhead's master. Generations are those of `PictureSink`.
package protocol SoundSink: AnyObject, Sendable {
    /// What it wants to be given of sound that the source has as `source`.
    func format(for source: AudioFormat) -> AudioFormat
    /// Takes samples in the sink's format. Suspends while it has enough. `false` when the sink is over.
    func take(_ sound: TimedSound, generation: UInt64) async -> Bool
    /// Throws away what is not heard yet; only sound of `generation` is heard from here on. Returns at once.
    func flush(to generation: UInt64)
    /// Begins to be heard, or stops where it is. Returns at once.
    func setRunning(_ isRunning: Bool)
    /// The place on the timeline, at rate 1 of the samples it was given, that is heard at `now` of the monotonic clock. `nil`
    /// while nothing of the generation has been heard.
    func heard(at now: Int64) -> MediaTime?
    /// No sound follows in this generation.
    func finish(generation: UInt64)
}
