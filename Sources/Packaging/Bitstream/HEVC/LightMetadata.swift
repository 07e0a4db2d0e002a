// SPDX-License-Identifier: Apache-2.0

/// Static HDR metadata as `mdcv` and `clli` carry it (ISO/IEC 14496-12 §12.1.6).
struct LightMetadata: Hashable, Sendable {
    /// 24 bytes: primaries in the order green, blue, red, white point, luminances.
    var masteringDisplay: [UInt8]?
    /// 4 bytes.
    var contentLightLevel: [UInt8]?

    private static let masteringDisplayMessage = 137
    private static let contentLightMessage = 144

    init() {}

    /// Reads the SEI messages of a unit (ITU-T H.265 §7.3.5); both payloads have the layout of their boxes.
    init(hevcUnit unit: [UInt8]) throws(PackagingError) {
        var reader = ByteReader(try RawPayload.unescaped(unit), subject: "SEI")
        try reader.skip(2)
        while reader.remaining > 2 {
            let type = try Self.number(&reader)
            let size = try Self.number(&reader)
            let payload = try reader.take(size)
            if type == Self.masteringDisplayMessage, size == 24 { masteringDisplay = payload }
            if type == Self.contentLightMessage, size == 4 { contentLightLevel = payload }
        }
    }

    private static func number(_ reader: inout ByteReader) throws(PackagingError) -> Int {
        var value = 0
        while true {
            let byte = try reader.byte()
            value += Int(byte)
            if byte != 255 { return value }
        }
    }
}
