// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Drawings that are ready to be laid over frames, and drawings in progress. Callers never wait.
///
/// Thread-safety: safe.
final class OverlayCache: Sendable {
    struct Key: Hashable {
        let name: String
        let drawing: OverlayDrawing
        let size: Drawing.Size
        let fit: DrawingFit
    }

    private enum Slot {
        case drawing
        case ready(VideoFrame)
        case failed
    }

    private let slots = Locked<[Key: Slot]>([:])
    private let sharedTreatment: SharedTreatment
    private let onFailure: @Sendable (String, EngineError) -> Void

    init(_ sharedTreatment: SharedTreatment, onFailure: @escaping @Sendable (String, EngineError) -> Void) {
        self.sharedTreatment = sharedTreatment
        self.onFailure = onFailure
    }

    /// Returns those of `keys` that are ready, and starts drawing the missing ones. Forgets drawings that are not in
    /// `keys`.
    func drawings(_ keys: [Key]) -> [Key: VideoFrame] {
        let (ready, missing) = slots.withLock { slots in
            let wanted = Set(keys)
            slots = slots.filter { wanted.contains($0.key) }
            let missing = keys.filter { slots[$0] == nil }
            for key in missing { slots[key] = .drawing }
            return (slots.compactMapValues { if case .ready(let frame) = $0 { frame } else { nil } }, missing)
        }
        for key in missing {
            // The task ends when the drawing is done. The result is dropped if its key has been forgotten meanwhile.
            Task { await self.draw(key) }
        }
        return ready
    }

    private func draw(_ key: Key) async {
        guard slots.withLock({ $0[key] != nil }) else { return }
        do throws(EngineError) {
            let frame = try await sharedTreatment.draw(key.drawing, in: key.size, fitted: key.fit)
            slots.withLock { if $0[key] != nil { $0[key] = .ready(frame) } }
            sharedTreatment.report(.drawn)
        } catch {
            slots.withLock { if $0[key] != nil { $0[key] = .failed } }
            onFailure(key.name, error)
        }
    }
}
