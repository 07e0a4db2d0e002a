// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Decodes the packets of a segment and encodes them anew.
///
/// Never reads a source and keeps nothing between two segments: decoder, converter and encoder begin in their initial
/// state each time, so what comes out depends on the packets and the place alone. Called by the producer, which owns two.
/// Its thread is busy for as long as a segment takes.
package actor AudioBridge {
    private let executor: ThreadExecutor

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter name: of the thread, as `ps -T` shows it.
    package init(name: String) { executor = ThreadExecutor(name: name) }

    /// The frames of a segment.
    func encode(_ job: BridgeJob, with plan: BridgePlan) throws(EngineError) -> BridgedSound {
        do throws(FFmpegError) {
            return try job.run(plan)
        } catch {
            throw EngineError(
                .segmentFailed,
                "bridging sound to \(plan.encoder.codec.rawValue) failed",
                cause: "\(error)"
            )
        }
    }
}
