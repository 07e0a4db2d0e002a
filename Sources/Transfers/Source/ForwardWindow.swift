// SPDX-License-Identifier: Apache-2.0

/// The bytes that are kept of a source whose server delivers it only once, from start to end: a head that stays, and a
/// window that follows the playing readers. Decides when the transfer pauses. Pure.
struct ForwardWindow: Sendable {
    struct Limits: Hashable, Sendable {
        /// The memory for the source.
        let byteCount: Int64
        /// The first bytes, which every reader needs to open the source.
        let head: Int64
        /// How far the transfer may be ahead of the reader that has come farthest. The rest of the memory keeps what was
        /// read.
        let ahead: Int64

        init(byteCount: Int) {
            self.byteCount = Int64(byteCount)
            head = min(self.byteCount / 8, 16 << 20)
            ahead = self.byteCount - head - max(self.byteCount / 8, min(self.byteCount / 4, 16 << 20))
        }
    }

    let limits: Limits
    /// How many bytes have been received, from the start on.
    private(set) var newest: Int64 = 0
    /// Whether there are no more.
    private(set) var isEnded = false
    /// Whether the source is a live stream, of which each transfer delivers what is sent at the time.
    private(set) var isLive = false
    /// `newest` when the latest transfer began.
    private var newestBefore: Int64 = 0
    /// The position of the playing reader that has come farthest.
    private var front: Int64 = 0
    private var isPaused = false

    init(_ limits: Limits) { self.limits = limits }

    /// The part of a received range that is new. A transfer that began again delivers the rest a second time.
    func new(of range: Range<Int64>) -> Range<Int64> {
        max(range.lowerBound, min(newest, range.upperBound))..<range.upperBound
    }

    mutating func received(_ range: Range<Int64>) { newest = max(newest, range.upperBound) }

    mutating func ended() { isEnded = true }

    /// A playing reader waits at a position or has come to it.
    mutating func reached(_ position: Int64) { front = max(front, position) }

    private var hasRoom: Bool { newest - front < limits.ahead }

    /// Whether the transfer may deliver more. If not, it pauses.
    mutating func takesMore() -> Bool {
        isPaused = !hasRoom
        return !isPaused
    }

    /// Whether the paused transfer has to be resumed: once for each pause.
    mutating func takeResumption() -> Bool {
        guard isPaused, hasRoom else { return false }
        isPaused = false
        return true
    }

    /// A transfer has begun.
    mutating func began() {
        isPaused = false
        newestBefore = newest
    }

    /// Treats the source as a live stream from now on: a transfer that ends is followed by another.
    mutating func becomeLive() { isLive = true }

    /// Whether the latest transfer has brought new bytes.
    var hasProgressed: Bool { newest > newestBefore }

    /// Whether another transfer may follow one that broke off. If it begins again from the start, what was received is
    /// received once more, so it must be little, and it must be the same resource.
    func canBeginAgain(_ known: ResourceState) -> Bool {
        isLive || newest == 0 || newest <= limits.byteCount && (known.byteCount != nil || known.tag != nil)
    }
}
