// SPDX-License-Identifier: Apache-2.0

/// Blends drawings with frames of one shape, so that the frames keep their bit depth: with libavfilter's `overlay`
/// where it supports that depth, otherwise with `maskedmerge`, which needs drawings of the frame's size.
package struct OverlayBlend: Hashable, Sendable {
    private enum Method: Hashable {
        /// `format`: the value of the filter's `format` option.
        case overlay(format: String)
        /// `masks`: the pixel format of a mask with the alpha plane copied to every plane, before its conversion to the
        /// frame's format; `nil` for a single plane.
        case merge(masks: String?)
    }

    private let method: Method
    private let width: Int
    private let height: Int
    /// Pixel format of the frame within the filter.
    package let frameFormat: String
    /// Pixel format of the drawings.
    package let drawingFormat: String

    package init(_ shape: FrameShape) {
        (width, height) = (shape.width, shape.height)
        let chroma =
            switch (shape.chromaShift.horizontal, shape.chromaShift.vertical) {
            case (0, 0): "444"
            case (1, 0): "422"
            case (0, 1) where shape.depth > 8: "440"
            default: "420"
            }
        // The bit depths of libavutil's pixel formats.
        let depth = [8, 9, 10, 12, 14, 16].first { $0 >= shape.depth } ?? 16
        switch (shape.samples, depth) {
        case (.rgb, 8): (method, frameFormat, drawingFormat) = (.overlay(format: "gbrp"), "gbrp", "gbrap")
        case (.rgb, _):
            (method, frameFormat, drawingFormat) = (.merge(masks: "gbrp16le"), "gbrp\(depth)le", "gbrap16le")
        case (.luma, 8): (method, frameFormat, drawingFormat) = (.overlay(format: "yuv420"), "yuv420p", "yuva420p")
        case (.luma, _): (method, frameFormat, drawingFormat) = (.merge(masks: nil), "gray\(depth)le", "yuva444p16le")
        case (.color, 8):
            (method, frameFormat, drawingFormat) = (.overlay(format: "yuv\(chroma)"), "yuv\(chroma)p", "yuva\(chroma)p")
        case (.color, 10) where chroma == "420" || chroma == "422":
            (method, frameFormat, drawingFormat) = (
                .overlay(format: "yuv\(chroma)p10"), "yuv\(chroma)p10le", "yuva\(chroma)p10le"
            )
        case (.color, _):
            (method, frameFormat, drawingFormat) = (
                .merge(masks: "yuv444p16le"), "yuv\(chroma)p\(depth)le", "yuva444p16le"
            )
        }
    }

    /// A description for `FrameFilterGraph`, with one still for each of `places`, bottom to top.
    ///
    /// - Parameter format: the pixel format of the output; `nil` means `frameFormat`.
    package func description(_ places: [(x: Int, y: Int)], pinning format: String?) -> String {
        var links = ["[in]format=\(frameFormat)[p0]"]
        for (index, place) in places.enumerated() {
            switch method {
            case .overlay(let format):
                let options = "x=\(place.x):y=\(place.y):format=\(format)"
                links.append("[p\(index)][still\(index)]overlay=\(options)[p\(index + 1)]")
            case .merge(let masks): links += merging(index, place, masks: masks)
            }
        }
        links.append("[p\(places.count)]format=\(format ?? frameFormat)[out]")
        return links.joined(separator: ";")
    }

    /// Pads the drawing to the frame's size with transparent black, and splits it into colour and mask for
    /// `maskedmerge`.
    private func merging(_ index: Int, _ place: (x: Int, y: Int), masks: String?) -> [String] {
        let planes = masks.map { "mergeplanes=0x000000:\($0)," } ?? ""
        let color = masks == nil ? "extractplanes=y," : ""
        let size = "w=\(width):h=\(height):x=\(place.x):y=\(place.y)"
        return [
            "[still\(index)]pad=\(size):color=black@0,split[s\(index)][t\(index)]",
            "[s\(index)]\(color)format=\(frameFormat)[c\(index)]",
            "[t\(index)]extractplanes=a,\(planes)format=\(frameFormat)[m\(index)]",
            "[p\(index)][c\(index)][m\(index)]maskedmerge[p\(index + 1)]",
        ]
    }
}
