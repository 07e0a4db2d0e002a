// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel
internal import EngineRuntime

// Publishing changes, and the timer for changes that need nothing but time.
extension PlaybackSession {
    /// Anchors on lines as close as this count as the same.
    private static let sameLine = MediaTime(microseconds: 20_000)

    /// Must be called after anything that may have changed the state machine.
    func publishChanges() {
        publishEffects()
        publishClock()
        showCues()
        rearm()
    }

    func publishEffects() {
        for effect in machine.takeEffects() {
            switch effect {
            case .seek(let event):
                hub.seek(id, event)
                if event.stage == .began { sendToRenderer(.seek(id: event.id, position: event.target)) }
            case .timedOut(let phase, let time):
                let seconds = Double(time.nanoseconds) / 1e9
                hub.notice(id, Notice(.warning, "player.timeout", "\(phase.rawValue) has lasted \(seconds) s"))
            case .leftEnd: sendToRenderer(.pause)
            case .looped: break  // The published position shows it.
            }
        }
    }

    func publishClock() {
        let now = monotonicNanoseconds()
        let phase = machine.phase
        if counters.noteStall(phase.name, at: now) { publishStatisticsSoon() }
        let anchor = machine.anchor(at: now)
        let chapter = media.opened?.chapters.index(at: machine.playhead(at: now))
        let controls = controls
        let isLooping = machine.isLooping
        let name = outputs.software == nil ? renderer?.name : nil
        hub.update(id) { state in
            state.phase = phase
            state.chapter = chapter
            state.volume = controls.volume
            state.isMuted = controls.isMuted
            state.isLooping = isLooping
            state.renderer = name
            if !anchor.continues(state.position, within: Self.sameLine) { state.position = anchor }
        }
    }

    // MARK: Alarm

    /// The session's only timer. It fires only when something changes; nothing runs in between.
    struct Alarm {
        var task: Task<Void, Never>?
        /// When the task wakes. If `due` has moved later by then, the timer is armed again.
        var wake: Int64?
        /// The next moment at which something changes.
        var due: Int64?
    }

    func rearm() {
        let now = monotonicNanoseconds()
        // Anything overdue has just been handled.
        alarm.due = isStopped ? nil : nextMoment.map { max($0, now + 1_000_000) }
        guard !isStopped else {
            alarm.task?.cancel()
            return
        }
        guard let due = alarm.due, due < alarm.wake ?? .max else { return }
        alarm.task?.cancel()
        alarm.wake = due
        alarm.task = Task { [weak self] in
            do { try await Task.sleep(for: .nanoseconds(due - now)) } catch { return }
            await self?.ring(due)
        }
    }

    private func ring(_ wake: Int64) {
        guard alarm.wake == wake, !isStopped else { return }
        alarm.wake = nil
        let now = monotonicNanoseconds()
        guard let due = alarm.due, due <= now else { return rearm() }
        dropSilentRenderer(at: now)
        let (before, place) = (machine.phase.name, machine.playhead(at: now))
        machine.tick(at: now)
        publishChanges()
        let hasJumped = machine.playhead(at: now) < place
        if machine.needsMedia, hasJumped || machine.phase.name != before { restartClock() }
    }

    private var nextMoment: Int64? {
        [machine.deadline, chapterMoment, silenceMoment, cueMoment].compactMap(\.self).min()
    }

    /// When the playhead enters the next chapter.
    private var chapterMoment: Int64? {
        let anchor = machine.anchor(at: 0)
        guard anchor.rate > 0, let chapters = media.opened?.chapters, !chapters.isEmpty else { return nil }
        let place = machine.playhead(at: monotonicNanoseconds())
        guard let boundary = chapters.boundary(after: place) else { return nil }
        let wait = Double((boundary - anchor.position).microseconds) / anchor.rate * 1000
        return anchor.monotonicNanoseconds + Int64(min(wait, 86_400e9)) + 1000
    }
}

extension PositionAnchor {
    /// Whether this anchor says the same as `earlier`. For anchors at rest only the position counts, not when it was
    /// taken; a moving anchor must lie on the same line, within `tolerance`.
    func continues(_ earlier: PositionAnchor, within tolerance: MediaTime) -> Bool {
        guard rate == earlier.rate, requestedRate == earlier.requestedRate else { return false }
        guard rate != 0 else { return position == earlier.position }
        let drift = position - earlier.position(at: monotonicNanoseconds)
        return drift <= tolerance && .zero - drift <= tolerance
    }
}
