// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel
internal import EngineRuntime

/// Decodes the audio of sessions for clients, independently of playback.
///
/// Thread-safety: safe.
final class AudioTaps: Sendable {
    /// The maximum number of audio taps per session.
    static let limit = 4

    private let hub: EventHub
    private let sessions: SessionDirectory
    /// The number of audio taps of each session.
    private let counts = Locked<[SessionID: Int]>([:])

    init(_ hub: EventHub, _ sessions: SessionDirectory) {
        self.hub = hub
        self.sessions = sessions
    }

    /// - Throws: `resourceExhausted` if the session already has `limit` taps; `trackNotFound` if it plays no audio.
    func tap(
        _ request: AudioTapRequest,
        of session: PlaybackSession,
        _ state: SessionState
    ) async throws(EngineError) -> any PieceSource<TappedAudio> {
        let id = state.id
        guard counts.withLock({ $0[id, default: 0] }) < Self.limit else {
            throw EngineError(.resourceExhausted, "session \(id.rawValue) already has \(Self.limit) audio taps")
        }
        await session.untilOpen()
        guard hub.state(of: id)?.selectedAudio != nil else {
            throw EngineError(.trackNotFound, "\(state.source) has no audio track that is played")
        }
        counts.withLock { $0[id, default: 0] += 1 }
        let follower = TapFollower(hub.state(of: id) ?? state)
        hub.add(follower)
        return AttributedPieces(to: session.setup.tag) {
            AudioTap(request, follower: follower) { [sessions] in
                guard let session = sessions[id] else { return nil }
                await session.untilOpen()
                return await session.openedMedia
            } onEnd: { [hub, counts] in
                hub.remove(follower)
                counts.withLock { counts in counts[id] = counts[id].flatMap { $0 > 1 ? $0 - 1 : nil } }
            }
        }
    }
}
