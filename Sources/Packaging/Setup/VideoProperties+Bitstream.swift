// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoProperties {
    /// The format of the video without Dolby Vision.
    var baseFormat: VideoFormat {
        switch color.transfer {
        case 16: hasDynamicMetadata ? .hdr10Plus : .hdr10
        case 18: .hlg
        default: .sdr
        }
    }

    /// Fills in what the container leaves open. The container's values are kept, because it may correct its bitstream;
    /// only its bit depth, and a size that cannot be a cropped one, are replaced.
    mutating func complete(width: Int, height: Int, display: DisplayParameters, bitDepth: Int) {
        // Decoded frames have the bitstream's size. The container may crop only the padding of the last blocks of 16.
        if !isCropped(self.width, of: width) || !isCropped(self.height, of: height) {
            self.width = width
            self.height = height
            // Cropping for a picture of another size does not apply to this one.
            cropping = Cropping()
        }
        if sampleAspectRatio.reduced == Ratio(1, 1) || sampleAspectRatio.numerator <= 0,
            let ratio = display.sampleAspectRatio
        {
            sampleAspectRatio = ratio.reduced
        }
        if frameRate == nil { frameRate = display.frameRate }
        codedColor = display.color
        if color.primaries == 2 { color.primaries = display.color.primaries }
        if color.transfer == 2 { color.transfer = display.color.transfer }
        if color.matrix == 2 { color.matrix = display.color.matrix }
        if !color.isSpecified || color == display.color {
            color.isFullRange = color.isFullRange || display.color.isFullRange
        }
        self.bitDepth = bitDepth
    }

    private func isCropped(_ declared: Int, of coded: Int) -> Bool {
        declared > 0 && declared <= coded && coded - declared < 16 && (declared == coded || coded % 16 == 0)
    }
}
