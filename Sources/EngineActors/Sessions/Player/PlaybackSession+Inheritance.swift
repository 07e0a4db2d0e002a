// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel
internal import EngineRuntime

// What a session takes over from the session it replaces.
extension PlaybackSession {
    /// Everything that outlives a source.
    struct Inheritance: Sendable {
        var player: SessionPlayer
        var sinks: SoftwareOutputs
        var look: PictureLook
    }

    func inherit() async {
        guard let task = inheritance else { return }
        let inherited = await task.value
        guard inheritance != nil else { return }
        inheritance = nil
        outputs.inherit(inherited.sinks, inherited.look)
        change {
            player = inherited.player
            player.machine.reopened(
                at: max(.zero, request.startPosition),
                opening: .init(thenPlay: request.options.isAutoplay),
                settings: settings,
                at: monotonicNanoseconds()
            )
            return .none
        }
    }

    /// Ends this session's source and hands its player over to the session that replaces it.
    func handOver() async -> Inheritance {
        isStopped = true
        await inherit()
        await endSoftware()
        let inheritance = Inheritance(
            player: player.handOver(),
            sinks: outputs.handOver(),
            look: outputs.look
        )
        await stop()
        return inheritance
    }
}
