// SPDX-License-Identifier: Apache-2.0

/// Pictures in rows and columns without gaps, to be cut out of again.
package enum SpriteSheet {
    /// Scales each picture to `width` by `height` and lays them out by rows (`tile`). What is left of the last row is black.
    package static func draw(
        _ pictures: [VideoFrame],
        columns: Int,
        width: Int,
        height: Int
    ) throws(FFmpegError) -> VideoFrame {
        var cells: [VideoFrame] = []
        for picture in pictures {
            let chain = "scale=\(width):\(height):flags=bicubic,setsar=1,format=rgb24"
            cells.append(try FilterGraph.last(of: [picture], by: chain))
        }
        let rows = (cells.count + columns - 1) / max(1, columns)
        return try FilterGraph.last(of: cells, by: "tile=\(columns)x\(max(1, rows)):color=black,format=rgb24")
    }
}
