// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Gives audio frames of a transport stream the times that libavformat leaves out. libavformat knows the frame length
/// only if it has seen a frame while it identified the streams. If audio begins later, it gives a time only to the
/// first frame of each PES packet; the times of the other frames follow from the frame headers.
struct CountedFrames {
    private struct Stream {
        let codec: CodecID
        let base: TimeBase
        /// The latest time that was stated, and the number of samples since.
        var stated: (time: Int64, samples: Int64)?
    }

    private var streams: [Int: Stream]

    /// - Parameter streams: the streams of a transport stream; empty for any other container.
    init(streams: [StreamInfo]) {
        self.streams = Dictionary(
            uniqueKeysWithValues: streams.filter { $0.kind == .audio }
                .map { ($0.index, Stream(codec: $0.codec, base: $0.timeBase)) }
        )
    }

    /// The packet with the duration that it lacks and, if it has no time, with the time that is counted from the latest
    /// frame with one. A packet that has a duration is returned unchanged.
    mutating func timed(_ packet: Packet) -> Packet {
        guard packet.duration <= 0, var stream = streams[packet.streamIndex] else { return packet }
        guard let length = AudioFrameLength(codec: stream.codec, frame: packet.bytes), length.rate > 0 else {
            return packet
        }
        let rate = TimeBase.hertz(Int64(length.rate))
        var found = packet
        if let time = packet.pts ?? packet.dts {
            stream.stated = (time, 0)
        } else if let (time, samples) = stream.stated {
            found = packet.presented(at: time &+ rate.rescale(samples, to: stream.base))
        }
        stream.stated?.samples += Int64(length.samples)
        streams[packet.streamIndex] = stream
        return found.lasting(max(1, rate.rescale(Int64(length.samples), to: stream.base)))
    }
}
