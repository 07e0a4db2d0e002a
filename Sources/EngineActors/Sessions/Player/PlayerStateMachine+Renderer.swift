// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// A renderer as the playhead's master: its reports determine the state, whether or not a command caused the change.
extension PlayerStateMachine {
    /// A renderer takes over the playhead. If the session is playing or buffering, it enters `play` until the renderer
    /// reports that it plays.
    package mutating func rendererAttached(at now: Int64) {
        guard !hasRenderer else { return }
        settle(at: now)
        hasRenderer = true
        switch state {
        case .playing, .buffering: enter(.play, at: now)
        default: break
        }
    }

    /// The renderer is gone. The virtual clock continues from the playhead, extrapolated from the renderer's last
    /// report.
    package mutating func rendererDetached(at now: Int64) {
        guard hasRenderer else { return }
        settle(at: now)
        hasRenderer = false
        available = position
        switch state {
        case .play, .playing, .buffering: enter(isAtEnd ? .ended : .buffering, at: now)
        case .pausing: enter(.paused, at: now)
        default: break
        }
    }

    package mutating func rendererReported(_ report: RendererReport, at now: Int64) {
        guard hasRenderer else { return }
        switch state {
        case .idle, .opening, .stopping, .error: return
        case .seeking(let seek) where report.seekID < seek.id: return
        case .seeking(let seek):
            note(.seek(SeekEvent(id: seek.id, stage: .landed, target: seek.target)))
        default: break
        }
        position = max(.zero, duration.map { min($0, report.position) } ?? report.position)
        let next: State =
            if report.hasEnded {
                .ended
            } else if report.isBuffering {
                .buffering
            } else if report.rate > 0 {
                .playing(since: now)
            } else {
                resting(at: now)
            }
        movingRate = report.rate
        // Only a report of a position before the last half second leaves `ended`.
        if case .ended = state, isNearEnd { return }
        enter(next, at: now)
    }

    private var isNearEnd: Bool { duration.map { position + .seconds(0.5) >= $0 } ?? true }

    /// The state while the playhead does not move. A session that was just asked to play, that has never played, or
    /// that plays at rate 0 is not paused.
    private func resting(at now: Int64) -> State {
        switch state {
        case _ where requestedRate == 0 && wantsToPlay: .playing(since: now)
        case .ready: .ready
        case .play: .play
        case .seeking(let seek): seek.thenPlay ? .play : .paused
        default: .paused
        }
    }
}
