// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

// Adjustments, filters and overlays in a session's state.
extension SessionState {
    func writeFilters(to state: UnsafeMutablePointer<Engine__V1__SessionState>, in arena: MessageArena) {
        unsafe state.pointee.adjustments = adjustments.wire(in: arena)
        unsafe state.pointee.n_filters = filters.count
        unsafe state.pointee.filters = arena.array(filters) { unsafe .some($0.wire(in: arena)) }
        unsafe state.pointee.n_overlays = overlays.count
        unsafe state.pointee.overlays = arena.array(overlays) { unsafe .some($0.wire(in: arena)) }
    }

    mutating func takeFilters(_ state: Engine__V1__SessionState) throws(EngineError) {
        if let wire = unsafe state.adjustments {
            adjustments = try unsafe AdjustmentChange(wire: wire.pointee).applied(to: .neutral).adjustments
        }
        filters = try unsafe values(state.filters, state.n_filters) { filter throws(EngineError) in
            unsafe AppliedFilter(
                id: Int(filter.filter_id),
                filter: filter.filter.map { unsafe PictureFilter(wire: $0.pointee) } ?? PictureFilter("")
            )
        }
        overlays = try unsafe values(state.overlays, state.n_overlays) { overlay throws(EngineError) in
            unsafe PlacedOverlay(wire: overlay)
        }
    }
}

extension PictureAdjustments {
    fileprivate func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__PictureAdjustments> {
        var change = AdjustmentChange()
        (change.brightness, change.contrast) = (brightness, contrast)
        (change.saturation, change.gamma) = (saturation, gamma)
        return unsafe change.wire(in: arena)
    }
}

extension AppliedFilter {
    fileprivate func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__AppliedFilter> {
        let wire = unsafe arena.message(Engine__V1__AppliedFilter.self)
        unsafe wire.pointee.filter_id = UInt32(clamping: id)
        unsafe wire.pointee.filter = filter.wire(in: arena)
        return unsafe wire
    }
}

extension PlacedOverlay {
    fileprivate init(wire: Engine__V1__PlacedOverlay) {
        unsafe self.init(
            name: text(wire.name),
            rectangle: wire.rectangle.map { unsafe OverlayRectangle(wire: $0.pointee) } ?? .whole,
            z: Int(wire.z)
        )
        guard let place = unsafe wire.bounds?.pointee else { return }
        bounds = unsafe OverlayBounds(
            x: Int(place.x),
            y: Int(place.y),
            width: Int(place.width),
            height: Int(place.height),
            pictureWidth: Int(place.picture_width),
            pictureHeight: Int(place.picture_height)
        )
    }

    fileprivate func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__PlacedOverlay> {
        let wire = unsafe arena.message(Engine__V1__PlacedOverlay.self)
        unsafe wire.pointee.name = arena.string(name)
        unsafe wire.pointee.rectangle = rectangle.wire(in: arena)
        unsafe wire.pointee.z = Int32(clamping: z)
        guard let bounds else { return unsafe wire }
        let place = unsafe arena.message(Engine__V1__OverlayBounds.self)
        unsafe place.pointee.x = UInt32(clamping: bounds.x)
        unsafe place.pointee.y = UInt32(clamping: bounds.y)
        unsafe place.pointee.width = UInt32(clamping: bounds.width)
        unsafe place.pointee.height = UInt32(clamping: bounds.height)
        unsafe place.pointee.picture_width = UInt32(clamping: bounds.pictureWidth)
        unsafe place.pointee.picture_height = UInt32(clamping: bounds.pictureHeight)
        unsafe wire.pointee.bounds = place
        return unsafe wire
    }
}
