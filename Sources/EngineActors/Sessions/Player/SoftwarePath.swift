// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// Decides which path a session plays on. On the software path, a renderer in the engine replaces one outside it and
/// delivers frames and audio to the sinks.
///
/// Belongs to the session's actor. The sinks outlive the renderer, and the source.
final class SoftwarePath {
    private let setup: SessionSetup
    private let media: SessionMedia
    private let transport: SessionTransport
    private let filters: SessionFilters
    private let findings: SessionFindings
    private let subtitles: SubtitleFraming
    /// How decoded audio is changed. `nil` until it is first decoded, and if it passes unchanged.
    private var sound: SharedSound?
    /// The engine's own renderer. `nil` on the remux path.
    private var link: SoftwareLink?
    private var lastNumber = RendererLink.lastOutsideNumber
    private var sinks = SessionSinks()
    /// The path that a client selected. `nil`: the path depends on the source, and on whether any sink is attached.
    private(set) var wantedPath: PlaybackPath?

    init(_ parts: SessionParts, _ filters: SessionFilters, wanted path: PlaybackPath?) {
        (setup, media, transport, findings) = (parts.setup, parts.media, parts.transport, parts.findings)
        self.filters = filters
        subtitles = SubtitleFraming(parts, filters)
        wantedPath = path
    }

    deinit { link?.running.cancel() }

    // MARK: The path

    private var needsSoftware: Bool { media.opened?.source.needsSoftware == true }

    /// The path that should be in use: software if nothing else can play the source; otherwise the path a client
    /// selected; otherwise software if any sink is attached, and remux if none is.
    private var duePath: PlaybackPath {
        if needsSoftware { return .software }
        return wantedPath ?? (sinks.all.isEmpty ? .remux : .software)
    }

    /// - Throws: `pathConflict` if the source cannot be played on that path.
    func select(_ path: PlaybackPath?, on session: isolated PlaybackSession) async throws(EngineError) {
        if path == .remux, let source = media.opened?.source, source.needsSoftware {
            throw EngineError(
                .pathConflict,
                "\(source.file.path) cannot be served to a player: only the software path plays it",
                cause: source.media.streams[source.lead.stream.index].route.reason
            )
        }
        wantedPath = path
        await follow(on: session)
    }

    /// Switches to the path that should be in use. Position, tracks, rate, volume and looping are kept.
    private func follow(on session: isolated PlaybackSession) async {
        guard media.isDescribed, !media.isStopped else { return }
        switch (duePath, link) {
        case (.software, nil): start(on: session)
        case (.remux, _?): await end()
        case (.software, _?), (.remux, nil): break
        }
    }

    /// Starts the path of a source that has just been opened. A selected path that cannot play the source is dropped,
    /// with a notice.
    func begin(on session: isolated PlaybackSession) {
        guard !media.isStopped else { return }
        if wantedPath == .remux, needsSoftware {
            wantedPath = nil
            let text = "only the software path plays this source; the selected path is ignored"
            setup.publish(Notice(.warning, "path.unavailable", text))
        }
        publish()
        _ = subtitles.follow()
        if duePath == .software { start(on: session) } else { transport.startRenderer() }
    }

    /// Ends the path, calls `revive`, and begins the path again: the engine's own renderer may have ended with the
    /// failure.
    func restart(on session: isolated PlaybackSession, _ revive: () -> Void) async {
        await end()
        revive()
        begin(on: session)
    }

    private func publish() {
        let path: PlaybackPath = link == nil ? .remux : .software
        setup.publish { $0.path = path }
    }

    /// A front-end plays the session's HLS from now on.
    ///
    /// - Throws: `rendererConflict` if another one does, unless the offer replaces it; `pathConflict` while the engine
    ///   renders the session itself; `sessionNotFound` once the session has ended.
    func attach(
        _ offer: RendererOffer,
        as number: UInt64,
        to receiver: any CommandReceiver,
        isolation: isolated (any Actor)? = #isolation
    ) throws(EngineError) {
        guard !media.isStopped else {
            throw EngineError(.sessionNotFound, "session \(setup.id.rawValue) has no source to render")
        }
        try checkOutsideRenderer()
        if let other = transport.player.renderer, !offer.replaces {
            throw EngineError(.rendererConflict, "\(other.name) already renders session \(setup.id.rawValue)")
        }
        transport.attach(
            RendererLink(number: number, name: offer.name, receiver: receiver, at: monotonicNanoseconds()),
            because: EngineError(.cancelled, "\(offer.name) took the renderer's place")
        )
    }

