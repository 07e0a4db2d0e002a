// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension StillFormat {
    fileprivate init(wire: Engine__V1__StillFormat) throws(EngineError) {
        switch wire {
        case ENGINE__V1__STILL_FORMAT__STILL_FORMAT_UNSPECIFIED, ENGINE__V1__STILL_FORMAT__STILL_FORMAT_JPEG:
            self = .jpeg
        case ENGINE__V1__STILL_FORMAT__STILL_FORMAT_PNG: self = .png
        case ENGINE__V1__STILL_FORMAT__STILL_FORMAT_WEBP: self = .webp
        default: throw .invalid("style.format", "is unknown")
        }
    }

    fileprivate var wire: Engine__V1__StillFormat {
        switch self {
        case .jpeg: ENGINE__V1__STILL_FORMAT__STILL_FORMAT_JPEG
        case .png: ENGINE__V1__STILL_FORMAT__STILL_FORMAT_PNG
        case .webp: ENGINE__V1__STILL_FORMAT__STILL_FORMAT_WEBP
        }
    }
}

extension StillStyle {
    init(wire: Engine__V1__StillStyle) throws(EngineError) {
        self.init()
        format = try StillFormat(wire: unsafe wire.format)
        maximumWidth = try Self.side(unsafe wire.max_width, "style.max_width")
        maximumHeight = try Self.side(unsafe wire.max_height, "style.max_height")
        let quality = unsafe wire.quality
        guard quality <= 100 else { throw .invalid("style.quality", "must be at most 100") }
        if quality > 0 { self.quality = Int(quality) }
        switch unsafe wire.range {
        case ENGINE__V1__STILL_RANGE__STILL_RANGE_UNSPECIFIED, ENGINE__V1__STILL_RANGE__STILL_RANGE_STANDARD: break
        case ENGINE__V1__STILL_RANGE__STILL_RANGE_KEEP:
            guard format == .png else { throw .invalid("style.range", "can only be kept in PNG") }
            range = .keep
        default: throw .invalid("style.range", "is unknown")
        }
    }

    private static func side(_ wire: UInt32, _ field: String) throws(EngineError) -> Int? {
        guard wire <= largestSide else { throw .invalid(field, "must be at most \(largestSide)") }
        return wire == 0 ? nil : Int(wire)
    }

    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__StillStyle> {
        let wire = unsafe arena.message(Engine__V1__StillStyle.self)
        unsafe wire.pointee.format = format.wire
        unsafe wire.pointee.max_width = UInt32(clamping: maximumWidth ?? 0)
        unsafe wire.pointee.max_height = UInt32(clamping: maximumHeight ?? 0)
        unsafe wire.pointee.quality = UInt32(clamping: quality)
        unsafe wire.pointee.range =
            range == .keep ? ENGINE__V1__STILL_RANGE__STILL_RANGE_KEEP : ENGINE__V1__STILL_RANGE__STILL_RANGE_STANDARD
        return unsafe wire
    }
}

extension Still {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Still> {
        let wire = unsafe arena.message(Engine__V1__Still.self)
        unsafe wire.pointee.data.len = bytes.count
        unsafe wire.pointee.data.data = arena.array(bytes) { $0 }
        unsafe wire.pointee.format = format.wire
        unsafe wire.pointee.width = UInt32(clamping: width)
        unsafe wire.pointee.height = UInt32(clamping: height)
        unsafe wire.pointee.time_us = time.microseconds
        unsafe wire.pointee.duration_us = duration?.microseconds ?? 0
        return unsafe wire
    }

    init(wire: Engine__V1__Still) throws(EngineError) {
        let data = unsafe wire.data
        self.init(
            bytes: unsafe Array(UnsafeBufferPointer(start: data.data, count: data.len)),
            format: try StillFormat(wire: unsafe wire.format),
            width: Int(unsafe wire.width),
            height: Int(unsafe wire.height),
            time: MediaTime(microseconds: unsafe wire.time_us),
            duration: unsafe wire.duration_us == 0 ? nil : MediaTime(microseconds: wire.duration_us)
        )
    }

    package func framed() -> [UInt8] { unsafe encodeFramed { unsafe wire(in: $0) } }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__Still.self) { wire throws(EngineError) in
            try unsafe Still(wire: wire)
        }
    }
}
