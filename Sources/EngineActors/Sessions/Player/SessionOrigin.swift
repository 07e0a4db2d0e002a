// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// How the session came to be.
package enum SessionOrigin: Sendable {
    case new
    /// Restored from the record of an earlier process.
    case restored(SessionRecord)
    /// Replaces this older session, which has the same id.
    case replacing(PlaybackSession)
    /// Reopens the source of a session that failed to open it. The id, the token and everything in the record stay.
    case reviving(PlaybackSession)

    /// The session whose player, renderer and sinks the new one takes over.
    var predecessor: PlaybackSession? {
        switch self {
        case .new, .restored: nil
        case .replacing(let old), .reviving(let old): old
        }
    }
}
