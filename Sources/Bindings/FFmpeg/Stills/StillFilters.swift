// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Chains of libavfilter that make a still of a picture whose colours are written on it.
struct StillFilters: Hashable {
    private let layout: StillLayout
    private let fields: FieldFilter
    /// The kernel that makes the picture smaller: from this factor on, one that is cheaper and as good.
    private let kernel: String
    private static let strongReduction = 4
    /// The format with a sample of colour for each pixel, where zimg does not take the picture's own: of a side that ends
    /// within a sample it does not know what to do with the part.
    private let wholeFormat: String?

    init(_ picture: VideoFrame, _ layout: StillLayout) {
        self.layout = layout
        fields = FieldFilter(picture, for: layout)
        kernel = layout.scaledWidth * Self.strongReduction <= picture.width ? "bilinear" : "bicubic"
        let crop = layout.cropping
        let lines = if case .alone = fields { picture.height / 2 } else { picture.height - crop.top - crop.bottom }
        wholeFormat = picture.formatOfWholeChroma(width: picture.width - crop.left - crop.right, height: lines)
    }

    /// - Parameters:
    ///   - peak: of the light that is mapped, in units of `LightMapping.unit`.
    ///   - keeps: whether high dynamic range stays, as R'G'B' of 16 bits.
    ///   - planes: of what does not stay.
    func chain(from color: PictureColor, peak: Double, keeps: Bool, to planes: StillPlanes) -> String {
        switch color.light {
        case .standard:
            let convert = color.isStandard ? "" : ":p=bt709:t=\(color.convertedTransfer)"
            return joined([scaled("\(planes.conversion)\(convert)"), "format=\(planes.format)"])
        case .perceptualQuantizer, .hybridLogGamma:
            if keeps { return joined([scaled("m=gbr:r=full"), "format=gbrp16le"]) }
            let linear = LightMapping.toLinear(isHybrid: color.light == .hybridLogGamma)
            return joined([scaled(linear), LightMapping.toStandard(peak: peak, planes)])
        }
    }

    /// The same codes in 12 bits of full range with a chroma sample for each pixel, as `DolbyVisionComposer` takes them.
    var toCodes: String { joined([scaled("r=full"), "format=yuv444p12le"]) }

    /// Fields first, since they are lines of the whole picture; rotation last, when the picture is small.
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
