// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// Decodes the packets of a segment and re-encodes them.
///
/// Never reads a source, and keeps nothing between two segments: decoder, converter and encoder start from their
/// initial state each time, so the output depends only on the packets and their positions. The producer's `BridgePool`
/// owns the bridges, and each encodes one segment at a time. The bridge's thread is busy for as long as a segment
/// takes.
package actor AudioBridge {
    private let executor: ThreadExecutor

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter name: the thread's name, as `ps -T` shows it.
    package init(name: String) { executor = ThreadExecutor(name: name) }

    /// Returns the re-encoded frames of a segment.
    package func encode(_ job: BridgeJob, with plan: BridgePlan) throws(EngineError) -> BridgedAudio {
        do throws(FFmpegError) {
            return try job.run(plan)
        } catch {
            throw EngineError(
                .segmentFailed,
                "re-encoding audio to \(plan.encoding.settings.codec.rawValue) failed",
                cause: "\(error)"
            )
        }
    }
}
