// SPDX-License-Identifier: Apache-2.0

/// Narrows a range of bytes, in which times ascend, to the position of one time. Pure: the caller reads the element
/// that begins at each probed position.
struct TimeBisection {
    private let time: Int64
    /// The last known element at or before the time.
    private(set) var low: (position: Int64, time: Int64)
    /// From this position on, all elements are after the time. `nil` if the time of the element there is unknown.
    private(set) var high: (position: Int64, time: Int64?)
    /// In bytes.
    private let nearness: Int64
    private var isGuessing = true

    /// - Parameters:
    ///   - low: an element at or before the time.
    ///   - nearness: in bytes. The caller visits all elements within this distance without probes, so a guess aims at
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

    /// Continues after an element at or before the time.
    mutating func advance(to position: Int64, time: Int64) { low = (position, time) }

    /// Continues before a position.
    ///
    /// - Parameter time: the time of the first element at or after the position, which is after the wanted time; `nil`
    ///   if no element was found.
    mutating func limit(to position: Int64, time: Int64?) { high = (position, time ?? high.time) }
}