    /// - Throws: `pathConflict` while the engine renders the session itself.
    private func checkOutsideRenderer() throws(EngineError) {
        guard link != nil else { return }
        throw EngineError(
            .pathConflict,
            "session \(setup.id.rawValue) plays on the software path",
            cause: needsSoftware ? "no other path can play its source" : "select the other path first"
        )
    }

    // MARK: The renderer

    private func start(on session: isolated PlaybackSession) {
        guard link == nil else { return }
        lastNumber += 1
        let number = lastNumber
        let reports = SoftwareReports()
        let made = SoftwareRenderer(listener: reports.listener { [setup] in setup.publish($0) }) {
            [weak session] (_) async throws(EngineError) in
            guard let source = await session?.rendererSource(for: number) else {
                throw EngineError(.cancelled, "another renderer has taken over")
            }
            return source
        }
        // Cancelled by `end`, or with this object.
        let running = Task { [weak session] in
            await withDiscardingTaskGroup { group in
                group.addTask { for await report in reports.reports { await session?.take(report, from: number) } }
                group.addTask { for await failure in reports.failures { await session?.fail(failure, from: number) } }
                await session?.prepare(made)
                group.addTask { await session?.attachDevice(to: made) }
                await made.run()
                reports.finish()
            }
        }
        link = SoftwareLink(number: number, renderer: made, running: running)
        publish()
        transport.attach(
            RendererLink(number: number, name: "engine", receiver: made, at: monotonicNanoseconds()),
            because: EngineError(.cancelled, "the software path took the renderer's place")
        )
    }

    /// Gives the engine's renderer the state that renderer commands do not carry.
    func prepare(_ renderer: SoftwareRenderer) async {
        await renderer.setLooping(isLooping)
        await renderer.setDuration(media.duration)
        await attachSinks(to: renderer)
    }

    /// Attaches the audio device of the settings, which plays only while no other audio sink is attached.
    func attachDevice(to renderer: SoftwareRenderer) async {
        guard let device = setup.settings.audioDevice else { return }
        do throws(EngineError) {
            let sink = try await DeviceAudioSink.open(device)
            guard isCurrent(renderer) else { return sink.close() }
            link?.device = sink
            _ = await renderer.attach(fallback: sink)
        } catch {
            setup.publish(Notice(.warning, "sound.unavailable", "\(error)"))
        }
    }

    /// The source for the renderer `number`. `nil` if another renderer has taken over.
    func rendererSource(for number: UInt64) -> RendererSource? {
        guard let media = media.opened, link?.number == number, !self.media.isStopped else { return nil }
        let video = media.source.lead.kind == .video ? media.source.lead.stream.index : nil
        let decoded = RendererSource(
            .opened(media.source),
            video: video,
            audio: media.audio.stream,
            fields: setup.request.options.deinterlacing.rate,
            plan: media.plan,
            treatment: filters.sharedTreatment,
            sound: sound(of: media.source),
            rotation: video.flatMap { media.source.media.streams[$0].video?.rotation } ?? 0,
            aspect: video.flatMap { media.source.media.streams[$0].video?.sampleAspectRatio },
            onVariant: { [setup] in setup.publish($0, of: media.source) }
        )
        decoded.delay(audio: transport.player.controls.delays.audio)
        link?.decoded = decoded
        return decoded
    }

    private func sound(of source: OpenedSource) -> SharedSound? {
        var options = setup.request.options
        guard sound == nil, !options.sound.isIdentity else { return sound }
        options.soundLevels = source.soundLevels
        sound = SharedSound(
            chain: { [options] in options.soundChain(of: $0) },
            onFailure: { [setup] in setup.publish(.untreated("decoded audio is played as in the source: \($0)")) }
        )
        return sound
    }

