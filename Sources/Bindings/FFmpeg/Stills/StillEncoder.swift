// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Encodes frames as image files with libjpeg-turbo and libavcodec. Equal frames give equal bytes.
///
/// Compression effort is low, because a viewer is waiting: more effort takes several times as long and saves a few
/// percent.
///
/// JPEG is full-range BT.601 Y'CbCr, as JFIF requires. PNG has 8 bits per sample and is tagged sRGB; a PNG in PQ or HLG
/// has 16 and declares it in a `cICP` chunk.
package enum StillEncoder {
    /// A complete image file.
    ///
    /// - Parameter frame: the output of `StillRenderer` for this style, or any R'G'B' format.
    /// - Throws: `tooDeep` if the frame has more than 8 bits and the format is limited to 8.
    package static func encode(_ frame: VideoFrame, style: StillStyle) throws(StillError) -> [UInt8] {
        let isDeep = frame.isDeep
        if isDeep, style.format != .png { throw .tooDeep(style.format) }
        let quality = min(max(style.quality, 1), 100)
        do throws(FFmpegError) {
            switch style.format {
            case .jpeg:
                let planes = StillPlanes(
                    quality: quality,
                    width: frame.width,
                    height: frame.height,
                    isHalved: false
                )
                let coded = frame.hasRGBPlanes ? try converted(frame, planes) : frame
                guard let file = JPEGFile.bytes(of: coded, quality: quality) else {
                    throw FFmpegError(CFFmpegErrorInvalidData, in: "cjpeg_encode")
                }
                return file
            case .png:
                let converted = try FilterGraph.filtered(frame, by: isDeep ? "format=rgb48be" : "format=rgb24")
                let options = [("pred", "up"), ("compression_level", "2")]
                let file = try FrameEncoder.encode(converted, "png", options: options)
                return isDeep ? PNGChunks.tagged(file, as: converted) : file
            case .webp:
                let converted = try FilterGraph.filtered(frame, by: "format=bgra")
                let options = [("quality", "\(quality)"), ("compression_level", "2")]
                return try FrameEncoder.encode(converted, "libwebp", options: options)
            }
        } catch {
            throw .library(error)
        }
    }

    private static func converted(_ frame: VideoFrame, _ planes: StillPlanes) throws(FFmpegError) -> VideoFrame {
        try FilterGraph.filtered(frame, by: "format=gbrp,zscale=\(planes.conversion),format=\(planes.format)")
    }
}

extension VideoFrame {
    /// Whether its samples have more than 8 bits.
    fileprivate var isDeep: Bool {
        guard let description = unsafe av_pix_fmt_desc_get(format) else { return false }
        return unsafe description.pointee.comp.0.depth > 8
    }

    /// Whether its planes are R'G'B'.
    fileprivate var hasRGBPlanes: Bool {
        guard let description = unsafe av_pix_fmt_desc_get(format) else { return false }
        return unsafe description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    }

    /// The planar 4:4:4 format of the same bit depth. `nil` if a frame of this size has a whole number of chroma
    /// samples.
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

    /// Whether chroma is subsampled 2:1 in both directions.
    var hasHalvedChroma: Bool {
        guard let description = unsafe av_pix_fmt_desc_get(format) else { return false }
        return unsafe description.pointee.log2_chroma_w == 1 && description.pointee.log2_chroma_h == 1
    }
}
