// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Expresses the adjustments as libavfilter filters: lookup tables with one entry per code value, at every bit depth,
/// so that frames keep their precision.
enum AdjustmentChain {
    /// - Parameter shape: the shape of the frames.
    /// - Returns: filters for `FrameFilterGraph`; empty when nothing changes.
    static func filters(_ adjustments: PictureAdjustments, for shape: FrameShape) -> [String] {
        let (luma, chroma) = (lumaTable(adjustments, shape), chromaTable(adjustments, shape))
        switch shape.samples {
        case .luma:
            guard let luma else { return [] }
            return hasShortTable(shape) ? ["pseudocolor=c0='\(luma)'"] : ["lut=c0='\(luma)'"]
        case .color:
            guard luma != nil || chroma != nil else { return [] }
            // `lut` would clip a plane without a table to the nominal range.
            let (y, c) = (luma ?? "val", chroma ?? "val")
            return ["lut=c0='\(y)':c1='\(c)':c2='\(c)'"]
        case .rgb:
            return mixers(adjustments.saturation) + (luma.map { colorTables($0, shape) } ?? [])
        }
    }

    /// Whether `lut` ends its tables at `255 << (depth - 8)`, which is below white.
    private static func hasShortTable(_ shape: FrameShape) -> Bool {
        (9...16).contains(shape.depth) && ["gray", "gbrp", "gbrap"].contains { shape.pixelFormat.hasPrefix($0) }
    }

    /// Applies the same table to red, green and blue. For formats without a full `lut` table, one `pseudocolor` per
    /// plane applies it: -1 leaves a plane unchanged.
    private static func colorTables(_ table: String, _ shape: FrameShape) -> [String] {
        guard hasShortTable(shape) else { return ["lutrgb=r='\(table)':g='\(table)':b='\(table)'"] }
        return (0..<3).map { plane in
            let tables = (0..<4).map { "c\($0)='\($0 == plane ? table : "-1")'" }
            return "pseudocolor=i=\(plane):" + tables.joined(separator: ":")
        }
    }

    /// `black + span * g((code - black) / span)`, where `g` is contrast, then brightness, then gamma.
    private static func lumaTable(_ adjustments: PictureAdjustments, _ shape: FrameShape) -> String? {
        let (brightness, contrast, gamma) = (adjustments.brightness, adjustments.contrast, adjustments.gamma)
        guard brightness != 0 || contrast != 1 || gamma != 1 else { return nil }
        let unit = Double(1 << max(0, shape.depth - 8))
        let top = Double((1 << shape.depth) - 1)
        let (black, span) = shape.isFullRange ? (0, top) : (16 * unit, 219 * unit)
        var value = "((val-\(text(black)))/\(text(span))-0.5)*\(text(contrast))+\(text(0.5 + brightness))"
        if gamma != 1 { value = "pow(clip(\(value),0,1),\(text(1 / gamma)))" }
        return "clip(floor(\(text(black))+\(text(span))*(\(value))+0.5),0,\(text(top)))"
    }

    /// Scales chroma around the middle code, which means no colour.
    private static func chromaTable(_ adjustments: PictureAdjustments, _ shape: FrameShape) -> String? {
        guard adjustments.saturation != 1 else { return nil }
        let middle = text(Double(1 << max(0, shape.depth - 1)))
        let top = text(Double((1 << shape.depth) - 1))
        return "clip(floor(\(middle)+(val-\(middle))*\(text(adjustments.saturation))+0.5),0,\(top))"
    }

    /// Mixes red, green and blue with BT.709 weights. `colorchannelmixer` limits coefficients to 2, so a saturation
    /// above 1.5 is applied in two equal steps, whose effects multiply.
    private static func mixers(_ saturation: Double) -> [String] {
        guard saturation != 1 else { return [] }
        let steps = saturation > 1.5 ? 2 : 1
        let step = steps == 2 ? saturation.squareRoot() : saturation
        let weights = [("r", 0.2126), ("g", 0.7152), ("b", 0.0722)]
        let coefficients = weights.flatMap { target, _ in
            weights.map { source, weight in
                "\(target)\(source)=\(text(weight * (1 - step) + (target == source ? step : 0)))"
            }
        }
        return Array(repeating: "colorchannelmixer=" + coefficients.joined(separator: ":"), count: steps)
    }

    private static func text(_ value: Double) -> String { FilterOptionKind.plain(value) }
}
