// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// A grid of frames, each with its time drawn into its lower left corner.
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

    /// Draws the sheet with libavfilter (`drawtext`, `tile`). All cells get the size of the first.
    package static func draw(_ cells: [Cell], columns: Int, style: StillStyle) throws(FFmpegError) -> VideoFrame {
        guard let first = cells.first, columns > 0 else {
            throw FFmpegError(CFFmpegErrorInvalidData, in: "ContactSheet.draw")
        }
        let rows = (cells.count + columns - 1) / columns
        let size = max(10, min(first.frame.width, first.frame.height) / 10)
        let filters = """
            drawtext=font=Sans:text='%{metadata\\:\(label)}':fontsize=\(size):fontcolor=white:box=1:boxcolor=black@0.6:\
            boxborderw=\(max(2, size / 5)):x=\(size / 2):y=h-th-\(size / 2),\
            tile=\(columns)x\(rows):margin=\(gap):padding=\(gap):color=black\(limit(style)),format=rgb24
            """
        let model = try converted(first.frame, like: first.frame)
        var graph = try unsafe model.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make(filters, for: pointer)
        }
        for (index, cell) in cells.enumerated() {
            try push(try converted(cell.frame, like: model), index, labelled: text(cell.time), into: &graph)
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

    private static func converted(_ frame: VideoFrame, like model: VideoFrame) throws(FFmpegError) -> VideoFrame {
        try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            let chain = "scale=\(model.width):\(model.height),setsar=1,format=rgb24"
            return unsafe VideoFrame(taking: try FilterGraph.filtered(pointer, by: chain))
        }
    }

    /// Sends a frame to the graph, with its time attached as metadata.
    private static func push(
        _ frame: VideoFrame,
        _ index: Int,
        labelled text: String,
        into graph: inout FilterGraph
    ) throws(FFmpegError) {
        let copy = try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            unsafe allocated(av_frame_clone(pointer), by: "av_frame_clone")
        }
        var unused: UnsafeMutablePointer<AVFrame>? = unsafe copy
        defer { unsafe av_frame_free(&unused) }
        unsafe copy.pointee.pts = Int64(index)
        try check(unsafe av_dict_set(&copy.pointee.metadata, label, text, 0), "av_dict_set")
        try unsafe graph.push(copy)
    }

    /// For example `1:02:03`.
    private static func text(_ time: MediaTime) -> String {
        let seconds = max(0, time.microseconds) / 1_000_000
        let fields = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds / 3600):\(fields[0]):\(fields[1])"
    }
}
