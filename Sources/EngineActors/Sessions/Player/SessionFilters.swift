// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel

/// The adjustments, filters and overlays for the decoded frames of a session.
///
/// Belongs to the session's actor; the shared treatment, which decoders read, may be handed to another
/// session.
final class SessionFilters {
    /// New overlays are drawn once at this size, which is enough to find out that a drawing is invalid.
    private static let trialSize = Drawing.Size(width: 64, height: 64)

    private let setup: SessionSetup
    private(set) var sharedTreatment: SharedTreatment
    /// The position and size of each overlay, by its name.
    private var overlayBounds: [String: OverlayBounds] = [:]
    /// Reads the findings made while frames are processed.
    private var reader: Task<Void, Never>?

    init(_ treatment: PictureTreatment, _ setup: SessionSetup) {
        self.setup = setup
        sharedTreatment = SharedTreatment(treatment)
    }

    deinit { reader?.cancel() }

    /// Takes over the state of an earlier session.
    func inherit(_ sharedTreatment: SharedTreatment) {
        self.sharedTreatment = sharedTreatment
        // Removes the subtitles of the other source.
        sharedTreatment.show(nil)
    }

    /// The findings made while frames are processed, in order. Only the session that asked last receives them.
    func findings() -> AsyncStream<SharedTreatment.Finding> {
        let (findings, finding) = AsyncStream.makeStream(of: SharedTreatment.Finding.self)
        sharedTreatment.listen { finding.yield($0) }
        return findings
    }

    /// - Parameter reader: reads the findings. Cancelled when the session ends.
    func read(_ reader: Task<Void, Never>) { self.reader = reader }

    func stop() { reader?.cancel() }

    /// Applies a filter command from the next frame on.
    ///
    /// - Returns: the outcome, and whether the frame on screen has to be redrawn.
    func apply(
        _ command: FilterCommand
    ) async throws(EngineError) -> (outcome: PictureTreatment.Outcome, isChanged: Bool) {
        if case .put(let overlay) = command {
            do throws(EngineError) {
                _ = try await sharedTreatment.draw(try overlay.checked().drawing, in: Self.trialSize)
            } catch {
                throw error.below("overlay")
            }
        }
        var treatment = sharedTreatment.treatment
        let outcome = try treatment.apply(command)
        let isChanged = treatment != sharedTreatment.treatment
        sharedTreatment.set(treatment)
        publish()
        return (outcome, isChanged)
    }

    /// Applies a finding made while frames are processed: a filter or overlay that failed is removed, with a notice.
    func take(_ finding: SharedTreatment.Finding) {
        var treatment = sharedTreatment.treatment
        switch finding {
        case .filterFailed(let filter, let reason):
            treatment.remove(filter: filter.id)
            let message =
                "filter \(filter.id), \(filter.filter.name), does not work on this video and was removed: \(reason)"
            setup.publish(Notice(.warning, "filters.failed", message))
        case .adjustmentsFailed(let reason):
            setup.publish(Notice(.warning, "filters.not_adjusted", "this video cannot be adjusted: \(reason)"))
        case .overlayFailed(let name, let reason):
            treatment.remove(overlay: name)
            setup.publish(Notice(.warning, "overlays.failed", "overlay \(name) was removed: \(reason)"))
        case .subtitlesFailed(let reason):
            setup.publish(.notBurned("they cannot be drawn into these frames: \(reason)"))
        case .drawn: return
        case .placed(let bounds): overlayBounds = bounds
        }
        sharedTreatment.set(treatment)
        publish()
    }

    private func publish() {
        setup.publish { [treatment = sharedTreatment.treatment, overlayBounds] in $0.show(treatment, at: overlayBounds)
        }
    }
}

extension SessionState {
    mutating func show(_ treatment: PictureTreatment, at bounds: [String: OverlayBounds] = [:]) {
        adjustments = treatment.adjustments
        filters = treatment.filters
        overlays = treatment.overlays.map { overlay in
            PlacedOverlay(
                name: overlay.name,
                rectangle: overlay.rectangle,
                z: overlay.z,
                bounds: bounds[overlay.name]
            )
        }
    }
}
