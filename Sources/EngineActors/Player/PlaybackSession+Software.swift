// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

// The software path: a renderer in the engine that takes the place of one elsewhere.
extension PlaybackSession {
    /// The path that is wanted now: what only a decoder plays, else what was chosen, else the software path for whoever
    /// takes what it gives.
    private var path: PlaybackPath {
        if media?.source.needsSoftware == true { return .software }
        return wantedPath ?? (outputs.all.isEmpty ? .remux : .software)
    }

    /// Applies `selectPath`.
    ///
    /// - Returns: `nil` for another command.
    /// - Throws: `pathConflict` where the source cannot be played on that path.
    package func performOnPath(_ command: Command) async throws(EngineError) -> Outcome? {
        guard case .selectPath(let path) = command else { return nil }
        await inherit()
        if path == .remux, let source = media?.source, source.needsSoftware {
            throw EngineError(
                .pathConflict,
                "\(source.file.path) has nothing that a player could fetch: only the software path plays it",
                cause: source.media.streams[source.lead.stream.index].route.reason
            )
        }
        wantedPath = path
        await followPath()
        return Outcome()
    }

    /// Changes the path when another one is wanted. Position, tracks, rate, volume and looping stay.
    func followPath() async {
        guard isDescribed, !isStopped else { return }
        switch (path, software) {
        case (.software, nil): startSoftware()
        case (.remux, _?): await endSoftware()
        case (.software, _?), (.remux, nil): return
        }
        publishPath()
        settle()
        restartClock()
    }

    func publishPath() {
        let path: PlaybackPath = software == nil ? .remux : .software
        hub.update(id) { $0.path = path }
    }

    /// The source has just been opened.
    func beginPath() {
        if wantedPath == .remux, media?.source.needsSoftware == true {
            wantedPath = nil
            let text = "only the software path plays this source; the path that was chosen is not taken"
            hub.notice(id, Notice(.warning, "path.unavailable", text))
        }
        if path == .software { startSoftware() }
        publishPath()
    }

    // MARK: The renderer

    private func startSoftware() {
        guard software == nil else { return }
        let now = monotonicNanoseconds()
        if let other = renderer {
            other.leave(EngineError(.cancelled, "the software path took the renderer's place"))
            machine.rendererDetached(at: now)
        }
        lastSoftware += 1
        let number = lastSoftware
        let words = SoftwareWords()
        let made = SoftwareRenderer(listener: words.listener { [hub, id] in hub.notice(id, $0) }) {
            [weak self] (_) async throws(EngineError) in
            guard let film = await self?.openFilm(number) else {
                throw EngineError(.cancelled, "another renderer plays by now")
            }
            return film
        }
        let running = Task { [weak self] in
            await withDiscardingTaskGroup { group in
                group.addTask { for await report in words.reports { await self?.take(report, from: number) } }
                group.addTask { for await failure in words.failures { await self?.failSoftware(failure, number) } }
                await self?.prepare(made)
                await made.run()
                words.finish()
            }
        }
        software = SoftwareLink(number: number, renderer: made, running: running)
        renderer = RendererLink(number: number, name: "engine", sink: made, at: now)
        counters.rendererAttached()
        machine.rendererAttached(at: now)
        startRenderer()
    }

    /// Tells a renderer in the engine what no command tells.
    private func prepare(_ renderer: SoftwareRenderer) async {
        await renderer.setLooping(machine.isLooping)
        await renderer.setDuration(duration)
        await attachOutputs(to: renderer)
    }

    /// Gives the renderer the sinks that it does not have yet.
    private func attachOutputs(to renderer: SoftwareRenderer) async {
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

    private func openFilm(_ number: UInt64) -> DecodedFilm? {
        guard let media, software?.number == number, !isStopped else { return nil }
        let film = DecodedFilm(
            .opened(media.source),
            video: media.source.lead.kind == .video ? media.source.lead.stream.index : nil,
            audio: audio?.stream,
            plan: media.plan
        )
        software?.film = film
        return film
    }

    private func failSoftware(_ error: EngineError, _ number: UInt64) {
        guard software?.number == number, !isStopped else { return }
        machine.failed(error, at: monotonicNanoseconds())
        settle()
    }

    /// Gives the renderer's threads and memory back; the virtual clock goes on from where it was.
    func endSoftware() async {
        guard let link = software else { return }
        countDecoding()
        software = nil
        outputs.detachAll()
        if renderer?.number == link.number {
            renderer = nil
            machine.rendererDetached(at: monotonicNanoseconds())
        }
        counters.decodingEnded()
        link.renderer.end(nil)
        link.running.cancel()
        await link.running.value
        link.film?.close()
    }

    func countDecoding() {
        guard let film = software?.film else { return }
        let (pictures, sound) = film.counters
        if counters.noteDecoding(pictures, sound) { publishStatisticsSoon() }
    }

    // MARK: Outputs

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
}
