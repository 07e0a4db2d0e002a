// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// Decodes the packets of a segment of video and encodes its frames.
///
/// Never reads a source, and keeps nothing between two segments: decoder, filters and encoder start from their initial
/// state each time. Owned by `VideoBridgePool`; each bridge encodes one segment at a time, on a thread of its own.
package actor VideoBridge {
    /// How many segments the process encodes at the same time: one per core, eight at most.
    package static let limit = min(8, VideoDecoder.coreCount)

    private let executor: ThreadExecutor

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter name: the thread's name, as `ps -T` shows it.
    package init(name: String) { executor = ThreadExecutor(name: name) }

    /// Returns the encoded pictures of a segment.
    ///
    /// - Parameter isStopped: called between two packets; returns whether to stop.
    /// - Throws: `cancelled` if `isStopped` has returned true.
    package func encode(
        _ job: VideoBridgeJob,
        with plan: VideoBridgePlan,
        unless isStopped: @Sendable () -> Bool
    ) throws(EngineError) -> BridgedVideo {
        do throws(FFmpegError) {
            return try job.run(plan, unless: isStopped)
        } catch {
            if error.isInterruption { throw EngineError(.cancelled, "the session was stopped") }
            throw EngineError(.segmentFailed, "re-encoding video to \(plan.codec.name) failed", cause: "\(error)")
        }
    }
}
