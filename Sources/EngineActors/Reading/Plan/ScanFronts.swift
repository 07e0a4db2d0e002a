// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The progress of a scan on each track. Pure: it measures, and `PlanScan` decides.
struct ScanFronts {
    private let tracks: [PlayedTrack]
    /// Positions in `tracks` by stream index.
    private let places: [Int: Int]
    /// The end of each track so far, in ticks of its stream.
    private var ends: [Int64?]
    /// By track: the position in the file that its latest packet with a position has stated.
    private var positions: [Int64?]
    /// The latest decode time of each track on the plan's clock, in ticks of its stream.
    private var decodeTimes: [Int64?]
    private var framesOfLead: Int64 = 0
    /// Whether packets of video state how long they last. In other containers than MP4, demuxers guess it from the frame
    /// rate.
    private let hasVideoDurations: Bool

    /// - Parameter tracks: as in `OpenedSource`.
    init(of tracks: [PlayedTrack], in container: ContainerFormat) {
        self.tracks = tracks
        hasVideoDurations = container.isMP4
        places = Dictionary(uniqueKeysWithValues: tracks.indices.map { (tracks[$0].stream.index, $0) })
        ends = tracks.map { _ in nil }
        positions = tracks.map { _ in nil }
        decodeTimes = tracks.map { _ in nil }
    }

    var lead: PlayedTrack { tracks[0] }

    /// Whether a track has had a presented packet.
    func hasBegun(_ place: Int) -> Bool { ends[place] != nil }

    func kind(_ place: Int) -> PlayedTrack.Kind { tracks[place].kind }

    func codec(_ place: Int) -> CodecID { tracks[place].stream.codec }

    /// The end of the leading track so far, in ticks of its stream; `nil` before its first presented packet.
    var front: Int64? { ends[0] }

    /// The position of the packet's track among the tracks; `nil` if it belongs to none of them.
    func place(of packet: Packet) -> Int? { places[packet.streamIndex] }

    /// The packet's time on the clock of the source, in ticks of its stream; `nil` if it has none. Pass each packet
    /// once, because frames of the leading track may have to be counted.
    mutating func time(of packet: Packet, _ place: Int) -> Int64? {
        guard place == 0 else { return packet.pts ?? packet.dts }
        switch tracks[0].timing {
        case .presentation: return packet.pts ?? packet.dts
        case .decodeOrder: return packet.dts ?? packet.pts
        case .counted:
            defer { framesOfLead += 1 }
            return framesOfLead &* tracks[0].nominalDuration
        }
    }

    /// The packet's position in the file. If the packet states none, that of an earlier packet of the track.
    ///
    /// - Parameter offset: the read position. Returned if no packet of the track has stated a position yet.
    mutating func position(of packet: Packet, _ place: Int, offset: Int64) -> Int64 {
        guard let position = packet.position else { return positions[place] ?? offset }
        positions[place] = position
        return position
    }

    /// Notes that a packet is at `time` on the plan's clock. A packet that an edit list hides does not count.
    mutating func reach(_ time: Int64, with packet: Packet, _ place: Int) {
        guard !packet.isDiscarded else { return }
        let duration = tracks[place].kind == .audio || hasVideoDurations ? packet.duration : 0
        let end = tracks[place].endTime(ofPacketAt: time, lasting: duration)
        ends[place] = max(ends[place] ?? .min, end)
        noteDecoding(time, packet, place)
    }

    private mutating func noteDecoding(_ time: Int64, _ packet: Packet, _ place: Int) {
        let ahead = (packet.pts ?? packet.dts ?? 0) &- (packet.dts ?? packet.pts ?? 0)
        // If the clock wraps between the decode time and the presentation time of a packet, the next packet counts
        // instead.
        guard ahead >= 0, ahead < MediaTime.seconds(10).ticks(in: tracks[place].stream.timeBase) else { return }
        decodeTimes[place] = max(decodeTimes[place] ?? .min, time &- ahead)
    }

    /// The end of the track that lags furthest behind, in ticks of the leading stream; `Int64.min` while a track has no
    /// presented packets.
    var slowest: Int64 {
        let base = tracks[0].stream.timeBase
        return tracks.indices.reduce(.max) { slowest, place in
            min(slowest, ends[place].map { tracks[place].stream.timeBase.rescale($0, to: base) } ?? .min)
        }
    }

    /// The time up to which the packets of all tracks have been read, in decoding order, in ticks of the leading stream;
    /// `Int64.min` while a track has no packets.
    var decoded: Int64 {
        let base = tracks[0].stream.timeBase
        return tracks.indices.reduce(.max) { least, place in
            min(least, decodeTimes[place].map { tracks[place].stream.timeBase.rescale($0, to: base) } ?? .min)
        }
    }

    /// The latest decode time of the leading track; `Int64.min` before its first packet.
    var leadDecoded: Int64 { decodeTimes[0] ?? .min }

    /// The end of each track on the timeline.
    ///
    /// - Parameter isComplete: whether all packets were read. Otherwise no end is known.
    func trackEnds(isComplete: Bool) -> [MediaTime?] {
        tracks.indices.map { place in
            guard isComplete, let end = ends[place] else { return nil }
            return MediaTime(tracks[place].timelineTicks(end), in: tracks[place].track.timeBase)
        }
    }
}
