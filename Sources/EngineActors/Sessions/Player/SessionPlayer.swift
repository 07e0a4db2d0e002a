// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The player of a session, which outlives its sources: the state machine, the audio controls, and the renderer that is
/// attached. A plain value, except for the renderer's sink.
struct SessionPlayer: Sendable {
    var machine: PlayerStateMachine
    private(set) var controls = PlayerControls()
    private(set) var renderer: RendererLink?

    init(_ machine: PlayerStateMachine) { self.machine = machine }

    /// Restores what an earlier process recorded.
    mutating func restore(_ record: SessionRecord, at now: Int64) {
        _ = machine.setRate(record.rate, at: now)
        controls = PlayerControls(volume: record.volume, isMuted: record.isMuted)
        machine.setLooping(record.isLooping)
    }

    mutating func setVolume(_ volume: Double) { controls.volume = volume }

    mutating func setMuted(_ isMuted: Bool) { controls.isMuted = isMuted }

    // MARK: The renderer

    /// The renderer moves the playhead from now on.
    mutating func attach(_ renderer: RendererLink, at now: Int64) {
        self.renderer = renderer
        machine.rendererAttached(at: now)
    }

    /// The renderer is gone. The virtual clock moves the playhead from now on.
    mutating func detach(at now: Int64) {
        renderer = nil
        machine.rendererDetached(at: now)
    }

    /// The renderer, if there is one, loses its place because of `error`.
    mutating func dismissRenderer(because error: EngineError, at now: Int64) {
        guard let renderer else { return }
        renderer.leave(error)
        detach(at: now)
    }

    /// The session has ended, and so has the renderer's work.
    mutating func stopRenderer() {
        renderer?.leave(nil)
        renderer = nil
    }

    mutating func send(_ action: RendererCommand.Action, at now: Int64) { renderer?.send(action, at: now) }

    /// - Returns: whether the report was made after the last transport command was carried out.
    mutating func hear(_ report: RendererReport, at now: Int64) -> Bool { renderer?.hear(report, at: now) ?? false }

    /// Gives the player to another session.
    mutating func handOver() -> SessionPlayer {
        defer { renderer = nil }
        return self
    }
}
