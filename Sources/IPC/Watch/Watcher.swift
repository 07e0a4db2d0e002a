// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What one watch has yet to hear. Bounded: a mask a session, a ring of notices, and nothing that grows with changes.
///
/// Pure; lives on the event loop. `WatchHub` feeds and drains it.
final class Watcher {
    static let ringCapacity = 32

    let options: WatchOptions
    /// Says that `WatchHub.next` has something again. Called once, until `next` has answered `.nothing`.
    let wake: () -> Void
    /// The sessions this watch follows, in the order it met them.
    var slots: [Slot] = []
    private(set) var ring: [RingEntry] = []
    private(set) var droppedCount = 0
    private var isAwake = true
    /// Where `WatcherList` keeps it.
    var place = 0

    init(options: WatchOptions, wake: @escaping () -> Void) {
        self.options = options
        self.wake = wake
    }

    /// One session in the eyes of one watch.
    struct Slot {
        let session: SessionID
        var needsSnapshot = true
        /// Groups that changed since the last event about them.
        var pending: StateFields = []
        var isTimeDue = false
        /// What this watch knows to be on the screen, and to come.
        var cues = CueKnowledge()
        /// Set once the session is gone: the event that says so.
        var closing: RingEntry?

        var hasNews: Bool { needsSnapshot || !pending.isEmpty || isTimeDue || closing != nil || cues.isStale }
    }

    /// A discrete event, encoded once for everybody.
    struct RingEntry {
        let event: WatchEvent
        let bytes: [UInt8]

        init(_ event: WatchEvent) {
            self.event = event
            bytes = event.framed()
        }
    }

    /// Before this moment no batch may be sent. Nanoseconds of CLOCK_MONOTONIC; only where batches were asked for.
    var batchDue: Int64 = 0

    var hasNews: Bool { !ring.isEmpty || droppedCount > 0 || slots.contains { $0.hasNews } }

    func slotIndex(_ session: SessionID) -> Int? { slots.firstIndex { $0.session == session } }

    /// Takes the groups it asked for of those that changed.
    func note(_ changed: StateFields, of session: SessionID) {
        let relevant = changed.intersection(options.fields)
        guard !relevant.isEmpty, let index = slotIndex(session) else { return }
        slots[index].pending.formUnion(relevant)
        signal()
    }

    /// Adds a discrete event; the oldest gives way when there is no room.
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

    /// `next` has nothing more; the next event must wake.
    func sleep() { isAwake = false }
}
