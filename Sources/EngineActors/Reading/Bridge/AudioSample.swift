// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The first packets of an audio stream in a part of a source, and what decoding them shows.
struct AudioSample: Sendable {
    /// With the number and the time base that the stream has in the source.
    let info: StreamInfo
    let description: StreamDescription
    let parameters: CodecParameters
    /// In file order, on the source's clock.
    let packets: [Packet]
    /// `nil` if no decoder can be opened for the stream.
    let trial: DecodingTrial?

    init(_ info: StreamInfo, _ description: StreamDescription, _ parameters: CodecParameters, _ packets: [Packet]) {
        self.info = info
        self.description = description
        self.parameters = parameters
        self.packets = packets
        do throws(FFmpegError) {
            trial = try DecodingTrial(packets, times: packets.map { $0.pts ?? $0.dts }, parameters)
        } catch {
            trial = nil
        }
    }
}
