// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The canvas in pixels that subtitle images are composed for. It rarely matches the size of the video.
package struct PictureCanvas: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The canvas of a display set. Candidates are, in this order, the stream's declaration, the format's default and
    /// the video's size. The first one that is large enough is used; if none is, the first one is enlarged.
    ///
    /// - Parameters:
    ///   - declared: the canvas that the stream declares. `nil` if it declares none.
    ///   - video: the size of the video, if known.
    ///   - shown: how far the visible content extends to the right and down.
    package static func chosen(
        declared: PictureCanvas?,
        for codec: CodecID,
        video: PictureCanvas?,
        shown: PictureCanvas
    ) -> PictureCanvas {
        let candidates = [declared, assumed(for: codec, video: video), video].compactMap(\.self)
        let first = candidates.first { $0.width >= shown.width && $0.height >= shown.height }
        return first ?? candidates[0].holding(x: 0, y: 0, width: shown.width, height: shown.height)
    }

    /// The canvas of a stream without a declaration.
    private static func assumed(for codec: CodecID, video: PictureCanvas?) -> PictureCanvas {
        switch codec.rawValue {
        // ETSI EN 300 743 §5.1.3: without a display definition, a display of 720 by 576.
        case "dvb_subtitle": PictureCanvas(width: 720, height: 576)
        // DVD sub-pictures use the pixel coordinates of a full frame of their television system.
        case "dvd_subtitle":
            PictureCanvas(width: 720, height: video.map { [240, 480].contains($0.height) } ?? false ? 480 : 576)
        default: video ?? PictureCanvas(width: 720, height: 576)
        }
    }

    /// The same canvas, enlarged if necessary to contain a rectangle.
    package func holding(x: Int, y: Int, width: Int, height: Int) -> PictureCanvas {
        PictureCanvas(width: max(self.width, x &+ width), height: max(self.height, y &+ height))
    }

    package func fraction(x: Int, y: Int) -> CuePosition {
        CuePosition(x: Double(x) / Double(max(1, width)), y: Double(y) / Double(max(1, height)))
    }
}
