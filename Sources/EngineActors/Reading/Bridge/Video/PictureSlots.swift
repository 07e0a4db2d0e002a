// SPDX-License-Identifier: Apache-2.0

/// Assigns decoded frames to the times at which a segment must show a frame, so that each time has exactly one. Pure.
struct PictureSlots: Hashable {
    /// The times of a segment, ascending. In ticks of the track.
    let times: [Int64]
    /// The slot of each packet, by its position in the segment; `nil` for a packet that shows nothing.
    private let slots: [Int?]
    private let statesTimes: Bool
    private var next = 0

    /// - Parameters:
    ///   - times: the times of the segment's packets in decoding order; `nil` for a packet that shows nothing. Packets of
    ///     one picture have the same time.
    ///   - statesTimes: whether each packet's own picture is shown at the packet's time. If not, the decoded frames take the
    ///     times in ascending order.
    init(of times: [Int64?], statesTimes: Bool) {
        let sorted = Set(times.compactMap(\.self)).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(sorted, sorted.indices))
        self.times = sorted
        self.statesTimes = statesTimes
        slots = times.map { $0.flatMap { places[$0] } }
    }

    /// Whether some pictures are shown before the first packet's picture, so that they may depend on an earlier keyframe.
    /// Also true if the first packet shows nothing.
    var hasLeadingPictures: Bool { (slots.first ?? nil) != 0 }

    /// The slot of a packet's frame; if packets state no times, the next slot. `nil` for a frame that is not needed:
    /// all slots are filled, its own slot is filled or has been passed, or its packet shows nothing.
    ///
    /// - Parameter packet: the position in the segment of the packet that the frame was decoded from.
    func slot(ofPacket packet: Int) -> Int? {
        guard next < times.count else { return nil }
        guard statesTimes else { return next }
        guard slots.indices.contains(packet), let slot = slots[packet], slot >= next else { return nil }
        return slot
    }

    /// Marks a slot as filled.
    ///
    /// - Returns: the number of slots directly before it that got no frame of their own.
    mutating func fill(_ slot: Int) -> Int {
        defer { next = slot + 1 }
        return slot - next
    }
}
