// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Writes a still as an image file, with libavcodec's encoders. Equal stills give equal bytes.
package enum StillEncoder {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// Y'CbCr of BT.601 in full range, as JFIF has it.
        case jpeg
        /// 8 bits a sample and tagged sRGB, or 16 bits and tagged by a `cICP` chunk.
        case png
        case webp
        /// No file: `StillImage.pixels`.
        case raw
    }

    package static let defaultQuality = 88
    /// From here on JPEG keeps a sample of colour for each pixel.
    private static let fullChromaQuality = 90

    /// - Parameter quality: 1 to 100, for formats that lose something. 50 is what the tables of the JPEG standard give.
    /// - Throws: `tooDeep` for a still of 16 bits in a format of 8.
    package static func encode(
        _ image: StillImage,
        as format: Format,
        quality: Int = defaultQuality
    ) throws(StillError) -> [UInt8] {
        let quality = min(max(quality, 1), 100)
        let isDeep = image.bitDepth > 8
        if isDeep, format == .jpeg || format == .webp { throw .tooDeep(format) }
        do throws(FFmpegError) {
            switch format {
            case .jpeg:
                let chroma = quality >= fullChromaQuality ? "yuv444p" : "yuv420p"
                let chain = "zscale=m=smpte170m:r=full:c=center,format=\(chroma)"
                let scale = jpegScale(quality)
                return try PictureEncoder.encode(try converted(image, chain), "mjpeg", quantizer: scale)
            case .png:
                let chain = isDeep ? "format=rgb48be" : "format=rgb24"
                let options = [("pred", "mixed"), ("compression_level", "3")]
                let file = try PictureEncoder.encode(try converted(image, chain), "png", options: options)
                return isDeep ? PNGChunks.tagged(file, image.color) : file
            case .webp:
                let options = [("quality", "\(quality)")]
                return try PictureEncoder.encode(try converted(image, "format=bgra"), "libwebp", options: options)
            case .raw:
                return image.pixels
            }
        } catch {
            throw .library(error)
        }
    }

    private static func converted(_ image: StillImage, _ chain: String) throws(FFmpegError) -> VideoFrame {
        let color = PictureColor(image.color)
        return try FilterGraph.result(of: chain, [image.frame.tagged(color, at: 0)], threads: 1)
    }

    /// As libjpeg scales its tables, in the quantizer's unit: 8 leaves them as they are.
    private static func jpegScale(_ quality: Int) -> Double {
        let percent = quality < 50 ? 5000 / Double(quality) : Double(200 - 2 * quality)
        return min(max(percent * 8 / 100, 1), 31)
    }
}
