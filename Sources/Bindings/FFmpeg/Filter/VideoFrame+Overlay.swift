// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// How a drawing is placed on the frames it is overlaid on.
package struct DrawingFit: Hashable, Sendable {
    /// In pixels of the coded frame.
    package var width: Int
    package var height: Int
    /// The clockwise rotation applied to the coded frame for display, in degrees.
    package var rotation: Int
    /// libavutil's name of a pixel format with alpha.
    package var pixelFormat: String
    package var color: PictureColor

    package init(width: Int, height: Int, rotation: Int, pixelFormat: String, color: PictureColor) {
        (self.width, self.height, self.rotation) = (width, height, rotation)
        (self.pixelFormat, self.color) = (pixelFormat, color)
    }

    /// Bits per sample of the format; `nil` if libavutil does not know it.
    fileprivate var depth: Int? {
        let descriptor = unsafe av_pix_fmt_desc_get(av_get_pix_fmt(pixelFormat))
        return unsafe descriptor.map { unsafe Int($0.pointee.comp.0.depth) }
    }
}

extension VideoFrame {
    /// The luminance of sRGB white in an HDR frame, in cd/m²: ITU-R BT.2408, §2.
    private static let whiteNits = 203

    /// Converts a drawing for overlaying: it gets the size, orientation and colours of the frames, and straight alpha.
    package func fitted(_ fit: DrawingFit) throws(FFmpegError) -> VideoFrame {
        var chain: [String] = []
        let (wide, high) = fit.rotation % 180 == 0 ? (fit.width, fit.height) : (fit.height, fit.width)
        if (wide, high) != (width, height) { chain.append("scale=w=\(wide):h=\(high):flags=bicubic") }
        switch fit.rotation {
        case 90: chain.append("transpose=cclock")
        case 180: chain += ["hflip", "vflip"]
        case 270: chain.append("transpose=clock")
        default: break
        }
        chain += ["format=gbrap", "unpremultiply=inplace=1"]
        let color = fit.color
        let light = color.light == .standard ? "" : ":t=\(color.transfer):p=\(color.primaries):npl=\(Self.whiteNits)"
        let isRGB = fit.pixelFormat.hasPrefix("gbrap")
        // Also needed for another bit depth: white is all ones at every depth.
        if fit.pixelFormat != "gbrap" || !light.isEmpty {
            let matrix = isRGB ? PictureColor.identity : color.matrix
            let range = isRGB || color.isFullRange ? "full" : "limited"
            chain.append("zscale=m=\(matrix):r=\(range)\(light)")
            // zimg cannot subsample chroma for an odd width or height.
            if fit.width % 2 != 0 || fit.height % 2 != 0, !fit.pixelFormat.hasPrefix("gbrap") {
                chain.append("format=yuva444\(fit.pixelFormat.hasSuffix("p10le") ? "p10le" : "p")")
            }
        }
        chain.append("format=\(fit.pixelFormat)")
        if let depth = fit.depth, depth > 8 {
            // zimg shifts 8-bit alpha, which would make opaque pixels slightly transparent.
            let (top, shifted) = ((1 << depth) - 1, 255 << (depth - 8))
            chain.append("pseudocolor=i=3:c0=-1:c1=-1:c2=-1:c3='floor(val*\(top)/\(shifted)+0.5)'")
        }
        return try FilterGraph.filtered(tagged(.drawn), by: chain.joined(separator: ","))
    }

    /// The colours of the frame as players interpret them.
    package var color: PictureColor { pictureColor(ColorDescription()) }
}
