// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Opens the sources of restored sessions, in an order that shows which of them ends the process.
struct SessionRestoration: Sendable {
    let sessions: SessionDirectory
    /// Each with the crashes that were attributed to it.
    let restored: [(session: PlaybackSession, crashes: CrashHistory)]

    /// Begins to open the sessions, and returns. Those with too many crashes fail instead.
    func begin() async {
        let groups = Dictionary(grouping: restored) { $0.crashes.restoring }.mapValues { $0.map(\.session) }
        for session in groups[.onlyWhenAsked] ?? [] {
            await session.fail(opening: Self.banned(session.setup.request.source))
        }
        let openings = (groups[.atOnce] ?? []).map { session in
            // Ends when the source is open, or when the session is stopped.
            Task { await open(session) }
        }
        let suspects = groups[.afterTheOthers] ?? []
        // One at a time and after the others, so that the culprit is known. Ends like the tasks above.
        Task {
            for opening in openings { await opening.value }
            for suspect in suspects { await open(suspect) }
        }
    }

    private func open(_ session: PlaybackSession) async {
        guard sessions.lists(session) else { return }
        do throws(EngineError) {
            try await session.setup.attributed { () async throws(EngineError) in try await session.open() }
        } catch {
            if sessions.lists(session) { await session.fail(opening: error) }
        }
    }

    private static func banned(_ source: String) -> EngineError {
        EngineError(
            .sourceCrashed,
            "\(source) is not opened again automatically",
            cause: "the engine has ended \(CrashHistory.limit) times while it opened or played this source"
        )
    }
}
