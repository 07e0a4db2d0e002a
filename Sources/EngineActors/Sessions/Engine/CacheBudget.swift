// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The memory that the caches of an engine may take. It is reduced while memory is short.
///
/// Thread-safety: safe.
final class CacheBudget: Sendable {
    /// The caches are halved at most this many times.
    static let limit = 4

    private let full: Int
    private let halvings = Locked(0)

    /// - Parameter bytes: for the finished segments of all sessions.
    init(bytes: Int) { full = bytes }

    /// The number of times that the caches are halved at present.
    var share: Int { halvings.withLock { $0 } }

    /// The bytes for the finished segments of all sessions.
    var bytes: Int { full >> share }

    func shrink() { halvings.withLock { $0 = min(Self.limit, $0 + 1) } }

    /// - Returns: whether the caches have their full size again.
    func grow() -> Bool {
        halvings.withLock { halvings in
            halvings = max(0, halvings - 1)
            return halvings == 0
        }
    }
}
