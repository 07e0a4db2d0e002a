// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Converts frames to linear light in Display P3 primaries with libavfilter's `zscale`.
final class LinearLight {
    /// The properties that a graph is built for.
    struct Kind: Hashable {
        let width: Int
        let height: Int
        let format: CInt
        let color: FrameColor
        let outputWidth: Int
        let outputHeight: Int

        init(_ frame: VideoFrame, _ color: FrameColor, outputWidth: Int, outputHeight: Int) {
            (width, height, format) = (frame.width, frame.height, frame.format.rawValue)
            self.color = color
            (self.outputWidth, self.outputHeight) = (outputWidth, outputHeight)
        }
    }

    let kind: Kind
    private var graph: FilterGraph

    init(_ kind: Kind, for frame: VideoFrame) throws(FFmpegError) {
        self.kind = kind
        let chain =
            "zscale=w=\(kind.outputWidth):h=\(kind.outputHeight):f=bicubic:m=gbr:r=full:t=linear:p=smpte432:"
            + "npl=\(PixelWriter.white),format=gbrpf32le"
        graph = try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make(chain, for: pointer)
        }
    }

    /// - Parameter frame: must match `kind`, and be tagged with its colours.
    func linear(_ frame: VideoFrame) throws(FFmpegError) -> VideoFrame {
        try unsafe frame.withPointer { (pointer) throws(FFmpegError) in try unsafe graph.push(pointer) }
        return unsafe VideoFrame(taking: try graph.pull())
    }
}
