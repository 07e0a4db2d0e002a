// SPDX-License-Identifier: Apache-2.0

/// Identifies one session for the lifetime of the engine.
public struct SessionID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}
