// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// The pictures that were read after the end of a segment: they show where its presentation ends and how far reading
/// has come.
struct PicturesPastEnd {
    /// The number of pictures after a keyframe that are searched for those presented before it.
    private static let reorderWindow = 32

    /// The first one in decoding order.
    private(set) var first: Packet?
    private(set) var byteCount = 0
    /// The latest time, in ticks of the track; `Int64.min` if none is stated.
    private(set) var latest = Int64.min
    private var count = 0
    /// Presentation times, in ticks of the stream.
    private var earliestShown: Int64?
    private var latestShown = Int64.min

    var isEmpty: Bool { count == 0 }

    mutating func add(_ packet: Packet, of track: PlayedTrack) {
        if first == nil { first = packet }
        count += 1
        byteCount += packet.byteCount
        // A picture that an edit list hides is not presented, whatever its time.
        guard !packet.isDiscarded else { return }
        if let shown = packet.pts {
            earliestShown = min(earliestShown ?? shown, shown)
            latestShown = max(latestShown, shown)
        }
        guard let time = packet.pts ?? packet.dts else { return }
        latest = max(latest, track.timelineTicks(time))
    }

    /// Whether all pictures that follow the keyframe in decoding order but are presented before it have been read.
    /// Assumed once a picture presented after it has been read, or `reorderWindow` pictures.
    func isOrderKnown(at keyframe: Keyframe) -> Bool { latestShown > keyframe.time || count >= Self.reorderWindow }

    /// The earliest presentation time among the keyframe and the pictures, in ticks of the stream; `nil` if no picture
    /// states one.
    func start(at keyframe: Keyframe) -> Int64? { earliestShown.map { min($0, keyframe.time) } }
}
