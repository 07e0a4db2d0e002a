// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel
internal import EngineRuntime

// What a session takes over from the session it replaces.
extension PlaybackSession {
    /// The player: everything that outlives a source.
    struct Inheritance: Sendable {
        var machine: PlayerStateMachine
        var controls: PlayerControls
        var renderer: RendererLink?
        var sinks: SoftwareOutputs
        var look: PictureLook
    }

    func inherit() async {
        guard let task = inheritance else { return }
        let inherited = await task.value
        guard inheritance != nil else { return }
        inheritance = nil
        controls = inherited.controls
        renderer = inherited.renderer
        outputs.inherit(inherited.sinks, inherited.look)
        change {
            machine = inherited.machine
            machine.reopened(
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
            machine: machine,
            controls: controls,
            renderer: renderer,
            sinks: outputs.handOver(),
            look: outputs.look
        )
        renderer = nil
        await stop()
        return inheritance
    }
}
