// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import EngineRuntime
internal import Reading

// The software path: a renderer in the engine that takes the place of one outside it.
extension PlaybackSession {
    /// The path that should be in use: software if nothing else can play the source; otherwise the path a client
    /// selected; otherwise software if any output is attached, and remux if none is.
    private var path: PlaybackPath {
        if media?.source.needsSoftware == true { return .software }
        return wantedPath ?? (outputs.all.isEmpty ? .remux : .software)
    }

    /// - Throws: `pathConflict` if the source cannot be played on that path.
    func select(_ path: PlaybackPath?) async throws(EngineError) {
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
    }

    /// Switches to the path that should be in use. Position, tracks, rate, volume and looping are kept.
    func followPath() async {
        guard isDescribed, !isStopped else { return }
        switch (path, software) {
        case (.software, nil): startSoftware()
        case (.remux, _?): await endSoftware()
        case (.software, _?), (.remux, nil): return
        }
        publishPath()
        publishChanges()
        restartClock()
    }

    func publishPath() {
        let path: PlaybackPath = software == nil ? .remux : .software
        hub.update(id) { $0.path = path }
    }

    /// Starts the path of a source that has just been opened. A selected path that cannot play the source is dropped,
    /// with a notice.
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
        let reports = SoftwareReports()
        let made = SoftwareRenderer(listener: reports.listener { [hub, id] in hub.notice(id, $0) }) {
            [weak self] (_) async throws(EngineError) in
            guard let film = await self?.openFilm(number) else {
                throw EngineError(.cancelled, "another renderer plays by now")
            }
            return film
        }
        let running = Task { [weak self] in
            await withDiscardingTaskGroup { group in
                group.addTask { for await report in reports.reports { await self?.take(report, from: number) } }
                group.addTask { for await failure in reports.failures { await self?.failSoftware(failure, number) } }
                await self?.prepare(made)
                group.addTask { await self?.attachDevice(to: made) }
                await made.run()
                reports.finish()
            }
        }
        software = SoftwareLink(number: number, renderer: made, running: running)
        renderer = RendererLink(number: number, name: "engine", sink: made, at: now)
        counters.rendererAttached()
        machine.rendererAttached(at: now)
        startRenderer()
    }

    /// Gives the engine's renderer the state that renderer commands do not carry.
    private func prepare(_ renderer: SoftwareRenderer) async {
        await renderer.setLooping(machine.isLooping)
        await renderer.setDuration(duration)
        await attachOutputs(to: renderer)
    }

    /// Attaches the audio device of the settings, which plays only while no other audio sink is attached.
    private func attachDevice(to renderer: SoftwareRenderer) async {
        guard let device = settings.soundDevice else { return }
        do throws(EngineError) {
            let sink = try await DeviceSoundSink.open(device)
            guard software?.renderer === renderer else { return sink.close() }
            software?.device = sink
            _ = await renderer.attach(fallback: sink)
        } catch {
            hub.notice(id, Notice(.warning, "sound.unavailable", "\(error)"))
        }
    }

    private func openFilm(_ number: UInt64) -> DecodedFilm? {
        guard let media, software?.number == number, !isStopped else { return nil }
        let video = media.source.lead.kind == .video ? media.source.lead.stream.index : nil
        let film = DecodedFilm(
            .opened(media.source),
            video: video,
            audio: audio?.stream,
            fields: request.options.deinterlacing.rate,
            plan: media.plan,
            look: look,
            rotation: video.flatMap { media.source.media.streams[$0].video?.rotation } ?? 0,
            aspect: video.flatMap { media.source.media.streams[$0].video?.sampleAspectRatio }
        )
        software?.film = film
        return film
    }

    private func failSoftware(_ error: EngineError, _ number: UInt64) {
        guard software?.number == number, !isStopped else { return }
        countDecoding()
        machine.failed(error, at: monotonicNanoseconds())
        publishChanges()
    }

    /// Ends the software path and releases the renderer's threads and memory. The virtual clock takes over the
    /// playhead.
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
        link.device?.close()
        link.film?.close()
    }

    func countDecoding() {
        guard let link = software, let film = link.film else { return }
        let (pictures, sound) = film.counters
        let isNews = counters.noteDecoding(pictures, sound, link.renderer.picturesHandedOver)
        if isNews { publishStatisticsSoon() }
        noteCaptions(pictures.captionChannels)
    }
}

extension Deinterlacing {
    fileprivate var rate: Deinterlacer.Rate? {
        switch self {
        case .frame: .frame
        case .field: .field
        case .off: nil
        }
    }
}
