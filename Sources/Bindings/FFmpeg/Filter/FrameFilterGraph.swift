// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A chain of libavfilter filters that outputs one frame for each input frame. Not thread-safe.
@safe package struct FrameFilterGraph: ~Copyable {
    private var graph: FilterGraph
    /// The last timestamp inside the graph. It counts frames, because filters that keep an earlier frame need only the
    /// order.
    private var count: Int64 = 0

    private init(_ graph: consuming FilterGraph) { self.graph = graph }

    /// - Parameters:
    ///   - description: see `FilterGraph.make`.
    ///   - frame: an example of the frames to come.
    ///   - stills: frames for `still0`, `still1` …, each repeated for every frame.
    package static func make(
        _ description: String,
        for frame: VideoFrame,
        stills: [VideoFrame] = [],
        threads: Int = 1
    ) throws(FFmpegError) -> FrameFilterGraph {
        let pointers = unsafe stills.map { unsafe $0.withPointer { unsafe $0 } }
        // Keeps the stills, and thus the pointers to them, valid until this call returns.
        defer { withExtendedLifetime(stills) {} }
        var graph = try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make(description, for: pointer, stills: pointers, threads: threads)
        }
        for (place, still) in stills.enumerated() {
            let timed = still.at(0)
            try unsafe timed.withPointer { (pointer) throws(FFmpegError) in
                try unsafe graph.push(pointer, still: place)
            }
        }
        return FrameFilterGraph(graph)
    }

    /// Returns the filtered frame, with the timestamps of the input frame.
    ///
    /// - Throws: also if the graph outputs no frame, because no filter in it may hold a frame back.
    package mutating func apply(_ frame: VideoFrame) throws(FFmpegError) -> VideoFrame {
        count += 1
        let timed = frame.at(count)
        try unsafe timed.withPointer { (pointer) throws(FFmpegError) in try unsafe graph.push(pointer) }
        let result = try unsafe graph.pull()
        unsafe frame.withPointer { original in
            unsafe result.pointee.pts = original.pointee.pts
            unsafe result.pointee.pkt_dts = original.pointee.pkt_dts
            unsafe result.pointee.pkt_duration = original.pointee.pkt_duration
        }
        return unsafe VideoFrame(taking: result)
    }
}

extension VideoFrame {
    /// The same planes with another timestamp.
    fileprivate func at(_ pts: Int64) -> VideoFrame {
        let copy = unsafe withPointer { unsafe allocated(av_frame_clone($0), by: "av_frame_clone") }
        unsafe copy.pointee.pts = pts
        return unsafe VideoFrame(taking: copy)
    }
}
