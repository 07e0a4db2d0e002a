// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// How much of an incomplete segment of a list has arrived on all tracks. Pure: a scan adds its packets.
///
/// The packets of tracks in the leading list belong to the segment whose resource holds them, so their times are
/// counted from the segment's first picture. Tracks with lists of their own are cut by time.
struct ArrivedFront {
    private let start: Int64
    private let base: TimeBase
    private let tracks: [PlayedTrack]
    /// Positions in `tracks` by stream index.
    private let places: [Int: Int]
    /// Whether the track has a list of its own.
    private let hasOwnList: [Bool]
    /// The latest decode time of each track, in ticks of the leading stream.
    private var decoded: [Int64?]
    /// How much later than planned the first picture is presented, in the same ticks. `nil` before that picture.
    private var delay: Int64?

    /// - Parameters:
    ///   - start: the planned start of the segment, in ticks of the leading stream.
    ///   - tracks: as in `OpenedSource`.
    ///   - hasOwnList: whether a stream has a list of its own.
    init(from start: Int64, of tracks: [PlayedTrack], hasOwnList: (_ stream: Int) -> Bool) {
        self.start = start
        self.tracks = tracks
        base = tracks[0].stream.timeBase
        places = Dictionary(uniqueKeysWithValues: tracks.indices.map { (tracks[$0].stream.index, $0) })
        self.hasOwnList = tracks.map { hasOwnList($0.stream.index) }
        decoded = tracks.map { _ in nil }
    }

    /// - Parameter packet: a packet of the segment or, for a track with a list of its own, any packet.
    mutating func add(_ packet: Packet) {
        guard let place = places[packet.streamIndex], let time = packet.dts ?? packet.pts else { return }
        if place == 0, delay == nil { delay = (packet.pts ?? time) &- start }
        let rescaled = tracks[place].stream.timeBase.rescale(time, to: base)
        decoded[place] = max(decoded[place] ?? .min, rescaled)
    }

    /// The time on the plan before which all samples of all tracks are known. `nil` while a track has no samples.
    var settled: Int64? {
        guard let delay else { return nil }
        var settled = Int64.max
        for place in tracks.indices {
            guard let decoded = decoded[place] else { return nil }
            settled = min(settled, hasOwnList[place] ? decoded : decoded &- delay)
        }
        return settled
    }
}
