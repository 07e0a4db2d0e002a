// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel

// Adjustments, filters and overlays for decoded frames.
extension PlaybackSession {
    /// New overlays are drawn once at this size, which is enough to find out that a drawing is not SVG.
    private static let trialSize = Drawing.Size(width: 64, height: 64)

    /// Applies a filter command from the next frame on. If anything changed, the frame on screen is redrawn.
    func apply(_ command: FilterCommand) async throws(EngineError) -> PictureTreatment.Outcome {
        await inherit()
        if case .put(let overlay) = command {
            do throws(EngineError) {
                _ = try await look.draw(try overlay.checked().drawing, in: Self.trialSize)
            } catch {
                throw error.below("overlay")
            }
        }
        var treatment = look.treatment
        let outcome = try treatment.apply(command)
        let isNews = treatment != look.treatment
        look.set(treatment)
        publishTreatment()
        if isNews { await software?.renderer.redraw() }
        return outcome
    }

    func publishTreatment() {
        let (treatment, bounds) = (look.treatment, overlayBounds)
        hub.update(id) { $0.show(treatment, at: bounds) }
    }

    /// Starts to receive the findings made while frames are processed.
    func watchPictures() {
        look.listen { [weak self] finding in
            // Short-lived: nothing in it waits.
            Task { await self?.take(finding) }
        }
    }

    private func take(_ finding: PictureLook.Finding) async {
        guard !isStopped else { return }
        if finding == .drawn { return await software?.renderer.redraw() ?? () }
        var treatment = look.treatment
        switch finding {
        case .filterFailed(let filter, let reason):
            treatment.remove(filter: filter.id)
            let message =
                "filter \(filter.id), \(filter.filter.name), does not work on the pictures and is taken out: \(reason)"
            hub.notice(id, Notice(.warning, "filters.failed", message))
        case .adjustmentsFailed(let reason):
            hub.notice(id, Notice(.warning, "filters.not_adjusted", "pictures cannot be adjusted: \(reason)"))
        case .overlayFailed(let name, let reason):
            treatment.remove(overlay: name)
            hub.notice(id, Notice(.warning, "overlays.failed", "overlay \(name) is taken out: \(reason)"))
        case .drawn: break
        case .placed(let bounds): overlayBounds = bounds
        }
        look.set(treatment)
        publishTreatment()
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
