// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Draws subtitles into frames. The images are converted only when they, or the shape of the frames, change.
struct SubtitleStage: ~Copyable {
    private struct Key: Hashable {
        let images: [CueImage]
        let shape: FrameShape
        let color: FrameColor
    }

    private let rotation: Int
    private var stage: FilterStage
    private var key: Key?
    private var layers: PictureLayers?
    /// Counts changes of `layers`.
    private var edition: UInt64 = 0
    /// The shapes of the frames on which drawing has failed. Frames of these shapes pass unchanged.
    private var undrawable: Set<FrameShape> = []
    /// A source has few shapes; one with more is tried again.
    private static let shapeLimit = 8

    /// - Parameter rotation: how far frames are rotated clockwise for display: 0, 90, 180 or 270.
    init(rotation: Int, threads: Int) {
        self.rotation = rotation
        stage = FilterStage(threads: threads)
    }

    mutating func flush() { stage.flush() }

    /// - Parameters:
    ///   - images: from the lowest to the highest.
    ///   - shape: of the frame, with its pixel aspect ratio.
    /// - Throws: if drawing fails. Frames of the same shape then pass unchanged.
    mutating func apply(
        _ images: [CueImage],
        to frame: VideoFrame,
        of shape: FrameShape
    ) throws(FFmpegError) -> VideoFrame {
        guard !images.isEmpty, !undrawable.contains(shape) else { return frame }
        do throws(FFmpegError) {
            let layers = try layers(of: Key(images: images, shape: shape, color: frame.color))
            return try stage.apply(
                frame,
                of: shape,
                by: layers.description,
                stills: layers.stills,
                edition: edition
            )
        } catch {
            if undrawable.count == Self.shapeLimit { undrawable = [] }
            undrawable.insert(shape)
            throw error
        }
    }

    private mutating func layers(of wanted: Key) throws(FFmpegError) -> PictureLayers {
        if key == wanted, let layers { return layers }
        let shape = wanted.shape
        let seen = OverlayLayout(.whole, on: shape, rotation: rotation).bounds
        let made = try PictureLayers(
            wanted.images,
            over: shape,
            wanted.color,
            CanvasFit(
                stored: (shape.width, shape.height),
                shown: (seen.pictureWidth, seen.pictureHeight)
            ),
            rotation: rotation,
            pinning: shape.isWritable ? shape.pixelFormat : nil
        )
        (key, layers) = (wanted, made)
        edition &+= 1
        return made
    }
}

extension OverlayRectangle {
    /// The whole frame.
    static let whole = OverlayRectangle(x: 0, y: 0, width: 1, height: 1)
}
