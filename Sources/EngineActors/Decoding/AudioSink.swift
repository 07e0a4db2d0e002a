// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// A consumer of audio: a device, a file, another process, or a null output that only keeps time.
///
/// Samples arrive without gaps: gaps in the source are filled with silence. The number of samples heard so far drives
/// the playhead. Generations are those of `FrameSink`.
package protocol AudioSink: AnyObject, Sendable {
    /// Whether the sink plays in real time. Other sinks take audio at their own pace.
    var isRealTime: Bool { get }
    /// The format in which the sink wants audio whose source format is `source`. The answer holds until the next flush.
    func format(for source: AudioFormat) -> AudioFormat
    /// Takes samples in the sink's format. Suspends while the sink's buffer is full.
    ///
    /// - Returns: `false` once the sink has ended.
    func take(_ audio: TimedAudio, generation: UInt64) async -> Bool
    /// Drops samples that have not been heard yet. From now on only audio of `generation` is heard, and `samplesHeard`
    /// restarts at 0. Resumes callers that wait in `take`. Returns at once.
    func flush(to generation: UInt64)
    /// Starts playing, or stops at the current sample. Returns at once.
    func setRunning(_ isRunning: Bool)
    /// The number of samples per channel of this generation that have been heard at `now`, in nanoseconds of the
    /// monotonic clock. `nil` if unknown, for example before playing has begun.
    func samplesHeard(at now: Int64) -> Int64?
    /// No more audio follows in this generation.
    func finish(generation: UInt64)
}
