// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The colours of a decoded picture, with nothing left unspecified: code points of ITU-T H.273.
package struct PictureColor: Hashable, Sendable {
    package enum Light: Hashable, Sendable {
        case standard
        case perceptualQuantizer
        case hybridLogGamma
    }

    package var primaries: Int
    package var transfer: Int
    package var matrix: Int
    package var isFullRange: Bool

    static let unspecified = 2
    static let bt709 = 1
    static let bt2020 = 9
    static let identity = 0
    private static let smpte170M = 6
    private static let linear = 8
    static let sRGB = 13
    private static let perceptualQuantizer = 16
    private static let hybridLogGamma = 18
    /// Transfers that zscale knows.
    private static let transfers: Set = [1, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 18]
    /// Transfers whose codes a display of BT.709 shows as they are.
    private static let videoTransfers: Set = [1, 6, 11, 13, 14, 15]
    private static let primaries: Set = [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22]
    private static let matrices: Set = [1, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]
    /// As players have it: pictures that are larger than those of standard definition are BT.709.
    private static let standardWidth = 1279
    private static let standardHeight = 576

    /// What the stream says holds, then what the picture says, then what players take it for.
    package init(
        stream: ColorDescription,
        picture: ColorDescription,
        isRGB: Bool,
        width: Int,
        height: Int
    ) {
        func said(_ field: KeyPath<ColorDescription, Int>, _ known: Set<Int>) -> Int? {
            [stream[keyPath: field], picture[keyPath: field]].first { known.contains($0) }
        }
        transfer = said(\.transfer, Self.transfers) ?? Self.bt709
        let isHDR = transfer == Self.perceptualQuantizer || transfer == Self.hybridLogGamma
        let isStandard = width <= Self.standardWidth && height <= Self.standardHeight
        if isRGB {
            matrix = Self.identity
        } else {
            matrix =
                said(\.matrix, Self.matrices)
                ?? (isHDR ? Self.bt2020 : isStandard ? Self.smpte170M : Self.bt709)
        }
        let isWide = isHDR || matrix == Self.bt2020 || matrix == Self.bt2020 + 1
        primaries = said(\.primaries, Self.primaries) ?? (isWide ? Self.bt2020 : Self.bt709)
        isFullRange = stream.isFullRange || picture.isFullRange || isRGB
    }

    private init(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// Codes that are scaled and nothing else.
    static let codes = PictureColor(primaries: bt709, transfer: bt709, matrix: bt709, isFullRange: true)
    /// What vector drawings are in.
    static let drawn = PictureColor(primaries: bt709, transfer: sRGB, matrix: identity, isFullRange: true)
    /// What Dolby Vision is composed to.
    static let composed = PictureColor(
        primaries: bt2020,
        transfer: perceptualQuantizer,
        matrix: identity,
        isFullRange: true
    )

    /// Of a still of such a picture. Codes of BT.709 are shown as those of sRGB are, and are called so.
    func ofStill(keeps: Bool, in planes: StillPlanes) -> PictureColor {
        let isKept = keeps && light != .standard
        return PictureColor(
            primaries: isKept ? primaries : Self.bt709,
            transfer: isKept ? transfer : Self.sRGB,
            matrix: planes == .rgb ? Self.identity : Self.smpte170M,
            isFullRange: true
        )
    }

    package var light: Light {
        switch transfer {
        case Self.perceptualQuantizer: .perceptualQuantizer
        case Self.hybridLogGamma: .hybridLogGamma
        default: .standard
        }
    }

    /// Whether the codes of R'G'B' are those of a still as they are: no other primaries, no other curve.
    package var isStandard: Bool { primaries == Self.bt709 && Self.videoTransfers.contains(transfer) }

    /// The curve of the still after a conversion: codes of sRGB stay that.
    package var convertedTransfer: Int { transfer == Self.sRGB ? Self.sRGB : Self.bt709 }
}
