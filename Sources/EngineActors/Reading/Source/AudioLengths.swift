// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Determines how much of a packet is heard, for codecs whose packets state their length: Opus and FLAC. Of any audio,
/// a packet without bytes is left out: it only carries data beside it, such as the final header of FLAC in NUT.
///
/// A packet without a duration gets the one that its own bytes state, because the end of a track is computed from its
/// last packet. Matroska states no durations if frames differ in length.
///
/// Opus packets of which decoders discard every sample, because the stream ends before them, are left out. The last
/// page of Ogg states where the stream ends (RFC 7845 §4.4), and a Matroska block states how much of it is padding
/// (RFC 9559 §5.1.3.5.7). Usually such padding only shortens the last packet. A stream that was cut without being
/// encoded again may have whole packets after its end; libavformat returns them a tick apart, and players would play
/// them.
struct AudioLengths {
    private struct Stream {
        let codec: CodecID
        /// The time base of samples.
        let rate: TimeBase
        let base: TimeBase
    }

    private var streams: [Int: Stream] = [:]
    private let audio: Set<Int>

    init(streams: [StreamInfo]) {
        audio = Set(streams.lazy.filter { $0.kind == .audio }.map(\.index))
        for info in streams {
            let rate: Int? =
                switch info.codec {
                case .opus: OpusPacket.sampleRate
                case .flac: FLACFrame.sampleRate(ofStream: info.extradata)
                default: nil
                }
            guard let rate else { continue }
            self.streams[info.index] = Stream(codec: info.codec, rate: .hertz(Int64(rate)), base: info.timeBase)
        }
    }

    /// The packet with its duration; `nil` if nothing of it is heard.
    func heard(_ packet: Packet) -> Packet? {
        if packet.byteCount == 0, audio.contains(packet.streamIndex) { return nil }
        guard let stream = streams[packet.streamIndex] else { return packet }
        let trimmed = stream.codec == .opus ? packet.trimmedSampleCount : 0
        guard trimmed > 0 || packet.duration <= 0 else { return packet }
        let stated = packet.withBytes { bytes in
            stream.codec == .opus ? OpusPacket.sampleCount(bytes) : FLACFrame.sampleCount(bytes)
        }
        guard let stated else { return packet }
        if trimmed >= stated { return nil }
        guard packet.duration <= 0 else { return packet }
        return packet.lasting(max(1, stream.rate.rescale(Int64(stated - trimmed), to: stream.base)))
    }
}
