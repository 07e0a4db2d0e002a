// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The readers of a source: which of them wait, and for which bytes. Pure except that it wakes readers.
struct SourceReaders: Sendable {
    private var signals: [UInt64: WakeSignal] = [:]
    private var waiting: [UInt64: Range<Int64>] = [:]
    private var followers: Set<UInt64> = []

    var isEmpty: Bool { signals.isEmpty }

    /// The ranges that readers wait for.
    var wanted: [Range<Int64>] { Array(waiting.values) }

    /// - Parameter isFollower: whether the reader does not move the window of a source without ranges.
    mutating func add(_ reader: UInt64, _ signal: WakeSignal, isFollower: Bool) {
        signals[reader] = signal
        if isFollower { followers.insert(reader) }
    }

    mutating func remove(_ reader: UInt64) {
        signals[reader] = nil
        waiting[reader] = nil
        followers.remove(reader)
    }

    func isFollower(_ reader: UInt64) -> Bool { followers.contains(reader) }

    func isWaiting(_ reader: UInt64) -> Bool { waiting[reader] != nil }

    mutating func wait(_ reader: UInt64, for range: Range<Int64>) { waiting[reader] = range }

    mutating func hasRead(_ reader: UInt64) { waiting[reader] = nil }

    /// Whether a reader waits for a byte before `end` that is not held.
    func awaitBytes(before end: Int64, beyond held: RangeSet64) -> Bool {
        wanted.contains { $0.lowerBound < end && held.firstHeld(in: $0)?.lowerBound != $0.lowerBound }
    }

    /// The readers whose wanted range starts in `range`.
    func waiting(in range: Range<Int64>) -> [UInt64] {
        waiting.filter { range.contains($0.value.lowerBound) }.map(\.key)
    }

    /// Wakes the readers whose wanted range starts in `range`.
    func wake(waitingIn range: Range<Int64>) { for reader in waiting(in: range) { signals[reader]?.call() } }

    func wakeAll() { for signal in signals.values { signal.call() } }
}
