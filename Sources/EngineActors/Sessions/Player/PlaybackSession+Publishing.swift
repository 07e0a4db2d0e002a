// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel
internal import EngineRuntime

// What is published of a change of the player. Callers change the player through `change`.
extension PlaybackSession {
    /// Anchors on lines as close as this count as the same.
    private static let sameLine = MediaTime(microseconds: 20_000)

    func publishEffects() {
        for effect in player.machine.takeEffects() {
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
        let phase = player.machine.phase
        if counters.noteStall(phase.name, at: now) { publishStatisticsSoon() }
        let anchor = player.machine.anchor(at: now)
        let chapter = media.opened?.chapters.index(at: player.machine.playhead(at: now))
        let controls = player.controls
        let isLooping = player.machine.isLooping
        let name = outputs.software == nil ? player.renderer?.name : nil
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
