// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// The formats in which drawings are blended with pictures: what libavfilter's `overlay` has that is nearest to theirs.
struct OverlayBlend: Hashable {
    /// Its option `format`.
    let name: String
    /// Of the picture within the filter.
    let pictureFormat: String
    /// Of the drawings.
    let drawingFormat: String

    init(_ shape: PictureShape) {
        let chroma =
            switch (shape.samples, shape.chromaShift.horizontal, shape.chromaShift.vertical) {
            case (.color, 0, 0): "444"
            case (.color, 1, 0): "422"
            default: "420"
            }
        // There is no deep form of 4:4:4.
        let deep = shape.depth > 8 && chroma != "444" ? "p10" : ""
        if shape.samples == .rgb {
            (name, pictureFormat, drawingFormat) = ("gbrp", "gbrp", "gbrap")
        } else {
            let tail = deep.isEmpty ? "p" : "p10le"
            (name, pictureFormat, drawingFormat) = (
                "yuv\(chroma)\(deep)", "yuv\(chroma)\(tail)", "yuva\(chroma)\(tail)"
            )
        }
    }

    /// A description for `PictureGraph` with a still for each place, from the lowest to the highest.
    func description(_ places: [(x: Int, y: Int)], pinning format: String?) -> String {
        var links = ["[in]format=\(pictureFormat)[p0]"]
        for (index, place) in places.enumerated() {
            links.append("[p\(index)][still\(index)]overlay=x=\(place.x):y=\(place.y):format=\(name)[p\(index + 1)]")
        }
        links.append("[p\(places.count)]format=\(format ?? pictureFormat)[out]")
        return links.joined(separator: ";")
    }
}
