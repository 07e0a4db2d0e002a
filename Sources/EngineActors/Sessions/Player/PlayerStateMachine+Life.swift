// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// The life of a session: opening, failing, stopping.
extension PlayerStateMachine {
    package mutating func failed(_ error: EngineError, at now: Int64) {
        switch state {
        case .error, .stopping, .idle: return
        default: break
        }
        settle(at: now)
        supersede()
        enter(.error(error), at: now)
    }

    /// Another source is being opened in place of the old one, with its own settings. The requested rate is kept,
    /// clamped to the new range.
    package mutating func reopened(
        at start: MediaTime,
        opening: Opening = Opening(),
        settings: PlayerSettings,
        at now: Int64
    ) {
        if case .stopping = state { return }
        supersede()
        self.settings = settings
        _ = setRate(requestedRate, at: now)
        position = start
        available = start
        availableFromStart = .zero
        duration = nil
        enter(.opening(opening), at: now)
    }

    package mutating func stopping(at now: Int64) {
        if case .stopping = state { return }
        settle(at: now)
        supersede()
        enter(.stopping, at: now)
    }

    package mutating func stopped(at now: Int64) {
        guard case .stopping = state else { return }
        enter(.idle, at: now)
    }
}
