// SPDX-License-Identifier: Apache-2.0

/// Identifies one session. A session that is restored by a later process keeps its id.
public struct SessionID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}
