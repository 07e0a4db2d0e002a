// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Reading

/// Opens the sources of restored sessions, in an order that shows which of them ends the process.
struct SessionRestoration: Sendable {
    let sessions: SessionDirectory
    /// Each session with the crashes that were attributed to it.
    let restored: [(session: PlaybackSession, crashes: CrashHistory)]

    /// After more crashes than this within `crashInterval`, the sources are opened after a pause.
    private static let quickCrashes = 2
    /// In seconds: the interval in which service managers count starts (`StartLimitIntervalSec` of the units).
    private static let crashInterval: Int64 = 60
    /// With this pause, fewer starts fit into `crashInterval` than `StartLimitBurst` allows.
    private static let crashPause = Duration.seconds(5)

    /// Begins to open the sessions, and returns. Those with too many crashes fail instead.
    ///
    /// - Parameter now: in seconds since 1970.
    func begin(at now: Int64) async {
        let groups = Dictionary(grouping: restored) { $0.crashes.restoring }.mapValues { $0.map(\.session) }
        for session in groups[.onlyWhenAsked] ?? [] {
            await session.fail(opening: Self.banned(session.setup.request.source))
        }
        let pause = Self.pause(after: restored.map(\.crashes), at: now)
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

    /// How long to wait before any source is opened: when many sources crash the process, one after the other, it must not
    /// be started more often than a service manager allows, which would end the service for the other sources too.
    static func pause(after histories: [CrashHistory], at now: Int64) -> Duration {
        // A crash may be part of the history of several sessions.
        let recent = histories.lazy.filter { $0.crashes > 0 && now - $0.lastCrash < crashInterval }
        return Set(recent.map(\.lastCrash)).count > quickCrashes ? crashPause : .zero
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
