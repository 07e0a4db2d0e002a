// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

extension FilterGraph {
    /// Passes one frame through a graph that is made for it alone, and returns the result.
    static func filtered(_ frame: VideoFrame, by description: String) throws(FFmpegError) -> VideoFrame {
        var graph = try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make(description, for: pointer)
        }
        try unsafe frame.withPointer { (pointer) throws(FFmpegError) in try unsafe graph.push(pointer) }
        try graph.finish()
        return unsafe VideoFrame(taking: try graph.pull())
    }
}
