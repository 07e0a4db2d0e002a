// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The result of decoding the first packets of a track.
struct DecodingTrial: Sendable {
    /// The first decoded frame; `nil` when nothing could be decoded.
    private(set) var frame: AudioDecoder.Frame?
    /// The time of the packet that yielded `frame`, in ticks of the stream. `nil` if the packet has no time.
    private(set) var firstTime: Int64?
    /// Samples per frame, if at least three packets yielded audio, each of them one frame, and all frames have the same
    /// length.
    private(set) var frameLength: Int64?
    /// The largest number of samples that a packet yielded. `nil` when no packet yielded any.
    private(set) var packetLength: Int64?
    /// The decoded pieces, and those lost after the first frame, for `SamplePlacement`. Only the first frame of a
    /// packet has the packet's time.
    private(set) var pieces: [SamplePlacement.Piece] = []

    /// - Parameter times: the packets' times, in ticks of the stream.
    init(_ packets: [Packet], times: [Int64?], _ parameters: CodecParameters) throws(FFmpegError) {
        var decoder = try AudioDecoder.open(parameters)
        var lengths: [Int64] = []
        var isOneEach = true
        for (packet, time) in zip(packets, times) {
            var frames: [AudioDecoder.Frame] = []
            do throws(FFmpegError) {
                frames = try decoder.decode(packet)
            } catch {
                if frame != nil { pieces.append(.lost) }
                continue
            }
            for (number, decoded) in frames.enumerated() {
                if frame == nil { (frame, firstTime) = (decoded, time) }
                pieces.append(.samples(time: number == 0 ? time : nil, count: decoded.block.count))
            }
            guard !frames.isEmpty else { continue }
            isOneEach = isOneEach && frames.count == 1
            lengths.append(Int64(frames.reduce(0) { $0 + $1.block.count }))
        }
        packetLength = lengths.max()
        if isOneEach, lengths.count > 2, Set(lengths).count == 1 { frameLength = lengths[0] }
    }

    /// The duration of the longest packet, in ticks of `base`. 0 when no packet yielded any audio.
    func packetTicks(in base: TimeBase) -> Int64 {
        guard let frame, let packetLength else { return 0 }
        return TimeBase.hertz(Int64(frame.format.rate)).rescale(packetLength, to: base)
    }
}

extension SamplePlacement {
    /// The placement of the samples of a stream, as its first packets show it.
    ///
    /// - Parameters:
    ///   - origin: where the timeline starts, in ticks of the stream.
    ///   - rate: samples per second.
    ///   - first: the time of the first packet, in ticks of the stream.
    init(_ trial: DecodingTrial, of info: StreamInfo, origin: Int64, rate: Int, first: Int64) {
        self.init(timeBase: info.timeBase, origin: origin, rate: Int64(rate))
        // A packet's time belongs to the first audio frame that begins in it; DVD PCM packets may begin anywhere within
        // a frame.
        takesEarliest = info.codec.rawValue == "pcm_dvd"
        let line = exactSamples(trial.firstTime ?? first).rounded()
        grid = trial.frameLength.map { .init(length: $0, first: Int64(min(max(line, -0x1p52), 0x1p52))) }
        if let start = self.base(of: trial.pieces) { bias = start - line }
    }
}
