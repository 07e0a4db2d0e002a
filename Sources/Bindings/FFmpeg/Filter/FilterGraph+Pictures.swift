// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

extension FilterGraph {
    /// The last picture that comes out of a graph of its own when all of `pictures` went in.
    ///
    /// - Throws: also when nothing comes out.
    static func last(
        of pictures: [VideoFrame],
        by description: String,
        threads: Int = 1
    ) throws(FFmpegError) -> VideoFrame {
        guard let first = pictures.first else {
            throw FFmpegError(CFFmpegErrorInvalidData, in: "avfilter_graph_config")
        }
        var graph = try unsafe first.withPointer { (frame) throws(FFmpegError) in
            try unsafe FilterGraph.make(description, for: frame, threads: threads)
        }
        for picture in pictures {
            try unsafe picture.withPointer { (frame) throws(FFmpegError) in try unsafe graph.push(frame) }
        }
        try graph.finish()
        var last: VideoFrame?
        while true {
            do throws(FFmpegError) {
                last = unsafe VideoFrame(taking: try graph.pull())
            } catch {
                guard error.code == CFFmpegErrorEOF, let last else { throw error }
                return last
            }
        }
    }
}
