// SPDX-License-Identifier: Apache-2.0

/// The range of bytes that are kept of a source whose server delivers it only once, from start to end: a head that is
/// never dropped, and a window that follows the playing readers or, for a live stream, the newest bytes. Decides when
/// the transfer pauses. Pure.
struct ForwardWindow: Sendable {
    struct Limits: Hashable, Sendable {
        /// The memory for the source, in bytes.
        let byteCount: Int64
        /// The length of the head, which every reader needs to open the source.
        let head: Int64
        /// How far the transfer may be ahead of the farthest playing reader, or while the window slides, of the
        /// farthest reader of any kind. The rest of the memory keeps bytes that have been read.
        let ahead: Int64

        init(byteCount: Int) {
            self.byteCount = Int64(byteCount)
            head = min(self.byteCount / 8, 16 << 20)
            ahead = self.byteCount - head - max(self.byteCount / 8, min(self.byteCount / 4, 16 << 20))
        }
    }

    let limits: Limits
    /// The number of bytes that have been received since the start.
    private(set) var newest: Int64 = 0
    /// Whether no more bytes follow.
    private(set) var isEnded = false
    /// Whether the source is a live stream: each transfer delivers the bytes that are sent while it runs.
    private(set) var isLive = false
    /// `newest` when the latest transfer began.
    private var newestBefore: Int64 = 0
    /// Whether the window follows the newest bytes, and the transfer waits for no playing reader.
    private(set) var slides = false
    /// The start of the window. Bytes before it, except the head, are no longer needed.
    private(set) var start: Int64 = 0
    /// The position of the farthest playing reader.
    private var front: Int64 = 0
    /// The position of the farthest reader of any kind.
    private var farthest: Int64 = 0
    private var isPaused = false

    init(_ limits: Limits) { self.limits = limits }

    /// The part of a received range that is new. A transfer that started over delivers the other part a second time.
    func new(of range: Range<Int64>) -> Range<Int64> {
        max(range.lowerBound, min(newest, range.upperBound))..<range.upperBound
    }

    /// How many of the newest bytes are kept.
    ///
    /// - Parameter held: the bytes that can be read.
    private func keptByteCount(_ held: RangeSet64) -> Int64 {
        newest - (held.firstHeld(in: limits.head..<newest)?.lowerBound ?? 0)
    }

    /// Why a byte that is not held can no longer be read. `nil` if it has not arrived yet.
    ///
    /// - Parameter held: the bytes that can be read.
    func loss(at offset: Int64, _ held: RangeSet64) -> String? {
        offset < newest ? "only the last \(keptByteCount(held)) of \(newest) bytes are kept" : nil
    }

    mutating func received(_ range: Range<Int64>) { newest = max(newest, range.upperBound) }

    mutating func ended() { isEnded = true }

    /// Call when a reader waits at a position or has read up to it.
    ///
    /// - Parameter isFollower: whether the reader does not move the window.
    mutating func reached(_ position: Int64, isFollower: Bool = false) {
        farthest = max(farthest, position)
        if !isFollower { front = max(front, position) }
    }

    private var hasRoom: Bool { newest - (slides ? farthest : front) < limits.ahead }

    /// Whether the transfer may deliver more. If not, it pauses.
    mutating func takesMore() -> Bool {
        isPaused = !hasRoom
        return !isPaused
    }

    /// Whether to resume the paused transfer. Returns `true` once per pause.
    mutating func takeResumption() -> Bool {
        guard isPaused, hasRoom else { return false }
        isPaused = false
        return true
    }

    /// Records that a transfer has begun.
    mutating func began() {
        isPaused = false
        newestBefore = newest
    }

    /// Treats the source as a live stream from now on: when a transfer ends, another follows, and no transfer waits for
    /// a playing reader.
    mutating func becomeLive() {
        if !isLive { slides = true }
        isLive = true
    }

    /// Moves the start of the window.
    mutating func slide(to start: Int64) { self.start = max(self.start, min(start, newest)) }

    /// Call when the live stream has proved to be a recording: the window follows the playing readers again.
    mutating func holdBack() { slides = false }

    /// Whether the latest transfer has delivered new bytes.
    var hasProgressed: Bool { newest > newestBefore }

    /// Whether another transfer may follow one that broke off. A transfer that starts over delivers the received bytes
    /// again, so these must be few, and the resource must be identifiable.
    func canBeginAgain(_ known: ResourceState) -> Bool {
        isLive || newest == 0 || newest <= limits.byteCount && (known.byteCount != nil || known.tag != nil)
    }
}
