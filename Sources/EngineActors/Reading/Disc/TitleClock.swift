// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Puts the packets of a disc's title, whose parts have clocks of their own, on the clock of the title.
///
/// Not thread-safe: owned by one reader.
struct TitleClock {
    private let timeline: TitleTimeline
    private let videos: Set<Int>
    /// The position of each stream's latest packet. Packets that a parser splits from another have no position of their own.
    private var places: [Int: Int64] = [:]
    private var entry: Int64 = 0

    init(_ timeline: TitleTimeline, _ streams: [StreamInfo]) {
        self.timeline = timeline
        videos = Set(streams.filter { $0.kind == .video }.map(\.index))
    }

    /// Call when reading continues at a byte of the title.
    mutating func enter(at position: Int64) {
        places = [:]
        entry = position
    }

    /// The packet on the title's clock; `nil` when its part does not present it.
    ///
    /// A frame of audio belongs to the part that has its middle, so frames of two parts overlap by less than one.
    mutating func placed(_ packet: Packet) -> Packet? {
        let position = packet.position ?? places[packet.streamIndex] ?? entry
        places[packet.streamIndex] = position
        // The engine itself put packets before the first part (`SubtitleHead`). They are not presented.
        guard position >= timeline.stretches[0].position else { return nil }
        let stretch = timeline.stretches[timeline.stretch(at: position)]
        let pts = packet.pts.map(stretch.placed)
        let dts = packet.dts.map(stretch.placed)
        guard let time = pts ?? dts else { return packet }
        let isVideo = videos.contains(packet.streamIndex)
        let place = isVideo ? time + TitleTimeline.tolerance : time + packet.duration / 2
        guard place >= stretch.start, place < stretch.end else { return nil }
        // Audio before the start of the title continues nothing, so it is dropped.
        if !isVideo, time < 0 { return nil }
        return packet.listed(
            stream: packet.streamIndex,
            pts: pts,
            dts: dts,
            duration: packet.duration,
            position: packet.position
        )
    }
}
