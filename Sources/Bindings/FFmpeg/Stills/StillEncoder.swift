// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Writes pictures as image files, with libavcodec's encoders. Equal pictures give equal bytes.
///
/// Effort is small: a viewer waits, and more of it takes several times as long for a few hundredths of the size.
///
/// JPEG is Y'CbCr of BT.601 in full range, as JFIF has it. PNG has 8 bits a sample and is tagged sRGB; one in PQ or HLG has
/// 16 and says so in a `cICP` chunk.
package enum StillEncoder {
    /// From here on JPEG keeps a sample of colour for each pixel.
    private static let fullChromaQuality = 90

    /// The bytes of a whole file.
    ///
    /// - Parameter picture: as `StillRenderer` gives it, or of any other format of R'G'B'.
    /// - Throws: `tooDeep` for one of more than 8 bits in a format of 8.
    package static func encode(_ picture: VideoFrame, style: StillStyle) throws(StillError) -> [UInt8] {
        let isDeep = picture.isDeep
        if isDeep, style.format != .png { throw .tooDeep(style.format) }
        let quality = min(max(style.quality, 1), 100)
        do throws(FFmpegError) {
            switch style.format {
            case .jpeg:
                let chroma = quality >= fullChromaQuality ? "yuv444p" : "yuv420p"
                let chain = "format=gbrp,zscale=m=smpte170m:r=full:c=center,format=\(chroma)"
                let converted = try FilterGraph.filtered(picture, by: chain)
                return try PictureEncoder.encode(converted, "mjpeg", quantizer: jpegScale(quality))
            case .png:
                let converted = try FilterGraph.filtered(picture, by: isDeep ? "format=rgb48be" : "format=rgb24")
                let options = [("pred", "up"), ("compression_level", "2")]
                let file = try PictureEncoder.encode(converted, "png", options: options)
                return isDeep ? PNGChunks.tagged(file, as: converted) : file
            case .webp:
                let converted = try FilterGraph.filtered(picture, by: "format=bgra")
                let options = [("quality", "\(quality)"), ("compression_level", "2")]
                return try PictureEncoder.encode(converted, "libwebp", options: options)
            }
        } catch {
            throw .library(error)
        }
    }

    /// As libjpeg scales its tables, in the quantizer's unit: 8 leaves them as they are.
    private static func jpegScale(_ quality: Int) -> Double {
        let percent = quality < 50 ? 5000 / Double(quality) : Double(200 - 2 * quality)
        return min(max(percent * 8 / 100, 1), 31)
    }
}

extension VideoFrame {
    /// Whether its samples have more than 8 bits.
    fileprivate var isDeep: Bool {
        guard let description = unsafe av_pix_fmt_desc_get(format) else { return false }
        return unsafe description.pointee.comp.0.depth > 8
    }
}
