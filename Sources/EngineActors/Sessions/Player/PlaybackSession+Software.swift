// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import EngineRuntime
internal import Reading

// The software path: a renderer in the engine that takes the place of one outside it.
extension PlaybackSession {
    private var needsSoftware: Bool { media.opened?.source.needsSoftware == true }

    /// - Throws: `pathConflict` if the source cannot be played on that path.
    func select(_ path: PlaybackPath?) async throws(EngineError) {
        await inherit()
        if path == .remux, let source = media.opened?.source, source.needsSoftware {
            throw EngineError(
                .pathConflict,
                "\(source.file.path) cannot be served to a player: only the software path plays it",
                cause: source.media.streams[source.lead.stream.index].route.reason
            )
        }
        outputs.select(path)
        await followPath()
    }

    /// Switches to the path that should be in use. Position, tracks, rate, volume and looping are kept.
    func followPath() async {
        guard media.isDescribed, !isStopped else { return }
        switch (outputs.path(needsSoftware: needsSoftware), outputs.software) {
        case (.software, nil): startSoftware()
        case (.remux, _?): await endSoftware()
        case (.software, _?), (.remux, nil): return
        }
        change {
            publishPath()
            return .restarts
        }
    }

    func publishPath() {
        let path = outputs.path
        hub.update(id) { $0.path = path }
    }

    /// Starts the path of a source that has just been opened. A selected path that cannot play the source is dropped,
    /// with a notice.
    func beginPath() {
        if let notice = outputs.dropUnavailablePath(needsSoftware: needsSoftware) { hub.notice(id, notice) }
        if outputs.path(needsSoftware: needsSoftware) == .software { startSoftware() }
        publishPath()
    }

    // MARK: The renderer

    private func startSoftware() {
        guard outputs.software == nil else { return }
        let now = monotonicNanoseconds()
        let error = EngineError(.cancelled, "the software path took the renderer's place")
        player.dismissRenderer(because: error, at: now)
        let number = outputs.nextNumber()
        let reports = SoftwareReports()
        let made = SoftwareRenderer(listener: reports.listener { [hub, id] in hub.notice(id, $0) }) {
            [weak self] (_) async throws(EngineError) in
            guard let film = await self?.openFilm(number) else {
                throw EngineError(.cancelled, "another renderer has taken over")
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
        outputs.begin(SoftwareLink(number: number, renderer: made, running: running))
        counters.rendererAttached()
        player.attach(RendererLink(number: number, name: "engine", sink: made, at: now), at: now)
        startRenderer()
    }

    /// Gives the engine's renderer the state that renderer commands do not carry.
    private func prepare(_ renderer: SoftwareRenderer) async {
        await renderer.setLooping(player.machine.isLooping)
        await renderer.setDuration(duration)
        await attachOutputs(to: renderer)
    }

    /// Attaches the audio device of the settings, which plays only while no other audio sink is attached.
    private func attachDevice(to renderer: SoftwareRenderer) async {
        guard let device = settings.soundDevice else { return }
        do throws(EngineError) {
            let sink = try await DeviceSoundSink.open(device)
            guard outputs.isCurrent(renderer) else { return sink.close() }
            outputs.opened(sink)
            _ = await renderer.attach(fallback: sink)
        } catch {
            hub.notice(id, Notice(.warning, "sound.unavailable", "\(error)"))
        }
    }

    private func openFilm(_ number: UInt64) -> DecodedFilm? {
        guard let media = media.opened, outputs.software?.number == number, !isStopped else { return nil }
        let video = media.source.lead.kind == .video ? media.source.lead.stream.index : nil
        let film = DecodedFilm(
            .opened(media.source),
            video: video,
            audio: media.audio.stream,
            fields: request.options.deinterlacing.rate,
            plan: media.plan,
            look: outputs.look,
            rotation: video.flatMap { media.source.media.streams[$0].video?.rotation } ?? 0,
            aspect: video.flatMap { media.source.media.streams[$0].video?.sampleAspectRatio }
        )
        outputs.opened(film)
        return film
    }

    private func failSoftware(_ error: EngineError, _ number: UInt64) {
        guard outputs.software?.number == number, !isStopped else { return }
        change {
            countDecoding()
            player.machine.failed(error, at: monotonicNanoseconds())
            return .none
        }
    }

    /// Ends the software path and releases the renderer's threads and memory. The virtual clock takes over the
    /// playhead.
    func endSoftware() async {
        countDecoding()
        guard let link = outputs.end() else { return }
        if player.renderer?.number == link.number { player.detach(at: monotonicNanoseconds()) }
        counters.decodingEnded()
        link.renderer.end(nil)
        link.running.cancel()
        await link.running.value
        link.device?.close()
        link.film?.close()
    }

    func countDecoding() {
        guard let link = outputs.software, let film = link.film else { return }
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
