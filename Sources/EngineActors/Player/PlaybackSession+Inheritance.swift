// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

// What a session that takes the place of another has from it.
extension PlaybackSession {
    /// What outlives a source: the player.
    struct Inheritance: Sendable {
        var machine: PlayerStateMachine
        var controls: PlayerControls
        var renderer: RendererLink?
        var outputs: SoftwareOutputs
        var look: PictureLook
    }

    func inherit() async {
        guard let task = inheritance else { return }
        let inherited = await task.value
        guard inheritance != nil else { return }
        inheritance = nil
        controls = inherited.controls
        renderer = inherited.renderer
        outputs = inherited.outputs
        look = inherited.look
        machine = inherited.machine
        machine.reopened(
            at: max(.zero, request.startPosition),
            opening: .init(thenPlay: request.options.isAutoplay),
            settings: settings,
            at: monotonicNanoseconds()
        )
        settle()
    }

    /// Ends this session's source and gives its player away.
    func handOver() async -> Inheritance {
        isStopped = true
        await inherit()
        await endSoftware()
        let inheritance = Inheritance(
            machine: machine,
            controls: controls,
            renderer: renderer,
            outputs: outputs,
            look: look
        )
        renderer = nil
        // They are another session's now.
        outputs = SoftwareOutputs()
        await stop()
        return inheritance
    }
}
