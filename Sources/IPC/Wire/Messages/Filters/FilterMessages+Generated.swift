// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

// Maps each message of filters.proto to its generated initializer, one line each.

extension Engine__V1__PictureAdjustments: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__picture_adjustments__init(pointer)
    }
}

extension Engine__V1__AdjustmentValue: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__adjustment_value__init(pointer) }
}

extension Engine__V1__SetAdjustmentsRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__set_adjustments_request__init(pointer)
    }
}

extension Engine__V1__PictureFilter: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__picture_filter__init(pointer) }
}

extension Engine__V1__FilterOption: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__filter_option__init(pointer) }
}

extension Engine__V1__AppliedFilter: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__applied_filter__init(pointer) }
}

extension Engine__V1__AddFilterRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__add_filter_request__init(pointer)
    }
}

extension Engine__V1__RemoveFilterRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__remove_filter_request__init(pointer)
    }
}

extension Engine__V1__OverlayRectangle: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__overlay_rectangle__init(pointer)
    }
}

extension Engine__V1__Overlay: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__overlay__init(pointer) }
}

extension Engine__V1__PutOverlayRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__put_overlay_request__init(pointer)
    }
}

extension Engine__V1__RemoveOverlayRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__remove_overlay_request__init(pointer)
    }
}

extension Engine__V1__PlacedOverlay: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__placed_overlay__init(pointer) }
}

extension Engine__V1__OverlayBounds: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__overlay_bounds__init(pointer) }
}
