// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension StillFormat {
    fileprivate init(wire: Proto.StillFormat) throws(EngineError) {
        switch wire {
        case .unspecified, .jpeg:
            self = .jpeg
        case .png: self = .png
        case .webp: self = .webp
        default: throw .invalid("style.format", "is unknown")
        }
    }

    fileprivate var wire: Proto.StillFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        }
    }
}

extension StillStyle {
    init(wire: Proto.StillStyle) throws(EngineError) {
        self.init()
        format = try StillFormat(wire: wire.format)
        maximumWidth = try Self.side(wire.maxWidth, "style.max_width")
        maximumHeight = try Self.side(wire.maxHeight, "style.max_height")
        let quality = wire.quality
        guard quality <= 100 else { throw .invalid("style.quality", "must be at most 100") }
        if quality > 0 { self.quality = Int(quality) }
        switch wire.range {
        case .unspecified, .standard: break
        case .keep:
            guard format == .png else { throw .invalid("style.range", "can only be kept in PNG") }
            range = .keep
        default: throw .invalid("style.range", "is unknown")
        }
    }

    private static func side(_ wire: UInt32, _ field: String) throws(EngineError) -> Int? {
        guard wire <= largestSide else { throw .invalid(field, "must be at most \(largestSide)") }
        return wire == 0 ? nil : Int(wire)
    }

    var wire: Proto.StillStyle {
        var wire = Proto.StillStyle()
        wire.format = format.wire
        wire.maxWidth = UInt32(clamping: maximumWidth ?? 0)
        wire.maxHeight = UInt32(clamping: maximumHeight ?? 0)
        wire.quality = UInt32(clamping: quality)
        wire.range =
            range == .keep ? .keep : .standard
        return wire
    }
}

extension Still {
    var wire: Proto.Still {
        var wire = Proto.Still()
        wire.data = bytes
        wire.format = format.wire
        wire.width = UInt32(clamping: width)
        wire.height = UInt32(clamping: height)
        wire.timeMicroseconds = time.microseconds
        wire.durationMicroseconds = duration?.microseconds ?? 0
        return wire
    }

    init(wire: Proto.Still) throws(EngineError) {
        let data = wire.data
        self.init(
            bytes: data,
            format: try StillFormat(wire: wire.format),
            width: Int(wire.width),
            height: Int(wire.height),
            time: MediaTime(microseconds: wire.timeMicroseconds),
            duration: wire.durationMicroseconds == 0 ? nil : MediaTime(microseconds: wire.durationMicroseconds)
        )
    }

    package func framed() -> [UInt8] { wire.framed() }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.Still(bytes)
        self = try Still(wire: wire)
    }
}
