// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import Packaging

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

/// The packets of one segment, one list per track, as one batch from the demuxer.
package struct SegmentMaterial: Sendable {
    package struct Part: Sendable {
        /// In decode order.
        package var packets: [TimedPacket] = []
        /// The start of the segment, in ticks of the track. Used if the track has no packets in the segment.
        package var start: Int64 = 0
        /// The start of the media after the segment, in ticks of the track; `nil` at the end of the track.
        package var next: Int64?
        /// The packet after the last one in decoding order, if known. It may begin with data of the last packet.
        package var following: Packet?
        /// Packets of the Dolby Vision metadata track, by the presentation times of their pictures, in ticks of the
        /// pictures' stream. Empty when the source has no metadata track.
        package var companions: [Int64: Companion] = [:]
        /// The packets needed to bridge the segment, if the track is bridged audio; `packets` is empty then.
        package var bridgeJob: BridgeJob?
        /// The packets from the last keyframe before the segment up to the segment, if the track is bridged video.
        package var leadIn: [Packet] = []
        /// How much later the parts of the segment begin than the plan says, in ticks of the track. Not 0 only in a
        /// list, whose playlist states inexact times.
        package var delayOfParts: Int64 = 0
    }

    /// A packet of the metadata track, and the packet after it.
    package struct Companion: Sendable {
        package let packet: Packet
        package let next: Packet?
    }

    package let index: Int
    /// By position in `OpenedSource.tracks`; `nil` for a track that was not requested.
    package internal(set) var parts: [Part?]
    /// All packets of the requested subtitle streams, in file order. `nil` when some may be missing.
    package var subtitles: [Packet]?
    /// The closed captions in the pictures, one packet per picture that has some, in decoding order. `nil` when they
    /// were not requested.
    package var captions: [Packet]?

    /// Whether a packet of the leading track ends within one of its NAL units.
    func hasCutPictures(of lead: PlayedTrack) -> Bool {
        (parts.first ?? nil)?.packets.contains { !lead.transform.isWhole($0.packet) } ?? false
    }

    /// - Parameter extractor: made for the leading track.
    func captions(found extractor: CaptionExtractor) -> [Packet] {
        (parts.first ?? nil)?.packets.compactMap { timed in
            let triplets = timed.packet.withBytes { extractor.triplets(in: $0) }
            return triplets.isEmpty ? nil : timed.packet.carrying(triplets)
        } ?? []
    }
}

/// All packets of some subtitle streams in one segment, in file order. For the leading track, the closed captions in
/// its pictures.
package struct HarvestedPackets: Sendable {
    package let segment: Int
    package let streams: Set<Int>
    package let packets: [Packet]

    package init(segment: Int, streams: Set<Int>, packets: [Packet]) {
        self.segment = segment
        self.streams = streams
        self.packets = packets
    }
}
