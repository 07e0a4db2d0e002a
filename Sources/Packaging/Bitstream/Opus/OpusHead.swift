// SPDX-License-Identifier: Apache-2.0

/// The identification header, RFC 7845 §5.1. Its numbers are little-endian.
struct OpusHead: Hashable, Sendable {
    var channels: Int
    /// Samples at 48 kHz to discard at the start.
    var preSkip: Int
    private let inputSampleRate: UInt32
    private let gain: UInt16
    private let mappingFamily: UInt8
    private let mapping: [UInt8]

    private static let marker = Array("OpusHead".utf8)

    init(extradata: [UInt8]) throws(PackagingError) {
        var reader = ByteReader(extradata, subject: "OpusHead")
        guard try reader.take(8) == Self.marker, try reader.byte() & 0xF0 == 0 else {
            throw PackagingError(.malformed, "not an OpusHead of version 1")
        }
        channels = Int(try reader.byte())
        preSkip = Int(try reader.uint16().byteSwapped)
        inputSampleRate = try reader.uint32().byteSwapped
        gain = try reader.uint16().byteSwapped
        mappingFamily = try reader.byte()
        guard channels > 0, mappingFamily != 0 || channels <= 2 else {
            throw PackagingError(.malformed, "OpusHead: \(channels) channels in mapping family \(mappingFamily)")
        }
        mapping = mappingFamily == 0 ? [] : try reader.take(2 + channels)
    }

    /// The payload of OpusSpecificBox ("Encapsulation of Opus in ISOBMFF" §4.3.2). Its numbers are big-endian.
    var specificBox: [UInt8] {
        var writer = BoxWriter()
        writer.byte(0)
        writer.byte(UInt8(truncatingIfNeeded: channels))
        writer.uint16(UInt16(truncatingIfNeeded: preSkip))
        writer.uint32(inputSampleRate)
        writer.uint16(gain)
        writer.byte(mappingFamily)
        writer.append(mapping)
        return writer.bytes
    }
}
