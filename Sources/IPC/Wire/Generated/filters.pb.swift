// Generated from engine/v1/filters.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct PictureAdjustments: Equatable, Sendable {
        var brightness: Proto.AdjustmentValue?
        var contrast: Proto.AdjustmentValue?
        var saturation: Proto.AdjustmentValue?
        var gamma: Proto.AdjustmentValue?
    }
}

extension Proto.PictureAdjustments: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PictureAdjustments>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__picture_adjustments__init(pointer.assumingMemoryBound(to: Engine__V1__PictureAdjustments.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PictureAdjustments.self)
        brightness = unsafe readMessage(c.pointee.brightness)
        contrast = unsafe readMessage(c.pointee.contrast)
        saturation = unsafe readMessage(c.pointee.saturation)
        gamma = unsafe readMessage(c.pointee.gamma)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PictureAdjustments.self)
        unsafe c.pointee.brightness = arena.message(brightness)
        unsafe c.pointee.contrast = arena.message(contrast)
        unsafe c.pointee.saturation = arena.message(saturation)
        unsafe c.pointee.gamma = arena.message(gamma)
    }
}

extension Proto {
    struct AdjustmentValue: Equatable, Sendable {
        var value: Double = 0
    }
}

extension Proto.AdjustmentValue: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__AdjustmentValue>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__adjustment_value__init(pointer.assumingMemoryBound(to: Engine__V1__AdjustmentValue.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AdjustmentValue.self)
        value = unsafe c.pointee.value
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AdjustmentValue.self)
        unsafe c.pointee.value = value
    }
}

extension Proto {
    struct SetAdjustmentsRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var requestID: String = ""
        var adjustments: Proto.PictureAdjustments?
        var reset: Bool = false
    }
}

extension Proto.SetAdjustmentsRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetAdjustmentsRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_adjustments_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetAdjustmentsRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetAdjustmentsRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        requestID = unsafe readText(c.pointee.request_id)
        adjustments = unsafe readMessage(c.pointee.adjustments)
        reset = unsafe c.pointee.reset != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetAdjustmentsRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.adjustments = arena.message(adjustments)
        unsafe c.pointee.reset = reset ? 1 : 0
    }
}

extension Proto.SetAdjustmentsRequest: CommandMessage {}

extension Proto {
    struct PictureFilter: Equatable, Sendable {
        var name: String = ""
        var options: [Proto.FilterOption] = []
    }
}

extension Proto.PictureFilter: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PictureFilter>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__picture_filter__init(pointer.assumingMemoryBound(to: Engine__V1__PictureFilter.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PictureFilter.self)
        name = unsafe readText(c.pointee.name)
        options = unsafe readMessages(c.pointee.options, c.pointee.n_options)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PictureFilter.self)
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.n_options = options.count
        unsafe c.pointee.options = arena.messages(options)
    }
}

extension Proto {
    struct FilterOption: Equatable, Sendable {
        var name: String = ""
        var value: String = ""
    }
}

extension Proto.FilterOption: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__FilterOption>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__filter_option__init(pointer.assumingMemoryBound(to: Engine__V1__FilterOption.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__FilterOption.self)
        name = unsafe readText(c.pointee.name)
        value = unsafe readText(c.pointee.value)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__FilterOption.self)
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.value = arena.text(value)
    }
}

extension Proto {
    struct AppliedFilter: Equatable, Sendable {
        var filterID: UInt32 = 0
        var filter: Proto.PictureFilter?
    }
}

extension Proto.AppliedFilter: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__AppliedFilter>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__applied_filter__init(pointer.assumingMemoryBound(to: Engine__V1__AppliedFilter.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AppliedFilter.self)
        filterID = unsafe c.pointee.filter_id
        filter = unsafe readMessage(c.pointee.filter)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AppliedFilter.self)
        unsafe c.pointee.filter_id = filterID
        unsafe c.pointee.filter = arena.message(filter)
    }
}

extension Proto {
    struct AddFilterRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var requestID: String = ""
        var filter: Proto.PictureFilter?
    }
}

extension Proto.AddFilterRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__AddFilterRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__add_filter_request__init(pointer.assumingMemoryBound(to: Engine__V1__AddFilterRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AddFilterRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        requestID = unsafe readText(c.pointee.request_id)
        filter = unsafe readMessage(c.pointee.filter)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AddFilterRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.filter = arena.message(filter)
    }
}

extension Proto.AddFilterRequest: CommandMessage {}

extension Proto {
    struct RemoveFilterRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var requestID: String = ""
        var filterID: UInt32 = 0
    }
}

extension Proto.RemoveFilterRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RemoveFilterRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__remove_filter_request__init(pointer.assumingMemoryBound(to: Engine__V1__RemoveFilterRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RemoveFilterRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        requestID = unsafe readText(c.pointee.request_id)
        filterID = unsafe c.pointee.filter_id
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RemoveFilterRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.filter_id = filterID
    }
}

extension Proto.RemoveFilterRequest: CommandMessage {}

