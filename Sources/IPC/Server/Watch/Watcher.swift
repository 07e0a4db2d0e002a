// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The pending events of one watch. Bounded: one mask per session and a ring of discrete events; nothing grows with the
/// number of changes.
///
/// Pure; used only on the event loop. `WatchHub` feeds and drains it.
final class Watcher {
    static let ringCapacity = 32

    let options: WatchOptions
    /// Called once when `WatchHub.next` has an event again, and not again until `next` has returned `.nothing`.
    let wake: () -> Void
    /// The sessions that this watch follows, in the order in which it started to follow them.
    var slots: [Slot] = []
    private(set) var ring: [RingEntry] = []
    private(set) var droppedCount = 0
    private var isAwake = true
    /// Its index in `WatcherList`.
    private(set) var listIndex = 0

    init(options: WatchOptions, wake: @escaping () -> Void) {
        self.options = options
        self.wake = wake
    }

    /// One session as followed by one watch.
    struct Slot {
        let session: SessionID
        var needsSnapshot = true
        /// Groups that changed since the last event that carried them.
        var pending: StateFields = []
        var isTimeDue = false
        /// The cues that this watch has been sent.
        var cues = SentCues()
        /// The `closed` event, once the session has ended.
        var closing: RingEntry?

        var hasEvents: Bool { needsSnapshot || !pending.isEmpty || isTimeDue || closing != nil || cues.isStale }
    }

    /// A discrete event, encoded once for all watches.
    struct RingEntry {
        let event: WatchEvent
        let bytes: [UInt8]

        init(_ event: WatchEvent) {
            self.event = event
            bytes = event.framed()
        }
    }

    /// No batch may be sent before this moment, in nanoseconds of CLOCK_MONOTONIC. Used only if batches were requested.
    private(set) var batchDue: Int64 = 0

    var hasEvents: Bool { !ring.isEmpty || droppedCount > 0 || slots.contains { $0.hasEvents } }

    func place(at index: Int) { listIndex = index }

    /// A batch was sent at `now`. The next one follows after `interval` at the earliest.
    func sentBatch(at now: Int64, _ interval: Duration) { batchDue = now + Int64(interval / .nanoseconds(1)) }

    func slotIndex(_ session: SessionID) -> Int? { slots.firstIndex { $0.session == session } }

    /// Records those of the changed groups that this watch has requested.
    func note(_ changed: StateFields, of session: SessionID) {
        let relevant = changed.intersection(options.fields)
        guard !relevant.isEmpty, let index = slotIndex(session) else { return }
        slots[index].pending.formUnion(relevant)
        signal()
    }

    /// Adds a discrete event; drops the oldest if the ring is full.
    func push(_ entry: RingEntry) {
        if ring.count == Self.ringCapacity {
            ring.removeFirst()
            droppedCount += 1
        }
        ring.append(entry)
        signal()
    }

    func popRing() -> RingEntry? { ring.isEmpty ? nil : ring.removeFirst() }

    func takeDropped() -> Int? {
        defer { droppedCount = 0 }
        return droppedCount == 0 ? nil : droppedCount
    }

    func signal() {
        guard !isAwake else { return }
        isAwake = true
        wake()
    }

    /// Called when `next` has no more events. The next event then calls `wake`.
    func sleep() { isAwake = false }
}
