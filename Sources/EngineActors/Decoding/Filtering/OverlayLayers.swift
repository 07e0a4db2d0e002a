// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The overlays as placed on frames of one shape.
struct OverlayLayers {
    private struct Arrangement: Hashable {
        let overlays: [Overlay]
        let shape: FrameShape
        let color: FrameColor
        let rotation: Int
    }

    private var arrangement: Arrangement?
    private var layouts: [OverlayLayout] = []
    private var blend: OverlayBlend?
    /// The drawings that are needed, bottom to top.
    private(set) var keys: [OverlayCache.Key] = []
    /// The drawings that are ready, with their positions on the frame.
    private var drawn: [(place: (x: Int, y: Int), frame: VideoFrame)] = []
    private var shown: Set<OverlayCache.Key> = []
    /// Whether `drawn` belongs to an earlier arrangement, and is kept until all drawings of the current one are ready.
    private var keepsEarlier = false
    /// Whether all drawings that are needed are ready.
    private(set) var isComplete = false
    /// Incremented whenever `take` replaces `drawn`, and by `clear`.
    private(set) var edition: UInt64 = 0

    var isEmpty: Bool { drawn.isEmpty }
    var stills: [VideoFrame] { drawn.map(\.frame) }

    /// Places the overlays on frames of a shape.
    ///
    /// - Returns: the bounds of the overlays by name, if they have changed.
    mutating func arrange(
        _ overlays: [Overlay],
        on shape: FrameShape,
        _ color: FrameColor,
        rotation: Int
    ) -> [String: OverlayBounds]? {
        let wanted = Arrangement(overlays: overlays, shape: shape, color: color, rotation: rotation)
        guard arrangement != wanted else { return nil }
        let before = places
        let isSameKind = arrangement.map { $0.shape == shape && $0.color == color && $0.rotation == rotation } ?? false
        arrangement = wanted
        let blend = OverlayBlend(shape)
        self.blend = blend
        layouts = overlays.map { OverlayLayout($0.rectangle, on: shape, rotation: rotation) }
        keys = zip(overlays, layouts).map { overlay, layout in
            let fit = DrawingFit(
                width: layout.width,
                height: layout.height,
                rotation: rotation,
                pixelFormat: blend.drawingFormat,
                color: color
            )
            return OverlayCache.Key(name: overlay.name, drawing: overlay.drawing, size: layout.drawing, fit: fit)
        }
        // On frames of the same shape, the old drawings are shown until all new ones are ready.
        if !isSameKind { drawn = [] }
        keepsEarlier = !drawn.isEmpty
        shown = []
        isComplete = false
        return places == before ? nil : places
    }

    private var places: [String: OverlayBounds] {
        let names = arrangement?.overlays.map(\.name) ?? []
        return Dictionary(zip(names, layouts.map(\.bounds)), uniquingKeysWith: { first, _ in first })
    }

    mutating func take(_ drawings: [OverlayCache.Key: VideoFrame]) {
        let isComplete = keys.allSatisfy { drawings[$0] != nil }
        guard isComplete || !keepsEarlier else { return }
        let found = Set(drawings.keys)
        guard found != shown || isComplete != self.isComplete else { return }
        (shown, self.isComplete, keepsEarlier) = (found, isComplete, false)
        edition &+= 1
        drawn = zip(keys, layouts).compactMap { key, layout in
            drawings[key].map { (place: (x: layout.x, y: layout.y), frame: $0) }
        }
    }

    func description(pinning format: String?) -> String {
        blend?.description(drawn.map(\.place), pinning: format) ?? "null"
    }

    /// - Returns: whether there were any overlays.
    mutating func clear() -> Bool {
        guard arrangement != nil else { return false }
        let edition = edition
        self = OverlayLayers()
        self.edition = edition &+ 1
        return true
    }
}
