// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

/// A packet with its time on the session's timeline.
package struct TimedPacket: Sendable {
    package let packet: Packet
    /// In ticks of the served track.
    package let time: Int64

    package init(packet: Packet, time: Int64) {
        self.packet = packet
        self.time = time
    }
}

/// The packets of one segment, a list a served track, as one batch from the demuxer.
package struct SegmentMaterial: Sendable {
    package struct Part: Sendable {
        /// In decode order.
        package var packets: [TimedPacket] = []
        /// Where the segment starts, in ticks of the track, for a track that has nothing in it.
        package var start: Int64 = 0
        /// Where what follows starts, in ticks of the track; `nil` at the end of the track.
        package var next: Int64?
        /// The packet behind the last one in decoding order, where it is known: it may begin with what belongs to it.
        package var following: Packet?
        /// Packets of the track that holds Dolby Vision's metadata, by the presentation times of their pictures, in ticks of
        /// the stream. Empty where there is no such track.
        package var companions: [Int64: Companion] = [:]
        /// The packets that bridging the segment takes, where the track is bridged; `packets` is empty then.
        var sound: BridgeJob?
    }

    /// A packet of the second track, and the one behind it.
    package struct Companion: Sendable {
        package let packet: Packet
        package let next: Packet?
    }

    package let index: Int
    /// By position in `OpenedSource.tracks`; `nil` for a track that was not asked for.
    package let parts: [Part?]
    /// All packets of the subtitle streams that were asked for, in the order of the file. `nil` where they are not known to
    /// be all.
    package var subtitles: [Packet]?
    /// The captions within the pictures, a packet a picture that has some, in decoding order. `nil` where nobody asked.
    var captions: [Packet]?

    /// - Parameter extractor: of the leading track.
    func captions(found extractor: CaptionExtractor) -> [Packet] {
        (parts.first ?? nil)?.packets.compactMap { timed in
            let triplets = timed.packet.withBytes { extractor.triplets(in: $0) }
            return triplets.isEmpty ? nil : timed.packet.carrying(triplets)
        } ?? []
    }
}

/// All packets of some subtitle streams that one segment has, in the order of the file; of the leading track, the captions
/// within its pictures.
package struct HarvestedPackets: Sendable {
    package let segment: Int
    package let streams: Set<Int>
    package let packets: [Packet]
}

/// Where a segment starts and ends, for the tracks asked for.
package struct SegmentCut: Sendable {
    package let index: Int
    package let start: Keyframe
    /// Where the segment before starts; `nil` for the first segment.
    package let previous: Keyframe?
    /// `nil` for the last segment.
    package let end: Keyframe?
    /// Where each track ends on the timeline, where that is known.
    package let trackEnds: [MediaTime?]
    /// Whether the plan's keyframes are those that the demuxer flags.
    package let trustsKeyFlags: Bool

    /// `nil` for a segment that is not announced.
    package init?(index: Int, of plan: SegmentPlan, trackEnds: [MediaTime?]) {
        guard index >= 0, index < plan.segmentCount else { return nil }
        self.index = index
        start = plan.boundaries[index]
        previous = index > 0 ? plan.boundaries[index - 1] : nil
        end = index + 1 < plan.boundaries.count ? plan.boundaries[index + 1] : nil
        self.trackEnds = trackEnds
        trustsKeyFlags = plan.origin != .index
    }
}
