// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// What decoding one stream of a source takes to know.
struct FilmFacts: Sendable {
    /// How the packets of the video tell when they are shown.
    enum Timing: Hashable, Sendable {
        case shown
        /// Only when they are decoded (AVI).
        case decoded
        /// Of some when they are decoded and shown, and the others follow them, each lasting so many ticks (MPEG program
        /// streams).
        case partly(Int64)
        /// Nothing: they are counted, each lasting so many ticks, or as many as it says where that is 0 (elementary streams).
        case counted(Int64)
    }

    let container: ContainerFormat
    let stream: StreamInfo
    let timing: Timing
    /// Where the timeline starts on the source's own clock.
    let origin: MediaTime
    let video: VideoProperties
    let parameters: CodecParameters
    /// The colours of pictures that hold numbers of colours, where the container gives them with its first packet alone.
    var palette: [UInt8]?

    /// Whether the demuxer goes to a random access point by an index, exactly.
    var hasIndex: Bool { container.isMP4 || container.isMatroska || container.isAVI }

    /// How many packets may be decoded before one of them is shown.
    var reorderLimit: Int { stream.codec == .h264 || stream.codec == .hevc ? 17 : 8 }

    /// Whether the decoder leaves out pictures that no other refers to, when it is told to, and nothing else changes by it.
    var canLeaveOut: Bool {
        timing == .shown && ["h264", "hevc", "mpeg2video", "mpeg1video"].contains(stream.codec.rawValue)
    }

    /// On the timeline.
    func time(_ ticks: Int64) -> MediaTime { MediaTime(ticks, in: stream.timeBase) - origin }

    /// The last tick that is not behind `time` on the timeline, as times of pictures are rounded.
    func ticks(_ time: MediaTime) -> Int64 {
        let wanted = time + origin
        let near = wanted.ticks(in: stream.timeBase, rounding: .down)
        return MediaTime(near &+ 1, in: stream.timeBase) <= wanted ? near &+ 1 : near
    }
}
