// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Reading

/// Sessions of an earlier process that are published again, and whose sources are not open yet. Sources are opened in an
/// order that shows which of them ends the process.
package struct SessionRestoration: Sendable {
    /// The sessions that are not restored: those beyond the limit, with an id or a token that is in use, with an empty id,
    /// or with a token that is too short.
    package let lost: [SessionID]
    private let sessions: SessionDirectory
    private let groups: [CrashHistory.Restoring: [PlaybackSession]]
    private let pause: Duration

    /// - Parameters:
    ///   - restored: each session with the crashes that were attributed to it.
    ///   - pause: how long to wait before any source is opened.
    init(
        _ restored: [(session: PlaybackSession, crashes: CrashHistory)],
        lost: [SessionID],
        in sessions: SessionDirectory,
        after pause: Duration
    ) {
        (self.lost, self.sessions, self.pause) = (lost, sessions, pause)
        groups = Dictionary(grouping: restored) { $0.crashes.restoring }.mapValues { $0.map(\.session) }
    }

    /// Fails the sessions with too many crashes.
    func giveUpBanned() async {
        for session in groups[.onlyWhenAsked] ?? [] {
            await session.fail(opening: Self.banned(session.setup.request.source))
        }
    }

    /// Begins to open the sources, and returns. Called once clients are served: opening many sources keeps all cores busy,
    /// which would delay the first answer.
    package func open() {
        // Ends when all sources are open, or their sessions are stopped.
        Task {
            do { try await Task.sleep(for: pause) } catch { return }
            await withDiscardingTaskGroup { group in
                for session in groups[.atOnce] ?? [] { group.addTask { await open(session) } }
            }
            // One at a time and after the others, so that the culprit is known.
            for suspect in groups[.afterTheOthers] ?? [] { await open(suspect) }
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

    static func banned(_ source: String) -> EngineError {
        EngineError(
            .sourceCrashed,
            "\(SourceOpener.shown(source)) is not opened again automatically",
            cause: "the engine has ended \(CrashHistory.limit) times while it opened or played this source"
        )
    }
}
