// SPDX-License-Identifier: Apache-2.0

/// Tells when pictures are shown of which only is known when they are decoded, one by one as a decoder gives them: one a
/// frame, in the order in which they come out. Pure.
///
/// What is never given, such as a packet that only repeats a picture, leaves its time unused.
struct ShownClock {
    /// More are not waited for: what was sent so long before will never come out.
    private static let limit = 256

    /// When pictures were decoded whose time is not given to one yet, ascending.
    private var free: [Int64] = []
    /// Those that have not come out, ascending, with the time at which the container says they are shown.
    private var unseen: [(slot: Int64, known: Int64?)] = []
    private var given = 0
    /// What was known for sure says that all lie so much later.
    private var shift: Int64 = 0
    /// Where decoding began; `nil` at the start of the source.
    private let key: Int64?

    /// - Parameter key: when the random access point is decoded at which decoding begins, if not at the start of the source.
    init(from key: Int64?) { self.key = key }

    /// A packet was given to the decoder.
    ///
    /// - Parameters:
    ///   - slot: when it is decoded, later than those before.
    ///   - known: when it is shown, where the container says so.
    mutating func send(_ slot: Int64, known: Int64?) {
        free.append(slot)
        unseen.append((slot, known))
        if unseen.count > Self.limit { lose(1) }
    }

    struct Shown: Hashable {
        let time: Int64
        /// When the picture before is shown after all, where that has turned out only now.
        var earlier: Int64?
    }

    /// A picture came out.
    ///
    /// - Parameters:
    ///   - slot: when it was decoded.
    ///   - pending: how many of those decoded before it may still come out behind it.
    /// - Returns: `nil` for one that refers to what was before the random access point.
    mutating func show(_ slot: Int64, pending: Int) -> Shown? {
        if given == 0, let key, slot != key { return nil }
        let known = unseen.first { $0.slot == slot }?.known
        unseen.removeAll { $0.slot == slot }
        let late = unseen.prefix { $0.slot < slot }.count
        var earlier: Int64?
        if late > pending {
            // Those that directly follow the random access point and never come out refer to what was before it: they are
            // shown before it, which is so much later.
            if given == 1, key != nil { earlier = unseen[late - pending - 1].slot }
            lose(late - pending)
        }
        guard !free.isEmpty else { return Shown(time: slot &+ shift, earlier: earlier) }
        given += 1
        let own = free.removeFirst()
        if let known { shift = known &- own }
        return Shown(time: own &+ shift, earlier: earlier.map { $0 &+ shift })
    }

    /// The oldest will never come out.
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
