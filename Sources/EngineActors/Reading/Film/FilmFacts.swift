// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import Packaging

/// What must be known to decode one stream of a source.
package struct FilmFacts: Sendable {
    /// How packets state when their pictures are shown.
    package enum Timing: Hashable, Sendable {
        case shown
        /// Packets state only when they are decoded (AVI).
        case decoded
        /// Some packets state when they are decoded and shown. The others follow them, each lasting this many ticks
        /// (MPEG program streams).
        case partly(Int64)
        /// Packets state no times and are counted. Each lasts this many ticks, or as long as it states if that is 0
        /// (elementary streams).
        case counted(Int64)
    }

    package let container: ContainerFormat
    package let stream: StreamInfo
    package let timing: Timing
    /// Where the timeline starts on the source's own clock.
    let origin: MediaTime
    package let video: VideoProperties
    package let parameters: CodecParameters
    /// The palette of pictures whose pixels are palette indexes, if the container gives it only with its first packet.
    package var palette: [UInt8]?

    /// Whether the demuxer has an index with which it can seek exactly to a random access point.
    package var hasIndex: Bool { container.isMP4 || container.isMatroska || container.isAVI }

    /// How many packets may be decoded before the picture of one of them is shown.
    package var reorderLimit: Int { stream.codec == .h264 || stream.codec == .hevc ? 17 : 8 }

    /// Whether the decoder can be told to skip pictures that no other picture refers to, without any other effect.
    package var canLeaveOut: Bool {
        timing == .shown && ["h264", "hevc", "mpeg2video", "mpeg1video"].contains(stream.codec.rawValue)
    }

    /// Converts ticks of the stream to a time on the timeline.
    package func time(_ ticks: Int64) -> MediaTime { MediaTime(ticks, in: stream.timeBase) - origin }

    /// The last tick at or before `time` on the timeline. Allows for the rounding of picture times.
    package func ticks(_ time: MediaTime) -> Int64 {
        let wanted = time + origin
        let near = wanted.ticks(in: stream.timeBase, rounding: .down)
        return MediaTime(near &+ 1, in: stream.timeBase) <= wanted ? near &+ 1 : near
    }
}
