// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Collects, for one segment, the packets of a second video track, which holds the Dolby Vision metadata for the
/// pictures of the first. A picture and its metadata have the same presentation time, and both tracks have the same
/// decoding order.
struct CompanionCollector {
    /// In file order, from the first packet at or after the segment's start.
    private var packets: [(time: Int64?, packet: Packet)] = []
    private let stream: StreamInfo
    private let pictures: StreamInfo
    private let start: Int64
    private let end: Int64?
    /// Whether the packet of the segment's first picture has been added.
    private(set) var hasStarted = false
    /// Whether a packet at or after the segment's end has been added. Always true for the last segment.
    private(set) var hasEnded: Bool
    /// Bytes of the packets that belong to later segments.
    private(set) var carriedBytes = 0

    init(stream: StreamInfo, of track: PlayedTrack, cut: SegmentCut) {
        self.stream = stream
        pictures = track.stream
        start = cut.start.time
        end = cut.end?.time
        hasEnded = end == nil
    }

    mutating func add(_ packet: Packet) {
        guard let source = packet.pts ?? packet.dts else {
            // A packet that a parser split off another has no time. It stays after the packet from which it was split.
            if !packets.isEmpty { packets.append((nil, packet)) }
            return
        }
        let time = stream.timeBase.rescale(source, to: pictures.timeBase)
        if time == start { hasStarted = true }
        // Earlier times count only after the first picture: they belong to its leading pictures, which follow it in
        // decoding order.
        guard hasStarted || time > start else { return }
        if let end, time >= end { hasEnded = true }
        if hasEnded, end != nil { carriedBytes += packet.byteCount }
        packets.append((time, packet))
    }

    /// The packets by presentation time, in ticks of the first track.
    func found() -> [Int64: SegmentMaterial.Companion] {
        var found: [Int64: SegmentMaterial.Companion] = [:]
        for (index, entry) in packets[..<firstOfNext].enumerated() {
            guard let time = entry.time, found[time] == nil else { continue }
            let next = index + 1 < packets.count ? packets[index + 1].packet : nil
            found[time] = SegmentMaterial.Companion(packet: entry.packet, next: next)
        }
        return found
    }

    /// The packets that belong to later segments, in file order.
    var carry: [Packet] { packets[firstOfNext...].map(\.packet) }

    private var firstOfNext: Int {
        guard let end else { return packets.count }
        return packets.firstIndex { $0.time.map { $0 >= end } ?? false } ?? packets.count
    }
}
