// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// A finished still: planes of R'G'B' in full range, of 8 bits, or of 16 where it is still of high dynamic range.
package struct StillImage: Sendable {
    /// `AV_PIX_FMT_GBRP` or `AV_PIX_FMT_GBRP16LE`.
    let frame: VideoFrame
    /// Code points of ITU-T H.273. Codes of BT.709 are shown as those of sRGB are, and are called so.
    package let color: ColorDescription

    /// - Parameter color: of the picture it was made of.
    init(_ frame: VideoFrame, _ color: PictureColor, _ request: StillRenderer.Request) {
        self.frame = frame
        let isKept = color.light != .standard && request.keepsHighDynamicRange
        self.color = ColorDescription(
            primaries: isKept ? color.primaries : PictureColor.bt709,
            transfer: isKept ? color.transfer : PictureColor.sRGB,
            matrix: PictureColor.identity,
            isFullRange: true
        )
    }

    package var width: Int { frame.width }
    package var height: Int { frame.height }
    package var bitDepth: Int { frame.format == AV_PIX_FMT_GBRP ? 8 : 16 }

    /// Red, green, blue of each pixel, rows from the top without padding: bytes, or 16 bits with the low byte first.
    package var pixels: [UInt8] {
        unsafe frame.withPointer { pointer in
            let size = bitDepth / 8
            let planes = unsafe [pointer.pointee.data.2, pointer.pointee.data.0, pointer.pointee.data.1]
            let strides = unsafe [pointer.pointee.linesize.2, pointer.pointee.linesize.0, pointer.pointee.linesize.1]
            var pixels = [UInt8](repeating: 0, count: width * height * 3 * size)
            for component in 0..<3 {
                guard let plane = unsafe planes[component] else { continue }
                for row in 0..<height {
                    let line = unsafe plane + row * Int(strides[component])
                    for place in 0..<width * size {
                        let target = ((row * width + place / size) * 3 + component) * size + place % size
                        pixels[target] = unsafe line[place]
                    }
                }
            }
            return pixels
        }
    }
}
