// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Writes pictures as image files, with libjpeg-turbo and libavcodec's encoders. Equal pictures give equal bytes.
///
/// Effort is small: a viewer waits, and more of it takes several times as long for a few hundredths of the size.
///
/// JPEG is Y'CbCr of BT.601 in full range, as JFIF has it. PNG has 8 bits a sample and is tagged sRGB; one in PQ or HLG has
/// 16 and says so in a `cICP` chunk.
package enum StillEncoder {
    /// The bytes of a whole file.
    ///
    /// - Parameter picture: as `StillRenderer` gives it for this style, or of any other format of R'G'B'.
    /// - Throws: `tooDeep` for one of more than 8 bits in a format of 8.
    package static func encode(_ picture: VideoFrame, style: StillStyle) throws(StillError) -> [UInt8] {
        let isDeep = picture.isDeep
        if isDeep, style.format != .png { throw .tooDeep(style.format) }
        let quality = min(max(style.quality, 1), 100)
        do throws(FFmpegError) {
            switch style.format {
            case .jpeg:
                let planes = StillPlanes(
                    quality: quality,
                    width: picture.width,
                    height: picture.height,
                    isHalved: false
                )
                let coded = picture.hasRGBPlanes ? try converted(picture, planes) : picture
                guard let file = JPEGFile.bytes(of: coded, quality: quality) else {
                    throw FFmpegError(CFFmpegErrorInvalidData, in: "cjpeg_encode")
                }
                return file
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

    private static func converted(_ picture: VideoFrame, _ planes: StillPlanes) throws(FFmpegError) -> VideoFrame {
        try FilterGraph.filtered(picture, by: "format=gbrp,zscale=\(planes.conversion),format=\(planes.format)")
    }
}

extension VideoFrame {
    /// Whether its samples have more than 8 bits.
    fileprivate var isDeep: Bool {
        guard let description = unsafe av_pix_fmt_desc_get(format) else { return false }
        return unsafe description.pointee.comp.0.depth > 8
    }

    /// Whether its planes are of R'G'B'.
    fileprivate var hasRGBPlanes: Bool {
        guard let description = unsafe av_pix_fmt_desc_get(format) else { return false }
        return unsafe description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    }

    /// The planar format of as many bits with a sample of colour for each pixel. `nil` where sides as long as these have samples of
    /// colour in whole numbers.
    func formatOfWholeChroma(width: Int, height: Int) -> String? {
        guard let description = unsafe av_pix_fmt_desc_get(format), unsafe description.pointee.nb_components > 2 else {
            return nil
        }
        let columns = unsafe 1 << Int(description.pointee.log2_chroma_w)
        let rows = unsafe 1 << Int(description.pointee.log2_chroma_h)
        if width.isMultiple(of: columns), height.isMultiple(of: rows) { return nil }
        let depth = unsafe description.pointee.comp.0.depth
        return depth > 8 ? "yuv444p\(depth)le" : "yuv444p"
    }

    /// Whether it has one sample of colour for two by two pixels.
    var hasHalvedChroma: Bool {
        guard let description = unsafe av_pix_fmt_desc_get(format) else { return false }
        return unsafe description.pointee.log2_chroma_w == 1 && description.pointee.log2_chroma_h == 1
    }
}
