// SPDX-License-Identifier: Apache-2.0

/// Whether H.264 pictures are made of fields, by the heads of their slices (ITU-T H.264 §7.3.3).
///
/// A stream that may hold fields need not: progressive films are often declared so, and their slices tell.
struct H264Fields: Hashable, Sendable {
    var isInterlaced = false
    /// Of the first picture that is coded as two fields.
    var isTopFirst: Bool?

    init(packets: [[UInt8]], framing: NALFraming, set: H264ParameterSet) {
        guard !set.isFrameOnly else { return }
        isInterlaced = set.isFieldAdaptive
        for packet in packets {
            guard let units = try? framing.units(in: packet.span) else { continue }
            for unit in units where unit.count > 4 {
                let type = H264.unitType(packet[unit.lowerBound])
                guard type == H264.slice || type == H264.idrSlice else { continue }
                let head = Array(packet[unit].prefix(32))
                guard let isBottom = try? Self.bottomField(head, set) else { break }
                isInterlaced = true
                isTopFirst = isTopFirst ?? !isBottom
                break
            }
        }
    }

    /// bottom_field_flag of a slice of a field; `nil` for one of a frame.
    private static func bottomField(_ head: [UInt8], _ set: H264ParameterSet) throws(PackagingError) -> Bool? {
        var reader = BitReader(try RawPayload.unescaped(head), subject: "H.264 slice header")
        try reader.skip(8)
        for _ in 0..<3 { _ = try reader.unsignedExpGolomb() }
        try reader.skip((set.hasSeparatePlanes ? 2 : 0) + set.frameNumberBits)
        return try reader.flag() ? try reader.flag() : nil
    }
}
