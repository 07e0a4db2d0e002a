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
        let isAdmitted = counts.withLock { counts in
            let count = counts[id, default: 0]
            if count < Self.limit { counts[id] = count + 1 }
            return count < Self.limit
        }
        guard isAdmitted else {
            throw EngineError(.resourceExhausted, "session \(id.rawValue) already has \(Self.limit) audio taps")
        }
        await session.untilOpen()
        guard hub.state(of: id)?.selectedAudio != nil else {
            release(id)
            throw EngineError(.trackNotFound, "\(state.source) has no audio track that is played")
        }
        let follower = TapFollower(hub.state(of: id) ?? state)
        hub.add(follower)
        return AttributedPieces(to: session.setup.tag) {
            AudioTap(request, follower: follower) { [sessions] in
                guard let session = sessions[id] else { return nil }
                await session.untilOpen()
                return await session.openedMedia
            } onEnd: { [hub, self] in
                hub.remove(follower)
                release(id)
            }
        }
    }

    private func release(_ session: SessionID) {
        counts.withLock { counts in counts[session] = counts[session].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
}
