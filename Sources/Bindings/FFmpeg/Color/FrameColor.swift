// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The colours of a decoded frame as ITU-T H.273 code points, with nothing unspecified.
package struct FrameColor: Hashable, Sendable {
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
    /// Transfers that zscale supports.
    private static let transfers: Set = [1, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 18]
    /// Transfers whose codes a BT.709 display shows without conversion.
    private static let videoTransfers: Set = [1, 6, 11, 13, 14, 15]
    private static let primaries: Set = [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22]
    private static let matrices: Set = [1, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]
    /// The largest size of standard definition. In SDR, an unspecified matrix is BT.601 up to this size and BT.709
    /// above it, as in common players.
    private static let standardWidth = 1279
    private static let standardHeight = 576

    /// Uses the stream's value if it is specified, then the frame's, then the default of common players.
    package init(
        stream: ColorDescription,
        frame: ColorDescription,
        isRGB: Bool,
        width: Int,
        height: Int
    ) {
        func specified(_ field: KeyPath<ColorDescription, Int>, _ known: Set<Int>) -> Int? {
            [stream[keyPath: field], frame[keyPath: field]].first { known.contains($0) }
        }
        transfer = specified(\.transfer, Self.transfers) ?? Self.bt709
        let isHDR = transfer == Self.perceptualQuantizer || transfer == Self.hybridLogGamma
        let isStandard = width <= Self.standardWidth && height <= Self.standardHeight
        if isRGB {
            matrix = Self.identity
        } else {
            matrix =
                specified(\.matrix, Self.matrices)
                ?? (isHDR ? Self.bt2020 : isStandard ? Self.smpte170M : Self.bt709)
        }
        let isWide = isHDR || matrix == Self.bt2020 || matrix == Self.bt2020 + 1
        primaries = specified(\.primaries, Self.primaries) ?? (isWide ? Self.bt2020 : Self.bt709)
        isFullRange = stream.isFullRange || frame.isFullRange || isRGB
    }

    private init(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// For frames whose sample values are scaled but not converted.
    static let codes = FrameColor(primaries: bt709, transfer: bt709, matrix: bt709, isFullRange: true)
    /// The colours of vector drawings.
    static let drawn = FrameColor(primaries: bt709, transfer: sRGB, matrix: identity, isFullRange: true)
    /// The colours of composed Dolby Vision.
    static let composed = FrameColor(
        primaries: bt2020,
        transfer: perceptualQuantizer,
        matrix: identity,
        isFullRange: true
    )

    /// The colours of a still made from a frame with these colours. Viewers show BT.709 codes like sRGB, so they are
    /// tagged as sRGB.
    func ofStill(keeps: Bool, in planes: StillPlanes) -> FrameColor {
        let isKept = keeps && light != .standard
        return FrameColor(
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

    /// Whether the R'G'B' codes can be used in a still unchanged: BT.709 primaries, and a transfer that displays treat
    /// like that of BT.709.
    package var isStandard: Bool { primaries == Self.bt709 && Self.videoTransfers.contains(transfer) }

    /// The transfer of the still after conversion: sRGB stays sRGB.
    package var convertedTransfer: Int { transfer == Self.sRGB ? Self.sRGB : Self.bt709 }
}
