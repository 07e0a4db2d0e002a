// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging

/// The state of a `RendererSource`: the active decoders, what is decoded but not yet returned, and the counters.
package struct RendererSourceContent {
    /// The outcome of a request for the next piece.
    package enum Step<Piece: Sendable> {
        case ready(Piece)
        /// More must be decoded; `late` is how far the frames lag behind the playhead.
        case decode(SourceDecoding, late: MediaTime)
        /// The pass has no such stream.
        case none
        case superseded

        /// - Precondition: not `decode`.
        var supply: Supply<Piece> {
            switch self {
            case .ready(let piece): .next(piece)
            case .none: .ended
            case .superseded, .decode: .superseded
            }
        }
    }

    /// The audio stream to decode.
    var audio: Int?
    var plan: SegmentPlan?
    /// How much later audio is played, from the next pass on.
    var audioDelay = MediaTime.zero
    /// The delay of this pass.
    private var passDelay = MediaTime.zero
    /// The playhead, while the frames lag behind it.
    var target: MediaTime?
    private var pass: UInt64 = 0
    private var decoding: SourceDecoding?
    private var isClosed = false
    /// Whether any sink wants the frames of this pass.
    private var areFramesWanted = true
    private var frames: ArraySlice<TimedFrame> = []
    private var pieces: ArraySlice<TimedAudio> = []
    /// The end of the frame that was returned last.
    private var lastEnd: MediaTime?
    /// Counters of decoders that were closed.
    private var earlier = (video: DecodingCounters(), audio: DecodingCounters())

    init(audio: Int?, plan: SegmentPlan?) {
        self.audio = audio
        self.plan = plan
    }

    var videoCounters: DecodingCounters { earlier.video.adding(decoding?.video.counters) }
    var audioCounters: DecodingCounters { earlier.audio.adding(decoding?.audio.counters) }

    /// - Returns: the decoders to use from now on, the decoders to close, the plan, and the audio delay.
    mutating func begin(
        pass: UInt64,
        _ streams: SourceDecoding.Streams,
        make: () -> SourceDecoding
    ) -> (SourceDecoding?, old: SourceDecoding?, SegmentPlan?, audioDelay: MediaTime) {
        guard !isClosed else { return (nil, nil, nil, .zero) }
        (self.pass, passDelay) = (pass, audioDelay)
        (frames, pieces, target, lastEnd) = ([], [], nil, nil)
        areFramesWanted = true
        // With the same video stream, the decoders are reused, even for another audio stream or none.
        if !streams.isEmpty, var same = decoding, same.streams.video == streams.video {
            same.streams = streams
            decoding = same
            return (same, nil, plan, passDelay)
        }
        let old = decoding
        retire()
        decoding = streams.isEmpty ? nil : make()
        return (decoding, old, plan, passDelay)
    }

    mutating func nextFrame(_ pass: UInt64) -> Step<TimedFrame> {
        guard pass == self.pass, areFramesWanted, !isClosed else { return .superseded }
        if let frame = frames.popFirst() {
            lastEnd = frame.end
            return .ready(frame)
        }
        guard let decoding, decoding.streams.video != nil else { return .none }
        let late = target.flatMap { target in lastEnd.map { target - $0 } } ?? .zero
        return .decode(decoding, late: late)
    }

    mutating func nextAudio(_ pass: UInt64) -> Step<TimedAudio> {
        guard pass == self.pass, !isClosed else { return .superseded }
        if let piece = pieces.popFirst() { return .ready(piece.delayed(by: passDelay)) }
        guard let decoding, decoding.streams.audio != nil else { return .none }
        return .decode(decoding, late: .zero)
    }

    mutating func keep(_ decoded: [TimedFrame], _ pass: UInt64) {
        if pass == self.pass, areFramesWanted, !isClosed { frames += decoded }
    }

    mutating func keep(_ decoded: [TimedAudio], _ pass: UInt64) {
        if pass == self.pass, !isClosed { pieces += decoded }
    }

    /// - Returns: the decoder, and the latest pass whose frames are no longer wanted. `nil` if no decoder must stop.
    mutating func narrow(to required: RequiredMedia) -> (SoftwareVideoDecoder, pass: UInt64)? {
        if !required.audio { pieces = [] }
        guard !required.video else { return nil }
        (frames, areFramesWanted) = ([], false)
        return decoding.map { ($0.video, pass) }
    }

    /// - Returns: the decoders to close.
    mutating func close() -> SourceDecoding? {
        let old = decoding
        retire()
        isClosed = true
        (frames, pieces) = ([], [])
        return old
    }

    private mutating func retire() {
        earlier = (videoCounters, audioCounters)
        decoding = nil
    }
}
