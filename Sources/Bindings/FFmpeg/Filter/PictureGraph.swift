// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A chain of libavfilter filters that gives one picture for each that it is given. It belongs to the thread that uses it.
@safe package struct PictureGraph: ~Copyable {
    private var graph: FilterGraph
    /// The graph's own time: filters that keep an earlier picture only need to know which came later.
    private var count: Int64 = 0

    private init(_ graph: consuming FilterGraph) { self.graph = graph }

    /// - Parameters:
    ///   - description: as `FilterGraph.make` takes it.
    ///   - picture: of the kind that all pictures will be.
    ///   - stills: pictures for `still0`, `still1` …, each shown for ever.
    package static func make(
        _ description: String,
        for picture: VideoFrame,
        stills: [VideoFrame] = [],
        threads: Int = 1
    ) throws(FFmpegError) -> PictureGraph {
        let pointers = unsafe stills.map { unsafe $0.withPointer { unsafe $0 } }
        // The pictures live as long as this call, and so do the pointers to them.
        defer { withExtendedLifetime(stills) {} }
        var graph = try unsafe picture.withPointer { (frame) throws(FFmpegError) in
            try unsafe FilterGraph.make(description, for: frame, stills: pointers, threads: threads)
        }
        for (place, still) in stills.enumerated() {
            let timed = still.at(0)
            try unsafe timed.withPointer { (frame) throws(FFmpegError) in try unsafe graph.push(frame, still: place) }
        }
        return PictureGraph(graph)
    }

    /// The picture that comes out, with the times of the one that goes in.
    ///
    /// - Throws: also where none comes out: no filter of this chain keeps one back.
    package mutating func apply(_ picture: VideoFrame) throws(FFmpegError) -> VideoFrame {
        count += 1
        let timed = picture.at(count)
        try unsafe timed.withPointer { (frame) throws(FFmpegError) in try unsafe graph.push(frame) }
        let result = try unsafe graph.pull()
        unsafe picture.withPointer { original in
            unsafe result.pointee.pts = original.pointee.pts
            unsafe result.pointee.pkt_dts = original.pointee.pkt_dts
            unsafe result.pointee.pkt_duration = original.pointee.pkt_duration
        }
        return unsafe VideoFrame(taking: result)
    }
}

extension VideoFrame {
    /// The same planes at another time.
    fileprivate func at(_ pts: Int64) -> VideoFrame {
        let copy = unsafe withPointer { unsafe allocated(av_frame_clone($0), by: "av_frame_clone") }
        unsafe copy.pointee.pts = pts
        return unsafe VideoFrame(taking: copy)
    }
}
