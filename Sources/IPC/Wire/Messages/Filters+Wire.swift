// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension AdjustmentChange {
    init(wire: Proto.PictureAdjustments) {
        self.init()
        brightness = wire.brightness?.value
        contrast = wire.contrast?.value
        saturation = wire.saturation?.value
        gamma = wire.gamma?.value
    }

    var wire: Proto.PictureAdjustments {
        var wire = Proto.PictureAdjustments()
        wire.brightness = brightness.map(Proto.AdjustmentValue.init(value:))
        wire.contrast = contrast.map(Proto.AdjustmentValue.init(value:))
        wire.saturation = saturation.map(Proto.AdjustmentValue.init(value:))
        wire.gamma = gamma.map(Proto.AdjustmentValue.init(value:))
        return wire
    }
}

extension PictureFilter {
    init(wire: Proto.PictureFilter) {
        self.init(wire.name)
        options = wire.options.map { Option($0.name, $0.value) }
    }

    var wire: Proto.PictureFilter {
        var wire = Proto.PictureFilter()
        wire.name = name
        wire.options = options.map { Proto.FilterOption(name: $0.name, value: $0.value) }
        return wire
    }
}

extension OverlayRectangle {
    init(wire: Proto.OverlayRectangle) {
        self.init(x: wire.x, y: wire.y, width: wire.width, height: wire.height)
    }

    var wire: Proto.OverlayRectangle {
        Proto.OverlayRectangle(x: x, y: y, width: width, height: height)
    }
}

extension Overlay {
    /// - Throws: `invalidArgument` if the overlay has both SVG and ASS.
    init(wire: Proto.Overlay) throws(EngineError) {
        let (svg, ass) = (wire.svg, wire.ass)
        if !svg.isEmpty, !ass.isEmpty { throw .invalid("overlay.ass", "and svg cannot both be set") }
        let size = (width: Int(wire.assWidth), height: Int(wire.assHeight))
        self.init(
            name: wire.name,
            ass.isEmpty ? .svg(svg) : .ass(ASSDrawing(ass, width: size.width, height: size.height)),
            rectangle: wire.rectangle.map(OverlayRectangle.init(wire:)) ?? .whole,
            z: Int(wire.z)
        )
    }

    var wire: Proto.Overlay {
        var wire = Proto.Overlay()
        wire.name = name
        switch drawing {
        case .svg(let svg): wire.svg = svg
        case .ass(let drawing):
            wire.ass = drawing.text
            wire.assWidth = UInt32(clamping: drawing.width)
            wire.assHeight = UInt32(clamping: drawing.height)
        }
        wire.rectangle = rectangle.wire
        wire.z = Int32(clamping: z)
        return wire
    }
}

// Adjustments, filters and overlays in a session's state.
extension SessionState {
    func writeFilters(to state: inout Proto.SessionState) {
        state.adjustments = adjustments.wire
        state.filters = filters.map(\.wire)
        state.overlays = overlays.map(\.wire)
    }

    mutating func takeFilters(_ state: Proto.SessionState) throws(EngineError) {
        if let wire = state.adjustments {
            adjustments = try AdjustmentChange(wire: wire).applied(to: .neutral).adjustments
        }
        filters = state.filters.map { filter in
            AppliedFilter(
                id: Int(filter.filterID),
                filter: filter.filter.map(PictureFilter.init(wire:)) ?? PictureFilter("")
            )
        }
        overlays = state.overlays.map(PlacedOverlay.init(wire:))
    }
}

extension PictureAdjustments {
    fileprivate var wire: Proto.PictureAdjustments {
        var change = AdjustmentChange()
        (change.brightness, change.contrast) = (brightness, contrast)
        (change.saturation, change.gamma) = (saturation, gamma)
        return change.wire
    }
}

extension AppliedFilter {
    fileprivate var wire: Proto.AppliedFilter {
        Proto.AppliedFilter(filterID: UInt32(clamping: id), filter: filter.wire)
    }
}

extension PlacedOverlay {
    fileprivate init(wire: Proto.PlacedOverlay) {
        self.init(
            name: wire.name,
            rectangle: wire.rectangle.map(OverlayRectangle.init(wire:)) ?? .whole,
            z: Int(wire.z)
        )
        guard let place = wire.bounds else { return }
        bounds = OverlayBounds(
            x: Int(place.x),
            y: Int(place.y),
            width: Int(place.width),
            height: Int(place.height),
            pictureWidth: Int(place.pictureWidth),
            pictureHeight: Int(place.pictureHeight)
        )
    }

    fileprivate var wire: Proto.PlacedOverlay {
        var wire = Proto.PlacedOverlay()
        wire.name = name
        wire.rectangle = rectangle.wire
        wire.z = Int32(clamping: z)
        wire.bounds = bounds.map { bounds in
            Proto.OverlayBounds(
                x: UInt32(clamping: bounds.x),
                y: UInt32(clamping: bounds.y),
                width: UInt32(clamping: bounds.width),
                height: UInt32(clamping: bounds.height),
                pictureWidth: UInt32(clamping: bounds.pictureWidth),
                pictureHeight: UInt32(clamping: bounds.pictureHeight)
            )
        }
        return wire
    }
}
