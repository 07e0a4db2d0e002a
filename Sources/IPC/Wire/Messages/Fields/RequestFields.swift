// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

// What several requests have in common.

extension SessionID {
    /// An empty id means the default session.
    static func wire(_ text: String) -> SessionID? { text.isEmpty ? nil : SessionID(rawValue: text) }
}

extension MediaTime {
    /// Clamps to ±2^53 µs, which is far beyond any timeline and far from overflow. The engine clamps the target of a
    /// seek further, to the timeline, and reports that.
    static func clamped(_ microseconds: Int64) -> MediaTime {
        MediaTime(microseconds: min(max(microseconds, -(1 << 53)), 1 << 53))
    }
}

/// Checks the idempotency id of a request.
///
/// - Throws: `invalidArgument` if it is too long.
func idempotencyID(_ id: String) throws(EngineError) -> String {
    guard id.utf8.count <= 128 else { throw .invalid("request_id", "is longer than 128 bytes") }
    return id
}
