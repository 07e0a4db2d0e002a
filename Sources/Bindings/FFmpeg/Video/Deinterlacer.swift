// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Makes pictures of one moment of those that hold two (libavfilter's `bwdif`).
///
/// Costs nothing until the first such picture comes; from there on all pass through one graph, which leaves the others as they
/// are. Gives pictures in order, each a picture later than it was taken.
@safe package struct Deinterlacer: ~Copyable {
    package enum Rate: Hashable, Sendable {
        /// One picture of each.
        case frame
        /// One of each field: twice as many, half as long.
        case field
    }

    /// A picture, and when it is shown, in microseconds.
    package typealias Timed = (frame: VideoFrame, time: Int64)

    /// What all pictures of one graph have in common.
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

    /// - Parameter threads: at most so many work on a picture.
    package init(rate: Rate, threads: Int) {
        self.rate = rate
        self.threads = threads
    }

    /// Whether pictures pass through the graph.
    package var isEngaged: Bool { graph != nil }

    /// Takes the next picture and gives those that are done.
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

    /// What is still to come when nothing follows.
    package mutating func finish() throws(FFmpegError) -> [Timed] {
        guard graph != nil else { return [] }
        try graph?.finish()
        let rest = try pull()
        reset()
        return rest
    }

    /// Forgets what was taken: what follows does not continue it.
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
    /// The same planes with another time.
    func stamped(_ time: Int64) -> VideoFrame {
        let copy = unsafe withPointer { unsafe allocated(av_frame_clone($0), by: "av_frame_clone") }
        unsafe copy.pointee.pts = time
        return unsafe VideoFrame(taking: copy)
    }
}
