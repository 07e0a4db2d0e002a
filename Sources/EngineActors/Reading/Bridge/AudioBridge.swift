// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// Decodes the audio of a segment and re-encodes it.
///
/// Never reads a source, and keeps no media between two segments: decoder, converter and encoder start from their
/// initial state each time, so the output depends only on the packets, their positions and the plan. The producer's
/// `BridgePool` owns the bridges, and each encodes one segment at a time. The bridge's thread is busy for as long as a
/// segment takes.
package actor AudioBridge {
    private let executor: ThreadExecutor
    /// The memory of the last segment's samples, for the next segment. Mapping new pages for each segment would take a
    /// tenth of the time.
    private var memory = SampleRun.Memory()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter name: the thread's name, as `ps -T` shows it.
    package init(name: String) { executor = ThreadExecutor(name: name) }

    /// Returns the re-encoded frames of a segment.
    package func encode(_ job: BridgeJob, with plan: BridgePlan) throws(EngineError) -> BridgedAudio {
        do throws(FFmpegError) {
            return try job.run(plan, in: &memory)
        } catch {
            throw EngineError(
                .segmentFailed,
                "re-encoding audio to \(plan.encoding.settings.codec.rawValue) failed",
                cause: "\(error)"
            )
        }
    }

    /// Frees the memory that is kept for the next segment.
    package func freeMemory() { memory = SampleRun.Memory() }
}
