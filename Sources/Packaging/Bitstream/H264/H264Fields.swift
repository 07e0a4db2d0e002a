// SPDX-License-Identifier: Apache-2.0

/// Whether H.264 video is interlaced, judging by its parameter set and its slice headers (ITU-T H.264 §7.3.3).
///
/// A stream whose frames may have field macroblocks (mb_adaptive_frame_field_flag) counts as interlaced. Otherwise only
/// slices are reliable: progressive video is often declared as video that may contain fields.
struct H264Fields: Hashable, Sendable {
    var isInterlaced = false
    /// From the first picture that reveals it: one coded as two fields, or a frame whose fields have different times.
    var isTopFirst: Bool?

    /// - Parameter pictureSets: all picture parameter sets that slices may refer to.
    init(packets: [[UInt8]], framing: NALFraming, set: H264ParameterSet, pictureSets: [[UInt8]]) {
        guard !set.isFrameOnly else { return }
        isInterlaced = set.isFieldAdaptive
        let timed = Set(pictureSets.compactMap(Self.timedSet))
        for packet in packets {
            for unit in framing.unitsToSearch(in: packet.span) ?? [] where unit.count > 4 {
                let type = H264.unitType(packet[unit.lowerBound])
                guard type == H264.slice || type == H264.idrSlice else { continue }
                let slice = Self.slice(Array(packet[unit].prefix(48)), set, timed)
                if slice?.isField == true { isInterlaced = true }
                isTopFirst = isTopFirst ?? slice?.isTopFirst
                break
            }
        }
    }

    /// The id of a picture parameter set (§7.3.2.2) whose slices carry delta_pic_order_cnt_bottom. `nil` for others,
    /// and for a damaged one.
    private static func timedSet(_ unit: [UInt8]) -> Int? {
        do throws(PackagingError) {
            var reader = BitReader(try RawPayload.unescaped(Array(unit.prefix(32))), subject: "H.264 PPS")
            try reader.skip(8)
            let number = try reader.unsignedExpGolomb(atMost: 255, "pic_parameter_set_id")
            _ = try reader.unsignedExpGolomb()
            try reader.skip(1)
            return try reader.flag() ? number : nil
        } catch {
            return nil
        }
    }

    /// The field properties in a slice header. `nil` if the header is truncated; other pictures are examined too.
    private static func slice(
        _ head: [UInt8],
        _ set: H264ParameterSet,
        _ timed: Set<Int>
    ) -> (isField: Bool, isTopFirst: Bool?)? {
        do throws(PackagingError) { return try parse(head, set, timed) } catch { return nil }
    }

    /// Parses up to delta_pic_order_cnt_bottom. A frame whose fields have the same or unknown times reveals no field
    /// order.
    private static func parse(
        _ head: [UInt8],
        _ set: H264ParameterSet,
        _ timed: Set<Int>
    ) throws(PackagingError) -> (isField: Bool, isTopFirst: Bool?) {
        var reader = BitReader(try RawPayload.unescaped(head), subject: "H.264 slice header")
        try reader.skip(8)
        for _ in 0..<2 { _ = try reader.unsignedExpGolomb() }
        let pictureSet = try reader.unsignedExpGolomb()
        try reader.skip((set.hasSeparatePlanes ? 2 : 0) + set.frameNumberBits)
        if try reader.flag() { return (true, try !reader.flag()) }
        guard set.pictureOrderCountType == 0, timed.contains(pictureSet) else { return (false, nil) }
        if H264.unitType(head[0]) == H264.idrSlice { _ = try reader.unsignedExpGolomb() }
        try reader.skip(set.orderCountBits)
        let delay = try reader.signedExpGolomb()
        return (false, delay == 0 ? nil : delay > 0)
    }
}