    private func isCurrent(_ renderer: SoftwareRenderer) -> Bool { link?.renderer === renderer }

    /// The renderer `number` has failed, which ends playback.
    func fail(_ error: EngineError, from number: UInt64, isolation: isolated (any Actor)? = #isolation) {
        guard link?.number == number, !media.isStopped else { return }
        countDecoding()
        transport.fail(error)
    }

    /// Counts what has been decoded so far.
    func countDecoding(isolation: isolated (any Actor)? = #isolation) {
        guard let link, let counters = link.decoded?.counters else { return }
        let delivered = link.renderer.framesDelivered
        transport.count { $0.noteDecoding(counters.video, counters.audio, delivered) }
        findings.note(captions: counters.video.captionChannels)
        findings.note(undecoded: counters.audio.undecodedAudio)
    }

    /// Whether the renderer continues at the start when it reaches the end. If a part of the timeline is repeated, it
    /// does not: the player sends it a seek instead.
    private var isLooping: Bool {
        let machine = transport.player.machine
        return machine.isLooping && machine.loopPoints?.end == nil
    }

    func followLooping() async { await link?.renderer.setLooping(isLooping) }

    /// Has the renderer follow the audio delay, which may have changed.
    func followAudioDelay() async {
        guard let link, let decoded = link.decoded, decoded.delay(audio: transport.player.controls.delays.audio) else {
            return
        }
        await link.renderer.audioTrackChanged()
    }

    /// The target of a step by `frames` from `place`. `nil` if no frame is known there.
    func target(of frames: Int, from place: MediaTime) async -> MediaTime? {
        await link?.renderer.target(of: frames, from: place)
    }

    /// Has the subtitles in frames follow the selection and the delay, which may have changed.
    func followSubtitles() async {
        if subtitles.follow() { await redraw() }
    }

    func redraw() async { await link?.renderer.redraw() }

    /// Switches the renderer to an audio track.
    ///
    /// - Returns: whether the software path is in use.
    func select(audio stream: Int) async -> Bool {
        guard let link else { return false }
        link.decoded?.select(audio: stream)
        await link.renderer.audioTrackChanged()
        return true
    }

    /// Passes the grown plan to the renderer, and the duration once the plan is complete.
    func planHasGrown() async {
        guard let opened = media.opened else { return }
        link?.decoded?.follow(opened.plan)
        if opened.plan.isComplete { await link?.renderer.setDuration(media.duration) }
    }

    /// Ends the software path and releases the renderer's threads and memory. The virtual clock takes over the
    /// playhead.
    func end() async {
        guard let link else { return }
        countDecoding()
        self.link = nil
        sinks.detachAll()
        if !media.isStopped { publish() }
        transport.ended(link.number)
        link.renderer.end(nil)
        link.running.cancel()
        await link.running.value
        link.device?.close()
        link.decoded?.close()
        if !media.isStopped, let source = media.opened?.source { setup.publishVariants(of: source) }
    }

    // MARK: The sinks

    /// - Throws: `pathConflict` while a renderer outside the engine moves the playhead.
    func checkSinks() throws(EngineError) {
        guard let other = transport.player.outsideRenderer else { return }
        throw EngineError(
            .pathConflict,
            "\(other.name) renders session \(setup.id.rawValue)",
            cause: "select the software path first"
        )
    }

    /// Delivers the session's frames or audio to `sink` until it is detached, even when another source is loaded. Only
    /// the audio sink that was attached last receives audio.
    ///
    /// - Throws: `pathConflict` while a renderer outside the engine moves the playhead.
    func attach(
        _ sink: SessionSinks.Sink,
        on session: isolated PlaybackSession
    ) async throws(EngineError) -> SessionSinkID {
        try checkSinks()
        let id = sinks.add(sink)
        await connectSinks(on: session)
        return id
    }

    /// Attaches newly added sinks to the renderer. Without a renderer, switches to the path that should be in use,
    /// which may start one.
    private func connectSinks(on session: isolated PlaybackSession) async {
        if let renderer = link?.renderer { await attachSinks(to: renderer) } else { await follow(on: session) }
    }

