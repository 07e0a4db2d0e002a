// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Keeps an engine's sessions in its journal, and publishes a notice if that fails.
///
/// Thread-safety: safe.
package struct SessionKeeping: Sendable {
    /// `nil`: nothing outlives the process.
    let journal: SessionJournal?
    let hub: EventHub
    let sessions: SessionDirectory

    /// Returns once the journal has written the present state of the session, or has failed to, so that the change can
    /// be acknowledged.
    func keep(_ session: PlaybackSession) async {
        guard let journal, let number = await session.note().number else { return }
        report(await journal.settle(number), of: session.id)
    }

    /// Like `keep`, but does nothing if the session's slot already holds everything that `command` changed.
    func keep(_ session: PlaybackSession, after command: Command) async {
        guard let journal, !journal.keeps(command, in: session.setup.slot) else { return }
        await keep(session)
    }

    /// Keeps the present state of every session.
    ///
    /// - Returns: whether any of them plays, and the reason if they could not be kept.
    package func keepAll() async -> (isPlaying: Bool, trouble: EngineError?) {
        guard let journal else { return (false, nil) }
        var (isPlaying, last) = (false, UInt64(0))
        let all = sessions.all
        for session in all {
            let noted = await session.note()
            isPlaying = isPlaying || noted.isPlaying
            last = max(last, noted.number ?? 0)
        }
        let trouble = await journal.settle(last)
        for session in all { report(trouble, of: session.id) }
        return (isPlaying, trouble)
    }

    /// Removes a session that was stopped. Returns once the journal has written that, or has failed to.
    func end(_ session: PlaybackSession) async {
        guard let journal, let number = journal.end(session.id, token: session.token) else { return }
        _ = await journal.settle(number)
    }

    /// Returns once the journal has written every change up to now, or has failed to.
    func settleAll() async { await journal?.settleAll() }

    private func report(_ trouble: EngineError?, of id: SessionID) {
        if let notice = journal?.notice(trouble, for: id) { hub.notice(id, notice) }
    }
}
