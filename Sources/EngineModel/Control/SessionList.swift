// SPDX-License-Identifier: Apache-2.0

/// All sessions in the order they were loaded, and the id of the default session.
public struct SessionList: Hashable, Sendable {
    public var sessions: [SessionState]
    public var defaultSession: SessionID?

    public init(sessions: [SessionState], defaultSession: SessionID?) {
        self.sessions = sessions
        self.defaultSession = defaultSession
    }
}
