// SPDX-License-Identifier: Apache-2.0

/// What a watcher wants to hear.
public struct WatchOptions: Hashable, Sendable {
    public enum Scope: Hashable, Sendable {
        /// The default session, whichever it is.
        case defaultSession
        case session(SessionID)
        case allSessions
    }

    public var scope: Scope
    /// At most one time event per interval and session, while the playhead moves. `nil`: none.
    public var timeInterval: Duration?
    public var fields: StateFields
    /// One event per interval holds all that happened in it. `nil`: each event by itself, at once.
    public var batchInterval: Duration?
    /// Whether cues that come and go are told.
    public var hasCues = true
    /// How long before they come cues are told, too. Zero: not before.
    public var cueLead = MediaTime.zero

    public init(
        _ scope: Scope = .defaultSession,
        timeInterval: Duration? = .milliseconds(100),
        fields: StateFields = .all,
        batchInterval: Duration? = nil
    ) {
        self.scope = scope
        self.timeInterval = timeInterval
        self.fields = fields
        self.batchInterval = batchInterval
    }
    /// Whether cues are told before they come.
    package var hearsAhead: Bool { hasCues && cueLead > .zero }

    /// How often it is to be seen whether there is something that time alone brings. `nil`: never.
    package var visitInterval: Duration? { timeInterval ?? (hearsAhead ? .milliseconds(100) : nil) }
}
