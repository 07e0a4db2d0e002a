// SPDX-License-Identifier: Apache-2.0

package import Decoding
package import EngineModel

// The sinks that receive the software path's frames and audio.
extension PlaybackSession {
    /// Delivers the session's frames to `sink` until it is detached, even when another source is loaded.
    ///
    /// - Throws: `pathConflict` while a renderer outside the engine moves the playhead.
    package func attach(pictures sink: any PictureSink) async throws(EngineError) -> OutputID {
        try await attach(.pictures(sink))
    }

    /// Delivers the session's audio to `sink` until it is detached, even when another source is loaded. Only the sink
    /// that was attached last receives audio.
    ///
    /// - Throws: `pathConflict` while a renderer outside the engine moves the playhead.
    package func attach(sound sink: any SoundSink) async throws(EngineError) -> OutputID {
        try await attach(.sound(sink))
    }

    /// Detaches a sink. When no sink is left, a source that players can fetch goes back to the remux path, unless a
    /// client selected the software path.
    package func detach(output id: OutputID) async {
        await inherit()
        if let attachment = outputs.sinks.remove(id) { await outputs.software?.renderer.detach(attachment) }
        await followPath()
    }

    private func attach(_ sink: SoftwareOutputs.Sink) async throws(EngineError) -> OutputID {
        try await checkOutputs()
        let id = outputs.sinks.add(sink)
        if let renderer = outputs.software?.renderer { await attachOutputs(to: renderer) } else { await followPath() }
        return id
    }

    /// - Throws: `pathConflict` while a renderer outside the engine moves the playhead.
    func checkOutputs() async throws(EngineError) {
        await inherit()
        if outputs.software == nil, let other = player.renderer {
            throw EngineError(
                .pathConflict,
                "\(other.name) renders session \(id.rawValue)",
                cause: "select the software path first"
            )
        }
    }

    /// Attaches the sinks that the renderer does not have yet.
    func attachOutputs(to renderer: SoftwareRenderer) async {
        guard outputs.isCurrent(renderer) else { return }
        for output in outputs.sinks.claim() {
            let attachment =
                switch output.sink {
                case .pictures(let sink): await renderer.attach(sink)
                case .sound(let sink): await renderer.attach(sink)
                }
            // The renderer or the output is gone by now.
            if !outputs.isCurrent(renderer) || !outputs.sinks.note(attachment, of: output.id) {
                await renderer.detach(attachment)
            }
        }
    }

    // MARK: The engine's own audio output

    /// Replaces the engine's own audio output; `nil` closes it. A device that is already in use stays open: some
    /// devices can be opened only once.
    ///
    /// - Throws: `unavailable` if there is no such device, `invalidArgument` for a file that cannot be written,
    ///   `pathConflict` while a renderer outside the engine moves the playhead.
    func setAudioOutput(_ output: SoundOutput?) async throws(EngineError) {
        try await checkOutputs()
        if case .device(let name)? = output, outputs.sinks.ownDevice?.name == name,
            outputs.sinks.ownDevice?.isOver == false
        {
            return
        }
        let sink: (any SoundSink)? =
            switch output {
            case nil: nil
            case .null: NullSoundSink()
            case .file(let path): try await FileSoundSink.open(path)
            case .device(let name): try await DeviceSoundSink.open(name)
            }
        let (old, oldDevice) = (outputs.sinks.ownSound, outputs.sinks.ownDevice)
        if let sink { outputs.sinks.ownSound = try await attach(sound: sink) } else { outputs.sinks.ownSound = nil }
        if let old { await detach(output: old) }
        oldDevice?.close()
    }
}
