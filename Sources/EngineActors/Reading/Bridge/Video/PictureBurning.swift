// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Draws subtitles into the frames of one segment.
struct PictureBurning: ~Copyable {
    /// In order, on the session's timeline.
    private let pictures: [DrawnPicture]
    private let fit: CanvasFit
    /// How far frames are rotated clockwise for display, in degrees.
    private let rotation: Int
    private let color: ColorDescription
    private var next = 0
    private var shown: DrawnPicture?
    /// Blends the images of `shown`. `nil` if it was not needed yet.
    private var graph: FrameFilterGraph?

    init(_ pictures: [DrawnPicture], _ plan: VideoBridgePlan) {
        self.pictures = pictures
        fit = plan.canvas
        rotation = plan.rotation
        color = plan.encoder.frames.color
    }

    /// - Parameters:
    ///   - frame: in the format and size of the encoder.
    ///   - time: when it is shown, on the session's timeline. Not earlier than in the call before.
    mutating func apply(to frame: VideoFrame, at time: MediaTime) throws(FFmpegError) -> VideoFrame {
        while next < pictures.count, pictures[next].start <= time {
            shown = pictures[next]
            graph = nil
            next += 1
        }
        guard let shown, !shown.images.isEmpty, shown.end.map({ time < $0 }) ?? true else { return frame }
        if graph == nil { graph = try blending(shown.images, over: frame) }
        return try graph?.apply(frame) ?? frame
    }

    private func blending(_ images: [CueImage], over frame: VideoFrame) throws(FFmpegError) -> FrameFilterGraph {
        let layers = try PictureLayers(
            images,
            over: frame.shape,
            frame.frameColor(color),
            fit,
            rotation: rotation,
            pinning: nil
        )
        return try FrameFilterGraph.make(layers.description, for: frame, stills: layers.stills)
    }
}
