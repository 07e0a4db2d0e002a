// SPDX-License-Identifier: Apache-2.0

/// Narrows a range of bytes, in which times ascend, to the place of one time. Pure: the caller reads what begins at
/// each probed position.
struct TimeBisection {
    private let time: Int64
    /// The last known place at or before the time.
    private(set) var low: (position: Int64, time: Int64)
    /// Nothing at or before the time begins at or after this position. The time of what begins there is `nil` if
    /// unknown.
    private(set) var high: (position: Int64, time: Int64?)
    /// In bytes.
    private let nearness: Int64
    private var isGuessing = true

    /// - Parameters:
    ///   - low: a place at or before the time.
    ///   - nearness: in bytes. The caller visits what lies within this distance without probes, so a guess aims at
    ///     half of it before the time.
    init(
        of time: Int64,
        from low: (position: Int64, time: Int64),
        upTo high: (position: Int64, time: Int64?),
        nearness: Int64
    ) {
        self.time = time
        self.low = low
        self.high = high
        self.nearness = nearness
    }

    /// The length of the range, in bytes.
    var byteCount: Int64 { high.position - low.position }

    var isNear: Bool { byteCount <= nearness }

    /// The position to probe next, inside a range of more than one byte. Every other position is interpolated if the
    /// time is between those at both ends, which is usually close; the others are in the middle, which always makes
    /// progress.
    mutating func probe() -> Int64 {
        defer { isGuessing.toggle() }
        guard isGuessing, let end = high.time, end > time else { return low.position + byteCount / 2 }
        let share = Double(time - low.time) / Double(end - low.time)
        let guess = low.position + Int64(Double(byteCount) * share) - nearness / 2
        return min(max(guess, low.position + 1), high.position - 1)
    }

    /// Continues after a place at or before the time.
    mutating func advance(to position: Int64, time: Int64) { low = (position, time) }

    /// Continues before a position.
    ///
    /// - Parameter time: the time of the first place at or after the position, which is after the wanted one; `nil`
    ///   if no place was found.
    mutating func limit(to position: Int64, time: Int64?) { high = (position, time ?? high.time) }
}
