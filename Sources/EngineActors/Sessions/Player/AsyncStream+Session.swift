// SPDX-License-Identifier: Apache-2.0

extension AsyncStream where Element: Sendable {
    /// Has a session handle each element in turn, until the stream ends, the owner of the task cancels it, or the
    /// session is gone.
    func deliver(
        to session: PlaybackSession,
        _ handle: @escaping @Sendable (isolated PlaybackSession, Element) async -> Void
    ) -> Task<Void, Never> {
        // Owned by the caller, a part of the session that cancels it when the session ends.
        Task { [weak session] in
            for await element in self {
                guard let session else { return }
                await handle(session, element)
            }
        }
    }
}
