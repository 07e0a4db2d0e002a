// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The cues of one session that were sent to one watch. `next` returns, one by one, the events that bring the watch up
/// to date with the cues on screen and those announced ahead.
struct SentCues {
    /// In the order in which they were sent.
    private var shown: [Cue] = []
    private var ahead: Set<UInt64> = []
    /// The delay with which the cues in `ahead` were announced.
    private var delay = MediaTime.zero
    /// Whether `next` may have an event.
    var isStale = false

    /// The next missing event: first for cues that disappear, then for those that appear, then for those announced
    /// ahead.
    ///
    /// - Parameter horizon: cues that appear no later than this, with the delay included, are announced ahead. `nil`:
    ///   none.
    mutating func next(_ cues: ScreenCues, ahead horizon: MediaTime?) -> (stage: CueEvent.Stage, cue: Cue)? {
        let wanted = Set(cues.shown.lazy.map(\.id))
        if let place = shown.firstIndex(where: { !wanted.contains($0.id) }) {
            return (.disappeared, shown.remove(at: place))
        }
        let known = Set(shown.lazy.map(\.id))
        if let cue = cues.shown.first(where: { !known.contains($0.id) }) {
            shown.append(cue)
            return (.appeared, cue)
        }
        if let horizon {
            // A changed delay moves the announced cues, so they are announced again.
            if delay != cues.delay { (ahead, delay) = ([], cues.delay) }
            ahead.formIntersection(cues.upcoming.map(\.id))
            let near = cues.upcoming.prefix { $0.start + cues.delay <= horizon }
            if let cue = near.first(where: { !ahead.contains($0.id) }) {
                ahead.insert(cue.id)
                return (.ahead, cue)
            }
        }
        isStale = false
        return nil
    }
}

extension WatchHub {
    func show(_ cues: ScreenCues, in session: SessionID) {
        guard let entry = entries[session] else { return }
        entry.show(cues)
        markCues(of: session)
    }

    func nextCue(_ watcher: Watcher, _ now: Int64) -> Watcher.RingEntry? {
        guard watcher.options.hasCues else { return nil }
        for index in watcher.slots.indices where watcher.slots[index].cues.isStale {
            guard let entry = entries[watcher.slots[index].session] else { continue }
            let horizon =
                watcher.options.reportsCuesAhead ? entry.clampedPosition(at: now) + watcher.options.cueLead : nil
            if let event = watcher.slots[index].cues.next(entry.cues, ahead: horizon) {
                return entry.cueEvent(event.stage, event.cue)
            }
        }
        return nil
    }
}
