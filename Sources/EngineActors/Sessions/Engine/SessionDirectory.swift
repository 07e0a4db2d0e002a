// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// The sessions of an engine, by id and by the token in their URLs, and the numbers that it has assigned.
///
/// Thread-safety: safe. Every command and every HTTP request reads the directory from outside the engine's actor; only
/// that actor changes it.
final class SessionDirectory: Sendable {
    private struct Content {
        var sessions: [SessionID: PlaybackSession] = [:]
        var byToken: [String: PlaybackSession] = [:]
        var nextID = 1
        var lastRenderer: UInt64 = 0
        /// The part of a session's URL before the token, such as `http://127.0.0.1:8080`.
        var baseURL = ""
    }

    private let content = Locked(Content())

    // MARK: Sessions

    var all: [PlaybackSession] { content.withLock { Array($0.sessions.values) } }
    var count: Int { content.withLock { $0.sessions.count } }

    subscript(id: SessionID) -> PlaybackSession? { content.withLock { $0.sessions[id] } }

    /// Whether the engine still lists this session, which may have been stopped or replaced.
    func lists(_ session: PlaybackSession) -> Bool { self[session.id] === session }

    /// Adds a session, or replaces the one with the same id. From now on players can reach it.
    func add(_ session: PlaybackSession) {
        content.withLock { content in
            if let old = content.sessions.updateValue(session, forKey: session.id) { content.byToken[old.token] = nil }
            content.byToken[session.token] = session
        }
    }

    /// Hides the session from players. Clients can still reach it.
    func hide(_ session: PlaybackSession) { content.withLock { $0.byToken[session.token] = nil } }

    /// - Returns: the session that was removed; `nil` if there was none.
    func remove(_ id: SessionID) -> PlaybackSession? {
        content.withLock { content in
            guard let session = content.sessions.removeValue(forKey: id) else { return nil }
            content.byToken[session.token] = nil
            return session
        }
    }

    /// Whether the id and the token of a session of an earlier process are valid and free.
    func isFree(_ record: SessionRecord) -> Bool {
        self[record.id] == nil && !record.id.rawValue.isEmpty
            && record.token.utf8.count >= 32 && session(token: record.token) == nil
    }

    // MARK: Numbers

    func nextID() -> SessionID {
        content.withLock { content in
            defer { content.nextID += 1 }
            return SessionID(rawValue: "\(content.nextID)")
        }
    }

    /// Makes `nextID` skip an id that an earlier process assigned.
    func reserve(_ id: SessionID) {
        guard let number = Int(id.rawValue), number < 1 << 53 else { return }
        content.withLock { $0.nextID = max($0.nextID, number + 1) }
    }

    func nextRenderer() -> UInt64 {
        content.withLock { content in
            content.lastRenderer += 1
            return content.lastRenderer
        }
    }

    // MARK: URLs and tokens

    func serve(at baseURL: String) { content.withLock { $0.baseURL = baseURL } }

    func masterURL(_ token: String) -> String { SessionURLs.master(content.withLock(\.baseURL), token) }

    func session(token: String) -> PlaybackSession? { content.withLock { $0.byToken[token] } }

    /// The time it takes does not reveal how much of the token is correct.
    func isValid(token: String) -> Bool {
        content.withLock { content in
            var isFound = false
            for known in content.byToken.keys where Self.isEqual(known, token) { isFound = true }
            return isFound
        }
    }

    private static func isEqual(_ lhs: String, _ rhs: String) -> Bool {
        guard lhs.utf8.count == rhs.utf8.count else { return false }
        return zip(lhs.utf8, rhs.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 160 random bits in hexadecimal.
    static func makeToken() -> String { Hexadecimal.text(randomBytes(20)) }
}
