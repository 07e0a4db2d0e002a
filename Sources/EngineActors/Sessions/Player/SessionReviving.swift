// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// Continues what a failure of the open source has interrupted, when the source may be readable again: after a refresh,
/// or when a client plays or seeks.
///
/// Belongs to the session's actor.
final class SessionReviving {
    private let setup: SessionSetup
    private let media: SessionMedia
    private let transport: SessionTransport
    private let software: SoftwarePath
    private let planning: SessionPlanning

    init(_ parts: SessionParts, _ software: SoftwarePath, _ planning: SessionPlanning) {
        (setup, media, transport) = (parts.setup, parts.media, parts.transport)
        (self.software, self.planning) = (software, planning)
    }

    /// Changes how the open source is fetched, and continues what a failure has interrupted.
    ///
    /// - Parameter interrupt: ends the wait for the server. The source then stays as it was.
    /// - Throws: the error of a session that has failed for good; `unavailable` while the source is not open; errors of
    ///   the new URL.
    func refresh(
        by refresh: SourceRefresh,
        _ interrupt: InterruptFlag,
        on session: isolated PlaybackSession
    ) async throws(EngineError) {
        if let error = transport.player.machine.state.finalError { throw error.final(for: setup.id) }
        try await media.refresh(setup.request, by: refresh, interrupt)
        await continueRefreshed(on: session)
    }

    /// Publishes that the source has been refreshed, and continues what a failure has interrupted.
    func continueRefreshed(on session: isolated PlaybackSession) async {
        setup.publish { [source = media.refreshed(setup.request).source] in $0.source = SourceOpener.shown(source) }
        await attempt(on: session)
    }

    /// Continues what a failure has interrupted, and a failed scan, if the source is open.
    func attempt(on session: isolated PlaybackSession) async {
        let isInterrupted = transport.player.machine.state.interrupted != nil
        guard !media.isStopped, isInterrupted || planning.canResume else { return }
        media.retry()
        planning.resume()
        guard isInterrupted else { return }
        await software.restart(on: session) {
            transport.change(isolation: session) { player, now in player.revive(in: media, at: now) }
        }
        transport.refresh(.restarts)
    }
}
