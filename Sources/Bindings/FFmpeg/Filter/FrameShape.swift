// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// The properties of a frame that its filter graph depends on. Frames of equal shape can share a graph.
package struct FrameShape: Hashable, Sendable {
    /// The components of a pixel, apart from alpha.
    package enum Samples: Hashable, Sendable {
        case luma
        /// Luma and chroma.
        case color
        /// Red, green and blue, or indices into a palette of RGB colours.
        case rgb
    }

    package let width: Int
    package let height: Int
    /// libavutil's name of the pixel format.
    package let pixelFormat: String
    /// Bits per sample.
    package let depth: Int
    package let samples: Samples
    /// The base-2 logarithm of the chroma subsampling factor in each direction.
    package let chromaShift: (horizontal: Int, vertical: Int)
    /// Always true for RGB.
    package let isFullRange: Bool
    /// The sample aspect ratio; 1:1 if the frame has none.
    package var aspect: Ratio
    /// Whether the frame declares its sample aspect ratio.
    package let declaresAspect: Bool
    /// Whether libswscale can convert to the pixel format.
    package let isWritable: Bool
    /// Whether the frame's pixels are in a device's memory.
    package let isHardware: Bool

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.width == rhs.width && lhs.height == rhs.height && lhs.pixelFormat == rhs.pixelFormat
            && lhs.isFullRange == rhs.isFullRange && lhs.aspect == rhs.aspect
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(width)
        hasher.combine(height)
        hasher.combine(pixelFormat)
    }
}

extension VideoFrame {
    package var shape: FrameShape {
        unsafe withPointer { pointer in
            let descriptor = unsafe av_pix_fmt_desc_get(format)?.pointee
            let flags = unsafe descriptor?.flags ?? 0
            let isRGB = flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0 || flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
            let aspect = unsafe pointer.pointee.sample_aspect_ratio
            return unsafe FrameShape(
                width: width,
                height: height,
                pixelFormat: av_get_pix_fmt_name(format).map { unsafe String(cString: $0) } ?? "",
                depth: Int(descriptor?.comp.0.depth ?? 8),
                samples: isRGB ? .rgb : descriptor?.nb_components ?? 3 < 3 ? .luma : .color,
                chromaShift: (Int(descriptor?.log2_chroma_w ?? 0), Int(descriptor?.log2_chroma_h ?? 0)),
                isFullRange: pointer.pointee.color_range == AVCOL_RANGE_JPEG || isRGB || isJPEGFormat,
                aspect: aspect.num > 0 && aspect.den > 0 ? Ratio(Int(aspect.num), Int(aspect.den)) : Ratio(1, 1),
                declaresAspect: aspect.num > 0 && aspect.den > 0,
                isWritable: sws_isSupportedOutput(format) != 0,
                isHardware: flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) != 0
            )
        }
    }
}
