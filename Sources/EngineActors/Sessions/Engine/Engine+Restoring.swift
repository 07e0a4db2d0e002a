// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

// Sessions that outlive the process.
extension Engine {
    /// Restores the sessions of an earlier process, with their ids and URLs. Does not wait for their sources, which are
    /// opened in the background. A session whose source cannot be opened stays, in the error phase: the disk or share
    /// may come back later.
    ///
    /// - Returns: the sessions that are not restored: those beyond the limit, with an id or a token that is in use,
    ///   with an empty id, or with a token that is too short.
    package func restore(_ records: [SessionRecord]) async -> [SessionID] {
        var lost: [SessionID] = []
        for record in records {
            guard sessions.count < configuration.sessionLimit, isFree(record) else {
                lost.append(record.id)
                continue
            }
            sessions.reserve(record.id)
            let session = add(record, isRestored: true)
            // Ends when the source is open, or when the session is stopped.
            Task {
                do throws(EngineError) { try await session.open() } catch {
                    if sessions.lists(session) { await session.fail(opening: error) }
                }
            }
        }
        await shareBudget()
        return lost
    }

    private func isFree(_ record: SessionRecord) -> Bool {
        sessions[record.id] == nil && !record.id.rawValue.isEmpty
            && record.token.utf8.count >= 32 && sessions.session(token: record.token) == nil
    }

    /// Everything that `restore` needs, in the order of loading.
    package func records() async -> [SessionRecord] {
        var records: [SessionRecord] = []
        for state in hub.sessions.sessions {
            guard let session = sessions[state.id] else { continue }
            var record = await session.record()
            record.revision = state.revision
            records.append(record)
        }
        return records
    }
}
