// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Assigns times to the frames of a Matroska lace: only the first frame has a time of its own (RFC 9559 §10.3). Leaves
/// out packets before the clock's zero, to which libavformat gives no time.
///
/// libavformat assigns the times of a lace itself if the track has a default duration. Opus tracks usually have none,
/// but their packets state their length. A seek ends at the start of a block, so reading never begins within a lace.
struct LaceClock {
    private struct Run {
        var start: Int64
        var samples: Int64
    }

    /// The streams whose packets state their length, with their time bases.
    private let bases: [Int: TimeBase]
    private let videos: Set<Int>
    private var runs: [Int: Run] = [:]
    /// Streams whose packets without a time are left out: audio before its first packet with a time, and all video.
    private var unplaced: Set<Int>

    init(streams: [StreamInfo]) {
        unplaced = Set(streams.filter { $0.kind == .video || $0.kind == .audio }.map(\.index))
        videos = Set(streams.filter { $0.kind == .video }.map(\.index))
        bases = Dictionary(
            uniqueKeysWithValues: streams.filter { $0.codec == .opus }.map { ($0.index, $0.timeBase) }
        )
    }

    /// The packet itself, or a copy with the time that it lacked. `nil` for a packet before the clock's zero.
    mutating func timed(_ packet: Packet) -> Packet? {
        if packet.pts == nil, packet.dts == nil {
            if unplaced.contains(packet.streamIndex) { return nil }
        } else if !videos.contains(packet.streamIndex) {
            unplaced.remove(packet.streamIndex)
        }
        guard let base = bases[packet.streamIndex] else { return packet }
        let length = packet.withBytes { OpusPacket.sampleCount($0) }.map { Int64($0) }
        if let time = packet.pts {
            runs[packet.streamIndex] = length.map { Run(start: time, samples: $0) }
            return packet
        }
        guard let run = runs[packet.streamIndex] else { return packet }
        runs[packet.streamIndex] = length.map { Run(start: run.start, samples: run.samples + $0) }
        let rate = TimeBase.hertz(Int64(OpusPacket.sampleRate))
        return packet.presented(at: run.start + rate.rescale(run.samples, to: base))
    }
}
