// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The fields of an HEVC sequence parameter set that a track needs (ITU-T H.265 §7.3.2.2 and §E.2.1).
struct HEVCParameterSet: Hashable, Sendable {
    var profile = HEVCProfile()
    var temporalLayers = 1
    var isTemporallyNested = false
    var chromaFormat = 1
    var width = 0
    var height = 0
    var lumaBitDepth = 8
    var chromaBitDepth = 8
    /// sps_max_num_reorder_pics of the highest sub-layer.
    var reorderPictures = 0
    var display = DisplayParameters()
    /// field_seq_flag: each picture is a field.
    var isFieldSequence = false

    private var pictureOrderBits = 4

    /// - Parameter unit: the NAL unit, including its two header bytes.
    init(unit: [UInt8]) throws(PackagingError) {
        let payload = try RawPayload.unescaped(unit)
        guard let header = payload.first, HEVC.unitType(header) == HEVC.sequenceParameterSet else {
            throw PackagingError(.malformed, "not an HEVC sequence parameter set")
        }
        var reader = BitReader(payload, subject: "HEVC SPS")
        try reader.skip(16 + 4)
        let maxSubLayersMinus1 = try reader.int(3)
        guard maxSubLayersMinus1 <= 6 else { throw PackagingError(.malformed, "HEVC SPS: more than 7 sub-layers") }
        temporalLayers = maxSubLayersMinus1 + 1
        isTemporallyNested = try reader.flag()
        profile = try HEVCProfile(&reader, maxSubLayersMinus1: maxSubLayersMinus1)
        _ = try reader.unsignedExpGolomb(atMost: 15, "sps_seq_parameter_set_id")
        try readSize(&reader)
        lumaBitDepth = 8 + (try reader.unsignedExpGolomb(atMost: 8, "bit_depth_luma_minus8"))
        chromaBitDepth = 8 + (try reader.unsignedExpGolomb(atMost: 8, "bit_depth_chroma_minus8"))
        pictureOrderBits = 4 + (try reader.unsignedExpGolomb(atMost: 12, "log2_max_pic_order_cnt_lsb_minus4"))
        let hasEverySubLayer = try reader.flag()
        for _ in (hasEverySubLayer ? 0 : maxSubLayersMinus1)...maxSubLayersMinus1 {
            _ = try reader.unsignedExpGolomb(atMost: 15, "sps_max_dec_pic_buffering_minus1")
            reorderPictures = try reader.unsignedExpGolomb(atMost: 15, "sps_max_num_reorder_pics")
            _ = try reader.unsignedExpGolomb()
        }
        do throws(PackagingError) {
            display = try readDisplay(reader)
        } catch {
            // VUI only supplements the container, so a parameter set that ends before it is still usable.
        }
    }

    /// A field sequence, or interlaced according to general_progressive_source_flag and general_interlaced_source_flag.
    var isInterlaced: Bool { isFieldSequence || (profile.constraints.first ?? 0) & 0xC0 == 0x40 }

    private mutating func readSize(_ reader: inout BitReader) throws(PackagingError) {
        chromaFormat = try reader.unsignedExpGolomb(atMost: 3, "chroma_format_idc")
        if chromaFormat == 3 { try reader.skip(1) }
        width = try reader.unsignedExpGolomb(atMost: 65535, "pic_width_in_luma_samples")
        height = try reader.unsignedExpGolomb(atMost: 65535, "pic_height_in_luma_samples")
        if try reader.flag() {
            let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
            let unitY = chromaFormat == 1 ? 2 : 1
            let left = try reader.unsignedExpGolomb(atMost: 65535, "conf_win_left_offset")
            let right = try reader.unsignedExpGolomb(atMost: 65535, "conf_win_right_offset")
            let top = try reader.unsignedExpGolomb(atMost: 65535, "conf_win_top_offset")
            let bottom = try reader.unsignedExpGolomb(atMost: 65535, "conf_win_bottom_offset")
            width -= (left + right) * unitX
            height -= (top + bottom) * unitY
        }
        guard width > 0, height > 0 else { throw PackagingError(.malformed, "HEVC SPS: cropping leaves no picture") }
    }

    /// Skips coding tools up to the VUI, and reads its display fields.
    private mutating func readDisplay(_ source: BitReader) throws(PackagingError) -> DisplayParameters {
        var reader = source
        var display = DisplayParameters()
        for _ in 0..<6 { _ = try reader.unsignedExpGolomb() }
        if try reader.flag(), try reader.flag() { try HEVCCodingTools.skipScalingLists(&reader) }
        try reader.skip(2)
        if try reader.flag() {
            try reader.skip(8)
            _ = try reader.unsignedExpGolomb()
            _ = try reader.unsignedExpGolomb()
            try reader.skip(1)
        }
        try HEVCCodingTools.skipShortTermReferenceSets(&reader)
        if try reader.flag() {
            let count = try reader.unsignedExpGolomb(atMost: 32, "num_long_term_ref_pics_sps")
            try reader.skip(count * (pictureOrderBits + 1))
        }
        try reader.skip(2)
        guard try reader.flag() else { return display }

        try display.readAspectRatio(&reader)
        if try reader.flag() { try reader.skip(1) }
        try display.readColour(&reader)
        if try reader.flag() {
            _ = try reader.unsignedExpGolomb()
            _ = try reader.unsignedExpGolomb()
        }
        try reader.skip(1)
        isFieldSequence = try reader.flag()
        try reader.skip(1)
        if try reader.flag() {
            for _ in 0..<4 { _ = try reader.unsignedExpGolomb() }
        }
        if try reader.flag() {
            let unitsInTick = try reader.bits(32)
            display.frameRate = DisplayParameters.rate(Int(try reader.bits(32)), Int(unitsInTick))
        }
        return display
    }
}
