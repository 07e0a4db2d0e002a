// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Frames in a grid without gaps, for clients that crop single thumbnails.
package enum SpriteSheet {
    /// Scales each frame to `width` by `height` and lays them out row by row (`tile`). The rest of the last row is
    /// black.
    package static func draw(
        _ frames: [VideoFrame],
        columns: Int,
        width: Int,
        height: Int
    ) throws(FFmpegError) -> VideoFrame {
        var cells: [VideoFrame] = []
        for frame in frames {
            let chain = "scale=\(width):\(height):flags=bicubic,setsar=1,format=rgb24"
            cells.append(try FilterGraph.filtered(frame, by: chain))
        }
        guard let first = cells.first, columns > 0 else {
            throw FFmpegError(CFFmpegErrorInvalidData, in: "SpriteSheet.draw")
        }
        let rows = (cells.count + columns - 1) / columns
        var graph = try unsafe first.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make("tile=\(columns)x\(rows):color=black,format=rgb24", for: pointer)
        }
        for cell in cells {
            try unsafe cell.withPointer { (pointer) throws(FFmpegError) in try unsafe graph.push(pointer) }
        }
        try graph.finish()
        return unsafe VideoFrame(taking: try graph.pull())
    }
}
