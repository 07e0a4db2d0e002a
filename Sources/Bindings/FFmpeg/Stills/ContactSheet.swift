// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Pictures in rows and columns, each with its time written into its lower left corner.
package enum ContactSheet {
    package struct Cell: Sendable {
        package let frame: VideoFrame
        package let time: MediaTime

        package init(frame: VideoFrame, time: MediaTime) {
            self.frame = frame
            self.time = time
        }
    }

    private static let gap = 4
    private static let label = "label"

    /// Draws with libavfilter (`drawtext`, `tile`). All cells get the size of the first.
    package static func draw(_ cells: [Cell], columns: Int, style: StillStyle) throws(FFmpegError) -> VideoFrame {
        guard let first = cells.first, columns > 0 else {
            throw FFmpegError(CFFmpegErrorInvalidData, in: "ContactSheet.draw")
        }
        let rows = (cells.count + columns - 1) / columns
        let text = max(10, min(first.frame.width, first.frame.height) / 10)
        let filters = """
            drawtext=font=Sans:text='%{metadata\\:\(label)}':fontsize=\(text):fontcolor=white:box=1:boxcolor=black@0.6:\
            boxborderw=\(max(2, text / 5)):x=\(text / 2):y=h-th-\(text / 2),\
            tile=\(columns)x\(rows):margin=\(gap):padding=\(gap):color=black\(limit(style)),format=rgb24
            """
        var graph = try unsafe first.frame.withPointer { (frame) throws(FFmpegError) in
            try unsafe FilterGraph.make(filters, for: frame)
        }
        for (index, cell) in cells.enumerated() {
            try push(cell, index, sizedAs: first.frame, into: &graph)
        }
        try graph.finish()
        return unsafe VideoFrame(taking: try graph.pull())
    }

    private static func limit(_ style: StillStyle) -> String {
        guard style.maximumWidth != nil || style.maximumHeight != nil else { return "" }
        let width = style.maximumWidth.map { "min(iw,\($0))" } ?? "iw"
        let height = style.maximumHeight.map { "min(ih,\($0))" } ?? "ih"
        return ",scale=w='\(width)':h='\(height)':force_original_aspect_ratio=decrease:flags=bicubic"
    }

    /// Writes the time beside the picture and hands it on.
    private static func push(
        _ cell: Cell,
        _ index: Int,
        sizedAs model: VideoFrame,
        into graph: inout FilterGraph
    ) throws(FFmpegError) {
        let frame = try unsafe cell.frame.withPointer { (frame) throws(FFmpegError) in
            try unsafe FilterGraph.filtered(frame, by: "scale=\(model.width):\(model.height),setsar=1,format=rgb24")
        }
        var unused: UnsafeMutablePointer<AVFrame>? = unsafe frame
        defer { unsafe av_frame_free(&unused) }
        unsafe frame.pointee.pts = Int64(index)
        try check(unsafe av_dict_set(&frame.pointee.metadata, label, text(cell.time), 0), "av_dict_set")
        try unsafe graph.push(frame)
    }

    /// `1:02:03`.
    private static func text(_ time: MediaTime) -> String {
        let seconds = max(0, time.microseconds) / 1_000_000
        let fields = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds / 3600):\(fields[0]):\(fields[1])"
    }
}
