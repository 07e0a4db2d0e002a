// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Somebody who takes sound: a device, a file, another process, or nobody who keeps time all the same.
///
/// It is given samples without a hole: what the source leaves out comes as silence. How many of them have been heard is the
/// playhead's master. Generations are those of `PictureSink`.
package protocol SoundSink: AnyObject, Sendable {
    /// Whether sound is heard as time passes. A sink that does not keep time takes what it is given at its own pace.
    var isRealTime: Bool { get }
    /// What it wants to be given of sound that the source has as `source`. The same answer for the same question.
    func format(for source: AudioFormat) -> AudioFormat
    /// Takes samples in the sink's format. Suspends while it has enough. `false` when the sink is over.
    func take(_ sound: TimedSound, generation: UInt64) async -> Bool
    /// Throws away what is not heard yet; only sound of `generation` is heard from here on, and `samplesHeard` counts from 0
    /// again. Wakes whoever waits in `take`. Returns at once.
    func flush(to generation: UInt64)
    /// Begins to be heard, or stops where it is. Returns at once.
    func setRunning(_ isRunning: Bool)
    /// How many samples of the generation have been heard at `now` of the monotonic clock, per channel. `nil` while it has
    /// not begun.
    func samplesHeard(at now: Int64) -> Int64?
    /// No sound follows in this generation.
    func finish(generation: UInt64)
}
