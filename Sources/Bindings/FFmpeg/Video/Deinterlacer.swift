// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Deinterlaces frames (libavfilter's `bwdif`).
///
/// It costs nothing until the first interlaced frame. From then on all frames pass through one graph, which leaves
/// progressive frames unchanged. Output is in order and lags one frame behind the input.
@safe package struct Deinterlacer: ~Copyable {
    package enum Rate: Hashable, Sendable {
        /// One output frame per input frame.
        case frame
        /// One output frame per field: twice as many, each half as long.
        case field
    }

    /// A frame and its presentation time in microseconds.
    package typealias Timed = (frame: VideoFrame, time: Int64)

    /// The properties that all frames of a graph share.
    private struct Form: Hashable {
        let width: Int
        let height: Int
        let format: CInt
        let aspect: [CInt]

        init(_ frame: VideoFrame) {
            (width, height, format) = (frame.width, frame.height, frame.format.rawValue)
            aspect = unsafe frame.withPointer {
                unsafe [$0.pointee.sample_aspect_ratio.num, $0.pointee.sample_aspect_ratio.den]
            }
        }
    }

    private let rate: Rate
    private let threads: Int
    private var graph: FilterGraph?
    private var form: Form?

    /// - Parameter threads: the maximum number of threads per frame.
    package init(rate: Rate, threads: Int) {
        self.rate = rate
        self.threads = threads
    }

    /// Whether frames pass through the graph.
    package var isEngaged: Bool { graph != nil }

    /// Adds the next frame and returns those that are finished.
    package mutating func add(_ frame: VideoFrame, at time: Int64) throws(FFmpegError) -> [Timed] {
        var done: [Timed] = []
        if graph != nil, form != Form(frame) { done = try finish() }
        if graph == nil {
            guard frame.isInterlaced else { return done + [(frame, time)] }
            form = Form(frame)
            graph = try make(for: frame)
        }
        let stamped = frame.stamped(time)
        try unsafe stamped.withPointer { (pointer) throws(FFmpegError) in try unsafe graph?.push(pointer) }
        return try done + pull()
    }

    /// Returns the remaining frames at the end of the input.
    package mutating func finish() throws(FFmpegError) -> [Timed] {
        guard graph != nil else { return [] }
        try graph?.finish()
        let rest = try pull()
        reset()
        return rest
    }

    /// Discards pending frames, for input that is not contiguous.
    package mutating func reset() {
        graph = nil
        form = nil
    }

    private func make(for frame: VideoFrame) throws(FFmpegError) -> FilterGraph {
        let mode = rate == .frame ? "send_frame" : "send_field"
        let threads = threads
        return try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make(
                "bwdif=mode=\(mode):parity=auto:deint=interlaced",
                for: pointer,
                ticksPerSecond: 1_000_000,
                threads: threads
            )
        }
    }

    private mutating func pull() throws(FFmpegError) -> [Timed] {
        var done: [Timed] = []
        while let next = unsafe try graph?.pullIfDone() {
            let (frame, time) = unsafe (VideoFrame(taking: next.frame), next.microseconds)
            done.append((frame, time))
        }
        return done
    }
}

extension VideoFrame {
    /// The same planes with another timestamp.
    func stamped(_ time: Int64) -> VideoFrame {
        let copy = unsafe withPointer { unsafe allocated(av_frame_clone($0), by: "av_frame_clone") }
        unsafe copy.pointee.pts = time
        return unsafe VideoFrame(taking: copy)
    }
}
