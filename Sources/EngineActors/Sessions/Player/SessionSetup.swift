// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What is settled when a session is made, and never changes.
struct SessionSetup: Sendable {
    let id: SessionID
    /// The part of the session's URLs that no one can guess.
    let token: String
    let request: LoadRequest
    /// The settings of the engine, with those of the request in their place.
    let settings: PlayerSettings
    /// The record of an earlier process; `nil` unless the session was restored.
    let restored: SessionRecord?
    /// Whether the session replaced another one with the same id.
    let isReplacement: Bool

    init(_ record: SessionRecord, _ origin: PlaybackSession.Origin, _ settings: PlayerSettings) {
        id = record.id
        token = record.token
        request = record.request
        self.settings = settings.overridden(by: record.request.options)
        switch origin {
        case .new: (restored, isReplacement) = (nil, false)
        case .restored(let left): (restored, isReplacement) = (left, false)
        case .replacing: (restored, isReplacement) = (nil, true)
        }
    }
}

extension PlaybackSession {
    package nonisolated var id: SessionID { setup.id }
    package nonisolated var token: String { setup.token }
    nonisolated var request: LoadRequest { setup.request }
    nonisolated var settings: PlayerSettings { setup.settings }
    nonisolated var restored: SessionRecord? { setup.restored }
    nonisolated var isReplacement: Bool { setup.isReplacement }
}
