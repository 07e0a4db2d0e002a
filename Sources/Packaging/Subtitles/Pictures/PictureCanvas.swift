// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What pictures of subtitles are composed for, in pixels: rarely the size of the video's pictures.
package struct PictureCanvas: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The canvas of a display set: what the stream says, else what its format assumes, else the video's pictures; the first
    /// that is large enough, or one that is.
    ///
    /// - Parameters:
    ///   - said: by the stream, where it does.
    ///   - video: the size of the pictures beside it, where that is known.
    ///   - shown: how far what is shown reaches to the right and down.
    package static func chosen(
        said: PictureCanvas?,
        for codec: CodecID,
        video: PictureCanvas?,
        shown: PictureCanvas
    ) -> PictureCanvas {
        let candidates = [said, assumed(for: codec, video: video), video].compactMap(\.self)
        let first = candidates.first { $0.width >= shown.width && $0.height >= shown.height }
        return first ?? candidates[0].holding(x: 0, y: 0, width: shown.width, height: shown.height)
    }

    /// The canvas of a stream that does not say.
    private static func assumed(for codec: CodecID, video: PictureCanvas?) -> PictureCanvas {
        switch codec.rawValue {
        // ETSI EN 300 743 §5.1.3: without a display definition, a display of 720 by 576.
        case "dvb_subtitle": PictureCanvas(width: 720, height: 576)
        // Sub-pictures of DVD are addressed in the pixels of a full frame of their television system.
        case "dvd_subtitle":
            PictureCanvas(width: 720, height: video.map { [240, 480].contains($0.height) } ?? false ? 480 : 576)
        default: video ?? PictureCanvas(width: 720, height: 576)
        }
    }

    /// The same canvas, as large as what lies on it.
    package func holding(x: Int, y: Int, width: Int, height: Int) -> PictureCanvas {
        PictureCanvas(width: max(self.width, x &+ width), height: max(self.height, y &+ height))
    }

    package func fraction(x: Int, y: Int) -> CuePosition {
        CuePosition(x: Double(x) / Double(max(1, width)), y: Double(y) / Double(max(1, height)))
    }
}
