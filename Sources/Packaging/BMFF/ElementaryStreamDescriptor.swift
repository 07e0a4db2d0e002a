// SPDX-License-Identifier: Apache-2.0

/// `esds`: ES_Descriptor (ISO/IEC 14496-1 §7.2.6.5) in the form for files (ISO/IEC 14496-14 §5.6).
struct ElementaryStreamDescriptor: Hashable, Sendable {
    /// objectTypeIndication (MP4 Registration Authority).
    var objectType: UInt8
    /// DecoderSpecificInfo; omitted if empty.
    var specificInfo: [UInt8]

    static let mpeg4Audio: UInt8 = 0x40
    private static let mpeg1Audio: UInt8 = 0x6B
    private static let mpeg2Audio: UInt8 = 0x69

    /// MPEG-1 has three sample rates; all lower ones are MPEG-2.
    static func mpegAudio(sampleRate: Int) -> UInt8 { sampleRate >= 32000 ? mpeg1Audio : mpeg2Audio }

    func write(to writer: inout BoxWriter) {
        var decoder = BoxWriter()
        decoder.byte(objectType)
        decoder.byte(0x15)
        decoder.zeros(3 + 4 + 4)
        if !specificInfo.isEmpty { Self.descriptor(5, specificInfo, &decoder) }
        var stream = BoxWriter()
        stream.uint16(0)
        stream.byte(0)
        Self.descriptor(4, decoder.bytes, &stream)
        Self.descriptor(6, [2], &stream)
        writer.fullBox("esds") { Self.descriptor(3, stream.bytes, &$0) }
    }

    /// Writes a descriptor with its size in as few bytes as possible (§8.3.3).
    private static func descriptor(_ tag: UInt8, _ payload: [UInt8], _ writer: inout BoxWriter) {
        writer.byte(tag)
        for shift in [21, 14, 7] where payload.count >> shift > 0 {
            writer.byte(UInt8(truncatingIfNeeded: payload.count >> shift) & 0x7F | 0x80)
        }
        writer.byte(UInt8(truncatingIfNeeded: payload.count) & 0x7F)
        writer.append(payload)
    }
}
