// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Turns decoded pictures into what is to be seen.
package enum StillRenderer {
    /// One picture, cropped, with square pixels, made small enough, upright.
    ///
    /// - Parameters:
    ///   - video: what the container says of the stream: cropping, aspect ratio, rotation, colour.
    ///   - style: how large it may be. The coding is `StillEncoder`'s.
    package static func render(
        _ picture: VideoFrame,
        of video: VideoProperties,
        style: StillStyle
    ) throws(FFmpegError) -> VideoFrame {
        let layout = StillLayout(width: picture.width, height: picture.height, video: video, style: style)
        let frame = try unsafe picture.withPointer { (frame) throws(FFmpegError) in
            try unsafe FilterGraph.filtered(frame, by: layout.filters + ",format=rgb24")
        }
        return unsafe VideoFrame(taking: frame)
    }
}
