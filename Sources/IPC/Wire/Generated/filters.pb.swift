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
    static var layout: MessageLayout { MessageLayout(.pictureAdjustments) }

    init(reading reader: borrowing FieldReader) {
        brightness = reader.message(at: 1)
        contrast = reader.message(at: 2)
        saturation = reader.message(at: 3)
        gamma = reader.message(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(brightness, at: 1)
        writer.message(contrast, at: 2)
        writer.message(saturation, at: 3)
        writer.message(gamma, at: 4)
    }
}

extension Proto {
    struct AdjustmentValue: Equatable, Sendable {
        var value: Double = 0
    }
}

extension Proto.AdjustmentValue: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.adjustmentValue) }

    init(reading reader: borrowing FieldReader) {
        value = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(value, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.setAdjustmentsRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        requestID = reader.text(at: 3)
        adjustments = reader.message(at: 4)
        reset = reader.flag(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(requestID, at: 3)
        writer.message(adjustments, at: 4)
        writer.flag(reset, at: 5)
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
    static var layout: MessageLayout { MessageLayout(.pictureFilter) }

    init(reading reader: borrowing FieldReader) {
        name = reader.text(at: 1)
        options = reader.messages(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(name, at: 1)
        writer.messages(options, at: 2)
    }
}

extension Proto {
    struct FilterOption: Equatable, Sendable {
        var name: String = ""
        var value: String = ""
    }
}

extension Proto.FilterOption: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.filterOption) }

    init(reading reader: borrowing FieldReader) {
        name = reader.text(at: 1)
        value = reader.text(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(name, at: 1)
        writer.text(value, at: 2)
    }
}

extension Proto {
    struct AppliedFilter: Equatable, Sendable {
        var filterID: UInt32 = 0
        var filter: Proto.PictureFilter?
    }
}

extension Proto.AppliedFilter: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.appliedFilter) }

    init(reading reader: borrowing FieldReader) {
        filterID = reader.number(at: 1)
        filter = reader.message(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(filterID, at: 1)
        writer.message(filter, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.addFilterRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        requestID = reader.text(at: 3)
        filter = reader.message(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(requestID, at: 3)
        writer.message(filter, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.removeFilterRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        requestID = reader.text(at: 3)
        filterID = reader.number(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(requestID, at: 3)
        writer.number(filterID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.overlayRectangle) }

    init(reading reader: borrowing FieldReader) {
        x = reader.number(at: 1)
        y = reader.number(at: 2)
        width = reader.number(at: 3)
        height = reader.number(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(x, at: 1)
        writer.number(y, at: 2)
        writer.number(width, at: 3)
        writer.number(height, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.overlay) }

    init(reading reader: borrowing FieldReader) {
        name = reader.text(at: 1)
        svg = reader.text(at: 2)
        rectangle = reader.message(at: 3)
        z = reader.number(at: 4)
        ass = reader.text(at: 5)
        assWidth = reader.number(at: 6)
        assHeight = reader.number(at: 7)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(name, at: 1)
        writer.text(svg, at: 2)
        writer.message(rectangle, at: 3)
        writer.number(z, at: 4)
        writer.text(ass, at: 5)
        writer.number(assWidth, at: 6)
        writer.number(assHeight, at: 7)
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
    static var layout: MessageLayout { MessageLayout(.putOverlayRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        requestID = reader.text(at: 3)
        overlay = reader.message(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(requestID, at: 3)
        writer.message(overlay, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.removeOverlayRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        requestID = reader.text(at: 3)
        name = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(requestID, at: 3)
        writer.text(name, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.placedOverlay) }

    init(reading reader: borrowing FieldReader) {
        name = reader.text(at: 1)
        rectangle = reader.message(at: 2)
        z = reader.number(at: 3)
        bounds = reader.message(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(name, at: 1)
        writer.message(rectangle, at: 2)
        writer.number(z, at: 3)
        writer.message(bounds, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.overlayBounds) }

    init(reading reader: borrowing FieldReader) {
        x = reader.number(at: 1)
        y = reader.number(at: 2)
        width = reader.number(at: 3)
        height = reader.number(at: 4)
        pictureWidth = reader.number(at: 5)
        pictureHeight = reader.number(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(x, at: 1)
        writer.number(y, at: 2)
        writer.number(width, at: 3)
        writer.number(height, at: 4)
        writer.number(pictureWidth, at: 5)
        writer.number(pictureHeight, at: 6)
    }
}
