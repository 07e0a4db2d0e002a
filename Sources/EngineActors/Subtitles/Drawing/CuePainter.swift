// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Makes pictures of cues of one kind.
protocol CuePainter: AnyObject {
    /// Adds a cue. Cues arrive in the order of their start.
    ///
    /// - Returns: whether the picture of the cue depends on the time.
    func add(_ cue: Cue) -> Bool

    /// Lays out the cues on screen without drawing them. Lines keep their positions in later pictures.
    func layOut(at time: MediaTime) throws(EngineError)

    /// The picture of one moment: images that do not overlap.
    ///
    /// - Returns: `nil` if the picture is the one that was returned last.
    func paint(at time: MediaTime) throws(EngineError) -> [CueImage]?
}

/// Shows bitmap cues as they are.
final class ImagePainter: CuePainter {
    private let hasStraightAlpha: Bool
    private var cues: [Cue] = []
    private var shown: [Cue]?

    init(_ request: DrawingRequest) { hasStraightAlpha = request.hasStraightAlpha }

    func add(_ cue: Cue) -> Bool {
        cues.append(cue)
        return false
    }

    func layOut(at time: MediaTime) {}

    func paint(at time: MediaTime) throws(EngineError) -> [CueImage]? {
        cues.removeAll { $0.end.map { $0 <= time } ?? false }
        let found = cues.filter { $0.isOn(at: time) }
        guard found != shown else { return nil }
        shown = found
        var images: [CueImage] = []
        for case .image(let image) in found.map(\.content) {
            images.append(hasStraightAlpha ? try straight(image) : image)
        }
        return images
    }

    private func straight(_ image: CueImage) throws(EngineError) -> CueImage {
        var image = image
        do throws(FFmpegError) {
            let (width, height, pixels) = try PixelDecoder.pixels(ofPNG: image.png)
            image.png = try PixelEncoder.png(width: width, height: height, pixels: StraightAlpha.pixels(pixels))
        } catch {
            throw EngineError(.internal, "an image of a subtitle track cannot be converted", cause: "\(error)")
        }
        return image
    }
}
