// SPDX-License-Identifier: Apache-2.0

internal import Decoding
package import EngineModel
internal import EngineRuntime

// Decoded audio, independent of playback.
extension Engine {
    /// The most audio taps that one session may have.
    static let tapLimit = 4

    package func tap(_ request: AudioTapRequest) async throws(EngineError) -> any PieceSource<TappedAudio> {
        let (session, state) = try find(request.session)
        let id = state.id
        guard taps.withLock({ $0[id, default: 0] }) < Self.tapLimit else {
            throw EngineError(.resourceExhausted, "session \(id.rawValue) already has \(Self.tapLimit) audio taps")
        }
        await session.untilOpen()
        guard hub.state(of: id)?.selectedAudio != nil else {
            throw EngineError(.trackNotFound, "\(state.source) has no audio track that is played")
        }
        taps.withLock { $0[id, default: 0] += 1 }
        let follower = TapFollower(hub.state(of: id) ?? state)
        hub.add(follower)
        return AttributedPieces(to: session.setup.tag) {
            AudioTap(request, follower: follower) { [weak self] in
                guard let self, let session = self.sessions[id] else { return nil }
                await session.untilOpen()
                return await session.openedMedia
            } onEnd: { [weak self] in
                guard let self else { return }
                hub.remove(follower)
                taps.withLock { taps in taps[id] = taps[id].flatMap { $0 > 1 ? $0 - 1 : nil } }
            }
        }
    }
}
