// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
package import Reading

/// The processing requested for a session's frames: set by the session, read by the thread that owns the frames.
///
/// Thread-safety: safe.
package final class SharedTreatment: Sendable {
    /// Results and failures while frames are processed.
    package enum Finding: Hashable, Sendable {
        /// The filter does not work on these frames, and has been removed.
        case filterFailed(AppliedFilter, reason: String)
        /// Adjustments cannot be applied to these frames.
        case adjustmentsFailed(reason: String)
        case overlayFailed(name: String, reason: String)
        /// Subtitles cannot be drawn into these frames.
        case subtitlesFailed(reason: String)
        /// A drawing, or a picture of subtitles, is ready. It is laid over frames from the next one on.
        case drawn
        /// The bounds of the overlays by name, from now on.
        case placed([String: OverlayBounds])
    }

    private struct State {
        var treatment = PictureTreatment()
        var version: UInt64 = 1
        var subtitles: (any FrameSubtitles)?
        var report: (@Sendable (Finding) -> Void)?
        /// The number of drawings that exceeded the deadline and are still running.
        var lateDrawings = 0
    }

    private let state: Locked<State>

    package init(_ treatment: PictureTreatment = PictureTreatment()) {
        state = Locked(State(treatment: treatment))
    }

    /// Passes findings to `report`, on any thread; it must return at once. A later call replaces `report`.
    package func listen(_ report: @escaping @Sendable (Finding) -> Void) { state.withLock { $0.report = report } }

    private static let lateLimit = 2

    var hasTimeToDraw: Bool { state.withLock { $0.lateDrawings < Self.lateLimit } }

    func noteLate(_ change: Int) { state.withLock { $0.lateDrawings += change } }

    package var treatment: PictureTreatment { state.withLock(\.treatment) }

    /// Takes effect from the next frame on.
    package func set(_ treatment: PictureTreatment) {
        state.withLock { state in
            guard state.treatment != treatment else { return }
            state.treatment = treatment
            state.version &+= 1
        }
    }

    /// The current treatment, if it has changed since `version`.
    func changed(since version: UInt64) -> (treatment: PictureTreatment, version: UInt64)? {
        state.withLock { $0.version == version ? nil : ($0.treatment, $0.version) }
    }

    /// From the next frame on, `subtitles` are drawn into frames; `nil`: none.
    package func show(_ subtitles: (any FrameSubtitles)?) { state.withLock { $0.subtitles = subtitles } }

    var subtitles: (any FrameSubtitles)? { state.withLock(\.subtitles) }

    /// Whether frames pass unchanged.
    var isIdentity: Bool { state.withLock { $0.treatment.isIdentity && $0.subtitles == nil } }

    /// Reports that subtitles are ready whose frames have already passed without them.
    package func noteDrawn() { report(.drawn) }

    func report(_ finding: Finding) { state.withLock(\.report)?(finding) }
}
