// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel

/// Takes over what outlives a source from the session that this one replaces, and hands it to the session that replaces
/// this one.
///
/// Belongs to the session's actor.
final class SessionSuccession {
    /// Everything that outlives a source.
    struct Inheritance: Sendable {
        let player: SessionPlayer
        let sinks: SessionSinks
        let treatment: SharedTreatment
    }

    private let setup: SessionSetup
    private let transport: SessionTransport
    private let software: SoftwarePath
    private let filters: SessionFilters
    /// The state handed over by the session that this one replaces. `nil` once it has been taken over.
    private var inheritance: Task<Inheritance, Never>?

    /// - Parameter predecessor: the session that this one replaces.
    init(
        of predecessor: PlaybackSession?,
        _ parts: SessionParts,
        _ software: SoftwarePath,
        _ filters: SessionFilters
    ) {
        (setup, transport) = (parts.setup, parts.transport)
        (self.software, self.filters) = (software, filters)
        // Kept in `inheritance`, for which this session waits. Nothing cancels it, because nothing in it waits for media.
        inheritance = predecessor.map { old in Task { await old.handOver() } }
    }

    /// Waits for the session that this one replaces, if there is one, and takes over its state.
    func takeOver(isolation: isolated (any Actor)? = #isolation) async {
        guard let task = inheritance else { return }
        let inherited = await task.value
        guard inheritance != nil else { return }
        inheritance = nil
        software.inherit(inherited.sinks)
        filters.inherit(inherited.treatment)
        transport.change { player, now in
            player = inherited.player
            player.reopen(setup, at: now)
        }
    }

    /// Ends the software path, and returns the state for the next session. First takes over that of the session before.
    func handOver(isolation: isolated (any Actor)? = #isolation) async -> Inheritance {
        await takeOver()
        await software.end()
        return Inheritance(
            player: transport.handOver(),
            sinks: software.handOver(),
            treatment: filters.sharedTreatment
        )
    }
}
