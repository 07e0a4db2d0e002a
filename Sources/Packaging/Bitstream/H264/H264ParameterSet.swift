// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The fields of an H.264 sequence parameter set that a track needs (ITU-T H.264 §7.3.2.1.1 and §E.1.1).
struct H264ParameterSet: Hashable, Sendable {
    var profile = 0
    /// The byte of constraint_set flags, as used in CODECS.
    var constraints = 0
    var level = 0
    var chromaFormat = 1
    var lumaBitDepth = 8
    var chromaBitDepth = 8
    var pictureOrderCountType = 0
    /// Bits of pic_order_cnt_lsb, for type 0.
    var orderCountBits = 4
    var referenceFrames = 0
    var widthInMacroblocks = 0
    var heightInMacroblocks = 0
    var isFrameOnly = true
    /// mb_adaptive_frame_field_flag: frames may contain field macroblocks.
    var isFieldAdaptive = false
    /// Bits of frame_num.
    var frameNumberBits = 4
    var hasSeparatePlanes = false
    /// After cropping, in luma samples.
    var width = 0
    var height = 0
    var display = DisplayParameters()
    /// max_num_reorder_frames, if bitstream_restriction is present.
    var reorderFrames: Int?

    /// Profiles whose parameter sets carry chroma format and bit depths.
    static let highProfiles: Set<Int> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// - Parameter unit: the NAL unit, including its header byte.
    init(unit: [UInt8]) throws(PackagingError) {
        let payload = try RawPayload.unescaped(unit)
        guard let header = payload.first, header & 0x1F == H264.sequenceParameterSet else {
            throw PackagingError(.malformed, "not an H.264 sequence parameter set")
        }
        var reader = BitReader(payload, subject: "H.264 SPS")
        try reader.skip(8)
        profile = try reader.int(8)
        constraints = try reader.int(8)
        level = try reader.int(8)
        _ = try reader.unsignedExpGolomb(atMost: 31, "seq_parameter_set_id")
        if Self.highProfiles.contains(profile) { try readChroma(&reader) }
        frameNumberBits = 4 + (try reader.unsignedExpGolomb(atMost: 12, "log2_max_frame_num_minus4"))
        try readPictureOrderCount(&reader)
        referenceFrames = try reader.unsignedExpGolomb(atMost: 16, "max_num_ref_frames")
        _ = try reader.flag()
        try readSize(&reader)
        guard try reader.flag() else { return }
        do throws(PackagingError) {
            try readUsability(&reader)
        } catch {
            // The readable part of a truncated VUI is kept, because it only supplements the container.
        }
    }

    private mutating func readChroma(_ reader: inout BitReader) throws(PackagingError) {
        chromaFormat = try reader.unsignedExpGolomb(atMost: 3, "chroma_format_idc")
        if chromaFormat == 3 { hasSeparatePlanes = try reader.flag() }
        lumaBitDepth = 8 + (try reader.unsignedExpGolomb(atMost: 6, "bit_depth_luma_minus8"))
        chromaBitDepth = 8 + (try reader.unsignedExpGolomb(atMost: 6, "bit_depth_chroma_minus8"))
        _ = try reader.flag()
        guard try reader.flag() else { return }
        for list in 0..<(chromaFormat == 3 ? 12 : 8) where try reader.flag() {
            try skipScalingList(&reader, size: list < 6 ? 16 : 64)
        }
    }

    private func skipScalingList(_ reader: inout BitReader, size: Int) throws(PackagingError) {
        var last = 8
        for _ in 0..<size {
            last = (last + (try reader.signedExpGolomb()) + 256) & 0xFF
            if last == 0 { return }
        }
    }

    private mutating func readPictureOrderCount(_ reader: inout BitReader) throws(PackagingError) {
        pictureOrderCountType = try reader.unsignedExpGolomb(atMost: 2, "pic_order_cnt_type")
        switch pictureOrderCountType {
        case 0:
            orderCountBits = 4 + (try reader.unsignedExpGolomb(atMost: 12, "log2_max_pic_order_cnt_lsb_minus4"))
        case 1:
            try reader.skip(1)
            _ = try reader.signedExpGolomb()
            _ = try reader.signedExpGolomb()
            let cycle = try reader.unsignedExpGolomb(atMost: 255, "num_ref_frames_in_pic_order_cnt_cycle")
            for _ in 0..<cycle { _ = try reader.signedExpGolomb() }
        default:
            break
        }
    }

    private mutating func readSize(_ reader: inout BitReader) throws(PackagingError) {
        let limit = 4095
        widthInMacroblocks = 1 + (try reader.unsignedExpGolomb(atMost: limit, "pic_width_in_mbs_minus1"))
        let mapUnits = 1 + (try reader.unsignedExpGolomb(atMost: limit, "pic_height_in_map_units_minus1"))
        isFrameOnly = try reader.flag()
        heightInMacroblocks = isFrameOnly ? mapUnits : mapUnits * 2
        if !isFrameOnly { isFieldAdaptive = try reader.flag() }
        _ = try reader.flag()
        width = widthInMacroblocks * 16
        height = heightInMacroblocks * 16
        guard try reader.flag() else { return }
        let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
        let unitY = (chromaFormat == 1 ? 2 : 1) * (isFrameOnly ? 1 : 2)
        let left = try reader.unsignedExpGolomb(atMost: 65535, "frame_crop_left_offset")
        let right = try reader.unsignedExpGolomb(atMost: 65535, "frame_crop_right_offset")
        let top = try reader.unsignedExpGolomb(atMost: 65535, "frame_crop_top_offset")
        let bottom = try reader.unsignedExpGolomb(atMost: 65535, "frame_crop_bottom_offset")
        width -= (left + right) * unitX
        height -= (top + bottom) * unitY
        guard width > 0, height > 0 else {
            throw PackagingError(.malformed, "H.264 SPS: cropping leaves no picture")
        }
    }

    private mutating func readUsability(_ reader: inout BitReader) throws(PackagingError) {
        try display.readAspectRatio(&reader)
        if try reader.flag() { try reader.skip(1) }
        try display.readColour(&reader)
        if try reader.flag() {
            _ = try reader.unsignedExpGolomb()
            _ = try reader.unsignedExpGolomb()
        }
        if try reader.flag() {
            let unitsInTick = try reader.bits(32)
            let timeScale = try reader.bits(32)
            let isFixed = try reader.flag()
            // Two field times make a frame time (§E.2.1).
            if isFixed { display.frameRate = DisplayParameters.rate(Int(timeScale), Int(unitsInTick) * 2) }
        }
        let hasNALParameters = try reader.flag()
        if hasNALParameters { try skipReferenceDecoder(&reader) }
        let hasVCLParameters = try reader.flag()
        if hasVCLParameters { try skipReferenceDecoder(&reader) }
        if hasNALParameters || hasVCLParameters { try reader.skip(1) }
        try reader.skip(1)
        guard try reader.flag() else { return }
        try reader.skip(1)
        for _ in 0..<4 { _ = try reader.unsignedExpGolomb() }
        reorderFrames = try reader.unsignedExpGolomb(atMost: 16, "max_num_reorder_frames")
    }

    /// hrd_parameters, §E.1.2.
    private func skipReferenceDecoder(_ reader: inout BitReader) throws(PackagingError) {
        let count = 1 + (try reader.unsignedExpGolomb(atMost: 31, "cpb_cnt_minus1"))
        try reader.skip(8)
        for _ in 0..<count {
            _ = try reader.unsignedExpGolomb()
            _ = try reader.unsignedExpGolomb()
            try reader.skip(1)
        }
        try reader.skip(20)
    }
}
