// SPDX-License-Identifier: Apache-2.0

/// The events that a watcher requests.
public struct WatchOptions: Hashable, Sendable {
    public enum Scope: Hashable, Sendable {
        /// The default session, whichever session that currently is.
        case defaultSession
        case session(SessionID)
        case allSessions
    }

    public var scope: Scope
    /// At most one time event per interval and session, while the playhead moves. `nil`: no time events.
    public var timeInterval: Duration?
    public var fields: StateFields
    /// All events of an interval are sent as one. `nil`: each event is sent at once, by itself.
    public var batchInterval: Duration?
    /// Whether to report cues that appear and disappear.
    public var hasCues = true
    /// How long in advance cues are also reported. Zero: not in advance.
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
    /// Whether cues are reported in advance.
    package var reportsCuesAhead: Bool { hasCues && cueLead > .zero }

    /// How often to check for events caused by the passage of time alone. `nil`: never.
    package var visitInterval: Duration? { timeInterval ?? (reportsCuesAhead ? .milliseconds(100) : nil) }
}
