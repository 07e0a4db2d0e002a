// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

// Sessions that outlive the process.
extension Engine {
    /// Restores the sessions of an earlier process, with their ids and URLs. Does not wait for their sources, which are
    /// opened in the background. A session whose source cannot be opened remains, in the error phase: the disk or share
    /// may come back later. A source that ended the process too often is not opened; its session remains in the error
    /// phase too.
    ///
    /// - Parameter losses: what the journal could not read; published as a notice of each session.
    /// - Returns: the sessions that are not restored: those beyond the limit, with an id or a token that is in use,
    ///   with an empty id, or with a token that is too short.
    package func restore(_ records: [SessionRecord], losses: [String] = []) async -> [SessionID] {
        var lost: [SessionID] = []
        var restored: [(PlaybackSession, CrashHistory)] = []
        for record in records {
            guard sessions.count < maker.configuration.sessionLimit, sessions.isFree(record) else {
                lost.append(record.id)
                continue
            }
            sessions.reserve(record.id)
            restored.append((maker.add(record, isRestored: true), record.crashes))
            if !losses.isEmpty {
                hub.notice(record.id, Notice(.warning, "journal.damaged", losses.joined(separator: "; ")))
            }
        }
        // Before any source is opened: if one ends this process too, the next process must know.
        let kept = await keeping.keepAll()
        await keeping.journal?.takeOver(areRowsKept: kept.trouble == nil)
        await shareBudget()
        await SessionRestoration(sessions: sessions, restored: restored).begin(at: wallClockSeconds())
        for (session, _) in restored { await services.recordings.resume(session) }
        return lost
    }
}
