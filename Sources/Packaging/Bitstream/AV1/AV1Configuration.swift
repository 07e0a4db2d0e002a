// SPDX-License-Identifier: Apache-2.0

/// AV1CodecConfigurationRecord, AV1-ISOBMFF §2.3.3.
enum AV1Configuration {
    private static let markerAndVersion: UInt8 = 0x81

    /// The OBUs in codec private data: those of a record, or the data itself if it is raw OBUs.
    static func units(in extradata: [UInt8]) -> [UInt8] {
        guard extradata.count >= 4, extradata[0] == markerAndVersion else { return extradata }
        return Array(extradata[4...])
    }

    /// A record that contains the sequence header OBU with a size field.
    static func record(for header: AV1SequenceHeader, payload: [UInt8]) -> [UInt8] {
        var writer = BoxWriter()
        writer.byte(markerAndVersion)
        writer.byte(UInt8(truncatingIfNeeded: header.profile << 5 | header.level))
        var flags: UInt8 = header.isHighTier ? 0x80 : 0
        if header.bitDepth > 8 { flags |= 0x40 }
        if header.bitDepth == 12 { flags |= 0x20 }
        if header.isMonochrome { flags |= 0x10 }
        if header.subsamplingX { flags |= 0x08 }
        if header.subsamplingY { flags |= 0x04 }
        writer.byte(flags | UInt8(truncatingIfNeeded: header.chromaSamplePosition & 3))
        writer.byte(0)
        writer.append(sequenceUnit(payload))
        return writer.bytes
    }

    /// A sequence header OBU with a size field (AV1 bitstream specification §5.3.2).
    static func sequenceUnit(_ payload: [UInt8]) -> [UInt8] {
        var writer = BoxWriter()
        writer.byte(AV1Units.sequenceHeader << 3 | 2)
        var rest = payload.count
        while rest > 0x7F {
            writer.byte(UInt8(truncatingIfNeeded: rest) & 0x7F | 0x80)
            rest >>= 7
        }
        writer.byte(UInt8(truncatingIfNeeded: rest))
        writer.append(payload)
        return writer.bytes
    }
}
