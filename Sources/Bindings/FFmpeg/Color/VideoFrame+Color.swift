// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

extension VideoFrame {
    /// The colours of the frame as players interpret them.
    package var color: FrameColor { frameColor(ColorDescription()) }

    /// - Parameter stream: the colours that are declared for the whole stream.
    package func frameColor(_ stream: ColorDescription) -> FrameColor {
        unsafe withPointer { pointer in
            let frame = unsafe pointer.pointee
            let flags = unsafe av_pix_fmt_desc_get(format)?.pointee.flags ?? 0
            return unsafe FrameColor(
                stream: stream,
                frame: ColorDescription(
                    primaries: Int(frame.color_primaries.rawValue),
                    transfer: Int(frame.color_trc.rawValue),
                    matrix: Int(frame.colorspace.rawValue),
                    isFullRange: frame.color_range == AVCOL_RANGE_JPEG || isJPEGFormat
                ),
                isRGB: flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0,
                width: width,
                height: height
            )
        }
    }

    /// The same planes with these colours, square pixels and PTS 0, for filters.
    func tagged(_ color: FrameColor) -> VideoFrame {
        let copy = unsafe withPointer { unsafe allocated(av_frame_clone($0), by: "av_frame_clone") }
        unsafe copy.pointee.color_primaries = AVColorPrimaries(UInt32(color.primaries))
        unsafe copy.pointee.color_trc = AVColorTransferCharacteristic(UInt32(color.transfer))
        unsafe copy.pointee.colorspace = AVColorSpace(UInt32(color.matrix))
        unsafe copy.pointee.color_range = color.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        unsafe copy.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        unsafe copy.pointee.pts = 0
        return unsafe VideoFrame(taking: copy)
    }

    /// The peak luminance of the content in units of `ToneMapping.unit`: MaxCLL, or else the peak of the mastering
    /// display, each from the frame or its stream. `nil` if neither is known.
    func peak(_ video: VideoProperties) -> Double? {
        let unit = Double(ToneMapping.unit)
        if let level = sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, as: AVContentLightMetadata.self), level.MaxCLL > 0 {
            return Double(level.MaxCLL) / unit
        }
        if let level = video.contentLight, level.maximum > 0 { return Double(level.maximum) / unit }
        let display = sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, as: AVMasteringDisplayMetadata.self)
        if let display, display.has_luminance != 0, av_q2d(display.max_luminance) > 0 {
            return av_q2d(display.max_luminance) / unit
        }
        guard let display = video.masteringDisplay, display.maximumLuminance > 0 else { return nil }
        return Double(display.maximumLuminance) / 10_000 / unit
    }
}
