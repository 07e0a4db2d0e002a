// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

// Selects the next event of a watch.
extension WatchHub {
    /// One event to send: as bytes that all watchers share, or as a value in a batch.
    private enum Item {
        case snapshot(SessionEntry)
        case delta(SessionEntry, StateFields)
        case gap(Int)
        case discrete(Watcher.RingEntry)
        case time(SessionEntry)

        func framed(_ fields: StateFields, now: Int64) -> [UInt8] {
            switch self {
            case .snapshot(let entry): entry.snapshot(fields)
            case .delta(let entry, let changed): entry.delta(changed)
            case .gap(let dropped): WatchEvent.gap(dropped: dropped).framed()
            case .discrete(let entry): entry.bytes
            case .time(let entry): entry.timeEvent(now: now)
            }
        }

        func event(now: Int64) -> WatchEvent {
            switch self {
            case .snapshot(let entry): .snapshot(entry.state)
            case .delta(let entry, let changed): .delta(StateDelta(fields: changed, state: entry.state))
            case .gap(let dropped): .gap(dropped: dropped)
            case .discrete(let entry): entry.event
            case .time(let entry): .time(entry.time(at: now))
            }
        }
    }

    /// The next event of a watch. Order: states, the gap, notices and seeks, cues, ends of sessions, time.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    func next(for watcher: Watcher, now: Int64) -> Next {
        notifyWatches()
        if let interval = watcher.options.batchInterval {
            if watcher.hasEvents { return nextBatch(watcher, interval, now) }
        } else if let item = nextItem(watcher, now) {
            return .event(item.framed(watcher.options.fields, now: now))
        }
        if case .session = watcher.options.scope, watcher.slots.isEmpty { return .finished }
        watcher.sleep()
        return .nothing
    }

    /// All pending events as one batch, at most once per interval. It contains each state once, in its current form.
    private func nextBatch(_ watcher: Watcher, _ interval: Duration, _ now: Int64) -> Next {
        guard now >= watcher.batchDue else { return .later(watcher.batchDue) }
        var events: [WatchEvent] = []
        while let item = nextItem(watcher, now) { events.append(item.event(now: now)) }
        guard !events.isEmpty else {
            watcher.sleep()
            return .nothing
        }
        watcher.sentBatch(at: now, interval)
        return .event(WatchEvent.batch(events).framed(snapshotFields: watcher.options.fields))
    }

    private func nextItem(_ watcher: Watcher, _ now: Int64) -> Item? {
        if let item = nextState(watcher) { return item }
        if let dropped = watcher.takeDropped() { return .gap(dropped) }
        if let entry = watcher.popRing() { return .discrete(entry) }
        if let entry = nextCue(watcher, now) { return .discrete(entry) }
        if let index = watcher.slots.firstIndex(where: { $0.closing != nil }) {
            return watcher.slots.remove(at: index).closing.map { .discrete($0) }
        }
        return nextTime(watcher)
    }

    private func nextState(_ watcher: Watcher) -> Item? {
        for index in watcher.slots.indices {
            let slot = watcher.slots[index]
            guard slot.needsSnapshot || !slot.pending.isEmpty, let entry = entries[slot.session] else { continue }
            // The cues on screen are sent after the snapshot.
            if slot.needsSnapshot, watcher.options.hasCues { watcher.slots[index].cues.isStale = true }
            watcher.slots[index].needsSnapshot = false
            watcher.slots[index].pending = []
            return slot.needsSnapshot ? .snapshot(entry) : .delta(entry, slot.pending)
        }
        return nil
    }

    private func nextTime(_ watcher: Watcher) -> Item? {
        for index in watcher.slots.indices where watcher.slots[index].isTimeDue {
            watcher.slots[index].isTimeDue = false
            guard let entry = entries[watcher.slots[index].session], entry.isMoving else { continue }
            return .time(entry)
        }
        return nil
    }
}
