// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

// Encoding and decoding of filter, adjustment and overlay commands. The engine checks their values, field by field.
extension CommandRequest {
    package init(setAdjustments bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SetAdjustmentsRequest.self) { wire throws(EngineError) in
            var change = unsafe wire.adjustments.map { unsafe AdjustmentChange(wire: $0.pointee) } ?? AdjustmentChange()
            change.isReset = unsafe wire.reset != 0
            let command = Command.filters(.adjust(change))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(addFilter bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__AddFilterRequest.self) { wire throws(EngineError) in
            guard let filter = unsafe wire.filter?.pointee else { throw .invalid("filter", "is missing") }
            let command = unsafe Command.filters(.add(PictureFilter(wire: filter)))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(removeFilter bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__RemoveFilterRequest.self) { wire throws(EngineError) in
            let command = unsafe Command.filters(.remove(filter: Int(wire.filter_id)))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(putOverlay bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__PutOverlayRequest.self) { wire throws(EngineError) in
            guard let overlay = unsafe wire.overlay?.pointee else { throw .invalid("overlay", "is missing") }
            let command = unsafe Command.filters(.put(try Overlay(wire: overlay)))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(removeOverlay bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__RemoveOverlayRequest.self) { wire throws(EngineError) in
            let command = unsafe Command.filters(.removeOverlay(text(wire.name)))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    /// The framed request for a filter, adjustment or overlay command.
    package func framed(_ command: FilterCommand) -> [UInt8] {
        switch command {
        case .adjust(let change): framed(change)
        case .add(let filter): framed(filter)
        case .put(let overlay): framed(overlay)
        case .remove(let id): framed(removingFilter: id)
        case .removeOverlay(let name): framed(removingOverlay: name)
        case .clear, .clearOverlays:
            unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SessionRequest.self)
                unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
                unsafe wire.pointee.if_revision = ifRevision ?? 0
                unsafe wire.pointee.request_id = arena.string(requestID)
                return unsafe wire
            }
        }
    }

    private func framed(_ change: AdjustmentChange) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__SetAdjustmentsRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.adjustments = change.wire(in: arena)
            unsafe wire.pointee.reset = change.isReset ? 1 : 0
            return unsafe wire
        }
    }

    private func framed(_ filter: PictureFilter) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__AddFilterRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.filter = filter.wire(in: arena)
            return unsafe wire
        }
    }

    private func framed(removingFilter id: Int) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__RemoveFilterRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.filter_id = UInt32(clamping: id)
            return unsafe wire
        }
    }

    private func framed(_ overlay: Overlay) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__PutOverlayRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.overlay = overlay.wire(in: arena)
            return unsafe wire
        }
    }

    private func framed(removingOverlay name: String) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__RemoveOverlayRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            unsafe wire.pointee.name = arena.string(name)
            return unsafe wire
        }
    }
}
