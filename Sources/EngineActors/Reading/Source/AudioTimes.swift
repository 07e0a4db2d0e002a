// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Completes the times and durations of audio packets from the packets themselves.
struct AudioTimes {
    private var laces: LaceClock
    private var frames: CountedFrames
    private let lengths: AudioLengths

    /// - Parameter container: only Matroska has laces, and only MPEG-TS has frames that must be counted.
    init(streams: [StreamInfo], in container: ContainerFormat?) {
        laces = LaceClock(streams: container?.isMatroska == true ? streams : [])
        frames = CountedFrames(streams: container?.isMPEGTS == true ? streams : [])
        lengths = AudioLengths(streams: streams)
    }

    /// `nil` for a packet that is not presented.
    mutating func completed(_ packet: Packet) -> Packet? {
        laces.timed(frames.timed(packet)).flatMap { lengths.heard($0) }
    }
}
