// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

extension VideoFrame {
    /// The properties of the frame. Invalid numbers count as unset.
    package var facts: PictureFacts {
        unsafe withPointer { pointer in
            let frame = unsafe pointer.pointee
            let aspect = unsafe frame.sample_aspect_ratio
            let tick = unsafe frame.time_base
            return unsafe PictureFacts(
                ticks: pts,
                durationTicks: max(0, duration),
                tick: tick.num > 0 && tick.den > 0 ? Ratio(Int(tick.num), Int(tick.den)) : nil,
                color: ColorDescription(
                    primaries: Int(frame.color_primaries.rawValue),
                    transfer: Int(frame.color_trc.rawValue),
                    matrix: Int(frame.colorspace.rawValue),
                    isFullRange: frame.color_range == AVCOL_RANGE_JPEG || isJPEGFormat || hasRGBCodes
                ),
                chromaLocation: Int(frame.chroma_location.rawValue),
                rotation: rotation,
                aspectRatio: aspect.num > 0 && aspect.den > 0 ? Ratio(Int(aspect.num), Int(aspect.den)) : Ratio(1, 1),
                hasAspectRatio: aspect.num > 0 && aspect.den > 0,
                isKey: isKey,
                isInterlaced: isInterlaced,
                isTopFieldFirst: isTopFieldFirst,
                isDamaged: isDamaged,
                masteringDisplay: masteringDisplay,
                contentLight: contentLight,
                hdr10Plus: hdr10Plus,
                dolbyVision: bytes(of: AV_FRAME_DATA_DOVI_RPU_BUFFER)
            )
        }
    }

    var hasRGBCodes: Bool {
        let flags = unsafe av_pix_fmt_desc_get(format)?.pointee.flags ?? 0
        return flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    }

    /// In degrees clockwise; rotations that are not multiples of 90° count as 0 (`av_display_rotation_get`).
    private var rotation: Int {
        unsafe withPointer { pointer in
            guard let data = unsafe av_frame_get_side_data(pointer, AV_FRAME_DATA_DISPLAYMATRIX),
                unsafe data.pointee.size >= 36, let bytes = unsafe data.pointee.data
            else { return 0 }
            let angle = unsafe UnsafeRawPointer(bytes).withMemoryRebound(to: Int32.self, capacity: 9) {
                unsafe av_display_rotation_get($0)
            }
            guard angle.isFinite else { return 0 }
            let turn = (Int((-angle).rounded()) % 360 + 360) % 360
            return turn % 90 == 0 ? turn : 0
        }
    }

    private var masteringDisplay: MasteringDisplay? {
        guard let display = sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, as: AVMasteringDisplayMetadata.self),
            display.has_primaries != 0 || display.has_luminance != 0
        else { return nil }
        func point(_ pair: (AVRational, AVRational)) -> MasteringDisplay.Chromaticity {
            MasteringDisplay.Chromaticity(x: Self.steps(pair.0), y: Self.steps(pair.1))
        }
        let primaries = display.display_primaries
        return MasteringDisplay(
            red: point(primaries.0),
            green: point(primaries.1),
            blue: point(primaries.2),
            white: point(display.white_point),
            maximumLuminance: Self.light(display.max_luminance),
            minimumLuminance: Self.light(display.min_luminance)
        )
    }

    private var contentLight: ContentLight? {
        guard let level = sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, as: AVContentLightMetadata.self) else {
            return nil
        }
        return ContentLight(maximum: UInt16(clamping: level.MaxCLL), frameAverage: UInt16(clamping: level.MaxFALL))
    }

    private static func steps(_ value: AVRational) -> UInt16 {
        value.den > 0 ? UInt16(clamping: (Int64(value.num) * 50_000 + Int64(value.den / 2)) / Int64(value.den)) : 0
    }

    private static func light(_ value: AVRational) -> UInt32 {
        value.den > 0 ? UInt32(clamping: (Int64(value.num) * 10_000 + Int64(value.den / 2)) / Int64(value.den)) : 0
    }

    private func bytes(of type: AVFrameSideDataType) -> [UInt8] {
        unsafe withPointer { pointer in
            guard let data = unsafe av_frame_get_side_data(pointer, type), let bytes = unsafe data.pointee.data else {
                return []
            }
            return unsafe copiedBytes(bytes, count: data.pointee.size)
        }
    }
}
