// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Completes the times and durations of audio packets from the packets themselves.
struct AudioTimes {
    private var laces: LaceClock
    private var frames: CountedFrames
    private let lengths: AudioLengths
    private var headers: LinkHeaders

    /// - Parameters:
    ///   - container: only Matroska has laces, only MPEG-TS has frames that must be counted, and only Ogg has headers
    ///     among its frames.
    ///   - first: the streams with which the source was opened, if `streams` are those of a later link of Ogg.
    init(streams: [StreamInfo], in container: ContainerFormat?, first: [StreamInfo]? = nil) {
        laces = LaceClock(streams: container?.isMatroska == true ? streams : [])
        frames = CountedFrames(streams: container?.isMPEGTS == true ? streams : [])
        lengths = AudioLengths(streams: streams)
        headers = LinkHeaders(streams: container?.isOgg == true ? streams : [], first: first ?? streams)
    }

    /// `nil` for a packet that is not presented.
    mutating func completed(_ packet: Packet) -> Packet? {
        headers.audio(packet).flatMap { laces.timed(frames.timed($0)) }.flatMap { lengths.heard($0) }
    }
}
