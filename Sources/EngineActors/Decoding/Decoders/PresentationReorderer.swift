// SPDX-License-Identifier: Apache-2.0

/// Derives presentation times for frames of which only decode times are known: each frame gets one of the decode times,
/// in the order in which frames leave the decoder. Pure.
///
/// A packet that never yields a frame, such as one that only repeats a frame, leaves its time unused.
struct PresentationReorderer {
    /// How many packets may be outstanding. The frame of a packet sent before those will never come out.
    private static let limit = 256

    /// Decode times not yet assigned to a frame, ascending.
    private var free: [Int64] = []
    /// Packets whose frames have not come out, ascending by decode time (`slot`), each with its presentation time if
    /// the container gives one.
    private var unseen: [(slot: Int64, known: Int64?)] = []
    private var given = 0
    /// By how much frames are shown later than the assigned time, according to the last known presentation time.
    private var shift: Int64 = 0
    /// The decode time at which decoding began; `nil` at the start of the source.
    private let key: Int64?

    /// - Parameter key: decode time of the random access point at which decoding begins; `nil` at the start of the
    ///   source.
    init(from key: Int64?) { self.key = key }

    /// Notes a packet that was sent to the decoder.
    ///
    /// - Parameters:
    ///   - slot: its decode time, later than that of every earlier packet.
    ///   - known: its presentation time, if the container gives one.
    mutating func send(_ slot: Int64, known: Int64?) {
        free.append(slot)
        unseen.append((slot, known))
        if unseen.count > Self.limit { lose(1) }
    }

    struct Shown: Hashable {
        let time: Int64
        /// The corrected time of the previous frame, if only this frame made it known.
        var earlier: Int64?
    }

    /// Assigns a time to a frame that left the decoder.
    ///
    /// - Parameters:
    ///   - slot: its decode time.
    ///   - pending: how many of the frames decoded before it may still come out after it.
    /// - Returns: `nil` for a frame that refers to frames before the random access point.
    mutating func show(_ slot: Int64, pending: Int) -> Shown? {
        if given == 0, let key, slot != key { return nil }
        let known = unseen.first { $0.slot == slot }?.known
        unseen.removeAll { $0.slot == slot }
        let late = unseen.prefix { $0.slot < slot }.count
        var earlier: Int64?
        if late > pending {
            // Packets directly after the random access point that never come out refer to frames before it. They would
            // have been shown before it, so the random access point itself is shown that many frames later.
            if given == 1, key != nil { earlier = unseen[late - pending - 1].slot }
            lose(late - pending)
        }
        guard !free.isEmpty else { return Shown(time: slot &+ shift, earlier: earlier) }
        given += 1
        let own = free.removeFirst()
        if let known { shift = known &- own }
        return Shown(time: own &+ shift, earlier: earlier.map { $0 &+ shift })
    }

    /// Gives up the oldest packets: their frames will never come out.
    private mutating func lose(_ count: Int) {
        for entry in unseen.prefix(count) {
            if let place = free.firstIndex(of: entry.slot) {
                free.remove(at: place)
            } else if !free.isEmpty {
                free.removeFirst()
            }
        }
        unseen.removeFirst(min(count, unseen.count))
    }
}
