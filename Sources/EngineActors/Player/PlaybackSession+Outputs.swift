// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Who takes what the software path gives.
extension PlaybackSession {
    /// Gives pictures of the session to `sink`, from now on and whatever is loaded, until it is detached.
    ///
    /// - Throws: `pathConflict` while a renderer elsewhere moves the playhead.
    package func attach(pictures sink: any PictureSink) async throws(EngineError) -> OutputID {
        try await attach(.pictures(sink))
    }

    /// Lets the session's sound be heard through `sink`, likewise. The last one that was attached is heard.
    ///
    /// - Throws: `pathConflict` while a renderer elsewhere moves the playhead.
    package func attach(sound sink: any SoundSink) async throws(EngineError) -> OutputID {
        try await attach(.sound(sink))
    }

    /// The sink is given nothing any more. Without sinks a source that a player can fetch goes back to that path, unless the
    /// software path was chosen.
    package func detach(output id: OutputID) async {
        await inherit()
        if let attachment = outputs.remove(id) { await software?.renderer.detach(attachment) }
        await followPath()
    }

    private func attach(_ sink: SoftwareOutputs.Sink) async throws(EngineError) -> OutputID {
        try await checkOutputs()
        let id = outputs.add(sink)
        if let renderer = software?.renderer { await attachOutputs(to: renderer) } else { await followPath() }
        return id
    }

    /// - Throws: `pathConflict` while a renderer elsewhere moves the playhead.
    func checkOutputs() async throws(EngineError) {
        await inherit()
        if software == nil, let other = renderer {
            throw EngineError(
                .pathConflict,
                "\(other.name) plays what session \(id.rawValue) serves",
                cause: "select the software path first"
            )
        }
    }

    /// Gives the renderer the sinks that it does not have yet.
    func attachOutputs(to renderer: SoftwareRenderer) async {
        guard software?.renderer === renderer else { return }
        for output in outputs.claim() {
            let attachment =
                switch output.sink {
                case .pictures(let sink): await renderer.attach(sink)
                case .sound(let sink): await renderer.attach(sink)
                }
            // Gone meanwhile.
            if software?.renderer !== renderer || !outputs.note(attachment, of: output.id) {
                await renderer.detach(attachment)
            }
        }
    }

    // MARK: The engine's own sound

    /// Opens an output of the engine, in place of the one before. A device that is heard already stays: some can be opened only
    /// once.
    ///
    /// - Throws: `unavailable` where there is no such device, `invalidArgument` for a file that cannot be written, `pathConflict`
    ///   while a renderer elsewhere moves the playhead.
    func hear(through output: SoundOutput?) async throws(EngineError) {
        try await checkOutputs()
        if case .device(let name)? = output, outputs.ownDevice?.name == name, outputs.ownDevice?.isOver == false {
            return
        }
        let sink: (any SoundSink)? =
            switch output {
            case nil: nil
            case .null: NullSoundSink()
            case .file(let path): try await FileSoundSink.open(path)
            case .device(let name): try await DeviceSoundSink.open(name)
            }
        let (old, oldDevice) = (outputs.ownSound, outputs.ownDevice)
        if let sink { outputs.ownSound = try await attach(sound: sink) } else { outputs.ownSound = nil }
        if let old { await detach(output: old) }
        oldDevice?.close()
    }
}
