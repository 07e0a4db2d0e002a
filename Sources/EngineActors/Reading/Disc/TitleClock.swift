// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Converts the times of packets from the clocks of a disc title's parts to the clock of the title.
///
/// Not thread-safe: owned by one reader.
struct TitleClock {
    private let timeline: TitleTimeline
    private let videos: Set<Int>
    /// The position of each stream's latest packet. Packets that a parser splits from another have no position of their
    /// own.
    private var places: [Int: Int64] = [:]
    private var entry: Int64 = 0
    private var takesSamples = false

    init(_ timeline: TitleTimeline, _ streams: [StreamInfo]) {
        self.timeline = timeline
        videos = Set(streams.filter { $0.kind == .video }.map(\.index))
    }

    /// Call this when the read position jumps. Packets in front of the title (`TitleTimeline.samples`) are returned
    /// only after a jump to byte 0.
    ///
    /// - Parameter position: the byte of the title at which reading continues; `nil` if it is not known.
    mutating func enter(at position: Int64?) {
        places = [:]
        entry = position ?? 0
        takesSamples = position == 0
    }

    /// The packet on the title's clock; `nil` if its part does not present it.
    ///
    /// An audio frame belongs to the part that contains its midpoint, so the audio of two parts overlaps by less than
    /// one frame.
    mutating func placed(_ packet: Packet) -> Packet? {
        let position = packet.position ?? places[packet.streamIndex] ?? entry
        places[packet.streamIndex] = position
        guard let stretch = stretch(at: position) else { return nil }
        let pts = packet.pts.map(stretch.placed)
        let dts = packet.dts.map(stretch.placed)
        guard let time = pts ?? dts else { return packet }
        let isVideo = videos.contains(packet.streamIndex)
        let middle = time + packet.duration / 2
        guard isVideo ? stretch.presents(time) : middle >= stretch.start && middle < stretch.end else { return nil }
        // An audio frame that begins before the title is dropped: there is no earlier part whose audio it continues.
        if !isVideo, time < 0 { return nil }
        return packet.listed(
            stream: packet.streamIndex,
            pts: pts,
            dts: dts,
            duration: packet.duration,
            position: packet.position
        )
    }

    /// The part on whose clock the packet at `position` is. `nil` for a packet that the engine inserted before the
    /// first part (`TitleHead`), unless it is a sample and samples are returned.
    private func stretch(at position: Int64) -> TitleTimeline.Stretch? {
        if position >= timeline.start { return timeline.stretches[timeline.stretch(at: position)] }
        return takesSamples ? timeline.sampledStretch(at: position) : nil
    }
}