extension Proto {
    struct OverlayRectangle: Equatable, Sendable {
        var x: Double = 0
        var y: Double = 0
        var width: Double = 0
        var height: Double = 0
    }
}

extension Proto.OverlayRectangle: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__OverlayRectangle>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__overlay_rectangle__init(pointer.assumingMemoryBound(to: Engine__V1__OverlayRectangle.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__OverlayRectangle.self)
        x = unsafe c.pointee.x
        y = unsafe c.pointee.y
        width = unsafe c.pointee.width
        height = unsafe c.pointee.height
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__OverlayRectangle.self)
        unsafe c.pointee.x = x
        unsafe c.pointee.y = y
        unsafe c.pointee.width = width
        unsafe c.pointee.height = height
    }
}

extension Proto {
    struct Overlay: Equatable, Sendable {
        var name: String = ""
        var svg: String = ""
        var rectangle: Proto.OverlayRectangle?
        var z: Int32 = 0
        var ass: String = ""
        var assWidth: UInt32 = 0
        var assHeight: UInt32 = 0
    }
}

extension Proto.Overlay: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Overlay>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__overlay__init(pointer.assumingMemoryBound(to: Engine__V1__Overlay.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Overlay.self)
        name = unsafe readText(c.pointee.name)
        svg = unsafe readText(c.pointee.svg)
        rectangle = unsafe readMessage(c.pointee.rectangle)
        z = unsafe c.pointee.z
        ass = unsafe readText(c.pointee.ass)
        assWidth = unsafe c.pointee.ass_width
        assHeight = unsafe c.pointee.ass_height
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Overlay.self)
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.svg = arena.text(svg)
        unsafe c.pointee.rectangle = arena.message(rectangle)
        unsafe c.pointee.z = z
        unsafe c.pointee.ass = arena.text(ass)
        unsafe c.pointee.ass_width = assWidth
        unsafe c.pointee.ass_height = assHeight
    }
}

extension Proto {
    struct PutOverlayRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var requestID: String = ""
        var overlay: Proto.Overlay?
    }
}

extension Proto.PutOverlayRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PutOverlayRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__put_overlay_request__init(pointer.assumingMemoryBound(to: Engine__V1__PutOverlayRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PutOverlayRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        requestID = unsafe readText(c.pointee.request_id)
        overlay = unsafe readMessage(c.pointee.overlay)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PutOverlayRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.overlay = arena.message(overlay)
    }
}

extension Proto.PutOverlayRequest: CommandMessage {}

extension Proto {
    struct RemoveOverlayRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var requestID: String = ""
        var name: String = ""
    }
}

extension Proto.RemoveOverlayRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RemoveOverlayRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__remove_overlay_request__init(pointer.assumingMemoryBound(to: Engine__V1__RemoveOverlayRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RemoveOverlayRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        requestID = unsafe readText(c.pointee.request_id)
        name = unsafe readText(c.pointee.name)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RemoveOverlayRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.name = arena.text(name)
    }
}

extension Proto.RemoveOverlayRequest: CommandMessage {}

extension Proto {
    struct PlacedOverlay: Equatable, Sendable {
        var name: String = ""
        var rectangle: Proto.OverlayRectangle?
        var z: Int32 = 0
        var bounds: Proto.OverlayBounds?
    }
}

extension Proto.PlacedOverlay: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PlacedOverlay>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__placed_overlay__init(pointer.assumingMemoryBound(to: Engine__V1__PlacedOverlay.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PlacedOverlay.self)
        name = unsafe readText(c.pointee.name)
        rectangle = unsafe readMessage(c.pointee.rectangle)
        z = unsafe c.pointee.z
        bounds = unsafe readMessage(c.pointee.bounds)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PlacedOverlay.self)
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.rectangle = arena.message(rectangle)
        unsafe c.pointee.z = z
        unsafe c.pointee.bounds = arena.message(bounds)
    }
}

extension Proto {
    struct OverlayBounds: Equatable, Sendable {
        var x: UInt32 = 0
        var y: UInt32 = 0
        var width: UInt32 = 0
        var height: UInt32 = 0
        var pictureWidth: UInt32 = 0
        var pictureHeight: UInt32 = 0
    }
}

extension Proto.OverlayBounds: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__OverlayBounds>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__overlay_bounds__init(pointer.assumingMemoryBound(to: Engine__V1__OverlayBounds.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__OverlayBounds.self)
        x = unsafe c.pointee.x
        y = unsafe c.pointee.y
        width = unsafe c.pointee.width
        height = unsafe c.pointee.height
        pictureWidth = unsafe c.pointee.picture_width
        pictureHeight = unsafe c.pointee.picture_height
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__OverlayBounds.self)
        unsafe c.pointee.x = x
        unsafe c.pointee.y = y
        unsafe c.pointee.width = width
        unsafe c.pointee.height = height
        unsafe c.pointee.picture_width = pictureWidth
        unsafe c.pointee.picture_height = pictureHeight
    }
}
