// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// What is to be done to a session's pictures: written by the session, read by the thread that has the pictures.
///
/// Thread-safety: safe.
package final class PictureLook: Sendable {
    /// What is found out while pictures are treated.
    package enum Finding: Hashable, Sendable {
        /// The filter does not work on these pictures, and is out.
        case filterFailed(AppliedFilter, reason: String)
        /// No adjustment can be made to these pictures.
        case adjustmentsFailed(reason: String)
        case overlayFailed(name: String, reason: String)
        /// An overlay can be laid over pictures from the next one on.
        case drawn
        /// Where the overlays lie from now on, by name.
        case placed([String: OverlayBounds])
    }

    private struct State {
        var treatment = PictureTreatment()
        var version: UInt64 = 1
        var report: (@Sendable (Finding) -> Void)?
        /// Drawings that are at work although nobody waits for them any more.
        var lateDrawings = 0
    }

    private let state: Locked<State>

    package init(_ treatment: PictureTreatment = PictureTreatment()) {
        state = Locked(State(treatment: treatment))
    }

    /// Gives findings to `report`, on any thread; it returns at once. Only the last who listens hears.
    package func listen(_ report: @escaping @Sendable (Finding) -> Void) { state.withLock { $0.report = report } }

    private static let lateLimit = 2

    var hasTimeToDraw: Bool { state.withLock { $0.lateDrawings < Self.lateLimit } }

    func noteLate(_ change: Int) { state.withLock { $0.lateDrawings += change } }

    package var treatment: PictureTreatment { state.withLock(\.treatment) }

    /// Holds from the next picture on.
    package func set(_ treatment: PictureTreatment) {
        state.withLock { state in
            guard state.treatment != treatment else { return }
            state.treatment = treatment
            state.version &+= 1
        }
    }

    /// What holds now, if it is not what held at `version`.
    func changed(since version: UInt64) -> (treatment: PictureTreatment, version: UInt64)? {
        state.withLock { $0.version == version ? nil : ($0.treatment, $0.version) }
    }

    func tell(_ finding: Finding) { state.withLock(\.report)?(finding) }
}
