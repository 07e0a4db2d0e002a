// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// How the session came to be.
package enum SessionOrigin: Sendable {
    case new
    /// Restored from the record of an earlier process.
    case restored(SessionRecord)
    /// Replaces this older session, which has the same id.
    case replacing(PlaybackSession)

    /// The player's actions once the source is open, unless commands change them in the meantime.
    func opening(_ record: SessionRecord) -> PlayerOpening {
        switch self {
        case .new, .replacing: .init(thenPlay: record.request.options.isAutoplay)
        case .restored(let left): .init(thenPlay: left.isPlaying, rest: left.rest)
        }
    }
}
