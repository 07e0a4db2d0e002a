// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// A renderer as the playhead's master: what it reports is how things are, whoever asked for it.
extension PlayerStateMachine {
    /// A renderer takes over. It is told what the session wants, and until it says that it does so, the session says that
    /// it was asked.
    package mutating func rendererAttached(at now: Int64) {
        guard !hasRenderer else { return }
        settle(at: now)
        hasRenderer = true
        switch state {
        case .playing, .buffering: enter(.play, at: now)
        default: break
        }
    }

    /// The renderer is gone; the virtual clock goes on from where it was last heard of.
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
        // What has ended is left by going back, whatever else a renderer says of its last moments.
        if case .ended = state, isNearEnd { return }
        enter(next, at: now)
    }

    private var isNearEnd: Bool { duration.map { position + .seconds(0.5) >= $0 } ?? true }

    /// What a playhead that stands is called: one that was just asked to play, or never played, has not paused. Nor has one
    /// that plays at rate 0.
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
