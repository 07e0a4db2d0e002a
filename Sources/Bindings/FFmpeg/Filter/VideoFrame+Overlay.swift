// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// How a drawing lies in the pictures it is laid over.
package struct DrawingFit: Hashable, Sendable {
    /// In pixels of the picture as it is coded.
    package var width: Int
    package var height: Int
    /// By how much the coded picture is turned clockwise before it is seen.
    package var rotation: Int
    /// libavutil's name of a format with alpha.
    package var pixelFormat: String
    package var color: PictureColor

    package init(width: Int, height: Int, rotation: Int, pixelFormat: String, color: PictureColor) {
        (self.width, self.height, self.rotation) = (width, height, rotation)
        (self.pixelFormat, self.color) = (pixelFormat, color)
    }

    /// Bits of a sample of the format; `nil` for one that libavutil does not know.
    fileprivate var depth: Int? {
        let descriptor = unsafe av_pix_fmt_desc_get(av_get_pix_fmt(pixelFormat))
        return unsafe descriptor.map { unsafe Int($0.pointee.comp.0.depth) }
    }
}

extension VideoFrame {
    /// White of sRGB in a picture of high dynamic range: ITU-R BT.2408, §2.
    private static let whiteNits = 203

    /// What a drawing becomes to be laid over pictures: its size, direction and colours are theirs, its alpha is straight.
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
        // Also for another depth: white is all bits, at each.
        if fit.pixelFormat != "gbrap" || !light.isEmpty {
            let matrix = isRGB ? PictureColor.identity : color.matrix
            let range = isRGB || color.isFullRange ? "full" : "limited"
            chain.append("zscale=m=\(matrix):r=\(range)\(light)")
            // zimg makes no half chroma of an odd side.
            if fit.width % 2 != 0 || fit.height % 2 != 0, !fit.pixelFormat.hasPrefix("gbrap") {
                chain.append("format=yuva444\(fit.pixelFormat.hasSuffix("p10le") ? "p10le" : "p")")
            }
        }
        chain.append("format=\(fit.pixelFormat)")
        if let depth = fit.depth, depth > 8 {
            // zimg shifts an alpha of 8 bits, and what is opaque would be a little less.
            let (top, shifted) = ((1 << depth) - 1, 255 << (depth - 8))
            chain.append("pseudocolor=i=3:c0=-1:c1=-1:c2=-1:c3='floor(val*\(top)/\(shifted)+0.5)'")
        }
        return try FilterGraph.filtered(tagged(.drawn), by: chain.joined(separator: ","))
    }

    /// The colours of the picture as players take them.
    package var color: PictureColor { pictureColor(ColorDescription()) }
}
