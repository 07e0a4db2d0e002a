// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// libavfilter chains that convert a frame, tagged with its colours, to a still.
struct StillFilters: Hashable {
    private let layout: StillLayout
    private let fields: StillDeinterlacing
    /// The scaling kernel. For a strong reduction a cheaper one looks equally good.
    private let kernel: String
    private static let strongReduction = 4
    /// A 4:4:4 format to convert to first, if zimg does not support the frame's own format because a side is not a
    /// whole number of chroma samples.
    private let wholeFormat: String?

    init(_ frame: VideoFrame, _ layout: StillLayout) {
        self.layout = layout
        fields = StillDeinterlacing(frame, for: layout)
        kernel = layout.scaledWidth * Self.strongReduction <= frame.width ? "bilinear" : "bicubic"
        let crop = layout.cropping
        let lines = if case .alone = fields { frame.height / 2 } else { frame.height - crop.top - crop.bottom }
        wholeFormat = frame.formatOfWholeChroma(width: frame.width - crop.left - crop.right, height: lines)
    }

    /// - Parameters:
    ///   - peak: the peak luminance for tone mapping, in units of `ToneMapping.unit`.
    ///   - keeps: whether HDR is preserved, as 16-bit R'G'B'.
    ///   - planes: the planes of the result, unless HDR is preserved.
    func chain(from color: FrameColor, peak: Double, keeps: Bool, to planes: StillPlanes) -> String {
        switch color.light {
        case .standard:
            let convert = color.isStandard ? "" : ":p=bt709:t=\(color.convertedTransfer)"
            return joined([scaled("\(planes.conversion)\(convert)"), "format=\(planes.format)"])
        case .perceptualQuantizer, .hybridLogGamma:
            if keeps { return joined([scaled("m=gbr:r=full"), "format=gbrp16le"]) }
            let linear = ToneMapping.toLinear(isHybrid: color.light == .hybridLogGamma)
            return joined([scaled(linear), ToneMapping.toStandard(peak: peak, planes)])
        }
    }

    /// Whether the chains output each frame without waiting for later ones.
    var areImmediate: Bool { fields == .none }

    /// A chain to full-range 12-bit 4:4:4 with unchanged colours, the input of `DolbyVisionComposer`.
    var toCodes: String { joined([scaled("r=full"), "format=yuv444p12le"]) }

    /// Deinterlaces first, because fields are lines of the full frame, and rotates last, when the frame is small.
    private func joined(_ color: [String]) -> String {
        let whole = wholeFormat.map { "format=\($0)" }
        return ([fields.description, cropped, whole].compactMap(\.self) + color + rotated).joined(separator: ",")
    }

    private var cropped: String? {
        let crop = layout.cropping
        guard !crop.isNone else { return nil }
        return
            "crop=w=in_w-\(crop.left + crop.right):h=in_h-\(crop.top + crop.bottom):x=\(crop.left):y=\(crop.top):exact=1,copy"
    }

    private func scaled(_ color: String) -> String {
        "zscale=w=\(layout.scaledWidth):h=\(layout.scaledHeight):f=\(kernel):\(color)"
    }

    private var rotated: [String] {
        switch layout.rotation {
        case 90: ["transpose=clock"]
        case 180: ["hflip", "vflip"]
        case 270: ["transpose=cclock"]
        default: []
        }
    }
}
