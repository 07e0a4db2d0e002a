// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// The placement of a drawing on the frames that it is overlaid on.
package struct DrawingFit: Hashable, Sendable {
    /// The luminance of sRGB white in an HDR frame, in cd/m²: ITU-R BT.2408, §2.
    private static let whiteNits = 203

    /// In pixels of the coded frame.
    package var width: Int
    package var height: Int
    /// The clockwise rotation applied to the coded frame for display, in degrees.
    package var rotation: Int
    /// libavutil's name of a pixel format with alpha.
    package var pixelFormat: String
    package var color: FrameColor
    /// The transparent pixels around the drawing, which align it with the chroma samples of the frame.
    package var margins = Margins()

    /// In pixels of the coded frame.
    package struct Margins: Hashable, Sendable {
        package var left = 0
        package var top = 0
        package var right = 0
        package var bottom = 0

        package init() {}
    }

    package init(width: Int, height: Int, rotation: Int, pixelFormat: String, color: FrameColor) {
        (self.width, self.height, self.rotation) = (width, height, rotation)
        (self.pixelFormat, self.color) = (pixelFormat, color)
    }

    /// Bits per sample of the format; `nil` if libavutil does not know it.
    private var depth: Int? {
        let descriptor = unsafe av_pix_fmt_desc_get(av_get_pix_fmt(pixelFormat))
        return unsafe descriptor.map { unsafe Int($0.pointee.comp.0.depth) }
    }

    /// Converts a drawing for overlaying: it gets the size, orientation and colours of the frames, and straight alpha.
    package func applied(to drawing: VideoFrame) throws(FFmpegError) -> VideoFrame {
        var chain: [String] = []
        let (wide, high) = rotation % 180 == 0 ? (width, height) : (height, width)
        if (wide, high) != (drawing.width, drawing.height) { chain.append("scale=w=\(wide):h=\(high):flags=bicubic") }
        switch rotation {
        case 90: chain.append("transpose=cclock")
        case 180: chain += ["hflip", "vflip"]
        case 270: chain.append("transpose=clock")
        default: break
        }
        let (fullWidth, fullHeight) = (width + margins.left + margins.right, height + margins.top + margins.bottom)
        if margins != Margins() {
            chain.append("pad=\(fullWidth):\(fullHeight):\(margins.left):\(margins.top):color=black@0")
        }
        chain += ["format=gbrap", "unpremultiply=inplace=1"]
        let light = color.light == .standard ? "" : ":t=\(color.transfer):p=\(color.primaries):npl=\(Self.whiteNits)"
        let isRGB = pixelFormat.hasPrefix("gbrap")
        // zscale also converts the bit depth, because full-range white must be all ones at every depth.
        if pixelFormat != "gbrap" || !light.isEmpty {
            let matrix = isRGB ? FrameColor.identity : color.matrix
            let range = isRGB || color.isFullRange ? "full" : "limited"
            chain.append("zscale=m=\(matrix):r=\(range)\(light)")
            // zimg cannot subsample chroma for an odd width or height.
            if fullWidth % 2 != 0 || fullHeight % 2 != 0, !isRGB {
                chain.append("format=yuva444\(pixelFormat.hasSuffix("p10le") ? "p10le" : "p")")
            }
        }
        chain.append("format=\(pixelFormat)")
        if let depth, depth > 8 {
            // zimg widens 8-bit alpha by a shift, which would make opaque pixels slightly transparent.
            let (top, shifted) = ((1 << depth) - 1, 255 << (depth - 8))
            chain.append("pseudocolor=i=3:c0=-1:c1=-1:c2=-1:c3='floor(val*\(top)/\(shifted)+0.5)'")
        }
        return try FilterGraph.filtered(drawing.tagged(.drawn), by: chain.joined(separator: ","))
    }
}
