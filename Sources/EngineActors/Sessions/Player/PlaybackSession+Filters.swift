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
                _ = try await outputs.look.draw(try overlay.checked().drawing, in: Self.trialSize)
            } catch {
                throw error.below("overlay")
            }
        }
        let look = outputs.look
        var treatment = look.treatment
        let outcome = try treatment.apply(command)
        let isChanged = treatment != look.treatment
        look.set(treatment)
        publishTreatment()
        if isChanged { await outputs.software?.renderer.redraw() }
        return outcome
    }

    private func publishTreatment() { hub.update(id, outputs.publishedTreatment) }

    /// Starts to receive the findings made while frames are processed.
    func watchPictures() {
        outputs.look.listen { [weak self] finding in
            // Short-lived: nothing in it waits.
            Task { await self?.take(finding) }
        }
    }

    private func take(_ finding: PictureLook.Finding) async {
        guard !isStopped else { return }
        if finding == .drawn { return await outputs.software?.renderer.redraw() ?? () }
        if let notice = outputs.take(finding) { hub.notice(id, notice) }
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
