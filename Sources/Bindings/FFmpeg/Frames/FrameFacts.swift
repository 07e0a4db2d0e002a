// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// The properties of a decoded frame, apart from its pixels.
package struct FrameFacts: Hashable, Sendable {
    /// The presentation time in ticks of the stream; `nil` if the frame has none.
    package var ticks: Int64?
    package var durationTicks: Int64
    /// The length of a tick in seconds; `nil` if the decoder does not report it.
    package var tick: Ratio?
    package var color: ColorDescription
    /// A value of `AVChromaLocation`; 0 if unspecified.
    package var chromaLocation: Int
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    package var rotation = 0
    /// The sample aspect ratio; 1:1 if not specified.
    package var aspectRatio: Ratio
    package var hasAspectRatio: Bool
    package var isKey: Bool
    package var isInterlaced: Bool
    package var isTopFieldFirst: Bool
    package var isDamaged: Bool
    package var masteringDisplay: MasteringDisplay?
    package var contentLight: ContentLight?
    /// The ITU-T T.35 message of SMPTE ST 2094-40, starting at the country code. Empty if there is none.
    package var hdr10Plus: [UInt8]
    /// The Dolby Vision reference processing unit (RPU). Empty if there is none.
    package var dolbyVision: [UInt8]
}

extension FrameFacts {
    /// Invalid values count as unset.
    init(_ frame: VideoFrame) {
        self = unsafe frame.withPointer { pointer in
            let raw = unsafe pointer.pointee
            let aspect = unsafe raw.sample_aspect_ratio
            let tick = unsafe raw.time_base
            let dynamic = frame.sideData(AV_FRAME_DATA_DYNAMIC_HDR_PLUS, as: AVDynamicHDRPlus.self)
            return unsafe FrameFacts(
                ticks: frame.pts,
                durationTicks: max(0, frame.duration),
                tick: tick.num > 0 && tick.den > 0 ? Ratio(Int(tick.num), Int(tick.den)) : nil,
                color: ColorDescription(
                    primaries: Int(raw.color_primaries.rawValue),
                    transfer: Int(raw.color_trc.rawValue),
                    matrix: Int(raw.colorspace.rawValue),
                    isFullRange: raw.color_range == AVCOL_RANGE_JPEG || frame.isJPEGFormat
                        || frame.hasRGBCodes
                ),
                chromaLocation: Int(raw.chroma_location.rawValue),
                rotation: Self.rotation(of: frame),
                aspectRatio: aspect.num > 0 && aspect.den > 0 ? Ratio(Int(aspect.num), Int(aspect.den)) : Ratio(1, 1),
                hasAspectRatio: aspect.num > 0 && aspect.den > 0,
                isKey: frame.isKey,
                isInterlaced: frame.isInterlaced,
                isTopFieldFirst: frame.isTopFieldFirst,
                isDamaged: frame.isDamaged,
                masteringDisplay: Self.masteringDisplay(of: frame),
                contentLight: Self.contentLight(of: frame),
                hdr10Plus: dynamic.map { HDR10PlusMessage($0).bytes } ?? [],
                dolbyVision: Self.dolbyVision(of: frame)
            )
        }
    }

    /// In degrees clockwise; rotations that are not multiples of 90° count as 0 (`av_display_rotation_get`).
    private static func rotation(of frame: VideoFrame) -> Int {
        unsafe frame.withPointer { pointer in
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

    private static func masteringDisplay(of frame: VideoFrame) -> MasteringDisplay? {
        let type = AV_FRAME_DATA_MASTERING_DISPLAY_METADATA
        guard let display = frame.sideData(type, as: AVMasteringDisplayMetadata.self),
            display.has_primaries != 0 || display.has_luminance != 0
        else { return nil }
        func point(_ pair: (AVRational, AVRational)) -> MasteringDisplay.Chromaticity {
            MasteringDisplay.Chromaticity(x: steps(pair.0), y: steps(pair.1))
        }
        let primaries = display.display_primaries
        return MasteringDisplay(
            red: point(primaries.0),
            green: point(primaries.1),
            blue: point(primaries.2),
            white: point(display.white_point),
            maximumLuminance: light(display.max_luminance),
            minimumLuminance: light(display.min_luminance)
        )
    }

    private static func contentLight(of frame: VideoFrame) -> ContentLight? {
        guard let level = frame.sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, as: AVContentLightMetadata.self) else {
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

    private static func dolbyVision(of frame: VideoFrame) -> [UInt8] {
        unsafe frame.withPointer { pointer in
            guard let data = unsafe av_frame_get_side_data(pointer, AV_FRAME_DATA_DOVI_RPU_BUFFER),
                let bytes = unsafe data.pointee.data
            else { return [] }
            return unsafe copiedBytes(bytes, count: data.pointee.size)
        }
    }
}