    /// Detaches a sink. When no sink is left, a source that players can fetch returns to the remux path, unless a
    /// client selected the software path.
    func detach(_ id: SessionSinkID, on session: isolated PlaybackSession) async {
        if let rendererSinkID = sinks.remove(id) { await link?.renderer.detach(rendererSinkID) }
        await follow(on: session)
    }

    /// Attaches the sinks that the renderer does not have yet.
    private func attachSinks(to renderer: SoftwareRenderer) async {
        guard isCurrent(renderer) else { return }
        for entry in sinks.claim() {
            let rendererSinkID =
                switch entry.sink {
                case .video(let sink): await renderer.attach(sink)
                case .audio(let sink): await renderer.attach(sink)
                }
            // The renderer or the sink is gone by now.
            if !isCurrent(renderer) || !sinks.note(rendererSinkID, of: entry.id) {
                await renderer.detach(rendererSinkID)
            }
        }
    }

    /// Replaces the engine's own audio output; `nil` closes it. A device that is already in use stays open: some
    /// devices can be opened only once.
    ///
    /// - Throws: `unavailable` if there is no such device, `invalidArgument` for a file that cannot be written,
    ///   `pathConflict` while a renderer outside the engine moves the playhead.
    func setAudioOutput(_ output: AudioOutput?, on session: isolated PlaybackSession) async throws(EngineError) {
        try checkSinks()
        if case .device(let name)? = output, sinks.ownDevice?.name == name, sinks.ownDevice?.isOver == false {
            return
        }
        let sink: (any AudioSink)? =
            switch output {
            case nil: nil
            case .null: NullAudioSink()
            case .file(let path): try await FileAudioSink.open(path)
            case .device(let name): try await DeviceAudioSink.open(name)
            }
        // The session may have ended, or the output may have been set again, while a device was opened.
        do throws(EngineError) {
            if media.isStopped { throw EngineError(.cancelled, "the session ended while its audio output was opened") }
            try checkSinks()
        } catch {
            (sink as? DeviceAudioSink)?.close()
            throw error
        }
        let (old, oldDevice) = (sinks.ownAudio, sinks.ownDevice)
        sinks.ownAudio = sink.map { sinks.add(.audio($0)) }
        if sink != nil { await connectSinks(on: session) }
        if let old { await detach(old, on: session) }
        oldDevice?.close()
    }

    // MARK: Another source

    /// Takes over the sinks of an earlier session.
    func inherit(_ sinks: SessionSinks) { self.sinks = sinks }

    /// Gives the sinks to another session.
    func handOver() -> SessionSinks {
        defer { sinks = SessionSinks() }
        return sinks
    }

    /// Closes the engine's own audio device and ends the drawing of subtitles: the session has ended.
    func stop() {
        sinks.ownDevice?.close()
        subtitles.stop()
    }
}

/// The engine's own renderer, while a session plays on the software path.
private struct SoftwareLink {
    let number: UInt64
    let renderer: SoftwareRenderer
    /// Ends when the renderer has ended and all of its reports have been handled.
    let running: Task<Void, Never>
    /// The decoded source, once it is open.
    var decoded: RendererSource?
    /// The audio device of the settings, which plays only while no other audio sink is attached.
    var device: DeviceAudioSink?
}

/// The reports and failures of the engine's own renderer. Each stream keeps only the latest element.
private struct SoftwareReports: Sendable {
    let reports: AsyncStream<RendererReport>
    let failures: AsyncStream<EngineError>
    private let report: AsyncStream<RendererReport>.Continuation
    private let failure: AsyncStream<EngineError>.Continuation

    init() {
        (reports, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (failures, failure) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func listener(_ notice: @escaping @Sendable (Notice) -> Void) -> RendererListener {
        RendererListener(
            report: { [report] in report.yield($0) },
            notice: notice,
            failed: { [failure] in failure.yield($0) }
        )
    }

    /// Ends both streams.
    func finish() {
        report.finish()
        failure.finish()
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
